#include "ricochet/space/centroid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/space/impulse_space.hpp"
#include "space/region_oracle.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;
constexpr double pi = std::numbers::pi;

TEST(Centroid, AgreesWithMonteCarlo) {
  Rng rng(11);
  for (int trial = 0; trial < 12; ++trial) {
    const Contact contact = random_contact(rng, 1.5);
    const double mu = trial % 4 == 0 ? infinity : uniform(rng, 0.4, 3);
    const auto found = centroid(contact, mu);
    ASSERT_TRUE(found) << found.error().message();
    const RegionOracle oracle(contact, mu);
    // Uniform in the box around the ellipsoid: half-extent along axis i is √(2E M_ii).
    const Local<double> local = localize<double>(contact);
    const Vec3 P_II = -(local.M * local.V);
    const double twice_energy = -local.V.dot(P_II);
    const Vec3 extent = (twice_energy * local.M.diagonal()).cwiseSqrt();
    constexpr int samples = 400000;
    int hits = 0;
    Vec3 sum = Vec3::Zero();
    Mat3 squares = Mat3::Zero();
    for (int i = 0; i < samples; ++i) {
      const Vec3 x(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1));
      const Vec3 P = P_II + extent.cwiseProduct(x);
      if (!oracle.contains(P.cast<Real>())) continue;
      ++hits;
      sum += P;
      squares += P * P.transpose();
    }
    if (hits < 500) continue;
    const double share = double(hits) / samples;
    const double volume = 8 * extent.prod() * share;
    const double volume_sigma = volume * std::sqrt((1 - share) / hits);
    EXPECT_NEAR(found->volume, volume, 5 * volume_sigma);
    const Vec3 mean = sum / hits;
    const Mat3 covariance = squares / hits - mean * mean.transpose();
    const Vec3 centre = local.R.transpose() * found->P;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(centre(i), mean(i), 5 * std::sqrt(covariance(i, i) / hits));
  }
}

/// Volume and moments in the plainest coordinates, P = N (1, T): ∫dT (N₂³ − N₁³)/3 and so on, T on polar midpoints, the
/// end of each ray found by bisection on N₁ ≤ N₂.
struct Plain {
  double volume;
  Vec3 P;
};

Plain plain_centroid(const Contact& contact, double mu) {
  const RegionOracle o(contact, mu);
  const auto ends = [&](Real T_2, Real T_3, Real& low, Real& high) {
    const RVec3 u(1, T_2, T_3);
    const Real response = o.W.row(0).dot(u);
    const Real work = -o.V.dot(u);
    if (!(response > 0) || !(work > 0)) return false;
    low = -o.V(0) / response;
    high = 2 * work / u.dot(o.W * u);
    return high >= low;
  };
  Real volume = 0;
  RVec3 moment = RVec3::Zero();
  constexpr int directions = 1440;
  constexpr int rings = 400;
  for (int i = 0; i < directions; ++i) {
    const Real phi = 2 * std::numbers::pi_v<Real> * (i + Real(0.5)) / directions;
    const Real c = std::cos(phi), s = std::sin(phi);
    Real low = 0, high = 0, end = mu;
    if (!ends(end * c, end * s, low, high)) {
      Real in = 0, out = end;
      for (int j = 0; j < 70; ++j) {
        const Real middle = (in + out) / 2;
        (ends(middle * c, middle * s, low, high) ? in : out) = middle;
      }
      end = in;
    }
    for (int j = 0; j < rings; ++j) {
      const Real tau = end * (j + Real(0.5)) / rings;
      if (!ends(tau * c, tau * s, low, high)) continue;
      const Real area = tau * (end / rings) * (2 * std::numbers::pi_v<Real> / directions);
      volume += area * (high * high * high - low * low * low) / 3;
      moment += area * (high * high * high * high - low * low * low * low) / 4 * RVec3(1, tau * c, tau * s);
    }
  }
  return {double(volume), o.R * Vec3((moment / volume).cast<double>())};
}

TEST(Centroid, AgreesWithPlainIntegrationOverImpulseRatios) {
  Rng rng(5);
  for (int trial = 0; trial < 16; ++trial) {
    const Contact contact = random_contact(rng, 2);
    if (contact.approach_speed() < 1e-2 * contact.V.norm()) continue;  // the midpoint rule cannot resolve grazing
    const double mu = uniform(rng, 0.05, 2);
    const auto found = centroid(contact, mu);
    ASSERT_TRUE(found) << found.error().message();
    const Plain plain = plain_centroid(contact, mu);
    EXPECT_NEAR(found->volume, plain.volume, 3e-4 * plain.volume);
    EXPECT_LT((found->P - plain.P).norm(), 3e-4 * plain.P.norm());
  }
}

/// The same by nested adaptive quadrature, between the axes of the plane, with another rule and in other coordinates
/// than the centroid's own.
Plain adaptive_centroid(const Contact& contact, double mu) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 15>;
  const RegionOracle o(contact, mu);
  const Mat3 W = o.W.cast<double>();
  const Vec3 V = o.V.cast<double>();
  const auto ends = [&](const Vec3& u, double& low, double& high) {
    const double response = W.row(0).dot(u), work = -V.dot(u);
    low = -V(0) / response;
    high = 2 * work / u.dot(W * u);
    return response > 0 && work > 0 && high >= low;
  };
  const auto moment = [&](int component, double phi) {
    const double c = std::cos(phi), s = std::sin(phi);
    double low = 0, high = 0, end = mu;
    if (!ends({1, end * c, end * s}, low, high)) {
      double in = 0, out = end;
      for (int j = 0; j < 60; ++j) {
        const double middle = (in + out) / 2;
        (ends({1, middle * c, middle * s}, low, high) ? in : out) = middle;
      }
      end = in;
    }
    return Rule::integrate(
        [&](double tau) {
          const Vec3 u(1, tau * c, tau * s);
          ends(u, low, high);
          if (component < 0) return tau * (high * high * high - low * low * low) / 3;
          return tau * u(component) * (std::pow(high, 4) - std::pow(low, 4)) / 4;
        },
        0.0, end, 10, 1e-11);
  };
  const auto whole = [&](int component) {
    double sum = 0;
    for (int i = 0; i < 4; ++i)
      sum +=
          Rule::integrate([&](double phi) { return moment(component, phi); }, i * pi / 2, (i + 1) * pi / 2, 12, 1e-10);
    return sum;
  };
  const double volume = whole(-1);
  return {volume, o.R * Vec3(whole(0) / volume, whole(1) / volume, whole(2) / volume)};
}

TEST(Centroid, AgreesWithAdaptiveQuadratureInImpulseRatios) {
  Rng rng(6);
  int seen = 0;
  while (seen < 8) {
    const Contact contact = random_contact(rng, 1.5);
    if (contact.approach_speed() < 0.1 * contact.V.norm()) continue;
    ++seen;
    const double mu = uniform(rng, 0.1, 2);
    const auto found = centroid(contact, mu);
    ASSERT_TRUE(found) << found.error().message();
    const Plain plain = adaptive_centroid(contact, mu);
    EXPECT_NEAR(found->volume, plain.volume, 1e-8 * plain.volume);
    EXPECT_LT((found->P - plain.P).norm(), 1e-8 * plain.P.norm());
  }
}

// Without a cone in the way the region is half an ellipsoid, whose centroid is 3/8 of the way up the half-diameter that
// is conjugate to the cut (here along n) and whose volume is known.
TEST(Centroid, HalfEllipsoid_WhenFrictionIsInfiniteAndTensionOutOfReach) {
  int seen = 0;
  Rng rng(23);
  while (seen < 400) {
    const Contact contact = random_contact(rng, 10);
    const Local<long double> c = localize<long double>(contact);
    const RVec3 P_II = -(c.M * c.V);
    const Real twice_energy = -c.V.dot(P_II);
    const Real lowest = P_II(0) - std::sqrt(twice_energy * (c.M(0, 0) - 1 / c.W(0, 0)));
    if (!(lowest > 0)) continue;
    ++seen;
    const RVec3 expected = P_II + RVec3::UnitX() * (Real(0.375) * std::sqrt(twice_energy / c.W(0, 0)));
    const Real volume = 2 * std::numbers::pi_v<Real> / 3 * std::pow(twice_energy, Real(1.5)) /
                        std::sqrt(Eigen::LDLT<Mat3T<Real>>(c.W).vectorD().prod());
    const auto found = centroid<long double>(c, infinity);
    ASSERT_EQ(found.status, RegionStatus::ok);
    EXPECT_LE(found.error, 1e-11L);
    // Quadrature to 1e-11; beyond it, what the condition number makes of rounding in two products of 3×3 matrices, of M
    // and of W, with which both sides begin.
    const double allowed =
        1e-11 + 32 * double(std::numeric_limits<Real>::epsilon()) * contact.M.norm() * contact.W.norm();
    EXPECT_LT(double((found.P - expected).norm()), allowed * double(expected.norm()));
    // The smallest pivot loses what the condition number takes of long double.
    EXPECT_NEAR(double(found.volume / volume), 1, 1e-8);
    const auto in_double = centroid(contact, infinity);
    ASSERT_TRUE(in_double);
    EXPECT_LT((in_double->P - Vec3((c.R * expected).cast<double>())).norm(), allowed * double(expected.norm()));
  }
}

TEST(Centroid, NarrowCone_IsTheTruncatedConeBetweenP_IAnd2P_I) {
  Rng rng(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Contact contact = random_contact(rng, 2);
    if (contact.approach_speed() < 0.01 * contact.V.norm()) continue;
    const Local<double> c = localize<double>(contact);
    const double P_I = -c.V(0) / c.W(0, 0);
    for (const double mu : {1e-8, 1e-60, 1e-200}) {
      const auto found = centroid<double>(c, mu);
      ASSERT_EQ(found.status, RegionStatus::ok);
      // ∫N³dN / ∫N²dN over [1, 2] = (15/4)/(7/3).
      EXPECT_NEAR(found.P(0), 45.0 / 28 * P_I, 1e-4 * P_I);
      EXPECT_LT(std::hypot(found.P(1), found.P(2)), mu * found.P(0));
      if (mu > 1e-100) {
        EXPECT_NEAR(found.volume / (mu * mu), pi * 7 / 3 * P_I * P_I * P_I, 1e-4 * P_I * P_I * P_I);
      }
    }
  }
}

TEST(Centroid, Frictionless_IsTheMiddleOfTheSegment) {
  Rng rng(4);
  for (int trial = 0; trial < 200; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const auto found = centroid(contact, 0);
    ASSERT_TRUE(found);
    const Vec3 expected = 1.5 * contact.approach_speed() / contact.n.dot(contact.W * contact.n) * contact.n;
    // V_n is a difference of terms of the size of V, and W_nn of terms of the size of W.
    const double grazing = contact.V.norm() / contact.approach_speed();
    const double skew = contact.W.norm() / contact.n.dot(contact.W * contact.n);
    EXPECT_LT((found->P - expected).norm(), 1e-15 * (grazing + skew) * expected.norm());
    EXPECT_EQ(found->volume, 0);
  }
}

TEST(Centroid, LiesWithin_ForEveryConditionIncidenceAndFriction) {
  Rng rng(99);
  for (int trial = 0; trial < 1500; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const double mu = random_mu(rng);
    const Local<double> c = localize<double>(contact);
    const auto found = centroid<double>(c, mu);
    ASSERT_EQ(found.status, RegionStatus::ok) << "mu " << mu << ", error " << found.error;
    ASSERT_TRUE(found.P.allFinite());
    const Certificate certificate = certify<double>(c.W, c.V, found.P, mu);
    EXPECT_TRUE(certificate.permissible);
    EXPECT_GT(certificate.margins.energy, 0);
    EXPECT_GT(certificate.margins.separation, 0);
    EXPECT_GT(found.P(0), 0);
    if (mu > 0) {
      EXPECT_GT(certificate.margins.friction, 0);
    }
    EXPECT_LE(found.error, 1e-11);
  }
}

TEST(Centroid, GrowsWithSpeedAndTurnsWithTheAxes) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Contact contact = random_contact(rng, 4);
    const double mu = random_mu(rng);
    const auto found = centroid(contact, mu);
    RC_ASSERT(found.has_value());
    const double factor = std::ldexp(1.0, int(uniform(rng, -100, 100)));  // exact, grazing V_n included
    Contact faster = contact;
    faster.V *= factor;
    const auto scaled = centroid(faster, mu);
    RC_ASSERT(scaled.has_value());
    RC_ASSERT((scaled->P / factor - found->P).norm() <= 1e-9 * found->P.norm());
    const Mat3 Q = random_rotation(rng);
    const auto turned = contact.mass_given
                            ? contact_from_mass(Q * contact.M * Q.transpose(), Q * contact.V, Q * contact.n)
                            : contact_from_mobility(Q * contact.W * Q.transpose(), Q * contact.V, Q * contact.n);
    RC_ASSERT(turned.has_value());
    // Rounding of the turned V_n is large against a grazing V_n, and so is its effect; the rest is held tight.
    const double grazing = contact.V.norm() / contact.approach_speed();
    const auto there = centroid(*turned, mu);
    RC_ASSERT(there.has_value());
    RC_ASSERT((there->P - Q * found->P).norm() <= (1e-9 + 1e-14 * grazing) * found->P.norm());
  }));
}

// CR98 Fig. 8: a rod on a hinge cannot move along itself.
Contact pendulum(double lean) {
  const Vec3 along(std::cos(lean), std::sin(lean), 0);
  const Vec3 across(-std::sin(lean), std::cos(lean), 0);
  const Mat3 W = across * across.transpose() + 0.5 * Vec3::UnitZ() * Vec3::UnitZ().transpose();
  const Vec3 n = Vec3::UnitX();
  const Vec3 V = across.dot(n) < 0 ? across : Vec3(-across);
  return contact_from_mobility(W, V, n).value();
}

TEST(Centroid, Hinge_UnboundedRegionIsRefusedAndBoundedOneIsNot) {
  const double lean = 0.5;  // the immovable direction leaves the normal by this angle
  const Contact contact = pendulum(lean);
  ASSERT_TRUE(contact.immovable);
  const double critical = std::tan(lean);
  for (const double mu : {critical * 1.001, 2.0, 1e8, infinity}) {
    const auto refused = centroid(contact, mu);
    ASSERT_FALSE(refused) << mu;
    EXPECT_EQ(refused.error().path, "W");
  }
  for (const double mu : {0.0, 1e-8, 0.1, critical * 0.9}) {
    const auto found = centroid(contact, mu);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_TRUE(certify(contact, found->P, mu).permissible);
  }
  const double mu = 0.4;
  const Plain plain = plain_centroid(contact, mu);
  const auto found = centroid(contact, mu);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->volume, plain.volume, 3e-4 * plain.volume);
  EXPECT_LT((found->P - plain.P).norm(), 3e-4 * plain.P.norm());
}

// A planar contact: the region is D × |P_3| ≤ √(μ²P_n² − P_t²), and one integral over T = P_t/P_n remains.
TEST(Centroid, PlanarContact_AgreesWithOneIntegral_AtAnyFriction) {
  boost::math::quadrature::tanh_sinh<Real> rule;
  Rng rng(17);
  for (int trial = 0; trial < 60; ++trial) {
    Local<double> c;
    c.W = random_mass(rng, 2);
    for (int i = 0; i < 3; ++i) c.W(i, 2) = c.W(2, i) = 0;
    const double incidence = uniform(rng, 0, 1.4), mu = log_uniform(rng, -2, 6);
    c.V = Vec3(-std::cos(incidence), -std::sin(incidence), 0);
    const Real W_11 = c.W(0, 0), W_12 = c.W(0, 1), W_22 = c.W(1, 1), V_n = c.V(0), V_t = c.V(1);
    const auto ends = [&](Real T, Real& low, Real& high) {
      const Real response = W_11 + W_12 * T, work = -(V_n + V_t * T);
      low = -V_n / response;
      high = 2 * work / (W_11 + 2 * W_12 * T + W_22 * T * T);
      return response > 0 && work > 0 && high >= low;
    };
    const Real scale = std::sqrt(W_11 / W_22);
    RVec3 sum = RVec3::Zero();  // volume, P_n, P_t
    for (const int side : {-1, 1}) {
      Real low = 0, high = 0, inside = 0, outside = mu;
      for (int j = 0; j < 100 && !ends(side * outside, low, high); ++j) {
        const Real middle = (inside + outside) / 2;
        (ends(side * middle, low, high) ? inside : outside) = middle;
      }
      const Real end = ends(side * outside, low, high) ? outside : inside;
      for (int k = 0; k < 3; ++k)
        sum(k) += rule.integrate(
            [&](Real y) {
              const Real T = side * scale * std::sinh(y);
              Real a = 0, b = 0;
              if (!ends(T, a, b)) return Real(0);
              const Real weight = std::sqrt((mu - T) * (mu + T)) * scale * std::cosh(y);
              if (k == 0) return weight * (b * b * b - a * a * a) / 3;
              return weight * (b * b * b * b - a * a * a * a) / 4 * (k == 1 ? Real(1) : T);
            },
            Real(0), std::asinh(end / scale));
    }
    const auto found = centroid<double>(c, mu);
    ASSERT_EQ(found.status, RegionStatus::ok) << mu;
    const Vec3 expected(double(sum(1) / sum(0)), double(sum(2) / sum(0)), 0);
    EXPECT_LT((found.P - expected).norm(), (1e-12 + 1e-14 * mu) * expected.norm()) << mu;
  }
}

TEST(Centroid, BadInputIsRefusedByField) {
  const Contact parting = contact_from_mass(Mat3::Identity(), Vec3(1, 0, 0), Vec3::UnitX()).value();
  EXPECT_EQ(centroid(parting, 0.5).error().path, "V");
  const Contact meeting = contact_from_mass(Mat3::Identity(), Vec3(-1, 0, 0), Vec3::UnitX()).value();
  EXPECT_EQ(centroid(meeting, -0.5).error().path, "mu");
  EXPECT_EQ(centroid(meeting, std::numeric_limits<double>::quiet_NaN()).error().path, "mu");
}

}  // namespace
}  // namespace ricochet
