#include "ricochet/law/chatterjee_ruina.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/bilinear.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/frictionless.hpp"

namespace ricochet {
namespace {

using namespace testing;

using Real = long double;
using RVec3 = Vec3T<Real>;
using testing::infinity;

/// Where the ray (1+e) P_I + κ (P_II − P_I) leaves the cone, by bisection on membership alone.
RVec3 walked_to_the_cone(const Local<double>& c, double e, double e_t, double mu) {
  const Mat3T<Real> W = c.W.cast<Real>();
  const RVec3 V = c.V.cast<Real>();
  const RVec3 P_I(-V(0) / W(0, 0), 0, 0);
  const RVec3 P_II = -W.llt().solve(V);
  const auto at = [&](Real kappa) { return RVec3((1 + Real(e)) * P_I + kappa * (P_II - P_I)); };
  const auto inside = [&](Real kappa) {
    const RVec3 P = at(kappa);
    return std::isinf(mu) ? P(0) >= 0 : std::sqrt(P(1) * P(1) + P(2) * P(2)) <= Real(mu) * P(0);
  };
  Real low = 0, high = 1 + Real(e_t);
  if (inside(high)) return at(high);
  for (int i = 0; i < 200; ++i) {
    const Real middle = (low + high) / 2;
    (inside(middle) ? low : high) = middle;
  }
  return at(low);
}

TEST(ChatterjeeRuina, IsTheLastPointOfItsRayInsideTheCone) {
  Rng rng(6);
  int slips = 0, sticks = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const Contact contact = random_contact(rng, 5);
    const ChatterjeeRuina law{.e = random_e(rng), .e_t = random_e_t(rng), .mu = random_mu(rng)};
    const Local<double> c = localize<double>(contact);
    const auto s = solve(law, c);
    const RVec3 expected = walked_to_the_cone(c, law.e, law.e_t, law.mu);
    const double scale = double(expected.norm()) + (c.M * c.V).norm();
    EXPECT_LT(double((s.P.cast<Real>() - expected).norm()), 1e-12 * scale) << "mu " << law.mu;
    ++(s.mode == Mode::slip ? slips : sticks);
  }
  EXPECT_GT(slips, 500);
  EXPECT_GT(sticks, 500);
}

TEST(ChatterjeeRuina, PermissibleForEveryConditionIncidenceAndParameter) {
  Rng rng(61);
  for (int trial = 0; trial < 20000; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const ChatterjeeRuina law{.e = random_e(rng),
                              .e_t = random_e_t(rng),
                              .mu = random_mu(rng),
                              .smooth = chance(rng, 0.5) ? 0 : uniform(rng, 0, 1)};
    const auto hit = collide(law, contact);
    ASSERT_TRUE(hit) << hit.error().message();
    ASSERT_TRUE(hit->P.allFinite() && hit->V.allFinite());
    EXPECT_TRUE(hit->certificate.permissible) << "mu " << law.mu << " e " << law.e << " e_t " << law.e_t;
    // Kinematic restitution holds whatever friction does.
    const Local<double> c = localize<double>(contact);
    const Vec3 P = c.R.transpose() * hit->P;
    // W M = 1 only to rounding of W times M.
    const double rounding = 1e-15 * c.W.norm() * (c.M.norm() * c.V.norm() + P.norm());
    EXPECT_NEAR(c.V(0) + c.W.row(0).dot(P), -law.e * c.V(0), rounding);
  }
}

// CR98 5.1: the corners of the parallelogram of Eq. 10, open to the law once friction is out of the way.
TEST(ChatterjeeRuina, CornersOfItsParallelogram) {
  Rng rng(62);
  int seen = 0;
  while (seen < 300) {
    const Contact contact = random_contact(rng, 3);
    const Vec3 P_II = -(contact.M * contact.V);
    if (contact.n.dot(P_II) <= 0) continue;
    const Vec3 P_I = contact.approach_speed() / contact.n.dot(contact.W * contact.n) * contact.n;
    const auto hit = [&](double e, double e_t) {
      return collide(ChatterjeeRuina{.e = e, .e_t = e_t, .mu = infinity}, contact).value();
    };
    const double rounding = 1e-11 * (P_I.norm() + P_II.norm());
    if (contact.n.dot(2 * P_II - P_I) <= 0) continue;
    ++seen;
    EXPECT_LT((hit(0, -1).P - P_I).norm(), rounding);
    EXPECT_LT((hit(1, -1).P - 2 * P_I).norm(), rounding);
    EXPECT_LT((hit(1, 1).P - 2 * P_II).norm(), rounding);
    EXPECT_LT((hit(0, 1).P - (2 * P_II - P_I)).norm(), rounding);
    for (const double e : {0.0, 1.0})
      for (const double e_t : {-1.0, 1.0}) EXPECT_TRUE(hit(e, e_t).certificate.permissible);
    // Perfect rebound turns V round and keeps the energy.
    EXPECT_LT((hit(1, 1).V + contact.V).norm(), 1e-11 * contact.W.norm() * P_II.norm());
  }
}

TEST(ChatterjeeRuina, FrictionlessLimit_IsTheFrictionlessLaw) {
  Rng rng(63);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const double e = random_e(rng);
    const auto smooth = collide(Frictionless{.e = e}, contact).value();
    const auto hit = collide(ChatterjeeRuina{.e = e, .e_t = random_e_t(rng), .mu = 0}, contact).value();
    EXPECT_LE((hit.P - smooth.P).norm(), 1e-15 * smooth.P.norm());
  }
}

TEST(ChatterjeeRuina, DiagonalMass_IsTheBilinearLaw) {
  Rng rng(64);
  for (int trial = 0; trial < 5000; ++trial) {
    const Vec3 mass(log_uniform(rng, -2, 2), log_uniform(rng, -2, 2), log_uniform(rng, -2, 2));
    const Vec3 V(-log_uniform(rng, -4, 1), chance(rng, 0.1) ? 0 : uniform(rng, -3, 3), 0);
    const Contact contact = contact_from_mass(mass.asDiagonal(), V, Vec3::UnitX()).value();
    const double e = random_e(rng), e_t = random_e_t(rng), mu = random_mu(rng);
    const auto one = collide(ChatterjeeRuina{.e = e, .e_t = e_t, .mu = mu}, contact);
    const auto other = collide(Bilinear{.e = e, .e_t = e_t, .mu = mu}, contact);
    ASSERT_TRUE(one && other);
    EXPECT_LE((one->P - other->P).norm(), 1e-14 * one->P.norm());
    // On the border (no slip, μ = 0 or e_t = −1) either mode is correct.
    const double P_t = std::hypot(one->P.y(), one->P.z());
    if (std::abs(P_t - mu * one->P.x()) > 1e-12 * one->P.norm()) {
      EXPECT_EQ(one->mode, other->mode);
    }
  }
}

double kappa_of(const Local<double>& c, double e, const Vec3& P) {
  const double P_I = -c.V(0) / c.W(0, 0);
  Vec3 way = -(c.M * c.V);
  way(0) -= P_I;
  Vec3 gone = P;
  gone(0) -= (1 + e) * P_I;
  return way.squaredNorm() > 0 ? gone.dot(way) / way.squaredNorm() : 0;
}

TEST(ChatterjeeRuina, SmoothedTransition_LiesBelowTheSharpOneAndTendsToIt) {
  Rng rng(65);
  for (int trial = 0; trial < 3000; ++trial) {
    const Contact contact = random_contact(rng, 3);
    ChatterjeeRuina law{.e = random_e(rng), .e_t = random_e_t(rng), .mu = random_mu(rng)};
    const Local<double> c = localize<double>(contact);
    if ((c.M * c.V + Vec3(-c.V(0) / c.W(0, 0), 0, 0)).norm() < 1e-6 * (c.M * c.V).norm()) continue;
    const double sharp = kappa_of(c, law.e, solve(law, c).P);
    double gap = infinity;
    for (const double smooth : {1.0, 0.3, 0.1, 0.01, 0.001}) {
      law.smooth = smooth;
      const auto s = solve(law, c);
      const double kappa = kappa_of(c, law.e, s.P);
      EXPECT_GE(kappa, -1e-12);
      EXPECT_LE(kappa, sharp * (1 + 1e-12) + 1e-12);
      EXPECT_TRUE(certify<double>(c.W, c.V, s.P, law.mu).permissible);
      EXPECT_LE(sharp - kappa, gap + 1e-12);
      gap = sharp - kappa;
      // The least of equal arguments is lowered by the factor 2^−smooth, and by less when they differ.
      EXPECT_LE(gap, sharp * (1 - std::exp2(-smooth)) * (1 + 1e-9) + 1e-12);
    }
  }
}

TEST(ChatterjeeRuina, ParametersOutOfRangeAreRefusedByName) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 0, 0), Vec3::UnitX()).value();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(collide(ChatterjeeRuina{.e = 1.01}, contact).error().path, "e");
  EXPECT_EQ(collide(ChatterjeeRuina{.e_t = -1.01}, contact).error().path, "e_t");
  EXPECT_EQ(collide(ChatterjeeRuina{.mu = -0.01}, contact).error().path, "mu");
  EXPECT_EQ(collide(ChatterjeeRuina{.mu = nan}, contact).error().path, "mu");
  EXPECT_EQ(collide(ChatterjeeRuina{.smooth = 2}, contact).error().path, "smooth");
}

}  // namespace
}  // namespace ricochet
