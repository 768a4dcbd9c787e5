#include "ricochet/space/region_surface.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

/// Of the solid inside, by the tetrahedra that the triangles span with the origin; positive when they go round with the
/// outside on their left.
double volume(const RegionSurface& s) {
  double six = 0;
  for (std::size_t k = 0; k < s.triangles.size(); k += 3) {
    const auto at = [&](std::size_t i) { return s.points[static_cast<std::size_t>(s.triangles[k + i])]; };
    six += at(0).dot(at(1).cross(at(2)));
  }
  return six / 6;
}

TEST(RegionSurface, HoldsTheVolumeThatQuadratureFinds) {
  Rng rng(71);
  for (int trial = 0; trial < 60; ++trial) {
    const Contact contact = random_contact(rng, 1.5);
    const double mu = trial % 5 == 0 ? infinity : uniform(rng, 0.1, 3);
    const auto exact = centroid(contact, mu);
    ASSERT_TRUE(exact) << exact.error().message();
    const auto coarse = region_surface(contact, mu, {.turns = 90, .rings = 30});
    const auto fine = region_surface(contact, mu, {.turns = 360, .rings = 120});
    ASSERT_TRUE(coarse && fine);
    const double off = std::abs(volume(*fine) / exact->volume - 1);
    EXPECT_LT(off, 2e-3) << "mu " << mu;
    // Second order; an edge where cone and ellipsoid change places costs less than half an order.
    EXPECT_LT(off, std::abs(volume(*coarse) / exact->volume - 1) / 4 + 1e-9);
  }
}

TEST(RegionSurface, EveryPointIsPermissibleAndOnTheBoundary) {
  Rng rng(72);
  for (int trial = 0; trial < 200; ++trial) {
    const Contact contact = random_contact(rng, 6);
    const double mu = trial % 5 == 0 ? infinity : log_uniform(rng, -2, 1);
    const auto surface = region_surface(contact, mu);
    ASSERT_TRUE(surface);
    EXPECT_TRUE(surface->bounded);
    for (const Vec3& P : surface->points) {
      const Certificate c = certify(contact, P, mu);
      // The condition number of M stands between P and its margins.
      const double size = P.norm(), speed = contact.V.norm() + contact.W.norm() * size;
      const double slack = 1e-11;
      EXPECT_GE(c.margins.energy, -slack * size * speed);
      EXPECT_GE(c.margins.separation, -slack * speed);
      if (std::isfinite(mu)) {
        EXPECT_GE(c.margins.friction, -slack * (1 + mu) * size);
      }
      const bool on = std::abs(c.margins.energy) <= slack * size * speed ||
                      std::abs(c.margins.separation) <= slack * speed ||
                      std::abs(c.margins.friction) <= slack * (1 + mu) * size;
      EXPECT_TRUE(on);
    }
  }
}

TEST(RegionSurface, IsClosed) {
  Rng rng(73);
  const auto surface = region_surface(random_contact(rng, 1.5), 0.7, {.turns = 12, .rings = 4});
  ASSERT_TRUE(surface);
  // Points of the axis stand once for each half plane; edges are counted between places, not indices.
  const auto place = [&](int i) {
    const Vec3& P = surface->points[static_cast<std::size_t>(i)];
    const auto round = [](double x) { return std::llround(x * 1e9); };
    return std::array<long long, 3>{round(P.x()), round(P.y()), round(P.z())};
  };
  std::map<std::pair<std::array<long long, 3>, std::array<long long, 3>>, int> edges;
  for (std::size_t k = 0; k < surface->triangles.size(); k += 3)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto a = place(surface->triangles[k + i]), b = place(surface->triangles[k + (i + 1) % 3]);
      if (a == b) continue;
      edges[{a, b}] += 1;
      edges[{b, a}] -= 1;
    }
  for (const auto& [edge, count] : edges) EXPECT_EQ(count, 0);
}

TEST(RegionSurface, WithoutEndIsCutAndSaysSo) {
  // An immovable direction inside the cone: the hinged rod of CR98 Fig. 8.
  const Vec3 t(std::sqrt(0.75), 0, 0.5);
  const auto contact = contact_from_mobility(3 * t * t.transpose(), -t, Vec3::UnitZ());
  ASSERT_TRUE(contact);
  const auto surface = region_surface(*contact, 2);
  ASSERT_TRUE(surface);
  EXPECT_FALSE(surface->bounded);
  double farthest = 0;
  for (const Vec3& P : surface->points) {
    ASSERT_TRUE(P.allFinite());
    farthest = std::max(farthest, P.norm());
  }
  EXPECT_LE(farthest, surface->reach * (1 + 1e-12));
  EXPECT_GT(farthest, 0.9 * surface->reach);
}

TEST(RegionSurface, WithoutFrictionIsTheSegmentFromPIToTwicePI) {
  Rng rng(74);
  const Contact contact = random_contact(rng, 1.5);
  const auto space = impulse_space(contact, 0);
  const auto surface = region_surface(contact, 0);
  ASSERT_TRUE(space && surface);
  for (const Vec3& P : surface->points) {
    const double share = P.dot(space->P_I) / space->P_I.squaredNorm();
    EXPECT_NEAR((P - share * space->P_I).norm(), 0, 1e-12 * space->P_I.norm());
    EXPECT_TRUE(std::abs(share - 1) < 1e-12 || std::abs(share - 2) < 1e-12);
  }
}

TEST(RegionSurface, RefusesWhatHasNoRegion) {
  const Contact parting = contact_from_mass(Mat3::Identity(), Vec3::UnitX(), Vec3::UnitX()).value();
  EXPECT_EQ(region_surface(parting, 0.5).error().path, "V");
  const Contact meeting = contact_from_mass(Mat3::Identity(), -Vec3::UnitX(), Vec3::UnitX()).value();
  EXPECT_EQ(region_surface(meeting, -1).error().path, "mu");
  EXPECT_EQ(region_surface(meeting, 1, {.turns = 2}).error().path, "turns");
  EXPECT_EQ(region_surface(meeting, 1, {.rings = 0}).error().path, "rings");
}

}  // namespace
}  // namespace ricochet
