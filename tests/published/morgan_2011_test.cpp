// Morgan 2011: the example mechanism as printed in section 2.1, and what chapters 2 and 3 say of every impact. The
// thesis prints no numbers of an impact; those of Shen & Townsend serve, since the mechanism is the same.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "random_contact.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet {
namespace {

using testing::Rng;
using testing::uniform;

TEST(Morgan2011, Section2_1_MassMatrixAndJacobianAsPrinted) {
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    const double r = uniform(rng, 0.2, 3), m = uniform(rng, 0.2, 3);
    const double q1 = uniform(rng, -3, 3), q2 = uniform(rng, -3, 3);
    const Lagrangian system = double_pendulum_relative({r, m}, {r, m});
    const VecX q = Eigen::Vector2d(q1, q2);
    Mat2 mass;
    mass << std::cos(q2) + 5.0 / 3, std::cos(q2) / 2 + 1.0 / 3, std::cos(q2) / 2 + 1.0 / 3, 1.0 / 3;
    EXPECT_LT((mass_matrix(system, q).value() - m * r * r * mass).norm(), 1e-13 * m * r * r);
    Mat2 J;
    J << -std::sin(q1) - std::sin(q1 + q2), -std::sin(q1 + q2), std::cos(q1) + std::cos(q1 + q2), std::cos(q1 + q2);
    const MatX ours = contact_at(system, "floor", q).value().J;
    EXPECT_LT((ours.row(0) - r * J.row(0)).norm() + (ours.row(2) - r * J.row(1)).norm(), 1e-13 * r);
    EXPECT_EQ(ours.row(1).norm(), 0);
  }
}

/// Kane's puzzle in the angles of the thesis.
PlanarProblem kane() {
  const Lagrangian system = double_pendulum_relative({2, 3}, {2, 3});
  const VecX q = relative_angles(Eigen::Vector2d(20, 30) * std::numbers::pi / 180);
  const VecX u = relative_speeds(Eigen::Vector2d(-0.1, -0.2));
  return planar_problem(respond(system, "floor", q, u).value(), Vec3::UnitX()).value();
}

TEST(Morgan2011, Equation3_1_IsTheCriticalRatioOfShenAndTownsend) {
  const auto out = collide(Morgan{0.5, 0.4}, kane()).value();
  EXPECT_NEAR(out.hold, -0.6234, 0.5e-4);
}

TEST(Morgan2011, ShenAndTownsendsTables3And4_InTheAnglesOfTheThesis) {
  struct Row {
    double e, mu_s, mu, energy;
  };
  for (const Row& row : {Row{0.5, 0.25, 0.2, -0.11}, Row{0.5, 0.5, 0.4, -0.12}, Row{0.3, 0.5, 0.4, -0.13},
                         Row{0.7, 0.51, 0.5, -0.12}, Row{0.5, 0, 0, -0.08}, Row{0.2, 0.5, 0.4, -0.13}})
    EXPECT_NEAR(collide(ShenTownsend{row.e, row.mu, row.mu_s}, kane()).value().energy_change, row.energy, 0.5e-2);
}

TEST(Morgan2011, Figure2_6_NormalWorkTurnsWhereVnVanishes_FrictionWorkOnlyFalls) {
  const auto out = collide(Morgan{0.7, 0.5, 0.51}, kane()).value();
  EXPECT_EQ(morgan_path(out.path), "a-c-d-e");
  double lowest = 0, lowest_at = 0, last_E_t = 0;
  constexpr int samples = 2000;
  for (int i = 0; i <= samples; ++i) {
    const double p = out.p_n * i / samples;
    const PlanarState s = state_at(out, p).value();
    if (s.E_n < lowest) {
      lowest = s.E_n;
      lowest_at = p;
    }
    EXPECT_LE(s.E_t, last_E_t + 1e-16);
    last_E_t = s.E_t;
  }
  EXPECT_NEAR(lowest_at, out.p_c, out.p_n / samples);
  const PlanarState compressed = state_at(out, out.p_c).value();
  EXPECT_NEAR(out.normal_work, (1 - 0.7 * 0.7) * compressed.E_n, 1e-15);
}

TEST(Morgan2011, Figure2_8_ThreePathsAndNoOther) {
  // One line of velocities in (v_n, v_t), bent where friction turns: the order of the pauses is what the paths are.
  const auto problem = [](double w_nt, double v_t) {
    Mat2 mass = (Mat2() << 1, w_nt, w_nt, 1).finished().inverse();
    mass = Mat2(0.5 * (mass + mass.transpose()));
    return planar_problem(mass, Eigen::RowVector2d(1, 0), Eigen::RowVector2d(0, 1), Eigen::Vector2d(-1, v_t)).value();
  };
  // Without coupling slip falls by μ per unit of impulse, and compression takes one unit.
  const auto b = collide(Morgan{0.5, 0.5}, problem(0, 0.25)).value();
  EXPECT_EQ(morgan_path(b.path), "a-b-e");
  EXPECT_NEAR(b.states[1].p_n, 0.5, 1e-15);
  const auto c = collide(Morgan{0.5, 0.5}, problem(0, 1.0)).value();
  EXPECT_EQ(morgan_path(c.path), "a-c-e");
  EXPECT_NEAR(c.p_star, 2, 1e-15);
  EXPECT_NEAR(c.p_n, 1.5, 1e-15);
  const auto d = collide(Morgan{0.5, 0.5}, problem(0, 0.6)).value();
  EXPECT_EQ(morgan_path(d.path), "a-c-d-e");
  EXPECT_NEAR(d.states[2].p_n, 1.2, 1e-15);
  // Fig. 2.9b: the coupling drives the slip away from zero faster than friction slows it.
  const auto away = collide(Morgan{0.5, 0.5}, problem(0.8, 0.25)).value();
  EXPECT_EQ(morgan_path(away.path), "a-c-e");
  EXPECT_TRUE(std::isinf(away.p_star));
  EXPECT_GT(away.states.back().v_t, 0.25);
}

}  // namespace
}  // namespace ricochet
