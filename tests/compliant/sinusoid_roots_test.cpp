#include "ricochet/compliant/sinusoid_roots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "random_contact.hpp"

namespace ricochet::compliant {
namespace {

using testing::Rng;
using testing::uniform;

Sinusoids<double, 2> sum(double w1, double a1, double b1, double w2, double a2, double b2, double shift = 0) {
  Sinusoids<double, 2> f;
  f.omega = {w1, w2};
  f.a = {a1, a2};
  f.b = {b1 * w1, b2 * w2};
  f.shift = shift;
  f.prepare();
  return f;
}

/// Exhaustive search: the first downward crossing on a grid much finer than the fast sinusoid.
double first_fall_by_grid(const Sinusoids<double, 2>& f, double end, int count) {
  double before = f.at(0).f;
  for (int i = 1; i <= count; ++i) {
    const double t = end * i / count;
    const double now = f.at(t).f;
    if (before > 0 && now <= 0) return t;
    before = now;
  }
  return -1;
}

TEST(SinusoidRoots, RandomSums_AgreeWithAFineGrid) {
  Rng rng(1);
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    auto f = sum(uniform(rng, 0.2, 1), uniform(rng, -1, 1), uniform(rng, -1, 1), testing::log_uniform(rng, 0, 1.5),
                 uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -0.5, 0.5));
    if (f.at(0).f <= 0) {
      f.shift = -f.shift;
      for (std::size_t k = 0; k < 2; ++k) {
        f.a[k] = -f.a[k];
        f.b[k] = -f.b[k];
      }
      f.prepare();
    }
    const double end = uniform(rng, 1, 20);
    const auto hit = first_fall<double>(f, 0, end);
    ASSERT_FALSE(hit.gave_up);
    const double seen = first_fall_by_grid(f, end, 40000);
    if (seen < 0) {
      // The grid may miss a pair of roots closer than its step; then f there is within its own slope of zero.
      if (hit.found) {
        EXPECT_LT(std::abs(f.at(hit.t).f), 1e-12);
        EXPECT_LE(f.at(hit.t).f1, 0);
      }
      continue;
    }
    ++found;
    ASSERT_TRUE(hit.found) << "case " << i;
    EXPECT_LE(hit.t, seen + 1e-12) << "case " << i;
    EXPECT_LT(std::abs(f.at(hit.t).f), 1e-13 * (f.size() + std::abs(f.shift)) * 40) << "case " << i;
    if (hit.t < seen - end / 40000 * 1.01) {
      EXPECT_LE(f.at(hit.t).f1, 0) << "an earlier one is a fall all the same, case " << i;
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(SinusoidRoots, FastRipple_FirstOfTenThousandWavesThatReachesZero) {
  // 1.0001 − t/1000·... as a slow cosine with a ripple of 1e-3 on it: the ripple's trough touches first.
  const double fast = 1e4;
  const auto f = sum(1, 1, 0, fast, 1e-3, 0);
  const auto hit = first_fall<double>(f, 0, 2);
  ASSERT_TRUE(hit.found);
  EXPECT_LT(hit.t, std::numbers::pi / 2);
  // Every trough before stays above zero, by the sum's own values there.
  for (int k = 0;; ++k) {
    const double trough = (2 * k + 1) * std::numbers::pi / fast;
    if (trough > hit.t - 2 * std::numbers::pi / fast) break;
    ASSERT_GT(f.at(trough).f, 0);
  }
  EXPECT_LT(std::abs(f.at(hit.t).f), 1e-12);
  EXPECT_LT(hit.evaluations, 500);
}

TEST(SinusoidRoots, TouchedRoot_IsNoFall_AndAHairLowerItIs) {
  // 1 + cos t touches zero at π; lowered by δ it falls there, at π − √(2δ) to first order.
  const auto touching = sum(1, 1, 0, 2, 0, 0, 1);
  const auto hit = first_fall<double>(touching, 0, 2 * std::numbers::pi);
  if (hit.found) {
    EXPECT_NEAR(hit.t, std::numbers::pi, 1e-7);  // within rounding of a touch
  }
  const double delta = 1e-10;
  const auto lower = first_fall<double>(sum(1, 1, 0, 2, 0, 0, 1 - delta), 0, 2 * std::numbers::pi);
  ASSERT_TRUE(lower.found);
  EXPECT_NEAR(lower.t, std::numbers::pi - std::sqrt(2 * delta), 1e-9);
  EXPECT_FALSE(first_fall<double>(sum(1, 1, 0, 2, 0, 0, 1 + delta), 0, 2 * std::numbers::pi).found);
}

TEST(SinusoidRoots, EqualFrequencies_AreOneSinusoid) {
  const auto f = sum(1.5, 0.3, 0.4, 1.5, 0.3, -0.4);
  const auto hit = first_fall<double>(f, 0, 10);
  ASSERT_TRUE(hit.found);
  EXPECT_NEAR(hit.t, std::numbers::pi / 3, 1e-15);
}

TEST(SinusoidRoots, NearlyEqualFrequencies_BeatToTheFirstFall) {
  // sin t − sin((1+δ)t)·: (1 − cos δt-like) beats; against long double.
  const double delta = 1e-9;
  Sinusoids<long double, 2> wide;
  wide.omega = {1.0L, 1.0L + static_cast<long double>(delta)};
  wide.a = {1, -0.5L};
  wide.b = {0.25L, 0.125L};
  wide.prepare();
  Sinusoids<double, 2> narrow;
  narrow.omega = {1.0, 1.0 + delta};
  narrow.a = {1, -0.5};
  narrow.b = {0.25, 0.125};
  narrow.prepare();
  const auto a = first_fall<long double>(wide, 0.0L, 10.0L);
  const auto b = first_fall<double>(narrow, 0.0, 10.0);
  ASSERT_TRUE(a.found && b.found);
  EXPECT_NEAR(static_cast<double>(a.t), b.t, 1e-14);
}

TEST(SinusoidRoots, WindowByWindow_IsTheSameRoot) {
  Rng rng(35);
  int found = 0;
  for (int i = 0; i < 500; ++i) {
    const auto f = sum(uniform(rng, 0.2, 1), 1, uniform(rng, -1, 1), testing::log_uniform(rng, 0, 1.5),
                       uniform(rng, -1, 1), uniform(rng, -1, 1), 0.3);
    const auto whole = first_fall<double>(f, 0, 20);
    Crossing<double> hit;
    for (double from = 0; !hit.found && from < 20; from += 1.25) hit = first_fall<double>(f, from, from + 1.25);
    ASSERT_EQ(hit.found, whole.found) << i;
    if (!whole.found) continue;
    ++found;
    EXPECT_NEAR(hit.t, whole.t, 1e-12 * whole.t) << i;
  }
  EXPECT_GT(found, 200);
}

TEST(SinusoidRoots, FrequencyZero_IsAStraightLine) {
  const auto f = [] {
    Sinusoids<double, 2> g;
    g.omega = {0, 1};
    g.a = {2, 0};
    g.b = {-0.5, 0};
    g.prepare();
    return g;
  }();
  const auto hit = first_fall<double>(f, 0, 100);
  ASSERT_TRUE(hit.found);
  EXPECT_NEAR(hit.t, 4, 1e-14);
}

TEST(SinusoidRoots, RisingZeroAtTheStart_IsNotTaken) {
  const auto f = sum(1, 0, 1, 3, 0, 0.1);  // sin t + ...: zero at 0, rising
  const auto hit = first_fall<double>(f, 0, 10);
  ASSERT_TRUE(hit.found);
  EXPECT_NEAR(hit.t, std::numbers::pi, 1e-14);
}

}  // namespace
}  // namespace ricochet::compliant
