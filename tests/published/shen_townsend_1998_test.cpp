// Shen & Townsend 1998: tables and worked examples as printed, to the digits printed.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ricochet/contact/between.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet {
namespace {

/// Half a unit of the last digit that is printed.
void expect_printed(double x, double printed, int decimals) {
  EXPECT_NEAR(x, printed, 0.5 * std::pow(10.0, -decimals) * (1 + 1e-9));
}

/// Example 1, Kane's puzzle: rods of 2 m and 3 kg at 20 and 30 degrees, turning at −0.1 and −0.2 rad/s.
struct Example1 {
  Lagrangian system = double_pendulum_absolute({2, 3}, {2, 3});
  VecX q = Eigen::Vector2d(20, 30) * std::numbers::pi / 180;
  VecX u = Eigen::Vector2d(-0.1, -0.2);
  Response response = respond(system, "floor", q, u).value();
  PlanarProblem problem = planar_problem(response, Vec3::UnitX()).value();

  template <class Law>
  PlanarOutcome operator()(const Law& law) const {
    const PlanarOutcome out = collide(law, problem).value();
    // The energy is that of the pendulum, not only of the contact.
    EXPECT_NEAR(out.energy_change, kinetic_energy(system, q, out.u).value() - kinetic_energy(system, q, u).value(),
                1e-14);
    return out;
  }
};

struct Row {
  double e, mu_s, mu;
  bool slips;
  double energy;
  int decimals;
};

TEST(ShenTownsend1998, Table1_FrictionAgainstTheReversedSlip_GainsEnergyTwice) {
  const Example1 example;
  for (const Row& row : {Row{0.5, 0.25, 0.2, true, -0.03, 2}, Row{0.5, 0.5, 0.4, false, 0.16, 2},
                         Row{0.3, 0.5, 0.4, false, -0.12, 2}, Row{0.7, 0.51, 0.5, true, 0.49, 2}}) {
    const auto out = example(Conventional{row.e, row.mu, row.mu_s, Opposes::reversed_slip});
    EXPECT_EQ(out.mode != Mode::slip_stick, row.slips);
    expect_printed(out.energy_change, row.energy, row.decimals);
  }
}

TEST(ShenTownsend1998, Table2_FrictionAgainstTheInitialSlip_GainsEnergyOnce) {
  const Example1 example;
  // The first energy is printed as 0.1034, with the last digit wrong by one.
  for (const Row& row : {Row{0.5, 0.25, 0.2, true, -0.1033, 4}, Row{0.5, 0.5, 0.4, false, 0.16, 2},
                         Row{0.3, 0.5, 0.4, false, -0.12, 2}, Row{0.7, 0.51, 0.5, true, -0.1011, 4}}) {
    const auto out = example(Conventional{row.e, row.mu, row.mu_s, Opposes::initial_slip});
    EXPECT_EQ(out.mode != Mode::slip_stick, row.slips);
    expect_printed(out.energy_change, row.energy, row.decimals);
  }
}

TEST(ShenTownsend1998, Table3_SlipReverses_EnergyFalls) {
  const Example1 example;
  for (const Row& row : {Row{0.5, 0.25, 0.2, true, -0.11, 2}, Row{0.5, 0.5, 0.4, true, -0.12, 2},
                         Row{0.3, 0.5, 0.4, true, -0.13, 2}, Row{0.7, 0.51, 0.5, true, -0.12, 2}}) {
    const auto out = example(ShenTownsend{row.e, row.mu, row.mu_s});
    EXPECT_EQ(out.mode, Mode::slip_reversal);
    EXPECT_EQ(shen_townsend_case(out.path), "iii");
    expect_printed(out.energy_change, row.energy, row.decimals);
  }
}

TEST(ShenTownsend1998, Table4_NoFrictionAndNoReversal) {
  const Example1 example;
  const auto smooth = example(ShenTownsend{0.5, 0, 0});
  expect_printed(smooth.p_star, 1.0537, 4);
  expect_printed(1.5 * smooth.p_c, 1.1964, 4);
  expect_printed(smooth.energy_change, -0.08, 2);
  EXPECT_EQ(shen_townsend_case(smooth.path), "iii");
  EXPECT_EQ(smooth.mode, Mode::slip_reversal);

  const auto rough = example(ShenTownsend{0.2, 0.4, 0.5});
  expect_printed(rough.p_star, 0.6419, 4);
  expect_printed(1.2 * rough.p_c, 0.5972, 4);  // printed as 0.5971
  expect_printed(rough.energy_change, -0.13, 2);
  EXPECT_EQ(shen_townsend_case(rough.path), "iii");
  EXPECT_EQ(rough.mode, Mode::slip);
}

TEST(ShenTownsend1998, Table4_AgreesWithTheConventionalMethodWhereSlipDoesNotReverse) {
  const Example1 example;
  // Both stay on one straight line of velocities; Poisson's and Newton's restitution then mean the same.
  EXPECT_NEAR(example(ShenTownsend{0.5, 0, 0}).energy_change, example(Conventional{0.5, 0, 0}).energy_change, 1e-14);
  const auto rough = example(Conventional{0.2, 0.4, 0.5});
  EXPECT_EQ(rough.mode, Mode::slip);
  EXPECT_LT((example(ShenTownsend{0.2, 0.4, 0.5}).u - rough.u).norm(), 1e-14);
}

TEST(ShenTownsend1998, StickingCase_AndItsCriticalRatio) {
  const Example1 example;
  const auto out = example(ShenTownsend{0.7, 0.5, 0.63});
  EXPECT_EQ(out.mode, Mode::slip_stick);
  expect_printed(std::abs(out.hold), 0.6234, 4);
  expect_printed(out.energy_change, -0.12, 2);
  expect_printed(example(Conventional{0.7, 0.5, 0.63}).energy_change, 0.59, 2);
  EXPECT_EQ(example(ShenTownsend{0.7, 0.5, 0.6234 + 1e-3}).mode, Mode::slip_stick);
  EXPECT_EQ(example(ShenTownsend{0.7, 0.5, 0.6234 - 1e-3}).mode, Mode::slip_reversal);
}

TEST(ShenTownsend1998, CriticalRatioOfASinglePendulumIsTheTangentOfItsAngle) {
  for (const double angle : {0.1, 0.5, 1.2}) {
    const Lagrangian system = single_pendulum({2, 3});
    const VecX q = VecX::Constant(1, angle), u = VecX::Constant(1, -0.3);
    const auto problem = planar_problem(respond(system, "floor", q, u).value(), Vec3::UnitX()).value();
    const double critical = std::tan(angle);
    const auto sticks = collide(ShenTownsend{0.5, 0.05, critical * 1.001}, problem).value();
    const auto slips = collide(ShenTownsend{0.5, 0.05, critical * 0.999}, problem).value();
    EXPECT_EQ(sticks.path, PlanarCase::simultaneous);
    EXPECT_EQ(sticks.mode, Mode::slip_stick);
    EXPECT_NEAR(sticks.u(0), 0, 1e-15) << "a hinge on one side and a sticking tip on the other: nothing moves";
    EXPECT_EQ(slips.mode, Mode::slip_reversal);
    EXPECT_GT(slips.u(0), 0);
  }
}

/// Example 2 with the radius to which its printed results belong (the text says diameter 4).
struct Example2 {
  Lagrangian both;
  VecX q = VecX::Zero(14), u = VecX::Zero(12);

  Example2() {
    const Mat3 inertia = 6.4 * Mat3::Identity();
    both = join("ball 1", free_spatial_body(1, inertia, {{"east", Vec3(4, 0, 0)}}), "ball 2",
                free_spatial_body(1, inertia, {{"west", Vec3(-4, 0, 0)}}))
               .value();
    both.contacts.push_back(
        {"balls", "ball 1.east", "ball 2.west", [](const VecX&) { return Vec3(Vec3::UnitX()); }, {}});
    q(3) = q(10) = 1;
    q(7) = 8;
    u.head(3) = Vec3(15, 30 * std::sin(std::numbers::pi / 3), 0);
    u(5) = -11;
  }
};

void expect_balls(const VecX& u, const Vec2& v1, const Vec2& v2, double w1, double w2, int tangential, int spin) {
  expect_printed(u(0), v1.x(), 4);
  expect_printed(u(1), v1.y(), tangential);
  expect_printed(u(6), v2.x(), 4);
  expect_printed(u(7), v2.y(), 4);
  expect_printed(u(5), w1, spin);
  expect_printed(u(11), w2, 4);
  for (const int idle : {2, 3, 4, 8, 9, 10}) EXPECT_EQ(u(idle), 0);
}

TEST(ShenTownsend1998, Example2_TwoSpheresInNewtonianForm) {
  const Example2 example;
  const auto response = respond(example.both, "balls", example.q, example.u).value();
  const auto problem = planar_problem(response, Vec3::UnitY()).value();
  const auto out = collide(ShenTownsend{0.8, 0.3}, problem).value();
  EXPECT_EQ(shen_townsend_case(out.path), "iii");
  EXPECT_EQ(out.mode, Mode::slip_stick);
  ASSERT_EQ(out.states.size(), 4U);

  const PlanarState& compressed = out.states[1];
  EXPECT_EQ(compressed.pause, Pause::normal);
  expect_printed(compressed.p_n, 7.5, 4);
  expect_balls(compressed.u, Vec2(7.5, 28.2308), Vec2(7.5, -2.25), -9.5938, 1.4062, 4, 4);

  const PlanarState& stopped = out.states[2];
  EXPECT_EQ(stopped.pause, Pause::tangential);
  expect_printed(stopped.p_n, 8.5806, 4);
  expect_balls(stopped.u, Vec2(6.4194, 28.555), Vec2(8.5806, -2.5742), -9.391, 1.6089, 3, 3);
  expect_printed(-stopped.v_n, 6.4194 - 8.5806, 4);  // theirs is of ball 1 against ball 2

  expect_printed(out.p_n, 13.5, 4);
  expect_printed(std::abs(out.p_t), 2.5742, 4);
  expect_printed(out.p_n - out.p_star, 4.9194, 4);
  expect_balls(out.u, Vec2(1.5, 28.555), Vec2(13.5, -2.5742), -9.391, 1.6089, 3, 3);
}

TEST(ShenTownsend1998, Example2_EqualsTheContactOfTwoRigidBodiesAndTheConventionalMethod) {
  const Example2 example;
  const auto response = respond(example.both, "balls", example.q, example.u).value();
  RigidBody ball1, ball2;
  ball1.inertia = ball2.inertia = 6.4 * Mat3::Identity();
  ball1.velocity = example.u.head(3);
  ball1.angular_velocity = Vec3(0, 0, -11);
  ball2.position = Vec3(8, 0, 0);
  const Contact contact = contact_between(ball1, ball2, Vec3(4, 0, 0), Vec3::UnitX()).value();
  EXPECT_LT((contact.W - response.contact.W).norm(), 1e-14);
  EXPECT_LT((contact.V - response.contact.V).norm(), 1e-14);
  const auto spatial = collide(Routh{0.8, 0.3}, contact).value();
  const auto problem = planar_problem(response, Vec3::UnitY()).value();
  const auto planar = collide(ShenTownsend{0.8, 0.3}, problem).value();
  EXPECT_LT((spatial.P - planar.P).norm(), 1e-12);
  const BodyPair after = apply_impulse(ball1, ball2, Vec3(4, 0, 0), spatial.P).value();
  EXPECT_LT((after.A.velocity - Vec3(planar.u.head(3))).norm(), 1e-12);
  EXPECT_LT((after.B.angular_velocity - Vec3(planar.u.tail(3))).norm(), 1e-12);
  EXPECT_LT((collide(Conventional{0.8, 0.3}, problem).value().u - planar.u).norm(), 1e-12);
}

TEST(ShenTownsend1998, Example2_TheDiameterOfTheTextDoesNotGiveTheResultsOfTheText) {
  // Radius 2, inertia 2/5 m r² = 1.6: the slip is smaller and ends sooner.
  Lagrangian both = join("ball 1", free_spatial_body(1, 1.6 * Mat3::Identity(), {{"east", Vec3(2, 0, 0)}}), "ball 2",
                         free_spatial_body(1, 1.6 * Mat3::Identity(), {{"west", Vec3(-2, 0, 0)}}))
                        .value();
  both.contacts.push_back({"balls", "ball 1.east", "ball 2.west", [](const VecX&) { return Vec3(Vec3::UnitX()); }, {}});
  const Example2 example;
  VecX q = example.q;
  q(7) = 4;
  const auto problem = planar_problem(respond(both, "balls", q, example.u).value(), Vec3::UnitY()).value();
  const auto out = collide(ShenTownsend{0.8, 0.3}, problem).value();
  EXPECT_GT(std::abs(out.p_t + 2.5742), 1);
}

}  // namespace
}  // namespace ricochet
