#include "ricochet/geometry/shape_contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "mechanism/random_tree.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
using testing::random_vector;
using testing::Rng;
using testing::uniform;

ConvexShape sphere(const Vec3& at, double radius) {
  ConvexShape out;
  out.position = at;
  out.margin = radius;
  return out;
}

ConvexShape box(const Vec3& at, const Vec3& half, const Mat3& turn = Mat3::Identity()) {
  ConvexShape out;
  out.core = Core::box;
  out.position = at;
  out.size = half;
  out.rotation = turn;
  return out;
}

TEST(WayToTouch, SphereOnSphere_IsTheRootOfAQuadraticEquation) {
  Rng rng(5);
  for (int k = 0; k < 300; ++k) {
    const ConvexShape rest = sphere(random_vector(rng, 1), uniform(rng, 0.1, 0.5));
    const ConvexShape moving = sphere(rest.position + 2 * random_vector(rng, 1), uniform(rng, 0.1, 0.5));
    const Vec3 way = random_vector(rng, 1).normalized();
    const Vec3 between = moving.position - rest.position;
    const double b = between.dot(way);
    const double r = rest.margin + moving.margin;
    const double under = b * b - between.squaredNorm() + r * r;
    const auto found = way_to_touch(moving, rest, way);
    ASSERT_TRUE(found) << found.error().message();
    const bool outside = between.norm() > r;
    if (std::abs(under) < 1e-3 || std::abs(between.norm() - r) < 1e-3) continue;  // grazing
    if (outside && (under < 0 || b > 0)) {
      EXPECT_EQ(*found, std::numeric_limits<double>::infinity());
    } else {
      EXPECT_NEAR(*found, -b - std::sqrt(under), 1e-9);
    }
  }
}

TEST(WayToTouch, BoxOnHalfSpaceAndOnBox) {
  ConvexShape floor;
  floor.core = Core::half_space;
  const Vec3 down(0, 0, -1);
  EXPECT_NEAR(*way_to_touch(box({0, 0, 1}, {0.1, 0.2, 0.3}), floor, down), 0.7, 1e-14);
  EXPECT_NEAR(*way_to_touch(box({0, 0, 0.1}, {0.1, 0.2, 0.3}), floor, down), -0.2, 1e-14);
  EXPECT_NEAR(*way_to_touch(box({0, 0, 1}, {0.1, 0.2, 0.3}), floor, Vec3(0.6, 0, -0.8)), 0.7 / 0.8, 1e-14);
  EXPECT_EQ(*way_to_touch(box({0, 0, 1}, {0.1, 0.2, 0.3}), floor, Vec3::UnitX()),
            std::numeric_limits<double>::infinity());
  if (!have_every_distance()) GTEST_SKIP() << "built without FCL";
  const ConvexShape table = box({0, 0, 0}, {1, 1, 0.5});
  EXPECT_NEAR(*way_to_touch(box({0.3, 0.2, 2}, {0.1, 0.2, 0.3}), table, down), 1.2, 1e-9);
  EXPECT_NEAR(*way_to_touch(box({0.3, 0.2, 0.6}, {0.1, 0.2, 0.3}), table, down), -0.2, 1e-9);
  EXPECT_EQ(*way_to_touch(box({3, 0.2, 2}, {0.1, 0.2, 0.3}), table, down), std::numeric_limits<double>::infinity());
  // On its corner: the lowest point of a turned box.
  const Mat3 turn = Eigen::AngleAxisd(0.5, Vec3(1, 2, 0.5).normalized()).toRotationMatrix();
  const double lowest = turn.row(2).cwiseAbs().dot(Vec3(0.1, 0.2, 0.3).transpose());
  EXPECT_NEAR(*way_to_touch(box({0.3, 0.2, 2}, {0.1, 0.2, 0.3}, turn), table, down), 1.5 - lowest, 1e-9);
}

TEST(WayToTouch, RandomShapes_TouchThereAndNotBefore) {
  if (!have_every_distance()) GTEST_SKIP() << "built without FCL";
  Rng rng(8);
  int met = 0;
  for (int k = 0; k < 60; ++k) {
    const auto turn = [&] {
      return Eigen::AngleAxisd(uniform(rng, -3, 3), random_vector(rng, 1).normalized()).toRotationMatrix();
    };
    ConvexShape moving = box(Vec3(0, 0, 2) + 0.4 * random_vector(rng, 1), {0.2, 0.3, 0.1}, turn());
    if (k % 3 == 1) moving.core = Core::ellipsoid;
    const ConvexShape rest = box(Vec3::Zero(), {0.3, 0.2, 0.2}, turn());
    const Vec3 way(0, 0, -1);
    const auto found = way_to_touch(moving, rest, way);
    ASSERT_TRUE(found) << found.error().message();
    if (!std::isfinite(*found)) continue;
    ++met;
    const auto gap = [&](double s) {
      ConvexShape at = moving;
      at.position += s * way;
      const auto contacts = shape_contacts(at, rest, 10);
      return contacts && !contacts->empty() ? (*contacts)[0].gap : std::nan("");
    };
    EXPECT_NEAR(gap(*found), 0, 1e-7);
    for (const double part : {0.1, 0.5, 0.9, 0.99}) EXPECT_GT(gap(part * *found), 0);
  }
  EXPECT_GT(met, 20);
}

TEST(ShapeContacts, OrderOfTheTwo_ReversesTheNormal) {
  ConvexShape floor;
  floor.core = Core::half_space;
  const ConvexShape crate = box({0, 0, 0.3}, {0.1, 0.2, 0.3});
  const auto up = shape_contacts(floor, crate, 1e-9).value();
  const auto down = shape_contacts(crate, floor, 1e-9).value();
  ASSERT_EQ(up.size(), 4U);
  ASSERT_EQ(down.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(up[i].n, -down[i].n);
    EXPECT_EQ(up[i].on_A, down[i].on_B);
  }
}

}  // namespace
}  // namespace ricochet
