/// A block on its face, with Coulomb friction. Sliding along d on a floor it is slowed by μg, whatever the way in which
/// its corners share the load: Σ Nᵢrᵢ is parallel to d (moments about the horizontal axes), so friction does not turn
/// it.

#include <gtest/gtest.h>

#include <cmath>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Vec3 slab_half(0.3, 0.25, 0.1);
constexpr double slab_mass = 2.5;

PairLaw dry(double mu, double mu_s = -1) { return {Routh{.e = 0.3, .mu = mu}, mu, mu_s < 0 ? mu : mu_s}; }

World block_on(const PairLaw& law, const Vec3& velocity, double slope = 0) {
  const Vec3 g = gravity * Vec3(std::sin(slope), 0, -std::cos(slope));  // downhill is +x
  return world_of({ground(), block(slab_half, slab_mass, {0, 0, slab_half.z()}, velocity)}, law, g);
}

TEST(SlidingBlock, StopsAfterVOverMuG_AndStays) {
  Deviation time("stop_time"), distance("distance"), loss("friction_loss"), imbalance("imbalance");
  for (const double mu : {0.1, 0.45})
    for (const Vec3& v : {Vec3(2, 0, 0), Vec3(0, -0.7, 0), Vec3(1.1, 0.6, 0)}) {
      const double stop = v.norm() / (mu * gravity);
      const Ran ran = run_world(block_on(dry(mu), v), 2 * stop);
      ASSERT_TRUE(ran.ok);
      const auto sticks = ran.recording.of(EventKind::stick);
      ASSERT_FALSE(sticks.empty());
      for (const Event& event : sticks) time.add(event.time, stop);
      EXPECT_TRUE(ran.recording.of(EventKind::impact).empty());
      const Vec3 way = v * stop / 2;  // v²/(2μg)
      distance.add(ran.poses[1].position, way + Vec3(0, 0, slab_half.z()), way.norm());
      EXPECT_LT(ran.poses[1].velocity.norm(), 1e-12);
      EXPECT_LT(ran.poses[1].angular_velocity.norm(), 1e-12);
      const double all = slab_mass * v.squaredNorm() / 2;
      loss.add(ran.ledger.lost_to_friction, all);
      imbalance.add(ran.ledger.imbalance(), 0, all);
      EXPECT_NEAR(std::abs(ran.poses[1].orientation.w()), 1, 1e-12);
    }
  EXPECT_LT(time.largest(), 1e-10);
  EXPECT_LT(distance.largest(), 1e-10);
  EXPECT_LT(loss.largest(), 1e-10);
  EXPECT_LT(imbalance.largest(), 1e-12);
}

TEST(SlidingBlock, WithoutFriction_SlidesForEver) {
  const Ran ran = run_world(block_on(dry(0), {2, 1, 0}), 30);
  ASSERT_TRUE(ran.ok);
  EXPECT_LT((ran.poses[1].position - Vec3(60, 30, slab_half.z())).norm(), 1e-10);
  EXPECT_LT((ran.poses[1].velocity - Vec3(2, 1, 0)).norm(), 1e-12);
}

// Thrown up a slope, nearly straight. With ψ the angle of its velocity v from downhill and k = μ/tan α < 1,
//   v̇ = g sin α (cos ψ − k),  v ψ̇ = −g sin α sin ψ,
// so that v sin ψ/tanᵏ(ψ/2) is constant and v (k + cos ψ) grows by g sin α (1 − k²) every second. The block comes down
// after it has turned round, at ψ = π/2 and at a speed of v₀ ε (ε/2)ᵏ, which is over within 10⁻³ to 10⁻⁷ s.
TEST(SlidingBlock, ThrownUpASlope_TurnsRoundAndComesDown) {
  const double slope = std::atan(0.4), v0 = 1.3;
  Deviation down("velocity"), across("velocity across"), imbalance("imbalance");
  for (const double k : {0.3, 0.5, 0.9})
    for (const double epsilon : {1e-1, 1e-2, 1e-3, 1e-5}) {
      SCOPED_TRACE(::testing::Message() << "k " << k << ", epsilon " << epsilon);
      const double psi0 = M_PI - epsilon, a = gravity * std::sin(slope), T = 2.2 * v0 / (a * (1 + k));
      const Vec3 start = v0 * Vec3(std::cos(psi0), std::sin(psi0), 0);
      const Ran ran = run_world(block_on(dry(k * std::tan(slope)), start, slope), T);
      ASSERT_TRUE(ran.ok);
      const double grown = v0 * (k + std::cos(psi0)) + a * (1 - k * k) * T,
                   constant = v0 * std::sin(psi0) / std::pow(std::tan(psi0 / 2), k);
      ASSERT_GT(grown, 0);
      double low = 1e-300, high = M_PI / 2;  // of ψ, which is small to many decades
      for (int i = 0; i < 2000 && high > low * (1 + 1e-15); ++i) {
        const double psi = std::sqrt(low) * std::sqrt(high);
        const bool above = grown * std::sin(psi) > constant * std::pow(std::tan(psi / 2), k) * (k + std::cos(psi));
        (above ? high : low) = psi;
      }
      const double v = grown / (k + std::cos(low));
      down.add(ran.poses[1].velocity.x(), v * std::cos(low), v);
      across.add(ran.poses[1].velocity.y(), v * std::sin(low), v);
      EXPECT_LT(ran.poses[1].angular_velocity.norm(), 1e-9);
      imbalance.add(ran.ledger.imbalance(), 0, slab_mass * v0 * v0 / 2);
    }
  EXPECT_LT(down.largest(), 1e-10);
  EXPECT_LT(across.largest(), 1e-8);  // it turns more slowly than (MO36), which leaves out how fast the direction turns
  EXPECT_LT(imbalance.largest(), 1e-12);
}

// Dragged by a force of just the friction, whose direction turns slowly: slip turns into that direction within
// v/(μg) = 2 µs, and lags behind it by less than 1e-9. Its speed changes by ∫(|F|/m − μg) dt.
TEST(SlidingBlock, DraggedSlowly_FollowsTheForceForTwentySeconds) {
  const double mu = 0.5, v0 = 1e-5, T = 20, held = mu * slab_mass * gravity;
  World world = block_on(dry(mu), {v0, 0, 0});
  const Vec3 first(held, 0, 0), last = held * (1 + 1e-8) * Vec3(std::cos(4e-4), std::sin(4e-4), 0);
  world.forces.push_back({1, {0, T}, {first, last}, std::vector<Vec3>(2, Vec3::Zero())});
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  EXPECT_TRUE(ran.recording.of(EventKind::stick).empty());
  const auto speed = [&](double t) {  // |F| − μ m g is a polynomial to 1e-15 of it
    const auto rate = [&](double at) { return (((1 - at / T) * first + at / T * last).norm() - held) / slab_mass; };
    return v0 + t / 6 * (rate(0) + 4 * rate(t / 2) + rate(t));
  };
  Deviation speed_off("speed"), across("velocity across"), imbalance("imbalance");
  const Vec3 v = ran.poses[1].velocity;
  speed_off.add(v.norm(), speed(T));
  across.add(v.y() / v.x(), std::tan(4e-4));
  imbalance.add(ran.ledger.imbalance(), 0, ran.ledger.lost_to_friction);
  EXPECT_LT(speed_off.largest(), 1e-6);
  EXPECT_LT(across.largest(), 1e-5);
  EXPECT_LT(imbalance.largest(), 1e-6);
}

// tan α = 0.3 > μ: from rest or from any speed downhill the block gains g (sin α − μ cos α).
TEST(SlidingBlock, OnASteepSlope_SlidesForEver) {
  const double slope = std::atan(0.3), mu = 0.2, T = 4;
  Deviation place("place"), loss("friction_loss");
  for (const double v0 : {0.0, 0.5}) {
    const double a = gravity * (std::sin(slope) - mu * std::cos(slope));
    const Ran ran = run_world(block_on(dry(mu), {v0, 0, 0}, slope), T);
    ASSERT_TRUE(ran.ok);
    EXPECT_TRUE(ran.recording.of(EventKind::stick).empty());
    const double way = v0 * T + a * T * T / 2;
    place.add(ran.poses[1].position, {way, 0, slab_half.z()}, way);
    place.add(ran.poses[1].velocity.x(), v0 + a * T);
    loss.add(ran.ledger.lost_to_friction, mu * slab_mass * gravity * std::cos(slope) * way);
  }
  EXPECT_LT(place.largest(), 1e-10);
  EXPECT_LT(loss.largest(), 1e-10);
}

// The same slope as a plane that is turned, gravity straight down.
TEST(SlidingBlock, OnATurnedPlane_AsUnderTurnedGravity) {
  const double slope = std::atan(0.3), mu = 0.2, T = 2;
  const Vec3 n(std::sin(slope), 0, std::cos(slope)), down(std::cos(slope), 0, -std::sin(slope));
  WorldBody cuboid = block(slab_half, slab_mass, slab_half.z() * n);
  cuboid.body.orientation = raised(-slope);
  // Lifted by rounding where the product of the turned axes falls below the plane.
  cuboid.body.position += 1e-15 * n;
  const Ran ran = run_world(world_of({half_space(Vec3::Zero(), n), cuboid}, dry(mu)), T);
  ASSERT_TRUE(ran.ok);
  const double way = gravity * (std::sin(slope) - mu * std::cos(slope)) * T * T / 2;
  EXPECT_LT((ran.poses[1].position - (slab_half.z() * n + way * down)).norm(), 1e-9 * way);
}

TEST(SlidingBlock, OnAGentleSlope_StaysWhereItIsPut) {
  const double slope = std::atan(0.3);
  for (const double mu : {0.301, 0.6}) {
    const Ran ran = run_world(block_on(dry(mu), Vec3::Zero(), slope), 20);
    ASSERT_TRUE(ran.ok);
    EXPECT_LT((ran.poses[1].position - Vec3(0, 0, slab_half.z())).norm(), 1e-10);
    EXPECT_LT(ran.poses[1].velocity.norm(), 1e-10);
    EXPECT_TRUE(ran.recording.of(EventKind::slip).empty());
  }
}

// Thrown uphill it stops after v/(g (sin α + μ cos α)); then it sticks where tan α < μ_s, and slides back otherwise.
TEST(SlidingBlock, ThrownUphill_SticksOrSlidesBack) {
  const double slope = std::atan(0.3), v0 = 1.5, mu = 0.2;
  const double up = gravity * (std::sin(slope) + mu * std::cos(slope)), stop = v0 / up, top = v0 * v0 / (2 * up);
  {
    const Ran ran = run_world(block_on(dry(mu, 0.35), {-v0, 0, 0}, slope), 5 * stop);
    ASSERT_TRUE(ran.ok);
    const auto sticks = ran.recording.of(EventKind::stick);
    ASSERT_FALSE(sticks.empty());
    EXPECT_NEAR(sticks[0].time, stop, 1e-10 * stop);
    EXPECT_LT((ran.poses[1].position - Vec3(-top, 0, slab_half.z())).norm(), 1e-10 * top);
    EXPECT_LT(ran.poses[1].velocity.norm(), 1e-10);
  }
  {
    const double T = 3 * stop, back = gravity * (std::sin(slope) - mu * std::cos(slope)), after = T - stop;
    const Ran ran = run_world(block_on(dry(mu), {-v0, 0, 0}, slope), T);
    ASSERT_TRUE(ran.ok);
    EXPECT_NEAR(ran.poses[1].position.x(), -top + back * after * after / 2, 1e-10 * top);
    EXPECT_NEAR(ran.poses[1].velocity.x(), back * after, 1e-10 * v0);
  }
}

// mu < tan α < mu_s: at rest it stays, and once it moves it does not stop.
TEST(SlidingBlock, BetweenTheTwoFrictions_RestAndMotionBothLast) {
  const double slope = std::atan(0.3), T = 3, v0 = 0.01;
  const PairLaw law = dry(0.2, 0.4);
  const Ran still = run_world(block_on(law, Vec3::Zero(), slope), T);
  ASSERT_TRUE(still.ok);
  EXPECT_LT(still.poses[1].velocity.norm(), 1e-10);
  const Ran moving = run_world(block_on(law, {v0, 0, 0}, slope), T);
  ASSERT_TRUE(moving.ok);
  const double a = gravity * (std::sin(slope) - 0.2 * std::cos(slope));
  EXPECT_NEAR(moving.poses[1].velocity.x(), v0 + a * T, 1e-10 * a * T);
}

// Pushed at its centre by F = k t: it holds until F = μ_s m g at t_s, then m v̇ = k t − μ m g:
//   v = [k (t² − t_s²)/2 − μ m g (t − t_s)]/m
//   x = [k (t³/6 − t_s² t/2 + t_s³/3) − μ m g (t − t_s)²/2]/m
TEST(SlidingBlock, PushedHarderAndHarder_SlipsWhenTheForceExceedsStiction) {
  const double mu = 0.2, mu_s = 0.3, k = 4, T = 4;
  World world = block_on(dry(mu, mu_s), Vec3::Zero());
  world.forces.push_back({1, {0, 10}, {Vec3(0, 0, 0), Vec3(10 * k, 0, 0)}, {Vec3::Zero(), Vec3::Zero()}});
  const Ran ran = run_world(std::move(world), T);
  ASSERT_TRUE(ran.ok);
  const double weight = slab_mass * gravity, ts = mu_s * weight / k;
  const auto slips = ran.recording.of(EventKind::slip);
  ASSERT_FALSE(slips.empty());
  Deviation time("slip_time"), place("place"), work("work");
  for (const Event& event : slips) time.add(event.time, ts);
  const double s = T - ts;
  const double v = (k * (T * T - ts * ts) / 2 - mu * weight * s) / slab_mass;
  const double x = (k * (T * T * T / 6 - ts * ts * T / 2 + ts * ts * ts / 3) - mu * weight * s * s / 2) / slab_mass;
  place.add(ran.poses[1].position.x(), x);
  place.add(ran.poses[1].velocity.x(), v);
  // What the force gave is kinetic energy and heat.
  work.add(ran.ledger.lost_to_friction, mu * weight * x);
  work.add(ran.ledger.applied_work, mu * weight * x + slab_mass * v * v / 2);
  EXPECT_LT(time.largest(), 1e-10);
  EXPECT_LT(place.largest(), 1e-9);
  EXPECT_LT(work.largest(), 1e-9);
}

}  // namespace
}  // namespace ricochet::motion
