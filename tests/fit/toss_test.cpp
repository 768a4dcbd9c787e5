#include "ricochet/fit/toss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ricochet/fit/predict_toss.hpp"
#include "ricochet/fit/rank_tosses.hpp"

namespace ricochet {
namespace {

constexpr double g = 10;

TossModel model_without_offset() {
  TossModel out;
  out.body.side = 0.2;
  out.body.mass = 1;
  out.body.inertia = 0.01;
  out.body.centre = Vec3::Zero();
  out.body.corner_radius = 0;
  out.body.gravity = g;
  out.body.ground = 0;
  out.body.velocity_lag = 0;
  out.settings.e = 0.5;
  out.settings.mu = 0.3;
  return out;
}

/// Rows of 10 ms of a cube that only falls and turns: closed forms.
Toss flight(double height, const Vec3& v, const Vec3& w, int rows) {
  Toss out;
  for (int i = 0; i < rows; ++i) {
    const double t = 0.01 * i;
    TossRow row;
    row.time = t;
    row.position = Vec3(0, 0, height) + v * t - 0.5 * g * t * t * Vec3::UnitZ();
    row.orientation = Quaternion(Eigen::AngleAxisd(w.norm() * t, w.normalized()));
    row.velocity = v - g * t * Vec3::UnitZ();
    row.angular_velocity = w;
    out.rows.push_back(row);
  }
  return out;
}

TEST(TossError, IsTheMeanOverRows_InPerCentOfTheSideAndDegrees) {
  // Misses of 0, 3-4-0 cm and 12 cm: mean 17/3 cm, of 20 cm. Turns of 0°, 90° and 180° the other way: mean 90°.
  Toss toss = flight(1, Vec3::Zero(), Vec3::UnitX(), 3);
  std::vector<TossPose> poses;
  for (const TossRow& row : toss.rows) poses.push_back({row.position, row.orientation});
  poses[1].position += Vec3(0.03, 0.04, 0);
  poses[2].position -= Vec3(0, 0, 0.12);
  const double quarter = std::numbers::pi / 2;
  poses[1].orientation = poses[1].orientation * Quaternion(Eigen::AngleAxisd(quarter, Vec3::UnitY()));
  poses[2].orientation = poses[2].orientation * Quaternion(Eigen::AngleAxisd(-2 * quarter, Vec3::UnitZ()));
  poses[2].orientation.coeffs() *= -1;  // the same orientation
  const TossError error = error_of(toss, poses, 0.2);
  EXPECT_NEAR(error.position, 100 * (0.17 / 3) / 0.2, 1e-12);
  EXPECT_NEAR(error.angle, 90, 1e-6);
}

TEST(TossPrediction, InFlight_IsTheParabola) {
  const Toss toss = flight(2, {0.3, -0.2, 1}, {1, 2, -3}, 20);
  const auto prediction = predict(toss, model_without_offset());
  ASSERT_TRUE(prediction) << prediction.error().message();
  EXPECT_EQ(prediction->events, 0U);
  const TossError error = error_of(toss, prediction->poses, 0.2);
  EXPECT_LT(error.position, 1e-10);
  EXPECT_LT(error.angle, 1e-4);  // the angle of a turn of 1e-8 is lost in the quaternion
}

TEST(TossPrediction, ThatFallsFlat_ReboundsToESquaredOfItsHeight) {
  // Falls 0.45 m in 0.3 s, leaves at 1.5 m/s, and is highest 0.15 s later.
  Toss toss = flight(0.1 + 0.45, Vec3::Zero(), Vec3::UnitZ() * 1e-9, 2);
  for (TossRow& row : toss.rows) row.orientation = Quaternion::Identity();
  toss.rows[1].time = 0.45;
  const auto prediction = predict(toss, model_without_offset());
  ASSERT_TRUE(prediction) << prediction.error().message();
  EXPECT_NEAR(prediction->poses[1].position.z(), 0.1 + 0.25 * 0.45, 1e-9);
}

TEST(TossStart, VelocityThatLagsByHalfARow_IsAdvancedByGravity) {
  TossModel model = model_without_offset();
  model.body.velocity_lag = 0.5;
  const Toss toss = flight(2, {0.3, 0, 1}, {1, 2, -3}, 5);
  EXPECT_NEAR(start_of(toss, model).velocity.z(), 1 - 0.5 * 0.01 * g, 1e-12);
}

TEST(TossStart, FromFlight_IsTheStateOfTheFirstRow_WhateverItsOwnVelocity) {
  TossModel model = model_without_offset();
  model.from_flight = true;
  Toss toss = flight(2, {0.3, -0.2, 1}, {1, 2, -3}, 12);
  toss.rows[0].velocity = {9, 9, 9};
  toss.rows[0].angular_velocity = {9, 9, 9};
  const TossRow start = start_of(toss, model);
  EXPECT_LT((start.velocity - Vec3(0.3, -0.2, 1)).norm(), 1e-9);
  EXPECT_LT((start.angular_velocity - Vec3(1, 2, -3)).norm(), 1e-9);
}

TEST(TossRanking, NumbersOfSyntheticTosses_ComeBackAndPredictTheRest) {
  TossModel truth = model_without_offset();
  std::vector<Toss> tosses;
  for (int i = 0; i < 8; ++i) {
    Toss toss = flight(0.35, {0.8 - 0.2 * i, 0.5, -0.5}, {3.0 - i, 2, 1 + 0.3 * i}, 40);
    toss.number = i;
    const auto prediction = predict(toss, truth);
    ASSERT_TRUE(prediction) << prediction.error().message();
    for (std::size_t k = 0; k < toss.rows.size(); ++k) {
      toss.rows[k].position = prediction->poses[k].position;
      toss.rows[k].orientation = prediction->poses[k].orientation;
    }
    tosses.push_back(std::move(toss));
  }
  TossModel start = truth;
  start.settings = {};
  TossRankOptions options;
  options.fit = {"e", "mu"};
  options.folds = 2;
  options.evaluations = 200;
  start.body.mu_lasting = truth.body.mu_lasting;
  const auto ranking = rank_tosses(tosses, {}, start, options);
  ASSERT_TRUE(ranking) << ranking.error().message();
  for (const TossFit& fit : ranking->fits) {
    EXPECT_NEAR(fit.numbers[0].value, 0.5, 0.005);
    EXPECT_NEAR(fit.numbers[1].value, 0.3, 0.005);
  }
  EXPECT_EQ(ranking->failed, 0U);
  EXPECT_LT(ranking->position.mean, 2);
  EXPECT_LT(ranking->angle.mean, 2);
}

}  // namespace
}  // namespace ricochet
