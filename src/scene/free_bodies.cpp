#include "free_bodies.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/mechanism/touching.hpp"
#include "shape_pairs.hpp"

namespace ricochet {
namespace {

using Row = Eigen::Index;

Mat3 cross_matrix(const Vec3& r) {
  Mat3 S;
  S << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return S;
}

class FreeBodies : public Machine {
 public:
  explicit FreeBodies(std::vector<SceneBody> bodies) : bodies_(std::move(bodies)) {
    for (const SceneBody& b : bodies_) {
      const int k = static_cast<int>(coordinates_.size());
      place_.push_back(b.body.fixed ? -1 : k);
      if (!b.body.fixed) coordinates_.push_back({b.name, 7 * k, 7, 6 * k, 6});
      describe(b, k);
    }
    inverse_inertia_.resize(bodies_.size(), Mat3::Zero());
  }

  [[nodiscard]] const std::vector<Coordinate>& coordinates() const override { return coordinates_; }
  [[nodiscard]] VecX default_q() const override {
    VecX q(7 * count());
    each_free([&](Row k, const SceneBody& b) {
      const Quaternion& r = b.body.orientation;
      q.segment<7>(7 * k) << b.body.position, r.w(), r.x(), r.y(), r.z();
    });
    return q;
  }
  [[nodiscard]] VecX default_u() const override {
    VecX u(6 * count());
    each_free([&](Row k, const SceneBody& b) { u.segment<6>(6 * k) << b.body.velocity, b.body.angular_velocity; });
    return u;
  }
  [[nodiscard]] Expected<VecX> close_loops(const VecX& q, const std::vector<bool>&) const override { return q; }
  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX&, const VecX& u, const std::vector<bool>&) const override {
    return u;
  }

  [[nodiscard]] Expected<void> place(const VecX& q, const VecX& u) override {
    if (q.size() != 7 * count() || !q.allFinite())
      return fail(ErrorCode::out_of_range, "q", "", fmt::format("must be {} finite numbers", 7 * count()));
    if (u.size() != 6 * count() || !u.allFinite())
      return fail(ErrorCode::out_of_range, "u", "", fmt::format("must be {} finite numbers", 6 * count()));
    std::vector<SceneBody> moved = bodies_;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (place_[i] < 0) continue;
      RigidBody& body = moved[i].body;
      const auto at = q.segment<7>(7 * place_[i]);
      if (std::abs(at.tail<4>().norm() - 1) > 1e-9)
        return fail(ErrorCode::out_of_range, join_path("q", key_step(moved[i].name)), "",
                    "must have a quaternion of length 1");
      body.position = at.head<3>();
      body.orientation = Quaternion(at(3), at(4), at(5), at(6)).normalized();
      body.velocity = u.segment<3>(6 * place_[i]);
      body.angular_velocity = u.segment<3>(6 * place_[i] + 3);
      const auto inverse = inverse_inertia(body, entry_path("body", i));
      if (!inverse) return tl::unexpected(inverse.error());
      inverse_inertia_[i] = *inverse;
    }
    bodies_ = std::move(moved);
    return {};
  }

  [[nodiscard]] Expected<FoundContacts> contacts(double reach, bool) const override {
    const std::vector<LinkShape> shapes = link_shapes();
    FoundContacts out;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      for (std::size_t j = i + 1; j < shapes.size(); ++j) {
        if (shapes[i].fixed && shapes[j].fixed) continue;
        const auto fine = add_contacts({shapes[i], shapes[j]}, reach, out, [&](ContactPoint& at) {
          return put_jacobian(shapes[i].link, shapes[j].link, at);
        });
        if (!fine) return tl::unexpected(fine.error());
      }
    }
    return out;
  }

  [[nodiscard]] Expected<ContactPoint> contact_point(const StatedContact& stated) const override {
    const auto first = index_of("first", stated.first);
    if (!first) return tl::unexpected(first.error());
    const auto second = index_of("second", stated.second);
    if (!second) return tl::unexpected(second.error());
    ContactPoint at;
    at.first = at.first_body = stated.first;
    at.second = at.second_body = stated.second;
    at.point = at.on_first = at.on_second = stated.point;
    at.n = stated.n;
    if (const auto fine = put_jacobian(*first, *second, at); !fine) return tl::unexpected(fine.error());
    return at;
  }

  [[nodiscard]] MassSolver solver() const override { return block_solver(systems()); }

  [[nodiscard]] std::vector<IndependentSystem> systems() const override {
    std::vector<IndependentSystem> out;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (place_[i] < 0) continue;
      MassSolver solve = [mass = bodies_[i].body.mass, inverse = inverse_inertia_[i]](const MatX& X) {
        MatX Y(6, X.cols());
        Y.topRows<3>() = X.topRows<3>() / mass;
        Y.bottomRows<3>() = inverse * X.bottomRows<3>();
        return Y;
      };
      out.push_back({6 * place_[i], 6, std::move(solve)});
    }
    return out;
  }

  [[nodiscard]] MatX mass_matrix() const override {
    MatX M = MatX::Zero(6 * count(), 6 * count());
    each_free([&](Row k, const SceneBody& b) {
      const Mat3 R = b.body.orientation.toRotationMatrix();
      M.block<3, 3>(6 * k, 6 * k) = b.body.mass * Mat3::Identity();
      M.block<3, 3>(6 * k + 3, 6 * k + 3) = R * b.body.inertia * R.transpose();
    });
    return M;
  }

  [[nodiscard]] std::vector<MachinePart> parts() const override {
    std::vector<MachinePart> out;
    out.reserve(link_shapes().size());
    for (const LinkShape& s : link_shapes())
      out.push_back({s.name,
                     {s.name},
                     outline(s.shape),
                     s.shape.margin,
                     s.fixed,
                     false,
                     s.shape.position,
                     jacobian(s.link, s.shape.position)});
    return out;
  }

  [[nodiscard]] const RobotDescription* description() const override { return &description_; }
  [[nodiscard]] std::vector<FloatingRoot> floating_roots() const override {
    std::vector<FloatingRoot> out;
    out.reserve(coordinates_.size());
    for (const Coordinate& c : coordinates_) out.push_back({.name = c.name, .position = c.position, .speed = c.speed});
    return out;
  }

  [[nodiscard]] std::vector<LinkShape> link_shapes() const override {
    std::vector<LinkShape> out;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const SceneBody& b = bodies_[i];
      if (b.shape.kind == Shape::Kind::none) continue;
      const int k = static_cast<int>(i);
      out.push_back({.name = b.name,
                     .body = b.name,
                     .shape_id = k,
                     .link = k,
                     .fixed = b.body.fixed,
                     .shape = ricochet::place(b.shape, b.body.position, b.body.orientation.toRotationMatrix()),
                     .field = b.shape.field});
    }
    return out;
  }
  [[nodiscard]] bool may_touch(const LinkShape& a, const LinkShape& b) const override {
    return a.link != b.link && !(a.fixed && b.fixed);
  }
  [[nodiscard]] MatX jacobian(int link, const Vec3& point) const override {
    MatX J = MatX::Zero(3, 6 * count());
    if (link < 0) return J;
    const auto i = static_cast<std::size_t>(link);
    if (place_[i] < 0) return J;
    J.block<3, 3>(0, 6 * place_[i]) = Mat3::Identity();
    J.block<3, 3>(0, 6 * place_[i] + 3) = -cross_matrix(point - bodies_[i].body.position);
    return J;
  }

 private:
  void describe(const SceneBody& b, int k) {
    if (!b.body.fixed) {
      description_.bodies.push_back({b.name, "world", b.body.mass});
      description_.joints.push_back({.name = b.name,
                                     .type = "free",
                                     .body = b.name,
                                     .position = 7 * k,
                                     .positions = 7,
                                     .speed = 6 * k,
                                     .speeds = 6,
                                     .range = {}});
    }
    if (b.shape.kind != Shape::Kind::none)
      description_.shapes.push_back({b.name, b.body.fixed ? "world" : b.name, std::string(name(b.shape.kind)), true});
  }

  [[nodiscard]] Row count() const { return static_cast<Row>(coordinates_.size()); }

  template <class Use>
  void each_free(Use use) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (place_[i] >= 0) use(Row{place_[i]}, bodies_[i]);
  }

  /// Fails where a body has no moment of inertia that would resist an impulse there.
  [[nodiscard]] Expected<void> put_jacobian(int first, int second, ContactPoint& at) const {
    for (const int side : {first, second}) {
      if (side < 0) continue;
      const auto i = static_cast<std::size_t>(side);
      const auto W = mobility(bodies_[i].body, at.point, entry_path("body", i));
      if (!W) return tl::unexpected(W.error());
    }
    at.J = jacobian(second, at.point) - jacobian(first, at.point);
    return {};
  }

  [[nodiscard]] Expected<int> index_of(std::string_view field, const std::string& name) const {
    if (name == "world") return -1;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i].name == name) return static_cast<int>(i);
      names.emplace_back(bodies_[i].name);
    }
    const std::string_view near = closest(name, names);
    return fail(
        ErrorCode::unknown_name, std::string(field), name,
        near.empty() ? "is no body of the scene" : fmt::format("is no body of the scene; did you mean {}?", near));
  }

  std::vector<SceneBody> bodies_;
  std::vector<int> place_;  ///< of each body among those that are free; −1: fixed
  std::vector<Coordinate> coordinates_;
  std::vector<Mat3> inverse_inertia_;  ///< world axes
  RobotDescription description_;
};

}  // namespace

std::unique_ptr<Machine> make_free_bodies(std::vector<SceneBody> bodies) {
  return std::make_unique<FreeBodies>(std::move(bodies));
}

}  // namespace ricochet
