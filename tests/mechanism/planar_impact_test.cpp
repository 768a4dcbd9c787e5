#include "ricochet/mechanism/planar_impact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet {
namespace {

using testing::Rng;
using testing::uniform;

using testing::infinity;

/// A mechanism of 2 to 8 speeds whose contact moves in a plane that lies anywhere in space.
struct Planar {
  MatX mass;
  ContactPoint at;
  Vec3 t;
  Response response;
  PlanarProblem problem;
};

Planar random_mechanism(Rng& rng) {
  Planar m;
  const int dof = 2 + static_cast<int>(uniform(rng, 0, 7));
  MatX root(dof, dof);
  for (double& x : root.reshaped()) x = uniform(rng, -1, 1);
  m.mass = root * root.transpose() + 0.1 * MatX::Identity(dof, dof);
  Eigen::RowVectorXd J_n(dof), J_t(dof);
  for (double& x : J_n) x = uniform(rng, -1, 1);
  for (double& x : J_t) x = uniform(rng, -1, 1);
  VecX u(dof);
  for (double& x : u) x = uniform(rng, -1, 1);
  if (J_n.dot(u) > 0) u = -u;
  const bool no_slip = testing::chance(rng, 0.1);
  if (no_slip) {  // exactly: one speed at a time contributes
    u.setZero();
    J_t(0) = 0;
    u(0) = J_n(0) > 0 ? -1 : 1;
  }
  const Mat3 R = no_slip ? Mat3(Mat3::Identity()) : testing::random_rotation(rng);
  m.t = R.col(0);
  m.at.n = R.col(2);
  m.at.J = R.col(0) * J_t + R.col(2) * J_n;
  m.response = respond(dense_solver(m.mass).value(), m.at, u).value();
  m.problem = planar_problem(m.response, m.t).value();
  return m;
}

struct Parameters {
  double e, mu, mu_s;
};

/// Without sliding friction there is no static friction either.
Parameters random_parameters(Rng& rng) {
  const double e = testing::random_e(rng);
  const double mu = testing::chance(rng, 0.1) ? 0 : uniform(rng, 0, 2);
  const double mu_s = mu == 0 || testing::chance(rng, 0.5) ? -1
                      : testing::chance(rng, 0.1)          ? infinity
                                                           : mu * uniform(rng, 1, 2);
  return {e, mu, mu_s};
}

double energy(const MatX& mass, const VecX& u) { return 0.5 * u.dot(mass * u); }

TEST(PlanarImpact, EqualsRouthInThreeDimensionsOnRandomMechanisms) {
  Rng rng(21);
  std::array<int, 6> paths{};
  std::array<int, 5> modes{};
  for (int i = 0; i < 6000; ++i) {
    const Planar m = random_mechanism(rng);
    const auto [e, mu, mu_s] = random_parameters(rng);
    const double slip = std::abs(m.problem.v_t) / m.response.V.norm();
    if (slip > 0 && slip < 1e-12) continue;  // of rounding size: slip or not, as rounding will have it
    const bool stronge = i % 2 == 0;
    const auto spatial =
        collide(Routh{e, mu, mu_s, stronge ? Restitution::stronge : Restitution::poisson}, m.response.contact);
    const auto planar =
        stronge ? collide(Morgan{e, mu, mu_s}, m.problem) : collide(ShenTownsend{e, mu, mu_s}, m.problem);
    ASSERT_TRUE(spatial) << spatial.error().message();
    ASSERT_TRUE(planar) << planar.error().message();
    const Eigen::SelfAdjointEigenSolver<Mat2> W(
        (Mat2() << m.problem.w_nn, m.problem.w_nt, m.problem.w_nt, m.problem.w_tt).finished());
    const double condition = W.eigenvalues()(1) / W.eigenvalues()(0);
    const double scale = condition * (planar->P.norm() + spatial->P.norm());
    EXPECT_LT((planar->P - spatial->P).norm(), 1e-12 * scale) << "case " << i;
    EXPECT_LT((planar->u - m.response.after(spatial->P)).norm(), 1e-11 * scale * m.response.L.norm()) << "case " << i;
    EXPECT_NEAR(planar->friction_work, spatial->friction_work, 1e-11 * scale * m.response.V.norm()) << "case " << i;
    // Without friction Routh's law does not look for the moment in which slip changes its sense.
    if (mu > 0) {
      EXPECT_EQ(planar->mode, spatial->mode) << "case " << i;
    }
    EXPECT_EQ(planar->jammed, spatial->jammed) << "case " << i;
    ++paths[static_cast<std::size_t>(planar->path)];
    ++modes[static_cast<std::size_t>(planar->mode)];
  }
  for (const auto path : {PlanarCase::tangential_first, PlanarCase::normal_first, PlanarCase::normal_then_tangential})
    EXPECT_GT(paths[static_cast<std::size_t>(path)], 100) << morgan_path(path);
  for (const Mode mode : {Mode::slip, Mode::stick, Mode::slip_stick, Mode::slip_reversal})
    EXPECT_GT(modes[static_cast<std::size_t>(mode)], 50) << name(mode);
}

TEST(PlanarImpact, EnergyIsTheMechanismsAndNeverRises) {
  Rng rng(22);
  int conventional_gains = 0;
  for (int i = 0; i < 3000; ++i) {
    const Planar m = random_mechanism(rng);
    const auto [e, mu, mu_s] = random_parameters(rng);
    const double before = energy(m.mass, m.problem.u);
    for (const auto& out : {collide(Morgan{e, mu, mu_s}, m.problem), collide(ShenTownsend{e, mu, mu_s}, m.problem)}) {
      ASSERT_TRUE(out) << out.error().message();
      EXPECT_NEAR(energy(m.mass, out->u) - before, out->energy_change, 1e-10 * (before + energy(m.mass, out->u)));
      EXPECT_LE(out->energy_change, 1e-12 * before);
      EXPECT_LE(out->friction_work, 1e-12 * before);
      EXPECT_GE(out->states.back().v_n, -1e-12 * m.response.V.norm());
    }
    const auto conventional = collide(Conventional{e, mu, mu_s}, m.problem);
    if (!conventional) continue;
    EXPECT_NEAR(energy(m.mass, conventional->u) - before, conventional->energy_change,
                1e-10 * (before + energy(m.mass, conventional->u)));
    conventional_gains += conventional->energy_change > 1e-9 * before;
  }
  EXPECT_GT(conventional_gains, 50) << "the fault for which it is here";
}

TEST(PlanarImpact, EveryLawThatPromisesEnergyKeepsItOnMechanisms) {
  Rng rng(23);
  int asked = 0;
  for (int i = 0; i < 300; ++i) {
    const Planar m = random_mechanism(rng);
    LawParameters settings;
    settings.e = uniform(rng, 0, 1);
    settings.mu = uniform(rng, 0, 1);
    settings.e_t = uniform(rng, -1, 1);
    for (const LawInfo& info : laws()) {
      const auto law = make_law(info.name, settings);
      if (!law || !guarantees(*law).energy) continue;
      const auto out = collide(*law, m.response.contact);
      if (!out) continue;
      ++asked;
      const double before = energy(m.mass, m.problem.u), after = energy(m.mass, m.response.after(out->P));
      EXPECT_LE(after, before * (1 + 1e-9)) << info.name;
      EXPECT_NEAR(after - before, out->energy_change, 1e-9 * (before + after)) << info.name;
    }
  }
  EXPECT_GT(asked, 900);
}

TEST(PlanarImpact, StatesAreOnTheirHyperplanesAndTheCurveRunsThroughThem) {
  Rng rng(24);
  for (int i = 0; i < 500; ++i) {
    const Planar m = random_mechanism(rng);
    const auto [e, mu, mu_s] = random_parameters(rng);
    const auto out = collide(Morgan{e, mu, mu_s}, m.problem).value();
    ASSERT_EQ(out.states.size(), out.pieces.size() + 1);
    const double v = m.response.V.norm() + m.response.W.norm() * out.P.norm();
    const double work = v * out.P.norm();
    for (const PlanarState& s : out.states) {
      const Vec3 V = m.at.J * s.u;
      EXPECT_NEAR(V.dot(m.at.n), s.v_n, 1e-11 * v);
      EXPECT_NEAR(V.dot(m.t), s.v_t, 1e-11 * v);
      EXPECT_NEAR(s.E_n + s.E_t, energy(m.mass, s.u) - energy(m.mass, m.problem.u), 1e-10 * (work + s.u.norm()));
      const PlanarState on_curve = state_at(out, s.p_n).value();
      EXPECT_NEAR(on_curve.E_n, s.E_n, 1e-12 * work);
      EXPECT_NEAR(on_curve.E_t, s.E_t, 1e-12 * work);
      EXPECT_LT((on_curve.u - s.u).norm(), 1e-12 * (m.problem.u.norm() + m.response.L.norm() * out.P.norm()));
    }
    // The works are the integrals of what they are said to be: Simpson's rule is exact on each quadratic.
    double E_n = 0, E_t = 0;
    for (std::size_t k = 0; k < out.pieces.size(); ++k) {
      const PlanarState &a = out.states[k], &b = out.states[k + 1];
      const PlanarState middle = state_at(out, 0.5 * (a.p_n + b.p_n)).value();
      E_n += (b.p_n - a.p_n) / 6 * (a.v_n + 4 * middle.v_n + b.v_n);
      E_t += (b.p_t - a.p_t) / 6 * (a.v_t + 4 * middle.v_t + b.v_t);
    }
    EXPECT_NEAR(E_n, out.normal_work, 1e-12 * work);
    EXPECT_NEAR(E_t, out.friction_work, 1e-12 * work);
  }
}

TEST(PlanarImpact, BothParameterisationsOfTheDoublePendulumGiveOneAnswer) {
  Rng rng(25);
  const Rod upper{1.1, 2}, lower{0.8, 0.5};
  const Lagrangian absolute = double_pendulum_absolute(upper, lower), relative = double_pendulum_relative(upper, lower);
  int struck = 0;
  for (int i = 0; i < 2000; ++i) {
    const VecX q = Eigen::Vector2d(uniform(rng, -1.4, 1.4), uniform(rng, -1.4, 1.4));
    const VecX u = Eigen::Vector2d(uniform(rng, -2, 2), uniform(rng, -2, 2));
    if (std::abs(std::sin(q(1) - q(0))) < 0.05) continue;  // stretched: W is nearly singular
    const auto [e, mu, mu_s] = random_parameters(rng);
    const auto one = planar_problem(respond(absolute, "floor", q, u).value(), Vec3::UnitX()).value();
    const auto two =
        planar_problem(respond(relative, "floor", relative_angles(q), relative_speeds(u)).value(), Vec3::UnitX())
            .value();
    const auto a = collide(Morgan{e, mu, mu_s}, one), b = collide(Morgan{e, mu, mu_s}, two);
    ASSERT_TRUE(a && b);
    struck += a->path != PlanarCase::separating;
    EXPECT_EQ(a->path, b->path);
    EXPECT_LT((relative_speeds(a->u) - b->u).norm(), 1e-9 * (1 + a->u.norm()));
    EXPECT_NEAR(a->energy_change, b->energy_change, 1e-10 * (1 + energy(absolute.mass(q), u)));
  }
  EXPECT_GT(struck, 500);
}

TEST(PlanarImpact, SeparatingContactKeepsItsMotion) {
  const Lagrangian system = double_pendulum_absolute({2, 3}, {2, 3});
  const VecX q = Eigen::Vector2d(0.3, 0.5), u = Eigen::Vector2d(0.1, 0.2);
  const auto problem = planar_problem(respond(system, "floor", q, u).value(), Vec3::UnitX()).value();
  for (const auto& out : {collide(Morgan{0.5, 0.3}, problem).value(), collide(ShenTownsend{0.5, 0.3}, problem).value(),
                          collide(Conventional{0.5, 0.3}, problem).value()}) {
    EXPECT_EQ(out.mode, Mode::separating);
    EXPECT_EQ(out.path, PlanarCase::separating);
    EXPECT_EQ(out.u, u);
    EXPECT_EQ(out.energy_change, 0);
    EXPECT_EQ(state_at(out, 0).value().u, u);
  }
}

TEST(PlanarImpact, InclinedBar_FallsWithoutSpin_ReboundsAsTheTextbookSays) {
  // Smooth floor: P_n = (1 + e) v / (1/m + (ℓ cos θ/2)²/I), from momentum and moment of momentum.
  const double mass = 0.9, length = 1.5, angle = 0.6, e = 0.4, v = 2;
  const Lagrangian bar = inclined_bar({length, mass});
  const VecX q = Vec3(0, 0.8, angle), u = Vec3(0, -v, 0);
  const auto problem = planar_problem(respond(bar, "left on floor", q, u).value(), Vec3::UnitX()).value();
  const auto out = collide(ShenTownsend{e, 0}, problem).value();
  const double arm = length * std::cos(angle) / 2, inertia = mass * length * length / 12;
  const double P = (1 + e) * v / (1 / mass + arm * arm / inertia);
  EXPECT_NEAR(out.p_n, P, 1e-14);
  EXPECT_NEAR(out.u(1), -v + P / mass, 1e-14);
  EXPECT_NEAR(out.u(2), -arm * P / inertia, 1e-13);
}

TEST(PlanarImpact, OneDegreeOfFreedom_MeetsBothPausesAtOnce_AndSticksDead) {
  const Lagrangian system = single_pendulum({2, 3});
  const VecX q = VecX::Constant(1, 0.5), u = VecX::Constant(1, -1.0);
  const Response response = respond(system, "floor", q, u).value();
  const auto problem = planar_problem(response, Vec3::UnitX()).value();
  for (const auto& out : {collide(Morgan{0.7, 3}, problem).value(), collide(ShenTownsend{0.7, 3}, problem).value()}) {
    EXPECT_EQ(out.path, PlanarCase::simultaneous);
    EXPECT_EQ(out.mode, Mode::slip_stick);
    EXPECT_NEAR(out.u(0), 0, 1e-15);
    EXPECT_NEAR(out.energy_change, -energy(system.mass(q), u), 1e-14);
  }
  // Little friction lets it slide back: v_t/v_n is fixed, and Routh in three dimensions says the same.
  const auto slides = collide(Morgan{0.7, 0.1}, problem).value();
  EXPECT_EQ(slides.mode, Mode::slip_reversal);
  const auto spatial = collide(Routh{0.7, 0.1, -1, Restitution::stronge}, response.contact).value();
  EXPECT_NEAR(response.after(spatial.P)(0), slides.u(0), 1e-12);
}

TEST(PlanarImpact, FrictionThatJams_OursGoesOn_TheConventionalMethodRefuses) {
  const auto problem = [](double w_nt) {
    const Mat2 inverse = (Mat2() << 1, w_nt, w_nt, 1).finished().inverse();
    return planar_problem(MatX(0.5 * (inverse + inverse.transpose())), Eigen::RowVector2d(1, 0),
                          Eigen::RowVector2d(0, 1), Eigen::Vector2d(-0.01, -1))
        .value();
  };
  // Slip along −t is braked by an impulse along +t, which drives the contact deeper: 1 − 0.8·2 < 0.
  const auto ours = collide(ShenTownsend{0.5, 2}, problem(-0.8)).value();
  EXPECT_TRUE(ours.jammed);
  EXPECT_EQ(shen_townsend_case(ours.path), "i");
  // Sticking would need a pull here, and friction against the reversed slip lets no push separate.
  const auto refused = collide(Conventional{0.5, 2, 2, Opposes::reversed_slip}, problem(0.8));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "mu");
}

TEST(PlanarImpact, WrongInputIsNamed) {
  const MatX mass = MatX::Identity(2, 2);
  const Eigen::RowVectorXd J = Eigen::RowVector2d(1, 0), wide = Eigen::RowVector3d(1, 0, 0);
  const VecX u = Eigen::Vector2d(-1, 0);
  EXPECT_EQ(planar_problem(mass, wide, J, u).error().path, "u");
  EXPECT_EQ(planar_problem(MatX::Identity(3, 3), J, J, u).error().path, "mass");
  EXPECT_EQ(planar_problem(MatX::Zero(2, 2), J, J, u).error().path, "mass");
  const auto problem = planar_problem(mass, J, Eigen::RowVector2d(0, 1), u).value();
  EXPECT_EQ(collide(Morgan{1.5, 0.3}, problem).error().path, "e");
  EXPECT_EQ(collide(Morgan{0.5, -0.3}, problem).error().path, "mu");
  EXPECT_EQ(collide(Morgan{0.5, infinity}, problem).error().path, "mu");
  EXPECT_EQ(collide(ShenTownsend{0.5, 0.3, 0.2}, problem).error().path, "mu_s");
  EXPECT_EQ(collide(Conventional{std::nan(""), 0.3}, problem).error().path, "e");
  const auto out = collide(Morgan{0.5, 0.3}, problem).value();
  EXPECT_EQ(state_at(out, -1).error().path, "p_n");
  EXPECT_EQ(state_at(out, out.p_n * 1.1).error().path, "p_n");

  // An impact that leaves the plane, by its mobility or by its velocity.
  Rng rng(26);
  const Lagrangian body = free_spatial_body(1, Vec3(1, 1.2, 1.5).asDiagonal(), {{"corner", Vec3(0.5, 0.4, -0.3)}});
  VecX q = VecX::Zero(7), fall = VecX::Zero(6);
  q(3) = 1;
  fall(2) = -1;
  const Response corner = respond(body, "corner on floor", q, fall).value();
  EXPECT_EQ(planar_problem(corner, Vec3::UnitX()).error().path, "W");
  EXPECT_EQ(planar_problem(corner, Vec3::UnitZ()).error().path, "t");
  const Lagrangian ball = free_spatial_body(1, Mat3::Identity(), {{"south", Vec3(0, 0, -1)}});
  fall(1) = 0.5;
  EXPECT_EQ(planar_problem(respond(ball, "south on floor", q, fall).value(), Vec3::UnitX()).error().path, "V");
}

}  // namespace
}  // namespace ricochet
