#include "ricochet/motion/time_stepping.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "motion/applied_load.hpp"
#include "motion/archive.hpp"
#include "motion/body_shapes.hpp"
#include "motion/broad_phase.hpp"
#include "motion/feature.hpp"
#include "motion/impulse_sweeps.hpp"
#include "motion/jointed_rods.hpp"
#include "motion/tilted_patch.hpp"
#include "motion/tree_state.hpp"
#include "ricochet/base/error_path.hpp"

namespace ricochet::motion {
namespace stepping_detail {

using Index = std::uint32_t;
constexpr double most_tilt = 0.02;  ///< (TS11)

/// One body at the end of a step. Ω is in body axes, (TS2).
struct StepState {
  Vec3 x = Vec3::Zero();
  Quaternion q = Quaternion::Identity();
  Vec3 v = Vec3::Zero(), omega = Vec3::Zero();
};

struct StepBody {
  BodyShapes shapes;
  double radius = 0;  ///< of a ball about the centre of mass; infinite with a half space or a height field
  bool fixed = false;
  int mechanism = -1;     ///< in the world, that it is a link of
  std::size_t index = 0;  ///< among the bodies of that
  double mass = 1;
  Mat3 inertia = Mat3::Identity(), inverse = Mat3::Identity();  ///< body axes; axes of zero moment are left out
  bool spherical = false;
  std::vector<const AppliedForce*> forces;
  Vec3 padded = Vec3::Zero();  ///< middle of its box in the broad phase
  double padding = -1;         ///< how far it may go from there
};

/// By which a contact is found again in the next step.
using ContactKey = std::tuple<Index, Index, Index, Index, int>;
using StepPair = std::pair<Index, Index>;

struct StepPairState {
  bool lasts = false, bounced = false, slides = false, rolls = false;
  Vec3 point = Vec3::Zero(), n = Vec3::UnitZ();  ///< where it was last
};

struct StepContact {
  ContactKey key;
  Vec3 point = Vec3::Zero();
  double e = 0, gap = 0;
  bool round = false;
  Vec3 before = Vec3::Zero(), free = Vec3::Zero(),
       after = Vec3::Zero();  ///< V⁻, that with forces only, V⁺, in its axes
};

/// Positions and speeds of a mechanism.
struct StepMechanism {
  VecX q, u;
};

/// All that one step leaves.
struct StepRecord {
  std::vector<StepState> states;
  std::vector<StepMechanism> mechanisms;
  std::map<ContactKey, Vec3> impulses;  ///< world axes
  std::vector<Vec3> joint_impulses;
  std::map<StepPair, StepPairState> pairs;
  double lost_to_impact = 0, lost_to_friction = 0, applied_work = 0;
  StepStatistics statistics;
};

Quaternion turned(const Quaternion& q, const Vec3& half_turn) {
  const double angle = half_turn.norm();
  const double s = angle > 1e-8 ? std::sin(angle) / angle : 1 - angle * angle / 6;
  Quaternion out = q * Quaternion(std::cos(angle), s * half_turn.x(), s * half_turn.y(), s * half_turn.z());
  out.normalize();
  return out;
}

Mat3 axes_about(const Vec3& n) {
  int k = 0;
  n.cwiseAbs().minCoeff(&k);
  const Vec3 first = (Vec3::Unit(k) - n(k) * n).normalized();
  Mat3 out;
  out << n, first, n.cross(first);
  return out;
}

Mat3 inverse_without_zero_moments(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Mat3 out = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (eigen.eigenvalues()(k) > 1e-14 * eigen.eigenvalues()(2))
      out += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() / eigen.eigenvalues()(k);
  return out;
}

/// (TS2); nothing where Newton's method fails: the body turns too far in a step.
std::optional<Vec3> turn_freely(const StepBody& body, const Vec3& omega, double h) {
  if (body.spherical || omega.isZero(0)) return omega;
  const Vec3 spin = body.inertia * omega;
  if (spin.cross(omega).norm() <= 1e-15 * spin.norm() * omega.norm()) return omega;
  Vec3 next = omega;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 50; ++i) {
    const Vec3 mean = 0.5 * (next + omega), L = body.inertia * mean;
    const Vec3 off = next - omega - h * (body.inverse * L.cross(mean));
    const Mat3 slope = Mat3::Identity() -
                       0.5 * h * body.inverse * (cross_matrix<double>(L) - cross_matrix<double>(mean) * body.inertia);
    const Vec3 change = slope.partialPivLu().solve(off);
    if (!change.allFinite()) return std::nullopt;
    next -= change;
    const double size = change.norm();
    if (size <= 4e-16 * omega.norm() || (size <= 1e-12 * omega.norm() && size >= last)) return next;
    last = size;
  }
  return std::nullopt;
}

}  // namespace stepping_detail

using namespace stepping_detail;

template <class Archive>
void keep(Archive& ar, StepState& s) {
  keep(ar, s.x);
  keep(ar, s.q);
  keep(ar, s.v);
  keep(ar, s.omega);
}
template <class Archive>
void keep(Archive& ar, ContactKey& key) {
  keep(ar, std::get<0>(key));
  keep(ar, std::get<1>(key));
  keep(ar, std::get<2>(key));
  keep(ar, std::get<3>(key));
  keep(ar, std::get<4>(key));
}
template <class Archive>
void keep(Archive& ar, StepPairState& s) {
  for (bool* x : {&s.lasts, &s.bounced, &s.slides, &s.rolls}) keep(ar, *x);
  keep(ar, s.point);
  keep(ar, s.n);
}
template <class Archive>
void keep(Archive& ar, StepStatistics& s) {
  for (std::uint64_t* x : {&s.steps, &s.not_converged, &s.tempered, &s.sweeps, &s.contacts}) keep(ar, *x);
  for (double* x : {&s.largest_residual, &s.largest_overlap, &s.first_not_converged_time}) keep(ar, *x);
}
template <class Archive>
void keep(Archive& ar, StepMechanism& m) {
  keep(ar, m.q);
  keep(ar, m.u);
}
template <class Archive>
void keep(Archive& ar, StepRecord& r) {
  keep(ar, r.states);
  keep(ar, r.mechanisms);
  keep(ar, r.impulses);
  keep(ar, r.joint_impulses);
  keep(ar, r.pairs);
  for (double* x : {&r.lost_to_impact, &r.lost_to_friction, &r.applied_work}) keep(ar, *x);
  keep(ar, r.statistics);
}

struct TimeStepping::Engine {
  World world;
  StepOptions options;
  std::vector<StepBody> bodies;
  BroadPhase broad;
  double size = 1;  ///< largest finite radius [m]

  StepRecord now;            ///< after the last step that is over
  double time = 0;           ///< how far `run` has come
  std::uint64_t events = 0;  ///< reported
  double start_energy = 0;

  /// The step after `now`, computed when a time within it is asked for.
  struct Coming {
    StepRecord record;
    std::vector<StepState> middle;
    std::vector<VecX> middle_q;  ///< of mechanisms
    std::vector<Event> events;
  };
  std::optional<Coming> coming;

  [[nodiscard]] double step_time(std::uint64_t k) const { return static_cast<double>(k) * options.step; }

  // Start.

  [[nodiscard]] Expected<void> prepare_bodies() {
    if (const auto fine = check(world); !fine) return fine;
    auto jointed = JointedRods::as_links(std::move(world));
    if (!jointed) return tl::unexpected(jointed.error());
    world = *std::move(jointed);
    if (!(options.step > 0 && std::isfinite(options.step)))
      return fail(ErrorCode::out_of_range, "step", to_text(options.step), "must be positive and finite");
    for (const std::uint32_t law : world.law_of_pair)
      if (!std::isfinite(world.laws[law].e))
        return fail(ErrorCode::invalid, "law", "",
                    "has no coefficient of restitution e, by which time stepping resolves contacts");
    size = 0;
    double largest_ball = 0;
    bodies.clear();
    for (const WorldBody& given : world.bodies) {
      StepBody& body = bodies.emplace_back();
      body.fixed = given.body.fixed;
      body.mass = given.body.mass;
      body.inertia = given.body.inertia;
      if (!body.fixed) {
        body.inverse = inverse_without_zero_moments(body.inertia);
        body.spherical = (body.inertia - body.inertia(0, 0) * Mat3::Identity()).isZero(0);
      }
      body.shapes = BodyShapes(given);
      body.radius = body.shapes.radius;
      if (std::isfinite(body.radius)) size = std::max(size, body.radius);
      if (!body.fixed && std::isfinite(body.radius)) largest_ball = std::max(largest_ball, body.radius);
    }
    if (!(size > 0)) size = 1;
    for (const AppliedForce& force : world.forces) bodies[force.body].forces.push_back(&force);
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      for (std::size_t k = 0; k < world.mechanisms[m].bodies.size(); ++k) {
        bodies[world.mechanisms[m].bodies[k]].mechanism = static_cast<int>(m);
        bodies[world.mechanisms[m].bodies[k]].index = k;
      }
    broad.start(bodies.size(), largest_ball);
    return {};
  }

  [[nodiscard]] Expected<void> begin() {
    if (const auto fine = prepare_bodies(); !fine) return fine;
    for (const WorldBody& given : world.bodies) {
      const RigidBody& b = given.body;
      const Quaternion q = b.orientation.normalized();
      now.states.push_back({b.position, q, b.velocity, q.conjugate() * b.angular_velocity});
    }
    for (const Mechanism& mechanism : world.mechanisms) {
      now.mechanisms.push_back({mechanism.q, mechanism.u});
      place_links(mechanism, mechanism.q, mechanism.u, now.states);
    }
    now.joint_impulses.assign(world.joints.size(), Vec3::Zero());
    start_energy = kinetic() + potential();
    place_boxes(now.states);
    for (Index i = 0; i < bodies.size(); ++i)
      for (const Index j : neighbours(i)) {
        if (j < i) continue;
        const auto found = touching(i, j, now.states, gap_tolerance(i, j));
        if (!found) return tl::unexpected(found.error());
        for (const FoundFeature& f : *found)
          if (f.touch.gap < -1e4 * gap_tolerance(i, j))
            return fail(ErrorCode::invalid, entry_path("body", j),
                        world.bodies[i].name + " and " + world.bodies[j].name,
                        "overlap by " + to_text(-f.touch.gap) + " m at the start");
      }
    close_joints();
    return {};
  }

  /// Velocities that open a joint at the start would be reversed for ever by (TS7): what opens it is lost.
  void close_joints() {
    if (world.joints.empty()) return;
    SweepState sweep = sweep_state(now.states, now.mechanisms);
    std::vector<SweepContact> joints;
    add_joints(now.states, joints);
    std::vector<TreeState> trees;
    if (!tree_states(now.mechanisms, trees)) return;
    add_links(trees, joints);
    prepare(joints, sweep);
    std::vector<Index> members(joints.size());
    std::iota(members.begin(), members.end(), Index{0});
    double speed = 0;
    for (SweepContact& c : joints) {
      c.P.setZero();
      c.offset.setZero();
      speed = std::max(speed, contact_velocity(c, sweep).norm());
    }
    const double before = kinetic();
    static_cast<void>(sweep_impulses(joints, sweep, members, 1e-15 * speed, options.most_sweeps));
    for (Index i = 0; i < bodies.size(); ++i) {
      if (bodies[i].fixed || bodies[i].mechanism >= 0) continue;
      now.states[i].v = sweep.bodies[i].v;
      now.states[i].omega = now.states[i].q.conjugate() * sweep.bodies[i].w;
    }
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
      now.mechanisms[m].u = sweep.speeds[m];
      place_links(world.mechanisms[m], now.mechanisms[m].q, now.mechanisms[m].u, now.states);
    }
    now.lost_to_impact += before - kinetic();
  }

  // Mechanisms.

  /// Links at the positions and speeds of their mechanism.
  static void place_links(const Mechanism& mechanism, const VecX& q, const VecX& u, std::vector<StepState>& states) {
    const std::vector<Pose> poses = tree_poses(mechanism, q, u);
    for (std::size_t k = 0; k < poses.size(); ++k)
      states[mechanism.bodies[k]] = {poses[k].position, poses[k].orientation, poses[k].velocity,
                                     poses[k].orientation.conjugate() * poses[k].angular_velocity};
  }
  /// False where a mechanism has no motion there.
  [[nodiscard]] bool tree_states(const std::vector<StepMechanism>& at, std::vector<TreeState>& out) const {
    for (std::size_t m = 0; m < at.size(); ++m) {
      auto state = TreeState::at(world.mechanisms[m], at[m].q, at[m].u);
      if (!state) return false;
      out.push_back(*std::move(state));
    }
    return true;
  }
  /// What the contacts are to the mechanisms of their bodies.
  void add_links(const std::vector<TreeState>& trees, std::vector<SweepContact>& contacts) const {
    for (SweepContact& c : contacts) {
      if (c.kind != SweepKind::contact && c.kind != SweepKind::joint) continue;
      for (const bool second : {false, true}) {
        const Index i = second ? c.b : c.a;
        if (bodies[i].mechanism < 0) continue;
        const auto m = static_cast<Index>(bodies[i].mechanism);
        Eigen::Matrix<double, 3, 6> measured;
        const double sign = second ? 1 : -1;
        measured << sign * c.axes.transpose(),
            -sign * c.axes.transpose() * cross_matrix<double>(second ? c.r_b : c.r_a);
        const MatX J = measured * trees[m].jacobian(bodies[i].index);
        if (second && !c.links.empty() && c.links[0].mechanism == m)
          c.links[0].J += J;  // both sides belong to one mechanism
        else
          c.links.push_back({m, J, {}});
      }
      for (SweepLink& link : c.links) link.L = trees[link.mechanism].solve(link.J.transpose());
    }
  }
  /// Stops that are reached and dry friction, one component each.
  void add_joint_rows(const std::vector<TreeState>& trees, std::vector<SweepContact>& sweep,
                      std::vector<StepContact>& out) const {
    for (Index m = 0; m < trees.size(); ++m) {
      const Mechanism& mechanism = world.mechanisms[m];
      const Index first = mechanism.bodies[0];
      const auto add = [&](SweepKind kind, int speed, double sign, Index number) {
        SweepContact s;
        s.a = s.b = first;
        s.kind = kind;
        MatX J = MatX::Zero(3, mechanism.u.size());
        J(0, speed) = sign;
        s.links.push_back({m, J, trees[m].solve(J.transpose())});
        StepContact c;
        c.key = {first, first, m, number, -2 - static_cast<int>(kind)};
        if (const auto known = now.impulses.find(c.key); known != now.impulses.end()) s.P = known->second;
        sweep.push_back(s);
        out.push_back(c);
      };
      for (Index k = 0; k < mechanism.limits.size(); ++k)
        for (const double sign : {1.0, -1.0}) {
          const JointLimit& limit = mechanism.limits[k];
          const double gap = sign * (trees[m].q()(limit.position) - (sign > 0 ? limit.lower : limit.upper));
          if (gap > 1e-10 * std::min(size, 1.0)) continue;
          add(SweepKind::stop, limit.speed, sign, 2 * k + (sign > 0 ? 0 : 1));
          out.back().e = mechanism.stop_e;
          out.back().gap = gap;
        }
      for (Eigen::Index k = 0; k < mechanism.dry_friction.size(); ++k) {
        if (!(mechanism.dry_friction(k) > 0)) continue;
        add(SweepKind::dry, static_cast<int>(k), 1, static_cast<Index>(k));
        sweep.back().limit = options.step * mechanism.dry_friction(k);
      }
    }
  }
  /// u + h u̇ at the positions q and the mean speed, (TS12); nothing where the iteration fails.
  struct Driven {
    VecX u, mean;
  };
  [[nodiscard]] std::optional<Driven> drive(const Mechanism& mechanism, const VecX& q, const VecX& u, double t,
                                            double h) const {
    std::vector<LinkForce> applied;
    for (const Index i : mechanism.bodies) {
      LinkForce sum;
      for (const AppliedForce* force : bodies[i].forces) {
        const AppliedLoad load = load_at(*force, t);
        sum.force += load.force;
        sum.torque += load.torque;
      }
      applied.push_back(sum);
    }
    VecX next = u;
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 60; ++i) {
      const VecX mean = 0.5 * (u + next);
      const auto state = TreeState::at(mechanism, q, mean);
      if (!state) return std::nullopt;
      const VecX better = u + h * state->driven(world.gravity, applied, t).acceleration;
      const double change = (better - next).norm(), scale = u.norm() + (better - u).norm();
      next = better;
      if (!(change <= 1e6 * scale)) return std::nullopt;
      if (change <= 1e-15 * scale || (change <= 1e-12 * scale && change >= last)) return Driven{next, 0.5 * (u + next)};
      last = change;
    }
    return std::nullopt;
  }

  // Geometry.

  [[nodiscard]] double gap_tolerance(Index a, Index b) const {
    const double r = std::min(bodies[a].radius, bodies[b].radius);
    return 1e-10 * (std::isfinite(r) && r > 0 ? r : size);
  }
  /// Contacts of a pair that lasts take part up to the gap that gravity closes within a step or two.
  [[nodiscard]] double reach(Index a, Index b) const {
    const auto state = now.pairs.find({a, b});
    const bool lasts = state != now.pairs.end() && state->second.lasts;
    return std::max(gap_tolerance(a, b), lasts ? options.step * options.step * world.gravity.norm() : 0);
  }

  [[nodiscard]] Pose pose_of(Index i, const StepState& s) const {
    return {s.x, s.q, s.v, bodies[i].fixed ? world.bodies[i].body.angular_velocity : Vec3(s.q * s.omega)};
  }

  void place_boxes(const std::vector<StepState>& states) {
    for (Index i = 0; i < bodies.size(); ++i) {
      StepBody& body = bodies[i];
      const Vec3& x = states[i].x;
      if (body.padding >= 0 && (x - body.padded).cwiseAbs().maxCoeff() <= body.padding) continue;
      const bool bounded = std::isfinite(body.radius);
      body.padding = bounded ? 0.1 * body.radius : std::numeric_limits<double>::infinity();
      body.padded = x;
      const double half = bounded ? body.radius + 2 * body.padding + 1e-6 * size : 0;
      broad.put(i, x.array() - half, x.array() + half, bounded);
    }
  }

  [[nodiscard]] std::vector<Index> neighbours(Index i) const {
    std::vector<Index> out;
    if (bodies[i].shapes.empty()) return out;
    broad.neighbours(i, out);
    std::erase_if(
        out, [&](Index j) { return bodies[j].shapes.empty() || (bodies[i].fixed && bodies[j].fixed) || joined(i, j); });
    return out;
  }
  /// Bodies that a joint connects, and those that are kept apart, do not collide.
  [[nodiscard]] bool joined(Index i, Index j) const {
    if (std::binary_search(world.apart.begin(), world.apart.end(), std::pair(std::min(i, j), std::max(i, j))))
      return true;
    return std::any_of(world.joints.begin(), world.joints.end(), [&](const BallJoint& joint) {
      return (joint.first == i && joint.second == j) || (joint.first == j && joint.second == i);
    });
  }

  [[nodiscard]] Expected<std::vector<FoundFeature>> touching(Index i, Index j, const std::vector<StepState>& states,
                                                             double within) const {
    std::vector<FoundFeature> out;
    const Pose at_i = pose_of(i, states[i]), at_j = pose_of(j, states[j]);
    const std::vector<ShapePart>&of_i = bodies[i].shapes.parts, &of_j = bodies[j].shapes.parts;
    for (Index k = 0; k < of_i.size(); ++k)
      for (Index l = 0; l < of_j.size(); ++l) {
        if (shapes_apart(i, k, j, l)) continue;
        const ShapePart &p = of_i[k], &q = of_j[l];
        if (p.centred && q.centred && (at_i.position - at_j.position).norm() > p.radius + q.radius + within) continue;
        // A wider reach asks less of the certainty of a distance; what is beyond is left out by `add_patch`.
        const bool faces = polyhedral(p) && polyhedral(q);
        const double asked = faces ? std::max(within, 0.01 * std::min(p.radius, q.radius)) : within;
        auto found = features({i, k, &p, at_i}, {j, l, &q, at_j}, asked);
        if (!found) return tl::unexpected(in_pair(found.error(), i, j));
        if (faces && !found->empty()) {
          add_patch({i, k, &p, at_i}, {j, l, &q, at_j}, *found, within, out);
          continue;
        }
        out.insert(out.end(), found->begin(), found->end());
      }
    std::optional<Error> failed;
    each_field_pair({i, &bodies[i].shapes, at_i}, {j, &bodies[j].shapes, at_j},
                    [&](const BodyField& field, Index number, const BodyShape& shape) {
                      if (failed || shapes_apart(field.body, number, shape.body, shape.index)) return;
                      const auto found = field_features(field, shape, {within, 0.1 * shape.part->radius, most_tilt});
                      if (!found) {
                        failed = in_pair(found.error(), i, j);
                        return;
                      }
                      // Contacts of one triangle differ by their kind and by the part of the shape.
                      for (FoundFeature f : *found) {
                        f.feature.corner = static_cast<int>(f.feature.kind) * 1000000 +
                                           (f.feature.a == field.body ? f.feature.part_b : f.feature.part_a);
                        out.push_back(f);
                      }
                    });
    if (failed) return tl::unexpected(*failed);
    return out;
  }
  [[nodiscard]] Error in_pair(Error error, Index i, Index j) const {
    if (error.path.empty()) error.path = "contact";
    error.value = world.bodies[i].name + " and " + world.bodies[j].name;
    return error;
  }
  [[nodiscard]] bool shapes_apart(Index i, Index k, Index j, Index l) const {
    if (world.shapes_apart.empty()) return false;
    const std::array<std::uint32_t, 4> key = i < j ? std::array{i, k, j, l} : std::array{j, l, i, k};
    return std::binary_search(world.shapes_apart.begin(), world.shapes_apart.end(), key);
  }
  [[nodiscard]] static bool polyhedral(const ShapePart& part) {
    return part.shape.core == ConvexShape::Core::box || part.shape.core == ConvexShape::Core::hull;
  }
  /// Faces that rest on each other touch at all their corners, though the overlap tilts them, (TS11).
  static void add_patch(const BodyShape& a, const BodyShape& b, const std::vector<FoundFeature>& found, double within,
                        std::vector<FoundFeature>& out) {
    const auto deepest = std::min_element(found.begin(), found.end(), [](const FoundFeature& x, const FoundFeature& y) {
      return x.touch.gap < y.touch.gap;
    });
    const bool order = deepest->feature.a == a.body;
    const BodyShape &first = order ? a : b, &second = order ? b : a;
    int corner = 0;
    for (const Touch& touch : tilted_patch(placed(*first.part, first.pose), placed(*second.part, second.pose),
                                           deepest->touch, most_tilt, within)) {
      if (touch.gap > within) continue;
      FoundFeature one = *deepest;
      one.touch = touch;
      one.feature.corner = corner++;
      out.push_back(one);
    }
  }

  // One step.

  /// A fixed body keeps its velocity.
  [[nodiscard]] StepState fixed_state(Index i, double t) const {
    const RigidBody& b = world.bodies[i].body;
    StepState out;
    out.x = b.position + t * b.velocity;
    out.v = b.velocity;
    const Quaternion start = b.orientation.normalized();
    out.q = turned(Quaternion::Identity(), 0.5 * t * b.angular_velocity) * start;
    out.omega = out.q.conjugate() * b.angular_velocity;
    return out;
  }

  [[nodiscard]] SweepState sweep_state(const std::vector<StepState>& at,
                                       const std::vector<StepMechanism>& mechanisms) const {
    SweepState out;
    out.bodies.resize(bodies.size());
    for (Index i = 0; i < bodies.size(); ++i) {
      SweepBody& body = out.bodies[i];
      if (bodies[i].mechanism >= 0) continue;  // its velocity is in the speeds of the mechanism
      body.v = at[i].v;
      body.w = at[i].q * at[i].omega;
      if (bodies[i].fixed) {
        body.w = world.bodies[i].body.angular_velocity;
        continue;
      }
      const Mat3 R = at[i].q.toRotationMatrix();
      body.inverse_mass = 1 / bodies[i].mass;
      body.inverse_inertia = R * bodies[i].inverse * R.transpose();
    }
    for (const StepMechanism& m : mechanisms) out.speeds.push_back(m.u);
    return out;
  }

  void add_joints(const std::vector<StepState>& at, std::vector<SweepContact>& out) const {
    for (std::size_t k = 0; k < world.joints.size(); ++k) {
      const BallJoint& joint = world.joints[k];
      const auto arm = [&](std::size_t i) {
        const RigidBody& b = world.bodies[i].body;
        return Vec3(at[i].q * (b.orientation.normalized().conjugate() * (joint.point - b.position)));
      };
      SweepContact c;
      c.a = static_cast<Index>(joint.first);
      c.b = static_cast<Index>(joint.second);
      c.r_a = arm(joint.first);
      c.r_b = arm(joint.second);
      c.kind = SweepKind::joint;
      c.P = now.joint_impulses[k];
      out.push_back(c);
    }
  }

  [[nodiscard]] static bool is_round(const ShapePart& part) {
    using Core = ConvexShape::Core;
    const Core core = part.shape.core;
    return core == Core::point || core == Core::ellipsoid || core == Core::cylinder;
  }

  [[nodiscard]] Expected<void> add_contacts(const std::vector<StepState>& at, std::vector<SweepContact>& sweep,
                                            std::vector<StepContact>& out) const {
    for (Index i = 0; i < bodies.size(); ++i)
      for (const Index j : neighbours(i)) {
        if (j < i) continue;
        const auto found = touching(i, j, at, reach(i, j));
        if (!found) return tl::unexpected(found.error());
        for (const FoundFeature& f : *found) {
          StepContact c;
          c.key = {f.feature.a, f.feature.b, f.feature.shape_a, f.feature.shape_b, f.feature.corner};
          c.point = 0.5 * (f.touch.on_A + f.touch.on_B);
          c.gap = f.touch.gap;
          const PairLaw& law = world.law(i, j);
          c.e = law.e;
          c.round = is_round(bodies[f.feature.b].shapes.part(f.feature.shape_b)) ||
                    is_round(bodies[f.feature.a].shapes.part(f.feature.shape_a));
          SweepContact s;
          s.a = f.feature.a;
          s.b = f.feature.b;
          s.axes = axes_about(f.touch.n);
          s.r_a = c.point - at[s.a].x;
          s.r_b = c.point - at[s.b].x;
          s.mu = law.mu;
          if (const auto known = now.impulses.find(c.key); known != now.impulses.end())
            s.P = s.axes.transpose() * known->second;
          sweep.push_back(s);
          out.push_back(c);
        }
      }
    return {};
  }

  /// Contacts and joints by the bodies that they connect.
  [[nodiscard]] std::vector<std::vector<Index>> connected(const std::vector<SweepContact>& contacts) const {
    std::vector<Index> root(bodies.size());
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    for (const Mechanism& mechanism : world.mechanisms)
      for (const Index i : mechanism.bodies) root[find(i)] = find(mechanism.bodies[0]);
    for (const SweepContact& c : contacts)
      if (!bodies[c.a].fixed && !bodies[c.b].fixed) root[find(c.b)] = find(c.a);
    std::map<Index, std::vector<Index>> groups;
    for (Index k = 0; k < contacts.size(); ++k)
      groups[find(bodies[contacts[k].a].fixed ? contacts[k].b : contacts[k].a)].push_back(k);
    std::vector<std::vector<Index>> out;
    out.reserve(groups.size());
    for (auto& [first, members] : groups) out.push_back(std::move(members));
    return out;
  }

  /// Solves one group. `before`: V⁻ of all, contacts first.
  void solve_group(const std::vector<Index>& members, std::vector<SweepContact>& sweep, SweepState& moving,
                   const std::vector<StepContact>& contacts, const std::vector<Vec3>& before, StepStatistics& counts,
                   double end) const {
    const auto set_offsets = [&](double delta) {
      for (const Index k : members) {
        const Vec3& V = before[k];
        if (sweep[k].kind == SweepKind::joint)
          sweep[k].offset = V;
        else if (sweep[k].kind == SweepKind::dry)
          sweep[k].offset.setZero();
        else
          sweep[k].offset << (V(0) > 0 ? 1.0 : contacts[k].e) * V(0), delta * V(1), delta * V(2);
      }
    };
    set_offsets(0);
    double speed = 0;
    for (const Index k : members)
      speed = std::max(speed, (contact_velocity(sweep[k], moving) + sweep[k].offset).cwiseAbs().maxCoeff());
    const SweptVelocities free(sweep, members, moving);
    const auto solve = [&](double delta) {
      free.restore(moving);
      set_offsets(delta);
      const SweepOutcome out = sweep_impulses(sweep, moving, members, 1e-12 * speed, options.most_sweeps);
      counts.sweeps += out.sweeps;
      return out.residual;
    };
    /// Whether contacts add more energy than the sweeps leave open.
    const auto gains = [&](double left) {
      double work = 0, impulse = 0;
      for (const Index k : members) {
        if (sweep[k].kind == SweepKind::joint) continue;
        work += 0.5 * sweep[k].P.dot(before[k] + contact_velocity(sweep[k], moving));
        impulse += sweep[k].P.norm();
      }
      return work > impulse * std::max(1e-12 * speed, left);
    };
    double residual = solve(0);
    if (gains(residual)) {
      if (counts.tempered == now.statistics.tempered) ++counts.tempered;  // once a step
      double low = 0, high = 1;
      residual = solve(1);
      auto kept = std::pair(sweep, moving);
      while (high - low > 1.0 / 8) {
        const double middle = 0.5 * (low + high), left = solve(middle);
        if (gains(left)) {
          low = middle;
          continue;
        }
        high = middle;
        residual = left;
        kept = {sweep, moving};
      }
      std::tie(sweep, moving) = std::move(kept);
    }
    if (residual > 1e-6 * speed) {
      if (counts.not_converged == 0) counts.first_not_converged_time = end;
      if (counts.not_converged == now.statistics.not_converged) ++counts.not_converged;  // once a step
      counts.largest_residual = std::max(counts.largest_residual, residual);
    }
  }

  [[nodiscard]] Expected<Coming> next_step() {
    const double h = options.step, end = step_time(now.statistics.steps + 1), half = end - 0.5 * h;
    Coming out;
    StepRecord& record = out.record;
    record.pairs = now.pairs;
    record.lost_to_impact = now.lost_to_impact;
    record.lost_to_friction = now.lost_to_friction;
    record.applied_work = now.applied_work;
    record.statistics = now.statistics;
    ++record.statistics.steps;
    out.middle = now.states;
    const auto too_far = [&](const std::string& name, const char* why) {
      return fail(ErrorCode::not_converged, "step", to_text(h), name + why + "; take a shorter step");
    };
    std::vector<StepMechanism> middle = now.mechanisms;
    std::vector<Driven> driven;
    for (std::size_t m = 0; m < middle.size(); ++m) {
      const Mechanism& mechanism = world.mechanisms[m];
      const auto moved = ricochet::advance(mechanism.tree, middle[m].q, middle[m].u, 0.5 * h);
      auto next = moved ? drive(mechanism, *moved, middle[m].u, half, h) : std::optional<Driven>();
      if (!next)
        return too_far(mechanism.name.empty() ? "the robot" : mechanism.name,
                       " moves too far in a step for the midpoint rule");
      middle[m].q = *moved;
      driven.push_back(*std::move(next));
      out.middle_q.push_back(middle[m].q);
    }
    std::vector<TreeState> trees;
    if (!tree_states(middle, trees))
      return fail(ErrorCode::overflow, "time", to_text(end), "the motion leaves the range of numbers");
    for (Index i = 0; i < bodies.size(); ++i) {
      StepState& s = out.middle[i];
      if (bodies[i].fixed) {
        s = fixed_state(i, half);
        continue;
      }
      if (bodies[i].mechanism >= 0) continue;
      s.x += 0.5 * h * s.v;
      s.q = turned(s.q, 0.25 * h * s.omega);
      const auto freely = turn_freely(bodies[i], s.omega, h);
      if (!freely)
        return fail(ErrorCode::not_converged, "step", to_text(h),
                    world.bodies[i].name + " turns by " + to_text(s.omega.norm() * h) +
                        " rad in a step, too far for the midpoint rule; take a shorter step");
      s.omega = *freely;
    }
    for (std::size_t m = 0; m < middle.size(); ++m)
      place_links(world.mechanisms[m], middle[m].q, middle[m].u, out.middle);
    place_boxes(out.middle);
    std::vector<SweepContact> sweep;
    std::vector<StepContact> contacts;
    if (const auto fine = add_contacts(out.middle, sweep, contacts); !fine) return tl::unexpected(fine.error());
    add_joint_rows(trees, sweep, contacts);
    add_joints(out.middle, sweep);
    add_links(trees, sweep);
    SweepState moving = sweep_state(out.middle, middle);
    prepare(sweep, moving);
    std::vector<Vec3> before;
    before.reserve(sweep.size());
    for (const SweepContact& c : sweep) before.push_back(contact_velocity(c, moving));
    const std::vector<SweepBody> at_start = moving.bodies;
    for (std::size_t m = 0; m < driven.size(); ++m) moving.speeds[m] = driven[m].u;
    std::vector<AppliedLoad> loads(bodies.size());
    for (Index i = 0; i < bodies.size(); ++i) {
      if (bodies[i].fixed) continue;
      for (const AppliedForce* force : bodies[i].forces) {
        const AppliedLoad load = load_at(*force, half);
        loads[i].force += load.force;
        loads[i].torque += load.torque;
      }
      if (bodies[i].mechanism >= 0) continue;
      SweepBody& body = moving.bodies[i];
      body.v += h * (world.gravity + loads[i].force / bodies[i].mass);
      body.w += h * (body.inverse_inertia * loads[i].torque);
    }
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      contacts[k].before = before[k];
      contacts[k].free = contact_velocity(sweep[k], moving);
      record.statistics.largest_overlap = std::max(record.statistics.largest_overlap, -contacts[k].gap);
    }
    record.statistics.contacts += contacts.size();
    const auto groups = connected(sweep);
    for (const auto& members : groups) solve_group(members, sweep, moving, contacts, before, record.statistics, end);
    record.states = out.middle;
    for (std::size_t m = 0; m < middle.size(); ++m) {
      const Mechanism& mechanism = world.mechanisms[m];
      const VecX u = moving.speeds[m], mean = 0.5 * (u + middle[m].u);
      const auto moved = ricochet::advance(mechanism.tree, middle[m].q, u, 0.5 * h);
      if (!moved || !u.allFinite())
        return fail(ErrorCode::overflow, "time", to_text(end), "the motion leaves the range of numbers");
      record.mechanisms.push_back({*moved, u});
      place_links(mechanism, *moved, u, record.states);
      if (mechanism.damping.size() > 0)
        record.lost_to_friction += h * mean.dot(mechanism.damping.cwiseProduct(driven[m].mean));
      for (const JointForce& force : mechanism.forces)
        record.applied_work += h * force_at(force, half) * mean(force.speed);
      for (std::size_t k = 0; k < mechanism.bodies.size(); ++k) {
        const AppliedLoad& load = loads[mechanism.bodies[k]];
        if (load.force.isZero(0) && load.torque.isZero(0)) continue;
        const Eigen::Matrix<double, 6, 1> velocity = trees[m].jacobian(k) * mean;
        record.applied_work += h * (load.force.dot(velocity.head<3>()) + load.torque.dot(velocity.tail<3>()));
      }
    }
    for (Index i = 0; i < bodies.size(); ++i) {
      StepState& s = record.states[i];
      if (bodies[i].fixed) {
        s = fixed_state(i, end);
        continue;
      }
      if (bodies[i].mechanism >= 0) continue;
      const SweepBody& body = moving.bodies[i];
      s.v = body.v;
      s.omega = out.middle[i].q.conjugate() * body.w;
      s.x += 0.5 * h * s.v;
      s.q = turned(s.q, 0.25 * h * s.omega);
      if (!s.x.allFinite() || !s.v.allFinite() || !s.omega.allFinite())
        return fail(ErrorCode::overflow, "time", to_text(end), "the motion leaves the range of numbers");
      record.applied_work +=
          0.5 * h * (loads[i].force.dot(at_start[i].v + body.v) + loads[i].torque.dot(at_start[i].w + body.w));
    }
    for (std::size_t k = 0; k < sweep.size(); ++k) {
      const SweepContact& c = sweep[k];
      const Vec3 P = c.axes * c.P;
      // A fixed body that moves does work.
      for (const bool second : {false, true}) {
        const Index i = second ? c.b : c.a;
        if (!bodies[i].fixed) continue;
        const double power = P.dot(moving.bodies[i].v + moving.bodies[i].w.cross(second ? c.r_b : c.r_a));
        record.applied_work += second ? -power : power;
      }
      if (c.kind == SweepKind::joint) {
        record.joint_impulses.push_back(P);
        // Zero but for the residual.
        record.lost_to_impact -= 0.5 * c.P.dot(before[k] + contact_velocity(c, moving));
      } else {
        contacts[k].after = contact_velocity(c, moving);
        record.impulses[contacts[k].key] = P;
      }
    }
    report(out, sweep, contacts, groups, record.states, end);
    return out;
  }

  // Events and losses.

  void report(Coming& out, const std::vector<SweepContact>& sweep, const std::vector<StepContact>& contacts,
              const std::vector<std::vector<Index>>& groups, const std::vector<StepState>& moving, double end) const {
    StepRecord& record = out.record;
    std::vector<std::uint32_t> together(sweep.size(), 1);
    for (const auto& members : groups) {
      const auto loaded = std::count_if(members.begin(), members.end(), [&](Index k) {
        return (sweep[k].kind == SweepKind::contact || sweep[k].kind == SweepKind::stop) && sweep[k].P(0) > 0;
      });
      for (const Index k : members) together[k] = static_cast<std::uint32_t>(loaded);
    }
    struct Seen {
      bool carries = false, struck = false, slides = false, rolls = false;
      Vec3 point = Vec3::Zero(), n = Vec3::UnitZ();
    };
    std::map<StepPair, Seen> seen;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const StepContact& c = contacts[k];
      const SweepContact& s = sweep[k];
      if (s.kind == SweepKind::dry || s.kind == SweepKind::stop) {
        (s.kind == SweepKind::dry ? record.lost_to_friction : record.lost_to_impact) -=
            0.5 * s.P(0) * (c.before(0) + c.after(0));
        continue;
      }
      const bool order = s.a < s.b;
      Seen& pair = seen[order ? StepPair{s.a, s.b} : StepPair{s.b, s.a}];
      pair.point = c.point;
      pair.n = order ? Vec3(s.axes.col(0)) : Vec3(-s.axes.col(0));
      if (!(s.P(0) > 0)) continue;
      pair.carries = true;
      const Vec3 mean = 0.5 * (c.before + c.after);
      const double normal = s.P(0) * mean(0), tangential = s.P.tail<2>().dot(mean.tail<2>());
      const double given = options.step * world.gravity.norm();
      const double speed = c.before.norm() + c.free.norm() + moving[s.a].v.norm() + moving[s.b].v.norm() + given;
      pair.slides = pair.slides || (!s.sticks && c.after.tail<2>().norm() > 1e-8 * speed);
      const Vec3 turning = moving[s.b].q * moving[s.b].omega - moving[s.a].q * moving[s.a].omega;
      pair.rolls = pair.rolls || (c.round && turning.norm() * size > 1e-8 * speed);
      if (-c.before(0) > 2 * std::max(std::abs(c.free(0) - c.before(0)), given) + 1e-10 * speed) {
        pair.struck = true;
        record.lost_to_impact -= normal + tangential;
        Event e;
        e.time = end;
        e.kind = EventKind::impact;
        e.body_a = std::min(s.a, s.b);
        e.body_b = std::max(s.a, s.b);
        e.point = c.point;
        e.n = pair.n;
        e.P = (order ? 1.0 : -1.0) * (s.axes * s.P);
        e.energy_change = normal + tangential;
        e.approach = -c.before(0);
        e.slip = c.before.tail<2>().norm();
        e.together = together[k];
        e.V = (order ? 1.0 : -1.0) * (s.axes * c.before);
        out.events.push_back(e);
      } else {
        record.lost_to_impact -= normal;
        record.lost_to_friction -= tangential;
      }
    }
    report_pairs(out, seen, end);
  }

  template <class SeenPairs>
  void report_pairs(Coming& out, const SeenPairs& seen, double end) const {
    StepRecord& record = out.record;
    const auto tell = [&](const StepPair& key, EventKind kind, const Vec3& point, const Vec3& n) {
      Event e;
      e.time = end;
      e.kind = kind;
      e.body_a = key.first;
      e.body_b = key.second;
      e.point = point;
      e.n = n;
      out.events.push_back(e);
    };
    for (auto& [pair, last] : record.pairs) {
      if (!last.lasts || seen.count(pair) != 0) continue;
      tell(pair, EventKind::lift_off, last.point, last.n);
      last = {};
    }
    for (const auto& [key, pair] : seen) {
      if (!pair.carries) continue;
      StepPairState& state = record.pairs[key];
      if (pair.struck) {
        state.bounced = state.bounced || !state.lasts;
      } else if (!state.lasts) {
        state.lasts = true;
        if (state.bounced) tell(key, EventKind::rest, pair.point, pair.n);
        state.bounced = false;
        state.slides = pair.slides;
      } else if (state.slides && !pair.slides) {
        tell(key, pair.rolls ? EventKind::roll : EventKind::stick, pair.point, pair.n);
      } else if (!state.slides && pair.slides) {
        tell(key, EventKind::slip, pair.point, pair.n);
      }
      state.slides = pair.slides;
      state.rolls = pair.rolls;
      state.point = pair.point;
      state.n = pair.n;
    }
    std::erase_if(record.pairs, [](const auto& entry) { return !entry.second.lasts && !entry.second.bounced; });
  }

  // The run.

  [[nodiscard]] Expected<void> have_coming() {
    if (coming) return {};
    auto step = next_step();
    if (!step) return tl::unexpected(step.error());
    coming = *std::move(step);
    return {};
  }

  [[nodiscard]] std::vector<Pose> poses_now() const {
    std::vector<Pose> out;
    out.reserve(bodies.size());
    for (Index i = 0; i < bodies.size(); ++i) out.push_back(pose_of(i, now.states[i]));
    return out;
  }

  /// At a time within the coming step: positions of (TS1), velocities in between.
  [[nodiscard]] std::vector<Pose> poses_within(double t) const {
    const double h = options.step, passed = t - step_time(now.statistics.steps);
    std::vector<Pose> out;
    std::vector<StepState> of_links = now.states;
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
      const Mechanism& mechanism = world.mechanisms[m];
      const StepMechanism &from = now.mechanisms[m], &to = coming->record.mechanisms[m];
      const bool first = passed <= 0.5 * h;
      const auto q = ricochet::advance(mechanism.tree, first ? from.q : coming->middle_q[m], first ? from.u : to.u,
                                       first ? passed : passed - 0.5 * h);
      if (q) place_links(mechanism, *q, from.u + passed / h * (to.u - from.u), of_links);
    }
    for (Index i = 0; i < bodies.size(); ++i) {
      if (bodies[i].mechanism >= 0) {
        out.push_back(pose_of(i, of_links[i]));
        continue;
      }
      const StepState &a = now.states[i], &m = coming->middle[i], &b = coming->record.states[i];
      StepState s = a;
      if (bodies[i].fixed) {
        s = fixed_state(i, t);
      } else if (passed <= 0.5 * h) {
        s.x += passed * a.v;
        s.q = turned(a.q, 0.5 * passed * a.omega);
      } else {
        s.x = m.x + (passed - 0.5 * h) * b.v;
        s.q = turned(m.q, 0.5 * (passed - 0.5 * h) * b.omega);
      }
      s.v = a.v + passed / h * (b.v - a.v);
      s.omega = a.omega + passed / h * (b.omega - a.omega);
      out.push_back(pose_of(i, s));
    }
    return out;
  }

  [[nodiscard]] Expected<void> run(double until, const Observer& seen, double interval) {
    if (!std::isfinite(until) || until < time)
      return fail(ErrorCode::out_of_range, "until", to_text(until), "must be a finite time that is not over");
    if (!(interval >= 0 && std::isfinite(interval)))
      return fail(ErrorCode::out_of_range, "sample_interval", to_text(interval), "must be finite and not negative");
    auto next_sample = static_cast<std::int64_t>(interval > 0 ? std::floor(time / interval) + 1 : 0);
    /// Samples up to the time t, which is not after the coming step.
    const auto samples_to = [&](double t, bool inclusive) -> Expected<void> {
      if (!(interval > 0) || !seen.sample) return {};
      for (;; ++next_sample) {
        const double s = static_cast<double>(next_sample) * interval;
        if (s > t || (!inclusive && s >= t)) return {};
        if (const auto fine = have_coming(); !fine) return fine;
        seen.sample(s, poses_within(s));
      }
    };
    for (;;) {
      const double end = step_time(now.statistics.steps + 1);
      if (end > until) break;
      if (const auto fine = have_coming(); !fine) return fine;
      if (const auto fine = samples_to(end, false); !fine) return fine;
      Coming done = *std::move(coming);
      coming.reset();
      now = std::move(done.record);
      time = end;
      events += done.events.size();
      if (seen.event)
        for (const Event& event : done.events) seen.event(event);
      const bool due = interval > 0 && static_cast<double>(next_sample) * interval == end;
      if (seen.sample && (due || !done.events.empty())) seen.sample(end, poses_now());
      if (due) ++next_sample;
      if (options.max_events > 0 && events >= options.max_events) return {};
    }
    if (const auto fine = samples_to(until, true); !fine) return fine;
    time = until;
    return {};
  }

  [[nodiscard]] std::vector<Pose> poses() {
    if (!(time > step_time(now.statistics.steps))) return poses_now();
    return have_coming() ? poses_within(time) : poses_now();
  }

  [[nodiscard]] double kinetic() const {
    double out = 0;
    for (Index i = 0; i < bodies.size(); ++i) {
      const StepState& s = now.states[i];
      if (!bodies[i].fixed)
        out += 0.5 * bodies[i].mass * s.v.squaredNorm() + 0.5 * s.omega.dot(bodies[i].inertia * s.omega);
    }
    for (std::size_t m = 0; m < now.mechanisms.size(); ++m)
      out += rotor_energy(world.mechanisms[m], now.mechanisms[m].u);
    return out;
  }
  [[nodiscard]] double potential() const {
    double out = 0;
    for (Index i = 0; i < bodies.size(); ++i)
      if (!bodies[i].fixed) out -= bodies[i].mass * world.gravity.dot(now.states[i].x);
    for (std::size_t m = 0; m < now.mechanisms.size(); ++m)
      out += spring_energy(world.mechanisms[m], now.mechanisms[m].q);
    return out;
  }

  template <class Archive>
  void keep_all(Archive& ar) {
    double step = options.step;
    keep(ar, step);
    if constexpr (Archive::reads)
      if (step != options.step) ar.spoil();
    keep(ar, now);
    keep(ar, time);
    keep(ar, events);
    keep(ar, start_energy);
  }
};

namespace {
constexpr std::string_view stepping_mark = "ricochet time stepping 2\n";
}

TimeStepping::TimeStepping(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
TimeStepping::TimeStepping(TimeStepping&&) noexcept = default;
TimeStepping& TimeStepping::operator=(TimeStepping&&) noexcept = default;
TimeStepping::~TimeStepping() = default;

Expected<TimeStepping> TimeStepping::start(World world, const StepOptions& options) {
  auto engine = std::make_unique<Engine>();
  engine->world = std::move(world);
  engine->options = options;
  if (const auto fine = engine->begin(); !fine) return tl::unexpected(fine.error());
  return TimeStepping(std::move(engine));
}

Expected<TimeStepping> TimeStepping::resume(World world, std::string_view checkpoint, const StepOptions& options) {
  if (checkpoint.substr(0, stepping_mark.size()) != stepping_mark)
    return fail(ErrorCode::malformed, "checkpoint", "", "is not one of time stepping by this version");
  auto engine = std::make_unique<Engine>();
  engine->world = std::move(world);
  engine->options = options;
  if (const auto fine = engine->prepare_bodies(); !fine) return tl::unexpected(fine.error());
  Reading ar(checkpoint.substr(stepping_mark.size()));
  engine->keep_all(ar);
  const auto fits = [&] {
    const std::vector<StepMechanism>& read = engine->now.mechanisms;
    if (read.size() != engine->world.mechanisms.size()) return false;
    for (std::size_t m = 0; m < read.size(); ++m)
      if (read[m].q.size() != engine->world.mechanisms[m].q.size() ||
          read[m].u.size() != engine->world.mechanisms[m].u.size())
        return false;
    return true;
  };
  if (!ar.good() || !ar.at_end() || !fits() || engine->now.states.size() != engine->bodies.size() ||
      engine->now.joint_impulses.size() != engine->world.joints.size())
    return fail(ErrorCode::malformed, "checkpoint", "", "is damaged, or of another world or step");
  return TimeStepping(std::move(engine));
}

Expected<void> TimeStepping::run(double until, const Observer& observer, double sample_interval) {
  return engine_->run(until, observer, sample_interval);
}

double TimeStepping::time() const { return engine_->time; }
std::uint64_t TimeStepping::events() const { return engine_->events; }
std::vector<Pose> TimeStepping::poses() const { return engine_->poses(); }
StepStatistics TimeStepping::statistics() const { return engine_->now.statistics; }
const World& TimeStepping::world() const { return engine_->world; }

EnergyLedger TimeStepping::ledger() const {
  EnergyLedger out;
  out.kinetic = engine_->kinetic();
  out.potential = engine_->potential();
  out.start = engine_->start_energy;
  out.lost_to_impact = engine_->now.lost_to_impact;
  out.lost_to_friction = engine_->now.lost_to_friction;
  out.applied_work = engine_->now.applied_work;
  return out;
}

std::string TimeStepping::checkpoint() const {
  Writing ar;
  ar.bytes = stepping_mark;
  engine_->keep_all(ar);
  return std::move(ar.bytes);
}

}  // namespace ricochet::motion
