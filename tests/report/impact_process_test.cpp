#include "ricochet/report/impact_process.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/compliant/inclined_bar.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/routh.hpp"

namespace ricochet {
namespace {

constexpr double degree = std::numbers::pi / 180;

Contact bar(double angle, const Vec2& V) {
  return compliant::inclined_bar(1, std::sqrt(3.0), angle * degree, V).value();
}

Vec2 point(const Plot& plot, const std::string& name) {
  for (const PlotPoint& p : plot.points)
    if (p.name.find(name) != std::string::npos) return p.at;
  ADD_FAILURE() << "no point " << name;
  return Vec2::Zero();
}

TEST(ImpactProcess, StiffTangentialSpring_EndsAtStronge) {
  const auto plot = impact_process(bar(30, {-1, 0.6}), {.e = 0.7, .mu = 0.5, .kappas = {1e5}});
  ASSERT_TRUE(plot) << plot.error().message();
  const Vec2 end = point(*plot, "spring-sledge"), rigid = point(*plot, "Stronge");
  EXPECT_LT((end - rigid).norm(), 1e-4 * rigid.norm());
  // The three hypotheses differ here, so that the test is meaningful.
  EXPECT_GT((point(*plot, "Newton") - rigid).norm(), 0.05 * rigid.norm());
  EXPECT_GT((point(*plot, "Poisson") - rigid).norm(), 0.01 * rigid.norm());
}

TEST(ImpactProcess, RealStiffness_EndsFarFromAllRigidHypotheses) {
  // REG: for κ of order one the differences are significant.
  const auto plot = impact_process(bar(30, {-1, 0.6}), {.e = 1, .mu = 0.5, .kappas = {14.0 / 17}});
  ASSERT_TRUE(plot);
  const Vec2 end = point(*plot, "spring-sledge");
  for (const char* rigid : {"Stronge", "Poisson", "Newton"})
    EXPECT_GT((end - point(*plot, rigid)).norm(), 0.2 * point(*plot, rigid).norm()) << rigid;
}

TEST(ImpactProcess, EveryPathStaysInTheConeAndBegins_AtZero) {
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const Vec2& V : {Vec2(-1, 0.6), Vec2(-1, -0.6), Vec2(-1, 0)}) {
      const auto plot = impact_process(bar(40, V), {.e = e, .mu = 0.4});
      ASSERT_TRUE(plot) << plot.error().message();
      int paths = 0;
      for (const PlotCurve& curve : plot->curves) {
        if (!curve.counts) continue;
        ++paths;
        EXPECT_EQ(curve.points.front().norm(), 0);
        for (const Vec2& p : curve.points) EXPECT_LE(std::abs(p.x()), 0.4 * p.y() + 1e-9);
      }
      EXPECT_EQ(paths, 5);  // four stiffness ratios and the rigid one
      EXPECT_TRUE(draw(*plot));
    }
  }
}

TEST(ImpactProcess, WithoutFriction_AllModelsEndAtTheClosedForm) {
  const Contact contact = bar(30, {-1, 0.6});
  const auto plot = impact_process(contact, {.e = 0.6, .mu = 0});
  ASSERT_TRUE(plot);
  const double P_n = 1.6 / contact.W(0, 0);
  for (const PlotPoint& p : plot->points) {
    EXPECT_NEAR(p.at.x(), 0, 1e-12);
    EXPECT_NEAR(p.at.y(), P_n, 1e-9) << p.name;
  }
}

TEST(ImpactProcess, WithoutALimitToFriction_AllOfItSticks) {
  const Contact contact = bar(30, {-1, 0.6});
  const auto plot =
      impact_process(contact, {.e = 0.7, .mu = std::numeric_limits<double>::infinity(), .kappas = {1, 1e5}});
  ASSERT_TRUE(plot) << plot.error().message();
  EXPECT_TRUE(draw(*plot));
  // The rigid ones end at V_t = 0. The spring, which nothing damps, swings about that until it is let go.
  const auto after = [&](const Vec2& at) { return Vec3(contact.V + contact.W * Vec3(at.y(), -at.x(), 0)); };
  EXPECT_NEAR(after(point(*plot, "Stronge"))(1), 0, 1e-12);
  for (const PlotPoint& p : plot->points) {
    const Vec3 P(p.at.y(), -p.at.x(), 0);
    EXPECT_LE(P.dot(contact.V + after(p.at)), p.name.find("Newton") == std::string::npos ? 1e-12 : 1) << p.name;
    EXPECT_GE(after(p.at)(0), 0) << p.name;
  }
}

TEST(ImpactProcess, CentralImpactWithoutSlip_IsUprightToTheLastDigit) {
  // In slanting axes rounding leaves some 1e-17 across, which must not become the scale of the picture.
  const Vec3 n = Vec3(1, 2, -3).normalized();
  const Mat3 W = 3.5 * Mat3::Identity() - 2.5 * n * n.transpose();
  const Contact contact = contact_from_mobility(W, Vec3(-1.7 * n), n).value();
  const auto plot = impact_process(contact, {.e = 0.5, .mu = 0.3});
  ASSERT_TRUE(plot) << plot.error().message();
  for (const PlotCurve& curve : plot->curves) {
    if (!curve.counts) continue;
    for (const Vec2& p : curve.points) EXPECT_EQ(p.x(), 0);
  }
  for (const PlotPoint& p : plot->points) {
    EXPECT_EQ(p.at.x(), 0) << p.name;
    EXPECT_NEAR(p.at.y(), 1.5 * 1.7, 1e-12) << p.name;
  }
}

TEST(ImpactProcess, Refusals_NameTheField) {
  Mat3 M;
  M << 2, 0.8, 0.1, 0.8, 1, -0.2, 0.1, -0.2, 1.3;
  const Contact spatial = contact_from_mass(M, Vec3(-1, -1, 0.2), Vec3::UnitX()).value();
  EXPECT_EQ(impact_process(spatial, {}).error().path, "W");
  EXPECT_EQ(impact_process(bar(30, {1, 0.6}), {}).error().path, "V");
  EXPECT_EQ(impact_process(bar(30, {-1, 0.6}), {.e = 1.2}).error().path, "e");
  EXPECT_EQ(impact_process(bar(30, {-1, 0.6}), {.mu = -1}).error().path, "mu");
  EXPECT_EQ(impact_process(bar(30, {-1, 0.6}), {.mu = std::numeric_limits<double>::quiet_NaN()}).error().path, "mu");
  EXPECT_EQ(impact_process(bar(30, {-1, 0.6}), {.kappas = {0}}).error().path, "kappa");
}

TEST(Stiffening, SlipStops_FirstOrder_SlipReverses_HalfOrder) {
  // After slip has stopped the spring rings about its mean; where it must swing across the cone, that takes κ^(−1/2).
  const auto plot = stiffening({{"stops", bar(30, {-1, 0.6}), 1, 0.5}, {"reverses", bar(30, {-1, 0.6}), 1, 0.3}});
  ASSERT_TRUE(plot) << plot.error().message();
  ASSERT_EQ(collide(Routh{.e = 1, .mu = 0.3, .restitution = Restitution::stronge}, bar(30, {-1, 0.6}))->mode,
            Mode::slip_reversal);
  const auto rate = [&](const PlotCurve& curve) {
    const auto from = std::find_if(curve.points.begin(), curve.points.end(), [](const Vec2& p) { return p.x() > 1e3; });
    const Vec2 a = *from, b = curve.points.back();
    return std::log(b.y() / a.y()) / std::log(b.x() / a.x());
  };
  EXPECT_NEAR(rate(plot->curves[0]), -1, 0.08);
  EXPECT_NEAR(rate(plot->curves[1]), -0.5, 0.02);
}

}  // namespace
}  // namespace ricochet
