#include "moving_robots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "ricochet/base/counted.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/geometry/shape_contact.hpp"
#include "ricochet/mechanism/tree_dynamics.hpp"
#include "ricochet/scene/landing.hpp"
#include "several_machines.hpp"

namespace ricochet {
namespace {

using Index = std::uint32_t;

/// Where a shape of the robot is in the world.
struct PlacedShape {
  const LinkShape* shape = nullptr;
  Index body = 0, number = 0;
};

class MovingRobot {
 public:
  MovingRobot(PlacedMachine machine, double stop_e, motion::World& world, std::vector<std::string>* notes)
      : placed_(std::move(machine)), machine_(std::move(placed_.machine)), world_(world), notes_(notes) {
    mechanism_.stop_e = stop_e;
  }

  Expected<void> add(bool by_itself, const std::optional<double>& drop) {
    if (const auto fine = place(by_itself, drop); !fine) return fine;
    auto driven = machine_->driven_tree();
    if (!driven) return tl::unexpected(driven.error());
    driven_ = *std::move(driven);
    for (Link& link : driven_.tree.links) {
      if (link.parent >= 0) continue;
      link.position = placed_.position + placed_.rotation * link.position;
      link.rotation = placed_.rotation * link.rotation;
    }
    mechanism_.name = placed_.name;
    mechanism_.tree = driven_.tree;
    mechanism_.q = machine_->tree_position(placed_.q);
    mechanism_.u = machine_->tree_speeds(placed_.q, placed_.u);
    mechanism_.constraints = driven_.constraints;
    if (!driven_.damping.isZero(0)) mechanism_.damping = driven_.damping;
    if (!driven_.stiffness.isZero(0)) {
      mechanism_.stiffness = driven_.stiffness;
      mechanism_.rest = driven_.rest;
    }
    if (driven_.dry_friction.size() > 0 && !driven_.dry_friction.isZero(0))
      mechanism_.dry_friction = driven_.dry_friction;
    add_limits();
    auto posture = forward_kinematics(driven_.tree, mechanism_.q);
    if (!posture) return tl::unexpected(posture.error());
    posture_ = *std::move(posture);
    shapes_ = machine_->link_shapes();
    if (const auto fine = add_links(); !fine) return fine;
    if (const auto fine = tie(); !fine) return fine;
    if (const auto fine = keep_apart(); !fine) return fine;
    if (!driven_.ignored.empty()) {
      std::vector<std::string> said = driven_.ignored;
      std::sort(said.begin(), said.end());
      said.erase(std::unique(said.begin(), said.end()), said.end());
      note(fmt::format("not in the motion of {}: {}", name(), fmt::join(said, ", ")));
    }
    world_.mechanisms.push_back(mechanism_);
    return {};
  }

  [[nodiscard]] const std::vector<Coordinate>& coordinates() const { return machine_->coordinates(); }
  [[nodiscard]] const std::string& own_name() const { return placed_.name; }

 private:
  void note(std::string text) {
    if (notes_ != nullptr) notes_->push_back(std::move(text));
  }
  [[nodiscard]] std::string name() const { return placed_.name.empty() ? "the robot" : placed_.name; }
  [[nodiscard]] std::string of(const std::string& part) const {
    return placed_.name.empty() ? part : placed_.name + "/" + part;
  }

  /// The state of the scene or of the file, loops closed. With a drop, and where a file has nothing to fall on, or as
  /// it is drawn overlaps it, above the floor.
  Expected<void> place(bool by_itself, const std::optional<double>& drop) {
    constexpr double assumed_height = 0.1;
    MechanismImpact impact;
    impact.machine = machine_;
    const bool floats = !machine_->floating_roots().empty();
    if (drop && floats) return fall(impact, *drop);
    if (const auto fine = stand(impact); !fine) return fine;
    if (!by_itself || !floats) return {};
    const std::vector<LinkShape> shapes = machine_->link_shapes();
    const bool fixed =
        std::any_of(shapes.begin(), shapes.end(), [](const LinkShape& s) { return s.fixed && s.collides; });
    if (fixed && !overlaps_fixed(shapes)) return {};
    return fall(impact, assumed_height);
  }

  [[nodiscard]] bool overlaps_fixed(const std::vector<LinkShape>& shapes) const {
    for (const LinkShape& a : shapes)
      for (const LinkShape& b : shapes) {
        if (!a.fixed || b.fixed || !machine_->may_touch(a, b)) continue;
        const auto touch = solid_contacts(a.solid(), b.solid(), 0);
        if (touch && std::any_of(touch->begin(), touch->end(), [](const Touch& t) { return t.gap < -1e-9; }))
          return true;
      }
    return false;
  }

  Expected<void> stand(MechanismImpact& impact) {
    auto taken = ricochet::place(impact, placed_.q, placed_.u, false);
    if (!taken && taken.error().code == ErrorCode::open_loop) {
      note(fmt::format("the loops of {} were closed", name()));
      taken = ricochet::place(impact, placed_.q, placed_.u, true);
    }
    if (!taken) return taken;
    placed_.q = impact.q;
    placed_.u = impact.u;
    return {};
  }

  Expected<void> fall(MechanismImpact& impact, double height) {
    LandingOptions options;
    options.speed = 0;
    const auto landing = land(impact, placed_.q, placed_.u, options);
    if (!landing) return tl::unexpected(landing.error());
    placed_.q = impact.q;
    placed_.u = impact.u;
    const Vec3 gravity = impact.machine->gravity();
    const Vec3 up = gravity.norm() > 0 ? Vec3(-gravity.normalized()) : Vec3(Vec3::UnitZ());
    for (const FloatingRoot& root : impact.machine->floating_roots()) {
      if (root.free)
        placed_.q.segment<3>(root.position) += height * (root.axes.transpose() * up);
      else
        placed_.q(root.position) += height * root.axis.dot(up);
    }
    if (const auto raised = impact.machine->place(placed_.q, placed_.u); !raised) return raised;
    if (impact.floor) {
      motion::WorldBody floor;
      floor.name = "floor";
      floor.body.fixed = true;
      floor.shapes.push_back(*impact.floor);
      world_.bodies.push_back(std::move(floor));
      note(fmt::format("{} falls {} m onto a floor that was added", name(), to_text(height)));
    } else {
      note(fmt::format("{} falls {} m onto what is below it", name(), to_text(height)));
    }
    return {};
  }

  /// Stops that the start is beyond do not act.
  void add_limits() {
    std::vector<std::string> beyond;
    for (const DrivenTree::Limit& limit : driven_.limits) {
      motion::JointLimit own{limit.position, limit.speed, limit.lower, limit.upper};
      double& q = mechanism_.q(limit.position);
      const double slack = 1e-9 * (1 + limit.upper - limit.lower);
      // What rounding adds to a joint at its stop.
      if (q < own.lower && q >= own.lower - slack) q = own.lower;
      if (q > own.upper && q <= own.upper + slack) q = own.upper;
      if (q < own.lower || q > own.upper) {
        for (const Coordinate& c : machine_->coordinates())
          if (c.speed == limit.speed) beyond.push_back(c.name);
        if (q < limit.lower) own.lower = -std::numeric_limits<double>::infinity();
        if (q > limit.upper) own.upper = std::numeric_limits<double>::infinity();
      }
      mechanism_.limits.push_back(own);
    }
    if (beyond.empty()) return;
    const std::size_t few = std::min<std::size_t>(beyond.size(), 3);
    note(fmt::format("{} of {} {} beyond a limit at the start, which does not act: {}{}",
                     counted(beyond.size(), "joint"), name(), beyond.size() == 1 ? "is" : "are",
                     fmt::join(beyond.begin(), beyond.begin() + static_cast<std::ptrdiff_t>(few), ", "),
                     beyond.size() > few ? ", ..." : ""));
  }

  /// Whether a joint moves the link.
  [[nodiscard]] bool moves(int link) const {
    for (int i = link; i >= 0; i = driven_.tree.links[static_cast<std::size_t>(i)].parent)
      if (driven_.tree.links[static_cast<std::size_t>(i)].joint != JointType::fixed) return true;
    return false;
  }

  Expected<void> add_links() {
    std::vector<std::vector<const LinkShape*>> of_link(driven_.tree.links.size());
    std::vector<const LinkShape*> of_world;
    const bool none_collides =
        std::none_of(shapes_.begin(), shapes_.end(), [](const LinkShape& s) { return s.collides; });
    for (const LinkShape& shape : shapes_) {
      if (!shape.collides && !none_collides) continue;
      const int link = driven_.link_of[static_cast<std::size_t>(shape.link)];
      (link < 0 ? of_world : of_link[static_cast<std::size_t>(link)]).push_back(&shape);
    }
    body_of_.assign(driven_.tree.links.size(), -1);
    const auto motions = link_motions(driven_.tree, posture_, mechanism_.u);
    for (std::size_t i = 0; i < driven_.tree.links.size(); ++i) {
      const Link& link = driven_.tree.links[i];
      const bool moving = moves(static_cast<int>(i));
      if (of_link[i].empty() && !(moving && link.mass > 0)) continue;
      const Kinematics::Place& at = posture_.places[i];
      motion::WorldBody body;
      body.name = of(link.name);
      body.body.fixed = !moving;
      body.body.mass = link.mass;
      body.body.inertia = link.inertia;
      body.body.position = at.centre;
      body.body.orientation = Quaternion(at.R).normalized();
      if (moving) {
        body.body.velocity = motions[i].velocity;
        body.body.angular_velocity = motions[i].angular_velocity;
        mechanism_.bodies.push_back(static_cast<Index>(world_.bodies.size()));
        mechanism_.links.push_back(static_cast<int>(i));
      }
      add_shapes(of_link[i], at.centre, at.R, body);
      body_of_[i] = static_cast<int>(world_.bodies.size());
      world_.bodies.push_back(std::move(body));
    }
    if (!of_world.empty()) {
      motion::WorldBody body;
      body.name = of("world");
      body.body.fixed = true;
      add_shapes(of_world, Vec3::Zero(), Mat3::Identity(), body);
      world_body_ = static_cast<int>(world_.bodies.size());
      world_.bodies.push_back(std::move(body));
    }
    if (mechanism_.bodies.empty())
      return fail(ErrorCode::missing, "model", "", "has no link with mass that could move");
    return {};
  }

  /// In the axes of a body: shapes come in the world of the robot's file. Height fields are numbered after the others.
  void add_shapes(const std::vector<const LinkShape*>& shapes, const Vec3& centre, const Mat3& R,
                  motion::WorldBody& body) {
    for (const bool fields : {false, true})
      for (const LinkShape* shape : shapes) {
        if ((shape->field != nullptr) != fields) continue;
        ConvexShape own = shape->shape;
        own.position = R.transpose() * (placed_.position + placed_.rotation * own.position - centre);
        own.rotation = R.transpose() * placed_.rotation * own.rotation;
        places_.push_back({shape, static_cast<Index>(world_.bodies.size()),
                           static_cast<Index>(body.shapes.size() + body.fields.size())});
        if (fields)
          body.fields.push_back({shape->field, own.position, own.rotation});
        else
          body.shapes.push_back(std::move(own));
      }
  }

  Expected<void> tie() {
    for (const DrivenTree::Connection& c : driven_.connections) {
      const auto body = [&](int link) -> Expected<std::size_t> {
        if (link < 0 && world_body_ >= 0) return static_cast<std::size_t>(world_body_);
        if (link >= 0 && body_of_[static_cast<std::size_t>(link)] >= 0)
          return static_cast<std::size_t>(body_of_[static_cast<std::size_t>(link)]);
        return fail(ErrorCode::unavailable, "model", name(),
                    "connects a link without mass, which motion does not have");
      };
      const auto first = body(c.first);
      if (!first) return tl::unexpected(first.error());
      const auto second = body(c.second);
      if (!second) return tl::unexpected(second.error());
      const Vec3 point = c.first < 0 ? Vec3(placed_.position + placed_.rotation * c.point)
                                     : Vec3(posture_.places[static_cast<std::size_t>(c.first)].origin +
                                            posture_.places[static_cast<std::size_t>(c.first)].R * c.point);
      world_.joints.push_back({*first, *second, point});
    }
    return {};
  }

  /// Pairs that the file keeps from colliding, and pairs that overlap as they are.
  Expected<void> keep_apart() {
    std::vector<std::string> overlapping;
    std::map<std::pair<Index, Index>, std::vector<std::array<Index, 4>>> kept;
    std::map<std::pair<Index, Index>, std::size_t> pairs;
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (std::size_t j = i + 1; j < places_.size(); ++j) {
        const PlacedShape *a = &places_[i], *b = &places_[j];
        if (a->body == b->body) continue;
        if (a->body > b->body) std::swap(a, b);
        const std::pair<Index, Index> key{a->body, b->body};
        ++pairs[key];
        bool leave = !machine_->may_touch(*a->shape, *b->shape);
        if (!leave && !(world_.bodies[a->body].body.fixed || world_.bodies[b->body].body.fixed)) {
          const auto touch = shape_contacts(a->shape->shape, b->shape->shape, 0);
          const bool overlap =
              touch && std::any_of(touch->begin(), touch->end(), [](const Touch& t) { return t.gap < -1e-9; });
          if (overlap) overlapping.push_back(a->shape->name + " and " + b->shape->name);
          leave = overlap;
        }
        if (leave) kept[key].push_back({a->body, a->number, b->body, b->number});
      }
    for (const auto& [key, shapes] : kept) {
      if (shapes.size() == pairs[key])
        world_.apart.push_back(key);
      else
        world_.shapes_apart.insert(world_.shapes_apart.end(), shapes.begin(), shapes.end());
    }
    std::sort(world_.apart.begin(), world_.apart.end());
    std::sort(world_.shapes_apart.begin(), world_.shapes_apart.end());
    if (!overlapping.empty()) {
      const std::size_t few = std::min<std::size_t>(overlapping.size(), 3);
      note(fmt::format("{} of {} overlap at the start and do not collide: {}{}",
                       counted(overlapping.size(), "pair of shapes", "pairs of shapes"), name(),
                       fmt::join(overlapping.begin(), overlapping.begin() + static_cast<std::ptrdiff_t>(few), "; "),
                       overlapping.size() > few ? "; ..." : ""));
    }
    return {};
  }

  PlacedMachine placed_;
  std::shared_ptr<Machine> machine_;
  motion::World& world_;
  std::vector<std::string>* notes_;
  DrivenTree driven_;
  motion::Mechanism mechanism_;
  Kinematics posture_;
  std::vector<LinkShape> shapes_;
  std::vector<PlacedShape> places_;
  std::vector<int> body_of_;  ///< of each link; −1: none
  int world_body_ = -1;
};

Expected<void> add_joint_force(const SceneJointForce& force, const std::vector<MovingRobot>& robots,
                               motion::World& world) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < robots.size(); ++r)
    for (const Coordinate& c : robots[r].coordinates()) {
      const std::string& own = robots[r].own_name();
      names.push_back(own.empty() ? c.name : own + "/" + c.name);
      if (names.back() != force.joint) continue;
      if (c.speeds != 1)
        return fail(ErrorCode::conflict, join_path(entry_path("force", force.entry), "joint"),
                    fmt::format("\"{}\"", force.joint), "must be a joint with one speed");
      world.mechanisms[r].forces.push_back({c.speed, force.times, force.values});
      return {};
    }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fail(ErrorCode::unknown_name, join_path(entry_path("force", force.entry), "joint"),
              fmt::format("\"{}\"", force.joint), with_suggestion("no robot has this joint", force.joint, known));
}

}  // namespace

Expected<void> add_robots(const MotionScene& scene, motion::World& world, std::vector<std::string>& materials,
                          std::vector<std::string>* notes) {
  std::vector<MovingRobot> robots;
  for (std::size_t i = 0; i < scene.robots.size(); ++i) {
    auto machine = open_placed(scene.robots[i]);
    if (!machine) return tl::unexpected(under(entry_path("robot", i), machine.error()));
    robots.emplace_back(*std::move(machine), scene.robots[i].stop_e, world, notes);
    if (const auto fine = robots.back().add(scene.robot_file, scene.drop); !fine)
      return tl::unexpected(under(entry_path("robot", i), fine.error()));
  }
  for (const SceneJointForce& force : scene.joint_forces)
    if (const auto fine = add_joint_force(force, robots, world); !fine) return fine;
  materials.resize(world.bodies.size());
  return {};
}

}  // namespace ricochet
