#include "ricochet/geometry/hull_inertia.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "ricochet/geometry/convex_shape.hpp"

namespace ricochet {
namespace {

Hull tetrahedron(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return {.vertices = {a, b, c, d}, .faces = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}, .order = {}, .boxes = {}};
}

/// The eight corners of a box, two triangles to a side, which turn either way.
Hull box_hull(const Vec3& size, const Mat3& R, const Vec3& at) {
  Hull out;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      for (const double z : {-0.5, 0.5}) out.vertices.emplace_back(at + R * size.cwiseProduct(Vec3(x, y, z)));
  for (const auto& side : {std::array{0, 1, 3, 2}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
                           std::array{2, 3, 7, 6}, std::array{0, 2, 6, 4}, std::array{1, 3, 7, 5}}) {
    out.faces.push_back({side[0], side[1], side[2]});
    out.faces.push_back({side[0], side[3], side[2]});
  }
  return out;
}

TEST(HullInertia, CornerTetrahedron_HasItsClosedForm) {
  // x, y, z ≥ 0, x + y + z ≤ 1: volume 1/6, centroid 1/4, ⟨x²⟩ = 1/10, ⟨xy⟩ = 1/20.
  const HullMass m = mass_of(tetrahedron({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}));
  EXPECT_NEAR(m.volume, 1.0 / 6, 1e-16);
  EXPECT_LE((m.centroid - Vec3::Constant(0.25)).norm(), 1e-15);
  const double square = 1.0 / 10 - 1.0 / 16, product = 1.0 / 20 - 1.0 / 16;
  const Mat3 expected = 2 * square * Mat3::Identity() - product * (Mat3::Ones() - Mat3::Identity());
  EXPECT_LE((m.inertia - expected).norm(), 1e-15);
}

TEST(HullInertia, TurnedBoxFarAway_HasTheInertiaOfTheBox) {
  const Mat3 R = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized().toRotationMatrix();
  const Vec3 size(0.4, 0.2, 0.7), at(100, -50, 3);
  const HullMass m = mass_of(box_hull(size, R, at));
  EXPECT_NEAR(m.volume, size.prod(), 1e-12);
  EXPECT_LE((m.centroid - at).norm(), 1e-12);
  const Mat3 expected =
      R * homogeneous_inertia({.kind = Shape::Kind::box, .size = size}, 1).asDiagonal() * R.transpose();
  EXPECT_LE((m.inertia - expected).norm(), 1e-12);
}

TEST(HullInertia, MovedHull_ReachesAsFarAsTheMovedBody) {
  Hull hull = box_hull({0.4, 0.2, 0.7}, Mat3::Identity(), {0.1, 0.2, 0.3});
  index_vertices(hull);
  const Hull centred = moved(hull, -mass_of(hull).centroid);
  EXPECT_LE(mass_of(centred).centroid.norm(), 1e-15);
  EXPECT_NEAR(radius_of(centred), 0.5 * Vec3(0.4, 0.2, 0.7).norm(), 1e-15);
  EXPECT_LE((farthest_vertex(centred, {1, 1, 1}) - Vec3(0.2, 0.1, 0.35)).norm(), 1e-15);
}

}  // namespace
}  // namespace ricochet
