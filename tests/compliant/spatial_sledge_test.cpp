#include "ricochet/compliant/spatial_sledge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_contact.hpp"
#include "sledge_oracle.hpp"

namespace ricochet::compliant {
namespace {

using testing::chance;
using testing::log_uniform;
using testing::Rng;
using testing::uniform;

constexpr double infinity = std::numeric_limits<double>::infinity();
using Problem = SpatialSledge<double>;

Problem random_problem(Rng& rng, Damper damper) {
  Problem p;
  const Mat3 W = testing::random_mass(rng, 1.5);
  p.A = W / W(0, 0);
  p.v_t = chance(rng, 0.1) ? Vec2(Vec2::Zero()) : Vec2(uniform(rng, -2, 2), uniform(rng, -2, 2));
  p.kappa = log_uniform(rng, -1.5, 1.5);
  p.mu = log_uniform(rng, -1.2, 0.5);
  p.damper = damper;
  p.e = damper == Damper::hysteretic ? testing::random_e(rng) : uniform(rng, 0.05, 0.99);
  if (chance(rng, 0.3)) p.e = log_uniform(rng, damper == Damper::hysteretic ? -3 : -4, 0);
  return p;
}

testing::SledgeOracle oracle(const Problem& p) {
  testing::SledgeOracle o;
  o.W = p.A;
  o.V = Vec3(-1, p.v_t(0), p.v_t(1));
  o.kappa = p.kappa;
  o.mu = p.mu;
  o.e = p.e;
  o.damper = p.damper;
  if (p.damper == Damper::linear) o.coefficient = linear_coefficient(p.e);
  if (p.damper == Damper::hunt_crossley) o.coefficient = hunt_crossley_coefficient(p.e);
  o.implicit = p.damper != Damper::hysteretic && p.e < 0.4;
  return o;
}

/// Energy gained by the impulse, and the size of its terms.
struct Energy {
  double change, terms;
};
Energy energy(const Problem& p, const Vec3& P) {
  const Vec3 V(-1, p.v_t(0), p.v_t(1));
  return {P.dot(V + 0.5 * p.A * P), P.norm() * (V.norm() + (p.A * P).norm())};
}

class EveryDamper : public ::testing::TestWithParam<Damper> {};

TEST_P(EveryDamper, RandomImpactsInSpace_AgreeWithCvode) {
  Rng rng(41);
  int finer = 0;
  for (int i = 0; i < 350; ++i) {
    const Problem p = random_problem(rng, GetParam());
    const auto r = run_spatial(p);
    ASSERT_EQ(r.stop, Stop::separated) << i;
    auto o = oracle(p);
    auto a = o.run();
    if (!a.ok || (a.P - r.state.P).norm() > 1e-9 * (1 + a.P.norm())) {  // a slip shorter than its step
      ++finer;
      o.implicit = false;
      o.longest_step = 1e-3;
      a = o.run();
    }
    ASSERT_TRUE(a.ok) << i;
    EXPECT_LT((a.P - r.state.P).norm(), 1e-9 * (1 + a.P.norm())) << i;
    EXPECT_NEAR(r.state.time, a.duration, 1e-6 * (1 + a.duration)) << i;
    EXPECT_NEAR(r.state.friction_loss, a.friction_loss, 1e-7 * (1 + a.P.norm())) << i;
  }
  EXPECT_LT(finer, 10);
}

TEST_P(EveryDamper, EnergyLedgerCloses) {
  Rng rng(42);
  for (int i = 0; i < 500; ++i) {
    const Problem p = random_problem(rng, GetParam());
    const auto r = run_spatial(p);
    ASSERT_EQ(r.stop, Stop::separated) << i;
    const Energy e = energy(p, r.state.P);
    EXPECT_NEAR(e.change + r.state.friction_loss + r.state.normal_loss, 0, 1e-12 * (1 + e.terms)) << i;
    EXPECT_GE(r.state.friction_loss, -1e-13);
    EXPECT_GE(r.state.normal_loss, -1e-13);
    EXPECT_LE(r.state.P.tail<2>().norm(), p.mu * r.state.P(0) * (1 + 1e-12));
    EXPECT_GE(r.state.v(0), -1e-12);
  }
}

TEST_P(EveryDamper, RotatedAboutTheNormal_TheImpulseTurnsAlong) {
  Rng rng(43);
  for (int i = 0; i < 60; ++i) {
    const Problem p = random_problem(rng, GetParam());
    const double angle = uniform(rng, 0, 6);
    Mat3 R = Mat3::Identity();
    R.bottomRightCorner<2, 2>() << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
    Problem q = p;
    q.A = R * p.A * R.transpose();
    q.v_t = R.bottomRightCorner<2, 2>() * p.v_t;
    const auto a = run_spatial(p), b = run_spatial(q);
    EXPECT_LT((R * a.state.P - b.state.P).norm(), 1e-10 * (1 + a.state.P.norm())) << i;
  }
}

std::string damper_name(const ::testing::TestParamInfo<Damper>& info) {
  return info.param == Damper::hysteretic ? "hysteretic" : info.param == Damper::linear ? "linear" : "hunt_crossley";
}
INSTANTIATE_TEST_SUITE_P(SpatialSledge, EveryDamper,
                         ::testing::Values(Damper::hysteretic, Damper::linear, Damper::hunt_crossley), damper_name);

TEST(SpatialSledge, ExtendedPrecision_Agrees) {
  Rng rng(44);
  for (int i = 0; i < 40; ++i) {
    const Problem p = random_problem(rng, Damper::hysteretic);
    SpatialSledge<long double> q;
    q.A = p.A.cast<long double>();
    q.v_t = p.v_t.cast<long double>();
    q.kappa = p.kappa;
    q.mu = p.mu;
    q.e = p.e;
    const auto a = run_spatial(p);
    const auto b = run_spatial(q);
    EXPECT_LT((a.state.P - b.state.P.cast<double>()).norm(), 1e-11 * (1 + a.state.P.norm())) << i;
  }
}

TEST(SpatialSledge, UnlimitedFriction_IsTheLimitOfLargeFriction) {
  Rng rng(45);
  for (int i = 0; i < 30; ++i) {
    Problem p = random_problem(rng, Damper::hysteretic);
    p.mu = infinity;
    const auto unlimited = run_spatial(p);
    ASSERT_EQ(unlimited.stop, Stop::separated);
    p.mu = 1e6;
    const auto large = run_spatial(p);
    ASSERT_EQ(large.stop, Stop::separated);
    EXPECT_LT((large.state.P - unlimited.state.P).norm(), 1e-3 * (1 + unlimited.state.P.norm())) << i;
    const Energy e = energy(p, large.state.P);
    EXPECT_NEAR(e.change + large.state.friction_loss + large.state.normal_loss, 0, 1e-12 * (1 + e.terms)) << i;
  }
}

TEST(SpatialSledge, StiffAndSoft_StillClose) {
  Rng rng(46);
  for (const double kappa : {1e-6, 1e-3, 1e3, 1e5}) {
    for (int i = 0; i < 4; ++i) {
      Problem p = random_problem(rng, Damper::hysteretic);
      p.kappa = kappa;
      const auto r = run_spatial(p);
      ASSERT_EQ(r.stop, Stop::separated) << kappa << " " << i;
      const Energy e = energy(p, r.state.P);
      EXPECT_NEAR(e.change + r.state.friction_loss + r.state.normal_loss, 0, 1e-12 * (1 + e.terms))
          << kappa << " " << i;
    }
  }
}

TEST(SpatialSledge, SlidingPathCurves_WhereMobilityIsNotIsotropic) {
  Problem p;
  p.A = Vec3(1, 1, 4).asDiagonal();
  p.v_t = Vec2(1, 1);
  p.mu = 0.3;
  p.kappa = 1;
  const auto r = run_spatial(p);
  // Friction turns the slip towards the heavy direction: the impulse is no longer along (1, 1).
  EXPECT_GT(std::abs(r.state.P(1) - r.state.P(2)), 1e-3);
}

}  // namespace
}  // namespace ricochet::compliant
