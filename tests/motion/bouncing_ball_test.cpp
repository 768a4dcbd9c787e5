/// A ball dropped from h on a floor. With t₀ = √(2h/g), v₀ = g t₀ and restitution e, impact k = 0, 1, … is at
///   t_k = t₀ (1 + 2 Σ_{i=1..k} eⁱ),  approach v_k = eᵏ v₀,  t_∞ = t₀ (1 + e)/(1 − e)
/// (geometric series; every mechanics textbook).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

struct BounceSeries {
  long double t0, v0, e;

  BounceSeries(double h, double restitution)
      : t0(std::sqrt(2 * static_cast<long double>(h) / static_cast<long double>(gravity))),
        v0(static_cast<long double>(gravity) * t0),
        e(restitution) {}

  /// 1 + 2 (e + … + eᵏ).
  [[nodiscard]] long double time(std::size_t k) const {
    long double sum = 1, power = 1;
    for (std::size_t i = 0; i < k; ++i) sum += 2 * (power *= e);
    return t0 * sum;
  }
  [[nodiscard]] long double speed(std::size_t k) const { return v0 * std::pow(e, static_cast<long double>(k)); }
  [[nodiscard]] long double limit() const { return t0 * (1 + e) / (1 - e); }
};

constexpr double drop_height = 1.3, drop_radius = 0.2, drop_mass = 0.7;

World dropped_ball(const Law& law, const Vec3& velocity = Vec3::Zero()) {
  return world_of({ground(), ball(drop_radius, drop_mass, {0, 0, drop_radius + drop_height}, velocity)}, {law});
}

/// The times and speeds of all impacts reported, whose last is too low to be seen: v²/2g < 1e-9 h.
void expect_series(const BounceSeries& series, const std::vector<Event>& impacts, Deviation& time, Deviation& speed) {
  ASSERT_FALSE(impacts.empty());
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    time.add(impacts[k].time, static_cast<double>(series.time(k)));
    speed.add(impacts[k].approach, static_cast<double>(series.speed(k)), static_cast<double>(series.v0));
  }
  const double lowest = impacts.back().approach * static_cast<double>(series.e);
  EXPECT_LT(lowest * lowest, 1e-9 * static_cast<double>(series.v0 * series.v0)) << impacts.size() << " impacts";
}

TEST(BouncingBall, EveryImpactIsAtItsTerm_RestIsAtTheLimit) {
  Deviation time("impact_time"), speed("approach"), limit("limit_time"), energy("imbalance");
  for (const double e : {0.5, 0.9, 0.99, 0.1})
    for (const Law& law : {Law(Frictionless{.e = e}), Law(Routh{.e = e, .mu = 0.4}),
                           Law(ChatterjeeRuina{.e = e, .e_t = 0.5, .mu = 0.3})}) {
      SCOPED_TRACE(e);
      const BounceSeries series(drop_height, e);
      const double end = 1.5 * static_cast<double>(series.limit());
      const Ran ran = run_world(dropped_ball(law), end);
      ASSERT_TRUE(ran.ok);
      expect_series(series, ran.recording.of(EventKind::impact), time, speed);
      const auto rests = ran.recording.of(EventKind::rest);
      ASSERT_EQ(rests.size(), 1U);
      limit.add(rests[0].time, static_cast<double>(series.limit()));
      EXPECT_NEAR(ran.poses[1].position.z(), drop_radius, 1e-12);
      EXPECT_LT(ran.poses[1].velocity.norm(), 1e-12);
      const double all = drop_mass * gravity * drop_height;
      EXPECT_NEAR(ran.ledger.lost_to_impact, all, 1e-12 * all);
      EXPECT_NEAR(ran.ledger.start, all + drop_mass * gravity * drop_radius, 1e-14 * all);
      energy.add(ran.ledger.imbalance(), 0, all);
    }
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(speed.largest(), 1e-12);
  EXPECT_LT(limit.largest(), 1e-12);
  EXPECT_LT(energy.largest(), 1e-12);
}

TEST(BouncingBall, BetweenImpactsItIsOnItsParabola) {
  const double e = 0.9;
  const BounceSeries series(drop_height, e);
  const double end = 0.9 * static_cast<double>(series.limit());
  const Ran ran = run_world(dropped_ball(Frictionless{.e = e}), end, end / 997);
  ASSERT_TRUE(ran.ok);
  ASSERT_GE(ran.recording.samples.size(), 997U);
  Deviation height("height"), speed("velocity");
  double before = 0;
  for (const Sample& sample : ran.recording.samples) {
    EXPECT_GE(sample.time, before);
    before = sample.time;
    std::size_t k = 0;
    const long double t = sample.time;
    while (series.time(k) <= t * (1 + 1e-14L)) ++k;
    // z = v τ − g τ²/2 after impact k − 1; before the first one the ball falls from h.
    const long double tau = k == 0 ? t + series.t0 : t - series.time(k - 1);
    const long double up = k == 0 ? series.v0 : series.speed(k);
    const long double g = gravity;
    height.add(sample.poses[1].position.z() - drop_radius, static_cast<double>(up * tau - g * tau * tau / 2),
               drop_height);
    speed.add(sample.poses[1].velocity.z(), static_cast<double>(up - g * tau), static_cast<double>(series.v0));
  }
  EXPECT_LT(height.largest(), 1e-12);
  EXPECT_LT(speed.largest(), 1e-12);
}

TEST(BouncingBall, Elastic_ReturnsForEver) {
  const BounceSeries series(drop_height, 1);
  const Ran ran = run_world(dropped_ball(Frictionless{.e = 1}), static_cast<double>(1000 * series.t0));
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 500U);  // t₀ (1 + 2k) < 1000 t₀
  EXPECT_EQ(ran.recording.events.size(), 500U);
  Deviation time("impact_time"), energy("energy");
  for (std::size_t k = 0; k < impacts.size(); ++k) time.add(impacts[k].time, static_cast<double>(series.time(k)));
  energy.add(ran.ledger.kinetic + ran.ledger.potential, ran.ledger.start);
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(energy.largest(), 1e-12);
}

TEST(BouncingBall, Plastic_RestsWhereItLands) {
  const BounceSeries series(drop_height, 0);
  const double land = static_cast<double>(series.t0);
  const Ran ran = run_world(dropped_ball(Frictionless{.e = 0}), 5 * land);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_EQ(impacts.size(), 1U);
  EXPECT_NEAR(impacts[0].time, land, 1e-14 * land);
  // The whole momentum is taken: P = m v₀.
  EXPECT_NEAR(seen_from(0, impacts[0]).P.z(), drop_mass * gravity * land, 1e-13 * drop_mass * gravity * land);
  const auto rests = ran.recording.of(EventKind::rest);
  ASSERT_EQ(rests.size(), 1U);
  EXPECT_NEAR(rests[0].time, land, 1e-14 * land);
  EXPECT_NEAR(ran.poses[1].position.z(), drop_radius, 1e-14);
  EXPECT_EQ(ran.recording.events.size(), 2U);
}

// Without friction the horizontal speed is kept through every impact, the accumulation and the sliding afterwards.
TEST(BouncingBall, AccumulatesWhileItTravels_ThenSlidesOn) {
  const double e = 0.7;
  const BounceSeries series(drop_height, e);
  const double limit = static_cast<double>(series.limit()), end = 2 * limit;
  const Vec3 v(3, -1, 0);
  const Ran ran = run_world(dropped_ball(Frictionless{.e = e}, v), end);
  ASSERT_TRUE(ran.ok);
  const auto rests = ran.recording.of(EventKind::rest);
  ASSERT_EQ(rests.size(), 1U);
  Deviation time("limit_time"), place("place");
  time.add(rests[0].time, limit);
  const Vec3 touched = v * limit;
  place.add(rests[0].point, touched, touched.norm());
  const Vec3 expected = v * end + Vec3(0, 0, drop_radius);
  place.add(ran.poses[1].position, expected, expected.norm());
  EXPECT_LT(time.largest(), 1e-12);
  EXPECT_LT(place.largest(), 1e-12);
  EXPECT_LT((ran.poses[1].velocity - v).norm(), 1e-12);
}

// Two balls far apart, each with its own series: neither disturbs the other.
TEST(BouncingBall, TwoSeriesAccumulateApart) {
  World world = dropped_ball(Frictionless{.e = 0.6});
  world.bodies.push_back(ball(0.1, 2, {5, 0, 0.1 + 0.4}));
  const Ran ran = run_world(std::move(world), 5);
  ASSERT_TRUE(ran.ok);
  const auto rests = ran.recording.of(EventKind::rest);
  ASSERT_EQ(rests.size(), 2U);
  const double first = static_cast<double>(BounceSeries(0.4, 0.6).limit());
  const double second = static_cast<double>(BounceSeries(drop_height, 0.6).limit());
  EXPECT_NEAR(rests[0].time, first, 1e-12 * first);
  EXPECT_NEAR(rests[1].time, second, 1e-12 * second);
}

// A floor that moves up at constant speed: the same series seen from the floor, with v₀² = w² + 2 g h for a start at
// relative speed w. Its work is applied work.
TEST(BouncingBall, OnAFloorThatRises_BouncesAsSeenFromTheFloor) {
  const double w = 1.5, e = 0.8, h = drop_height;
  World world = dropped_ball(Frictionless{.e = e});
  world.bodies[0].body.velocity = {0, 0, w};
  const double v0 = std::sqrt(w * w + 2 * gravity * h), land = (v0 - w) / gravity;
  const double limit = land + 2 * (v0 / gravity) * e / (1 - e), end = 1.2 * limit;
  const Ran ran = run_world(std::move(world), end);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_GE(impacts.size(), 3U);
  EXPECT_NEAR(impacts[0].time, land, 1e-12 * land);
  EXPECT_NEAR(impacts[1].time, land + 2 * e * v0 / gravity, 1e-12);
  const auto rests = ran.recording.of(EventKind::rest);
  ASSERT_EQ(rests.size(), 1U);
  // Heights of 7 m are rounded to 1e-15 m, which low bounces of 1e-6 m/s take 1e-9 s to cross.
  EXPECT_NEAR(rests[0].time, limit, 1e-8);
  EXPECT_NEAR(ran.poses[1].position.z(), drop_radius + w * end, 1e-11);
  EXPECT_NEAR(ran.poses[1].velocity.z(), w, 1e-12);
  EXPECT_NEAR(ran.ledger.imbalance(), 0, 1e-11 * ran.ledger.start);
}

}  // namespace
}  // namespace ricochet::motion
