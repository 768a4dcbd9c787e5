#include "ricochet/motion/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "motion/archive.hpp"
#include "motion/body_shapes.hpp"
#include "motion/broad_phase.hpp"
#include "motion/contact_frame_kernel.hpp"
#include "motion/gap_search.hpp"
#include "motion/history.hpp"
#include "motion/island.hpp"
#include "motion/jointed_rods.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/motion/first_crossing.hpp"
#include "ricochet/simultaneous/assemble.hpp"
#include "ricochet/simultaneous/sequence.hpp"

namespace ricochet::motion {
namespace engine_detail {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Index = std::uint32_t;

struct Body {
  std::shared_ptr<const BodyShapes> shapes;
  double radius = 0;  ///< of a ball about the centre of mass; infinite with a half space or a height field
  Vec3 acceleration = Vec3::Zero();
  Vec3 force = Vec3::Zero();                    ///< constant applied force
  std::vector<const AppliedForce*> integrated;  ///< forces that flight has no closed form for
  Piece piece;
  int island = -1;
  int mechanism = -1;       ///< in the world, that it is a link of
  std::uint32_t stamp = 0;  ///< raised with every new piece
  double window = 0;        ///< contacts are searched up to here
};

enum class QueueKind : std::uint8_t { contact, mode_change, step_end, window_end, rest, stop, grazing };

struct Queued {
  double time = 0;
  QueueKind kind = QueueKind::contact;
  Index a = 0, b = 0;
  std::uint32_t stamp_a = 0, stamp_b = 0;

  /// Of a heap whose front is the earliest.
  friend bool operator<(const Queued& x, const Queued& y) {
    return std::tie(x.time, x.kind, x.a, x.b, x.stamp_a, x.stamp_b) >
           std::tie(y.time, y.kind, y.a, y.b, y.stamp_a, y.stamp_b);
  }
};

/// A contact that touches at the instant that is being resolved.
struct Touching {
  Feature feature;
  bool lasting_possible = true;
  Vec3 point = Vec3::Zero(), n = Vec3::UnitZ();  ///< n from feature.a to feature.b
  Vec3 V = Vec3::Zero();                         ///< now
  double approach = 0;                           ///< before an impact
  Vec3 P = Vec3::Zero();                         ///< on b
};

/// A joint that is at one of its stops at the instant that is being resolved.
struct TouchingStop {
  Index mechanism = 0, limit = 0;
  double sign = 1, bound = 0;  ///< sign (q − bound) ≥ 0
  double V = 0;                ///< rate of that, now
  double approach = 0;         ///< before an impact
  double P = 0;                ///< on the joint
  Index a = 0, b = 0;          ///< bodies on both sides of the joint
  bool may_last = true;        ///< it does not open

  [[nodiscard]] bool same(const TouchingStop& o) const {
    return mechanism == o.mechanism && limit == o.limit && sign == o.sign;
  }
};

/// A contact, or a joint by its mechanism and speed, whose friction is at its limit and yields, along s.
struct Yielding {
  bool joint = false;
  Feature feature;
  Index mechanism = 0;
  int speed = 0;
  Vec3 s = Vec3::Zero();

  [[nodiscard]] bool same(const Yielding& o) const {
    return joint == o.joint && (joint ? mechanism == o.mechanism && speed == o.speed : feature.same(o.feature));
  }
};

/// Contacts and stops that open as soon as they can, contacts whose slip ends, and what yields.
struct Endings {
  std::vector<Feature> released, stopped;
  std::vector<TouchingStop> released_stops;
  std::vector<Yielding> yields;
};

/// State of a pair of bodies in lasting contact.
struct PairState {
  bool slides = false, rolls = false;
};
using PairKey = std::pair<Index, Index>;
PairKey pair_key(Index a, Index b) { return a < b ? PairKey{a, b} : PairKey{b, a}; }

double kinetic_of(const RigidBody& body, const Pose& p) {
  const Vec3 w = p.orientation.conjugate() * p.angular_velocity;
  return 0.5 * body.mass * p.velocity.squaredNorm() + 0.5 * w.dot(body.inertia * w);
}

RigidBody at_pose(RigidBody body, const Pose& p) {
  body.position = p.position;
  body.orientation = p.orientation;
  body.velocity = p.velocity;
  body.angular_velocity = p.angular_velocity;
  return body;
}

}  // namespace engine_detail

using namespace engine_detail;

template <class Archive>
void keep(Archive& ar, Piece& p) {
  keep(ar, p.start);
  keep(ar, p.end);
  keep(ar, p.degree);
  for (Vec3& x : p.x) keep(ar, x);
  keep(ar, p.turning);
  keep(ar, p.orientation);
  keep(ar, p.angular_velocity);
  keep(ar, p.q);
  keep(ar, p.w);
  for (double* x : {&p.speed, &p.acceleration, &p.turning_speed, &p.turning_acceleration}) keep(ar, *x);
}
template <class Archive>
void keep(Archive& ar, Feature& f) {
  keep(ar, f.kind);
  for (std::uint32_t* x : {&f.a, &f.b, &f.shape_a, &f.shape_b}) keep(ar, *x);
  keep(ar, f.corner);
  keep(ar, f.part_a);
  keep(ar, f.part_b);
  for (Vec3* x : {&f.n, &f.p, &f.c, &f.axis, &f.lowest}) keep(ar, *x);
  keep(ar, f.rim);
  keep(ar, f.margin_a);
  keep(ar, f.margin_b);
}
template <class Archive>
void keep(Archive& ar, Yielding& y) {
  keep(ar, y.joint);
  keep(ar, y.feature);
  keep(ar, y.mechanism);
  keep(ar, y.speed);
  keep(ar, y.s);
}
template <class Archive>
void keep(Archive& ar, IslandBody& b) {
  keep(ar, b.body);
}
template <class Archive>
void keep(Archive& ar, IslandContact& c) {
  keep(ar, c.feature);
  keep(ar, c.mode);
  keep(ar, c.s);
  keep(ar, c.slip_speed);
  keep(ar, c.slip_limit);
  keep(ar, c.released);
  keep(ar, c.creeps);
  keep(ar, c.gap);
}
template <class Archive>
void keep(Archive& ar, IslandStop& s) {
  keep(ar, s.mechanism);
  keep(ar, s.limit);
  keep(ar, s.sign);
  keep(ar, s.bound);
  keep(ar, s.mode);
}
template <class Archive>
void keep(Archive& ar, IslandDry& d) {
  keep(ar, d.speed);
  keep(ar, d.limit);
  keep(ar, d.mode);
  keep(ar, d.s);
}
template <class Archive>
void keep(Archive& ar, Island& island) {
  keep(ar, island.bodies);
  keep(ar, island.contacts);
  keep(ar, island.stops);
  keep(ar, island.dry);
  for (double* x : {&island.start, &island.step, &island.next_step}) keep(ar, *x);
  keep(ar, island.y);
  keep(ar, island.y_end);
  keep(ar, island.uniform);
  keep(ar, island.collocated);
  keep(ar, island.redundancy);
  keep(ar, island.mode_forces);
  keep(ar, island.yields);
}
template <class Archive>
void keep(Archive& ar, Queued& q) {
  keep(ar, q.time);
  keep(ar, q.kind);
  for (std::uint32_t* x : {&q.a, &q.b, &q.stamp_a, &q.stamp_b}) keep(ar, *x);
}
template <class Archive>
void keep(Archive& ar, PairState& s) {
  keep(ar, s.slides);
  keep(ar, s.rolls);
}
template <class Archive>
void keep(Archive& ar, BroadPhase::Bounds& b) {
  keep(ar, b.low);
  keep(ar, b.high);
  keep(ar, b.bounded);
}

struct Simulation::Engine {
  World world;
  Options options;
  std::vector<Body> bodies;
  std::map<int, Island> islands;
  int next_island = 0;
  std::vector<Queued> queue;
  std::map<PairKey, PairState> pairs;  ///< in lasting contact
  BroadPhase broad;
  double now = 0;
  double size = 1;        ///< largest finite radius [m]
  double rest_speed = 0;  ///< what gravity gives in the time of a rounding: slower is at rest [m/s]
  std::uint64_t events = 0;
  std::uint64_t at_this_instant = 0;
  double last_instant = -1;
  std::vector<Yielding> yielding;    ///< at that instant
  std::vector<Feature> settled_now;  ///< whose slip began and ended at that instant
  std::uint64_t stall_events = 0;    ///< and the time at which there were so many
  double stall_time = 0;
  std::uint64_t quiet_events = 0, quiet_instants = 0;  ///< instants since the number of events changed
  double quiet_time = 0;                               ///< when they began
  double start_energy = 0, lost_to_impact = 0, lost_to_friction = 0, applied_work = 0;
  const Observer* observer = nullptr;
  bool sample_due = false;
  /// Contacts of pairs that were found at this instant and changed nothing, and how often.
  std::map<PairKey, std::uint32_t> fruitless;
  bool struck_now = false;    ///< the last instant had an impact
  bool holds_events = false;  ///< until the instant has been resolved
  std::vector<Event> held_events;
  int jams = 0;                              ///< impulses of contacts that no force holds, at this instant
  bool begun = false;                        ///< the first instant has been resolved
  History* history = nullptr;                ///< gets every instant, where it is wanted
  InstantCause cause = InstantCause::start;  ///< of the instant that is about to be resolved
  Feature cause_feature;

  // --- bodies
  // ---------------------------------------------------------------------------------------------------------

  [[nodiscard]] const RigidBody& inertia(Index i) const { return world.bodies[i].body; }
  [[nodiscard]] bool fixed(Index i) const { return inertia(i).fixed; }

  [[nodiscard]] Pose pose_at(Index i, double t) const {
    const Body& body = bodies[i];
    if (body.island < 0) return body.piece.pose(t);
    const Island& island = islands.at(body.island);
    return island.pose(island.state(t), place_in(island, i));
  }
  [[nodiscard]] static std::size_t place_in(const Island& island, Index i) {
    for (std::size_t k = 0; k < island.bodies.size(); ++k)
      if (island.bodies[k].body == i) return k;
    return 0;
  }

  /// Positions and speeds of a mechanism.
  struct MechanismState {
    VecX q, u;
  };
  [[nodiscard]] MechanismState mechanism_at(std::size_t m, double t) const {
    const Mechanism& mechanism = world.mechanisms[m];
    const int id = mechanism.bodies.empty() ? -1 : bodies[mechanism.bodies[0]].island;
    if (id < 0) return {mechanism.q, mechanism.u};
    return mechanism_in(islands.at(id), mechanism, islands.at(id).state(t));
  }
  [[nodiscard]] static MechanismState mechanism_in(const Island& island, const Mechanism& mechanism,
                                                   const VecX& state) {
    for (const IslandSystem& system : island.systems)
      if (system.mechanism == &mechanism) return {island.positions_of(state, system), island.speeds_of(state, system)};
    return {mechanism.q, mechanism.u};
  }

  [[nodiscard]] std::vector<Pose> all_poses(double t) const {
    std::vector<Pose> out(bodies.size());
    for (Index i = 0; i < bodies.size(); ++i)
      if (bodies[i].island < 0) out[i] = bodies[i].piece.pose(t);
    for (const auto& [id, island] : islands) {
      const std::vector<Pose> own = island.poses(island.state(t));
      for (std::size_t k = 0; k < own.size(); ++k) out[island.bodies[k].body] = own[k];
    }
    return out;
  }

  /// Of positions and times in the gap of two bodies [m].
  [[nodiscard]] double gap_rounding(Index a, Index b) const {
    double scale = 0;
    for (const Index i : {a, b}) {
      const Body& body = bodies[i];
      scale += body.piece.x[0].cwiseAbs().maxCoeff() + body.piece.position(now).cwiseAbs().maxCoeff() +
               body.piece.velocity(now).norm() * now + (std::isfinite(body.radius) ? body.radius : 0);
    }
    return 4 * std::numeric_limits<double>::epsilon() * scale;
  }
  /// A gap up to this is a touch.
  [[nodiscard]] double gap_tolerance(Index a, Index b) const {
    const double r = std::min(bodies[a].radius, bodies[b].radius);
    return std::max(1e-10 * (std::isfinite(r) && r > 0 ? r : size), 4 * gap_rounding(a, b));
  }

  void push(const Queued& entry) {
    if (!std::isfinite(entry.time)) return;
    queue.push_back(entry);
    std::push_heap(queue.begin(), queue.end());
  }

  [[nodiscard]] bool stale(const Queued& q) const {
    switch (q.kind) {
      case QueueKind::contact:
      case QueueKind::grazing: return bodies[q.a].stamp != q.stamp_a || bodies[q.b].stamp != q.stamp_b;
      case QueueKind::mode_change:
      case QueueKind::step_end:
      case QueueKind::stop:
      case QueueKind::window_end: return bodies[q.a].stamp != q.stamp_a;
      case QueueKind::rest: return pairs.find(pair_key(q.a, q.b)) == pairs.end();
    }
    return true;
  }

  // --- start
  // ----------------------------------------------------------------------------------------------------------

  [[nodiscard]] Expected<void> prepare() {
    if (const auto fine = check(world); !fine) return fine;
    auto jointed = JointedRods::as_links(std::move(world));
    if (!jointed) return tl::unexpected(jointed.error());
    world = *std::move(jointed);
    bodies.resize(world.bodies.size());
    size = 0;
    double largest_ball = 0;
    for (Index i = 0; i < bodies.size(); ++i) {
      Body& body = bodies[i];
      body.shapes = std::make_shared<const BodyShapes>(world.bodies[i]);
      body.radius = body.shapes->radius;
      if (std::isfinite(body.radius)) size = std::max(size, body.radius);
      if (!fixed(i) && std::isfinite(body.radius)) largest_ball = std::max(largest_ball, body.radius);
      if (!fixed(i)) body.acceleration = world.gravity;
    }
    if (!(size > 0)) size = 1;
    rest_speed = 1e-13 * std::sqrt(world.gravity.norm() * size);
    for (const AppliedForce& force : world.forces) {
      const auto i = static_cast<Index>(force.body);
      if (force.times.empty() && force.torques[0].isZero(0)) {
        bodies[i].acceleration += force.forces[0] / inertia(i).mass;
        bodies[i].force += force.forces[0];
      } else {
        bodies[i].integrated.push_back(&force);
      }
    }
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      for (const Index i : world.mechanisms[m].bodies) bodies[i].mechanism = static_cast<int>(m);
    broad.start(bodies.size(), largest_ball);
    return {};
  }

  [[nodiscard]] Expected<void> begin() {
    if (const auto fine = prepare(); !fine) return fine;
    for (Index i = 0; i < bodies.size(); ++i) {
      const RigidBody& b = inertia(i);
      start_body(i, Pose{b.position, b.orientation.normalized(), b.velocity, b.angular_velocity});
    }
    for (const Mechanism& mechanism : world.mechanisms) {
      const std::vector<Pose> poses = tree_poses(mechanism, mechanism.q, mechanism.u);
      for (std::size_t k = 0; k < poses.size(); ++k) start_body(mechanism.bodies[k], poses[k]);
    }
    start_energy = kinetic() + potential();
    for (Index i = 0; i < bodies.size(); ++i) set_window(i, 0);
    // Overlaps are refused; what touches takes part from the beginning.
    for (Index i = 0; i < bodies.size(); ++i)
      for (const Index j : neighbours(i)) {
        if (j < i) continue;
        const auto found = touching(i, j, pose_at(i, 0), pose_at(j, 0), infinity);
        if (!found) return tl::unexpected(found.error());
        auto deepest = field_overlap(i, j);
        if (!deepest) return tl::unexpected(deepest.error());
        for (const FoundFeature& f : *found) *deepest = std::max(*deepest, -f.touch.gap);
        if (*deepest > 1e4 * gap_tolerance(i, j))
          return fail(ErrorCode::invalid, entry_path("body", j), world.bodies[i].name + " and " + world.bodies[j].name,
                      "overlap by " + to_text(*deepest) + " m at the start");
      }
    return {};
  }

  /// What touches at the start.
  [[nodiscard]] Expected<void> first_instant() {
    begun = true;
    std::vector<Index> all(bodies.size());
    std::iota(all.begin(), all.end(), Index{0});
    return resolve_instant(all, 0);
  }

  void start_body(Index i, const Pose& at) {
    Body& body = bodies[i];
    body.island = -1;
    body.piece = fly(inertia(i), at, fixed(i) ? Vec3(Vec3::Zero()) : body.acceleration, now, infinity);
    ++body.stamp;
  }

  // --- windows and neighbours
  // -----------------------------------------------------------------------------------------

  /// Contacts of the body are searched up to the end of its window; with many bodies windows are short, so that few
  /// bodies can be met.
  void set_window(Index i, double t) {
    Body& body = bodies[i];
    double length = body.piece.end - t;
    const Vec3 v = body.piece.velocity(t);
    const double speed = body.piece.degree > 2 ? body.piece.speed : v.norm(), a = body.piece.acceleration;
    const double travel = broad.crowded() ? broad.travel() : 1e3 * size;
    const bool whole = body.island >= 0;  // bodies of an island have windows as long as their step
    if (!fixed(i) && !whole) {
      // |v| h + ½ |a| h² = travel.
      const double h = a > 0 ? 2 * travel / (speed + std::sqrt(speed * speed + 2 * a * travel))
                             : (speed > 0 ? travel / speed : infinity);
      length = std::min(length, h);
    }
    if (!whole && body.piece.turning_speed > 0) length = std::min(length, 1e3 / body.piece.turning_speed);
    if (!std::isfinite(length)) length = 1e6;
    body.window = t + length;
    const Vec3 x = body.piece.position(t);
    Vec3 low = x, high = x;
    if (std::isfinite(body.radius)) {
      const double reach = body.radius + speed * length + 0.5 * a * length * length;
      low = x.array() - reach;
      high = x.array() + reach;
      if (body.piece.degree <= 2) {
        // The parabola itself is narrower.
        const Vec3 end = body.piece.position(body.window);
        low = x.cwiseMin(end).array() - body.radius;
        high = x.cwiseMax(end).array() + body.radius;
        for (int k = 0; k < 3 && body.piece.degree == 2; ++k) {
          const double top = -v(k) / (2 * body.piece.x[2](k));
          if (!(top > 0 && top < length)) continue;
          const double extreme = x(k) + 0.5 * v(k) * top;
          low(k) = std::min(low(k), extreme - body.radius);
          high(k) = std::max(high(k), extreme + body.radius);
        }
      }
    }
    broad.put(i, low, high, std::isfinite(body.radius) && !(fixed(i) && !std::isfinite(length)));
    if (!fixed(i) || length < 1e6) push({body.window, QueueKind::window_end, i, i, body.stamp, body.stamp});
  }

  [[nodiscard]] std::vector<Index> neighbours(Index i) const {
    std::vector<Index> out;
    if (bodies[i].shapes->empty()) return out;
    broad.neighbours(i, out);
    std::erase_if(out, [&](Index j) { return bodies[j].shapes->empty() || (fixed(i) && fixed(j)) || jointed(i, j); });
    return out;
  }

  /// Bodies that a joint connects do not collide.
  [[nodiscard]] bool jointed(Index i, Index j) const {
    if (!world.apart.empty() && std::binary_search(world.apart.begin(), world.apart.end(), pair_key(i, j))) return true;
    for (const BallJoint& joint : world.joints)
      if ((joint.first == i && joint.second == j) || (joint.first == j && joint.second == i)) return true;
    return false;
  }

  [[nodiscard]] bool shapes_apart(Index i, Index k, Index j, Index l) const {
    if (world.shapes_apart.empty()) return false;
    const std::array<std::uint32_t, 4> key = i < j ? std::array{i, k, j, l} : std::array{j, l, i, k};
    return std::binary_search(world.shapes_apart.begin(), world.shapes_apart.end(), key);
  }

  // --- contacts
  // -------------------------------------------------------------------------------------------------------

  /// Features of two bodies within reach; an infinite reach stands for the tolerance, and overlaps.
  [[nodiscard]] Expected<std::vector<FoundFeature>> touching(Index i, Index j, const Pose& at_i, const Pose& at_j,
                                                             double reach) const {
    std::vector<FoundFeature> out;
    if (!std::isfinite(reach)) reach = gap_tolerance(i, j);
    const std::vector<ShapePart>&of_i = bodies[i].shapes->parts, &of_j = bodies[j].shapes->parts;
    for (Index k = 0; k < of_i.size(); ++k) {
      for (Index l = 0; l < of_j.size(); ++l) {
        if (shapes_apart(i, k, j, l)) continue;
        const ShapePart &p = of_i[k], &q = of_j[l];
        if (p.centred && q.centred && (at_i.position - at_j.position).norm() > p.radius + q.radius + reach) continue;
        auto found = features({i, k, &p, at_i}, {j, l, &q, at_j}, reach);
        if (!found) return tl::unexpected(in_pair(found.error(), i, j));
        out.insert(out.end(), found->begin(), found->end());
      }
    }
    std::optional<Error> failed;
    each_field_pair({i, bodies[i].shapes.get(), at_i}, {j, bodies[j].shapes.get(), at_j},
                    [&](const BodyField& field, Index number, const BodyShape& shape) {
                      if (failed || shapes_apart(field.body, number, shape.body, shape.index)) return;
                      const double depth = std::max(1e-6 * shape.part->radius, 10 * reach);
                      const auto found = field_features(field, shape, {reach, depth, 0});
                      if (found)
                        out.insert(out.end(), found->begin(), found->end());
                      else
                        failed = in_pair(found.error(), i, j);
                    });
    if (failed) return tl::unexpected(*failed);
    return out;
  }

  /// How deep two bodies overlap where one of them is a height field; features have no depth there [m].
  [[nodiscard]] Expected<double> field_overlap(Index i, Index j) const {
    double deepest = 0;
    std::optional<Error> failed;
    each_field_pair({i, bodies[i].shapes.get(), pose_at(i, 0)}, {j, bodies[j].shapes.get(), pose_at(j, 0)},
                    [&](const BodyField& field, Index number, const BodyShape& shape) {
                      if (failed || shapes_apart(field.body, number, shape.body, shape.index)) return;
                      const auto gap = field_gap(field, shape, 0);
                      if (gap)
                        deepest = std::max(deepest, -*gap);
                      else
                        failed = in_pair(gap.error(), i, j);
                    });
    if (failed) return tl::unexpected(*failed);
    return deepest;
  }

  [[nodiscard]] Error in_pair(Error error, Index i, Index j) const {
    if (error.path.empty()) error.path = "contact";
    error.value = world.bodies[i].name + " and " + world.bodies[j].name;
    return error;
  }

  /// Searches the first contact of two bodies from the time t on, and queues it.
  [[nodiscard]] Expected<void> predict(Index i, Index j, double t) {
    const double until = std::min(bodies[i].window, bodies[j].window);
    if (!(until > t)) return {};
    const Body &a = bodies[i], &b = bodies[j];
    const std::vector<ShapePart>&of_a = a.shapes->parts, &of_b = b.shapes->parts;
    double first = infinity, grazes = infinity;
    GapSearch common;
    common.from = t + passed_over(i, j, t, until);
    common.rounding = gap_rounding(i, j);
    common.touching = gap_tolerance(i, j);
    common.still = still_speed(i, j, t);
    common.notes_grazing = history != nullptr && a.island < 0 && b.island < 0;
    for (Index k = 0; k < of_a.size(); ++k) {
      for (Index l = 0; l < of_b.size(); ++l) {
        if (shapes_apart(i, k, j, l)) continue;
        const bool flip = of_b[l].half_space();
        const MovingShape A{flip ? &of_b[l] : &of_a[k], flip ? &b.piece : &a.piece};
        const MovingShape B{flip ? &of_a[k] : &of_b[l], flip ? &a.piece : &b.piece};
        GapSearch search = common;
        search.to = std::min(until, first);
        skip_lasting(i, j, k, l, search);
        const auto found = first_contact(A, B, search);
        if (!found) return tl::unexpected(in_pair(found.error(), i, j));
        if (found->closes) first = std::min(first, found->time);
        grazes = std::min(grazes, found->grazes);
      }
    }
    std::optional<Error> failed;
    each_field_pair({i, a.shapes.get(), a.piece.pose(t)}, {j, b.shapes.get(), b.piece.pose(t)},
                    [&](const BodyField& field, Index number, const BodyShape& shape) {
                      if (failed || shapes_apart(field.body, number, shape.body, shape.index)) return;
                      GapSearch search = common;
                      search.to = std::min(until, first);
                      const auto found = first_field_contact(field, {shape.part, &bodies[shape.body].piece}, search,
                                                             lasting_on(field, shape));
                      if (!found)
                        failed = in_pair(found.error(), i, j);
                      else if (found->closes)
                        first = std::min(first, found->time);
                    });
    if (failed) return tl::unexpected(*failed);
    if (grazes < first) push({grazes, QueueKind::grazing, i, j, a.stamp, b.stamp});
    if (!std::isfinite(first)) return {};
    if (a.island >= 0 || b.island >= 0) first = refined(i, j, first, t, until);
    push({first, QueueKind::contact, i, j, a.stamp, b.stamp});
    return {};
  }

  /// What closes without an approach that could be resolved is looked for later, in growing steps [s].
  [[nodiscard]] double passed_over(Index i, Index j, double t, double until) const {
    const auto found = fruitless.find(pair_key(i, j));
    if (t != last_instant || found == fruitless.end() || found->second < 3) return 0;
    return (until - t) * std::min(1e-3, 1e-12 * std::pow(4, found->second - 3));
  }

  /// A speed that is zero up to rounding.
  [[nodiscard]] double still_speed(Index i, Index j, double t) const {
    const auto speed = [&](Index k) {
      const Body& b = bodies[k];
      return b.piece.velocity(t).norm() + b.piece.turning_speed * (std::isfinite(b.radius) ? b.radius : 0);
    };
    return 1e-12 * (speed(i) + speed(j)) + rest_speed;
  }

  void skip_lasting(Index i, Index j, Index k, Index l, GapSearch& search) const {
    for (const Index body : {i, j}) {
      if (bodies[body].island < 0) continue;
      for (const IslandContact& c : islands.at(bodies[body].island).contacts) {
        if (c.mode == ContactMode::open) continue;
        const Feature& f = c.feature;
        const bool same = (f.a == i && f.b == j && f.shape_a == k && f.shape_b == l) ||
                          (f.a == j && f.b == i && f.shape_a == l && f.shape_b == k);
        if (!same) continue;
        search.skipped_corners.push_back(f.kind == Feature::Kind::plane_rim && f.part_a >= 0 ? rim_corner(f.part_b)
                                                                                             : f.corner);
        if (f.part_a >= 0) search.lasting.push_back({f, f.a == j});
      }
      if (bodies[i].island == bodies[j].island) break;
    }
  }

  /// Lasting contacts of a shape with a height field.
  [[nodiscard]] std::vector<Feature> lasting_on(const BodyField& field, const BodyShape& shape) const {
    std::vector<Feature> out;
    if (bodies[shape.body].island < 0) return out;
    const Index last = field.first + field.field->triangle_count();
    for (const IslandContact& c : islands.at(bodies[shape.body].island).contacts) {
      if (c.mode == ContactMode::open) continue;
      const Feature& f = c.feature;
      const bool first = f.a == field.body && f.b == shape.body && f.shape_b == shape.index;
      const bool second = f.b == field.body && f.a == shape.body && f.shape_a == shape.index;
      const Index number = first ? f.shape_a : f.shape_b;
      if ((first || second) && number >= field.first && number < last) out.push_back(f);
    }
    return out;
  }

  /// The time at which the gap of the integrated motion, of which the pieces are polynomials, is zero.
  [[nodiscard]] double refined(Index i, Index j, double guess, double from, double to) const {
    double t = guess;
    for (int k = 0; k < 8; ++k) {
      const Pose a = pose_at(i, t), b = pose_at(j, t);
      const auto found = touching(i, j, a, b, 1e-6 * size);
      if (!found || found->empty()) return guess;
      double change = 0, nearest_gap = infinity;
      for (const FoundFeature& f : *found) {
        if (is_lasting(f.feature)) continue;
        const bool order = f.feature.a == i;
        const Pose &first = order ? a : b, &second = order ? b : a;
        const Vec3 point = 0.5 * (f.touch.on_A + f.touch.on_B);
        const double rate = f.touch.n.dot(second.velocity + second.angular_velocity.cross(point - second.position) -
                                          first.velocity - first.angular_velocity.cross(point - first.position));
        if (f.touch.gap < nearest_gap && rate < 0) {
          nearest_gap = f.touch.gap;
          change = -f.touch.gap / rate;
        }
      }
      if (!std::isfinite(nearest_gap)) return guess;
      const double next = std::clamp(t + change, from, to);
      const bool done =
          std::abs(next - t) <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300) ||
          std::abs(nearest_gap) <= 4e-16 * size;
      t = next;
      if (done) break;
    }
    // The polynomials are too near to the motion for more.
    return std::abs(t - guess) <= 1e-3 * (guess - from) ? t : guess;
  }

  [[nodiscard]] bool is_lasting(const Feature& feature) const {
    for (const Index body : {feature.a, feature.b}) {
      if (bodies[body].island < 0) continue;
      for (const IslandContact& c : islands.at(bodies[body].island).contacts)
        if (c.mode != ContactMode::open && c.feature.same(feature)) return true;
    }
    return false;
  }

  // --- one instant
  // ----------------------------------------------------------------------------------------------------

  /// The bodies that touching contacts, islands and joints connect with these, their poses now, and these contacts.
  struct Cluster {
    std::vector<Index> members;  ///< not fixed
    std::map<Index, Pose> poses;
    std::vector<Touching> contacts;
    std::map<std::size_t, MechanismState> mechanisms;
    std::vector<TouchingStop> stops;
  };

  [[nodiscard]] Expected<Cluster> gather(const std::vector<Index>& first, double t) {
    Cluster out;
    std::vector<Index> waiting;
    const auto join = [&](Index i) {
      if (out.poses.count(i) != 0) return;
      if (fixed(i)) {
        out.poses[i] = bodies[i].piece.pose(t);
        return;
      }
      const auto take = [&](Index j, const Pose& pose) {
        out.poses[j] = pose;
        out.members.push_back(j);
        waiting.push_back(j);
      };
      if (bodies[i].island < 0 && bodies[i].mechanism < 0) return take(i, bodies[i].piece.pose(t));
      if (bodies[i].island < 0) {
        const auto m = static_cast<std::size_t>(bodies[i].mechanism);
        out.mechanisms[m] = mechanism_at(m, t);
        for (const Index j : world.mechanisms[m].bodies) take(j, bodies[j].piece.pose(t));
        return;
      }
      const Island& island = islands.at(bodies[i].island);
      const VecX state = island.state(t);
      const std::vector<Pose> poses = island.poses(state);
      for (std::size_t k = 0; k < island.bodies.size(); ++k) take(island.bodies[k].body, poses[k]);
      for (const IslandSystem& system : island.systems)
        if (system.mechanism != nullptr)
          out.mechanisms[static_cast<std::size_t>(system.mechanism - world.mechanisms.data())] = {
              island.positions_of(state, system), island.speeds_of(state, system)};
    };
    for (const Index i : first) join(i);
    std::map<PairKey, bool> seen;
    while (!waiting.empty()) {
      const Index i = waiting.back();
      waiting.pop_back();
      for (const BallJoint& joint : world.joints) {
        if (joint.first == i) join(static_cast<Index>(joint.second));
        if (joint.second == i) join(static_cast<Index>(joint.first));
      }
      for (const Index j : neighbours(i)) {
        if (!seen.emplace(pair_key(i, j), true).second) continue;
        const auto have = out.poses.find(j);
        const Pose other = have != out.poses.end() ? have->second : pose_at(j, t);
        const Pose mine = out.poses.at(i);
        const auto found = touching(i, j, mine, other, infinity);
        if (!found) return tl::unexpected(found.error());
        if (found->empty()) continue;
        join(j);
        for (const FoundFeature& f : *found) {
          Touching c;
          c.feature = f.feature;
          c.lasting_possible = f.lasting;
          c.n = f.touch.n;
          c.point = 0.5 * (f.touch.on_A + f.touch.on_B);
          out.contacts.push_back(c);
        }
      }
    }
    std::sort(out.members.begin(), out.members.end());
    std::sort(out.contacts.begin(), out.contacts.end(), [](const Touching& x, const Touching& y) {
      const auto key = [](const Feature& f) {
        return std::tie(f.a, f.b, f.shape_a, f.shape_b, f.corner, f.kind, f.part_a, f.part_b);
      };
      return key(x.feature) < key(y.feature);
    });
    for (const auto& [m, state] : out.mechanisms) add_stops(static_cast<Index>(m), state, out.stops);
    measure(out);
    return out;
  }

  // --- stops of joints
  // ------------------------------------------------------------------------------------------------

  /// Of a joint's position: what is nearer is at the stop.
  [[nodiscard]] double stop_tolerance() const { return 1e-10 * std::min(size, 1.0); }

  void add_stops(Index m, const MechanismState& state, std::vector<TouchingStop>& out) const {
    const std::vector<JointLimit>& limits = world.mechanisms[m].limits;
    for (Index k = 0; k < limits.size(); ++k)
      for (const double sign : {1.0, -1.0}) {
        const double bound = sign > 0 ? limits[k].lower : limits[k].upper;
        if (!(sign * (state.q(limits[k].position) - bound) <= stop_tolerance())) continue;
        TouchingStop stop{m, k, sign, bound};
        std::tie(stop.a, stop.b) = sides_of(m, limits[k].speed);
        out.push_back(stop);
      }
  }

  /// The link that a speed moves.
  [[nodiscard]] std::size_t link_of_speed(Index m, int speed) const {
    const std::vector<Link>& links = world.mechanisms[m].tree.links;
    std::size_t i = 0;
    for (int first = speed_count(links[0].joint); first <= speed; first += speed_count(links[i].joint)) ++i;
    return i;
  }

  /// Bodies before and after a joint; the one after it twice where nothing is before it.
  [[nodiscard]] std::pair<Index, Index> sides_of(Index m, int speed) const {
    const Mechanism& mechanism = world.mechanisms[m];
    const std::vector<Link>& links = mechanism.tree.links;
    const auto body_of = [&](int link) {
      const auto found = std::find(mechanism.links.begin(), mechanism.links.end(), link);
      return found == mechanism.links.end()
                 ? -1
                 : static_cast<int>(mechanism.bodies[static_cast<std::size_t>(found - mechanism.links.begin())]);
    };
    const auto own = static_cast<int>(link_of_speed(m, speed));
    // A link without mass and shape carries others.
    int after = -1;
    for (int i = own; i < static_cast<int>(links.size()) && after < 0; ++i) {
      int up = i;
      while (up > own) up = links[static_cast<std::size_t>(up)].parent;
      if (up == own) after = body_of(i);
    }
    int before = -1;
    for (int i = links[static_cast<std::size_t>(own)].parent; i >= 0 && before < 0;
         i = links[static_cast<std::size_t>(i)].parent)
      before = body_of(i);
    const auto b = static_cast<Index>(after);
    return {before < 0 ? b : static_cast<Index>(before), b};
  }

  /// Origin and axis of a joint.
  void place_joint(const TouchingStop& stop, const MechanismState& state, Event& e) const {
    const Mechanism& mechanism = world.mechanisms[stop.mechanism];
    const std::size_t link = link_of_speed(stop.mechanism, mechanism.limits[stop.limit].speed);
    VecX q = state.q;
    normalise(mechanism.tree, q);
    const auto posture = forward_kinematics(mechanism.tree, q);
    if (!posture) return;
    e.point = posture->places[link].origin;
    e.n = stop.sign * (posture->places[link].R * mechanism.tree.links[link].axis.normalized());
  }

  /// Rounding of the speed of a joint, of the speeds of its mechanism. What is searched and what is resolved go by the
  /// same: a joint that closes for the one and rests for the other would be found again at the same instant.
  [[nodiscard]] double joint_still(const VecX& u) const {
    return 1e-12 * u.cwiseAbs().maxCoeff() + rest_speed / std::min(size, 1.0);
  }
  [[nodiscard]] double still(const Cluster& cluster, const TouchingStop& stop) const {
    return joint_still(cluster.mechanisms.at(stop.mechanism).u);
  }
  /// As `lasting_speed` of a contact.
  [[nodiscard]] double lasting_speed(const Cluster& cluster, const TouchingStop& stop) const {
    const double turning = cluster.mechanisms.at(stop.mechanism).u.squaredNorm();
    return std::sqrt(2e-12 * (world.gravity.norm() / size + turning));
  }

  /// Searches the next joint that reaches a stop during the step of an island, and queues it. Positions along the step
  /// are polynomials as in (MO4); the time is corrected on the integrated motion.
  [[nodiscard]] Expected<void> search_stops(int id, double end) {
    const Island& island = islands.at(id);
    const bool any = std::any_of(island.systems.begin(), island.systems.end(), [](const IslandSystem& s) {
      return s.mechanism != nullptr && !s.mechanism->limits.empty();
    });
    if (!any || !(end > island.start)) return {};
    const Island::SpeedRates rates = island.speed_rates();
    double first = infinity;
    for (std::size_t i = 0; i < island.systems.size(); ++i) {
      const IslandSystem& system = island.systems[i];
      if (system.mechanism == nullptr) continue;
      const auto m = static_cast<Index>(system.mechanism - world.mechanisms.data());
      for (Index k = 0; k < system.mechanism->limits.size(); ++k)
        for (const double sign : {1.0, -1.0}) {
          const bool lasts = std::any_of(island.stops.begin(), island.stops.end(), [&](const IslandStop& s) {
            return s.mechanism == m && s.limit == k && s.sign == sign && s.mode != ContactMode::open;
          });
          if (lasts) continue;
          const auto found = stop_time(island, system, system.mechanism->limits[k], sign, rates, std::min(end, first));
          if (!found) return tl::unexpected(found.error());
          first = std::min(first, *found);
        }
    }
    const Index body = island.bodies[0].body;
    if (std::isfinite(first)) push({first, QueueKind::stop, body, body, bodies[body].stamp, 0});
    return {};
  }

  [[nodiscard]] Expected<double> stop_time(const Island& island, const IslandSystem& system, const JointLimit& limit,
                                           double sign, const Island::SpeedRates& rates, double end) const {
    const double bound = sign > 0 ? limit.lower : limit.upper, h = island.step;
    if (!std::isfinite(bound) || !(end > island.start)) return infinity;
    const Eigen::Index at = system.at + limit.position, u = system.at + system.positions + limit.speed,
                       rate = system.speed_at + limit.speed;
    const auto c =
        hermite_polynomial({sign * (island.y(at) - bound), sign * island.y(u), sign * rates.first(rate)},
                           {sign * (island.y_end(at) - bound), sign * island.y_end(u), sign * rates.last(rate)}, h);
    Coefficients<double, 5> gap;
    std::copy(c.begin(), c.end(), gap.begin());
    if (gap[0] <= stop_tolerance()) {
      if (std::abs(gap[1]) <= joint_still(island.speeds_of(island.y, system))) gap[1] = 0;
      // Over a short step rounding of the position may be more than the joint moves.
      if (gap[1] >= 0)
        gap[0] = std::max(gap[0], 0.0) +
                 4 * std::numeric_limits<double>::epsilon() * (std::abs(island.y(at)) + std::abs(bound));
    }
    const FirstCrossing found = first_crossing<5>(gap, end - island.start);
    if (found.kind == CrossingKind::none) return infinity;
    if (found.kind == CrossingKind::starts_negative) return island.start;
    if (found.kind != CrossingKind::crosses)
      return fail(ErrorCode::not_converged, "time", to_text(island.start),
                  "the time at which a joint reaches its stop is not found");
    double t = island.start + found.time;
    for (int i = 0; i < 6; ++i) {
      const VecX state = island.state(t);
      const double g = sign * (state(at) - bound), closing = -sign * state(u);
      if (!(closing > 0)) break;
      const double next = std::clamp(t + g / closing, island.start, end);
      if (std::abs(next - t) <= 4 * std::numeric_limits<double>::epsilon() * t) break;
      t = next;
    }
    return t;
  }

  static Vec3 relative_velocity(const Pose& a, const Pose& b, const Vec3& point) {
    return b.velocity + b.angular_velocity.cross(point - b.position) - a.velocity -
           a.angular_velocity.cross(point - a.position);
  }
  void measure(Cluster& cluster) const {
    for (Touching& c : cluster.contacts)
      c.V = relative_velocity(cluster.poses.at(c.feature.a), cluster.poses.at(c.feature.b), c.point);
    for (TouchingStop& s : cluster.stops)
      s.V = s.sign * cluster.mechanisms.at(s.mechanism).u(world.mechanisms[s.mechanism].limits[s.limit].speed);
  }
  /// Rounding of speeds in a contact.
  [[nodiscard]] double still(const Cluster& cluster, const Touching& c) const {
    const auto speed = [&](Index i) {
      const Pose& p = cluster.poses.at(i);
      return p.velocity.norm() + p.angular_velocity.norm() * (c.point - p.position).norm();
    };
    return 1e-12 * (speed(c.feature.a) + speed(c.feature.b)) + rest_speed;
  }

  [[nodiscard]] Expected<void> resolve_instant(const std::vector<Index>& involved, double t, Endings endings = {}) {
    if (t == last_instant) {
      if (++at_this_instant > 1000 + 100 * bodies.size())
        return fail(ErrorCode::not_converged, "time", to_text(t),
                    "events do not end at this instant; time stepping resolves all contacts of a step together");
    } else {
      last_instant = t;
      at_this_instant = 0;
      fruitless.clear();
      yielding.clear();
      settled_now.clear();
    }
    // What has begun to slip at this instant still does, unless that slip has ended.
    for (const Yielding& one : endings.yields)
      if (std::none_of(yielding.begin(), yielding.end(), [&](const Yielding& o) { return o.same(one); }))
        yielding.push_back(one);
    std::erase_if(yielding, [&](const Yielding& one) { return !one.joint && has_feature(settled_now, one.feature); });
    endings.yields = yielding;
    now = t;
    auto cluster = gather(involved, t);
    if (!cluster) return tl::unexpected(cluster.error());
    if (history != nullptr) record_instant(*cluster, t);
    // What an instant that fails has done is undone, so that the ledger is that of the motion up to it.
    const Snapshot kept = snapshot(*cluster);
    settle_ledger(*cluster, t);
    holds_events = true;
    jams = 0;
    const auto fine = resolve_cluster(*cluster, t, endings);
    holds_events = false;
    if (!fine) {
      restore(kept);
      held_events.clear();
      if (history != nullptr) history->instants.pop_back();
      return fine;
    }
    for (const Event& e : held_events) deliver(e);
    held_events.clear();
    if (history != nullptr) record_after(*cluster, t);
    return {};
  }

  void record_instant(const Cluster& cluster, double t) {
    RecordedInstant& instant = history->instants.emplace_back();
    instant.time = t;
    instant.cause = cause;
    instant.feature = cause_feature;
    instant.members = cluster.members;
    cause = InstantCause::gap;
  }
  void record_after(const Cluster& cluster, double t) {
    RecordedInstant& instant = history->instants.back();
    for (const Index i : cluster.members) instant.after.push_back(pose_at(i, t));
    for (const auto& [m, state] : cluster.mechanisms) {
      const MechanismState now_state = mechanism_at(m, t);
      instant.mechanisms.push_back({static_cast<Index>(m), now_state.q, now_state.u});
    }
  }
  void record_kink(const char* what) {
    if (history != nullptr && history->instants.back().kink.empty()) history->instants.back().kink = what;
  }

  [[nodiscard]] Expected<void> resolve_cluster(Cluster& cluster, double t, const Endings& endings) {
    struck_now = false;
    for (Touching& c : cluster.contacts) {
      c.approach = -c.n.dot(c.V);
      if (c.approach > still(cluster, c)) struck_now = true;
    }
    for (TouchingStop& s : cluster.stops) {
      s.approach = -s.V;
      if (s.approach > still(cluster, s)) struck_now = true;
    }
    if (struck_now)
      if (const auto fine = strike(cluster, t); !fine) return fine;
    return replan(cluster, t, endings);
  }

  /// Of the bodies of a cluster, before an instant.
  struct Snapshot {
    std::vector<std::tuple<Index, Piece, int>> members;
    std::map<int, Island> islands;
    std::map<PairKey, PairState> pairs;
    double lost_to_impact = 0, lost_to_friction = 0, applied_work = 0;
  };
  [[nodiscard]] Snapshot snapshot(const Cluster& cluster) const {
    Snapshot out{{}, {}, pairs, lost_to_impact, lost_to_friction, applied_work};
    out.members.reserve(cluster.members.size());
    for (const Index i : cluster.members) {
      out.members.emplace_back(i, bodies[i].piece, bodies[i].island);
      if (bodies[i].island >= 0) out.islands.emplace(bodies[i].island, islands.at(bodies[i].island));
    }
    return out;
  }
  void restore(const Snapshot& kept) {
    for (const auto& [i, piece, island] : kept.members) {
      bodies[i].piece = piece;
      bodies[i].island = island;
    }
    for (const auto& [id, island] : kept.islands) islands.insert_or_assign(id, island);
    pairs = kept.pairs;
    lost_to_impact = kept.lost_to_impact;
    lost_to_friction = kept.lost_to_friction;
    applied_work = kept.applied_work;
  }

  /// Books what islands have lost and gained so far, and takes the bodies out of them.
  void settle_ledger(const Cluster& cluster, double t) {
    for (const Index i : cluster.members) {
      Body& body = bodies[i];
      if (body.island < 0) {
        applied_work += body.force.dot(body.piece.position(t) - body.piece.x[0]);
        continue;
      }
      const auto found = islands.find(body.island);
      if (found == islands.end() || place_in(found->second, i) != 0) continue;
      const VecX state = found->second.state(t);
      lost_to_friction += found->second.friction_loss(state);
      applied_work += found->second.applied_work(state);
    }
  }

  /// Impulses of all contacts that touch, by the laws of their pairs.
  [[nodiscard]] Expected<void> strike(Cluster& cluster, double t) {
    bool joints = false;
    for (const BallJoint& joint : world.joints)
      if (cluster.poses.count(static_cast<Index>(joint.first)) != 0 ||
          cluster.poses.count(static_cast<Index>(joint.second)) != 0)
        joints = true;
    std::size_t struck = 0;
    double change = 0;
    if (!cluster.mechanisms.empty()) {
      const auto resolved = strike_mechanisms(cluster, t);
      if (!resolved) return tl::unexpected(resolved.error());
      if (!*resolved) return {};  // jointly, with everything done
      change = **resolved;
      for (const Touching& c : cluster.contacts)
        if (!c.P.isZero(0)) ++struck;
      for (const TouchingStop& s : cluster.stops)
        if (s.P != 0) ++struck;
    } else if (cluster.contacts.size() == 1 && !joints) {
      Touching& c = cluster.contacts[0];
      const RigidBody A = at_pose(inertia(c.feature.a), cluster.poses.at(c.feature.a));
      const RigidBody B = at_pose(inertia(c.feature.b), cluster.poses.at(c.feature.b));
      const auto contact = contact_between(A, B, c.point, c.n);
      if (!contact) return tl::unexpected(in_pair(contact.error(), c.feature.a, c.feature.b));
      const auto outcome = collide(world.law(c.feature.a, c.feature.b).law, *contact);
      if (!outcome) return tl::unexpected(in_pair(outcome.error(), c.feature.a, c.feature.b));
      c.P = outcome->P;
      change = outcome->energy_change;
      const auto after = apply_impulse(A, B, c.point, c.P);
      if (!after) return tl::unexpected(in_pair(after.error(), c.feature.a, c.feature.b));
      set_velocity(cluster, c.feature.a, after->A);
      set_velocity(cluster, c.feature.b, after->B);
      struck = 1;
    } else {
      BodyScene scene;
      std::map<Index, std::size_t> place;
      const auto add = [&](Index i) {
        if (place.emplace(i, scene.bodies.size()).second)
          scene.bodies.push_back(at_pose(inertia(i), cluster.poses.at(i)));
        return place.at(i);
      };
      for (const Index i : cluster.members) add(i);
      for (const Touching& c : cluster.contacts)
        scene.contacts.push_back(
            {add(c.feature.a), add(c.feature.b), c.point, c.n, world.law(c.feature.a, c.feature.b).law});
      for (const BallJoint& joint : world.joints) {
        const auto a = static_cast<Index>(joint.first), b = static_cast<Index>(joint.second);
        const Index member = fixed(a) ? b : a;
        if (cluster.poses.count(member) == 0) continue;
        for (const Index i : {a, b})
          if (cluster.poses.count(i) == 0) cluster.poses[i] = bodies[i].piece.pose(t);
        scene.hinges.push_back({add(a), add(b), joint_point(joint, cluster.poses)});
      }
      const auto assembled = assemble(scene, scene.hinges.empty() ? Hinges::in_sequence : Hinges::intact);
      if (!assembled) return tl::unexpected(assembled.error());
      const auto resolved = resolve(assembled->problem);
      if (!resolved) return tl::unexpected(resolved.error());
      // Contacts that strike first and equally fast have no order.
      const bool settled =
          resolved->status == SequenceStatus::settled || resolved->status == SequenceStatus::extrapolated;
      if ((!settled || (resolved->first_tie && resolved->first_tie->collision == 1)) && have_restitution(cluster)) {
        if (const auto jointly = strike_jointly(cluster, t); !jointly) return tl::unexpected(jointly.error());
        return {};
      }
      if (!settled)
        return fail(
            ErrorCode::not_converged, "time", to_text(t),
            "the collisions of " + std::to_string(cluster.contacts.size()) + " contacts at this instant do not settle");
      change = resolved->energy_change;
      const std::vector<RigidBody> after = moved(scene, *assembled, resolved->u);
      for (const auto& [i, k] : place) set_velocity(cluster, i, after[k]);
      for (std::size_t k = 0; k < cluster.contacts.size(); ++k) {
        cluster.contacts[k].P = resolved->G[k];
        if (!cluster.contacts[k].P.isZero(0)) ++struck;
      }
    }
    for (const Touching& c : cluster.contacts) applied_work += work_of_fixed(cluster, c);
    lost_to_impact -= change;
    report_impacts(cluster, t, change, struck);
    measure(cluster);
    return {};
  }

  /// All speeds of the island as one system, and the contacts of the cluster by these laws; stops after them, without
  /// those that are held.
  template <class LawOf>
  [[nodiscard]] Expected<Problem> problem_of(const Cluster& cluster, const Island& island,
                                             const Island::ContactMatrix& matrix, const VecX& u, LawOf law_of,
                                             bool stops_bounce, std::span<const IslandStop> held = {}) const {
    Problem problem;
    const auto system = problem.add(island.solver(held), u);
    if (!system) return tl::unexpected(system.error());
    for (std::size_t k = 0; k < cluster.contacts.size(); ++k) {
      const Touching& c = cluster.contacts[k];
      const MatX J = matrix.axes[k] * matrix.J.middleRows<3>(static_cast<Eigen::Index>(3 * k));
      // A fixed body may move.
      RigidBody base;
      base.fixed = true;
      for (const Index i : {c.feature.a, c.feature.b})
        if (fixed(i)) base = at_pose(inertia(i), cluster.poses.at(i));
      const auto ground = problem.add(base);
      if (!ground) return tl::unexpected(ground.error());
      const bool below = fixed(c.feature.a) || !fixed(c.feature.b);
      const auto added = below ? problem.touch(*ground, {}, *system, J, c.point, c.n, law_of(c))
                               : problem.touch(*system, -J, *ground, {}, c.point, c.n, law_of(c));
      if (!added) return tl::unexpected(in_pair(added.error(), c.feature.a, c.feature.b));
    }
    const Eigen::Index singles = matrix.J.rows() - static_cast<Eigen::Index>(cluster.stops.size());
    for (std::size_t k = 0; k < cluster.stops.size(); ++k) {
      // Along z, which stands for the speed of the joint; nothing moves across it.
      const TouchingStop& s = cluster.stops[k];
      MatX J = MatX::Zero(3, u.size());
      J.row(2) = matrix.J.row(singles + static_cast<Eigen::Index>(k));
      RigidBody base;
      base.fixed = true;
      const auto ground = problem.add(base);
      if (!ground) return tl::unexpected(ground.error());
      const double e = stops_bounce ? world.mechanisms[s.mechanism].stop_e : 0;
      const auto added = problem.touch(*ground, {}, *system, J, Vec3::Zero(), Vec3::UnitZ(), Law(Frictionless{e}));
      if (!added) return tl::unexpected(in_pair(added.error(), s.a, s.b));
    }
    return problem;
  }

  /// As above with mechanisms among the systems: the energy change; nothing where the contacts were resolved jointly.
  [[nodiscard]] Expected<std::optional<double>> strike_mechanisms(Cluster& cluster, double t) {
    Island island = island_of(cluster, t);
    const auto problem = problem_of(
        cluster, island, island.contact_matrix(), island.speeds(island.y),
        [&](const Touching& c) { return world.law(c.feature.a, c.feature.b).law; }, true);
    if (!problem) return tl::unexpected(problem.error());
    const auto resolved = resolve(*problem);
    if (!resolved) return tl::unexpected(resolved.error());
    const bool settled =
        resolved->status == SequenceStatus::settled || resolved->status == SequenceStatus::extrapolated;
    if ((!settled || (resolved->first_tie && resolved->first_tie->collision == 1)) && have_restitution(cluster)) {
      if (const auto jointly = strike_jointly(cluster, t); !jointly) return tl::unexpected(jointly.error());
      return std::optional<double>{};
    }
    if (!settled)
      return fail(
          ErrorCode::not_converged, "time", to_text(t),
          "the collisions of " + std::to_string(cluster.contacts.size()) + " contacts at this instant do not settle");
    island.add_speeds(resolved->u - island.speeds(island.y));
    take_over(cluster, island);
    for (std::size_t k = 0; k < cluster.contacts.size(); ++k) cluster.contacts[k].P = resolved->G[k];
    for (std::size_t k = 0; k < cluster.stops.size(); ++k)
      cluster.stops[k].P = resolved->G[cluster.contacts.size() + k].z();
    return std::optional<double>(resolved->energy_change);
  }

  /// With all contacts and joints of the cluster.
  [[nodiscard]] Island island_of(const Cluster& cluster, double t) const {
    Island island = bare_island(cluster.members, cluster, t);
    for (const Touching& c : cluster.contacts) add_contact(island, cluster, c);
    for (const TouchingStop& s : cluster.stops) add_stop(island, s);
    add_joints(island);
    return island;
  }

  /// The state of the island becomes that of the cluster.
  void take_over(Cluster& cluster, const Island& island) const {
    const std::vector<Pose> poses = island.poses(island.y);
    for (std::size_t k = 0; k < poses.size(); ++k) cluster.poses[island.bodies[k].body] = poses[k];
    for (const IslandSystem& system : island.systems)
      if (system.mechanism != nullptr)
        cluster.mechanisms[static_cast<std::size_t>(system.mechanism - world.mechanisms.data())] = {
            island.positions_of(island.y, system), island.speeds_of(island.y, system)};
  }

  [[nodiscard]] bool have_restitution(const Cluster& cluster) const {
    return std::all_of(cluster.contacts.begin(), cluster.contacts.end(),
                       [&](const Touching& c) { return std::isfinite(world.law(c.feature.a, c.feature.b).e); });
  }

  /// All contacts of the cluster at once: Newton's restitution and Coulomb's friction, (MO10).
  [[nodiscard]] Expected<void> strike_jointly(Cluster& cluster, double t) {
    Island island = island_of(cluster, t);
    const Island::ContactMatrix matrix = island.contact_matrix();
    ForceProblem problem;
    problem.W = matrix.W;
    problem.b = matrix.V;
    for (std::size_t k = 0; k < cluster.contacts.size(); ++k) {
      const PairLaw& law = world.law(cluster.contacts[k].feature.a, cluster.contacts[k].feature.b);
      ForceContact contact;
      contact.mu = contact.mu_s = law.mu;
      double& normal = problem.b(static_cast<Eigen::Index>(3 * k));
      if (normal < 0) normal *= 1 + law.e;
      problem.contacts.push_back(contact);
    }
    const Eigen::Index singles = problem.b.size() - static_cast<Eigen::Index>(cluster.stops.size());
    for (std::size_t k = 0; k < cluster.stops.size(); ++k) {
      double& normal = problem.b(singles + static_cast<Eigen::Index>(k));
      if (normal < 0) normal *= 1 + world.mechanisms[cluster.stops[k].mechanism].stop_e;
      problem.rows.push_back({true, 0, false});
    }
    const ForceAnswer answer = contact_forces(problem);
    if (answer.status != ForceAnswer::Status::solved)
      return fail(
          ErrorCode::not_converged, "time", to_text(t),
          "the impulses of " + std::to_string(cluster.contacts.size()) + " contacts at this instant were not found");
    double energy = -island.kinetic(island.y);
    std::size_t struck = 0;
    island.add_speeds(matrix.L * answer.F);
    energy += island.kinetic(island.y);
    take_over(cluster, island);
    for (std::size_t k = 0; k < cluster.contacts.size(); ++k) {
      cluster.contacts[k].P = matrix.axes[k] * answer.F.segment<3>(static_cast<Eigen::Index>(3 * k));
      if (!cluster.contacts[k].P.isZero(0)) ++struck;
      energy -= work_of_fixed(cluster, cluster.contacts[k]);
      applied_work += work_of_fixed(cluster, cluster.contacts[k]);
    }
    for (std::size_t k = 0; k < cluster.stops.size(); ++k) {
      cluster.stops[k].P = answer.F(singles + static_cast<Eigen::Index>(k));
      if (cluster.stops[k].P != 0) ++struck;
    }
    lost_to_impact -= energy;
    report_impacts(cluster, t, energy, struck);
    measure(cluster);
    return {};
  }

  /// ΔE in the frame of a fixed body that moves is not the change of kinetic energy: it does the rest.
  [[nodiscard]] double work_of_fixed(const Cluster& cluster, const Touching& c) const {
    const auto work = [&](Index i, double sign) {
      if (!fixed(i)) return 0.0;
      const Pose& p = cluster.poses.at(i);
      return sign * c.P.dot(p.velocity + p.angular_velocity.cross(c.point - p.position));
    };
    return work(c.feature.a, 1) - work(c.feature.b, 1);
  }

  void set_velocity(Cluster& cluster, Index i, const RigidBody& after) const {
    if (fixed(i)) return;
    cluster.poses[i].velocity = after.velocity;
    cluster.poses[i].angular_velocity = after.angular_velocity;
  }

  void report_impacts(const Cluster& cluster, double t, double change, std::size_t struck) {
    std::vector<double> shares;
    // ½ P·(V⁻ + V⁺) of each contact sums to the whole.
    for (const Touching& c : cluster.contacts) {
      if (c.P.isZero(0)) continue;
      if (history != nullptr)
        history->instants.back().struck.push_back({c.feature, c.lasting_possible && has_frame_kernel(c.feature.kind)});
      const Vec3 after = relative_velocity(cluster.poses.at(c.feature.a), cluster.poses.at(c.feature.b), c.point);
      const double share = struck == 1 ? change : 0.5 * c.P.dot(c.V + after);
      const Vec3 slip = c.V - c.n.dot(c.V) * c.n;
      Event e{t,
              EventKind::impact,
              c.feature.a,
              c.feature.b,
              c.point,
              c.n,
              c.P,
              share,
              c.approach,
              slip.norm(),
              static_cast<std::uint32_t>(struck),
              c.V};
      emit(e);
    }
    for (const TouchingStop& s : cluster.stops) {
      if (s.P == 0) continue;
      record_kink("a joint that strikes its stop");
      const MechanismState& state = cluster.mechanisms.at(s.mechanism);
      const double after = s.sign * state.u(world.mechanisms[s.mechanism].limits[s.limit].speed);
      Event e;
      e.time = t;
      e.body_a = s.a;
      e.body_b = s.b;
      place_joint(s, state, e);
      e.P = s.P * e.n;
      e.V = s.V * e.n;
      e.energy_change = struck == 1 ? change : 0.5 * s.P * (s.V + after);
      e.approach = s.approach;
      e.together = static_cast<std::uint32_t>(struck);
      emit(e);
    }
  }

  void emit(Event e) {
    if (e.body_a > e.body_b) {
      std::swap(e.body_a, e.body_b);
      e.n = -e.n;
      e.P = -e.P;
      e.V = -e.V;
    }
    if (holds_events)
      held_events.push_back(e);
    else
      deliver(e);
  }
  void deliver(const Event& e) {
    ++events;
    sample_due = true;
    if (history != nullptr) history->instants.back().events.push_back(e);
    if (observer != nullptr && observer->event) observer->event(e);
  }

  [[nodiscard]] Vec3 joint_point(const BallJoint& joint, const std::map<Index, Pose>& poses) const {
    const auto first = static_cast<Index>(joint.first);
    const Pose& p = poses.at(first);
    return p.position + p.orientation * joint_arm(joint, first);
  }
  /// The joint's point in the axes of one of its bodies.
  [[nodiscard]] Vec3 joint_arm(const BallJoint& joint, Index i) const {
    const RigidBody& b = inertia(i);
    return b.orientation.normalized().conjugate() * (joint.point - b.position);
  }

  // --- what follows
  // ---------------------------------------------------------------------------------------------------

  static bool has_feature(const std::vector<Feature>& list, const Feature& feature) {
    return std::any_of(list.begin(), list.end(), [&](const Feature& f) { return f.same(feature); });
  }

  [[nodiscard]] Expected<void> replan(Cluster& cluster, double t, const Endings& endings) {
    // Old islands end.
    std::vector<int> ended;
    for (const Index i : cluster.members)
      if (bodies[i].island >= 0) ended.push_back(bodies[i].island);
    for (const int id : ended) islands.erase(id);
    for (const Index i : cluster.members) bodies[i].island = -1;

    // Contacts that may last: those that neither open nor close.
    std::vector<Touching> candidates;
    for (const Touching& c : cluster.contacts) {
      const double opening = c.n.dot(c.V);
      if (opening > std::max(still(cluster, c), lasting_speed(cluster, c))) continue;
      candidates.push_back(c);
    }
    for (TouchingStop& s : cluster.stops) s.may_last = !(s.V > std::max(still(cluster, s), lasting_speed(cluster, s)));
    // Components of free bodies.
    std::map<Index, Index> parent;
    for (const Index i : cluster.members) parent[i] = i;
    const auto root = [&](Index i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    const auto unite = [&](Index a, Index b) {
      if (!fixed(a) && !fixed(b)) parent[std::max(root(a), root(b))] = std::min(root(a), root(b));
    };
    for (const Touching& c : candidates) unite(c.feature.a, c.feature.b);
    for (const BallJoint& joint : world.joints) {
      const auto a = static_cast<Index>(joint.first), b = static_cast<Index>(joint.second);
      if (parent.count(a) != 0 && parent.count(b) != 0) unite(a, b);
    }
    for (const auto& [m, state] : cluster.mechanisms)
      for (const Index i : world.mechanisms[m].bodies) unite(world.mechanisms[m].bodies[0], i);
    std::map<Index, std::vector<Index>> components;
    for (const Index i : cluster.members) components[root(i)].push_back(i);
    std::map<PairKey, PairState> before;
    for (const Index i : cluster.members)
      for (auto it = pairs.begin(); it != pairs.end();) {
        if (it->first.first == i || it->first.second == i) {
          before.insert(*it);
          it = pairs.erase(it);
        } else {
          ++it;
        }
      }
    for (const auto& [r, members] : components)
      if (const auto fine = plan_component(cluster, members, candidates, root, r, t, endings); !fine) return fine;
    report_pairs(cluster, before, t);
    return search_contacts(cluster.members, t);
  }

  /// Bounces that are lower than 1e-12 of the size are summed at once: docs/simulation.md (MO22).
  [[nodiscard]] double lasting_speed(const Cluster& cluster, const Touching& c) const {
    const auto pull = [&](Index i) {
      return bodies[i].acceleration.norm() + cluster.poses.at(i).angular_velocity.squaredNorm() * size;
    };
    return std::sqrt(2e-12 * size * (pull(c.feature.a) + pull(c.feature.b)));
  }

  /// Without contacts and joints.
  [[nodiscard]] Island bare_island(const std::vector<Index>& members, const Cluster& cluster, double t) const {
    Island island;
    island.size = size;
    island.tolerance = 0.1 * options.tolerance;
    island.start = t;
    island.gravity = world.gravity;
    for (const Index i : members) {
      if (bodies[i].mechanism < 0) {
        island.add(island_body(i), cluster.poses.at(i));
        continue;
      }
      const auto m = static_cast<std::size_t>(bodies[i].mechanism);
      const Mechanism& mechanism = world.mechanisms[m];
      if (mechanism.bodies[0] != i) continue;
      std::vector<IslandBody> own;
      own.reserve(mechanism.bodies.size());
      for (const Index j : mechanism.bodies) own.push_back(island_body(j));
      island.add(mechanism, own, cluster.mechanisms.at(m).q, cluster.mechanisms.at(m).u);
    }
    return island;
  }

  [[nodiscard]] IslandBody island_body(Index i) const {
    IslandBody out;
    out.body = i;
    out.inertia = &inertia(i);
    out.force = bodies[i].force;
    out.weight = inertia(i).mass * world.gravity;
    out.tabulated = bodies[i].integrated;
    return out;
  }

  [[nodiscard]] IslandSide side_of(const Island& island, Index i) const {
    if (fixed(i)) return {-1, &bodies[i].piece};
    return {static_cast<int>(place_in(island, i)), nullptr};
  }

  void add_contact(Island& island, const Cluster& cluster, const Touching& c) const {
    const Feature& f = c.feature;
    IslandContact contact;
    contact.feature = f;
    contact.part_a = &bodies[f.a].shapes->part(f.shape_a);
    contact.part_b = &bodies[f.b].shapes->part(f.shape_b);
    contact.a = side_of(island, f.a);
    contact.b = side_of(island, f.b);
    contact.mu = world.law(f.a, f.b).mu;
    contact.mu_s = world.law(f.a, f.b).mu_s;
    contact.point = c.point;
    contact.n = c.n;
    if (c.lasting_possible)
      contact.gap = frame(f, *contact.part_a, *contact.part_b, cluster.poses.at(f.a), cluster.poses.at(f.b)).gap;
    island.contacts.push_back(contact);
  }

  [[nodiscard]] IslandStop island_stop(const Island& island, const TouchingStop& s) const {
    const Mechanism& mechanism = world.mechanisms[s.mechanism];
    const JointLimit& limit = mechanism.limits[s.limit];
    IslandStop stop;
    stop.mechanism = s.mechanism;
    stop.limit = s.limit;
    for (std::size_t i = 0; i < island.systems.size(); ++i)
      if (island.systems[i].mechanism == &mechanism) stop.system = i;
    stop.position = island.systems[stop.system].at + limit.position;
    stop.speed = island.systems[stop.system].speed_at + limit.speed;
    stop.sign = s.sign;
    // It is kept where it began to last, up to the tolerance of touching, as the gap of a contact is.
    const double at = island.y(stop.position), bound = s.sign > 0 ? limit.lower : limit.upper;
    stop.bound = std::abs(at - bound) <= stop_tolerance() ? at : bound;
    return stop;
  }
  void add_stop(Island& island, const TouchingStop& s) const { island.stops.push_back(island_stop(island, s)); }

  void add_joints(Island& island) const {
    const auto has = [&](Index i) {
      return std::any_of(island.bodies.begin(), island.bodies.end(), [&](const IslandBody& b) { return b.body == i; });
    };
    for (const BallJoint& joint : world.joints) {
      const auto a = static_cast<Index>(joint.first), b = static_cast<Index>(joint.second);
      if (!has(fixed(a) ? b : a)) continue;
      island.joints.push_back({side_of(island, a), side_of(island, b), joint_arm(joint, a), joint_arm(joint, b)});
    }
  }

  template <class Root>
  [[nodiscard]] Expected<void> plan_component(Cluster& cluster, const std::vector<Index>& members,
                                              const std::vector<Touching>& candidates, Root& root, Index r, double t,
                                              const Endings& endings, int turns = 0) {
    constexpr int most_turns = 8;
    Island island = bare_island(members, cluster, t);
    const bool integrated = std::any_of(members.begin(), members.end(), [&](Index i) {
      return !bodies[i].integrated.empty() || bodies[i].mechanism >= 0;
    });
    std::vector<const Touching*> used;
    std::vector<const TouchingStop*> used_stops;
    for (const Touching& c : candidates) {
      const Index member = fixed(c.feature.a) ? c.feature.b : c.feature.a;
      if (root(member) != r) continue;
      // A contact that opens again and again at one instant has no force, whatever the others have.
      if (at_this_instant > 5 && has_feature(endings.released, c.feature)) continue;
      if (!c.lasting_possible)
        return fail(ErrorCode::no_solution, "time", to_text(t),
                    world.bodies[c.feature.a].name + " and " + world.bodies[c.feature.b].name +
                        " stay in contact where they have no common normal: a corner on an edge, a corner or an edge "
                        "on a rim, edges in line, or a mesh whose faces do not close");
      add_contact(island, cluster, c);
      IslandContact& contact = island.contacts.back();
      contact.released = has_feature(endings.released, c.feature);
      contact.stopped = has_feature(endings.stopped, c.feature);
      contact.settled = has_feature(settled_now, c.feature);
      for (const Yielding& one : endings.yields) {
        if (one.joint || !one.feature.same(c.feature)) continue;
        contact.yields = true;
        contact.s = one.s;
      }
      used.push_back(&c);
    }
    add_joints(island);
    for (const TouchingStop& s : cluster.stops) {
      if (!s.may_last || root(world.mechanisms[s.mechanism].bodies[0]) != r) continue;
      const bool released = std::any_of(endings.released_stops.begin(), endings.released_stops.end(),
                                        [&](const TouchingStop& o) { return o.same(s); });
      if (at_this_instant > 5 && released) continue;
      add_stop(island, s);
      island.stops.back().released = released;
      used_stops.push_back(&s);
    }
    for (const Yielding& one : endings.yields)
      for (IslandDry& d : island.dry)
        for (const IslandSystem& system : island.systems)
          if (one.joint && system.mechanism == &world.mechanisms[one.mechanism] &&
              d.speed == system.speed_at + one.speed) {
            d.yields = true;
            d.s = one.s.x();
          }
    if (!island.contacts.empty() || !island.stops.empty() || !island.dry.empty()) {
      const double slip = slip_tolerance(island);
      static_cast<void>(island.align_flat_ends(slip));
      ForceAnswer answer = island.solve_modes(slip);
      // Where the load has turned out to be elsewhere, since other contacts open.
      for (int turn = 0; turn < 8 && answer.status == ForceAnswer::Status::solved; ++turn) {
        if (!island.align_flat_ends(slip, answer.F)) break;
        answer = island.solve_modes(slip);
      }
      if (answer.status == ForceAnswer::Status::not_converged) {
        // More contacts of a face than hold it, whose last bounces differ, contradict each other.
        lost_to_impact += island.stop_bounces();
        record_kink("bounces that come to their end");
        answer = island.solve_modes(slip);
      }
      const auto bounces = [&](const Touching* c) { return c->n.dot(c->V) > still(cluster, *c); };
      if (answer.status == ForceAnswer::Status::jammed && std::any_of(used.begin(), used.end(), bounces)) {
        // The slip that jams is that of contacts which still bounce: it is another one once they last.
        lost_to_impact += island.stop_bounces();
        record_kink("bounces that come to their end");
        take_over(cluster, island);
        measure(cluster);
        answer = island.solve_modes(slip);
      }
      if (answer.status == ForceAnswer::Status::jammed) {
        return strike_jammed(cluster, *used[answer.jammed_contact], copies_of(used_stops), t, endings);
      }
      // A contact that opens at N = 0 has what rounding left of its force.
      for (std::size_t k = 0; k < used.size() && answer.status == ForceAnswer::Status::solved; ++k)
        if (island.contacts[k].released && answer.F(static_cast<Eigen::Index>(3 * k)) <= 1e-12 * island.load_scale())
          answer.modes[k] = ContactMode::open;
      for (std::size_t k = 0; k < used_stops.size() && answer.status == ForceAnswer::Status::solved; ++k)
        if (island.stops[k].released &&
            answer.F(answer.F.size() - static_cast<Eigen::Index>(answer.row_modes.size() - k)) <=
                1e-12 * island.load_scale() * size)
          answer.row_modes[k] = ContactMode::open;
      for (std::size_t k = 0; k < used.size(); ++k)
        if (answer.modes[k] == ContactMode::open && answer.ambiguous[k]) report_ambiguous(*used[k], t);
      if (answer.status == ForceAnswer::Status::not_converged)
        return fail(ErrorCode::not_converged, "time", to_text(t),
                    "no contact forces were found for the contacts at this instant");
      for (std::size_t k = 0; k < used.size(); ++k) {
        // Only where something presses the bodies together, once for each pair.
        if (all_last(cluster, used, answer, *used[k]) && reports_rest(used, answer, k))
          note_rest(used, k, island, cluster, t);
      }
      for (std::size_t k = 0; k < used.size(); ++k)
        if (answer.modes[k] != ContactMode::open && used[k]->n.dot(used[k]->V) > still(cluster, *used[k]))
          record_kink("bounces that come to their end");
      for (std::size_t k = 0; k < used_stops.size(); ++k) {
        if (answer.row_modes[k] == ContactMode::open) continue;
        note_rest(*used_stops[k], answer.F(answer.F.size() - static_cast<Eigen::Index>(answer.row_modes.size() - k)),
                  island, cluster, t);
        if (used_stops[k]->V > still(cluster, *used_stops[k])) record_kink("bounces that come to their end");
      }
      island.adopt(answer, slip);
      if (pushes_open_contacts(island, cluster)) {
        // What two contacts bounce would go back and forth between them: both stop.
        lost_to_impact += island.stop_bounces();
        record_kink("bounces that come to their end");
        answer = island.solve_modes(slip);
        if (answer.status != ForceAnswer::Status::solved)
          return fail(ErrorCode::not_converged, "time", to_text(t),
                      "no contact forces were found for the contacts at this instant");
        island.adopt(answer, slip);
      }
      const bool all_last = std::none_of(island.contacts.begin(), island.contacts.end(),
                                         [](const IslandContact& c) { return c.mode == ContactMode::open; });
      const bool stops_last = std::none_of(island.stops.begin(), island.stops.end(),
                                           [](const IslandStop& s) { return s.mode == ContactMode::open; });
      if (!all_last || !stops_last) island.mode_forces.resize(0);
      std::erase_if(island.stops, [](const IslandStop& s) { return s.mode == ContactMode::open; });
      std::erase_if(island.contacts, [](const IslandContact& c) { return c.mode == ContactMode::open; });
    }
    if (island.contacts.empty() && island.joints.empty() && !integrated) {
      for (const Index i : members) {
        start_body(i, cluster.poses.at(i));
        set_window(i, t);
      }
      return {};
    }
    // Faces that lie on each other are made parallel to rounding, so that their edges have one normal.
    bool polyhedra = false;
    for (IslandContact& c : island.contacts) {
      if (c.feature.part_a < 0) continue;
      c.gap = 0;
      polyhedra = true;
    }
    if (polyhedra) {
      lost_to_impact += island.potential(island.y);
      island.project_positions(1e-15 * size);
      lost_to_impact -= island.potential(island.y);
    }
    lost_to_impact += island.project_velocities();
    if (island.slip_has_changed()) {
      // The last bounces have changed slip as slow as they were: modes are those of the slip that there is now.
      if (turns == most_turns)
        return fail(ErrorCode::not_converged, "time", to_text(t),
                    "the modes of contacts whose last bounces change their slip do not settle");
      take_over(cluster, island);
      measure(cluster);
      std::vector<Touching> anew = candidates;
      for (Touching& c : anew) {
        c.V = relative_velocity(cluster.poses.at(c.feature.a), cluster.poses.at(c.feature.b), c.point);
        c.approach = 0;  // it has been reported
      }
      return plan_component(cluster, members, anew, root, r, t, endings, turns + 1);
    }
    island.align_beginning_slip();
    island.mark_creeping(creep_speed());
    if (history != nullptr)
      for (const IslandContact& c : island.contacts)
        history->instants.back().lasting.push_back(
            {c.feature, c.mode, c.s, c.mode == ContactMode::slide && !(c.slip_speed > 0)});
    if (!island.stops.empty()) record_kink("a joint that stays at its stop");
    for (const IslandStop& stop : island.stops) {
      const auto [a, b] = sides_of(stop.mechanism, world.mechanisms[stop.mechanism].limits[stop.limit].speed);
      pairs[pair_key(a, b)];
    }
    for (const IslandContact& c : island.contacts) {
      PairState& state = pairs[pair_key(c.feature.a, c.feature.b)];
      state.slides = state.slides || c.mode == ContactMode::slide;
      // What stands on points of a flat end does not roll.
      const auto curved = [&](const ShapePart& part) {
        const ConvexShape::Core core = part.shape.core;
        return core == ConvexShape::Core::point ||
               (c.feature.kind != Feature::Kind::plane_point &&
                (core == ConvexShape::Core::ellipsoid || core == ConvexShape::Core::cylinder));
      };
      const bool round = curved(*c.part_a) || curved(*c.part_b) || c.feature.kind == Feature::Kind::centres;
      const auto spin = [&](const IslandSide& s) {
        return s.place >= 0 ? island.pose(island.y, static_cast<std::size_t>(s.place)).angular_velocity
                            : Vec3(s.fixed->angular_velocity);
      };
      const Vec3 w = spin(c.b) - spin(c.a);
      state.rolls = state.rolls ||
                    (round && c.mode == ContactMode::stick &&
                     w.norm() * size > 1e-9 * (1e-300 + island.pose(island.y, 0).velocity.norm() + w.norm() * size));
    }
    const auto stepped = step_island(island, members, t, 0);
    if (!stepped) return tl::unexpected(stepped.error());
    if (!*stepped) return {};
    // Slip has turned to where no force holds the contact.
    take_over(cluster, island);
    measure(cluster);
    const auto jammed = std::find_if(cluster.contacts.begin(), cluster.contacts.end(),
                                     [&](const Touching& c) { return c.feature.same(**stepped); });
    return strike_jammed(cluster, *jammed, copies_of(used_stops), t, endings);
  }

  [[nodiscard]] static std::vector<TouchingStop> copies_of(const std::vector<const TouchingStop*>& stops) {
    std::vector<TouchingStop> out;
    out.reserve(stops.size());
    for (const TouchingStop* stop : stops) out.push_back(*stop);
    return out;
  }

  /// Whether contacts of polyhedra that open would close as soon as the others lose their normal velocity.
  [[nodiscard]] bool pushes_open_contacts(const Island& island, const Cluster& cluster) const {
    const auto polyhedral = [](const IslandContact& c) { return c.feature.part_a >= 0; };
    if (std::none_of(island.contacts.begin(), island.contacts.end(), polyhedral)) return false;
    Island after = island;
    static_cast<void>(after.project_velocities());
    return std::any_of(after.contacts.begin(), after.contacts.end(), [&](const IslandContact& c) {
      if (c.mode != ContactMode::open) return false;
      const auto side = [&](const IslandSide& s, Index i) {
        return s.place >= 0 ? after.pose(after.y, static_cast<std::size_t>(s.place)) : cluster.poses.at(i);
      };
      const ContactFrame f = frame(c.feature, *c.part_a, *c.part_b, side(c.a, c.feature.a), side(c.b, c.feature.b));
      return f.n.dot(f.V) < -rest_speed - 1e-12 * f.V.norm();
    });
  }

  /// Slower slip has the direction of its acceleration, (MO36) [m/s].
  [[nodiscard]] double creep_speed() const { return 1e-6 * std::sqrt(world.gravity.norm() * size); }

  [[nodiscard]] double slip_tolerance(const Island& island) const {
    double speed = std::sqrt(world.gravity.norm() * size);
    for (const Pose& p : island.poses(island.y))
      speed = std::max({speed, p.velocity.norm(), p.angular_velocity.norm() * size});
    return 1e-12 * speed;
  }

  /// Whether every contact of the pair that touches now lasts.
  [[nodiscard]] static bool all_last(const Cluster& cluster, const std::vector<const Touching*>& used,
                                     const ForceAnswer& answer, const Touching& c) {
    const PairKey key = pair_key(c.feature.a, c.feature.b);
    std::size_t lasting = 0;
    for (std::size_t k = 0; k < used.size(); ++k)
      if (answer.modes[k] != ContactMode::open && pair_key(used[k]->feature.a, used[k]->feature.b) == key) ++lasting;
    const auto touching = std::count_if(cluster.contacts.begin(), cluster.contacts.end(),
                                        [&](const Touching& o) { return pair_key(o.feature.a, o.feature.b) == key; });
    return lasting == static_cast<std::size_t>(touching);
  }
  /// Whether the pair is pressed together, and this is the contact by which it is reported: the one that opens fastest.
  [[nodiscard]] static bool reports_rest(const std::vector<const Touching*>& used, const ForceAnswer& answer,
                                         std::size_t k) {
    const PairKey key = pair_key(used[k]->feature.a, used[k]->feature.b);
    const double own = used[k]->n.dot(used[k]->V);
    bool pressed = false;
    for (std::size_t l = 0; l < used.size(); ++l) {
      if (pair_key(used[l]->feature.a, used[l]->feature.b) != key) continue;
      pressed = pressed || answer.F(static_cast<Eigen::Index>(3 * l)) > 0;
      const double other = used[l]->n.dot(used[l]->V);
      if (other > own || (other == own && l < k)) return false;
    }
    return pressed;
  }

  /// Bouncing that has come to its end: the event is reported at its limit time, (MO21).
  void note_rest(const std::vector<const Touching*>& used, std::size_t k, const Island& island, const Cluster& cluster,
                 double t) {
    const Touching& c = *used[k];
    const PairKey key = pair_key(c.feature.a, c.feature.b);
    double approach = 0;  // of the pair
    for (const Touching* other : used)
      if (pair_key(other->feature.a, other->feature.b) == key) approach = std::max(approach, other->approach);
    if (!(approach > still(cluster, c))) return;
    double limit = t;
    const double opening = c.n.dot(c.V);
    if (opening > still(cluster, c) && opening < approach) {
      // How fast the contact closes again while those that do not open last.
      Island others = island;
      std::size_t l = 0;
      std::erase_if(others.contacts, [&](const IslandContact&) {
        const Touching& o = *used[l++];
        return o.n.dot(o.V) > still(cluster, o);
      });
      const ForceAnswer without = others.solve_modes(slip_tolerance(others));
      if (without.status == ForceAnswer::Status::solved) {
        others.adopt(without, slip_tolerance(others));
        const double closing = -others.normal_acceleration(island.contacts[k]);
        if (closing > 0) limit = t + 2 * opening / (closing * (1 - opening / approach));
      }
    }
    push({limit, QueueKind::rest, c.feature.a, c.feature.b, 0, 0});
  }

  /// As above, of a joint at its stop.
  void note_rest(const TouchingStop& s, double force, const Island& island, const Cluster& cluster, double t) {
    if (!(s.approach > still(cluster, s)) || !(force > 0)) return;
    double limit = t;
    if (s.V > still(cluster, s) && s.V < s.approach) {
      Island others = island;
      std::erase_if(others.stops, [&](const IslandStop& o) {
        return o.mechanism == s.mechanism && o.limit == s.limit && o.sign == s.sign;
      });
      const ForceAnswer without = others.solve_modes(slip_tolerance(others));
      if (without.status == ForceAnswer::Status::solved) {
        others.adopt(without, slip_tolerance(others));
        const double closing = -s.sign * others.speed_rate(island_stop(others, s).speed);
        if (closing > 0) limit = t + 2 * s.V / (closing * (1 - s.V / s.approach));
      }
    }
    push({limit, QueueKind::rest, s.a, s.b, 0, 0});
  }

  /// Painlevé: the contact opens, though a sliding one that stays would have a force too.
  void report_ambiguous(const Touching& c, double t) {
    Event e;
    e.time = t;
    e.kind = EventKind::lift_off;
    e.body_a = c.feature.a;
    e.body_b = c.feature.b;
    e.point = c.point;
    e.n = c.n;
    e.slip = (c.V - c.n.dot(c.V) * c.n).norm();
    emit(e);
  }

  /// Painlevé: no force holds the contact, so that an impulse has to, (MO20). All stops that touch are held at first;
  /// those that would have to pull are let go.
  [[nodiscard]] Expected<void> strike_jammed(const Cluster& cluster, const Touching& c,
                                             std::vector<TouchingStop> pressing, double t, const Endings& endings) {
    record_kink("sliding that jams (Painlevé)");
    if (++jams > 100)
      return fail(ErrorCode::not_converged, "time", to_text(t),
                  "impulses of contacts that no force holds (Painlevé) do not end at this instant");
    Cluster struck = cluster;
    std::size_t at = 0;
    while (at + 1 < struck.contacts.size() && !struck.contacts[at].feature.same(c.feature)) ++at;
    Cluster others = struck;
    std::erase_if(others.stops, [&](const TouchingStop& s) { return contains(pressing, s); });
    Island island = island_of(others, t);
    const Island::ContactMatrix matrix = island.contact_matrix();
    std::vector<IslandStop> held;
    held.reserve(pressing.size());
    for (const TouchingStop& s : pressing) held.push_back(island_stop(island, s));
    const VecX before = island.speeds(island.y);
    const double energy_before = island.kinetic(island.y);
    // The tangential impact is the limit of a vanishing approach.
    const auto row = static_cast<Eigen::Index>(3 * at);
    const double slip = matrix.V.segment<2>(row + 1).norm();
    const double approach = std::max(1e-9 * slip, 100 * still(struck, struck.contacts[at]));  // above rounding
    if (!(slip > 100 * approach) && !has_feature(endings.stopped, c.feature)) {
      // Too slow for an approach that is small beside it: such slip stops at once.
      Endings stopping = endings;
      stopping.stopped.push_back(c.feature);
      return replan(struck, t, stopping);
    }
    const std::string names = world.bodies[c.feature.a].name + " and " + world.bodies[c.feature.b].name;
    const auto no_impulse = [&] {
      return fail(ErrorCode::no_solution, "time", to_text(t),
                  names + " slide at " + to_text(slip) +
                      " m/s where no contact force keeps them apart (Painlevé), and no impulse follows");
    };
    const auto jointly = [&]() -> Expected<void> {
      Cluster all = cluster;
      const auto done = strike_jammed_jointly(all, approach, t);
      if (!done) return tl::unexpected(done.error());
      return *done ? replan(all, t, endings) : Expected<void>(no_impulse());
    };
    const VecX along = island.solver(held)(matrix.J.row(row).transpose());
    const double mobility = matrix.J.row(row).dot(along);
    if (!(mobility > 1e-11 * matrix.W(row, row))) return jointly();
    const VecX seed = before - (matrix.V(row) + approach) / mobility * along;
    const auto problem = problem_of(
        others, island, matrix, seed,
        [&](const Touching& other) {
          Routh routh;
          routh.mu = world.law(other.feature.a, other.feature.b).mu;
          routh.e = 0;
          return Law(routh);
        },
        false, held);
    if (!problem) return tl::unexpected(problem.error());
    const auto resolved = resolve(*problem);
    if (!resolved || !(resolved->G[at].norm() > 0) ||
        (resolved->status != SequenceStatus::settled && resolved->status != SequenceStatus::extrapolated))
      return jointly();
    for (std::size_t k = 0; k < struck.contacts.size(); ++k) struck.contacts[k].P = resolved->G[k];
    for (TouchingStop& s : struck.stops) s.P = 0;
    for (std::size_t k = 0; k < others.stops.size(); ++k)
      for (TouchingStop& s : struck.stops)
        if (s.same(others.stops[k])) s.P = resolved->G[struck.contacts.size() + k].z();
    if (!held.empty()) {
      // What keeps the held stops closed. A stop that would have to pull takes no part.
      const VecX P = impulses_of_held(island, held, matrix, others, *resolved);
      Eigen::Index least = 0;
      if (P.minCoeff(&least) < 0) {
        pressing.erase(pressing.begin() + least);
        return strike_jammed(cluster, c, std::move(pressing), t, endings);
      }
      for (std::size_t k = 0; k < pressing.size(); ++k)
        for (TouchingStop& s : struck.stops)
          if (s.same(pressing[k])) s.P = P(static_cast<Eigen::Index>(k));
    }
    island.add_speeds(resolved->u - before);
    take_over(struck, island);
    const Vec3 after =
        relative_velocity(struck.poses.at(c.feature.a), struck.poses.at(c.feature.b), struck.contacts[at].point);
    if ((after - c.n.dot(after) * c.n).norm() > 0.999 * slip) return jointly();
    book_jam(struck, island.kinetic(island.y) - energy_before, t);
    return replan(struck, t, endings);
  }

  /// Contacts and stops that jam only together: all of them at once, as (MO10) with e = 0, from the velocities after a
  /// time in which the accelerations without forces make an approach of this size. False: no impulse follows.
  [[nodiscard]] Expected<bool> strike_jammed_jointly(Cluster& cluster, double approach, double t) {
    Island island = island_of(cluster, t);
    const Island::ContactMatrix matrix = island.contact_matrix();
    ForceProblem problem;
    problem.W = matrix.W;
    problem.b = VecX::Zero(matrix.V.size());
    for (std::size_t k = 0; k < cluster.contacts.size(); ++k) {
      const Feature& f = cluster.contacts[k].feature;
      ForceContact contact;
      contact.mu = contact.mu_s = world.law(f.a, f.b).mu;
      problem.contacts.push_back(contact);
      if (cluster.contacts[k].lasting_possible)
        problem.b(static_cast<Eigen::Index>(3 * k)) = std::min(island.normal_acceleration(island.contacts[k]), 0.0);
    }
    const Eigen::Index singles = problem.b.size() - static_cast<Eigen::Index>(cluster.stops.size());
    for (std::size_t k = 0; k < cluster.stops.size(); ++k) {
      const IslandStop& stop = island.stops[k];
      problem.b(singles + static_cast<Eigen::Index>(k)) = std::min(stop.sign * island.speed_rate(stop.speed), 0.0);
      problem.rows.push_back({true, 0, false});
    }
    const double fastest = problem.b.cwiseAbs().maxCoeff();
    if (!(fastest > 0)) return false;
    problem.b = (approach / fastest) * problem.b + matrix.V;
    const ForceAnswer answer = contact_forces(problem);
    if (answer.status != ForceAnswer::Status::solved) return false;
    // What only takes the approach away again is no impulse.
    if (!((answer.a - problem.b).cwiseAbs().maxCoeff() > 100 * approach)) return false;
    const double energy_before = island.kinetic(island.y);
    island.add_speeds(matrix.L * answer.F);
    take_over(cluster, island);
    for (std::size_t k = 0; k < cluster.contacts.size(); ++k)
      cluster.contacts[k].P = matrix.axes[k] * answer.F.segment<3>(static_cast<Eigen::Index>(3 * k));
    for (std::size_t k = 0; k < cluster.stops.size(); ++k)
      cluster.stops[k].P = answer.F(singles + static_cast<Eigen::Index>(k));
    book_jam(cluster, island.kinetic(island.y) - energy_before, t);
    return true;
  }

  /// Books and reports the impulses of a jam, which begins without an approach, with this change of kinetic energy.
  void book_jam(Cluster& struck, double change, double t) {
    std::size_t count = 0;
    for (Touching& c : struck.contacts) {
      if (!c.P.isZero(0)) ++count;
      c.approach = 0;
      const double work = work_of_fixed(struck, c);
      change -= work;
      applied_work += work;
    }
    for (TouchingStop& s : struck.stops) {
      s.approach = 0;
      if (s.P != 0) ++count;
    }
    lost_to_impact -= change;
    report_impacts(struck, t, change, count);
    measure(struck);
  }

  [[nodiscard]] static bool contains(const std::vector<TouchingStop>& list, const TouchingStop& stop) {
    return std::any_of(list.begin(), list.end(), [&](const TouchingStop& o) { return o.same(stop); });
  }

  /// Impulses of stops that were held while these contacts and stops had theirs.
  [[nodiscard]] static VecX impulses_of_held(const Island& island, const std::vector<IslandStop>& held,
                                             const Island::ContactMatrix& matrix, const Cluster& cluster,
                                             const Resolution& resolved) {
    VecX P = VecX::Zero(matrix.J.rows());
    for (std::size_t k = 0; k < cluster.contacts.size(); ++k)
      P.segment<3>(static_cast<Eigen::Index>(3 * k)) = matrix.axes[k].transpose() * resolved.G[k];
    const Eigen::Index singles = P.size() - static_cast<Eigen::Index>(cluster.stops.size());
    for (std::size_t k = 0; k < cluster.stops.size(); ++k)
      P(singles + static_cast<Eigen::Index>(k)) = resolved.G[cluster.contacts.size() + k].z();
    MatX J = MatX::Zero(static_cast<Eigen::Index>(held.size()), matrix.J.cols());
    for (std::size_t k = 0; k < held.size(); ++k) J(static_cast<Eigen::Index>(k), held[k].speed) = held[k].sign;
    const MassSolver solve = island.solver();
    const MatX W = J * solve(J.transpose()), given = J * solve(matrix.J.transpose() * P);
    return -W.completeOrthogonalDecomposition().solve(VecX(given));
  }

  /// One step of an island, and the pieces of its bodies. Or a contact whose force grows beyond all limits at this
  /// instant, so that no step goes on.
  [[nodiscard]] Expected<std::optional<Feature>> step_island(Island& island, const std::vector<Index>& members,
                                                             double t, double next_step) {
    const auto no_step = [&]() -> Expected<std::optional<Feature>> {
      if (const auto k = island.unlimited_force()) return island.contacts[*k].feature;
      return fail(ErrorCode::not_converged, "time", to_text(t),
                  "the integration of bodies in contact needs steps below rounding");
    };
    island.start = t;
    island.next_step = next_step;
    double longest = infinity;
    bool turning_matters = false;
    double speed = 0, spin = 0;
    for (const Pose& p : island.poses(island.y)) {
      speed = std::max(speed, p.velocity.norm());
      spin = std::max(spin, p.angular_velocity.norm());
    }
    const auto end_at = [&](const std::vector<double>& times) {
      for (const double time : times)
        if (time > t) longest = std::min(longest, time - t);
    };
    for (const Index i : members) {
      for (const ShapePart& part : bodies[i].shapes->parts) turning_matters = turning_matters || !part.centred;
      for (const AppliedForce* force : bodies[i].integrated) end_at(force->times);
    }
    for (const IslandSystem& system : island.systems)
      if (system.mechanism != nullptr)
        for (const JointForce& force : system.mechanism->forces) end_at(force.times);
    const double travel = broad.crowded() ? broad.travel() : 10 * size;
    const double pull = std::max(world.gravity.norm(), 1e-3 * size);
    const bool rests = std::all_of(island.contacts.begin(), island.contacts.end(),
                                   [](const IslandContact& c) { return c.mode == ContactMode::stick; }) &&
                       !std::isfinite(longest) && std::max(speed, spin * size) <= slip_tolerance(island) &&
                       island.largest_acceleration() <= 1e-9 * pull;
    if (rests)
      longest = 10;
    else
      longest = std::min(longest, 2 * travel / (speed + std::sqrt(speed * speed + 2 * pull * travel)));
    if (!rests && (turning_matters || !island.joints.empty() || island.systems.size() < island.bodies.size())) {
      const double turn = 0.1;
      longest = std::min(longest, 2 * turn / (spin + std::sqrt(spin * spin + 2 * pull / size * turn)));
    }
    if (!island.take_step(longest)) return no_step();
    const double slip = slip_tolerance(island);
    auto change = island.first_mode_change(slip);
    // A step that is cut at a change has to be accurate there, up to the rounding of the time.
    while (change && change->time - t > 64 * std::numeric_limits<double>::epsilon() * t &&
           !island.accurate(change->time)) {
      if (!island.take_step(change->time - t)) return no_step();
      change = island.first_mode_change(slip);
    }
    const int id = next_island++;
    double end = t + island.step;
    if (change) end = std::max(change->time, t);
    const std::vector<Piece> pieces = island.pieces();
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      Body& body = bodies[island.bodies[k].body];
      body.piece = pieces[k];
      body.island = id;
      ++body.stamp;
    }
    islands.emplace(id, std::move(island));
    for (const Index i : members) {
      set_window(i, t);
      bodies[i].window = std::min(bodies[i].window, end);
    }
    const Index first = members.front();
    const Index contact = change ? static_cast<Index>(change->contact) : 0;
    const std::uint32_t kind = change ? (change->opens             ? 1U
                                         : change->slip_ends       ? 2U
                                         : !change->yields.empty() ? 4U
                                                                   : 3U)
                                      : 0U;
    if (change) islands.at(id).yields = change->yields;
    push({end, change ? QueueKind::mode_change : QueueKind::step_end, first, contact, bodies[first].stamp, kind});
    if (const auto fine = search_stops(id, end); !fine) return tl::unexpected(fine.error());
    return std::nullopt;
  }

  void report_pairs(const Cluster& cluster, const std::map<PairKey, PairState>& before, double t) {
    const auto event_of = [&](const PairKey& key, EventKind kind) {
      Event e;
      e.time = t;
      e.kind = kind;
      e.body_a = key.first;
      e.body_b = key.second;
      Vec3 point = Vec3::Zero(), n = Vec3::Zero();
      double count = 0;
      for (const Touching& c : cluster.contacts) {
        if (pair_key(c.feature.a, c.feature.b) != key) continue;
        point += c.point;
        n += c.feature.a == key.first ? c.n : Vec3(-c.n);
        count += 1;
      }
      for (const TouchingStop& s : cluster.stops) {
        if (pair_key(s.a, s.b) != key) continue;
        Event at;
        place_joint(s, cluster.mechanisms.at(s.mechanism), at);
        point += at.point;
        n += at.n;
        count += 1;
      }
      if (count > 0) {
        e.point = point / count;
        e.n = n.norm() > 0 ? Vec3(n.normalized()) : n;
      }
      emit(e);
    };
    for (const auto& [key, old] : before) {
      const auto now_state = pairs.find(key);
      if (now_state == pairs.end()) {
        bool struck = false;
        for (const Touching& c : cluster.contacts)
          struck = struck || (pair_key(c.feature.a, c.feature.b) == key && !c.P.isZero(0));
        for (const TouchingStop& s : cluster.stops) struck = struck || (pair_key(s.a, s.b) == key && s.P != 0);
        if (!struck) event_of(key, EventKind::lift_off);
        continue;
      }
      if (old.slides && !now_state->second.slides)
        event_of(key, now_state->second.rolls ? EventKind::roll : EventKind::stick);
      if (!old.slides && now_state->second.slides) event_of(key, EventKind::slip);
    }
  }

  /// Contacts of these bodies, whose pieces are new, with all they can meet.
  [[nodiscard]] Expected<void> search_contacts(const std::vector<Index>& members, double t) {
    for (const Index i : members) {
      for (const Index j : neighbours(i)) {
        // Of two new ones only once.
        if (j < i && std::binary_search(members.begin(), members.end(), j)) continue;
        if (const auto fine = predict(i, j, t); !fine) return fine;
      }
    }
    return {};
  }

  // --- the queue
  // ------------------------------------------------------------------------------------------------------

  [[nodiscard]] Expected<void> process(const Queued& q) {
    now = q.time;
    switch (q.kind) {
      case QueueKind::contact: {
        // Counted before new contacts are searched; an impact begins anew.
        if (q.time == last_instant) ++fruitless[pair_key(q.a, q.b)];
        if (const auto fine = resolve_instant({q.a, q.b}, q.time); !fine) return fine;
        if (struck_now) fruitless.clear();
        return {};
      }
      case QueueKind::window_end: return new_window(q.a, q.time);
      case QueueKind::step_end: return next_step(bodies[q.a].island, q.time);
      case QueueKind::mode_change: {
        Endings endings;
        const Island& island = islands.at(bodies[q.a].island);
        cause = q.stamp_b == 1U ? InstantCause::opens : q.stamp_b == 2U ? InstantCause::slip_ends : InstantCause::other;
        if (q.b < island.contacts.size())
          cause_feature = island.contacts[q.b].feature;
        else
          cause = InstantCause::other;
        if (q.stamp_b == 1U) {
          const auto release = [&](std::size_t k) {
            if (k < island.contacts.size()) {
              endings.released.push_back(island.contacts[k].feature);
            } else if (k < island.contacts.size() + island.stops.size()) {
              const IslandStop& s = island.stops[k - island.contacts.size()];
              endings.released_stops.push_back({s.mechanism, s.limit, s.sign, s.bound});
            }
          };
          for (const std::size_t k : island.unloaded(q.time, slip_tolerance(island))) release(k);
          if (!island.redundancy.value_or(false)) release(q.b);
        }
        if (q.stamp_b == 4U) {
          const std::size_t joints = island.contacts.size() + island.stops.size();
          for (const auto& [number, s] : island.yields) {
            Yielding one;
            one.s = s;
            one.joint = number >= joints;
            if (number < island.contacts.size()) one.feature = island.contacts[number].feature;
            if (one.joint) {
              const Eigen::Index speed = island.dry[number - joints].speed;
              for (const IslandSystem& system : island.systems)
                if (speed >= system.speed_at && speed < system.speed_at + system.speeds) {
                  one.mechanism = static_cast<Index>(system.mechanism - world.mechanisms.data());
                  one.speed = static_cast<int>(speed - system.speed_at);
                }
            }
            endings.yields.push_back(one);
          }
        }
        // Slip that has begun at this instant and does not go on.
        if (q.stamp_b == 2U && q.time == last_instant && q.b < island.contacts.size() &&
            std::any_of(yielding.begin(), yielding.end(), [&](const Yielding& one) {
              return !one.joint && one.feature.same(island.contacts[q.b].feature);
            }))
          settled_now.push_back(island.contacts[q.b].feature);
        return resolve_instant({q.a}, q.time, endings);
      }
      case QueueKind::stop: {
        cause = InstantCause::other;
        return resolve_instant({q.a}, q.time);
      }
      case QueueKind::grazing: {
        RecordedInstant& instant = history->instants.emplace_back();
        instant.time = q.time;
        instant.kink = "grazing";
        return {};
      }
      case QueueKind::rest: {
        if (history != nullptr) {
          RecordedInstant& instant = history->instants.emplace_back();
          instant.time = q.time;
          instant.cause = InstantCause::other;
        }
        Event e;
        e.time = q.time;
        e.kind = EventKind::rest;
        e.body_a = q.a;
        e.body_b = q.b;
        rest_place(q, e);
        emit(e);
        return {};
      }
    }
    return {};
  }

  void rest_place(const Queued& q, Event& e) const {
    for (Index m = 0; m < world.mechanisms.size(); ++m) {
      std::vector<TouchingStop> stops;
      const MechanismState state = mechanism_at(m, q.time);
      add_stops(m, state, stops);
      for (const TouchingStop& s : stops)
        if (s.a == q.a && s.b == q.b) return place_joint(s, state, e);
    }
    const auto found = touching(q.a, q.b, pose_at(q.a, q.time), pose_at(q.b, q.time), infinity);
    if (!found || found->empty()) return;
    const FoundFeature& f = found->front();
    e.point = 0.5 * (f.touch.on_A + f.touch.on_B);
    e.n = f.feature.a == q.a ? f.touch.n : Vec3(-f.touch.n);
  }

  [[nodiscard]] Expected<void> new_window(Index i, double t) {
    Body& body = bodies[i];
    if (body.island >= 0) return {};
    if (body.piece.turning == Piece::Turning::series && t >= body.piece.end) {
      applied_work += body.force.dot(body.piece.position(t) - body.piece.x[0]);
      start_body(i, body.piece.pose(t));
    } else {
      ++body.stamp;
    }
    set_window(i, t);
    return search_contacts({i}, t);
  }

  [[nodiscard]] Expected<void> next_step(int id, double t) {
    Island island = islands.at(id);
    std::vector<Index> members;
    members.reserve(island.bodies.size());
    for (const IslandBody& b : island.bodies) members.push_back(b.body);
    const VecX end = island.state(t);
    island.y = end;
    island.y.tail<2>().setZero();
    island.start = t;
    // Directions of slip are those of now; slip that has become slower than rounding ends.
    bool stops = false;
    const double slip_limit = slip_tolerance(island);
    for (IslandContact& c : island.contacts) {
      if (c.mode != ContactMode::slide) continue;
      const auto side = [&](const IslandSide& s) {
        return s.place >= 0 ? island.pose(island.y, static_cast<std::size_t>(s.place)) : s.fixed->pose(t);
      };
      const ContactFrame f = frame(c.feature, *c.part_a, *c.part_b, side(c.a), side(c.b));
      const Vec3 slip = f.V - f.n.dot(f.V) * f.n;
      c.slip_speed = slip.norm();
      if (c.slip_speed <= slip_limit && !stops) cause_feature = c.feature;
      stops = stops || c.slip_speed <= slip_limit;
      if (c.slip_speed > 1e-9 * slip_limit) c.s = slip / c.slip_speed;
    }
    std::vector<Feature> stopped;
    if (!stops)
      for (const std::size_t k : island.ending_slip(1e-10 * std::sqrt(size / std::max(world.gravity.norm(), size))))
        stopped.push_back(island.contacts[k].feature);
    if (stops || !stopped.empty()) {
      cause = InstantCause::slip_ends;
      Endings endings;
      endings.stopped = stopped;
      return resolve_instant(members, t, endings);
    }
    // A step that fails leaves the motion, and its ledger, where the last one ended.
    const double friction_before = lost_to_friction, work_before = applied_work, impact_before = lost_to_impact;
    lost_to_friction += island.friction_loss(end);
    applied_work += island.applied_work(end);
    auto last = islands.extract(id);
    island.project_positions(1e-12 * size);
    lost_to_impact += island.project_velocities();
    island.mark_creeping(creep_speed());
    const double h = island.next_step;
    const auto stepped = step_island(island, members, t, h);
    if (!stepped || *stepped) {
      if (bodies[members[0]].island == id) {
        islands.insert(std::move(last));
        lost_to_friction = friction_before;
        applied_work = work_before;
        lost_to_impact = impact_before;
      }
      if (!stepped) return tl::unexpected(stepped.error());
      cause = InstantCause::other;
      return resolve_instant(members, t);
    }
    std::sort(members.begin(), members.end());
    return search_contacts(members, t);
  }

  /// Fails where so many events follow each other so fast that the motion hardly goes on.
  [[nodiscard]] Expected<void> check_stall(double t) {
    if (const auto moves = check_quiet_stall(t); !moves) return moves;
    const std::uint64_t many = 10000 * (bodies.size() + 1);
    if (events - stall_events < many) return {};
    const double passed = t - stall_time, pull = world.gravity.norm();
    stall_events = events;
    stall_time = t;
    if (!(pull > 0) || passed >= 1e-3 * std::sqrt(size / pull)) return {};
    return fail(
        ErrorCode::not_converged, "time", to_text(t),
        std::to_string(many) + " events in the last " + to_text(passed) +
            " s: they are too many to follow one by one; time stepping resolves all contacts of a step together");
  }

  /// Contacts whose modes are planned anew at every rounding of time make no event that could be counted.
  [[nodiscard]] Expected<void> check_quiet_stall(double t) {
    if (events != quiet_events) {
      quiet_events = events;
      quiet_instants = 0;
      quiet_time = t;
      return {};
    }
    constexpr std::uint64_t many = 500;
    if (++quiet_instants < many) return {};
    const double passed = t - quiet_time, pull = world.gravity.norm();
    quiet_instants = 0;
    quiet_time = t;
    if (!(pull > 0) || passed >= 1e-9 * std::sqrt(size / pull)) return {};
    return fail(ErrorCode::not_converged, "time", to_text(t),
                std::to_string(many) + " instants without an event in the last " + to_text(passed) +
                    " s: modes of contacts do not settle; time stepping resolves all contacts of a step together");
  }

  [[nodiscard]] Expected<void> run(double until, const Observer& seen, double interval) {
    if (!std::isfinite(until) || until < now)
      return fail(ErrorCode::out_of_range, "until", to_text(until), "must be a finite time that is not over");
    if (!(interval >= 0 && std::isfinite(interval)))
      return fail(ErrorCode::out_of_range, "sample_interval", to_text(interval), "must be finite and not negative");
    observer = &seen;
    auto next_sample = static_cast<std::int64_t>(interval > 0 ? std::floor(now / interval) + 1 : 0);
    const auto samples_before = [&](double t, bool inclusive) {
      if (!(interval > 0) || !seen.sample) return;
      for (;; ++next_sample) {
        const double s = static_cast<double>(next_sample) * interval;
        if (s > t || (!inclusive && s >= t)) return;
        seen.sample(s, all_poses(s));
      }
    };
    const auto sample_events = [&](double t) {
      if (!sample_due || !seen.sample) return;
      seen.sample(t, all_poses(t));
      if (interval > 0 && static_cast<double>(next_sample) * interval == t) ++next_sample;
    };
    if (!begun) {
      sample_due = false;
      if (const auto fine = first_instant(); !fine) {
        observer = nullptr;
        return fine;
      }
      sample_events(0);
    }
    while (!queue.empty() && queue.front().time <= until) {
      std::pop_heap(queue.begin(), queue.end());
      const Queued q = queue.back();
      queue.pop_back();
      if (stale(q)) continue;
      const double t = std::max(q.time, now);
      samples_before(t, false);
      Queued at = q;
      at.time = t;
      sample_due = false;
      const auto fine = process(at);
      if (!fine) {
        observer = nullptr;
        return fine;
      }
      sample_events(t);
      if (const auto moves = check_stall(t); !moves) {
        observer = nullptr;
        return moves;
      }
      if (options.max_events > 0 && events >= options.max_events) break;
    }
    if (options.max_events == 0 || events < options.max_events) {
      samples_before(until, true);
      now = until;
    }
    observer = nullptr;
    return {};
  }

  // --- energy
  // ---------------------------------------------------------------------------------------------------------

  [[nodiscard]] double kinetic() const {
    double e = 0;
    const std::vector<Pose> poses = all_poses(now);
    for (Index i = 0; i < bodies.size(); ++i)
      if (!fixed(i)) e += kinetic_of(inertia(i), poses[i]);
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      e += rotor_energy(world.mechanisms[m], mechanism_at(m, now).u);
    return e;
  }
  [[nodiscard]] double potential() const {
    double e = 0;
    const std::vector<Pose> poses = all_poses(now);
    for (Index i = 0; i < bodies.size(); ++i)
      if (!fixed(i)) e -= inertia(i).mass * world.gravity.dot(poses[i].position);
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      e += spring_energy(world.mechanisms[m], mechanism_at(m, now).q);
    return e;
  }
  [[nodiscard]] EnergyLedger ledger() const {
    EnergyLedger out;
    out.kinetic = kinetic();
    out.potential = potential();
    out.start = start_energy;
    out.lost_to_impact = lost_to_impact;
    out.lost_to_friction = lost_to_friction;
    out.applied_work = applied_work;
    for (const auto& [id, island] : islands) {
      const VecX state = island.state(now);
      out.lost_to_friction += island.friction_loss(state);
      out.applied_work += island.applied_work(state);
    }
    for (const Body& body : bodies)
      if (body.island < 0) out.applied_work += body.force.dot(body.piece.position(now) - body.piece.x[0]);
    return out;
  }

  // --- checkpoints
  // ----------------------------------------------------------------------------------------------------

  template <class Archive>
  void keep_all(Archive& ar) {
    std::uint64_t count = bodies.size();
    keep(ar, count);
    if (count != bodies.size()) {
      if constexpr (Archive::reads) ar.spoil();
      return;
    }
    for (Body& b : bodies) {
      keep(ar, b.piece);
      keep(ar, b.island);
      keep(ar, b.stamp);
      keep(ar, b.window);
    }
    keep(ar, islands);
    keep(ar, next_island);
    keep(ar, queue);
    keep(ar, pairs);
    keep(ar, now);
    keep(ar, events);
    keep(ar, at_this_instant);
    keep(ar, last_instant);
    keep(ar, yielding);
    keep(ar, settled_now);
    keep(ar, fruitless);
    keep(ar, stall_events);
    keep(ar, stall_time);
    keep(ar, quiet_events);
    keep(ar, quiet_instants);
    keep(ar, quiet_time);
    keep(ar, begun);
    for (double* x : {&start_energy, &lost_to_impact, &lost_to_friction, &applied_work}) keep(ar, *x);
    std::vector<BroadPhase::Bounds> bounds = broad.bounds();
    keep(ar, bounds);
    if constexpr (Archive::reads) {
      if (bounds.size() == bodies.size())
        for (Index i = 0; i < bounds.size(); ++i) broad.put(i, bounds[i].low, bounds[i].high, bounds[i].bounded);
    }
  }

  /// What islands point at; false where the bytes name a body that is not there.
  [[nodiscard]] bool connect() {
    for (auto& [id, island] : islands) {
      std::map<Index, int> place;
      Island fresh;  // with the systems of these bodies
      fresh.gravity = world.gravity;
      for (std::size_t k = 0; k < island.bodies.size(); ++k) {
        const Index i = island.bodies[k].body;
        if (i >= bodies.size() || place.count(i) != 0) return false;
        place[i] = static_cast<int>(k);
        if (bodies[i].mechanism < 0) {
          fresh.add(island_body(i), Pose{});
          continue;
        }
        const Mechanism& mechanism = world.mechanisms[static_cast<std::size_t>(bodies[i].mechanism)];
        if (mechanism.bodies[0] != i) continue;
        std::vector<IslandBody> own;
        own.reserve(mechanism.bodies.size());
        for (const Index j : mechanism.bodies) own.push_back(island_body(j));
        fresh.add(mechanism, own, mechanism.q, mechanism.u);
      }
      if (fresh.bodies.size() != island.bodies.size()) return false;
      for (std::size_t k = 0; k < fresh.bodies.size(); ++k)
        if (fresh.bodies[k].body != island.bodies[k].body) return false;
      island.bodies = fresh.bodies;
      island.systems = fresh.systems;
      island.gravity = fresh.gravity;
      const auto side = [&](Index i) {
        const auto found = place.find(i);
        return found != place.end() ? IslandSide{found->second, nullptr} : IslandSide{-1, &bodies[i].piece};
      };
      for (IslandContact& c : island.contacts) {
        const Feature& f = c.feature;
        if (f.a >= bodies.size() || f.b >= bodies.size() || !bodies[f.a].shapes->has(f.shape_a) ||
            !bodies[f.b].shapes->has(f.shape_b))
          return false;
        c.part_a = &bodies[f.a].shapes->part(f.shape_a);
        c.part_b = &bodies[f.b].shapes->part(f.shape_b);
        if (!has_parts(f, *c.part_a, *c.part_b)) return false;
        c.a = side(f.a);
        c.b = side(f.b);
        c.mu = world.law(f.a, f.b).mu;
        c.mu_s = world.law(f.a, f.b).mu_s;
      }
      const Eigen::Index numbers = island.state_count();
      if (island.y.size() != numbers || island.y_end.size() != numbers) return false;
      for (IslandStop& stop : island.stops) {
        if (stop.mechanism >= world.mechanisms.size() || stop.limit >= world.mechanisms[stop.mechanism].limits.size())
          return false;
        const IslandStop kept = stop;
        stop = island_stop(island, {kept.mechanism, kept.limit, kept.sign});
        stop.bound = kept.bound;
        stop.mode = kept.mode;
      }
      if (island.dry.size() != fresh.dry.size()) return false;
      for (std::size_t k = 0; k < island.dry.size(); ++k)
        if (island.dry[k].speed != fresh.dry[k].speed) return false;
      for (const BallJoint& joint : world.joints) {
        const auto a = static_cast<Index>(joint.first), b = static_cast<Index>(joint.second);
        if (place.count(fixed(a) ? b : a) == 0) continue;
        island.joints.push_back({side(a), side(b), joint_arm(joint, a), joint_arm(joint, b)});
      }
      island.size = size;
      island.tolerance = 0.1 * options.tolerance;
    }
    for (const Body& b : bodies)
      if (b.island >= 0 && islands.count(b.island) == 0) return false;
    for (const Queued& q : queue)
      if (q.a >= bodies.size() || (q.kind == QueueKind::contact && q.b >= bodies.size())) return false;
    return true;
  }
};

Simulation::Simulation(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Expected<Simulation> Simulation::start(World world, const Options& options) {
  auto engine = std::make_unique<Engine>();
  engine->world = std::move(world);
  engine->options = options;
  if (const auto fine = engine->begin(); !fine) return tl::unexpected(fine.error());
  return Simulation(std::move(engine));
}

namespace {
constexpr std::string_view checkpoint_mark = "ricochet motion 6\n";
}

Expected<Simulation> Simulation::resume(World world, std::string_view checkpoint, const Options& options) {
  if (checkpoint.substr(0, checkpoint_mark.size()) != checkpoint_mark)
    return fail(ErrorCode::malformed, "checkpoint", "", "is not a checkpoint of this version");
  auto engine = std::make_unique<Engine>();
  engine->world = std::move(world);
  engine->options = options;
  if (const auto fine = engine->prepare(); !fine) return tl::unexpected(fine.error());
  Reading ar(checkpoint.substr(checkpoint_mark.size()));
  engine->keep_all(ar);
  if (!ar.good() || !ar.at_end() || !engine->connect())
    return fail(ErrorCode::malformed, "checkpoint", "", "is damaged, or of another world");
  return Simulation(std::move(engine));
}

Expected<void> Simulation::run(double until, const Observer& observer, double sample_interval) {
  return engine_->run(until, observer, sample_interval);
}

Expected<History> record_history(World world, double until, const Options& options) {
  auto simulation = Simulation::start(std::move(world), options);
  if (!simulation) return tl::unexpected(simulation.error());
  History out;
  for (const Body& body : simulation->engine_->bodies) out.shapes.push_back(body.shapes);
  simulation->engine_->history = &out;
  if (const auto went = simulation->run(until); !went) return tl::unexpected(went.error());
  out.end = simulation->poses();
  for (std::uint32_t m = 0; m < simulation->world().mechanisms.size(); ++m) {
    const auto state = simulation->engine_->mechanism_at(m, simulation->time());
    out.end_mechanisms.push_back({m, state.q, state.u});
  }
  return out;
}

double Simulation::time() const { return engine_->now; }
std::uint64_t Simulation::events() const { return engine_->events; }
std::vector<Pose> Simulation::poses() const { return engine_->all_poses(engine_->now); }
EnergyLedger Simulation::ledger() const { return engine_->ledger(); }
const World& Simulation::world() const { return engine_->world; }

std::string Simulation::checkpoint() const {
  Writing ar;
  ar.bytes = checkpoint_mark;
  engine_->keep_all(ar);
  return std::move(ar.bytes);
}

}  // namespace ricochet::motion
