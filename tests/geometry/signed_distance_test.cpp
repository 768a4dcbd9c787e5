#include "ricochet/geometry/signed_distance.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "geometry/projection.hpp"
#include "mechanism/random_tree.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
using testing::random_vector;
using testing::Rng;
using testing::uniform;

ConvexShape shape(Core core, const Vec3& size, const Vec3& position = Vec3::Zero(),
                  const Mat3& rotation = Mat3::Identity(), double margin = 0) {
  ConvexShape out;
  out.core = core;
  out.size = size;
  out.position = position;
  out.rotation = rotation;
  out.margin = margin;
  return out;
}

/// A lopsided pyramid with a square base.
std::shared_ptr<const Hull> pyramid(double s) {
  auto hull = std::make_shared<Hull>();
  for (const Vec3& v :
       {Vec3(-1, -1, -0.5), Vec3(1, -1, -0.5), Vec3(1, 1, -0.5), Vec3(-1, 1, -0.5), Vec3(0.2, -0.1, 0.9)})
    hull->vertices.push_back(s * v);
  hull->faces = {{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  return hull;
}

Mat3 turned(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(); }

Mat3 turn(Rng& rng) { return turned(random_vector(rng, 1), uniform(rng, -3, 3)); }

ConvexShape random_shape(Rng& rng, Core core) {
  const auto length = [&] { return 0.1 * std::pow(4.0, uniform(rng, -1, 1)); };
  Vec3 size(length(), length(), length());
  if (core == Core::cylinder) size.y() = size.x();
  ConvexShape out = shape(core, size, Vec3::Zero(), turn(rng));
  if (core == Core::point || core == Core::segment) out.margin = length();
  if (core == Core::hull) out.hull = pyramid(length());
  return out;
}

constexpr std::array<Core, 6> cores{Core::point, Core::segment, Core::ellipsoid, Core::cylinder, Core::box, Core::hull};

SignedDistance gap_of(const ConvexShape& A, const ConvexShape& B) {
  auto found = signed_distance(A, B);
  if (!found) throw std::runtime_error(found.error().message());
  return *found;
}

TEST(SignedDistance, UprightBoxes_FaceEdgeAndCorner) {
  const Vec3 a(0.1, 0.2, 0.3), b(0.15, 0.05, 0.25);
  for (const double d : {0.5, 1e-2, 1e-5, 1e-9}) {
    for (int axes = 1; axes < 8; ++axes) {  // which of x, y, z separate them
      Vec3 c(0.02, -0.03, 0.04), apart = Vec3::Zero();
      for (int k = 0; k < 3; ++k) {
        if ((axes >> k & 1) == 0) continue;
        apart(k) = (k == 1 ? -1 : 1) * d * (k + 1);
        c(k) = (k == 1 ? -1 : 1) * (a(k) + b(k)) + apart(k);
      }
      const SignedDistance got = gap_of(shape(Core::box, a), shape(Core::box, b, c));
      // Rounding of c leaves 1e-16 in each component.
      EXPECT_NEAR(got.gap, apart.norm(), 1e-15) << axes << " " << d;
      EXPECT_LT((got.n - apart.normalized()).norm(), 1e-12 + 1e-15 / d) << axes << " " << d;
      EXPECT_LT((got.on_B - got.on_A - got.gap * got.n).norm(), 1e-14) << axes;
      EXPECT_EQ(got.patch, axes != 7) << axes;
      EXPECT_LT((testing::onto(shape(Core::box, a), got.on_A) - got.on_A).norm(), 1e-14);
      EXPECT_LT((testing::onto(shape(Core::box, b, c), got.on_B) - got.on_B).norm(), 1e-14);
    }
  }
}

TEST(SignedDistance, OverlappingBoxes_TheShallowestWayOut) {
  const Vec3 a(0.1, 0.2, 0.3), b(0.15, 0.05, 0.25);
  Rng rng(11);
  for (int i = 0; i < 200; ++i) {
    const int k = i % 3;
    Vec3 depth;
    for (int j = 0; j < 3; ++j) depth(j) = uniform(rng, 0.5, 1) * std::min(a(j), b(j));
    depth(k) = std::pow(10.0, uniform(rng, -12, -2));
    const SignedDistance got = gap_of(shape(Core::box, a), shape(Core::box, b, Vec3(a + b - depth)));
    EXPECT_NEAR(got.gap, -depth(k), 1e-15);
    EXPECT_LT((got.n - Vec3::Unit(k)).norm(), 1e-12);
  }
}

/// Heights at which the tests put a shape over a flat top: apart, at hand, touching but for rounding, overlapping.
constexpr std::array<double, 9> heights{0.3, 1e-2, 1e-4, 1e-8, 1e-13, 0, -1e-13, -1e-8, -1e-4};

/// The lowest point below the position, by the formula of each shape.
Vec3 lowest_arm(const ConvexShape& s) {
  const Vec3 a = s.rotation.transpose() * -Vec3::UnitZ();
  Vec3 arm = Vec3::Zero();
  switch (s.core) {
    case Core::segment: arm = {0, 0, std::copysign(s.size.z(), a.z())}; break;
    case Core::box:
      for (int k = 0; k < 3; ++k) arm(k) = std::copysign(s.size(k), a(k));
      break;
    case Core::ellipsoid: {  // where the gradient of Σ x²/s² is along a
      const Vec3 s2 = s.size.array().square();
      arm = s2.cwiseProduct(a) / std::sqrt(a.dot(s2.cwiseProduct(a)));
      break;
    }
    case Core::cylinder: {
      const double angle = std::atan2(a.y(), a.x());
      arm = {s.size.x() * std::cos(angle), s.size.x() * std::sin(angle), std::copysign(s.size.z(), a.z())};
      break;
    }
    case Core::hull:
      for (const Vec3& v : s.hull->vertices)
        if (arm.isZero() || v.dot(a) > arm.dot(a)) arm = v;
      break;
    default: break;
  }
  return s.rotation * arm - s.margin * Vec3::UnitZ();
}

TEST(SignedDistance, AnythingOverAFlatTop_IsItsSupport) {
  const ConvexShape table = shape(Core::box, {2, 2, 0.5}, {0, 0, -0.5});
  Rng rng(12);
  for (const Core core : cores) {
    for (int i = 0; i < 100; ++i) {
      ConvexShape above = random_shape(rng, core);
      const Vec3 arm = lowest_arm(above);
      const double height = heights[static_cast<std::size_t>(i) % heights.size()];
      above.position = Vec3(uniform(rng, -0.5, 0.5), uniform(rng, -0.5, 0.5), height - arm.z());
      const SignedDistance got = gap_of(table, above);
      EXPECT_NEAR(got.gap, height, 1e-14) << static_cast<int>(core);
      EXPECT_LT((got.n - Vec3::UnitZ()).norm(), 1e-12) << static_cast<int>(core) << " at " << height;
      EXPECT_LT((got.on_B - above.position - arm).norm(), 1e-12) << static_cast<int>(core);
      EXPECT_FALSE(got.patch);
      // The other way round it is the same.
      const SignedDistance back = gap_of(above, table);
      EXPECT_NEAR(back.gap, got.gap, 1e-14);
      EXPECT_LT((back.n + got.n).norm(), 1e-12);
    }
  }
}

TEST(SignedDistance, CrossedCylinders_PassAtTheirRadii) {
  Rng rng(13);
  for (int i = 0; i < 100; ++i) {
    const double r1 = uniform(rng, 0.05, 0.3), r2 = uniform(rng, 0.05, 0.3);
    const double height = heights[static_cast<std::size_t>(i) % heights.size()];
    const Mat3 all = turn(rng);
    const ConvexShape A =
        shape(Core::cylinder, {r1, r1, 1}, all * Vec3(0, 0.1, 0), all * turned(Vec3::UnitX(), std::numbers::pi / 2));
    const double angle = uniform(rng, 0.3, 1.5);
    const Mat3 lying = turned(Vec3::UnitZ(), angle) * turned(Vec3::UnitX(), std::numbers::pi / 2);
    const ConvexShape B = shape(Core::cylinder, {r2, r2, 1}, all * Vec3(0.05, 0, height + r1 + r2), all * lying);
    const SignedDistance got = gap_of(A, B);
    EXPECT_NEAR(got.gap, height, 1e-14);
    EXPECT_LT((got.n - all.col(2)).norm(), 1e-12);
    EXPECT_FALSE(got.patch);
    EXPECT_LT((got.on_B - got.on_A - got.gap * got.n).norm(), 1e-12);
    // On both axes' lines: x = 0 on the first, and the second turned by the angle through (0.05, 0).
    const Vec3 at = all.transpose() * got.on_A;
    EXPECT_NEAR(at.x(), 0, 1e-12);
    EXPECT_NEAR((at.x() - 0.05) * std::cos(angle) + at.y() * std::sin(angle), 0, 1e-12);
  }
}

TEST(SignedDistance, RoundEllipsoids_AreSpheres) {
  Rng rng(14);
  for (int i = 0; i < 200; ++i) {
    const double r1 = uniform(rng, 0.05, 0.3), r2 = uniform(rng, 0.05, 0.3);
    const double height = heights[static_cast<std::size_t>(i) % heights.size()];
    const Vec3 n = random_vector(rng, 1).normalized();
    const ConvexShape A = shape(Core::ellipsoid, Vec3::Constant(r1), Vec3(3, -2, 1), turn(rng));
    const ConvexShape B = shape(Core::ellipsoid, Vec3::Constant(r2), Vec3(A.position + (r1 + r2 + height) * n));
    const SignedDistance got = gap_of(A, B);
    EXPECT_NEAR(got.gap, height, 1e-13);
    EXPECT_LT((got.n - n).norm(), 1e-12) << height;
    EXPECT_LT((got.on_A - A.position - r1 * n).norm(), 1e-12) << height;
  }
}

TEST(SignedDistance, RandomPoses_IsTheDistanceByProjection) {
  Rng rng(15);
  double worst = 0;
  for (const Core a : cores) {
    for (const Core b : cores) {
      if (a == Core::point && b == Core::point) continue;
      for (int i = 0; i < 100; ++i) {
        const ConvexShape A = random_shape(rng, a);
        ConvexShape B = random_shape(rng, b);
        const Vec3 away = random_vector(rng, 1).normalized();
        // Apart by at least this along `away`, and often by not much more.
        const double apart = std::pow(10.0, uniform(rng, -3, 0));
        B.position = away * (apart - slab(A, B, away));
        const SignedDistance got = gap_of(A, B);
        ASSERT_GE(got.gap, apart - 1e-14);
        const double size = core_radius(A) + core_radius(B) + A.margin + B.margin;
        double above = testing::distance_by_projection(A, B, 5000);
        // Faces that are nearly parallel take it long.
        if (above > got.gap + 1e-9 * size) above = testing::distance_by_projection(A, B, 500000);
        EXPECT_LE(got.gap, above + 1e-14) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
        EXPECT_NEAR(got.gap, above, 1e-9 * size) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
        worst = std::max(worst, (above - got.gap) / size);
        // The nearest points belong to the shapes, and are as far apart as they should be.
        EXPECT_LT((testing::onto(A, got.on_A) - got.on_A).norm(), 1e-11 * size);
        EXPECT_LT((testing::onto(B, got.on_B) - got.on_B).norm(), 1e-11 * size);
        EXPECT_LT(got.uncertainty, 1e-11 * size);
        EXPECT_LT((got.on_B - got.on_A - got.gap * got.n).norm(), 1e-11 * size);
        EXPECT_NEAR(got.n.norm(), 1, 1e-14);
      }
    }
  }
  RecordProperty("worst_difference_of_size", std::to_string(worst));
}

TEST(SignedDistance, Touching_TheNormalIsThatOfTheSurfaces) {
  // Two bodies slid together along n until the gap is nothing: n must still be the normal of both surfaces there.
  Rng rng(16);
  for (const Core a : cores) {
    for (const Core b : cores) {
      if (a == Core::point && b == Core::point) continue;
      for (int i = 0; i < 8; ++i) {
        const ConvexShape A = random_shape(rng, a);
        ConvexShape B = random_shape(rng, b);
        B.position = 2 * random_vector(rng, 1).normalized();
        const SignedDistance apart = gap_of(A, B);
        for (const double left : {1e-6, 0.0, -1e-6}) {
          ConvexShape near = B;
          near.position -= (apart.gap - left) * apart.n;
          const SignedDistance got = gap_of(A, near);
          if (left >= 0) {
            EXPECT_NEAR(got.gap, left, 1e-12) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
          } else {  // corners may have a shorter way out than back, or even slip past each other
            EXPECT_GE(got.gap, left - 1e-12) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
            EXPECT_LE(got.gap, -left) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
          }
          if (a == Core::ellipsoid || b == Core::ellipsoid || A.margin > 0 || B.margin > 0) {
            EXPECT_NEAR(got.gap, left, 1e-10);
            EXPECT_LT((got.n - apart.n).norm(), 1e-4);
          }
        }
      }
    }
  }
}

TEST(SignedDistance, Overlapping_NoDirectionOfThousandsPartsThemSooner) {
  Rng rng(20);
  int overlapping = 0;
  for (const Core a : cores) {
    for (const Core b : cores) {
      if (a == Core::point && b == Core::point) continue;
      for (int i = 0; i < 10; ++i) {
        const ConvexShape A = random_shape(rng, a);
        ConvexShape B = random_shape(rng, b);
        B.position = 2 * random_vector(rng, 1).normalized();
        const SignedDistance apart = gap_of(A, B);
        const double smaller = std::min(core_radius(A) + A.margin, core_radius(B) + B.margin);
        B.position -= (apart.gap + 0.03 * smaller) * apart.n;
        const SignedDistance got = gap_of(A, B);
        if (got.gap >= 0) continue;  // slipped past a corner
        ++overlapping;
        for (int k = 0; k < 3000; ++k) {
          ASSERT_LE(slab(A, B, random_vector(rng, 1).normalized()), got.gap + 1e-14)
              << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
        }
        // And the shift does part them: what is left of the gap is nothing.
        B.position -= got.gap * got.n;
        EXPECT_NEAR(gap_of(A, B).gap, 0, 1e-12);
      }
    }
  }
  EXPECT_GT(overlapping, 250);
}

TEST(SignedDistance, SizeDoesNotMatter) {
  Rng rng(17);
  for (int i = 0; i < 100; ++i) {
    ConvexShape A = random_shape(rng, cores[static_cast<std::size_t>(i) % 5 + 1]);
    ConvexShape B = random_shape(rng, cores[static_cast<std::size_t>(i) % 4 + 2]);
    B.position = 1.5 * random_vector(rng, 1).normalized();
    const SignedDistance one = gap_of(A, B);
    for (const double k : {1e-4, 1e4}) {
      ConvexShape a = A, b = B;
      for (ConvexShape* s : {&a, &b}) {
        s->size *= k;
        s->margin *= k;
        s->position = k * s->position + Vec3(100 * k, 0, 0);
        if (!s->hull) continue;
        auto hull = std::make_shared<Hull>(*s->hull);
        for (Vec3& v : hull->vertices) v *= k;
        s->hull = hull;
      }
      EXPECT_NEAR(gap_of(a, b).gap / k, one.gap, 1e-12);
    }
  }
}

TEST(SignedDistance, HalfSpacesAndMerePoints_AreRefused) {
  EXPECT_FALSE(signed_distance(shape(Core::half_space, Vec3::Zero()), shape(Core::box, Vec3::Ones(), {0, 0, 3})));
  EXPECT_FALSE(signed_distance(shape(Core::point, Vec3::Zero()), shape(Core::point, Vec3::Zero(), {0, 0, 3})));
}

}  // namespace
}  // namespace ricochet
