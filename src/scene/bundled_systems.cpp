#include "ricochet/scene/bundled_systems.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "bundled_trees.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet {
namespace {

using std::numbers::pi;

VecX list(std::initializer_list<double> values) {
  return Eigen::Map<const VecX>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

constexpr std::string_view floor_meaning = "height of the floor [m]; not given: right below the contact";

constexpr std::array pendulum_sizes{SizeInfo{"length", 1, "of the rod [m]"}, SizeInfo{"mass", 1, "of the rod [kg]"},
                                    SizeInfo{"floor", {}, floor_meaning}};
constexpr std::array double_sizes{SizeInfo{"length_1", 2, "of the upper rod [m]"},
                                  SizeInfo{"mass_1", 3, "of the upper rod [kg]"},
                                  SizeInfo{"length_2", 2, "of the lower rod [m]"},
                                  SizeInfo{"mass_2", 3, "of the lower rod [kg]"}, SizeInfo{"floor", {}, floor_meaning}};
constexpr std::array bar_sizes{SizeInfo{"length", 1, "of the bar [m]"}, SizeInfo{"mass", 1, "of the bar [kg]"},
                               SizeInfo{"floor", 0, "height of the floor [m]"}};
constexpr std::array plate_sizes{SizeInfo{"width", 0.4, "along x at angle 0 [m]"},
                                 SizeInfo{"height", 0.2, "along z at angle 0 [m]"}, SizeInfo{"mass", 1, "[kg]"},
                                 SizeInfo{"floor", 0, "height of the floor [m]"}};
constexpr std::array block_sizes{SizeInfo{"length", 0.4, "edge along its x [m]"},
                                 SizeInfo{"width", 0.3, "edge along its y [m]"},
                                 SizeInfo{"height", 0.2, "edge along its z [m]"}, SizeInfo{"mass", 2, "[kg]"},
                                 SizeInfo{"floor", 0, "height of the floor [m]"}};
constexpr std::array ball_sizes{SizeInfo{"radius_1", 4, "of the first [m]"}, SizeInfo{"mass_1", 1, "of the first [kg]"},
                                SizeInfo{"radius_2", 4, "of the second [m]"},
                                SizeInfo{"mass_2", 1, "of the second [kg]"}};

constexpr std::array pendulum_names{BundledCoordinate{"angle", 1, 1, "from hanging, towards +x [rad]"}};
constexpr std::array absolute_names{BundledCoordinate{"upper", 1, 1, "angle of the upper rod from hanging [rad]"},
                                    BundledCoordinate{"lower", 1, 1, "angle of the lower rod from hanging [rad]"}};
constexpr std::array relative_names{BundledCoordinate{"upper", 1, 1, "angle of the upper rod from x [rad]"},
                                    BundledCoordinate{"elbow", 1, 1, "angle of the lower rod from the upper [rad]"}};
constexpr std::array planar_names{BundledCoordinate{"x", 1, 1, "of the centre of mass [m]"},
                                  BundledCoordinate{"z", 1, 1, "of the centre of mass, up [m]"},
                                  BundledCoordinate{"angle", 1, 1, "from x towards z [rad]"}};
constexpr std::array spatial_names{
    BundledCoordinate{"body", 7, 6, "centre of mass, quaternion w x y z; u: velocity, angular velocity, world axes"}};
constexpr std::array pair_names{
    BundledCoordinate{"first", 7, 6, "centre, quaternion w x y z; u: velocity, angular velocity, world axes"},
    BundledCoordinate{"second", 7, 6, "likewise"}};

Surroundings around(const Sizes& s) {
  Surroundings out;
  out.floor = s.optional("floor");
  return out;
}

std::vector<BundledLink> two_rods(const Sizes&) {
  return {{.name = "upper rod", .points = {"", "elbow"}}, {.name = "lower rod", .points = {"elbow", "tip"}}};
}

VecX puzzle_angles(const Sizes&) { return list({pi / 9, pi / 6}); }
VecX puzzle_speeds() { return list({-0.1, -0.2}); }

std::vector<BodyMark> plate_corners(const Sizes& s) {
  const double x = s["width"] / 2;
  const double z = s["height"] / 2;
  return {
      {"lower_left", {-x, 0, -z}}, {"lower_right", {x, 0, -z}}, {"upper_right", {x, 0, z}}, {"upper_left", {-x, 0, z}}};
}

BundledLink body_link(std::string name, const std::vector<BodyMark>& marks) {
  BundledLink out{.name = std::move(name), .points = {}};
  for (const BodyMark& mark : marks) out.points.push_back(mark.name);
  return out;
}

Vec3 block_edges(const Sizes& s) { return {s["length"], s["width"], s["height"]}; }

/// "---" to "+++": the signs of its coordinates along the block's axes.
std::vector<BodyMark> block_corners(const Sizes& s) {
  std::vector<BodyMark> out;
  for (const int x : {-1, 1})
    for (const int y : {-1, 1})
      for (const int z : {-1, 1})
        out.push_back({fmt::format("{}{}{}", x < 0 ? '-' : '+', y < 0 ? '-' : '+', z < 0 ? '-' : '+'),
                       0.5 * block_edges(s).cwiseProduct(Vec3(x, y, z))});
  return out;
}

Lagrangian block(const Sizes& s) {
  const Vec3 squares = block_edges(s).array().square();
  const Vec3 moments = s["mass"] / 12 * (Vec3::Constant(squares.sum()) - squares);
  return free_spatial_body(s["mass"], moments.asDiagonal(), block_corners(s), around(s));
}

/// Tilted about all axes, its lowest corner on the floor.
VecX block_place(const Sizes& s) {
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.4, Vec3(1, 0.5, 0.2).normalized()));
  double lowest = 0;
  for (const BodyMark& corner : block_corners(s)) lowest = std::min(lowest, (turn * corner.arm).z());
  return list({0, 0, s["floor"] - lowest, turn.w(), turn.x(), turn.y(), turn.z()});
}

Lagrangian two_balls(const Sizes& s) {
  const auto ball = [&](std::string_view radius, std::string_view mass) {
    const double r = s[radius];
    return free_spatial_body(s[mass], 0.4 * s[mass] * r * r * Mat3::Identity(), {}, {.gravity = 0, .floor = {}});
  };
  Lagrangian both = join("first", ball("radius_1", "mass_1"), "second", ball("radius_2", "mass_2")).value();
  const auto line = [](const VecX& q) -> Vec3 { return (q.segment<3>(7) - q.head<3>()).normalized(); };
  // The point of each ball that lies on the line of centres; where it is depends on both.
  const auto point = [&](const char* name, int ball_number, double arm) {
    both.points.push_back({name, [=](const VecX& q) -> Vec3 { return q.segment<3>(7 * ball_number) + arm * line(q); },
                           [=](const VecX& q) {
                             MatX J = MatX::Zero(3, 12);
                             J.middleCols(6 * ball_number, 3) = Mat3::Identity();
                             J.middleCols(6 * ball_number + 3, 3) = -cross_matrix<double>(arm * line(q));
                             return J;
                           }});
  };
  point("first", 0, s["radius_1"]);
  point("second", 1, -s["radius_2"]);
  point("first centre", 0, 0);
  point("second centre", 1, 0);
  both.contacts.push_back({"balls", "first", "second", line, {}});
  return both;
}

constexpr std::array<Bundled, 7> table{{
    {"single-pendulum", "a rod from a hinge, its tip strikes the floor", pendulum_sizes, pendulum_names,
     [](const Sizes& s) {
       return single_pendulum({s["length"], s["mass"]}, around(s));
     },
     [](const Sizes&) { return list({0.5}); }, [] { return list({-1}); },
     [](const Sizes&) {
       return std::vector<BundledLink>{{.name = "rod", .points = {"", "tip"}}};
     },
     "--set e=0.5 --set mu=0.3"},
    {"double-pendulum", "two rods from a hinge, the tip strikes the floor: Kane's puzzle, ST98 example 1", double_sizes,
     absolute_names,
     [](const Sizes& s) {
       return double_pendulum_absolute({s["length_1"], s["mass_1"]}, {s["length_2"], s["mass_2"]}, around(s));
     },
     puzzle_angles, puzzle_speeds, two_rods, "--law shen-townsend --set e=0.5 --set mu=0.4 --set mu_s=0.5"},
    {"double-pendulum-relative", "the same in the angles of M11", double_sizes, relative_names,
     [](const Sizes& s) {
       return double_pendulum_relative({s["length_1"], s["mass_1"]}, {s["length_2"], s["mass_2"]}, around(s));
     },
     [](const Sizes& s) { return relative_angles(puzzle_angles(s)); }, [] { return relative_speeds(puzzle_speeds()); },
     two_rods, "--law morgan --set e=0.5 --set mu=0.4"},
    {"inclined-bar", "a free bar in the plane, either end may strike the floor", bar_sizes, planar_names,
     [](const Sizes& s) {
       return inclined_bar({s["length"], s["mass"]}, around(s));
     },
     [](const Sizes& s) {
       return list({0, s["floor"] + 0.5 * s["length"] * std::sin(0.7), 0.7});
     },
     [] {
       return list({0.5, -1, 0});
     },
     [](const Sizes&) {
       return std::vector<BundledLink>{{.name = "bar", .points = {"left", "right"}}};
     },
     "--u angle=2 --set e=0.5 --set mu=0.3"},
    {"planar-body", "a free rectangle in the plane, its corners may strike the floor", plate_sizes, planar_names,
     [](const Sizes& s) {
       const double w = s["width"];
       const double h = s["height"];
       return free_planar_body(s["mass"], s["mass"] * (w * w + h * h) / 12, plate_corners(s), around(s));
     },
     [](const Sizes& s) {
       return list({0, s["floor"] + 0.5 * (s["width"] * std::sin(0.3) + s["height"] * std::cos(0.3)), 0.3});
     },
     [] {
       return list({0.5, -1, 0.2});
     },
     [](const Sizes& s) { return std::vector<BundledLink>{body_link("plate", plate_corners(s))}; },
     "--size mass=2 --set e=0.5 --set mu=0.3"},
    {"spatial-body", "a free block, its corners may strike the floor", block_sizes, spatial_names, block, block_place,
     [] {
       return list({0.5, 0.2, -1, 1, 0, 0.5});
     },
     [](const Sizes& s) { return std::vector<BundledLink>{body_link("block", block_corners(s))}; },
     "--law routh --set e=0.5 --set mu=0.3 --set restitution=stronge"},
    {"two-spheres", "two free balls, ST98 example 2", ball_sizes, pair_names, two_balls,
     [](const Sizes& s) {
       return list({0, 0, 0, 1, 0, 0, 0, s["radius_1"] + s["radius_2"], 0, 0, 1, 0, 0, 0});
     },
     [] {
       return list({15, 30 * std::sin(pi / 3), 0, 0, 0, -11, 0, 0, 0, 0, 0, 0});
     },
     [](const Sizes& s) {
       return std::vector<BundledLink>{
           {.name = "first ball", .points = {"first centre"}, .radius = s["radius_1"], .touches = {"first"}},
           {.name = "second ball", .points = {"second centre"}, .radius = s["radius_2"], .touches = {"second"}}};
     },
     "--law shen-townsend --set e=0.8 --set mu=0.3"},
}};

class System : public Machine {
 public:
  System(const Bundled& bundled, const Sizes& sizes)
      : bundled_(&bundled),
        moving_(bundled_tree(bundled, sizes)),
        floor_(sizes.optional("floor")),
        system_(bundled.make(sizes)),
        links_(bundled.links(sizes)),
        default_q_(bundled.q(sizes)),
        default_u_(bundled.u()) {
    int position = 0;
    int speed = 0;
    for (const BundledCoordinate& c : bundled.coordinates) {
      coordinates_.push_back({std::string(c.name), position, c.positions, speed, c.speeds});
      position += c.positions;
      speed += c.speeds;
    }
  }

  [[nodiscard]] const std::vector<Coordinate>& coordinates() const override { return coordinates_; }
  [[nodiscard]] VecX default_q() const override { return default_q_; }
  [[nodiscard]] VecX default_u() const override { return default_u_; }
  // None of them has loops.
  [[nodiscard]] Expected<VecX> close_loops(const VecX& q, const std::vector<bool>&) const override { return q; }
  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX&, const VecX& u, const std::vector<bool>&) const override {
    return u;
  }

  [[nodiscard]] Expected<void> place(const VecX& q, const VecX& u) override {
    if (!u.allFinite()) return fail(ErrorCode::out_of_range, "u", "", "every entry must be finite");
    auto mass = ricochet::mass_matrix(system_, q);
    if (!mass) return tl::unexpected(mass.error());
    auto solver = dense_solver(*mass);
    if (!solver) return tl::unexpected(solver.error());
    q_ = q;
    mass_ = *std::move(mass);
    solver_ = *std::move(solver);
    return {};
  }

  [[nodiscard]] Expected<FoundContacts> contacts(double reach, bool /*moving_only*/) const override {
    if (!(reach >= 0) || !std::isfinite(reach))
      return fail(ErrorCode::out_of_range, "reach", fmt::format("{}", reach), "must be finite and not negative");
    FoundContacts out;
    for (const SystemContact& contact : system_.contacts) {
      auto at = contact_at(system_, contact.name, q_);
      if (!at) return tl::unexpected(at.error());
      if (at->gap <= reach) out.points.push_back(*std::move(at));
    }
    return out;
  }

  [[nodiscard]] Expected<ContactPoint> contact_point(const StatedContact&) const override {
    return fail(ErrorCode::conflict, "contact", "", "a bundled system has contacts of its own only; see --list");
  }
  [[nodiscard]] MassSolver solver() const override { return solver_; }
  [[nodiscard]] MatX mass_matrix() const override { return mass_; }

  [[nodiscard]] std::vector<MachinePart> parts() const override {
    std::vector<MachinePart> out;
    for (const BundledLink& link : links_) {
      MachinePart part{.name = link.name,
                       .contacts = link.points,
                       .corners = {},
                       .radius = link.radius,
                       .J = MatX::Zero(3, default_u_.size())};
      part.contacts.insert(part.contacts.end(), link.touches.begin(), link.touches.end());
      const double share = 1 / static_cast<double>(link.points.size());
      for (const std::string& name : link.points) {
        Vec3 at = Vec3::Zero();
        for (const SystemPoint& point : system_.points) {
          if (point.name != name) continue;
          at = point.position(q_);
          part.J += share * point.jacobian(q_);
        }
        part.corners.push_back(at);
        part.centre += share * at;
      }
      out.push_back(std::move(part));
    }
    return out;
  }

  [[nodiscard]] Vec3 gravity() const override { return moving_.gravity; }
  [[nodiscard]] Expected<DrivenTree> driven_tree() const override {
    DrivenTree out;
    out.tree = moving_.tree;
    const int links = static_cast<int>(out.tree.links.size());
    for (int k = 0; k < links; ++k) out.link_of.push_back(k);
    out.link_of.push_back(-1);
    out.damping = out.stiffness = out.rest = VecX::Zero(out.tree.speed_count());
    return out;
  }
  [[nodiscard]] VecX tree_position(const VecX& q) const override { return bundled_tree_position(*bundled_, q); }
  [[nodiscard]] VecX tree_speeds(const VecX& q, const VecX& u) const override {
    return bundled_tree_speeds(*bundled_, q, u);
  }
  [[nodiscard]] bool may_touch(const LinkShape& a, const LinkShape& b) const override {
    return moving_.floor ? a.fixed != b.fixed : a.link != b.link;
  }

  /// Those of its own contacts, and the floor: where the lowest of them is, if none was given.
  [[nodiscard]] std::vector<LinkShape> link_shapes() const override {
    std::vector<LinkShape> out;
    const auto posture = forward_kinematics(moving_.tree, tree_position(q_));
    if (!posture) return out;
    ConvexShape floor;
    floor.core = ConvexShape::Core::half_space;
    floor.position.z() = std::numeric_limits<double>::infinity();
    for (const BundledTree::Touching& touching : moving_.shapes) {
      const Kinematics::Place& at = posture->places[static_cast<std::size_t>(touching.link)];
      LinkShape shape;
      shape.name = shape.body = moving_.tree.links[static_cast<std::size_t>(touching.link)].name;
      shape.link = touching.link;
      shape.shape_id = static_cast<int>(out.size());
      shape.shape = touching.shape;
      shape.shape.position = at.origin + at.R * touching.shape.position;
      shape.shape.rotation = at.R * touching.shape.rotation;
      const double low = core_support(shape.shape, -Vec3::UnitZ()).z() - shape.shape.margin;
      floor.position.z() = std::min(floor.position.z(), low);
      out.push_back(std::move(shape));
    }
    if (!moving_.floor) return out;
    if (floor_) floor.position.z() = *floor_;
    LinkShape below;
    below.name = below.body = "floor";
    below.link = static_cast<int>(moving_.tree.links.size());
    below.shape_id = static_cast<int>(out.size());
    below.fixed = true;
    below.shape = floor;
    out.push_back(std::move(below));
    return out;
  }

 private:
  const Bundled* bundled_;
  BundledTree moving_;
  std::optional<double> floor_;
  Lagrangian system_;
  std::vector<BundledLink> links_;
  VecX default_q_, default_u_, q_;
  MatX mass_;
  MassSolver solver_;
  std::vector<Coordinate> coordinates_;
};

}  // namespace

std::optional<double> Sizes::optional(std::string_view name) const {
  for (const auto& [key, value] : values_)
    if (key == name) return value;
  return std::nullopt;
}

std::span<const Bundled> bundled_systems() { return table; }

const Bundled* find_bundled(std::string_view name) {
  const auto* at = std::find_if(table.begin(), table.end(), [&](const Bundled& b) { return b.name == name; });
  return at == table.end() ? nullptr : at;
}

Expected<std::unique_ptr<Machine>> make_bundled(const Bundled& system, const std::vector<NamedNumbers>& sizes) {
  std::vector<std::pair<std::string_view, std::optional<double>>> values;
  std::vector<std::string_view> names;
  for (const SizeInfo& size : system.sizes) {
    values.emplace_back(size.name, size.default_value);
    names.push_back(size.name);
  }
  for (const NamedNumbers& given : sizes) {
    const auto at = std::find(names.begin(), names.end(), given.name);
    if (at == names.end()) {
      const std::string_view near = closest(given.name, names);
      return fail(ErrorCode::unknown_name, join_path("size", given.name), "",
                  near.empty() ? fmt::format("{} has {}", system.name, fmt::join(names, ", "))
                               : fmt::format("is not a size of {}; did you mean {}?", system.name, near));
    }
    if (given.values.size() != 1)
      return fail(ErrorCode::wrong_type, join_path("size", given.name), fmt::format("{} numbers", given.values.size()),
                  "must be one number");
    const double x = given.values[0];
    const bool place = given.name == "floor";
    if (!std::isfinite(x) || (!place && !(x > 0)))
      return fail(ErrorCode::out_of_range, join_path("size", given.name), fmt::format("{}", x),
                  place ? "must be finite" : "must be positive and finite");
    values[static_cast<std::size_t>(at - names.begin())].second = x;
  }
  return std::make_unique<System>(system, Sizes(std::move(values)));
}

}  // namespace ricochet
