/// Derivatives of a motion by its start and its parameters, against closed forms and against differences of the
/// simulation itself.

#include "ricochet/motion/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "motion/dual_motion.hpp"
#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr int rows = Sensitivity::rows_of_body;

const SensitivityInput& input_of(const Sensitivity& s, std::string_view name, int body = -1) {
  for (const SensitivityInput& input : s.inputs)
    if (input.name == name && (body < 0 || input.body == body)) return input;
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

/// The state at the end, rotations relative to those of `reference`.
VecX end_state(const World& world, double until, const std::vector<std::size_t>& bodies,
               const std::vector<Pose>& reference) {
  const Ran ran = run_world(world, until);
  VecX out(rows * static_cast<Eigen::Index>(bodies.size()));
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Pose& p = ran.poses[bodies[k]];
    Quaternion turn = p.orientation * reference[bodies[k]].orientation.conjugate();
    if (turn.w() < 0) turn.coeffs() *= -1;
    const Eigen::AngleAxisd angle(turn);
    out.segment<12>(rows * static_cast<Eigen::Index>(k)) << p.position, Vec3(angle.angle() * angle.axis()), p.velocity,
        p.angular_velocity;
  }
  return out;
}

using Change = std::function<void(World&, double)>;

/// Richardson's extrapolation of central differences with steps h and h/2.
VecX difference(const World& world, double until, const Change& change, const Sensitivity& s, double h) {
  const std::vector<Pose> reference = run_world(world, until).poses;
  const auto central = [&](double step) {
    World low = world, high = world;
    change(low, -step);
    change(high, step);
    return VecX((end_state(high, until, s.bodies, reference) - end_state(low, until, s.bodies, reference)) /
                (2 * step));
  };
  return (4 * central(h / 2) - central(h)) / 3;
}

/// One column of the derivatives against differences.
void compare(const World& world, double until, const Sensitivity& s, int column, const Change& change,
             const std::string& what, double h = 1e-4, double tolerance = 1e-7) {
  ASSERT_FALSE(s.kink) << s.kink->what << " at " << s.kink->time;
  ASSERT_EQ(s.state.cols(), s.columns);
  const VecX expected = difference(world, until, change, s, h), got = s.state.col(column);
  EXPECT_LT((got - expected).norm(), tolerance * (1 + expected.norm()))
      << what << "\n got " << got.transpose() << "\n want " << expected.transpose();
}

/// All of a free body's start, gravity, mass, and the parameters of the only law.
void compare_all(const World& world, double until, std::size_t body, const Sensitivity& s, double h = 1e-4,
                 double tolerance = 1e-7) {
  const int b = static_cast<int>(body);
  for (int i = 0; i < 3; ++i) {
    const auto label = [&](const char* name) { return std::string(name) + " " + std::to_string(i); };
    compare(
        world, until, s, input_of(s, "position", b).first + i,
        [&](World& w, double d) { w.bodies[body].body.position(i) += d; }, label("position"), h, tolerance);
    compare(
        world, until, s, input_of(s, "velocity", b).first + i,
        [&](World& w, double d) { w.bodies[body].body.velocity(i) += d; }, label("velocity"), h, tolerance);
    compare(
        world, until, s, input_of(s, "angular_velocity", b).first + i,
        [&](World& w, double d) { w.bodies[body].body.angular_velocity(i) += d; }, label("spin"), h, tolerance);
    compare(
        world, until, s, input_of(s, "rotation", b).first + i,
        [&](World& w, double d) {
          Quaternion& q = w.bodies[body].body.orientation;
          q = Quaternion(Eigen::AngleAxisd(d, Vec3::Unit(i))) * q;
        },
        label("rotation"), h, tolerance);
    compare(
        world, until, s, input_of(s, "gravity").first + i, [&](World& w, double d) { w.gravity(i) += d; },
        label("gravity"), h, tolerance);
  }
  compare(
      world, until, s, input_of(s, "mass", b).first,
      [&](World& w, double d) {
        RigidBody& r = w.bodies[body].body;
        r.inertia *= (r.mass + d) / r.mass;
        r.mass += d;
      },
      "mass", h, tolerance);
}

void compare_law(const World& world, double until, const Sensitivity& s, const char* name,
                 const std::function<void(ChatterjeeRuina&, double)>& change, double tolerance = 1e-7) {
  compare(
      world, until, s, input_of(s, name).first,
      [&](World& w, double d) {
        change(std::get<ChatterjeeRuina>(w.laws[0].law), d);
        if (std::string_view(name) == "mu") {
          w.laws[0].mu += d;
          w.laws[0].mu_s += d;
        }
        if (std::string_view(name) == "e") w.laws[0].e += d;
      },
      name, 1e-4, tolerance);
}

PairLaw both(double e, double e_t, double mu) {
  ChatterjeeRuina law;
  law.e = e;
  law.e_t = e_t;
  law.mu = mu;
  return {law, mu, mu};
}

// A ball falls from the height h with no speed: v₀ = √(2gh), t_k = (v₀/g)(1 + 2(e + … + e^{k−1})), and after its impact
// k it is at z = r + v_k τ − gτ²/2 with v_k = e^k v₀ and τ = T − t_k.
TEST(Sensitivity, OfABouncingBall_IsItsClosedFormThroughTwentyBounces) {
  const double r = 0.1, h = 1, e = 0.9;
  const int k = 20;
  const auto at = [&](double height, double restitution, double g, double T) {
    const double v0 = std::sqrt(2 * g * height);
    double t = v0 / g, v = v0;
    for (int i = 0; i < k; ++i) {
      v *= restitution;
      if (i + 1 < k) t += 2 * v / g;
    }
    return std::array<double, 3>{r + v * (T - t) - g * (T - t) * (T - t) / 2, v - g * (T - t), t};
  };
  const double v0 = std::sqrt(2 * gravity * h);
  const double limit = at(h, e, gravity, 0)[2];
  const double T = limit + 0.3 * 2 * std::pow(e, k) * v0 / gravity;
  const World world = world_of({ground(), ball(r, 2, {0, 0, r + h})}, {Frictionless{e}});
  const Sensitivity s = differentiated(world, T);
  ASSERT_FALSE(s.kink);
  ASSERT_EQ(s.events.size(), 20U);
  // Derivatives of the closed form. With S = 1 + 2(e + … + e^{k−1}): t_k = S √(2h/g), v_k = e^k √(2gh).
  double sum = 1, sum_e = 0;
  for (int i = 1; i < k; ++i) {
    sum += 2 * std::pow(e, i);
    sum_e += 2 * i * std::pow(e, i - 1);
  }
  const double vk = std::pow(e, k) * v0, tau = T - limit, slope = vk - gravity * tau;
  struct Expected {
    const char* name;
    int component;
    double t, v, g;  ///< derivatives of t_k, v_k, and of g itself
  };
  const double root = std::sqrt(2 * h / gravity);
  for (const Expected& x :
       {Expected{"position", 2, sum * root / (2 * h), vk / (2 * h), 0},
        Expected{"gravity", 2, sum * root / (2 * gravity), -vk / (2 * gravity), -1},  // g points down
        Expected{"e", 0, sum_e * root, k * vk / e, 0}}) {
    const SensitivityInput& input = input_of(s, x.name);
    const int c = input.first + x.component;
    // z = r + v_k τ − gτ²/2; dτ = −dt_k.
    const double dz = x.v * tau - slope * x.t - x.g * tau * tau / 2;
    const double dv = x.v + gravity * x.t - x.g * tau;
    EXPECT_NEAR(s.events.back().time(c), x.t, 1e-10 * std::abs(x.t)) << x.name;
    EXPECT_NEAR(s.state(2, c), dz, 1e-10 * (std::abs(dz) + std::abs(slope * x.t))) << x.name;
    EXPECT_NEAR(s.state(8, c), dv, 1e-10 * (std::abs(dv) + gravity * std::abs(x.t))) << x.name;
  }
  EXPECT_NEAR(s.state(2, input_of(s, "mass").first), 0, 1e-12);
}

TEST(Sensitivity, OfASuperballAgainstAWall_AgreesWithDifferences) {
  WorldBody wall = half_space({2, 0, 0}, -Vec3::UnitX(), "wall");
  const World world =
      world_of({ground(), wall, ball(0.05, 0.3, {0, 0, 0.5}, {3, 0.4, -1}, {4, 30, -7})}, both(0.8, 0.6, 0.5));
  const double T = 1.1;
  const Sensitivity s = differentiated(world, T);
  ASSERT_GE(s.events.size(), 3U);
  compare_all(world, T, 2, s);
  compare_law(world, T, s, "e", [](ChatterjeeRuina& l, double d) { l.e += d; });
  compare_law(world, T, s, "mu", [](ChatterjeeRuina& l, double d) { l.mu += d; });
  compare_law(world, T, s, "e_t", [](ChatterjeeRuina& l, double d) { l.e_t += d; });
}

TEST(Sensitivity, OfTwoBallsThatMeet_AgreesWithDifferences) {
  const World world = world_of({ball(0.1, 0.3, {0, 0, 0}, {2, 0.1, 0}, {1, 2, 3}, "first"),
                                ball(0.2, 0.5, {0.8, 0.12, 0.03}, {-1, 0, 0.1}, {0, -5, 2}, "second")},
                               both(0.7, 0.2, 0.15));
  const Sensitivity s = differentiated(world, 0.5);
  ASSERT_EQ(s.events.size(), 1U);
  compare_all(world, 0.5, 0, s);
  compare_all(world, 0.5, 1, s);
}

TEST(Sensitivity, OfAClatteringRod_AgreesWithDifferences) {
  WorldBody stick = rod(0.6, 0.02, 1.5, {0, 0, 0.8});
  stick.body.orientation = raised(0.5) * Quaternion(Eigen::AngleAxisd(0.2, Vec3::UnitX()));
  stick.body.angular_velocity = {0.3, 0.2, 0.1};
  const World world = world_of({ground(), stick}, both(0.6, 0, 0.3));
  const double T = 0.62;
  const Sensitivity s = differentiated(world, T);
  ASSERT_GE(s.events.size(), 2U);
  compare_all(world, T, 1, s, 1e-5, 1e-6);
  compare_law(world, T, s, "mu", [](ChatterjeeRuina& l, double d) { l.mu += d; });
}

// x = v²/(2μg) at rest, v/(μg) later: ∂x/∂v = v/(μg), ∂x/∂μ = −v²/(2μ²g); across, a stop along the same line.
TEST(Sensitivity, OfABlockThatSlidesToRest_IsItsClosedForm) {
  const double v = 2, mu = 0.4;
  const World world =
      world_of({ground(), block({0.3, 0.2, 0.1}, 2, {0, 0, 0.1}, {v, 0, 0})}, {ChatterjeeRuina{0, 0, mu}, mu, mu});
  const Sensitivity s = differentiated(world, 1);
  ASSERT_FALSE(s.kink) << s.kink->what << " " << s.kink->time;
  EXPECT_TRUE(s.projected);
  ASSERT_EQ(s.events.back().event.kind, EventKind::stick);
  const int speed = input_of(s, "velocity").first, friction = input_of(s, "mu").first;
  EXPECT_NEAR(s.state(0, speed), v / (mu * gravity), 1e-9);
  EXPECT_NEAR(s.state(1, speed + 1), v / (2 * mu * gravity), 1e-7);
  EXPECT_NEAR(s.state(0, friction), -v * v / (2 * mu * mu * gravity), 1e-9);
  EXPECT_NEAR(s.events.back().time(speed), 1 / (mu * gravity), 1e-10);
  EXPECT_NEAR(s.events.back().time(friction), -v / (mu * mu * gravity), 1e-10);
  EXPECT_NEAR(s.state(0, input_of(s, "position").first), 1, 1e-12);
  EXPECT_NEAR(s.state(6, speed), 0, 1e-12);
}

// After 2v/(7μg) a ball with no spin rolls at 5v/7: at T it is at 12v²/(49μg) + (5v/7)(T − 2v/(7μg)).
TEST(Sensitivity, OfABallThatSlidesThenRolls_IsItsClosedForm) {
  const double v = 2, mu = 0.3, r = 0.1, T = 1;
  const World world = world_of({ground(), ball(r, 2, {0, 0, r}, {v, 0, 0})}, {ChatterjeeRuina{0, 0, mu}, mu, mu});
  const Sensitivity s = differentiated(world, T);
  ASSERT_FALSE(s.kink) << s.kink->what << " " << s.kink->time;
  ASSERT_EQ(s.events.back().event.kind, EventKind::roll);
  const int speed = input_of(s, "velocity").first, friction = input_of(s, "mu").first;
  EXPECT_NEAR(s.events.back().time(speed), 2 / (7 * mu * gravity), 1e-11);
  EXPECT_NEAR(s.state(0, speed), 5 * T / 7 + 4 * v / (49 * mu * gravity), 1e-10);
  EXPECT_NEAR(s.state(0, friction), -2 * v * v / (49 * mu * mu * gravity), 1e-10);
  EXPECT_NEAR(s.state(6, speed), 5.0 / 7, 1e-11);
  // A spin about y rolls on at (5v + 2rω)/7.
  EXPECT_NEAR(s.state(6, input_of(s, "angular_velocity").first + 1), 2 * r / 7, 1e-11);
  compare(
      world, T, s, input_of(s, "angular_velocity").first,
      [](World& w, double d) { w.bodies[1].body.angular_velocity.x() += d; }, "spin about x");
}

// Pushed along x by F = k t, a block slips at t = μ_s m g/k.
TEST(Sensitivity, OfABlockThatBeginsToSlip_IsItsClosedForm) {
  const double mu = 0.3, mu_s = 0.5, mass = 2, k = 20, T = 1;
  World world = world_of({ground(), block({0.3, 0.2, 0.1}, mass, {0, 0, 0.1})}, {ChatterjeeRuina{0, 0, mu}, mu, mu_s});
  AppliedForce push;
  push.body = 1;
  push.times = {0, 10};
  push.forces = {Vec3::Zero(), Vec3(10 * k, 0, 0)};
  push.torques = {Vec3::Zero(), Vec3::Zero()};
  world.forces.push_back(push);
  const Sensitivity s = differentiated(world, T);
  ASSERT_FALSE(s.kink) << s.kink->what << " " << s.kink->time;
  ASSERT_EQ(s.events.back().event.kind, EventKind::slip);
  // ẋ = k(T² − t²)/(2m) − μg(T − t).
  const double t = mu_s * mass * gravity / k;
  const int stick = input_of(s, "mu_s").first, slide = input_of(s, "mu").first, m = input_of(s, "mass").first;
  EXPECT_NEAR(s.events.back().time(stick), mass * gravity / k, 1e-9);
  EXPECT_NEAR(s.events.back().time(m), mu_s * gravity / k, 1e-9);
  EXPECT_NEAR(s.state(6, stick), (-k * t / mass + mu * gravity) * mass * gravity / k, 1e-8);
  EXPECT_NEAR(s.state(6, slide), -gravity * (T - t), 1e-8);
}

// With mu_s = mu slip begins without an acceleration, which is not followed.
TEST(Sensitivity, OfABlockThatBeginsToSlipSmoothly_IsRefused) {
  const double mu = 0.4, k = 20;
  World world = world_of({ground(), block({0.3, 0.2, 0.1}, 2, {0, 0, 0.1})}, {ChatterjeeRuina{0, 0, mu}, mu, mu});
  AppliedForce push;
  push.body = 1;
  push.times = {0, 10};
  push.forces = {Vec3::Zero(), Vec3(10 * k, 0, 0)};
  push.torques = {Vec3::Zero(), Vec3::Zero()};
  world.forces.push_back(push);
  const Sensitivity s = differentiated(world, 1);
  ASSERT_TRUE(s.kink);
  EXPECT_NE(s.kink->what.find("without an acceleration"), std::string::npos) << s.kink->what;
}

// A ball that is pulled up by a growing force lifts off at F = m g.
TEST(Sensitivity, OfABallThatIsLifted_HasTheTimeOfItsLiftOff) {
  const double mass = 2, k = 30, T = 1;
  World world = world_of({ground(), ball(0.1, mass, {0, 0, 0.1})}, {Frictionless{0.5}});
  AppliedForce pull;
  pull.body = 1;
  pull.times = {0, 10};
  pull.forces = {Vec3::Zero(), Vec3(0, 0, 10 * k)};
  pull.torques = {Vec3::Zero(), Vec3::Zero()};
  world.forces.push_back(pull);
  const Sensitivity s = differentiated(world, T);
  ASSERT_FALSE(s.kink) << s.kink->what << " " << s.kink->time;
  ASSERT_EQ(s.events.back().event.kind, EventKind::lift_off);
  const double t = mass * gravity / k;
  const int m = input_of(s, "mass").first, g = input_of(s, "gravity").first + 2;
  EXPECT_NEAR(s.events.back().time(m), gravity / k, 1e-9);
  EXPECT_NEAR(s.events.back().time(g), -mass / k, 1e-9);
  // ż = k(T² − t²)/(2m) − g(T − t).
  EXPECT_NEAR(s.state(8, m), -k * (T * T - t * t) / (2 * mass * mass), 1e-8);
  EXPECT_NEAR(s.state(8, g), T - t, 1e-8);
}

TEST(Sensitivity, OfADoublePendulum_AgreesWithDifferences) {
  const double half = 0.25, T = 1;
  const auto hanging = [&](const Vec3& pivot, double angle, const char* name) {
    const Vec3 way(std::sin(angle), 0, -std::cos(angle));
    WorldBody out = rod(half, 0.01, 0.5, pivot + half * way, name);
    out.shapes.clear();
    out.body.orientation = Quaternion::FromTwoVectors(Vec3(Vec3::UnitX()), way);
    return out;
  };
  const Vec3 elbow = 2 * half * Vec3(std::sin(1.2), 0, -std::cos(1.2));
  WorldBody pivot;
  pivot.name = "pivot";
  pivot.body.fixed = true;
  World world = world_of({pivot, hanging(Vec3::Zero(), 1.2, "upper"), hanging(elbow, -0.4, "lower")}, {Frictionless{}});
  world.joints.push_back({0, 1, Vec3::Zero()});
  world.joints.push_back({1, 2, elbow});
  const Sensitivity s = differentiated(world, T);
  ASSERT_FALSE(s.kink) << s.kink->what;
  EXPECT_TRUE(s.projected);
  for (int i = 0; i < 3; ++i)
    compare(
        world, T, s, input_of(s, "gravity").first + i, [&](World& w, double d) { w.gravity(i) += d; }, "gravity");
  // Both rods turn about the pivot as one body: a change that keeps the joints.
  const Change spin = [&](World& w, double d) {
    for (const std::size_t k : {1U, 2U}) {
      RigidBody& b = w.bodies[k].body;
      b.angular_velocity.y() += d;
      b.velocity += Vec3(0, d, 0).cross(b.position);
    }
  };
  VecX sum = VecX::Zero(s.state.rows());
  for (const std::size_t k : {1U, 2U}) {
    sum += s.state.col(input_of(s, "angular_velocity", static_cast<int>(k)).first + 1);
    const Vec3 v = Vec3::UnitY().cross(world.bodies[k].body.position);
    for (int i = 0; i < 3; ++i) sum += v(i) * s.state.col(input_of(s, "velocity", static_cast<int>(k)).first + i);
  }
  const VecX expected = difference(world, T, spin, s, 1e-4);
  EXPECT_LT((sum - expected).norm(), 1e-7 * (1 + expected.norm()));
}

TEST(Sensitivity, WithoutADerivative_SaysSo) {
  // A ball that comes to rest by bouncing.
  const World resting = world_of({ground(), ball(0.1, 1, {0, 0, 0.2})}, {Frictionless{0.5}});
  const Sensitivity rest = differentiated(resting, 5);
  ASSERT_TRUE(rest.kink);
  EXPECT_NE(rest.kink->what.find("bounces"), std::string::npos) << rest.kink->what;
  EXPECT_EQ(rest.state.size(), 0);
  EXPECT_GT(rest.events.size(), 3U);
  // A box that lands flat on four corners.
  const World flat = world_of({ground(), block({0.3, 0.2, 0.1}, 2, {0, 0, 0.5})}, {Frictionless{0.5}});
  const Sensitivity corners = differentiated(flat, 0.5);
  ASSERT_TRUE(corners.kink);
  EXPECT_NE(corners.kink->what.find("4 contacts"), std::string::npos) << corners.kink->what;
  // Two balls that touch and do not press.
  const World idle = world_of({ball(0.1, 1, {0, 0, 0}, Vec3::Zero(), Vec3::Zero(), "first"),
                               ball(0.1, 1, {0.2, 0, 0}, Vec3::Zero(), Vec3::Zero(), "second")},
                              {Frictionless{0.5}});
  const Sensitivity touch = differentiated(idle, 0.1);
  ASSERT_TRUE(touch.kink);
  EXPECT_NE(touch.kink->what.find("without a force"), std::string::npos) << touch.kink->what;
}

/// A ball at 1 m/s towards a resting one, whose centre is aside by `offset` of the sum of their radii.
World passing(double offset) {
  return world_of({ball(0.125, 1, {0, 0, 0}, {1, 0, 0}, Vec3::Zero(), "first"),
                   ball(0.125, 1, {1, 0.25 * offset, 0}, Vec3::Zero(), Vec3::Zero(), "second")},
                  {Frictionless{0.5}}, Vec3::Zero());
}

// A ball at 2 m/s under 8 m/s² rises by 0.25 m. Nothing happens where a ceiling is just there, but a little more speed
// would be a collision: from there on there is no derivative.
TEST(Sensitivity, ApexThatTouchesACeiling_HasNone_AndAMicrometreBelowItHas) {
  const double r = 0.125, v = 2, g = 8, apex = v * v / (2 * g);  // 0.25 m after 0.25 s
  const auto below_ceiling = [&](double miss) {
    return world_of(
        {half_space({0, 0, apex + r + miss}, -Vec3::UnitZ(), "ceiling"), ball(r, 1, Vec3::Zero(), {0.5, 0, v})},
        {Frictionless{0.5}}, {0, 0, -g});
  };
  const double t = v / g;
  const Sensitivity graze = differentiated(below_ceiling(0), 0.4);
  ASSERT_TRUE(graze.kink);
  EXPECT_EQ(graze.kink->what, "grazing");
  EXPECT_NEAR(graze.kink->time, t, 1e-5);
  EXPECT_EQ(graze.state.size(), 0);
  // Until then it flies freely, and so it does below a ceiling that is a micrometre higher.
  for (const auto& [miss, until] : {std::pair{0.0, 0.24}, {1e-6, 0.4}}) {
    const Sensitivity free = differentiated(below_ceiling(miss), until);
    ASSERT_FALSE(free.kink) << free.kink->what;
    const SensitivityInput& velocity = input_of(free, "velocity", 1);
    EXPECT_NEAR(free.state(2, velocity.first + 2), until, 1e-12);
  }
  // A micrometre lower it strikes.
  const Sensitivity struck = differentiated(below_ceiling(-1e-6), 0.4);
  EXPECT_TRUE(struck.kink || struck.events.size() == 1);
}

// The gap of two balls is a polynomial; that of a rod with round ends, which turns, is not.
TEST(Sensitivity, BodiesThatJustTouchInPassing_HaveNone) {
  const Sensitivity graze = differentiated(passing(1), 2);
  ASSERT_TRUE(graze.kink);
  EXPECT_EQ(graze.kink->what, "grazing");
  EXPECT_NEAR(graze.kink->time, 1, 1e-4);
  EXPECT_FALSE(differentiated(passing(1 + 4e-6), 2).kink);
  // At a quarter of a turn the rod, whose centre rests, points at the wall.
  for (const double miss : {0.0, 1e-6}) {
    WorldBody turning = rod(0.5, 0.125, 1, Vec3::Zero());
    turning.body.angular_velocity = {0, 0, 1};
    turning.body.orientation = Quaternion(Eigen::AngleAxisd(-0.5, Vec3::UnitZ()));
    const World world = world_of({half_space({0.625 + miss, 0, 0}, -Vec3::UnitX(), "wall"), turning},
                                 {Frictionless{0.5}}, Vec3::Zero());
    const Sensitivity s = differentiated(world, 1);
    ASSERT_EQ(s.kink.has_value(), miss == 0);
    if (s.kink) {
      EXPECT_NEAR(s.kink->time, 0.5, 1e-4);
    }
  }
}

// The approach speed of balls that overlap by the share δ in passing is √(2δ) of their speed: at δ = 10⁻¹³ the time of
// contact has no digits. A ball that passes beside the other has the derivatives of free flight.
TEST(Sensitivity, BallsThatGraze_HaveNone_AndBeforeAndAfterTheyHave) {
  for (const double overlap : {1e-13, 1e-14}) {
    const Sensitivity graze = differentiated(passing(1 - overlap), 2);
    ASSERT_TRUE(graze.kink) << overlap;
    EXPECT_EQ(graze.kink->what, "grazing");
    EXPECT_NEAR(graze.kink->time, 1, 1e-6);
    EXPECT_EQ(graze.state.size(), 0);
  }
  const World strikes = passing(0.9);
  const Sensitivity hit = differentiated(strikes, 2);
  compare_all(strikes, 2, 0, hit);
  ASSERT_EQ(hit.events.size(), 1U);
  const World misses = passing(1 + 1e-9);
  const Sensitivity free = differentiated(misses, 2);
  ASSERT_FALSE(free.kink);
  EXPECT_TRUE(free.events.empty());
  const Mat3 by_velocity = free.state.block<3, 3>(0, input_of(free, "velocity", 0).first);
  EXPECT_LT((by_velocity - 2 * Mat3::Identity()).norm(), 1e-12);
}

// Hung balls that touch without a force: nothing determines how their forces change, and what rounding makes of that
// does not become less with the step.
TEST(Sensitivity, RatesThatShorterStepsDoNotResolve_AreRefusedSoon) {
  WorldBody frame;
  frame.name = "frame";
  frame.body.fixed = true;
  std::vector<WorldBody> bodies{frame, ball(0.03125, 0.25, {-0.5, 0, 0.1339745962155613})};
  for (int k = 1; k <= 3; ++k) bodies.push_back(ball(0.03125, 0.25, {0.0625 * k, 0, 0}));
  bodies[1].body.orientation = Quaternion(0.9659258262890683, 0, 0.25881904510252074, 0);
  World world = world_of(std::move(bodies), {Frictionless{.e = 1}});
  for (std::size_t k = 1; k <= 4; ++k)
    world.joints.push_back({.first = 0, .second = k, .point = {0.0625 * static_cast<double>(k - 1), 0, 1}});
  const auto history = record_history(world, 0.1, {});
  ASSERT_TRUE(history) << history.error().message();
  DualMotion motion(world, *history);
  ASSERT_EQ(history->instants.front().lasting.size(), 2U);
  for (const RecordedContact& c : history->instants.front().lasting) motion.contacts.push_back({.recorded = c});
  DualState y = motion.start();
  // The first ball turns about its hinge, which is at (0.5, 0, 0.866) from it.
  y[13].d[0] = -0.8660254037844387;
  y[15].d[0] = 0.5;
  y[16].d[0] = -0.5 * 0.25881904510252074;
  y[18].d[0] = 0.5 * 0.9659258262890683;
  EXPECT_FALSE(motion.advance(y, 0, 0.1));
  // Through the whole, the reason is named before that.
  const Sensitivity cradle = differentiated(world, 2);
  ASSERT_TRUE(cradle.kink);
  EXPECT_NE(cradle.kink->what.find("touch without a force"), std::string::npos) << cradle.kink->what;
}

}  // namespace
}  // namespace ricochet::motion
