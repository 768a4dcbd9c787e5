/// Derivatives of the motion of mechanisms by their start, their joints and the laws, against differences of the
/// simulation and against free bodies.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "motion/history.hpp"
#include "motion/mechanism_worlds.hpp"
#include "ricochet/law/law.hpp"
#include "ricochet/motion/sensitivity.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

PairLaw rough(double e, double mu) {
  ChatterjeeRuina law;
  law.e = e;
  law.mu = mu;
  return {law, mu, mu};
}

const SensitivityInput& input_of(const Sensitivity& s, std::string_view name) {
  for (const SensitivityInput& input : s.inputs)
    if (input.name == name) return input;
  ADD_FAILURE() << "no input " << name;
  return s.inputs.front();
}

Sensitivity differentiated(const World& world, double until) {
  auto out = simulate_with_sensitivity(world, until);
  if (!out) {
    ADD_FAILURE() << out.error().message();
    return {};
  }
  return *std::move(out);
}

/// q and u of the only mechanism at the end, of joints that have as many positions as speeds.
VecX end_of(const World& world, double until) {
  const auto history = record_history(world, until, {});
  if (!history) {
    ADD_FAILURE() << history.error().message();
    return {};
  }
  const RecordedMechanism& m = history->end_mechanisms[0];
  VecX out(m.q.size() + m.u.size());
  out << m.q, m.u;
  return out;
}

using Change = std::function<void(World&, double)>;

void compare(const World& world, double until, const Sensitivity& s, std::string_view name, int component,
             const Change& change) {
  const auto central = [&](double h) {
    World low = world, high = world;
    change(low, -h);
    change(high, h);
    return VecX((end_of(high, until) - end_of(low, until)) / (2 * h));
  };
  constexpr double h = 1e-4;
  const VecX expected = (4 * central(h / 2) - central(h)) / 3;
  ASSERT_FALSE(s.kink) << s.kink->what << " at " << s.kink->time;
  const VecX got = s.state.col(input_of(s, name).first + component);
  EXPECT_LT((got - expected).norm(), 1e-7 * (1 + expected.norm()))
      << name << " " << component << "\n got " << got.transpose() << "\n want " << expected.transpose();
}

/// Everything that a mechanism of hinges and the only law depend on.
void compare_all(const World& world, double until, const Sensitivity& s) {
  for (int i = 0; i < world.mechanisms[0].u.size(); ++i) {
    const auto by = [&](std::string_view name, VecX Mechanism::*numbers) {
      compare(world, until, s, name, i, [=](World& w, double d) { (w.mechanisms[0].*numbers)(i) += d; });
    };
    by("q", &Mechanism::q);
    by("u", &Mechanism::u);
    by("damping", &Mechanism::damping);
    by("stiffness", &Mechanism::stiffness);
    by("rest", &Mechanism::rest);
    compare(world, until, s, "force", i,
            [=](World& w, double d) { w.mechanisms[0].forces.push_back({.speed = i, .times = {}, .values = {d}}); });
  }
  for (int i = 0; i < 3; ++i) compare(world, until, s, "gravity", i, [=](World& w, double d) { w.gravity(i) += d; });
  compare(world, until, s, "mu", 0, [](World& w, double d) {
    std::get<ChatterjeeRuina>(w.laws[0].law).mu += d;
    w.laws[0].mu += d;
    w.laws[0].mu_s += d;
  });
  compare(world, until, s, "e", 0, [](World& w, double d) {
    std::get<ChatterjeeRuina>(w.laws[0].law).e += d;
    w.laws[0].e += d;
  });
  // The mass of the first link, with its inertia in proportion.
  compare(world, until, s, "mass", 0, [](World& w, double d) {
    Link& link = w.mechanisms[0].tree.links[0];
    RigidBody& body = w.bodies[w.mechanisms[0].bodies[0]].body;
    const double ratio = (link.mass + d) / link.mass;
    for (Mat3* inertia : {&link.inertia, &body.inertia}) *inertia *= ratio;
    link.mass += d;
    body.mass += d;
  });
}

/// A leg of two rods on springs and dampers that swings down onto the ground.
World sprung_leg(const PairLaw& law) {
  World world = leg_world(0.96, Eigen::Vector2d(0.7, -0.9), Eigen::Vector2d(-0.5, 0.3), law);
  Mechanism& leg = world.mechanisms[0];
  leg.damping = Eigen::Vector2d(0.4, 0.2);
  leg.stiffness = Eigen::Vector2d(3, 5);
  leg.rest = Eigen::Vector2d(-0.2, 0.1);
  return world;
}

// Its foot cannot leave the plane: W is singular at every impact.
TEST(MechanismSensitivity, OfALegThatBounces_AgreesWithDifferences) {
  const World world = sprung_leg(rough(0.5, 0.4));
  const double T = 0.4;
  const Sensitivity s = differentiated(world, T);
  ASSERT_GE(s.events.size(), 1U);
  // No step of the differences exchanges the end with an impact.
  for (const EventSensitivity& e : differentiated(world, T + 0.02).events)
    ASSERT_GT(std::abs(e.event.time - T), 0.01) << e.event.time;
  EXPECT_TRUE(s.missing.empty());
  compare_all(world, T, s);
}

// A body as a tree that floats has its speeds in its own axes: the same motion by other numbers.
TEST(MechanismSensitivity, OfAFloatingLink_IsThatOfAFreeBody) {
  WorldBody body = block({0.15, 0.1, 0.05}, 2, {0, 0, 0.4}, {1, 0.3, -0.5});
  body.body.orientation = Quaternion(Eigen::AngleAxisd(0.5, Vec3(1, 2, 0.5).normalized()));
  body.body.angular_velocity = {1, -2, 3};
  const PairLaw law = rough(0.6, 0.3);
  const World free = world_of({ground(), body}, law), tree = tree_world(floating(body), {body}, law);
  const double T = 0.35;
  const Sensitivity a = differentiated(free, T), b = differentiated(tree, T);
  ASSERT_FALSE(a.kink) << a.kink->what;
  ASSERT_FALSE(b.kink) << b.kink->what;
  ASSERT_GE(a.events.size(), 1U);
  ASSERT_EQ(a.events.size(), b.events.size());
  const Mat3 start = body.body.orientation.toRotationMatrix();
  const Pose last = run_world(free, T).poses[1];
  const Mat3 end = last.orientation.toRotationMatrix();
  // Columns in world axes of those in the axes of the link. The angular velocity of the start turns with it.
  const auto world_columns = [&](const MatX& of, int q, int u, int rotation, int spin) {
    MatX out = of.middleCols(q, 3);
    const Vec3& w = body.body.angular_velocity;
    Mat3 cross;
    cross << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
    out.conservativeResize(out.rows(), 12);
    out.middleCols(3, 3) = (of.middleCols(rotation, 3) - of.middleCols(spin, 3) * cross) * start;
    out.middleCols(6, 3) = of.middleCols(u, 3);
    out.rightCols(3) = of.middleCols(spin, 3) * start;
    return out;
  };
  const MatX by_body = world_columns(a.state, input_of(a, "position").first, input_of(a, "velocity").first,
                                     input_of(a, "rotation").first, input_of(a, "angular_velocity").first);
  const int q = input_of(b, "q").first, u = input_of(b, "u").first;
  MatX by_link(12, 12);
  by_link << b.state.middleCols(q, 6), b.state.middleCols(u, 6);
  // Rows of rotation and angular velocity: ω = R ω_link turns with R.
  MatX expected = by_body;
  for (int k = 0; k < 12; ++k) {
    const Vec3 turn = by_body.col(k).segment<3>(3), spin = by_body.col(k).segment<3>(9);
    expected.col(k).segment<3>(3) = end.transpose() * turn;
    expected.col(k).segment<3>(9) = end.transpose() * (spin - turn.cross(last.angular_velocity));
  }
  EXPECT_LT((by_link - expected).norm(), 1e-8 * expected.norm()) << by_link << "\n\n" << expected;
  for (const char* name : {"mass", "e", "mu"}) {
    const VecX one = a.state.col(input_of(a, name).first), other = b.state.col(input_of(b, name).first);
    EXPECT_LT((one.head<3>() - other.head<3>()).norm(), 1e-8 * (1 + one.norm())) << name;
    EXPECT_LT((one.segment<3>(6) - other.segment<3>(6)).norm(), 1e-8 * (1 + one.norm())) << name;
  }
}

// A foot that stays down slides, and then a leg is a crank: contact forces meet those of the joints.
TEST(MechanismSensitivity, OfALegThatSlides_AgreesWithDifferences) {
  World world = sprung_leg(rough(0, 0.2));
  const double T = 0.45;
  const Sensitivity s = differentiated(world, T);
  ASSERT_FALSE(s.kink) << s.kink->what << " at " << s.kink->time;
  ASSERT_GE(s.events.size(), 1U);
  for (int i = 0; i < 2; ++i) {
    compare(world, T, s, "u", i, [=](World& w, double d) { w.mechanisms[0].u(i) += d; });
    compare(world, T, s, "stiffness", i, [=](World& w, double d) { w.mechanisms[0].stiffness(i) += d; });
  }
  compare(world, T, s, "gravity", 2, [](World& w, double d) { w.gravity.z() += d; });
}

// The second joint follows the first: one speed is left, and the motion is that of a pendulum.
TEST(MechanismSensitivity, OfJointsThatFollow_AgreesWithDifferences) {
  World world = leg_world(3, Eigen::Vector2d(0.7, 1.4), Eigen::Vector2d(0.5, 1), rough(0.5, 0.4));
  world.mechanisms[0].constraints = Eigen::RowVector2d(2, -1);
  const double T = 0.6;
  const Sensitivity s = differentiated(world, T);
  ASSERT_FALSE(s.kink) << s.kink->what;
  EXPECT_TRUE(s.projected);
  compare(world, T, s, "gravity", 2, [](World& w, double d) { w.gravity.z() += d; });
  // A change that keeps the constraint is the sum of both columns.
  const VecX both = s.state.col(input_of(s, "u").first) + 2 * s.state.col(input_of(s, "u").first + 1);
  const double h = 1e-4;
  World low = world, high = world;
  low.mechanisms[0].u -= h * Eigen::Vector2d(1, 2);
  high.mechanisms[0].u += h * Eigen::Vector2d(1, 2);
  const VecX expected = (end_of(high, T) - end_of(low, T)) / (2 * h);
  EXPECT_LT((both - expected).norm(), 1e-6 * expected.norm());
}

TEST(MechanismSensitivity, OfStopsAndDryFriction_IsRefusedByName) {
  World stopped = leg_world(3, Eigen::Vector2d(0.7, -0.9), Eigen::Vector2d(-0.5, 0.3), rough(0.5, 0.4));
  stopped.mechanisms[0].limits.push_back({.position = 1, .speed = 1, .lower = -0.95, .upper = 2});
  stopped.mechanisms[0].u(1) = -3;
  const Sensitivity s = differentiated(stopped, 0.5);
  ASSERT_TRUE(s.kink);
  EXPECT_NE(s.kink->what.find("stop"), std::string::npos) << s.kink->what;
  World dry = sprung_leg(rough(0.5, 0.4));
  dry.mechanisms[0].dry_friction = Eigen::Vector2d(0.1, 0);
  const auto refused = simulate_with_sensitivity(dry, 0.5);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "robot[1].dry_friction");
}

}  // namespace
}  // namespace ricochet::motion
