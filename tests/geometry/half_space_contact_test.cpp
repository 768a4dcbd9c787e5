#include "ricochet/geometry/half_space_contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "mechanism/random_tree.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
using testing::random_vector;
using testing::Rng;
using testing::uniform;

ConvexShape floor_across(const Vec3& n, const Vec3& point) {
  ConvexShape out;
  out.core = Core::half_space;
  out.position = point;
  out.rotation = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), n).toRotationMatrix();
  return out;
}

ConvexShape solid(Core core, const Vec3& size, double margin = 0) {
  ConvexShape out;
  out.core = core;
  out.size = size;
  out.margin = margin;
  if (core == Core::hull) {
    auto hull = std::make_shared<Hull>();
    for (const double x : {-1.0, 1.0})
      for (const double y : {-1.0, 1.0})
        for (const double z : {-1.0, 1.0}) hull->vertices.push_back(size.cwiseProduct(Vec3(x, y, z)));
    out.hull = hull;
  }
  return out;
}

const std::vector<ConvexShape>& solids() {
  static const std::vector<ConvexShape> all{
      solid(Core::point, Vec3::Zero(), 0.2),   solid(Core::segment, {0, 0, 0.3}, 0.1),
      solid(Core::ellipsoid, {0.1, 0.2, 0.3}), solid(Core::cylinder, {0.2, 0.2, 0.1}),
      solid(Core::box, {0.1, 0.2, 0.3}),       solid(Core::hull, {0.1, 0.2, 0.3})};
  return all;
}

TEST(HalfSpaceContact, LowestPoint_IsThatOfTheOutline) {
  Rng rng(3);
  for (ConvexShape shape : solids()) {
    for (int k = 0; k < 200; ++k) {
      const Vec3 n = random_vector(rng, 1).normalized();
      const ConvexShape floor = floor_across(n, random_vector(rng, 1));
      shape.position = random_vector(rng, 1);
      shape.rotation = Eigen::AngleAxisd(uniform(rng, -3, 3), random_vector(rng, 1).normalized()).toRotationMatrix();
      const double height = height_above(floor, shape);
      double lowest = 1e300;
      for (const Vec3& x : outline(shape)) lowest = std::min(lowest, n.dot(x - floor.position) - shape.margin);
      // The outline of a round shape lies inside it, by a hundredth of its size.
      EXPECT_LE(height, lowest + 1e-12);
      EXPECT_GE(height, lowest - 0.01);
      const auto found = half_space_contacts(floor, shape, std::max(0.0, height) + 1e-9);
      ASSERT_FALSE(found.empty());
      double least = 1e300;
      for (const Touch& touch : found) {
        least = std::min(least, touch.gap);
        EXPECT_LT((touch.n - n).norm(), 1e-12);
        EXPECT_NEAR(n.dot(touch.on_A - floor.position), 0, 1e-12);
        EXPECT_LT((touch.on_B - touch.on_A - touch.gap * n).norm(), 1e-12);
        EXPECT_LT(outside(shape, touch.on_B + shape.margin * n), 1e-12);
      }
      EXPECT_NEAR(least, height, 1e-12);
      if (height > 1e-6) {
        EXPECT_TRUE(half_space_contacts(floor, shape, height - 1e-7).empty());
      }
    }
  }
}

TEST(HalfSpaceContact, StandingAndLying_NumberOfPoints) {
  const ConvexShape floor = floor_across(Vec3::UnitZ(), Vec3::Zero());
  const auto count = [&](ConvexShape shape, const Mat3& turn, double reach = 1e-9) {
    shape.rotation = turn;
    shape.position.setZero();
    shape.position.z() = -height_above(floor, shape);
    return half_space_contacts(floor, shape, reach).size();
  };
  const Mat3 upright = Mat3::Identity();
  const Mat3 on_its_side = Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitX()).toRotationMatrix();
  const Mat3 on_an_edge = Eigen::AngleAxisd(0.4, Vec3::UnitX()).toRotationMatrix();
  const Mat3 on_a_corner = Eigen::AngleAxisd(0.4, Vec3(1, 1, 0).normalized()).toRotationMatrix();
  EXPECT_EQ(count(solids()[0], upright), 1U);
  EXPECT_EQ(count(solids()[1], upright), 1U);
  EXPECT_EQ(count(solids()[1], on_its_side), 2U);
  EXPECT_EQ(count(solids()[2], upright), 1U);
  EXPECT_EQ(count(solids()[3], upright), 4U);
  EXPECT_EQ(count(solids()[3], on_its_side), 2U);
  EXPECT_EQ(count(solids()[3], on_an_edge), 1U);
  for (const std::size_t cuboid : {4U, 5U}) {
    EXPECT_EQ(count(solids()[cuboid], upright), 4U);
    EXPECT_EQ(count(solids()[cuboid], on_its_side), 4U);
    EXPECT_EQ(count(solids()[cuboid], on_an_edge), 2U);
    EXPECT_EQ(count(solids()[cuboid], on_a_corner), 1U);
  }
}

TEST(HalfSpaceContact, RoundFaceOfAHull_IsEightPointsOfItsRim) {
  auto hull = std::make_shared<Hull>();
  for (int k = 0; k < 100; ++k) {
    const double a = 0.0628318 * k;
    for (const double z : {-0.1, 0.1}) hull->vertices.emplace_back(0.3 * std::cos(a), 0.2 * std::sin(a), z);
    hull->vertices.emplace_back(0.1 * std::cos(a), 0.1 * std::sin(a), -0.1);  // inside the face
  }
  ConvexShape shape;
  shape.core = Core::hull;
  shape.hull = hull;
  shape.position = Vec3(0, 0, 0.1);
  const auto found = half_space_contacts(floor_across(Vec3::UnitZ(), Vec3::Zero()), shape, 1e-6);
  ASSERT_EQ(found.size(), 8U);
  for (const Touch& touch : found)
    EXPECT_NEAR(std::pow(touch.on_B.x() / 0.3, 2) + std::pow(touch.on_B.y() / 0.2, 2), 1, 1e-6);
}

}  // namespace
}  // namespace ricochet
