#include "ricochet/geometry/face_contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ricochet/geometry/shape_contact.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;

ConvexShape box(const Vec3& at, const Vec3& half, double turn = 0) {
  ConvexShape out;
  out.core = Core::box;
  out.position = at;
  out.size = half;
  out.rotation = Eigen::AngleAxisd(turn, Vec3::UnitZ()).toRotationMatrix();
  return out;
}

std::vector<Vec3> corners(const ConvexShape& A, const ConvexShape& B) {
  const auto found = shape_contacts(A, B, 1e-6);
  EXPECT_TRUE(found) << found.error().message();
  std::vector<Vec3> out;
  for (const Touch& touch : *found) {
    EXPECT_LT((touch.n - Vec3::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR(touch.gap, 0, 1e-9);
    EXPECT_FALSE(touch.patch);
    out.push_back(touch.on_A);
  }
  return out;
}

bool holds(const std::vector<Vec3>& all, const Vec3& wanted) {
  return std::any_of(all.begin(), all.end(), [&](const Vec3& x) { return (x - wanted).norm() < 1e-8; });
}

TEST(FaceContact, CrateOnCrate_CornersOfWhatTheyHaveInCommon) {
  if (!have_every_distance()) GTEST_SKIP() << "built without FCL";
  const ConvexShape table = box({0, 0, -0.5}, {1, 1, 0.5});
  const auto inside = corners(table, box({0.2, -0.1, 0.3}, {0.2, 0.1, 0.3}));
  ASSERT_EQ(inside.size(), 4U);
  for (const double x : {0.0, 0.4})
    for (const double y : {-0.2, 0.0}) EXPECT_TRUE(holds(inside, {x, y, 0}));
  const auto over_the_edge = corners(table, box({0.9, 0.95, 0.3}, {0.2, 0.1, 0.3}));
  ASSERT_EQ(over_the_edge.size(), 4U);
  for (const double x : {0.7, 1.0})
    for (const double y : {0.85, 1.0}) EXPECT_TRUE(holds(over_the_edge, {x, y, 0}));
  // Two equal squares, one turned by an eighth: a regular octagon.
  const auto octagon = corners(table, box({0, 0, 0.3}, {1, 1, 0.3}, std::acos(0.0) / 2));
  ASSERT_EQ(octagon.size(), 8U);
  const double r = std::hypot(1, std::sqrt(2.0) - 1);
  for (const Vec3& corner : octagon) EXPECT_NEAR(corner.head<2>().norm(), r, 1e-8);
}

TEST(FaceContact, EdgesAndRoundFaces) {
  if (!have_every_distance()) GTEST_SKIP() << "built without FCL";
  const ConvexShape table = box({0, 0, -0.5}, {1, 1, 0.5});
  ConvexShape can;
  can.core = Core::cylinder;
  can.size = {0.2, 0.2, 0.3};
  can.position = {0.1, 0, 0.3};
  const auto standing = corners(table, can);
  ASSERT_EQ(standing.size(), 4U);
  for (const Vec3& x : standing) EXPECT_NEAR((x - Vec3(0.1, 0, 0)).norm(), 0.2, 1e-8);
  can.rotation = Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitY()).toRotationMatrix();
  can.position = {0.9, 0, 0.2};
  const auto lying = corners(table, can);  // over the edge of the table
  ASSERT_EQ(lying.size(), 2U);
  EXPECT_TRUE(holds(lying, {0.6, 0, 0}));
  EXPECT_TRUE(holds(lying, {1.0, 0, 0}));
}

}  // namespace
}  // namespace ricochet
