/// A slender block that rocks from edge to edge (G. W. Housner, "The behavior of inverted pendulum structures during
/// earthquakes", Bull. Seismol. Soc. Am. 53, 403–417, 1963). Half width b, half height h, R² = b² + h², tan α = b/h;
/// about an edge J = 4/3 m R², so with p² = 3g/(4R) and θ the tilt
///   θ̈ = −p² sin(α − θ),   ½ θ̇² + p² cos(α − θ) constant.
/// When the block comes down on its other edge without rebound and without slip, moment of momentum about that edge
/// gives
///   θ̇⁺/θ̇⁻ = 1 − (3/2) sin²α.
/// For small angles θ̈ = −p² (α − θ), and a quarter of a period from θ₀ is (1/p) acosh 1/(1 − θ₀/α).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "motion/quadrature.hpp"
#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

struct Housner {
  long double alpha, R, p2;

  Housner(double b, double h)
      : alpha(std::atan2(static_cast<long double>(b), static_cast<long double>(h))),
        R(std::hypot(static_cast<long double>(b), static_cast<long double>(h))),
        p2(3 * static_cast<long double>(gravity) / (4 * R)) {}

  [[nodiscard]] long double ratio() const { return 1 - 1.5L * std::sin(alpha) * std::sin(alpha); }

  /// From rest at θ₀ to θ = 0: ∫ dθ/|θ̇|, with θ = θ₀ (1 − s²), which removes the singularity of the turning point:
  ///   θ̇² = 2 p² (cos(α − θ₀) − cos(α − θ)) = 4 p² sin(α − (θ₀ + θ)/2) sin(θ₀ s²/2).
  [[nodiscard]] long double quarter(long double top) const {
    return integral(
        [&](long double s) {
          const long double theta = top * (1 - s * s);
          return 2 * s * top / std::sqrt(4 * p2 * std::sin(alpha - (top + theta) / 2) * std::sin(top * s * s / 2));
        },
        0, 1);
  }
  [[nodiscard]] long double speed(long double top) const {
    return std::sqrt(4 * p2 * std::sin(alpha - top / 2) * std::sin(top / 2));
  }
  /// The turning point of a start at θ = 0 with θ̇ = w: sin(α − θ/2) sin(θ/2) = w²/4p², or
  /// cos(α − θ) = cos α + w²/2p².
  [[nodiscard]] long double top(long double w) const {
    // Newton from the small-angle value: the closed form loses digits for small w.
    const long double level = w * w / (4 * p2);
    long double x = level / std::sin(alpha);  // θ/2
    for (int k = 0; k < 60; ++k) x -= (std::sin(alpha - x) * std::sin(x) - level) / std::sin(alpha - 2 * x);
    return 2 * x;
  }
};

constexpr double rock_b = 0.1, rock_h = 0.5, rock_depth = 0.2, rock_mass = 3;

/// Tilted by θ about the lower edge at x = −b, which is on the origin's plane.
World rocking(double theta, double mu = 0.8, double e = 0) {
  WorldBody slab = block({rock_b, rock_depth, rock_h}, rock_mass, Vec3::Zero());
  slab.body.orientation = raised(theta);
  slab.body.position = slab.body.orientation * Vec3(rock_b, 0, rock_h) - Vec3(rock_b, 0, 0);
  return world_of({ground(), slab}, {Routh{.e = e, .mu = mu}, mu, mu});
}

/// Times of the impacts of the run, with the spin about y after them. The corners of one edge count once, and may be
/// apart by rounding.
struct RockImpact {
  double time, spin;
};
std::vector<RockImpact> instants(const Recording& recording) {
  std::vector<RockImpact> out;
  for (const Event& event : recording.of(EventKind::impact)) {
    double spin = HUGE_VAL;
    for (const Sample& sample : recording.samples)
      if (sample.time == event.time) spin = sample.poses[1].angular_velocity.y();
    if (!out.empty() && event.time - out.back().time < 1e-10)
      out.back().spin = spin;
    else
      out.push_back({event.time, spin});
  }
  return out;
}

TEST(RockingBlock, ImpactsAreAtTheirQuadratures_AndEachKeepsHousnersRatio) {
  const Housner law(rock_b, rock_h);
  const long double theta0 = 0.6L * law.alpha;
  std::vector<double> times, spins;  // |θ̇| after each impact
  long double t = law.quarter(theta0), w = law.speed(theta0);
  for (int k = 0; k < 6; ++k) {
    w *= law.ratio();
    times.push_back(static_cast<double>(t));
    spins.push_back(static_cast<double>(w));
    t += 2 * law.quarter(law.top(w));
  }
  const Ran ran = run_world(rocking(static_cast<double>(theta0)), times.back() + 1e-3);
  ASSERT_TRUE(ran.ok);
  const auto hits = instants(ran.recording);
  ASSERT_EQ(hits.size(), 6U);
  Deviation time("impact_time"), spin("spin"), imbalance("imbalance");
  for (std::size_t k = 0; k < 6; ++k) {
    time.add(hits[k].time, times[k]);
    // It falls to the right first: positive about y; it goes on turning the same way on the other edge.
    spin.add(hits[k].spin, (k % 2 == 0 ? 1 : -1) * spins[k], spins[0]);
  }
  imbalance.add(ran.ledger.imbalance(), 0, ran.ledger.start);
  EXPECT_LT(time.largest(), 1e-9);
  EXPECT_LT(spin.largest(), 1e-9);
  EXPECT_LT(imbalance.largest(), 1e-11);
  EXPECT_NEAR(ran.ledger.lost_to_friction, 0, 1e-9 * ran.ledger.start);
}

// A block ten times as slender and tilts of a tenth of α: Housner's formula in its own limit, to the order of α².
TEST(RockingBlock, Slender_HasHousnersPeriod) {
  const double b = 0.01, h = 0.5;
  const Housner law(b, h);
  const long double theta0 = 0.3L * law.alpha;
  const double quarter = static_cast<double>(std::acosh(1 / (1 - theta0 / law.alpha)) / std::sqrt(law.p2));
  WorldBody slab = block({b, rock_depth, h}, rock_mass, Vec3::Zero());
  slab.body.orientation = raised(static_cast<double>(theta0));
  slab.body.position = slab.body.orientation * Vec3(b, 0, h) - Vec3(b, 0, 0);
  const Ran ran = run_world(world_of({ground(), slab}, {Routh{.e = 0, .mu = 0.8}, 0.8, 0.8}), 1.5 * quarter);
  ASSERT_TRUE(ran.ok);
  const auto hits = instants(ran.recording);
  ASSERT_GE(hits.size(), 1U);
  EXPECT_NEAR(hits[0].time, quarter, static_cast<double>(law.alpha * law.alpha) * quarter);
}

// The times between impacts shrink with the ratio, so that rocking ends after a finite time: the sum of all
// quadratures.
TEST(RockingBlock, RockingEnds_AtTheSumOfItsHalfPeriods) {
  const double b = 0.25, h = 0.5;
  const Housner law(b, h);
  const long double theta0 = 0.3L * law.alpha;
  long double t = law.quarter(theta0), w = law.speed(theta0);
  for (int k = 0; k < 400 && w > 1e-25L; ++k) {
    w *= law.ratio();
    // Below 1e-9 of α the tops are parabolas: θ̈ = −p² sin α.
    const long double top = law.top(w);
    t += top > 1e-9L * law.alpha ? 2 * law.quarter(top) : 2 * w / (law.p2 * std::sin(law.alpha));
  }
  const double end = static_cast<double>(t);
  WorldBody slab = block({b, rock_depth, h}, rock_mass, Vec3::Zero());
  slab.body.orientation = raised(static_cast<double>(theta0));
  slab.body.position = slab.body.orientation * Vec3(b, 0, h) - Vec3(b, 0, 0);
  const Ran ran = run_world(world_of({ground(), slab}, {Routh{.e = 0, .mu = 0.8}, 0.8, 0.8}), 2 * end);
  ASSERT_TRUE(ran.ok);
  const auto rests = ran.recording.of(EventKind::rest);
  ASSERT_FALSE(rests.empty());
  Deviation time("rest_time");
  time.add(rests.back().time, end);
  EXPECT_LT(time.largest(), 1e-7);
  EXPECT_NEAR(ran.poses[1].position.z(), h, 1e-9);
  EXPECT_NEAR(ran.poses[1].position.x(), 0, 1e-8);
  EXPECT_LT(ran.poses[1].velocity.norm() + ran.poses[1].angular_velocity.norm(), 1e-9);
  EXPECT_NEAR(std::abs(ran.poses[1].orientation.w()), 1, 1e-12);
}

// Tilted beyond α it falls over; short of α it comes back.
TEST(RockingBlock, BeyondItsBalance_FallsOver) {
  const double alpha = std::atan2(rock_b, rock_h);
  const Ran over = run_world(rocking(1.01 * alpha), 3);
  ASSERT_TRUE(over.ok);
  EXPECT_LT(over.poses[1].position.z(), 2 * rock_b);
  const Ran back = run_world(rocking(0.99 * alpha), 1.5);
  ASSERT_TRUE(back.ok);
  EXPECT_GT(back.poses[1].position.z(), 0.9 * rock_h);
}

}  // namespace
}  // namespace ricochet::motion
