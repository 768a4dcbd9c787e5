#include "ricochet/law/smith.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/smith_kernel.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

Contact planar(double m_nn, double m_nt, double m_tt, double V_n, double V_t) {
  Mat3 M;
  M << m_nn, m_nt, 0, m_nt, m_tt, 0, 0, 0, 1;
  return contact_from_mass(M, Vec3(V_n, V_t, 0), Vec3::UnitX()).value();
}

Vec2 average(const Vec2& before, const Vec2& after) {
  return (before * before.norm() + after * after.norm()) / (before.squaredNorm() + after.squaredNorm());
}

/// CR98 Eq. 8 as it stands, over the size of the impulse. V_t⁺ is known to the rounding of its terms, and the average
/// with it to that over the slip speed.
void expect_eq8(const Local<double>& c, const Vec3& P, double e, double mu) {
  const Vec3 V = c.V + c.W * P;
  const Vec3 terms = c.V.cwiseAbs() + c.W.cwiseAbs() * P.cwiseAbs();
  EXPECT_NEAR(V(0), -e * c.V(0), 1e-12 * terms(0));
  const Vec2 V_t = c.V.tail<2>();
  const double loose = 1e-13 * (1 + terms.maxCoeff() / V_t.norm());
  const Vec2 friction = -mu * P(0) * average(V_t, V.tail<2>());
  EXPECT_LE((P.tail<2>() - friction).norm(), loose * (mu * P(0) + P.norm())) << "mu " << mu << " e " << e;
}

TEST(Smith, AnswersEq8_AndIsPermissible) {
  Rng rng(31);
  for (const double condition : {1.0, 3.0, 6.0}) {
    for (int trial = 0; trial < 4000; ++trial) {
      const Contact contact = random_contact(rng, condition);
      const double e = random_e(rng);
      const double mu = random_mu(rng);
      const auto hit = collide(Smith{e, mu}, contact);
      ASSERT_TRUE(hit) << hit.error().message() << " mu " << mu << " e " << e;
      EXPECT_TRUE(hit->certificate.permissible) << "mu " << mu << " e " << e;
      EXPECT_NEAR(hit->normal_work + hit->friction_work, hit->energy_change, 1e-15);
      const Local<double> local = localize<double>(contact);
      // In local axes: turned back from the input's, P_n would carry the rounding of a P_t that is μ times larger.
      if (mu < infinity && local.V(1) != 0) expect_eq8(local, solve(Smith{e, mu}, local).P, e, mu);
    }
  }
}

TEST(Smith, IllConditionedContacts_AnswersArePermissible_AndAlmostAllAreFound) {
  Rng rng(32);
  int refused = 0;
  constexpr int trials = 10000;
  for (int trial = 0; trial < trials; ++trial) {
    const double mu = random_mu(rng);
    const double e = random_e(rng);
    const auto hit = collide(Smith{e, mu}, random_contact(rng, 10));
    if (!hit) {
      ++refused;
      EXPECT_TRUE(is_failure_to_solve(hit.error().code));
      continue;
    }
    EXPECT_TRUE(hit->certificate.permissible) << "mu " << mu << " e " << e;
  }
  EXPECT_LE(refused, trials / 1000);
}

/// The branch from P = 0 by small steps and brute force, in (N, T) itself: (1, β N u − α T) followed along its null
/// vector, which is found from the singular Jacobian by finite differences.
Vec3 by_small_steps(const Local<double>& c, double e, double mu) {
  const double alpha = 1 / (1 + mu);
  const double beta = mu / (1 + mu);
  const Vec2 V_t = c.V.tail<2>();
  const double goal = -(1 + e) * c.V(0);
  const double unit = c.V.norm() / c.W.norm();
  const auto F = [&](const Vec3& z) {  // z = (N, T)
    const Vec3 V = c.V + c.W * Vec3(z(0), -z(1), -z(2));
    return Vec2(beta * z(0) * average(V_t, V.tail<2>()) - alpha * z.tail<2>());
  };
  const auto jacobian = [&](const Vec3& z) {
    Eigen::Matrix<double, 2, 3> J;
    for (int i = 0; i < 3; ++i) {
      const double h = 1e-6 * unit;
      J.col(i) = (F(z + h * Vec3::Unit(i)) - F(z - h * Vec3::Unit(i))) / (2 * h);
    }
    return J;
  };
  const auto change = [&](const Vec3& z) { return (c.W * Vec3(z(0), -z(1), -z(2)))(0); };
  Vec3 z = Vec3::Zero();
  Vec3 direction(alpha, beta * V_t(0) / V_t.norm(), beta * V_t(1) / V_t.norm());
  direction.normalize();
  for (int i = 0; i < 2000000; ++i) {
    const double step = 2e-3 * (unit + z.norm());
    Vec3 next = z + step * direction;
    for (int k = 0; k < 3; ++k) {
      Mat3 A;
      A << jacobian(next), direction.transpose();
      Vec3 b;
      b << -F(next), 0;
      next += A.fullPivLu().solve(b);
    }
    if (change(next) >= goal) {
      const double fraction = (goal - change(z)) / (change(next) - change(z));
      Vec3 end = z + fraction * (next - z);
      for (int k = 0; k < 4; ++k) {
        Mat3 A;
        A << jacobian(end), c.W(0, 0), -c.W(0, 1), -c.W(0, 2);
        Vec3 b;
        b << -F(end), goal - change(end);
        end += A.fullPivLu().solve(b);
      }
      return Vec3(end(0), -end(1), -end(2));
    }
    Vec3 tangent = jacobian(next).row(0).transpose().cross(jacobian(next).row(1).transpose()).normalized();
    direction = tangent.dot(direction) < 0 ? Vec3(-tangent) : tangent;
    z = next;
  }
  return Vec3::Constant(std::nan(""));
}

TEST(Smith, IsTheBranchThatLeavesTheOrigin) {
  Rng rng(33);
  int jamming = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Contact contact = random_contact(rng, 2);
    const double e = random_e(rng);
    const double mu = uniform(rng, 0.1, 4);
    const Local<double> local = localize<double>(contact);
    if (local.V(1) > -1e-3 * local.V.norm()) continue;
    if (local.W(0, 0) + mu * local.W(1, 0) < 0) ++jamming;
    const Vec3 P = solve(Smith{e, mu}, local).P;
    const Vec3 slow = by_small_steps(local, e, mu);
    EXPECT_LE((P - slow).norm(), 1e-6 * P.norm()) << "mu " << mu << " e " << e;
  }
  EXPECT_GT(jamming, 0);
}

TEST(Smith, Spheres_NearlyNormalImpactReversesTheSpin) {
  for (const double mu : {0.05, 0.3, 2.0}) {
    Mat3 M = Mat3::Identity();
    M(0, 0) = 3.5;
    const auto hit = collide(Smith{0.8, mu}, contact_from_mass(M, Vec3(-1, -1e-7, 0), Vec3::UnitX()).value()).value();
    // Sticking friction is far inside the cone, so u must vanish: V_t⁺ = −V_t in the limit.
    EXPECT_NEAR(hit.V(1), 1e-7, 1e-12);
    EXPECT_EQ(hit.mode, Mode::slip_reversal);
    const auto graze = collide(Smith{0.8, mu}, contact_from_mass(M, Vec3(-1e-3, -1, 0), Vec3::UnitX()).value()).value();
    EXPECT_EQ(graze.mode, Mode::slip);
    EXPECT_NEAR(graze.P(1), mu * graze.P(0), 1e-14);
  }
}

/// With V_t⁺ = −δ V_t in the plane, the ratio is μ (1 − δ²)/(1 + δ²) = μ (1 − 2δ² + …): no kink at the line of
/// sticking.
TEST(Smith, PathLeavesTheFrictionLineQuadratically) {
  double last = infinity;
  int seen = 0;
  for (double V_n = -1.6; V_n < -1.2; V_n += 0.001) {
    const auto hit = collide(Smith{0, 0.5}, planar(2, 0.3, 1, V_n, -1)).value();
    const double reversed = hit.V(1);
    if (reversed < 1e-3 || reversed > 0.1) continue;
    ++seen;
    const double lost = 1 - hit.P(1) / (0.5 * hit.P(0));
    EXPECT_NEAR(lost / (2 * reversed * reversed), 1, 2 * reversed * reversed);
    EXPECT_LT(reversed, last);
    last = reversed;
  }
  EXPECT_GT(seen, 20);
}

/// CR98 4.2.3, in the plane: nothing where P_II is outside the cone, else one impulse that does not depend on e.
TEST(Smith, Grazing_NothingOrOneImpulseWhateverE) {
  const Contact jams = planar(2, 1.2, 1, -1e-10, -1);
  const Vec3 first = collide(Smith{0, 0.9}, jams).value().P;
  EXPECT_GT(first.norm(), 0.1);
  for (const double e : {0.3, 0.7, 1.0}) {
    EXPECT_LE((collide(Smith{e, 0.9}, jams).value().P - first).norm(), 1e-8);
    EXPECT_LE(collide(Smith{e, 0.8}, jams).value().P.norm(), 1e-7);
    EXPECT_NEAR(collide(Smith{e, 0.9}, jams).value().V(0), 0, 1e-9);
  }
  EXPECT_GT((collide(Smith{0, 1.5}, jams).value().P - first).norm(), 1e-2);
}

TEST(Smith, InfiniteFriction_ReversesTheSlipOrHasNoNormalImpulse) {
  Rng rng(34);
  int reversed = 0;
  int flat = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Contact contact = random_contact(rng, 2);
    const double e = random_e(rng);
    const Local<double> local = localize<double>(contact);
    if (local.V(1) == 0) continue;
    const auto s = solve(Smith{e, infinity}, local);
    ASSERT_EQ(s.termination, Termination::root_found);
    const double terms = (local.V.cwiseAbs() + local.W.cwiseAbs() * s.P.cwiseAbs()).maxCoeff();
    EXPECT_NEAR(s.V(0), -e * local.V(0), 1e-12 * terms);
    if (s.P(0) > 0) {
      ++reversed;
      EXPECT_LE((s.V.tail<2>() + local.V.tail<2>()).norm(), 1e-12 * terms);
    } else {
      ++flat;
      EXPECT_EQ(s.P(0), 0);
      const Vec2 u = average(local.V.tail<2>(), s.V.tail<2>());
      EXPECT_NEAR(u.normalized().dot(s.P.tail<2>().normalized()), -1, 1e-9);
    }
    const auto large = solve(Smith{e, 1e10}, local);
    EXPECT_LE((large.P - s.P).norm(), 1e-5 * s.P.norm());
  }
  EXPECT_GT(reversed, 100);
  EXPECT_GT(flat, 3);
}

TEST(Smith, NormalIncidence_IsWhittakersLawAndTheLimitOfVanishingSlip) {
  Rng rng(35);
  for (int trial = 0; trial < 500; ++trial) {
    const Mat3 M = random_mass(rng, 2);
    const double e = random_e(rng);
    const double mu = uniform(rng, 0.05, 3);
    const Vec3 n = random_unit(rng);
    const Contact straight_on = contact_from_mass(M, -n, n).value();
    const auto hit = collide(Smith{e, mu}, straight_on).value();
    EXPECT_EQ(hit.P, collide(Whittaker{e, mu}, straight_on).value().P);
    Contact nearly = straight_on;
    nearly.V += 1e-9 * n.cross(random_unit(rng)).normalized();
    EXPECT_LE((collide(Smith{e, mu}, nearly).value().P - hit.P).norm(), 1e-6 * hit.P.norm());
  }
}

/// The slip after impact is then a difference of terms |V_n|/|V_t| times as large, and rounding must not be taken for
/// it.
TEST(Smith, AlmostNormalIncidence_AlwaysConverges_AndTendsToNormalIncidence) {
  Rng rng(37);
  for (int trial = 0; trial < 20000; ++trial) {
    const Mat3 A = random_mass(rng, 4);
    const double ratio = log_uniform(rng, -17, -6);
    const double e = random_e(rng);
    const double mu = random_mu(rng);
    // Along an axis the slip is what it is meant to be; along another normal, V·n rounds to some 1e-16 of slip.
    const Vec3 n = chance(rng, 0.5) ? Vec3(Vec3::UnitX()) : random_unit(rng);
    const Vec3 V = -n + ratio * n.cross(random_unit(rng)).normalized();
    const Contact contact = (chance(rng, 0.5) ? contact_from_mass(A, V, n) : contact_from_mobility(A, V, n)).value();
    const auto hit = collide(Smith{e, mu}, contact);
    ASSERT_TRUE(hit) << hit.error().message() << " mu " << mu << " e " << e << " ratio " << ratio;
    EXPECT_TRUE(hit->certificate.permissible) << "mu " << mu << " e " << e << " ratio " << ratio;
    const Local<double> local = localize<double>(contact);
    Local<double> straight_on = local;
    straight_on.V.tail<2>().setZero();
    const auto nearly = solve(Smith{e, mu}, local);
    ASSERT_NE(nearly.termination, Termination::not_converged) << "mu " << mu << " e " << e << " ratio " << ratio;
    const Vec3 limit = solve(Smith{e, mu}, straight_on).P;
    // Both by the condition number at most: the slip that is there, and rounding.
    EXPECT_LE((nearly.P - limit).norm(), 1e4 * (ratio + 1e-15) * limit.norm()) << "mu " << mu << " e " << e;
  }
}

/// Regression: not converged although the contact is well conditioned.
TEST(Smith, AlmostNormalIncidence_ReportedContact) {
  Mat3 M;
  M << 2.461943560149838, -0.5402199242397556, -0.07435836478693014,  //
      -0.5402199242397556, 0.6197166941165388, 0.30602106477684654,   //
      -0.07435836478693014, 0.30602106477684654, 2.620882215050952;
  const Vec3 V(0.08101526352558659, -2.4275338359439655, -0.07465917437384693);
  const Vec3 n(-0.033339168615713746, 0.9989717536538095, 0.03072352905910511);
  const Smith law{0.34745342578933336, 5.087740732984408};
  const Contact contact = contact_from_mass(M, V, n).value();
  const auto hit = collide(law, contact);
  ASSERT_TRUE(hit) << hit.error().message();
  EXPECT_TRUE(hit->certificate.permissible);
  Contact straight_on = contact;
  straight_on.V = V.dot(n) * contact.n;
  const Vec3 limit = collide(Whittaker{law.e, law.mu}, straight_on).value().P;
  EXPECT_LE((hit->P - limit).norm(), 1e-9 * limit.norm());
}

TEST(Smith, WithoutFrictionIsFrictionless) {
  Rng rng(36);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_contact(rng, 6);
    const double e = random_e(rng);
    const Vec3 expected = collide(Frictionless{e}, contact).value().P;
    EXPECT_EQ(collide(Smith{e, 0}, contact).value().P, expected);
    EXPECT_LE((collide(Smith{e, 1e-13}, contact).value().P - expected).norm(), 1e-6 * expected.norm());
  }
}

TEST(Smith, DoublingTheSpeedDoublesTheImpulse_AndTurningTheSceneTurnsIt) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Contact contact = random_contact(rng, 2);
    const Smith law{random_e(rng), random_mu(rng)};
    const Vec3 P = collide(law, contact).value().P;
    Contact faster = contact;
    faster.V *= 2;
    RC_ASSERT((collide(law, faster).value().P - 2 * P).norm() <= 1e-12 * P.norm());
    const Mat3 Q = random_rotation(rng);
    Contact turned = contact;
    turned.M = Q * contact.M * Q.transpose();
    turned.W = Q * contact.W * Q.transpose();
    turned.V = Q * contact.V;
    turned.n = Q * contact.n;
    // Turning rounds V_n to the rounding of |V|, which at grazing incidence is much of it, and P follows in proportion.
    const double grazing = contact.V.norm() / std::abs(contact.n.dot(contact.V));
    const double rounding = 1e-14 * (contact.M.norm() * contact.V.norm() + grazing * P.norm());
    RC_ASSERT((collide(law, turned).value().P - Q * P).norm() <= 1e-8 * P.norm() + rounding);
  }));
}

TEST(Smith, ParametersOutOfRangeAreNamed) {
  const Contact contact = planar(1, 0, 1, -1, 0);
  EXPECT_EQ(collide(Smith{-0.1, 0}, contact).error().path, "e");
  EXPECT_EQ(collide(Smith{0.5, std::nan("")}, contact).error().path, "mu");
  EXPECT_EQ(collide(Smith{0.5, 0.5}, planar(1, 0, 1, 1, 0)).value().mode, Mode::separating);
}

}  // namespace
}  // namespace ricochet
