#ifdef RICOCHET_HAVE_URDF
#include "urdf_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ricochet/base/suggest.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/mechanism/loops.hpp"
#include "shape_pairs.hpp"

namespace ricochet {
namespace {

class UrdfRobot : public Machine {
 public:
  explicit UrdfRobot(UrdfModel model) : model_(std::move(model)), G_(model_.constraints()) {
    for (const UrdfJoint& j : model_.joints)
      coordinates_.push_back({j.name, j.position, j.positions, j.speed, j.speeds});
  }

  [[nodiscard]] const std::vector<Coordinate>& coordinates() const override { return coordinates_; }
  [[nodiscard]] VecX default_q() const override { return model_.reference(); }
  [[nodiscard]] VecX default_u() const override { return VecX::Zero(model_.tree.speed_count()); }
  // What follows is not what leads: a mimic that was given is moved all the same.
  [[nodiscard]] Expected<VecX> close_loops(const VecX& q, const std::vector<bool>&) const override {
    return model_.follow(q);
  }

  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX& q, const VecX& u,
                                                 const std::vector<bool>& held) const override {
    if (std::find(held.begin(), held.end(), true) != held.end()) return model_.follow_speeds(u);
    if (G_.rows() == 0) return u;
    return forward_kinematics(model_.tree, q)
        .and_then([&](const Kinematics& posture) { return Articulated::at(model_.tree, posture); })
        .and_then([&](const Articulated& open) { return ClosedLoops::of(open.solver(), G_); })
        .map([&](const ClosedLoops& closed) { return closed.admissible(u); });
  }

  [[nodiscard]] Expected<void> place(const VecX& q, const VecX& u) override {
    if (u.size() != model_.tree.speed_count() || !u.allFinite())
      return fail(ErrorCode::out_of_range, "u", "",
                  fmt::format("must be {} finite numbers", model_.tree.speed_count()));
    auto posture = forward_kinematics(model_.tree, q);
    if (!posture) return tl::unexpected(posture.error());
    for (const UrdfMimic& m : model_.mimics) {
      const double q_of = m.position_of < 0 ? 0 : m.multiplier * q(m.position_of);
      const double u_of = m.speed_of < 0 ? 0 : m.multiplier * u(m.speed_of);
      const double open = q(m.position) - q_of - m.offset;
      const double opens = u(m.speed) - u_of;
      const double size = std::abs(u(m.speed)) + std::abs(u_of);
      if (std::abs(open) > 1e-6 || std::abs(opens) > 1e-9 * size + 1e-12)
        return fail(ErrorCode::open_loop, std::abs(open) > 1e-6 ? "q" : "u", "",
                    fmt::format("must follow: the joint {} mimics another and is off by {}; --assemble lets it follow",
                                joint_at(m.speed), to_text(std::abs(open) > 1e-6 ? open : opens)));
    }
    auto articulated = Articulated::at(model_.tree, *posture);
    if (!articulated) return tl::unexpected(articulated.error());
    MassSolver solve = std::move(*articulated).solver();
    if (G_.rows() > 0) {
      const auto closed = ClosedLoops::of(solve, G_);
      if (!closed) return tl::unexpected(closed.error());
      solve = closed->solver();
    }
    posture_ = *std::move(posture);
    solver_ = std::move(solve);
    u_ = u;
    return {};
  }

  [[nodiscard]] Expected<FoundContacts> contacts(double reach, bool moving_only) const override {
    if (!(reach >= 0) || !std::isfinite(reach))
      return fail(ErrorCode::out_of_range, "reach", to_text(reach), "must be finite and not negative");
    const std::vector<LinkShape> shapes = link_shapes();
    FoundContacts out;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      for (std::size_t j = i + 1; j < shapes.size(); ++j) {
        if (!model_.may_collide(i, j)) continue;
        if (moving_only && as_one_piece(shapes[i].link, shapes[j].link)) continue;
        const auto fine = add_contacts({shapes[i], shapes[j]}, reach, out, [&](ContactPoint& at) -> Expected<void> {
          at.J = jacobian(shapes[j].link, at.point) - jacobian(shapes[i].link, at.point);
          at.within = !shapes[i].fixed && !shapes[j].fixed;
          return {};
        });
        if (!fine) return tl::unexpected(fine.error());
      }
    }
    return out;
  }

  [[nodiscard]] Expected<ContactPoint> contact_point(const StatedContact& stated) const override {
    const auto first = link_of("first", stated.first);
    if (!first) return tl::unexpected(first.error());
    const auto second = link_of("second", stated.second);
    if (!second) return tl::unexpected(second.error());
    return ricochet::contact_point(model_.tree, posture_, *first, *second, stated.point, stated.n)
        .map([&](ContactPoint at) {
          at.first_body = at.first;
          at.second_body = at.second;
          return at;
        });
  }

  [[nodiscard]] MassSolver solver() const override { return solver_; }
  [[nodiscard]] MatX mass_matrix() const override { return ricochet::mass_matrix(model_.tree, posture_); }

  [[nodiscard]] std::vector<MachinePart> parts() const override {
    std::vector<MachinePart> out;
    for (const LinkShape& s : link_shapes())
      out.push_back({s.name,
                     {s.name, s.body},
                     outline(s.shape),
                     s.shape.margin,
                     s.fixed,
                     false,
                     s.shape.position,
                     jacobian(s.link, s.shape.position)});
    // A link without shapes, or with balls alone, is drawn as lines from its joint to those and to its children.
    const std::vector<Link>& links = model_.tree.links;
    const auto origin = [&](std::size_t link) { return posture_.places[link].origin; };
    for (std::size_t l = 0; l < links.size(); ++l) {
      if (model_.rigid[l] < 0) continue;
      std::vector<Vec3> ends;
      bool solid = false;
      for (const UrdfShape& s : model_.shapes) {
        if (s.link != static_cast<int>(l)) continue;
        solid = solid || s.shape.core != ConvexShape::Core::point;
        ends.emplace_back(origin(l) + posture_.places[l].R * s.shape.position);
      }
      if (solid) continue;
      for (std::size_t child = l + 1; child < links.size(); ++child)
        if (links[child].parent == static_cast<int>(l)) ends.push_back(origin(child));
      for (const Vec3& end : ends) {
        if ((end - origin(l)).norm() == 0) continue;
        const Vec3 centre = 0.5 * (origin(l) + end);
        out.push_back({links[l].name,
                       {links[l].name, links[l].name},
                       {origin(l), end},
                       0,
                       false,
                       true,
                       centre,
                       jacobian(static_cast<int>(l), centre)});
      }
    }
    return out;
  }

  [[nodiscard]] const RobotDescription* description() const override { return &model_.description; }
  [[nodiscard]] Expected<Keyframe> keyframe(std::string_view name) const override {
    return fail(ErrorCode::unknown_name, "key", std::string(name), "is not there: URDF has no keyframes");
  }

  [[nodiscard]] std::vector<FloatingRoot> floating_roots() const override {
    std::vector<FloatingRoot> out;
    for (const UrdfJoint& j : model_.joints)
      if (j.type == JointType::free && !carried(model_.tree.links[static_cast<std::size_t>(j.link)]))
        out.push_back({.name = j.name, .position = j.position, .speed = j.speed, .free = true});
    return out;
  }

  [[nodiscard]] std::vector<LinkShape> link_shapes() const override {
    std::vector<LinkShape> out;
    out.reserve(model_.shapes.size());
    for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
      const UrdfShape& s = model_.shapes[i];
      const Kinematics::Place& at = posture_.places[static_cast<std::size_t>(s.link)];
      LinkShape shape{.name = s.name,
                      .body = model_.tree.links[static_cast<std::size_t>(s.link)].name,
                      .shape_id = static_cast<int>(i),
                      .link = s.link,
                      .fixed = model_.rigid[static_cast<std::size_t>(s.link)] < 0,
                      .shape = s.shape};
      shape.shape.position = at.origin + at.R * s.shape.position;
      shape.shape.rotation = at.R * s.shape.rotation;
      out.push_back(std::move(shape));
    }
    return out;
  }

  [[nodiscard]] bool may_touch(const LinkShape& a, const LinkShape& b) const override {
    return model_.may_collide(static_cast<std::size_t>(a.shape_id), static_cast<std::size_t>(b.shape_id));
  }
  [[nodiscard]] Expected<DrivenTree> driven_tree() const override {
    DrivenTree out;
    out.tree = model_.tree;
    for (std::size_t i = 0; i < out.tree.links.size(); ++i) out.link_of.push_back(static_cast<int>(i));
    out.damping = model_.damping;
    out.stiffness = out.rest = VecX::Zero(out.tree.speed_count());
    out.constraints = G_;
    out.dry_friction = model_.dry_friction;
    for (const RobotDescription::Joint& j : model_.description.joints) {
      if (!j.range || j.speeds != 1) continue;
      if (j.range->first < j.range->second)
        out.limits.push_back({j.position, j.speed, j.range->first, j.range->second});
      else
        out.ignored.push_back(fmt::format("the empty range of joint {}", j.name));
    }
    for (const std::string& ignored : model_.description.ignored)
      if (ignored != "damping of joints" && ignored != "joint limits" && ignored != "dry friction of joints")
        out.ignored.push_back(ignored);
    return out;
  }
  [[nodiscard]] MatX jacobian(int link, const Vec3& point) const override {
    return point_jacobian(model_.tree, posture_, link, point);
  }

 private:
  /// Whether something that moves carries the link.
  [[nodiscard]] bool carried(const Link& link) const {
    return link.parent >= 0 && model_.rigid[static_cast<std::size_t>(link.parent)] >= 0;
  }

  [[nodiscard]] std::string joint_at(int speed) const {
    for (const UrdfJoint& j : model_.joints)
      if (j.speed == speed) return j.name;
    return "";
  }

  [[nodiscard]] Expected<int> link_of(std::string_view field, const std::string& name) const {
    if (name == "world") return -1;
    std::vector<std::string_view> names{"world"};
    for (std::size_t i = 0; i < model_.tree.links.size(); ++i) {
      names.emplace_back(model_.tree.links[i].name);
      // The two slides of a planar joint carry the joint's name.
      if (model_.tree.links[i].name == name &&
          !(i + 1 < model_.rigid.size() && model_.tree.links[i].mass == 0 &&
            model_.tree.links[i].joint == JointType::prismatic && model_.tree.links[i + 1].name == name))
        return static_cast<int>(i);
    }
    const std::string_view near = closest(name, names);
    return fail(ErrorCode::unknown_name, std::string(field), name,
                near.empty() ? "is not a link of the model; see --describe"
                             : fmt::format("is not a link of the model; did you mean {}?", near));
  }

  /// Whether three points that are not in line have the same velocity on both.
  [[nodiscard]] bool as_one_piece(int a, int b) const {
    for (const Vec3& point : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}) {
      const Vec3 first = jacobian(a, point) * u_;
      const Vec3 second = jacobian(b, point) * u_;
      if ((first - second).norm() > 1e-12 * (first.norm() + second.norm())) return false;
    }
    return true;
  }

  UrdfModel model_;
  MatX G_;
  std::vector<Coordinate> coordinates_;
  Kinematics posture_;
  MassSolver solver_;
  VecX u_;
};

}  // namespace

std::unique_ptr<Machine> make_urdf_robot(UrdfModel model) { return std::make_unique<UrdfRobot>(std::move(model)); }

}  // namespace ricochet
#endif
