#include "ricochet/compliant/disc_shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace ricochet::compliant {
namespace {

Vec3 direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Vec3(normal(random), normal(random), normal(random)).normalized();
}

/// Unit vector at an angle from z, turned by `azimuth`.
Vec3 tilted(double angle, double azimuth) {
  return {std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth), std::cos(angle)};
}

const DiscShape coin{.radius = 0.012, .half_thickness = 0.001, .fillet = 2e-4, .blend = 0.1};

TEST(DiscShape, BeyondTheBlendItIsTheCylinderPointByPoint) {
  const DiscShape cylinder{.radius = 0.5, .half_thickness = 0.2, .fillet = 0, .blend = 0.05};
  for (double angle = 0.06; angle < 1.5; angle += 0.09) {
    const Vec3 d = tilted(angle, 0.4);
    double furthest = -1;
    Vec3 which = Vec3::Zero();
    for (int i = 0; i < 200'000; ++i) {
      const double phi = 2 * std::numbers::pi * i / 200'000;
      const Vec3 p(0.5 * std::cos(phi), 0.5 * std::sin(phi), 0.2);
      if (d.dot(p) > furthest) furthest = d.dot(p), which = p;
    }
    const Support s = support(cylinder, Vec3::UnitZ(), d);
    EXPECT_NEAR(s.h, furthest, 1e-9);
    EXPECT_LT((s.arm - which).norm(), 2e-5);
    EXPECT_EQ(s.rim, 1);
    EXPECT_NEAR(s.dome, 0, 1e-16);
  }
}

TEST(DiscShape, OnItsFaceTheForceIsAtTheCentreAndTheDomeIsFiveSixteenthsOfTheBlend) {
  const Support s = support(coin, Vec3::UnitZ(), -Vec3::UnitZ());
  EXPECT_EQ(s.rim, 0);
  EXPECT_LT((s.arm - Vec3(0, 0, -0.0012)).norm(), 1e-17);
  EXPECT_NEAR(s.h, 0.001 + 2e-4 + 5.0 / 16 * 0.1 * 0.012, 1e-17);
}

TEST(DiscShape, PointIsTheGradientOfTheReach) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = direction(random);
    Vec3 d = direction(random);
    if (i % 3 == 0) d = (a + 0.08 * d).normalized();
    if (i % 3 == 1) d = (a.cross(d).normalized() + 0.05 * a).normalized();
    const Support s = support(coin, a, d);
    const double h = 1e-6;
    for (int k = 0; k < 3; ++k) {
      const auto reach = [&](double x) {
        const Vec3 moved = d + x * Vec3::Unit(k);
        return moved.norm() * support(coin, a, moved.normalized()).h;
      };
      EXPECT_NEAR((reach(h) - reach(-h)) / (2 * h), (s.arm + s.dome * d)(k), 1e-10) << i;
    }
  }
}

TEST(DiscShape, RadiiAreHowFarThePointMovesAsTheDirectionTurns) {
  std::mt19937_64 random(8);
  const auto point = [](const Vec3& a, const Vec3& d) {
    const Support s = support(coin, a, d);
    return Vec3(s.arm + s.dome * d);
  };
  for (int i = 0; i < 100; ++i) {
    const Vec3 a = direction(random);
    Vec3 d = direction(random);
    if (i % 2 == 0) d = (a + 0.05 * d).normalized();
    const Support s = support(coin, a, d);
    const Vec3 meridian = (a - a.dot(d) * d).normalized(), around = d.cross(meridian);
    const double h = 1e-6;
    const auto radius = [&](const Vec3& e) {
      return (point(a, (d + h * e).normalized()) - point(a, (d - h * e).normalized())).dot(e) / (2 * h);
    };
    EXPECT_NEAR(radius(meridian), s.meridian_radius, 1e-6 * coin.radius / coin.blend);
    EXPECT_NEAR(radius(around), s.axis_radius, 1e-6 * coin.radius / coin.blend);
  }
}

TEST(DiscShape, IsConvex) {
  std::mt19937_64 random(9);
  const auto reach = [](const Vec3& x) { return x.norm() * support(coin, Vec3::UnitZ(), x.normalized()).h; };
  for (int i = 0; i < 20'000; ++i) {
    Vec3 p = direction(random), q = direction(random);
    if (i % 2 == 0) p = tilted(0.2 * std::abs(p.x()), p.y()), q = tilted(0.2 * std::abs(q.x()), q.y());
    EXPECT_LE(reach(p + q), reach(p) + reach(q) + 1e-17);
  }
}

TEST(DiscShape, CentreOfPressureAndItsSlopeAreContinuousWhereFaceBecomesEdge) {
  // w has value, slope and curvature in common with 1 at ε: the difference decreases with the cube of the distance.
  const DiscShape circle{.radius = 1, .half_thickness = 0, .fillet = 0, .blend = 0.1};
  const auto missing = [&](double s) { return 1 - support(circle, Vec3::UnitZ(), tilted(std::asin(s), 0)).rim; };
  EXPECT_EQ(missing(0.1 + 1e-9), 0);
  for (const double x : {1e-2, 1e-3, 1e-4}) {
    const double u = x / 0.1;
    EXPECT_NEAR(missing(0.1 - x) / (u * u * u), 2.5, 4 * u + 1e-3);
  }
  // and the tilt that rights a nearly flat disc is linear in it
  EXPECT_NEAR(support(circle, Vec3::UnitZ(), tilted(1e-5, 0)).rim, 15.0 / 8 * 1e-4, 1e-11);
}

TEST(DiscShape, FreeFlightIsWhatSmallStepsGive) {
  Disc disc = solid_disc(0.3, coin);
  disc.axis = tilted(0.7, 0.3);
  disc.position = {0.1, 0.2, 0.3};
  disc.velocity = {1, -2, 3};
  disc.angular_velocity = {30, -12, 55};
  const double t = 0.05;
  Vec3 a = disc.axis;
  const Vec3 L = angular_momentum(disc);
  const auto omega = [&](const Vec3& axis) {
    const Mat3 J = disc.transverse_inertia * Mat3::Identity() +
                   (disc.axial_inertia - disc.transverse_inertia) * axis * axis.transpose();
    return Vec3(J.inverse() * L);
  };
  const int n = 20'000;
  const double h = t / n;
  for (int i = 0; i < n; ++i) {  // midpoint rule twice as fine each time would change nothing at this size
    const auto rate = [&](const Vec3& x) { return Vec3(omega(x).cross(x)); };
    const Vec3 k1 = rate(a), k2 = rate(a + h / 2 * k1), k3 = rate(a + h / 2 * k2), k4 = rate(a + h * k3);
    a += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const Disc after = fly(disc, t, 9.81);
  EXPECT_LT((after.axis - a).norm(), 1e-11);
  EXPECT_LT((after.angular_velocity - omega(a)).norm(), 1e-9);
  EXPECT_LT((angular_momentum(after) - L).norm(), 1e-14 * L.norm());
  EXPECT_LT((after.position - Vec3(0.15, 0.1, 0.45 - 0.5 * 9.81 * t * t)).norm(), 1e-15);
  EXPECT_NEAR(kinetic_energy(after) + 0.3 * 9.81 * after.position.z(),
              kinetic_energy(disc) + 0.3 * 9.81 * disc.position.z(), 1e-13);
}

TEST(DiscShape, RefusalsNameTheField) {
  const auto refused = [](const char* field, const auto& spoil) {
    Disc disc = solid_disc(1, coin);
    spoil(disc);
    const auto result = check(disc, "A");
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.error().path, std::string("A.") + field);
    EXPECT_FALSE(result.error().allowed.empty());
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  refused("radius", [](Disc& d) { d.shape.radius = 0; });
  refused("radius", [=](Disc& d) { d.shape.radius = nan; });
  refused("half_thickness", [](Disc& d) { d.shape.half_thickness = -1; });
  refused("fillet", [=](Disc& d) { d.shape.fillet = infinity; });
  refused("blend", [](Disc& d) { d.shape.blend = 0; });
  refused("blend", [](Disc& d) { d.shape.blend = 0.6; });
  refused("mass", [](Disc& d) { d.mass = -1; });
  refused("inertia", [](Disc& d) { d.axial_inertia = 2.1 * d.transverse_inertia; });
  refused("inertia", [](Disc& d) { d.transverse_inertia = 0; });
  refused("axis", [](Disc& d) { d.axis *= 2; });
  refused("position", [=](Disc& d) { d.position.y() = nan; });
  refused("velocity", [=](Disc& d) { d.velocity.z() = infinity; });
  refused("angular_velocity", [=](Disc& d) { d.angular_velocity.z() = nan; });
  EXPECT_TRUE(check(solid_disc(1, coin)));
}

}  // namespace
}  // namespace ricochet::compliant
