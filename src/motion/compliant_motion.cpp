#include "ricochet/motion/compliant_motion.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "motion/applied_load.hpp"
#include "motion/archive.hpp"
#include "motion/gap_search.hpp"
#include "motion/tree_state.hpp"
#include "ricochet/base/bracketed_secant.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/compliant/damper.hpp"

namespace ricochet::motion {
namespace compliant_detail {

using Index = std::uint32_t;
using Row = Eigen::Index;
constexpr double never = std::numeric_limits<double>::infinity();
constexpr Row body_numbers = 13;
/// ξ or η, impulse, friction loss and damper loss of a contact.
constexpr Row contact_numbers = 8;

struct CompliantBody {
  std::vector<ShapePart> parts;
  double radius = 0;
  bool fixed = false;
  int place = -1;         ///< among the bodies that move freely
  int mechanism = -1;     ///< in the world, that it is a link of
  std::size_t index = 0;  ///< among the bodies of that
  double mass = 1;
  Mat3 inertia = Mat3::Identity(), inverse = Mat3::Identity();  ///< body axes; axes of zero moment are left out
  std::vector<const AppliedForce*> forces;
  Piece fixed_piece;
};

enum class Sledge : std::uint8_t { none, stick, slide };

/// One element, (CM1) to (CM6).
struct Element {
  Feature feature;
  double c = 0, c_t = 0, mu = 0, e = 1;
  compliant::Damper damper = compliant::Damper::hysteretic;
  double coefficient = 0;  ///< γ or α
  double reference = 0;    ///< gap at first touch
  double peak = 0;         ///< δ_p, where it unloads
  bool unloading = false;  ///< hysteretic, below the peak
  bool pressing = true;    ///< N > 0, or about to be
  Sledge sledge = Sledge::stick;
  double approach = 0, slip = 0;  ///< at first touch
  double small_force = 0;         ///< below it the direction of slip is kept

  [[nodiscard]] bool hysteretic() const { return damper == compliant::Damper::hysteretic; }
};

struct ElementForce {
  ContactFrame frame;
  Vec3 point_rate = Vec3::Zero();
  double depth = 0, rate = 0;  ///< δ and δ̇
  double N = 0, N_rate = 0;
  double slip = 0;  ///< s of (CM6)
  Vec3 F = Vec3::Zero();
};

/// Why a step ends before its length.
enum class Turn : std::uint8_t { none, opens, unloads, reloads, releases, presses, slips, sticks, touches };

struct Cut {
  double time = never;
  Turn turn = Turn::none;
  std::size_t contact = 0;
  Index a = 0, b = 0;  ///< bodies that touch
};

Vec3 across(const Vec3& v, const Vec3& n) { return v - n.dot(v) * n; }

Mat3 moving_inverse(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Mat3 out = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (eigen.eigenvalues()(k) > 1e-14 * eigen.eigenvalues()(2))
      out += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() / eigen.eigenvalues()(k);
  return out;
}

}  // namespace compliant_detail

using namespace compliant_detail;

template <class Archive>
void keep_element(Archive& ar, Element& c) {
  Feature& f = c.feature;
  keep(ar, f.kind);
  for (std::uint32_t* x : {&f.a, &f.b, &f.shape_a, &f.shape_b}) keep(ar, *x);
  for (int* x : {&f.corner, &f.part_a, &f.part_b}) keep(ar, *x);
  for (Vec3* x : {&f.n, &f.p, &f.c, &f.axis, &f.lowest}) keep(ar, *x);
  for (double* x : {&f.rim, &f.margin_a, &f.margin_b, &c.c, &c.c_t, &c.mu, &c.e, &c.coefficient, &c.reference, &c.peak,
                    &c.approach, &c.slip, &c.small_force})
    keep(ar, *x);
  keep(ar, c.damper);
  keep(ar, c.unloading);
  keep(ar, c.pressing);
  keep(ar, c.sledge);
}

struct CompliantMotion::Engine {
  World world;
  CompliantOptions options;
  std::vector<CompliantBody> bodies;
  std::vector<Index> moving;   ///< free bodies by place
  std::vector<Row> tree_rows;  ///< first of the positions of each mechanism in the state, and the end of the last
  double size = 1;

  // At the start of the present step.
  double start = 0, next_step = 0;
  VecX y;  ///< free bodies, mechanisms, contacts, work of dampers, applied work
  std::vector<Element> contacts;
  double lost_to_impact = 0, lost_to_friction = 0;  ///< of contacts that have ended
  double start_energy = 0, time = 0;
  std::uint64_t events = 0, steps = 0, at_this_time = 0;

  struct Coming {
    double end = 0, following = 0;
    VecX y;
    Cut cut;
  };
  std::optional<Coming> coming;

  [[nodiscard]] Row contact_row(std::size_t k) const {
    return tree_rows.back() + contact_numbers * static_cast<Row>(k);
  }

  // Start.

  [[nodiscard]] Expected<void> prepare() {
    if (const auto fine = check(world); !fine) return fine;
    if (!(options.stiffness > 0 && std::isfinite(options.stiffness)))
      return fail(ErrorCode::out_of_range, "compliance.stiffness", to_text(options.stiffness),
                  "must be positive and finite [N/m]");
    if (!world.joints.empty()) return fail(ErrorCode::invalid, "hinge", "", "hinges do not go with compliant contacts");
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      if (const VecX& f = world.mechanisms[m].dry_friction; f.size() > 0 && !f.isZero(0))
        return fail(ErrorCode::unavailable, entry_path("robot", m), world.mechanisms[m].name,
                    "has joints with dry friction, which motion with compliant contacts does not have");
    for (Index i = 0; i < world.bodies.size(); ++i)
      if (!world.bodies[i].fields.empty())
        return fail(ErrorCode::unavailable, entry_path("body", i), world.bodies[i].name,
                    "is a height field, which compliant contacts do not have");
    for (const std::uint32_t k : world.law_of_pair)
      if (const auto fine = element_of(world.laws[k]); !fine) return tl::unexpected(fine.error());
    std::vector<std::pair<int, std::size_t>> link(world.bodies.size(), {-1, 0});
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      for (std::size_t k = 0; k < world.mechanisms[m].bodies.size(); ++k)
        link[world.mechanisms[m].bodies[k]] = {static_cast<int>(m), k};
    size = 0;
    for (Index i = 0; i < world.bodies.size(); ++i) {
      const RigidBody& given = world.bodies[i].body;
      CompliantBody& body = bodies.emplace_back();
      body.fixed = given.fixed;
      body.mass = given.mass;
      body.inertia = given.inertia;
      for (const ConvexShape& shape : world.bodies[i].shapes) {
        body.parts.push_back(make_part(shape));
        body.radius = std::max(body.radius, body.parts.back().radius);
      }
      if (std::isfinite(body.radius)) size = std::max(size, body.radius);
      if (body.fixed) {
        body.fixed_piece = fly(given, start_pose(i), Vec3::Zero(), 0, never);
        continue;
      }
      std::tie(body.mechanism, body.index) = link[i];
      if (body.mechanism >= 0) continue;
      body.inverse = moving_inverse(body.inertia);
      body.place = static_cast<int>(moving.size());
      moving.push_back(i);
    }
    if (!(size > 0)) size = 1;
    tree_rows = {body_numbers * static_cast<Row>(moving.size())};
    for (const Mechanism& m : world.mechanisms) tree_rows.push_back(tree_rows.back() + m.q.size() + m.u.size());
    for (const AppliedForce& force : world.forces) bodies[force.body].forces.push_back(&force);
    return {};
  }

  [[nodiscard]] Pose start_pose(Index i) const {
    const RigidBody& b = world.bodies[i].body;
    return {b.position, b.orientation.normalized(), b.velocity, b.angular_velocity};
  }

  /// The parameters of a pair's element; those of the contact are not set.
  [[nodiscard]] static Expected<Element> element_of(const PairLaw& law) {
    Element out;
    SpringSledge sledge;
    if (const auto* own = std::get_if<SpringSledge>(&law.law)) {
      sledge = *own;
    } else {
      if (!std::isfinite(law.e))
        return fail(ErrorCode::invalid, "law", "", "has no coefficient of restitution e for a spring-sledge contact");
      sledge.e = law.e;
      sledge.mu = law.mu;
    }
    if (!(sledge.e >= compliant::least_viscous_e))
      return fail(ErrorCode::out_of_range, "e", to_text(sledge.e),
                  "must be at least 0.0001: a spring that returns nothing has no motion");
    out.mu = sledge.mu;
    out.e = sledge.e;
    out.c_t = sledge.kappa;
    out.damper = sledge.e < 1 ? sledge.damper : compliant::Damper::hysteretic;
    return out;
  }

  [[nodiscard]] Expected<void> begin() {
    if (const auto fine = prepare(); !fine) return fine;
    y = VecX::Zero(tree_rows.back() + 2);
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      y.segment(tree_rows[m], tree_rows[m + 1] - tree_rows[m]) << world.mechanisms[m].q, world.mechanisms[m].u;
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const Pose p = start_pose(moving[k]);
      y.segment<body_numbers>(body_numbers * static_cast<Row>(k)) << p.position, p.orientation.w(), p.orientation.x(),
          p.orientation.y(), p.orientation.z(), p.velocity, p.angular_velocity;
    }
    const std::vector<Pose> at = poses(y, 0);
    for (Index i = 0; i < bodies.size(); ++i)
      for (Index j = i + 1; j < bodies.size(); ++j) {
        if (never_meet(i, j)) continue;
        const auto found = touching(i, j, at, gap_tolerance(i, j));
        if (!found) return tl::unexpected(found.error());
        for (const FoundFeature& f : *found)
          if (f.touch.gap < -1e4 * gap_tolerance(i, j))
            return fail(ErrorCode::invalid, entry_path("body", j),
                        world.bodies[i].name + " and " + world.bodies[j].name,
                        "overlap by " + to_text(-f.touch.gap) + " m at the start");
        if (const auto fine = add_touching(i, j); !fine) return fine;
      }
    const EnergyLedger first = ledger_of(y, 0);
    start_energy = first.kinetic + first.potential + first.elastic;
    return {};
  }

  // Geometry.

  [[nodiscard]] double gap_tolerance(Index a, Index b) const {
    const double r = std::min(bodies[a].radius, bodies[b].radius);
    return 1e-10 * (std::isfinite(r) && r > 0 ? r : size);
  }

  [[nodiscard]] VecX positions_of(std::size_t m, const VecX& state) const {
    return state.segment(tree_rows[m], world.mechanisms[m].q.size());
  }
  [[nodiscard]] VecX speeds_of(std::size_t m, const VecX& state) const {
    return state.segment(tree_rows[m] + world.mechanisms[m].q.size(), world.mechanisms[m].u.size());
  }

  /// Of a body that is no link.
  [[nodiscard]] Pose body_pose(Index i, const VecX& state, double t) const {
    if (bodies[i].fixed) return bodies[i].fixed_piece.pose(t);
    const auto v = state.segment<body_numbers>(body_numbers * bodies[i].place);
    return {v.head<3>(), Quaternion(v(3), v(4), v(5), v(6)).normalized(), v.segment<3>(7), v.segment<3>(10)};
  }
  /// Of all bodies.
  [[nodiscard]] std::vector<Pose> poses(const VecX& state, double t) const {
    std::vector<Pose> out(bodies.size());
    for (Index i = 0; i < bodies.size(); ++i)
      if (bodies[i].mechanism < 0) out[i] = body_pose(i, state, t);
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
      const Mechanism& mechanism = world.mechanisms[m];
      const std::vector<Pose> links = tree_poses(mechanism, positions_of(m, state), speeds_of(m, state));
      for (std::size_t k = 0; k < links.size(); ++k) out[mechanism.bodies[k]] = links[k];
    }
    return out;
  }

  [[nodiscard]] Expected<std::vector<FoundFeature>> touching(Index i, Index j, const std::vector<Pose>& at,
                                                             double within) const {
    std::vector<FoundFeature> out;
    for (Index k = 0; k < bodies[i].parts.size(); ++k)
      for (Index l = 0; l < bodies[j].parts.size(); ++l) {
        if (shapes_apart(i, k, j, l)) continue;
        auto found = features({i, k, &bodies[i].parts[k], at[i]}, {j, l, &bodies[j].parts[l], at[j]}, within);
        if (!found) return tl::unexpected(in_pair(found.error(), i, j));
        out.insert(out.end(), found->begin(), found->end());
      }
    return out;
  }
  [[nodiscard]] bool shapes_apart(Index i, Index k, Index j, Index l) const {
    if (world.shapes_apart.empty()) return false;
    const std::array<std::uint32_t, 4> key = i < j ? std::array{i, k, j, l} : std::array{j, l, i, k};
    return std::binary_search(world.shapes_apart.begin(), world.shapes_apart.end(), key);
  }
  [[nodiscard]] bool never_meet(Index i, Index j) const {
    return (bodies[i].fixed && bodies[j].fixed) || bodies[i].parts.empty() || bodies[j].parts.empty() ||
           std::binary_search(world.apart.begin(), world.apart.end(), std::pair(std::min(i, j), std::max(i, j)));
  }
  [[nodiscard]] Error in_pair(Error error, Index i, Index j) const {
    if (error.path.empty()) error.path = "contact";
    error.value = world.bodies[i].name + " and " + world.bodies[j].name;
    return error;
  }
  [[nodiscard]] bool has_element(const Feature& feature) const {
    return std::any_of(contacts.begin(), contacts.end(), [&](const Element& c) { return c.feature.same(feature); });
  }

  /// Elements for the points of two bodies that touch now and do not separate.
  [[nodiscard]] Expected<void> add_touching(Index i, Index j) {
    const std::vector<Pose> at = poses(y, start);
    const auto found = touching(i, j, at, gap_tolerance(i, j));
    if (!found) return tl::unexpected(found.error());
    for (const FoundFeature& f : *found) {
      if (f.lasting ? has_element(f.feature) : false) continue;
      if (!f.lasting)
        return tl::unexpected(in_pair(
            Error{ErrorCode::unavailable, "contact", "", "a compliant contact of such shapes has no closed form here"},
            i, j));
      const Index a = f.feature.a, b = f.feature.b;
      const Pose &at_a = at[a], &at_b = at[b];
      const ContactFrame fr =
          frame(f.feature, bodies[a].parts[f.feature.shape_a], bodies[b].parts[f.feature.shape_b], at_a, at_b);
      const double rate = fr.n.dot(fr.V), speed = at_a.velocity.norm() + at_b.velocity.norm();
      if (rate > 1e-12 * speed) continue;
      auto made = element_of(world.law(a, b));
      if (!made) return tl::unexpected(made.error());
      Element c = *made;
      c.feature = f.feature;
      c.c = options.stiffness;
      c.c_t *= c.c;
      c.reference = fr.gap;
      c.approach = std::max(-rate, 0.0);
      const double W_nn = fr.n.dot(mobility(a, b, fr.point, at) * fr.n);
      if (c.damper == compliant::Damper::linear)
        c.coefficient = compliant::linear_coefficient(c.e) * std::sqrt(c.c / W_nn);
      if (c.damper == compliant::Damper::hunt_crossley)
        c.coefficient = c.approach > 0 ? compliant::hunt_crossley_coefficient(c.e) / c.approach : 0;
      const Vec3 V_t = across(fr.V, fr.n);
      c.slip = V_t.norm();
      c.small_force = 1e-6 * (c.approach + 1e-3 * std::sqrt(world.gravity.norm() * size)) * std::sqrt(c.c / W_nn);
      VecX grown = VecX::Zero(y.size() + contact_numbers);
      const Row row = contact_row(contacts.size());
      grown.head(row) = y.head(row);
      grown.tail<2>() = y.tail<2>();
      y = std::move(grown);
      contacts.push_back(c);
      choose_sledge(contacts.size() - 1);
    }
    return {};
  }

  /// W of a point of b relative to that of a, at the present state.
  [[nodiscard]] Mat3 mobility(Index a, Index b, const Vec3& point, const std::vector<Pose>& at) const {
    Mat3 out = Mat3::Zero();
    std::vector<std::pair<int, MatX>> links;  // mechanisms that take part, and what V has of their speeds
    for (const bool second : {false, true}) {
      const Index i = second ? b : a;
      if (bodies[i].fixed) continue;
      const Mat3 arm = cross_matrix<double>(point - at[i].position);
      if (bodies[i].mechanism < 0) {
        const Mat3 R = at[i].orientation.toRotationMatrix();
        out += Mat3::Identity() / bodies[i].mass + arm * R * bodies[i].inverse * R.transpose() * arm.transpose();
        continue;
      }
      const auto m = static_cast<std::size_t>(bodies[i].mechanism);
      const auto tree = TreeState::at(world.mechanisms[m], positions_of(m, y), speeds_of(m, y));
      if (!tree) continue;
      Eigen::Matrix<double, 3, 6> measured;
      measured << Mat3::Identity(), -arm;
      const MatX J = (second ? 1.0 : -1.0) * measured * tree->jacobian(bodies[i].index);
      if (second && !links.empty() && links[0].first == bodies[i].mechanism)
        links[0].second += J;
      else
        links.emplace_back(bodies[i].mechanism, J);
    }
    for (const auto& [m, J] : links) {
      const auto of = static_cast<std::size_t>(m);
      const auto tree = TreeState::at(world.mechanisms[of], positions_of(of, y), speeds_of(of, y));
      if (tree) out += J * tree->solve(J.transpose());
    }
    return out;
  }

  /// Whether the sledge sticks or slides as N leaves zero, (L5).
  void choose_sledge(std::size_t k) {
    Element& c = contacts[k];
    c.pressing = true;
    auto own = y.segment<3>(contact_row(k));
    own.setZero();
    c.sledge = c.mu > 0 ? Sledge::stick : Sledge::none;
    if (c.sledge == Sledge::none || std::isinf(c.mu)) return;
    const ElementForce f = forces(y, start).elements[k];
    const Vec3 V_t = across(f.frame.V, f.frame.n);
    if (c.damper == compliant::Damper::linear && f.N > c.small_force) return;
    if (!(c.c_t * V_t.norm() > c.mu * std::max(f.N_rate, 0.0))) return;
    c.sledge = Sledge::slide;
    own = V_t.normalized();
  }

  // Forces.

  struct Forces {
    std::vector<ElementForce> elements;
    std::vector<Vec3> acceleration, turning;        ///< of bodies
    std::vector<VecX> position_rates, speed_rates;  ///< of mechanisms
    double applied_power = 0, damped_power = 0;
  };

  [[nodiscard]] Forces forces(const VecX& state, double t) const {
    Forces out;
    std::vector<LinkForce> loads(bodies.size());
    std::vector<std::optional<TreeState>> trees;
    std::vector<Pose> at(bodies.size());
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
      const Mechanism& mechanism = world.mechanisms[m];
      trees.push_back(TreeState::at(mechanism, positions_of(m, state), speeds_of(m, state)));
      const Vec3 none = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
      for (std::size_t k = 0; k < mechanism.bodies.size(); ++k)
        at[mechanism.bodies[k]] = trees[m] ? trees[m]->pose(k) : Pose{none, Quaternion::Identity(), none, none};
    }
    for (Index i = 0; i < bodies.size(); ++i) {
      const CompliantBody& body = bodies[i];
      if (body.mechanism < 0) at[i] = body_pose(i, state, t);
      if (body.fixed) continue;
      if (body.mechanism < 0) loads[i].force = body.mass * world.gravity;
      for (const AppliedForce* applied : body.forces) {
        const AppliedLoad load = load_at(*applied, t);
        loads[i].force += load.force;
        loads[i].torque += load.torque;
        out.applied_power += load.force.dot(at[i].velocity) + load.torque.dot(at[i].angular_velocity);
      }
    }
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Element& c = contacts[k];
      const Feature& feature = c.feature;
      const Pose &a = at[feature.a], &b = at[feature.b];
      ElementForce f;
      f.frame =
          frame(feature, bodies[feature.a].parts[feature.shape_a], bodies[feature.b].parts[feature.shape_b], a, b);
      const ContactFrame& fr = f.frame;
      // Of the middle of the overlap, but for its part along n.
      f.point_rate = fr.point_rate + (feature.kind == Feature::Kind::centres ? 0.5 : -0.5) * fr.gap * fr.n_rate;
      f.depth = c.reference - fr.gap;
      f.rate = -fr.n.dot(fr.V);
      f.N = c.pressing ? normal_force(c, f) : 0;
      Vec3 F_t = Vec3::Zero();
      const Vec3 own = across(state.segment<3>(contact_row(k)), fr.n);
      if (c.pressing && c.sledge == Sledge::stick) F_t = -c.c_t * own;
      if (c.pressing && c.sledge == Sledge::slide) F_t = -c.mu * f.N * own.normalized();
      f.F = f.N * fr.n + F_t;
      for (const bool second : {false, true}) {
        const Index i = second ? feature.b : feature.a;
        const double sign = second ? 1 : -1;
        if (bodies[i].fixed) {
          const Pose& p = second ? b : a;
          out.applied_power -= sign * f.F.dot(p.velocity + p.angular_velocity.cross(fr.point - p.position));
          continue;
        }
        loads[i].force += sign * f.F;
        loads[i].torque += sign * (fr.point - at[i].position).cross(f.F);
      }
      out.elements.push_back(f);
    }
    out.acceleration.assign(bodies.size(), Vec3::Zero());
    out.turning.assign(bodies.size(), Vec3::Zero());
    for (const Index i : moving) {
      const CompliantBody& body = bodies[i];
      const Quaternion& q = at[i].orientation;
      const Vec3 w = q.conjugate() * at[i].angular_velocity;
      out.acceleration[i] = loads[i].force / body.mass;
      out.turning[i] = q * (body.inverse * (q.conjugate() * loads[i].torque - w.cross(body.inertia * w)));
    }
    for (std::size_t m = 0; m < trees.size(); ++m) drive(m, trees[m], loads, t, out);
    for (std::size_t k = 0; k < contacts.size(); ++k) add_rates(contacts[k], state, k, at, out);
    return out;
  }

  /// What the loads on its links, its springs, dampers and joint forces do to a mechanism.
  void drive(std::size_t m, const std::optional<TreeState>& tree, const std::vector<LinkForce>& loads, double t,
             Forces& out) const {
    const Mechanism& mechanism = world.mechanisms[m];
    if (!tree) {  // a step that went too far: a shorter one is tried
      const double none = std::numeric_limits<double>::quiet_NaN();
      out.position_rates.emplace_back(VecX::Constant(mechanism.q.size(), none));
      out.speed_rates.emplace_back(VecX::Constant(mechanism.u.size(), none));
      return;
    }
    std::vector<LinkForce> own;
    own.reserve(mechanism.bodies.size());
    for (const Index i : mechanism.bodies) own.push_back(loads[i]);
    const TreeState::Driven driven = tree->driven(world.gravity, own, t);
    const auto of_links = tree->accelerations(driven.acceleration);
    for (std::size_t k = 0; k < of_links.size(); ++k) {
      out.acceleration[mechanism.bodies[k]] = of_links[k].head<3>();
      out.turning[mechanism.bodies[k]] = of_links[k].tail<3>();
    }
    for (const JointForce& force : mechanism.forces) out.applied_power += force_at(force, t) * tree->u()(force.speed);
    out.damped_power += driven.damped_power;
    out.position_rates.push_back(tree->position_rates());
    out.speed_rates.push_back(driven.acceleration);
  }

  /// 1/N of (CM5), which ends smoothly where N is small.
  [[nodiscard]] static double turning_share(const Element& c, double N) {
    return N > 0 ? N / (N * N + c.small_force * c.small_force) : 0;
  }

  /// (CM2) to (CM4), without the bound at zero, so that it is smooth up to where it is cut.
  [[nodiscard]] static double normal_force(const Element& c, const ElementForce& f) {
    switch (c.damper) {
      case compliant::Damper::linear: return c.c * f.depth + c.coefficient * f.rate;
      case compliant::Damper::hunt_crossley: return c.c * f.depth * (1 + c.coefficient * f.rate);
      case compliant::Damper::hysteretic: break;
    }
    return c.unloading ? c.c * (f.depth - (1 - c.e * c.e) * c.peak) / (c.e * c.e) : c.c * f.depth;
  }

  void add_rates(const Element& c, const VecX& state, std::size_t k, const std::vector<Pose>& at, Forces& out) const {
    ElementForce& f = out.elements[k];
    const ContactFrame& fr = f.frame;
    const auto side = [&](Index i) {
      const Pose& p = at[i];
      return Vec3(p.angular_velocity.cross(f.point_rate - p.velocity) + out.acceleration[i] +
                  out.turning[i].cross(fr.point - p.position));
    };
    if (c.hysteretic()) {
      f.N_rate = (c.unloading ? c.c / (c.e * c.e) : c.c) * f.rate;
    } else {
      const double second = -(fr.n.dot(side(c.feature.b) - side(c.feature.a)) + fr.n_rate.dot(fr.V));
      f.N_rate = c.damper == compliant::Damper::linear
                     ? c.c * f.rate + c.coefficient * second
                     : c.c * f.rate * (1 + c.coefficient * f.rate) + c.c * f.depth * c.coefficient * second;
    }
    if (!c.pressing) f.N_rate = 0;
    if (c.sledge != Sledge::slide) return;
    const Vec3 eta = across(state.segment<3>(contact_row(k)), fr.n).normalized();
    f.slip = fr.V.dot(eta) - c.mu / c.c_t * f.N_rate;
  }

  [[nodiscard]] VecX rates(const VecX& state, double t) const {
    const Forces f = forces(state, t);
    VecX out = VecX::Zero(state.size());
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const Row at = body_numbers * static_cast<Row>(k);
      const auto q = state.segment<4>(at + 3);
      const Vec3 v = q.tail<3>(), w = state.segment<3>(at + 10);
      out.segment<3>(at) = state.segment<3>(at + 7);
      out(at + 3) = -0.5 * w.dot(v);
      out.segment<3>(at + 4) = 0.5 * (q(0) * w + w.cross(v));
      out.segment<3>(at + 7) = f.acceleration[moving[k]];
      out.segment<3>(at + 10) = f.turning[moving[k]];
    }
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      out.segment(tree_rows[m], tree_rows[m + 1] - tree_rows[m]) << f.position_rates[m], f.speed_rates[m];
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Element& c = contacts[k];
      const ElementForce& e = f.elements[k];
      const ContactFrame& fr = e.frame;
      const Row at = contact_row(k);
      const Vec3 V_t = across(fr.V, fr.n), own = state.segment<3>(at);
      if (c.pressing && c.sledge == Sledge::stick) out.segment<3>(at) = V_t - fr.n * fr.n_rate.dot(own);
      if (c.pressing && c.sledge == Sledge::slide) {
        const Vec3 eta = across(own, fr.n).normalized();
        out.segment<3>(at) = -fr.n * fr.n_rate.dot(eta);
        out.segment<3>(at) += c.c_t / c.mu * turning_share(c, e.N) * (V_t - eta * eta.dot(V_t));
        out(at + 6) = c.mu * e.N * e.slip;
      }
      out.segment<3>(at + 3) = e.F;
      if (!c.hysteretic()) out(at + 7) = (e.N - c.c * e.depth) * e.rate;
    }
    out(out.size() - 2) = f.damped_power;
    out(out.size() - 1) = f.applied_power;
    return out;
  }

  // Steps.

  [[nodiscard]] VecX advance(double h, VecX* error) const {
    using State = std::vector<double>;
    boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper;
    const auto system = [&](const State& x, State& rate, double t) {
      const VecX r = rates(Eigen::Map<const VecX>(x.data(), static_cast<Row>(x.size())), t);
      std::copy(r.data(), r.data() + r.size(), rate.begin());
    };
    State in(y.data(), y.data() + y.size()), out(in.size()), err(in.size());
    stepper.do_step(system, in, start, out, h, err);
    if (error != nullptr) *error = Eigen::Map<VecX>(err.data(), static_cast<Row>(err.size()));
    VecX result = Eigen::Map<VecX>(out.data(), static_cast<Row>(out.size()));
    for (std::size_t k = 0; k < moving.size(); ++k) {
      auto q = result.segment<4>(body_numbers * static_cast<Row>(k) + 3);
      q /= q.norm();
    }
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
      normalise(world.mechanisms[m].tree, result.segment(tree_rows[m], world.mechanisms[m].q.size()));
    return result;
  }

  /// Error of a step, relative to sizes and speeds.
  [[nodiscard]] double relative(const VecX& error, double h) const {
    double speed = world.gravity.norm() * h, worst = 0;
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const Row at = body_numbers * static_cast<Row>(k);
      speed = std::max(speed, y.segment<3>(at + 7).norm() + y.segment<3>(at + 10).norm() * size);
    }
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const Row at = body_numbers * static_cast<Row>(k);
      worst = std::max({worst, error.segment<3>(at).norm() / size, error.segment<4>(at + 3).norm(),
                        speed > 0 ? error.segment<3>(at + 7).norm() / speed : 0,
                        speed > 0 ? error.segment<3>(at + 10).norm() * size / speed : 0});
    }
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
      const VecX u = speeds_of(m, y), of_q = positions_of(m, error), of_u = speeds_of(m, error);
      if (!of_q.allFinite() || !of_u.allFinite()) return never;
      if (u.size() == 0) continue;
      speed = std::max(speed, u.cwiseAbs().maxCoeff() * std::min(size, 1.0));
      const double rate = std::max(u.cwiseAbs().maxCoeff(), world.gravity.norm() * h / std::max(size, 1.0));
      worst = std::max(worst, of_q.cwiseAbs().maxCoeff() / std::min(size, 1.0));
      if (rate > 0) worst = std::max(worst, of_u.cwiseAbs().maxCoeff() / rate);
    }
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      if (contacts[k].sledge == Sledge::none) continue;
      const double scale = contacts[k].sledge == Sledge::slide ? 1 : speed * h;
      if (scale > 0) worst = std::max(worst, error.segment<3>(contact_row(k)).norm() / scale);
    }
    return std::isfinite(worst) ? worst : never;
  }

  /// (CM10), and what a step may turn.
  [[nodiscard]] double longest_step() const {
    double longest = 0.1;
    const std::vector<Pose> at = poses(y, start);
    for (Index i = 0; i < bodies.size(); ++i) {
      const double spin = bodies[i].fixed ? 0 : at[i].angular_velocity.norm();
      if (spin > 0) longest = std::min(longest, 0.1 / spin);
    }
    for (const Element& c : contacts) {
      double W = 0;
      for (const Index i : {c.feature.a, c.feature.b})
        if (!bodies[i].fixed && bodies[i].mechanism < 0)
          W += 1 / bodies[i].mass + bodies[i].radius * bodies[i].radius * bodies[i].inverse.trace();
      if (bodies[c.feature.a].mechanism >= 0 || bodies[c.feature.b].mechanism >= 0) {
        const Feature& f = c.feature;
        const Vec3 point = frame(f, bodies[f.a].parts[f.shape_a], bodies[f.b].parts[f.shape_b], at[f.a], at[f.b]).point;
        W += mobility(f.a, f.b, point, at).trace();
      }
      const double stiffest = std::max(c.hysteretic() ? c.c / (c.e * c.e) : c.c, c.mu > 0 ? c.c_t : 0.0);
      longest = std::min(longest, 0.2 / std::sqrt(stiffest * W));
      if (c.damper == compliant::Damper::linear) longest = std::min(longest, 1 / (c.coefficient * W));
    }
    return longest;
  }

  /// What is positive until the contact turns.
  struct Watch {
    Turn turn = Turn::none;
    double value = 0;
  };
  [[nodiscard]] std::vector<Watch> watches(std::size_t k, const ElementForce& f, const VecX& state) const {
    const Element& c = contacts[k];
    std::vector<Watch> out{{Turn::opens, f.depth}};
    if (c.hysteretic() && c.e < 1) {
      if (c.unloading)
        out.push_back({Turn::reloads, c.peak - f.depth});
      else
        out.push_back({Turn::unloads, f.rate});
    }
    if (!c.hysteretic() || c.unloading)
      out.push_back(c.pressing ? Watch{Turn::releases, f.N} : Watch{Turn::presses, -normal_force(c, f)});
    if (c.pressing && c.sledge == Sledge::stick && std::isfinite(c.mu))
      out.push_back({Turn::slips, c.mu * f.N - c.c_t * across(state.segment<3>(contact_row(k)), f.frame.n).norm()});
    if (c.pressing && c.sledge == Sledge::slide) out.push_back({Turn::sticks, f.slip});
    return out;
  }

  /// The first turn of a contact within the step of length h that ends at `end`.
  [[nodiscard]] Cut first_turn(const VecX& end, double h) const {
    Cut out;
    if (contacts.empty()) return out;
    const Forces before = forces(y, start), after = forces(end, start + h);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const auto first = watches(k, before.elements[k], y), last = watches(k, after.elements[k], end);
      for (std::size_t i = 0; i < last.size(); ++i) {
        if (!(last[i].value < 0)) continue;
        double at = h;
        if (first[i].value <= 0 && at_this_time > 20) {
          at = 0;  // it has turned to and fro
        } else {
          const auto value = [&](double tau) {
            const VecX state = advance(tau, nullptr);
            return watches(k, forces(state, start + tau).elements[k], state)[i].value;
          };
          // A start at zero counts as positive: what turned there has left it.
          const double from = std::max(first[i].value, std::numeric_limits<double>::min());
          at = bracketed_secant<double>(value, 0.0, from, h, last[i].value, 1e-15).hi;
        }
        if (start + at < out.time) out = {start + at, last[i].turn, k, 0, 0};
      }
    }
    return out;
  }

  [[nodiscard]] Piece piece_of(Index i, const Forces& f0, const std::vector<Pose>& from, const Forces& f1,
                               const std::vector<Pose>& to, double h) const {
    if (bodies[i].fixed) return bodies[i].fixed_piece;
    return interpolate({from[i], f0.acceleration[i], f0.turning[i]}, {to[i], f1.acceleration[i], f1.turning[i]}, start,
                       h);
  }

  /// The first touch of two bodies within the step.
  [[nodiscard]] Expected<Cut> first_touch(const VecX& end, double h) const {
    Cut out;
    const Forces f0 = forces(y, start), f1 = forces(end, start + h);
    std::vector<Piece> pieces;
    pieces.reserve(bodies.size());
    const std::vector<Pose> from = poses(y, start), to = poses(end, start + h);
    for (Index i = 0; i < bodies.size(); ++i) pieces.push_back(piece_of(i, f0, from, f1, to, h));
    for (Index i = 0; i < bodies.size(); ++i)
      for (Index j = i + 1; j < bodies.size(); ++j) {
        if (never_meet(i, j)) continue;
        if (far_apart(i, j, pieces, h)) continue;
        for (Index k = 0; k < bodies[i].parts.size(); ++k)
          for (Index l = 0; l < bodies[j].parts.size(); ++l) {
            if (shapes_apart(i, k, j, l)) continue;
            const bool flip = bodies[j].parts[l].half_space();
            const Index a = flip ? j : i, b = flip ? i : j, shape_a = flip ? l : k, shape_b = flip ? k : l;
            const MovingShape A{&bodies[a].parts[shape_a], &pieces[a]}, B{&bodies[b].parts[shape_b], &pieces[b]};
            GapSearch search;
            search.from = start;
            search.to = std::min(start + h, out.time);
            search.rounding = 4e-16 * (from[i].position.norm() + from[j].position.norm() + size);
            search.touching = gap_tolerance(i, j);
            search.still = 1e-12 * (pieces[i].speed + pieces[j].speed);
            bool whole = false;
            for (const Element& c : contacts)
              if (same_shapes(c.feature, a, b, shape_a, shape_b)) {
                whole = whole || !A.part->half_space();
                search.skipped_corners.push_back(c.feature.corner);
              }
            if (whole || !(search.to > search.from)) continue;
            const auto found = first_contact(A, B, search);
            if (!found) return tl::unexpected(in_pair(found.error(), i, j));
            if (!found->closes) continue;
            const double at = refined(i, j, found->time - start, h);
            if (start + at < out.time) out = {start + at, Turn::touches, 0, i, j};
          }
      }
    return out;
  }
  [[nodiscard]] static bool same_shapes(const Feature& f, Index a, Index b, Index shape_a, Index shape_b) {
    return (f.a == a && f.b == b && f.shape_a == shape_a && f.shape_b == shape_b) ||
           (f.a == b && f.b == a && f.shape_a == shape_b && f.shape_b == shape_a);
  }
  [[nodiscard]] bool far_apart(Index i, Index j, const std::vector<Piece>& pieces, double h) const {
    const double reach = bodies[i].radius + bodies[j].radius;
    if (!std::isfinite(reach)) return false;
    const Vec3 d = pieces[i].position(start) - pieces[j].position(start);
    return d.norm() > reach + h * (pieces[i].speed + pieces[j].speed) + 1e-6 * size;
  }

  /// Newton's method on the integrated motion for a gap that the polynomials close at `guess`.
  [[nodiscard]] double refined(Index i, Index j, double guess, double h) const {
    double at = guess;
    for (int n = 0; n < 8; ++n) {
      const std::vector<Pose> posed = poses(at > 0 ? advance(at, nullptr) : y, start + at);
      const auto found = touching(i, j, posed, 1e-6 * size);
      if (!found) return guess;
      double change = 0, nearest_gap = never;
      for (const FoundFeature& f : *found) {
        if (has_element(f.feature)) continue;
        const Index a = f.feature.a, b = f.feature.b;
        const Pose &first = posed[a], &second = posed[b];
        const Vec3 point = 0.5 * (f.touch.on_A + f.touch.on_B);
        const double rate = f.touch.n.dot(second.velocity + second.angular_velocity.cross(point - second.position) -
                                          first.velocity - first.angular_velocity.cross(point - first.position));
        if (f.touch.gap < nearest_gap && rate < 0) {
          nearest_gap = f.touch.gap;
          change = -f.touch.gap / rate;
        }
      }
      if (!std::isfinite(nearest_gap)) return guess;
      const double next = std::clamp(at + change, 0.0, h);
      const bool done = std::abs(next - at) <= 1e-15 * h || std::abs(nearest_gap) <= 2e-16 * size;
      at = next;
      if (done) break;
    }
    return at;
  }

  [[nodiscard]] Expected<void> have_coming() {
    if (coming) return {};
    const double longest = longest_step();
    double h = next_step > 0 ? std::min(next_step, longest) : longest;
    Coming out;
    for (;;) {
      if (!(h > 1e-15 * start) || !(h > 1e-300))
        return fail(ErrorCode::not_converged, "time", to_text(start), "the integration needs steps below rounding");
      VecX error;
      out.y = advance(h, &error);
      const double off = relative(error, h) / options.tolerance;
      if (off <= 1) {
        out.following = h * std::min(4.0, off > 1e-8 ? 0.9 * std::pow(off, -1.0 / 8) : 4.0);
        break;
      }
      h *= std::clamp(0.9 * std::pow(off, -1.0 / 8), 0.1, 0.9);
    }
    out.end = start + h;
    out.cut = first_turn(out.y, h);
    const auto touch = first_touch(out.y, h);
    if (!touch) return tl::unexpected(touch.error());
    if (touch->time < out.cut.time) out.cut = *touch;
    if (out.cut.turn != Turn::none) {
      const double length = out.cut.time - start;
      out.y = length > 0 ? advance(length, nullptr) : y;
      out.end = out.cut.time;
      out.following = h;
    }
    if (const auto fine = within_stops(out.y, out.end); !fine) return fine;
    coming = std::move(out);
    return {};
  }

  /// Stops of joints have no stiffness here: a motion that reaches one ends before it.
  [[nodiscard]] Expected<void> within_stops(const VecX& state, double t) const {
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
      const VecX q = positions_of(m, state);
      for (const JointLimit& limit : world.mechanisms[m].limits)
        if (q(limit.position) < limit.lower - 1e-12 || q(limit.position) > limit.upper + 1e-12)
          return fail(ErrorCode::unavailable, entry_path("robot", m), world.mechanisms[m].name,
                      "reaches a stop of a joint before " + to_text(t) +
                          " s; motion with compliant contacts has no stops, the methods events and time-stepping do");
    }
    return {};
  }

  // What a turn changes.

  void drop_contact(std::size_t k) {
    const Row at = contact_row(k);
    VecX shorter(y.size() - contact_numbers);
    shorter.head(at) = y.head(at);
    shorter.tail(y.size() - at - contact_numbers) = y.tail(y.size() - at - contact_numbers);
    y = std::move(shorter);
    contacts.erase(contacts.begin() + static_cast<std::ptrdiff_t>(k));
  }

  void emit(Event e, const Observer& seen, bool& any) {
    if (e.body_a > e.body_b) {
      std::swap(e.body_a, e.body_b);
      e.n = -e.n;
      e.P = -e.P;
    }
    e.time = start;
    ++events;
    any = true;
    if (seen.event) seen.event(e);
  }

  [[nodiscard]] double hysteresis(const Element& c, double depth) const {
    if (!c.hysteretic()) return 0;
    const double peak = c.unloading ? c.peak : std::max(depth, 0.0);
    return 0.5 * (1 - c.e * c.e) * c.c * peak * peak;
  }

  [[nodiscard]] Expected<void> turn(const Cut& cut, const Observer& seen, bool& any) {
    if (cut.turn == Turn::none) return {};
    if (cut.turn == Turn::touches) return add_touching(cut.a, cut.b);
    const std::size_t k = cut.contact;
    const ElementForce f = forces(y, start).elements[k];
    Element& c = contacts[k];
    const Row at = contact_row(k);
    Event e;
    e.body_a = c.feature.a;
    e.body_b = c.feature.b;
    e.point = f.frame.point;
    e.n = f.frame.n;
    const auto let_go = [&] {
      // Of a finite μ nothing is left in the tangential spring.
      if (c.sledge == Sledge::stick) y(at + 6) += 0.5 * c.c_t * across(y.segment<3>(at), f.frame.n).squaredNorm();
      y.segment<3>(at).setZero();
    };
    switch (cut.turn) {
      case Turn::unloads:
        c.unloading = true;
        c.peak = f.depth;
        break;
      case Turn::reloads: c.unloading = false; break;
      case Turn::releases:
        let_go();
        c.pressing = false;
        break;
      case Turn::presses: choose_sledge(k); break;
      case Turn::slips: {
        const Vec3 xi = across(y.segment<3>(at), f.frame.n);
        c.sledge = Sledge::slide;
        y.segment<3>(at) = xi.normalized();
        e.kind = EventKind::slip;
        emit(e, seen, any);
        break;
      }
      case Turn::sticks: {
        const Vec3 eta = across(y.segment<3>(at), f.frame.n).normalized();
        c.sledge = Sledge::stick;
        y.segment<3>(at) = c.mu * f.N / c.c_t * eta;
        e.kind = EventKind::stick;
        emit(e, seen, any);
        break;
      }
      case Turn::opens: {
        if (c.pressing) let_go();
        const double normal = hysteresis(c, f.depth) + y(at + 7), friction = y(at + 6);
        lost_to_impact += normal;
        lost_to_friction += friction;
        e.kind = EventKind::impact;
        e.P = y.segment<3>(at + 3);
        e.energy_change = -normal - friction;
        e.approach = c.approach;
        e.slip = c.slip;
        drop_contact(k);
        emit(e, seen, any);
        break;
      }
      case Turn::none:
      case Turn::touches: break;
    }
    return {};
  }

  // The run.

  [[nodiscard]] VecX state_at(double t) const { return t > start ? advance(t - start, nullptr) : y; }

  [[nodiscard]] std::vector<Pose> poses_at(double t) const { return poses(state_at(t), t); }

  [[nodiscard]] Expected<void> run(double until, const Observer& seen, double interval) {
    if (!std::isfinite(until) || until < time)
      return fail(ErrorCode::out_of_range, "until", to_text(until), "must be a finite time that is not over");
    if (!(interval >= 0 && std::isfinite(interval)))
      return fail(ErrorCode::out_of_range, "sample_interval", to_text(interval), "must be finite and not negative");
    auto next_sample = static_cast<std::int64_t>(interval > 0 ? std::floor(time / interval) + 1 : 0);
    const auto samples_to = [&](double t, bool inclusive) {
      if (!(interval > 0) || !seen.sample) return;
      for (;; ++next_sample) {
        const double s = static_cast<double>(next_sample) * interval;
        if (s > t || (!inclusive && s >= t)) return;
        seen.sample(s, poses_at(s));
      }
    };
    for (;;) {
      if (const auto fine = have_coming(); !fine) return fine;
      if (coming->end > until) break;
      samples_to(coming->end, false);
      const Coming done = *std::move(coming);
      coming.reset();
      at_this_time = done.end > start ? 0 : at_this_time + 1;
      if (at_this_time > 200)
        return fail(ErrorCode::not_converged, "time", to_text(start), "changes of contact do not end at this instant");
      y = done.y;
      start = done.end;
      time = std::max(time, start);
      next_step = done.following;
      ++steps;
      bool any = false;
      if (const auto fine = turn(done.cut, seen, any); !fine) return fine;
      if (any && seen.sample) {
        seen.sample(start, poses_at(start));
        if (interval > 0 && static_cast<double>(next_sample) * interval == start) ++next_sample;
      }
      if (options.max_events > 0 && events >= options.max_events) return {};
    }
    samples_to(until, true);
    time = until;
    return {};
  }

  [[nodiscard]] EnergyLedger ledger_of(const VecX& state, double t) const {
    EnergyLedger out;
    out.start = start_energy;
    out.lost_to_impact = lost_to_impact;
    out.lost_to_friction = lost_to_friction + state(state.size() - 2);
    out.applied_work = state(state.size() - 1);
    const std::vector<Pose> posed = poses(state, t);
    for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
      out.kinetic += rotor_energy(world.mechanisms[m], speeds_of(m, state));
      out.potential += spring_energy(world.mechanisms[m], positions_of(m, state));
    }
    for (Index i = 0; i < bodies.size(); ++i) {
      if (bodies[i].fixed) continue;
      const Pose& p = posed[i];
      const Vec3 w = p.orientation.conjugate() * p.angular_velocity;
      out.kinetic += 0.5 * bodies[i].mass * p.velocity.squaredNorm() + 0.5 * w.dot(bodies[i].inertia * w);
      out.potential -= bodies[i].mass * world.gravity.dot(p.position);
    }
    const Forces f = forces(state, t);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Element& c = contacts[k];
      const ElementForce& e = f.elements[k];
      const Row at = contact_row(k);
      out.lost_to_impact += hysteresis(c, e.depth) + state(at + 7);
      out.lost_to_friction += state(at + 6);
      out.elastic += c.hysteretic() ? c.e * c.e * e.N * e.N / (2 * c.c) : 0.5 * c.c * e.depth * e.depth;
      if (!c.pressing || c.sledge == Sledge::none) continue;
      const double pull =
          c.sledge == Sledge::slide ? c.mu * e.N : c.c_t * across(state.segment<3>(at), e.frame.n).norm();
      out.elastic += pull * pull / (2 * c.c_t);
    }
    return out;
  }

  template <class Archive>
  void keep_all(Archive& ar) {
    double stiffness = options.stiffness;
    std::uint64_t count = bodies.size();
    keep(ar, stiffness);
    keep(ar, count);
    if constexpr (Archive::reads)
      if (stiffness != options.stiffness || count != bodies.size()) ar.spoil();
    keep(ar, y);
    std::uint64_t length = contacts.size();
    keep_length(ar, length);
    if constexpr (Archive::reads) contacts.resize(length);
    for (Element& c : contacts) keep_element(ar, c);
    for (double* x : {&start, &next_step, &lost_to_impact, &lost_to_friction, &start_energy, &time}) keep(ar, *x);
    for (std::uint64_t* x : {&events, &steps, &at_this_time}) keep(ar, *x);
  }

  /// Whether what was read fits the bodies.
  [[nodiscard]] bool fits() const {
    if (y.size() != contact_row(contacts.size()) + 2) return false;
    return std::all_of(contacts.begin(), contacts.end(), [&](const Element& c) {
      return c.feature.a < bodies.size() && c.feature.b < bodies.size() &&
             c.feature.shape_b < bodies[c.feature.b].parts.size();
    });
  }
};

namespace {
constexpr std::string_view compliant_mark = "ricochet compliant motion 2\n";
}

CompliantMotion::CompliantMotion(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
CompliantMotion::CompliantMotion(CompliantMotion&&) noexcept = default;
CompliantMotion& CompliantMotion::operator=(CompliantMotion&&) noexcept = default;
CompliantMotion::~CompliantMotion() = default;

Expected<CompliantMotion> CompliantMotion::start(World world, const CompliantOptions& options) {
  auto engine = std::make_unique<Engine>();
  engine->world = std::move(world);
  engine->options = options;
  if (const auto fine = engine->begin(); !fine) return tl::unexpected(fine.error());
  return CompliantMotion(std::move(engine));
}

Expected<CompliantMotion> CompliantMotion::resume(World world, std::string_view checkpoint,
                                                  const CompliantOptions& options) {
  if (checkpoint.substr(0, compliant_mark.size()) != compliant_mark)
    return fail(ErrorCode::malformed, "checkpoint", "", "is not one of compliant motion by this version");
  auto engine = std::make_unique<Engine>();
  engine->world = std::move(world);
  engine->options = options;
  if (const auto fine = engine->prepare(); !fine) return tl::unexpected(fine.error());
  Reading ar(checkpoint.substr(compliant_mark.size()));
  engine->keep_all(ar);
  if (!ar.good() || !ar.at_end() || !engine->fits())
    return fail(ErrorCode::malformed, "checkpoint", "", "is damaged, or of another world or stiffness");
  return CompliantMotion(std::move(engine));
}

Expected<void> CompliantMotion::run(double until, const Observer& observer, double sample_interval) {
  return engine_->run(until, observer, sample_interval);
}

double CompliantMotion::time() const { return engine_->time; }
std::uint64_t CompliantMotion::events() const { return engine_->events; }
std::uint64_t CompliantMotion::steps() const { return engine_->steps; }
std::vector<Pose> CompliantMotion::poses() const { return engine_->poses_at(engine_->time); }
EnergyLedger CompliantMotion::ledger() const {
  return engine_->ledger_of(engine_->state_at(engine_->time), engine_->time);
}
const World& CompliantMotion::world() const { return engine_->world; }

std::string CompliantMotion::checkpoint() const {
  Writing ar;
  ar.bytes = compliant_mark;
  engine_->keep_all(ar);
  return std::move(ar.bytes);
}

}  // namespace ricochet::motion
