/// What stands beside the laws in a ranking: the free-form regression, the noise floor, the place of an impulse in its
/// permissible region.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ricochet/fit/impulse_regression.hpp"
#include "ricochet/fit/rank_laws.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

/// Ellipse-like impacts in the plane x, y, answered by a law, with noise on every velocity after.
std::vector<ReducedImpact> planar_impacts(const Law& law, std::size_t rows, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr double gyration = 0.02;
  std::vector<ReducedImpact> out;
  while (out.size() < rows) {
    MeasuredImpact impact;
    impact.body.mass = 0.05;
    impact.body.inertia = Mat3::Identity() * 0.05 * gyration * gyration;
    impact.n = Vec3::UnitY();
    impact.arm = {0.01 * uniform(random), -0.02, 0};
    impact.body.velocity = {uniform(random), -2 + 0.3 * uniform(random), 0};
    impact.body.angular_velocity = {0, 0, 10 * uniform(random)};
    const auto reduced = reduce(impact, {.unbalanced = 1e9});
    if (!reduced || reduced->separates_before) continue;
    const auto after = apply_impulse(impact.body, impact.arm, collide(law, reduced->contact)->P);
    impact.velocity = after->velocity + noise * Vec3(normal(random), normal(random), 0);
    impact.angular_velocity = after->angular_velocity + Vec3(0, 0, noise / gyration * normal(random));
    out.push_back(reduce(impact, {.unbalanced = 1e9}).value());
  }
  return out;
}

const Law smooth_law = ChatterjeeRuina{.e = 0.6, .e_t = 0.2, .mu = 0.15, .smooth = 0.5};

TEST(ImpulseRegression, LearnsALawThatItDoesNotKnow) {
  const auto known = planar_impacts(smooth_law, 300, 0, 1), fresh = planar_impacts(smooth_law, 100, 0, 2);
  const auto regression = ImpulseRegression::fit(known);
  ASSERT_TRUE(regression) << regression.error().message();
  std::vector<double> errors;
  errors.reserve(fresh.size());
  for (const ReducedImpact& row : fresh) errors.push_back(row.error_of(regression->impulse(row)));
  EXPECT_LT(quantile(errors, 0.5), 0.01);
  EXPECT_EQ(ImpulseRegression::fit(std::span(known).first(10)).error().path, "rows");
}

TEST(ImpulseRegression, MirroredAndTurnedImpacts_HaveMirroredAndTurnedImpulses) {
  const auto known = planar_impacts(smooth_law, 100, 0.01, 3);
  const auto regression = ImpulseRegression::fit(known).value();
  MeasuredImpact impact;
  impact.body.mass = 0.05;
  impact.body.inertia = Mat3::Identity() * 2e-5;
  impact.n = Vec3::UnitY();
  impact.arm = {0.004, -0.02, 0};
  impact.body.velocity = {0.5, -2, 0};
  impact.body.angular_velocity = {0, 0, 4};
  const Vec3 P = regression.impulse(reduce(impact).value());
  MeasuredImpact mirrored = impact;
  mirrored.arm.x() = -mirrored.arm.x();
  mirrored.body.velocity.x() = -0.5;
  mirrored.body.angular_velocity.z() = -4;
  EXPECT_LT((regression.impulse(reduce(mirrored).value()) - Vec3(-P.x(), P.y(), 0)).norm(), 1e-12 * P.norm());
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  MeasuredImpact turned = impact;
  turned.n = turn * impact.n;
  turned.arm = turn * impact.arm;
  turned.body.velocity = turn * impact.body.velocity;
  turned.body.angular_velocity = turn * impact.body.angular_velocity;
  EXPECT_LT((regression.impulse(reduce(turned).value()) - turn * P).norm(), 1e-9 * P.norm());
}

TEST(Ranking, NoiseFloor_IsWhatTheLawThatMadeTheDataMisses) {
  const auto rows = planar_impacts(Routh{.e = 0.6, .mu = 0.15}, 400, 0.05, 4);
  RankOptions options;
  options.laws = {"routh", "frictionless"};
  options.folds = 2;
  const auto ranking = rank_laws(rows, {}, options).value();
  ASSERT_EQ(ranking.laws[0].law, "routh");
  ASSERT_TRUE(ranking.noise_floor && ranking.regression);
  EXPECT_NEAR(ranking.laws[0].velocity.median / *ranking.noise_floor, 1, 0.15);
  // In m/s each of three components deviates by 0.05: the median of their norm is 1.538 times that.
  EXPECT_NEAR(ranking.laws[0].unscaled.median, 1.538 * 0.05, 0.01);
  EXPECT_LT(ranking.laws[0].criterion, ranking.laws[1].criterion);
  EXPECT_GT(ranking.regression->velocity.median, *ranking.noise_floor * 0.85);
  std::size_t counted = ranking.density.outside;
  for (const std::size_t cell : ranking.density.count) counted += cell;
  EXPECT_EQ(counted, ranking.tested);
}

TEST(RegionPlace, CornersOfTheRegionAreTheConditionsOfAPermissibleImpulse) {
  ReducedImpact row = planar_impacts(smooth_law, 1, 0, 5)[0];
  constexpr double mu = 0.3;
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double size = row.P.norm();
  int inside = 0;
  for (int i = 0; i < 2000; ++i) {
    row.P = size * Vec3(0.6 * uniform(random), 1 + uniform(random), 0);
    const RegionPlace place = region_place(row, mu);
    const bool in = std::abs(place.friction) <= 1 && place.rebound >= 0 && place.rebound <= 1;
    EXPECT_EQ(in, certify(row.contact, row.P, mu).permissible) << place.friction << ' ' << place.rebound;
    inside += in ? 1 : 0;
  }
  EXPECT_GT(inside, 100);
  EXPECT_LT(inside, 1900);
  // Newton's e without friction: the ray of n, from e = 0 to e = 1.
  for (const double e : {0.0, 0.25, 1.0}) {
    row.P = collide(Frictionless{.e = e}, row.contact)->P;
    EXPECT_NEAR(region_place(row, mu).rebound, e, 1e-12);
    EXPECT_NEAR(region_place(row, mu).friction, 0, 1e-12);
  }
}

}  // namespace
}  // namespace ricochet
