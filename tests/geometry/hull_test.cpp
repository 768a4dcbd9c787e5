#include "ricochet/geometry/hull.hpp"

#include <gtest/gtest.h>

#include "mechanism/random_tree.hpp"

namespace ricochet {
namespace {

using testing::random_vector;
using testing::Rng;

TEST(Hull, FarthestVertexInBoxes_IsThatOfAllVertices) {
  Rng rng(11);
  for (const int count : {1, 2, 12, 13, 14, 100, 3000}) {
    Hull plain;
    for (int i = 0; i < count; ++i) plain.vertices.push_back(random_vector(rng, 1).normalized());
    // Repeated vertices and flat faces: several are farthest.
    for (int i = 0; i < count / 4; ++i) plain.vertices.push_back(plain.vertices[static_cast<std::size_t>(3 * i)]);
    for (Vec3& v : plain.vertices)
      if (v.z() < -0.5) v.z() = -0.5;
    Hull indexed = plain;
    index_vertices(indexed);
    EXPECT_EQ(radius_of(indexed), radius_of(plain));
    for (int k = 0; k < 500; ++k) {
      const Vec3 a = k == 0 ? Vec3(0, 0, -1) : random_vector(rng, 1);
      const Vec3 found = farthest_vertex(indexed, a);
      double most = -1e300;
      for (const Vec3& v : plain.vertices) most = std::max(most, a.dot(v));
      EXPECT_EQ(a.dot(found), most) << count;
      EXPECT_EQ(found, farthest_vertex(plain, a)) << count;
    }
  }
}

}  // namespace
}  // namespace ricochet
