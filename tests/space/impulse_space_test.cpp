#include "ricochet/space/impulse_space.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "space/region_oracle.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

TEST(ImpulseSpace, LandmarksOfCR98Section3) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Contact contact = random_contact(rng, 5);
    const auto space = impulse_space(contact, random_mu(rng)).value();
    const Mat3& W = contact.W;
    const auto V_after = [&](const Vec3& P) { return Vec3(contact.V + W * P); };
    const auto gain = [&](const Vec3& P) { return P.dot(contact.V) + 0.5 * P.dot(W * P); };
    // Rounding of W P is measured by the sum of its absolute terms.
    const auto terms = [&](const Vec3& P) { return Vec3(contact.V.cwiseAbs() + W.cwiseAbs() * P.cwiseAbs()).sum(); };
    const double k = contact.approach_speed();
    // P_I stops the approach and nothing else acts along the tangent; 2 P_I sends it back with the same energy.
    RC_ASSERT(space.P_I.cross(contact.n).norm() <= 1e-15 * space.P_I.norm());
    RC_ASSERT(std::abs(contact.n.dot(V_after(space.P_I))) <= 1e-14 * terms(space.P_I));
    RC_ASSERT(std::abs(gain(2 * space.P_I)) <= 1e-14 * space.P_I.norm() * terms(space.P_I));
    // P_II stops everything, and 2 P_II turns V round. P_II = −M V may be small beside the terms of that sum, and M and
    // W are inverse of each other but for their rounding.
    const double stopped = terms(space.P_II) + (W.cwiseAbs() * (contact.M.cwiseAbs() * contact.V.cwiseAbs())).sum();
    RC_ASSERT(V_after(space.P_II).norm() <= 1e-15 * stopped);
    RC_ASSERT((V_after(2 * space.P_II) + contact.V).norm() <= 2e-15 * stopped);
    RC_ASSERT(std::abs(gain(2 * space.P_II)) <= 2e-15 * space.P_II.norm() * stopped);
    RC_ASSERT(std::abs(space.energy + gain(space.P_II)) <= 2e-15 * space.P_II.norm() * stopped);
    // Both lie on the plane of maximum compression; its normal is that of { n·WP = const }.
    for (const Vec3& P : {space.P_I, space.P_II})
      RC_ASSERT(std::abs(space.maximum_compression.normal.dot(P) - space.maximum_compression.offset) <=
                2e-15 * (terms(P) + stopped) / (W * contact.n).norm());
    const double e = uniform(rng, 0, 2);
    const Plane plane = space.restitution_plane(e);
    RC_ASSERT(std::abs(contact.n.dot(V_after(plane.point)) - e * k) <= 1e-13 * terms(plane.point));
    RC_ASSERT(std::abs(plane.normal.dot(plane.point) - plane.offset) <= 1e-13 * plane.point.norm());
    // Points on the line of sticking separate along n.
    RC_ASSERT(space.sticking.direction.has_value());
    const Vec3 stick = space.P_II + space.P_II.norm() * *space.sticking.direction;
    // M n is rounded at the size of M, and W brings that back magnified.
    const double rounding = W.norm() * contact.M.norm() * space.P_II.norm() / (contact.M * contact.n).norm();
    RC_ASSERT(contact.n.cross(V_after(stick)).norm() <= 2e-15 * (stopped + terms(stick) + rounding));
    // Ends of the half-axes are on the surface of the initial energy, where V⁺ is normal to it, that is along the axis;
    // at the origin the normal is V⁻ itself.
    for (const auto& axis : space.ellipsoid.half_axes) {
      const Vec3 end = space.ellipsoid.centre + axis.length * axis.direction;
      RC_ASSERT(std::abs(gain(end)) <= 1e-12 * (end.norm() + space.P_II.norm()) * terms(space.P_II));
      RC_ASSERT(axis.direction.cross(V_after(end)).norm() <= 1e-12 * (terms(end) + terms(space.P_II)));
    }
    const Vec3 aside = contact.V.cross(random_unit(rng));
    const double step = 1e-4 * space.P_I.norm();
    const double slope = (gain(step * aside) - gain(-step * aside)) / (2 * step);
    RC_ASSERT(std::abs(slope) <= 1e-9 * contact.V.norm() * aside.norm());
  }));
}

TEST(ImpulseSpace, HingedContact_HasAnEndlessAxisAndNoNormalSticking) {
  const Vec3 along = Vec3(1, 1, 0).normalized();
  const Vec3 across = Vec3(-1, 1, 0).normalized();
  const Mat3 W = across * across.transpose() + Vec3::UnitZ() * Vec3::UnitZ().transpose();
  const Contact contact = contact_from_mobility(W, across, Vec3::UnitX()).value();
  const auto space = impulse_space(contact, 0.3).value();
  EXPECT_EQ(space.ellipsoid.half_axes[0].length, infinity);
  EXPECT_NEAR(std::abs(space.ellipsoid.half_axes[0].direction.dot(along)), 1, 1e-14);
  EXPECT_TRUE(std::isfinite(space.ellipsoid.half_axes[1].length));
  EXPECT_FALSE(space.sticking.direction.has_value());
  ASSERT_EQ(space.sticking.null_count, 1);
  EXPECT_LT((W * space.sticking.null[0]).norm(), 1e-15);
  EXPECT_LT((contact.V + W * space.P_II).norm(), 1e-15);
  // Hinged about an axis through the normal: the normal stays free.
  const Contact sliding =
      contact_from_mobility(Vec3(1, 0, 1).asDiagonal().toDenseMatrix(), Vec3(-1, 0, 1), Vec3::UnitX()).value();
  const auto free = impulse_space(sliding, 0.3).value();
  ASSERT_TRUE(free.sticking.direction.has_value());
  EXPECT_LT((*free.sticking.direction - Vec3::UnitX()).norm(), 1e-15);
}

TEST(ImpulseSpace, CertificateHasTheSignOfEveryCondition) {
  Rng rng(77);
  for (int trial = 0; trial < 4000; ++trial) {
    const Contact contact = random_contact(rng, 3);
    const double mu = random_mu(rng);
    const auto space = impulse_space(contact, mu).value();
    const Vec3 P = space.P_II + 3 * uniform(rng, 0, 1) * space.P_II.norm() * random_unit(rng);
    const RegionOracle oracle(contact, mu);
    const RVec3 local = oracle.to_local(P);
    const Certificate certificate = certify(contact, P, mu);
    EXPECT_EQ(certificate.margins.energy >= 0, oracle.energy(local));
    EXPECT_EQ(certificate.margins.separation >= 0, oracle.separation(local));
    EXPECT_EQ(certificate.margins.compression >= 0, oracle.compression(local));
    if (!std::isinf(mu)) {
      EXPECT_EQ(certificate.margins.friction >= 0, oracle.friction(local));
    }
    EXPECT_EQ(certificate.permissible, oracle.contains(local));
  }
}

// Along any ray from the centroid: just before the returned distance every condition holds; just after it the named one
// is violated, and no other was violated before.
TEST(ImpulseSpace, BoundaryAlongARay_IsWhereTheNamedConditionBreaksFirst) {
  Rng rng(2024);
  std::array<int, 5> seen{};
  for (int trial = 0; trial < 2500; ++trial) {
    const double log_cond = uniform(rng, 0, 10);
    const Contact contact = random_contact(rng, log_cond);
    const double mu = random_mu(rng);
    if (mu == 0) continue;
    const RegionOracle oracle(contact, mu);
    const Local<double> c = localize<double>(contact);
    const auto centre = centroid<double>(c, mu);
    ASSERT_EQ(centre.status, RegionStatus::ok);
    Vec3 d = random_unit(rng);
    if (chance(rng, 0.2)) d = centre.P.normalized();
    if (chance(rng, 0.2)) d = -centre.P.normalized();
    const Exit<double> exit = exit_along<double>(c.W, c.V, centre.P, d, mu);
    ASSERT_TRUE(std::isfinite(exit.distance));
    ASSERT_GT(exit.distance, 0);
    ++seen[std::size_t(exit.boundary)];
    // What rounding of W (condition 10^log_cond) leaves of a root.
    const Real width = 1e-9L + 1e-14L * std::pow(10.0L, Real(log_cond));
    const auto at = [&](Real x) { return RVec3(centre.P.cast<Real>() + x * d.cast<Real>()); };
    EXPECT_TRUE(oracle.contains(at(exit.distance * (1 - width)))) << trial;
    const RVec3 beyond = at(exit.distance * (1 + width));
    switch (exit.boundary) {
      case Boundary::energy: EXPECT_FALSE(oracle.energy(beyond)) << trial; break;
      case Boundary::separation: EXPECT_FALSE(oracle.separation(beyond)) << trial; break;
      case Boundary::friction: EXPECT_FALSE(oracle.friction(beyond)) << trial; break;
      case Boundary::compression: EXPECT_FALSE(oracle.compression(beyond)) << trial; break;
      case Boundary::none: ADD_FAILURE() << "no end in a bounded region";
    }
  }
  EXPECT_GT(seen[std::size_t(Boundary::energy)], 50);
  EXPECT_GT(seen[std::size_t(Boundary::separation)], 50);
  EXPECT_GT(seen[std::size_t(Boundary::friction)], 50);
  EXPECT_GT(seen[std::size_t(Boundary::compression)], 0);
}

TEST(ImpulseSpace, BoundaryAlongARay_FrictionlessRegionIsASegment) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 2, 0), Vec3::UnitX()).value();
  const Vec3 middle(1.5, 0, 0);
  const auto up = boundary_along(contact, 0, middle, Vec3::UnitX()).value();
  EXPECT_EQ(up.boundary, Boundary::energy);
  EXPECT_NEAR(up.distance, 0.5, 1e-15);
  const auto down = boundary_along(contact, 0, middle, -Vec3::UnitX()).value();
  EXPECT_EQ(down.boundary, Boundary::separation);
  EXPECT_NEAR(down.distance, 0.5, 1e-15);
  const auto aside = boundary_along(contact, 0, middle, Vec3(1, 1e-3, 0)).value();
  EXPECT_EQ(aside.boundary, Boundary::friction);
  EXPECT_EQ(aside.distance, 0);
}

TEST(ImpulseSpace, BoundaryAlongARay_RefusesWhatIsNotARayFromInside) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 2, 0), Vec3::UnitX()).value();
  EXPECT_EQ(boundary_along(contact, 0.5, Vec3(5, 0, 0), Vec3::UnitX()).error().path, "from");
  EXPECT_EQ(boundary_along(contact, 0.5, Vec3(1.5, 0, 0), Vec3::Zero()).error().path, "direction");
  EXPECT_EQ(boundary_along(contact, -1, Vec3(1.5, 0, 0), Vec3::UnitX()).error().path, "mu");
}

TEST(HighestRebound, NoSampleOfTheRegionBeatsIt) {
  Rng rng(31);
  for (int trial = 0; trial < 150; ++trial) {
    const Contact contact = random_contact(rng, 4);
    const double mu = random_mu(rng);
    const auto best = highest_rebound(contact, mu);
    ASSERT_TRUE(best) << best.error().message();
    const RegionOracle oracle(contact, mu);
    const double k = -double(oracle.V(0));
    EXPECT_GE(best->e, 1);
    // It is attained by a permissible impulse with that rebound.
    EXPECT_TRUE(certify(contact, best->P, mu).permissible) << "mu " << mu;
    const RVec3 P = oracle.to_local(best->P);
    const double terms = double((oracle.W.cwiseAbs() * P.cwiseAbs())(0));
    EXPECT_NEAR(double(oracle.rebound(P)), best->e * k, 1e-10 * terms);
    // Impulses of every ratio T, each at the energy surface, then a random search about the best of them.
    const auto rebound = [&](Real angle, Real phi) {
      const RVec3 u(std::cos(angle), std::sin(angle) * std::cos(phi), std::sin(angle) * std::sin(phi));
      const Real work = -oracle.V.dot(u);
      if (!(work > 0)) return Real(-1);
      const RVec3 Q = 2 * work / u.dot(oracle.W * u) * u;
      return oracle.rebound(Q) / Real(k);
    };
    const Real end = std::atan(Real(mu));
    Real top = 0, top_angle = 0, top_phi = 0;
    const auto try_at = [&](Real angle, Real phi) {
      if (angle < 0 || angle > end) return;
      const Real e = rebound(angle, phi);
      if (e > top) top = e, top_angle = angle, top_phi = phi;
    };
    for (int i = 0; i <= 60; ++i)
      for (int j = 0; j < 180; ++j) try_at(end * i / 60, 2 * 3.14159265358979323846L * j / 180);
    for (Real width = 0.5L; width > 1e-9L; width *= 0.85L)
      for (int i = 0; i < 60; ++i) {
        const Real angle = top_angle + width * Real(uniform(rng, -1, 1));
        const Real phi = top_phi + width * Real(uniform(rng, -3, 3));
        try_at(chance(rng, 0.3) ? end : angle, phi);
      }
    EXPECT_LE(double(top), best->e * (1 + 1e-9)) << "mu " << mu;
    EXPECT_GE(double(top), best->e * (1 - 1e-5)) << "mu " << mu << " e " << best->e;
  }
}

TEST(HighestRebound, StaysPermissibleAtAnyCondition) {
  Rng rng(32);
  for (int trial = 0; trial < 3000; ++trial) {
    const Contact contact = random_contact(rng, 10);
    const double mu = random_mu(rng);
    const auto best = highest_rebound(contact, mu);
    ASSERT_TRUE(best) << best.error().message();
    ASSERT_TRUE(best->P.allFinite());
    EXPECT_GE(best->e, 1);
    EXPECT_TRUE(certify(contact, best->P, mu).permissible) << "mu " << mu << " trial " << trial;
  }
}

// CR98 Fig. 9: equal masses in every direction, almost grazing. At the summit V⁺ is normal and all energy is kept, so
// e = ‖V‖/k, open to friction from P_t/P_n = s/(‖V‖ + k) on.
TEST(HighestRebound, NearlyGrazingCentralCollision_CanReboundSeventeenfold) {
  const double k = 1.0 / 17;
  const double s = std::sqrt(1 - k * k);
  const Contact contact = contact_from_mass(2 * Mat3::Identity(), Vec3(-k, s, 0), Vec3::UnitX()).value();
  const auto rough = highest_rebound(contact, 1).value();
  EXPECT_NEAR(rough.e, 17, 1e-12);
  EXPECT_EQ(rough.boundary, Boundary::energy);
  EXPECT_LT((rough.P - 2 * Vec3(1 + k, -s, 0)).norm(), 1e-12);
  // Below the friction that the summit needs, the cone decides: on its generator N = 2 (k + μ s) m / (1 + μ²).
  const double mu = 0.5;
  const auto smooth = highest_rebound(contact, mu).value();
  EXPECT_EQ(smooth.boundary, Boundary::friction);
  EXPECT_NEAR(smooth.e, 2 * (k + mu * s) / (1 + mu * mu) / k - 1, 1e-12);
  EXPECT_GT(smooth.e, 10);
  EXPECT_EQ(highest_rebound(contact, 0)->e, 1);
}

}  // namespace
}  // namespace ricochet
