#include "ricochet/report/force_over_time.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet {
namespace {

double area(const PlotCurve& curve) {
  double sum = 0;
  for (std::size_t k = 1; k < curve.points.size(); ++k)
    sum += (curve.points[k].x() - curve.points[k - 1].x()) * (curve.points[k].y() + curve.points[k - 1].y()) / 2;
  return sum;
}

/// With a stiffness, so that newtons times seconds are the outcome's newton seconds.
void check_areas(const Contact& contact, std::size_t forces, double tolerance) {
  const auto process =
      compliant::process({0.82, 0.5, 0.6}, contact, {.points_per_phase = 400, .stiffness = 3e4}).value();
  const Plot plot = force_over_time(process);
  ASSERT_EQ(plot.curves.size(), forces);
  const std::array<Vec3, 3> axes{process.n, process.t, process.b};
  for (std::size_t i = 0; i < forces; ++i)
    EXPECT_NEAR(area(plot.curves[i]), axes[i].dot(process.P), tolerance * process.P.norm()) << i;
  EXPECT_NE(plot.x_label.find("[s]"), std::string::npos);
}

TEST(ForceOverTime, AreaUnderAForceIsItsImpulse) {
  const Mat3 planar = (Mat3() << 2, 0.8, 0, 0.8, 1, 0, 0, 0, 1).finished();
  check_areas(contact_from_mass(planar, Vec3(-1, -1, 0), Vec3::UnitX()).value(), 2, 1e-5);
  const Mat3 M = (Mat3() << 2, 0.7, 0.2, 0.7, 1.5, -0.3, 0.2, -0.3, 1.1).finished();
  check_areas(contact_from_mass(M, Vec3(-1, -1.4, 0.3), Vec3::UnitX()).value(), 3, 1e-5);
}

TEST(ForceOverTime, PlanarImpactHasTwoForcesAndItsPhasesAreMarked) {
  const Mat3 M = (Mat3() << 2, 0.8, 0, 0.8, 1, 0, 0, 0, 1).finished();
  const Contact contact = contact_from_mass(M, Vec3(-1, -1, 0), Vec3::UnitX()).value();
  const auto process = compliant::process({0.82, 0.6, 0.5}, contact).value();
  const Plot plot = force_over_time(process);
  EXPECT_EQ(plot.curves.size(), 2U);
  EXPECT_EQ(plot.points.size() + 1, process.phases.size());
  EXPECT_TRUE(draw(plot));
}

/// Hundreds of rings and names would cover the curves.
TEST(ForceOverTime, ContactThatRings_IsDrawnWithoutMarks) {
  const Mat3 M = (Mat3() << 2, 0.8, 0, 0.8, 1, 0, 0, 0, 1).finished();
  const Contact contact = contact_from_mass(M, Vec3(-1, -1, 0), Vec3::UnitX()).value();
  const auto process = compliant::process({1e6, 0.6, 0.5}, contact).value();
  ASSERT_GT(process.phases.size(), 100U);
  const Plot plot = force_over_time(process);
  EXPECT_TRUE(plot.points.empty());
  EXPECT_TRUE(draw(plot));
}

}  // namespace
}  // namespace ricochet
