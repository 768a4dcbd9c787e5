#include "ricochet/geometry/shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet {
namespace {

using Kind = Shape::Kind;

/// Moments of a homogeneous body by the midpoint rule over the cells of a box that holds it.
Vec3 moments_by_cells(const Vec3& half, double mass, const std::function<bool(const Vec3&)>& inside) {
  constexpr int n = 120;
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const Vec3 x = half.cwiseProduct(Vec3(2 * (i + 0.5) / n - 1, 2 * (j + 0.5) / n - 1, 2 * (k + 0.5) / n - 1));
        if (!inside(x)) continue;
        const Vec3 x2 = x.cwiseProduct(x);
        sum += Vec3(x2.y() + x2.z(), x2.z() + x2.x(), x2.x() + x2.y());
        ++count;
      }
  return mass / count * sum;
}

TEST(Shape, HomogeneousInertia_IsTheIntegral) {
  const Shape sphere{.kind = Kind::sphere, .radius = 0.3};
  const Shape box{.kind = Kind::box, .size = {0.4, 0.2, 0.7}};
  const Shape rod{.kind = Kind::rod, .radius = 0.15, .length = 0.9};
  const auto near = [](const Vec3& a, const Vec3& b) { return (a - b).norm() <= 0.01 * b.norm(); };
  EXPECT_TRUE(near(homogeneous_inertia(sphere, 2),
                   moments_by_cells(Vec3::Constant(0.3), 2, [](const Vec3& x) { return x.norm() <= 0.3; })));
  EXPECT_TRUE(
      near(homogeneous_inertia(box, 3), moments_by_cells({0.2, 0.1, 0.35}, 3, [](const Vec3&) { return true; })));
  EXPECT_TRUE(near(homogeneous_inertia(rod, 5), moments_by_cells({0.45, 0.15, 0.15}, 5, [](const Vec3& x) {
                     return std::hypot(x.y(), x.z()) <= 0.15;
                   })));
  const Shape capsule{.kind = Kind::capsule, .radius = 0.2, .length = 0.5};
  EXPECT_TRUE(near(homogeneous_inertia(capsule, 2), moments_by_cells({0.45, 0.2, 0.2}, 2, [](const Vec3& x) {
                     return std::hypot(std::max(std::abs(x.x()) - 0.25, 0.0), x.y(), x.z()) <= 0.2;
                   })));
  const Shape cylinder{.kind = Kind::cylinder, .radius = 0.3, .length = 0.1};
  EXPECT_TRUE(near(homogeneous_inertia(cylinder, 4), moments_by_cells({0.05, 0.3, 0.3}, 4, [](const Vec3& x) {
                     return std::hypot(x.y(), x.z()) <= 0.3;
                   })));
  const Shape ellipsoid{.kind = Kind::ellipsoid, .size = {0.4, 0.2, 0.7}};
  EXPECT_TRUE(near(homogeneous_inertia(ellipsoid, 3), moments_by_cells({0.2, 0.1, 0.35}, 3, [](const Vec3& x) {
                     return x.cwiseQuotient(Vec3(0.2, 0.1, 0.35)).norm() <= 1;
                   })));
}

TEST(Shape, RoundShapes_HaveTheMomentsOfTheirLimits) {
  // A capsule without length and an ellipsoid with equal axes are balls; a long capsule is a slender rod.
  const Vec3 ball = homogeneous_inertia({.kind = Kind::sphere, .radius = 0.3}, 2);
  const Vec3 short_capsule = homogeneous_inertia({.kind = Kind::capsule, .radius = 0.3, .length = 1e-12}, 2);
  const Vec3 round = homogeneous_inertia({.kind = Kind::ellipsoid, .size = Vec3::Constant(0.6)}, 2);
  EXPECT_LE((short_capsule - ball).norm(), 1e-12);
  EXPECT_LE((round - ball).norm(), 1e-16);
  const Vec3 slender = homogeneous_inertia({.kind = Kind::capsule, .radius = 1e-9, .length = 3}, 2);
  EXPECT_NEAR(slender.y(), 2 * 9.0 / 12, 1e-8);
  for (const Kind kind : {Kind::sphere, Kind::box, Kind::rod, Kind::capsule, Kind::cylinder, Kind::ellipsoid})
    EXPECT_TRUE(has_inertia(kind));
  EXPECT_FALSE(has_inertia(Kind::plane));
  EXPECT_FALSE(has_inertia(Kind::none));
}

/// How far the placed shape reaches along n, against the farthest of many points of the body.
TEST(Shape, PlacedShape_ReachesAsFarAsItsPoints) {
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(-1, 1);
  const Mat3 R = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized().toRotationMatrix();
  const Vec3 at(1, -2, 0.5);
  const Shape box{.kind = Kind::box, .size = {0.4, 0.2, 0.7}};
  const Shape thick{.kind = Kind::rod, .radius = 0.15, .length = 0.9};
  const Shape thin{.kind = Kind::rod, .length = 0.9};
  const Shape sphere{.kind = Kind::sphere, .radius = 0.3};
  const Shape capsule{.kind = Kind::capsule, .radius = 0.15, .length = 0.3};
  const Shape cylinder{.kind = Kind::cylinder, .radius = 0.25, .length = 0.1};
  const Shape ellipsoid{.kind = Kind::ellipsoid, .size = {0.4, 0.2, 0.7}};
  const auto on_ball = [&]() -> Vec3 { return Vec3(normal(rng), normal(rng), normal(rng)).normalized(); };
  const auto point_of = [&](const Shape& s) -> Vec3 {
    if (s.kind == Kind::ellipsoid) return 0.5 * s.size.cwiseProduct(on_ball());
    if (s.kind == Kind::capsule) return 0.5 * s.length * unit(rng) * Vec3::UnitX() + s.radius * on_ball();
    if (s.kind == Kind::box) return 0.5 * s.size.cwiseProduct(Vec3(unit(rng), unit(rng), unit(rng)));
    if (s.kind == Kind::sphere) return s.radius * on_ball();
    const double angle = 3.2 * unit(rng);
    return {0.5 * s.length * unit(rng), s.radius * std::cos(angle), s.radius * std::sin(angle)};
  };
  for (const Shape& s : {box, thick, thin, sphere, capsule, cylinder, ellipsoid}) {
    const ConvexShape placed = place(s, at, R);
    for (int i = 0; i < 50; ++i) {
      const Vec3 n = Vec3(normal(rng), normal(rng), normal(rng)).normalized();
      const double reach = n.dot(core_support(placed, n)) + placed.margin;
      double farthest = -1e300;
      for (int k = 0; k < 20000; ++k) farthest = std::max(farthest, n.dot(at + R * point_of(s)));
      EXPECT_GE(reach, farthest - 1e-12);
      EXPECT_LE(reach, farthest + 0.04);
    }
  }
}

TEST(Shape, PlacedPlane_IsTheHalfSpaceBelowIt) {
  const Mat3 R = Eigen::AngleAxisd(0.4, Vec3::UnitX()).toRotationMatrix();
  const ConvexShape floor = place({.kind = Kind::plane}, {0, 0, 2}, R);
  EXPECT_EQ(floor.core, ConvexShape::Core::half_space);
  EXPECT_EQ(floor.rotation, R);
  EXPECT_EQ(floor.position, Vec3(0, 0, 2));
}

}  // namespace
}  // namespace ricochet
