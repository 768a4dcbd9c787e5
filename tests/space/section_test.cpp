#include "ricochet/space/section.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/space/impulse_space.hpp"
#include "space/region_oracle.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

struct Problem {
  Contact contact;
  double mu;
  Section drawing;
};

Problem random_problem(Rng& rng, bool planar) {
  const Contact contact = planar ? random_planar_contact(rng, 3) : random_contact(rng, 3);
  const double mu = random_mu(rng);
  return {contact, mu, section(contact, mu).value()};
}

TEST(Section, LettersOfFig3aAreWhereTheirVelocitiesSay) {
  Rng rng(8);
  for (int trial = 0; trial < 500; ++trial) {
    const Problem problem = random_problem(rng, trial % 2 == 0);
    const Contact& contact = problem.contact;
    const Section& drawing = problem.drawing;
    const Local<double> c = localize<double>(contact);
    // V⁺ in the plane: (along axis 2, along n).
    const auto V_after = [&](const char* name) {
      const Vec2 P = drawing.point(name)->P;
      const Vec3 V = c.V + c.W * Vec3(P.y(), P.x(), 0);
      return Vec2(V(1), V(0));
    };
    const auto gain = [&](const char* name) {
      const Vec2 P = drawing.point(name)->P;
      const Vec3 Q(P.y(), P.x(), 0);
      return Q.dot(c.V + 0.5 * (c.W * Q));
    };
    const double k = -c.V(0);
    const double W_size = c.W.norm();
    const double centre = drawing.point("centre")->P.norm();
    const auto rounding = [&](const char* name) {
      return 1e-12 * (c.V.norm() + W_size * (drawing.point(name)->P.norm() + centre));
    };
    for (const char* name : {"O", "A", "B", "C", "D", "E", "F"})
      EXPECT_NEAR(gain(name), 0, rounding(name) * (drawing.point(name)->P.norm() + centre)) << name;
    EXPECT_NEAR(V_after("A").y(), 0, rounding("A"));
    EXPECT_LT(V_after("A").x(), rounding("A"));
    EXPECT_NEAR(V_after("B").y(), 0, rounding("B"));
    EXPECT_GT(V_after("B").x(), -rounding("B"));
    EXPECT_NEAR(V_after("C").x(), 0, rounding("C"));
    EXPECT_GT(V_after("C").y(), 0);
    EXPECT_NEAR(V_after("D").x(), 0, rounding("D"));
    EXPECT_LT(V_after("D").y(), 0);
    EXPECT_NEAR(V_after("E").y(), k, rounding("E"));
    EXPECT_EQ(drawing.point("E")->P.x(), 0);
    EXPECT_NEAR(V_after("F").y(), k, rounding("F"));
    EXPECT_NEAR(V_after("F").x(), -c.V(1), rounding("F"));
    // Fig. 1's "A bisects OB" in its own letters: P_I is the middle of O and E.
    EXPECT_LT((2 * drawing.point("P_I")->P - drawing.point("E")->P).norm(), 1e-15 * drawing.point("E")->P.norm());
    const Vec2 middle = (drawing.point("A")->P + drawing.point("B")->P) / 2;
    EXPECT_LT((middle - drawing.point("centre")->P).norm(), 1e-12 * drawing.point("B")->P.norm());
    if (drawing.planar) {
      const Vec3 P_II = -(contact.M * contact.V);
      EXPECT_LT((drawing.lift(drawing.point("centre")->P) - P_II).norm(), 1e-11 * P_II.norm());
    }
  }
}

TEST(Section, PermissibleCurveIsTheBoundaryOfTheRegionInThePlane) {
  Rng rng(9);
  for (int trial = 0; trial < 300; ++trial) {
    const Problem problem = random_problem(rng, trial % 2 == 0);
    const Contact& contact = problem.contact;
    const double mu = problem.mu;
    const Section& drawing = problem.drawing;
    const RegionOracle oracle(contact, mu);
    const NamedCurve* curve = drawing.curve("permissible");
    ASSERT_NE(curve, nullptr);
    ASSERT_TRUE(curve->closed);
    // Every point of the curve is seen from the middle of them through the region, and nothing of the plane lies
    // beyond.
    RVec3 inside = RVec3::Zero();
    for (const Vec2& P : curve->points) inside += RVec3(P.y(), P.x(), 0) / Real(curve->points.size());
    for (const Vec2& P : curve->points) {
      const RVec3 Q(P.y(), P.x(), 0);
      EXPECT_TRUE(certify(contact, drawing.lift(P), mu).permissible) << trial << " mu " << mu;
      // At grazing incidence the region is a sliver beside P_I, thinner than rounding of its far end.
      if (contact.approach_speed() < 1e-2 * contact.V.norm()) continue;
      const Real width = 1e-9L;
      EXPECT_TRUE(oracle.contains(inside + (1 - width) * (Q - inside))) << trial << " mu " << mu;
      if (mu > 0) {
        EXPECT_FALSE(oracle.contains(inside + (1 + width) * (Q - inside))) << trial << " mu " << mu;
      }
    }
  }
}

TEST(Section, LinesCarryTheirConditions) {
  Rng rng(10);
  for (int trial = 0; trial < 200; ++trial) {
    const Problem problem = random_problem(rng, trial % 2 == 0);
    const Contact& contact = problem.contact;
    const double mu = problem.mu;
    const Section& drawing = problem.drawing;
    const Local<double> c = localize<double>(contact);
    const auto V_after = [&](const Vec2& P) { return Vec3(c.V + c.W * Vec3(P.y(), P.x(), 0)); };
    const auto rounding = [&](const Vec2& P) { return 1e-12 * (c.V.norm() + c.W.norm() * P.norm()); };
    for (const Vec2& P : drawing.curve("maximum compression")->points) EXPECT_NEAR(V_after(P)(0), 0, rounding(P));
    for (const Vec2& P : drawing.curve("sticking")->points) EXPECT_NEAR(V_after(P)(1), 0, rounding(P));
    for (const Vec2& P : drawing.curve("e = 0.5")->points) EXPECT_NEAR(V_after(P)(0), -0.5 * c.V(0), rounding(P));
    for (const Vec2& P : drawing.curve("energy")->points) {
      const Vec3 Q(P.y(), P.x(), 0);
      const double size = Q.norm() + drawing.point("centre")->P.norm();
      EXPECT_NEAR(Q.dot(c.V + 0.5 * (c.W * Q)), 0, 1e-12 * size * (c.V.norm() + c.W.norm() * size));
    }
    if (!std::isinf(mu)) {
      const Vec2 right = drawing.curve("friction right")->points.back();
      EXPECT_NEAR(right.x(), mu * right.y(), 1e-12 * (right.norm() + mu * std::abs(right.y())));
    } else {
      EXPECT_EQ(drawing.curve("friction right")->points.back().y(), 0);
    }
  }
}

// CR98 Fig. 8: the ellipse opens into two lines along the rod.
TEST(Section, Hinge_EnergyIsTwoParallelLines) {
  const Vec3 across = Vec3(-1, 2, 0).normalized();
  const Mat3 W = across * across.transpose() + Vec3::UnitZ() * Vec3::UnitZ().transpose();
  const Contact contact = contact_from_mobility(W, across, Vec3::UnitX()).value();
  const auto narrow = section(contact, 0.3).value();
  EXPECT_EQ(narrow.ellipse.half_1, infinity);
  EXPECT_EQ(narrow.point("A"), nullptr);
  EXPECT_TRUE(narrow.bounded);
  int lines = 0;
  for (const auto& curve : narrow.curves) {
    for (const Vec2& P : curve.points) EXPECT_TRUE(P.allFinite());
    if (curve.name != "energy") continue;
    ++lines;
    for (const Vec2& P : curve.points) {
      const Vec3 Q = narrow.lift(P);
      EXPECT_NEAR(Q.dot(contact.V + 0.5 * (W * Q)), 0, 1e-12);
    }
  }
  EXPECT_EQ(lines, 2);
  const auto wide = section(contact, 3).value();
  EXPECT_FALSE(wide.bounded);
  for (const auto& curve : wide.curves)
    for (const Vec2& P : curve.points) EXPECT_TRUE(P.allFinite());
}

TEST(Section, BadInputIsRefusedByField) {
  const Contact contact = contact_from_mass(Mat3::Identity(), Vec3(-1, 2, 0), Vec3::UnitX()).value();
  EXPECT_EQ(section(contact, -1).error().path, "mu");
  EXPECT_EQ(section(contact, 1, {.samples = 2}).error().path, "samples");
  EXPECT_EQ(section(contact, 1, {.samples = 64, .e_lines = {-1}}).error().path, "e_lines");
  const Contact parting = contact_from_mass(Mat3::Identity(), Vec3(1, 2, 0), Vec3::UnitX()).value();
  EXPECT_EQ(section(parting, 1).error().path, "V");
}

}  // namespace
}  // namespace ricochet
