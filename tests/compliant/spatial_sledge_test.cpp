#include "ricochet/compliant/spatial_sledge.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/compliant/planar_sledge.hpp"
#include "sledge_oracle.hpp"

namespace ricochet::compliant {
namespace {

using testing::chance;
using testing::log_uniform;
using testing::Rng;
using testing::uniform;

using testing::infinity;
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

/// As friction vanishes, the impulse tends to that of a frictionless impact, (1 + e, 0, 0), to the order of μ.
TEST_P(EveryDamper, VanishingFriction_IsFrictionless) {
  for (const double mu : {1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}) {
    for (const double kappa : {1e-3, 0.8, 1e2, 1e4}) {
      for (const double slip : {0.0, 1e-9, 1e-3, 1.0}) {
        Problem p;
        p.A << 1, 0.4, -0.7, 0.4, 2, 0.3, -0.7, 0.3, 1.5;
        p.v_t = Vec2(slip, -0.4 * slip);
        p.mu = mu;
        p.kappa = kappa;
        p.e = 0.5;
        p.damper = GetParam();
        const auto r = run_spatial(p);
        ASSERT_EQ(r.stop, Stop::separated) << mu << " " << kappa << " " << slip;
        EXPECT_NEAR(r.state.P(0), 1.5, 5 * mu + 1e-12) << mu << " " << kappa << " " << slip;
        // Down to friction of rounding size relative to the normal impulse.
        EXPECT_LE(r.state.P.tail<2>().norm(), mu * r.state.P(0) * (1 + 1e-12) + 1e-15)
            << mu << " " << kappa << " " << slip;
        const Energy e = energy(p, r.state.P);
        EXPECT_NEAR(e.change + r.state.friction_loss + r.state.normal_loss, 0, 1e-12 * (1 + e.terms));
      }
    }
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
    EXPECT_NEAR(a.state.time, static_cast<double>(b.state.time), 1e-9 * (1 + a.state.time)) << i;
  }
}

// Slip that does not turn is that of the plane in every detail: stops, turns of the bodies, and when they are.
TEST(SpatialSledge, PlanarContactInTurnedAxes_IsThatOfThePlane) {
  Rng rng(45);
  int stops = 0;
  for (int i = 0; i < 1500; ++i) {
    const double c = log_uniform(rng, -1, 1), b = uniform(rng, -0.98, 0.98) * std::sqrt(c), angle = uniform(rng, 0, 6);
    const double slip = log_uniform(rng, -3, 2);
    Problem p;
    p.kappa = log_uniform(rng, -3, 3);
    p.mu = log_uniform(rng, -2, 1);
    p.e = chance(rng, 0.3) ? log_uniform(rng, -2, 0) : uniform(rng, 0, 1);
    Mat3 flat, R = Mat3::Identity();
    flat << 1, b, 0, b, c, 0, 0, 0, log_uniform(rng, -1, 1);
    R.bottomRightCorner<2, 2>() << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
    p.A = R * flat * R.transpose();
    p.v_t = R.bottomRightCorner<2, 2>() * Vec2(slip, 0);
    const auto in_plane = run_planar(PlanarSledge<double>{b, c, slip, p.kappa, p.mu, p.e});
    const auto in_space = run_spatial(p);
    ASSERT_EQ(in_plane.stop, Stop::separated) << i;
    ASSERT_EQ(in_space.stop, Stop::separated) << i;
    if (in_plane.phases > 60) continue;  // errors of rounding grow from phase to phase
    if (in_plane.phases > 3) ++stops;
    EXPECT_EQ(in_space.phases, in_plane.phases) << i;
    const Vec3 P(in_plane.state.P_n, in_plane.state.P_t, 0);
    EXPECT_LT((R.transpose() * in_space.state.P - P).norm(), 1e-11 * (1 + P.norm())) << i;
    EXPECT_NEAR(in_space.state.time, in_plane.duration, 1e-9 * (1 + in_plane.duration)) << i;
    EXPECT_NEAR(in_space.state.friction_loss, in_plane.state.friction_loss, 1e-11 * (1 + P.squaredNorm())) << i;
  }
  EXPECT_GT(stops, 200);
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

/// A mode is as slow as the contact is ill-conditioned and as one spring is softer than another; only an immovable
/// direction has none. In a plane the closed form gives the result.
TEST(SpatialSledge, IllConditionedContactOnAStiffSpring_IsThatOfThePlane) {
  for (const double gap : {1e-3, 1e-6, 1e-9}) {
    for (const double kappa : {1.0, 1e4, 1e6, 1e8}) {
      for (const double e : {1.0, 0.5, 1e-4}) {
        for (const double mu : {0.5, infinity}) {
          const PlanarSledge<double> flat{1, 1 + gap, -0.7, kappa, mu, e};
          const auto exact = run_planar(flat);
          ASSERT_EQ(exact.stop, Stop::separated);
          Problem p;
          p.A << 1, flat.b, 0, flat.b, flat.c, 0, 0, 0, 1;
          p.v_t = Vec2(flat.v_t, 0);
          p.kappa = kappa;
          p.mu = mu;
          p.e = e;
          const auto r = run_spatial(p);
          ASSERT_EQ(r.stop, Stop::separated) << gap << " " << kappa << " " << e << " " << mu;
          const Vec3 P(exact.state.P_n, exact.state.P_t, 0);
          // The eigenvalues carry ε/gap, and so do the impulses.
          EXPECT_LT((r.state.P - P).norm(), (1e-10 + 1e-14 / gap) * (1 + P.norm()))
              << gap << " " << kappa << " " << e << " " << mu;
        }
      }
    }
  }
}

/// Garwin's superball in a slanting direction: with κc = 1 both springs swing in step, at the largest slip that sticks
/// on the very edge of the cone.
TEST(SpatialSledge, SuperballOnTheEdgeOfTheCone_ReversesItsSlip) {
  for (const double c : {2.0, 3.5, 7.0}) {
    for (const double mu : {0.25, 0.3, 1.0, 1.7}) {
      for (const double angle : {0.0, 0.3, 1.1, 2.9}) {
        Problem p;
        p.A = Vec3(1, c, c).asDiagonal();
        p.kappa = 1 / c;
        p.mu = mu;
        p.v_t = mu * c * Vec2(std::cos(angle), std::sin(angle));
        const auto r = run_spatial(p);
        ASSERT_EQ(r.stop, Stop::separated) << c << " " << mu << " " << angle;
        EXPECT_NEAR(r.state.v(0), 1, 1e-12) << c << " " << mu << " " << angle;
        EXPECT_LT((r.state.v.tail<2>() + p.v_t).norm(), 1e-12 * p.v_t.norm()) << c << " " << mu << " " << angle;
        EXPECT_NEAR(r.state.friction_loss, 0, 1e-12) << c << " " << mu << " " << angle;
        EXPECT_LT(r.evaluations, 10'000) << "the edge of the cone is searched for a fall that is not there";
      }
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

/// Frequencies of stick that are 1e50 to 1e150 apart: the tangential spring gives no force, the normal one all of it.
TEST(SpatialSledge, TangentialSpringOfNoStiffness_LeavesANormalImpact) {
  const Mat3 M = (Mat3() << 2.0, 0.7, 0.2, 0.7, 1.5, -0.3, 0.2, -0.3, 1.1).finished();
  const Mat3 W = M.inverse();
  for (const double kappa : {1e-100, 1e-150, 1e-180, 1e-250, 1e-300}) {
    Problem p;
    p.A = W / W(0, 0);
    p.v_t = Vec2(-1.4, 0.3);
    p.kappa = kappa;
    p.mu = 0.3;
    p.e = 0.5;
    const auto r = run_spatial(p);
    EXPECT_EQ(r.stop, Stop::separated) << kappa;
    EXPECT_LT((r.state.P - Vec3(1.5, 0, 0)).norm(), 1e-14) << kappa;
  }
}

}  // namespace
}  // namespace ricochet::compliant
