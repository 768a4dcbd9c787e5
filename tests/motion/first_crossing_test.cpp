#include "ricochet/motion/first_crossing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "motion/gap_families.hpp"
#include "motion/sturm_oracle.hpp"
#include "ricochet/motion/crossing_derivative.hpp"

namespace ricochet::motion {
namespace {

using testing::Family;
using testing::Gap;
using testing::GapSource;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// t is the first crossing `expected`, known to about 1e-18 of itself, rounded down.
void expect_rounded_down(double t, long double expected) {
  EXPECT_LE(t, expected * (1 + 3e-18L));
  EXPECT_GT(std::nextafter(t, infinity), expected * (1 - 3e-18L));
}

template <int n>
std::string judged(const Coefficients<double, n>& c, double T, const FirstCrossing& answer) {
  return testing::judge(c.data(), n, T, answer);
}

// ½ g t² = h + v t.
TEST(FirstCrossing, BouncingBall_LandsWhereTheParabolaSays) {
  const double g = 9.81;
  for (const double h : {0.3, 1.0, 7.25, 1e-6})
    for (const double v : {-3.0, 0.0, 0.125, 40.0}) {
      const auto hit = first_crossing<2>({h, v, -g / 2}, infinity);
      ASSERT_EQ(hit.kind, CrossingKind::crosses);
      const long double half = g / 2, w = v;
      const long double root = std::sqrt(w * w + 4 * half * h);
      expect_rounded_down(hit.time, w > 0 ? (w + root) / (2 * half) : 2 * h / (root - w));
    }
}

TEST(FirstCrossing, BallThatHasJustBounced_FliesForTwiceVOverG) {
  const double g = 9.81;
  for (double v = 5; v > 1e-9; v *= 0.8) {
    const auto hit = first_crossing<2>({0, v, -g / 2}, infinity);
    ASSERT_EQ(hit.kind, CrossingKind::crosses);
    EXPECT_EQ(hit.start_order, 1);
    expect_rounded_down(hit.time, static_cast<long double>(v) / static_cast<long double>(g / 2));
  }
}

// Both fall alike: the squared distance is a parabola, stored as a quartic.
TEST(FirstCrossing, TwoSpheresUnderOneGravity_MeetAsInStraightFlight) {
  // Centres 5 apart along x, 1 apart along y, closing at 2; radii sum to 1.25: x = 5 − 2t = 0.75.
  const auto hit = first_crossing<4>({25 + 1 - 1.5625, -20, 4, 0, 0}, 10);
  ASSERT_EQ(hit.kind, CrossingKind::crosses);
  expect_rounded_down(hit.time, 2.125L);
  EXPECT_EQ(first_crossing<4>({25 + 1 - 1.5625, -20, 4, 0, 0}, 2).kind, CrossingKind::none);
}

// On one line with different accelerations: (x + v t + ½ a t²)² = R².
TEST(FirstCrossing, TwoSpheresUnderDifferentAccelerations_MeetAsOnTheLine) {
  for (const double a : {-4.0, -1.0, -0.25}) {
    const double x = 6, v = 3, R = 2;
    const auto hit = first_crossing<4>({x * x - R * R, 2 * x * v, v * v + x * a, v * a, a * a / 4}, 100);
    ASSERT_EQ(hit.kind, CrossingKind::crosses);
    const long double b = v, down = -a / 2;  // x − R + v t − |a|/2 t² = 0
    expect_rounded_down(hit.time, (b + std::sqrt(b * b + 4 * down * (x - R))) / (2 * down));
  }
}

// (t − 3)² (t² + 1) = 9 − 6t + 10t² − 6t³ + t⁴.
TEST(FirstCrossing, GrazingFromAbove_IsATouchAndNoCrossing) {
  const Coefficients<double, 4> graze = {9, -6, 10, -6, 1};
  const auto silent = first_crossing<4>(graze, 10);
  EXPECT_EQ(silent.kind, CrossingKind::none);
  EXPECT_FALSE(silent.touches);
  const auto told = first_crossing<4>(graze, 10, Touches::report);
  EXPECT_EQ(told.kind, CrossingKind::none);
  EXPECT_TRUE(told.touches);
  EXPECT_EQ(told.touch, 3);
  EXPECT_FALSE(first_crossing<4>(graze, 3, Touches::report).touches);  // not before T
}

// (t² − 2)² touches at √2, which is no double.
TEST(FirstCrossing, GrazingAtAnIrrationalTime_IsATouch) {
  const auto told = first_crossing<4>({4, 0, -4, 0, 1}, 10, Touches::report);
  EXPECT_EQ(told.kind, CrossingKind::none);
  ASSERT_TRUE(told.touches);
  expect_rounded_down(told.touch, std::sqrt(2.0L));
}

// 10 (t − 3)²(t² + 1) ± δ near t = 3: the gap is 100 (t − 3)² ± δ.
TEST(FirstCrossing, OneUnitBelowGrazing_CrossesAndOneAboveDoesNot) {
  Coefficients<double, 4> c = {90, -60, 100, -60, 10};
  c[0] = std::nextafter(90.0, 0.0);
  const auto below = first_crossing<4>(c, 10, Touches::report);
  ASSERT_EQ(below.kind, CrossingKind::crosses);
  EXPECT_FALSE(below.touches);
  const double delta = 90 - c[0];
  EXPECT_NEAR((3 - below.time) / std::sqrt(delta / 100), 1, 1e-6);
  c[0] = std::nextafter(90.0, 100.0);
  const auto above = first_crossing<4>(c, 10, Touches::report);
  EXPECT_EQ(above.kind, CrossingKind::none);
  EXPECT_FALSE(above.touches);
}

// (t² − 2)² ∓ ε t⁸: a dip about √2 that is 2⁻¹⁰⁰ wide, or none at all.
TEST(FirstCrossing, DipNarrowerThanTheDistanceOfDoubles_IsACrossing) {
  const double epsilon = 0x1p-200;
  const auto dip = first_crossing<8>({4, 0, -4, 0, 1, 0, 0, 0, -epsilon}, 10, Touches::report);
  ASSERT_EQ(dip.kind, CrossingKind::crosses);
  expect_rounded_down(dip.time, std::sqrt(2.0L));
  EXPECT_FALSE(dip.touches);
  const auto open = first_crossing<8>({4, 0, -4, 0, 1, 0, 0, 0, epsilon}, 10, Touches::report);
  EXPECT_EQ(open.kind, CrossingKind::none);
  EXPECT_FALSE(open.touches);
}

TEST(FirstCrossing, TouchThenCrossing_ReportsBoth) {
  // (t − 1)² (4 − t)
  const auto hit = first_crossing<3>({4, -9, 6, -1}, 10, Touches::report);
  ASSERT_EQ(hit.kind, CrossingKind::crosses);
  EXPECT_EQ(hit.time, 4);
  ASSERT_TRUE(hit.touches);
  EXPECT_EQ(hit.touch, 1);
}

TEST(FirstCrossing, TripleZero_IsACrossing) {
  // (2 − t)³
  const auto hit = first_crossing<3>({8, -12, 6, -1}, 10);
  ASSERT_EQ(hit.kind, CrossingKind::crosses);
  EXPECT_EQ(hit.time, 2);
}

TEST(FirstCrossing, StartAtZero_FirstDerivativeThatDoesNotVanishDecides) {
  const auto kind = [](const Coefficients<double, 4>& c) { return first_crossing<4>(c, 1); };
  EXPECT_EQ(kind({0, 1, 0, 0, 0}).kind, CrossingKind::none);
  EXPECT_EQ(kind({0, 1, 0, 0, 0}).start_order, 1);
  EXPECT_EQ(kind({0, -1, 5, 0, 0}).kind, CrossingKind::crosses);
  EXPECT_EQ(kind({0, -1, 5, 0, 0}).time, 0);
  EXPECT_EQ(kind({0, 0, 1e-300, 0, 0}).kind, CrossingKind::none);
  EXPECT_EQ(kind({0, 0, -1e-300, 0, 1}).kind, CrossingKind::crosses);
  EXPECT_EQ(kind({0, 0, -1e-300, 0, 1}).time, 0);
  EXPECT_EQ(kind({0, 0, 0, -1, 1}).start_order, 3);
  EXPECT_EQ(kind({0, 0, 0, 0, 0}).kind, CrossingKind::none);
  EXPECT_EQ(kind({0, 0, 0, 0, 0}).start_order, 5);
  // Parted, then back: t (1 − 2t).
  EXPECT_EQ(kind({0, 1, -2, 0, 0}).time, 0.5);
}

TEST(FirstCrossing, StartBelowZero_IsReportedAsSuch) {
  EXPECT_EQ(first_crossing<2>({-1e-300, 1, 1}, 1).kind, CrossingKind::starts_negative);
  EXPECT_EQ(first_crossing<2>({-1e-300, 1, 1}, 0).kind, CrossingKind::starts_negative);
}

TEST(FirstCrossing, FallingDegree_NeedsNoSpecialCase) {
  // 1 − t, with leading coefficients that move the crossing by less than 1e-18.
  for (const double tiny : {0.0, 1e-30, -1e-30, 1e-300, -5e-324}) {
    const auto hit = first_crossing<8>({1, -1, tiny, tiny, tiny, -tiny, tiny, tiny, tiny}, 1e3);
    ASSERT_EQ(hit.kind, CrossingKind::crosses);
    expect_rounded_down(hit.time, 1.0L);
    EXPECT_EQ(judged<8>({1, -1, tiny, tiny, tiny, -tiny, tiny, tiny, tiny}, 1e3, hit), "");
  }
}

// A leading coefficient at the size of rounding brings a zero at 1e16, which is found where T reaches that far.
TEST(FirstCrossing, LeadingCoefficientOfRounding_IsFoundWhereItActs) {
  EXPECT_EQ(first_crossing<2>({1, 1, -1e-16}, 1e6).kind, CrossingKind::none);
  const auto far = first_crossing<2>({1, 1, -1e-16}, infinity);
  ASSERT_EQ(far.kind, CrossingKind::crosses);
  EXPECT_NEAR(far.time / 1e16, 1, 1e-12);
}

// Two zeros 2δ = 9.3e-10 apart: (t − s)² − δ², whose coefficients are doubles.
TEST(FirstCrossing, ThinObstacle_IsNotSteppedOver) {
  const double s = 0x1p-5, delta = 0x1p-31;
  const auto hit = first_crossing<2>({s * s - delta * delta, -2 * s, 1}, 1000);
  ASSERT_EQ(hit.kind, CrossingKind::crosses);
  EXPECT_EQ(hit.time, s - delta);
  // The same obstacle later: in double the coefficients are those of a touch, and the answer is that of the
  // coefficients.
  const double later = 512;
  ASSERT_EQ(later * later - delta * delta, later * later);
  const auto none = first_crossing<2>({later * later - delta * delta, -2 * later, 1}, 1000, Touches::report);
  EXPECT_EQ(none.kind, CrossingKind::none);
  EXPECT_EQ(none.touch, later);
}

TEST(FirstCrossing, CrossingAtTheEnd_IsLeftToTheNextInterval) {
  EXPECT_EQ(first_crossing<1>({1, -1}, 1).kind, CrossingKind::none);
  EXPECT_EQ(first_crossing<1>({1, -1}, std::nextafter(1.0, 2.0)).kind, CrossingKind::crosses);
  EXPECT_EQ(first_crossing<1>({3, -1}, 0).kind, CrossingKind::none);
  EXPECT_EQ(first_crossing<1>({0, -1}, 0).kind, CrossingKind::none);
}

TEST(FirstCrossing, NumbersThatAreNone_AreInvalid) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(first_crossing<2>({1, nan, 1}, 1).kind, CrossingKind::invalid);
  EXPECT_EQ(first_crossing<2>({1, 1, infinity}, 1).kind, CrossingKind::invalid);
  EXPECT_EQ(first_crossing<2>({1, 1, 1}, -1).kind, CrossingKind::invalid);
  EXPECT_EQ(first_crossing<2>({1, 1, 1}, nan).kind, CrossingKind::invalid);
}

TEST(FirstCrossing, ExtremesOfTheRangeOfDoubles_AreDecided) {
  const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  const std::vector<std::pair<Coefficients<double, 2>, double>> problems = {
      {{most, -most, least}, infinity},  {{least, -least, least}, infinity},
      {{least, -most, most}, 1},         {{most, -least, 0}, infinity},
      {{least, -1, 0}, least},           {{1, -most, most}, 1e-300},
      {{least, -2 * least, least}, 1e9}, {{most, -most, most / 4}, 1e9},
      {{1, -1e-300, 1e-310}, infinity}};
  for (const auto& [c, T] : problems) {
    const auto answer = first_crossing<2>(c, T, Touches::report);
    EXPECT_EQ(judged<2>(c, T, answer), "") << c[0] << ' ' << c[1] << ' ' << c[2] << " until " << T;
  }
}

// (t² − 2)² (1 + 2⁻¹⁰⁰⁰ t³): a touch whose proof takes more digits than there is room for.
TEST(FirstCrossing, TooManyDigits_AreReportedNotGuessed) {
  const double s = 0x1p-1000;
  const Coefficients<double, 8> c = {4, 0, -4, 4 * s, 1, -4 * s, 0, s, 0};
  EXPECT_EQ(first_crossing<8>(c, 10).kind, CrossingKind::undecided);
  EXPECT_EQ(first_crossing<8>(c, 1).kind, CrossingKind::none);
}

TEST(FirstCrossing, DerivativeOfTheTime_IsThatOfTheClosedForm) {
  // h − ½ g t² = 0: t = √(2h/g), dt/dh = 1/(g t), dt/dg = −t/(2g).
  using D = Dual<2>;
  const double h = 1.7, g = 9.81;
  const D half = D::variable(g, 1) / D(2);
  const double t = first_crossing<2>({h, 0, -g / 2}, 10).time;
  const D time = crossing_time<2, 2>({D::variable(h, 0), D(0), -half}, t);
  EXPECT_DOUBLE_EQ(time.v, std::sqrt(2 * h / g));
  EXPECT_NEAR(time.d[0], 1 / (g * t), 1e-15);
  EXPECT_NEAR(time.d[1], -t / (2 * g), 1e-15);
}

TEST(FirstCrossingOracle, RejectsNeighbouringTimesAndWrongKinds) {
  const Coefficients<double, 2> c = {1.7, 0.3, -4.9};
  FirstCrossing answer = first_crossing<2>(c, 10);
  ASSERT_EQ(judged<2>(c, 10, answer), "");
  const double t = answer.time;
  answer.time = std::nextafter(t, 0.0);
  EXPECT_EQ(judged<2>(c, 10, answer), "invented");
  answer.time = std::nextafter(t, 10.0);
  EXPECT_EQ(judged<2>(c, 10, answer), "missed an earlier one");
  answer = {};
  EXPECT_EQ(judged<2>(c, 10, answer), "missed");
}

class GapFamily : public ::testing::TestWithParam<int> {};

// RICOCHET_CROSSINGS=1000000 draws as many over all families.
TEST_P(GapFamily, NoneMissedNoneInvented) {
  const char* asked = std::getenv("RICOCHET_CROSSINGS");
  const long total = asked != nullptr ? std::atol(asked) : 100000;
  const auto family = static_cast<Family>(GetParam());
  const long count = (total + testing::families - 1) / testing::families;
  GapSource source(20261116 + static_cast<std::uint64_t>(GetParam()));
  long wrong = 0, crossed = 0, exact = 0;
  for (long i = 0; i < count; ++i) {
    const Gap gap = source.draw(family, 1 + static_cast<int>(source.below(8)));
    const FirstCrossing answer = testing::first_crossing_of(gap, Touches::report);
    const std::string verdict = testing::judge(gap.c.data(), gap.n, gap.T, answer);
    crossed += answer.kind == CrossingKind::crosses;
    exact += answer.exact;
    const FirstCrossing silent = testing::first_crossing_of(gap);
    const bool same = silent.kind == answer.kind && silent.time == answer.time;
    if ((verdict.empty() && same) || ++wrong > 3) continue;
    std::ostringstream text;
    text.precision(17);
    for (int k = 0; k <= gap.n; ++k) text << gap.c[static_cast<std::size_t>(k)] << ' ';
    ADD_FAILURE() << verdict << ": " << text.str() << "until " << gap.T;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(crossed, count / 20);
  std::cout << count << " gaps, " << crossed << " cross, " << exact << " decided exactly, " << wrong << " wrong\n";
}

INSTANTIATE_TEST_SUITE_P(FirstCrossing, GapFamily, ::testing::Range(0, testing::families), [](const auto& drawn) {
  std::string label(testing::name(static_cast<Family>(drawn.param)));
  std::replace(label.begin(), label.end(), ' ', '_');
  return label;
});

// Quartics with roots to 25 digits, from a folder of peer cases that does not travel with the sources.
TEST(FirstCrossing, QuarticsOfPeers_FirstZeroToTheLastBit) {
  const char* folder = std::getenv("RICOCHET_CASES");
  if (folder == nullptr) GTEST_SKIP() << "RICOCHET_CASES names no folder with quartics/quartics.csv";
  std::ifstream file(std::string(folder) + "/quartics/quartics.csv");
  ASSERT_TRUE(file.is_open());
  std::string line;
  std::getline(file, line);
  int rows = 0, crossed = 0, exact = 0;
  while (std::getline(file, line)) {
    std::vector<std::string> field;
    std::stringstream fields(line);
    for (std::string x; std::getline(fields, x, ',');) field.push_back(x);
    field.resize(22);
    Coefficients<double, 4> c;
    for (std::size_t i = 0; i < 5; ++i) c[i] = std::stod(field[3 + i]);
    if (c[0] < 0)
      for (double& x : c) x = -x;
    const auto answer = first_crossing<4>(c, infinity, Touches::report);
    EXPECT_EQ(judged<4>(c, infinity, answer), "") << line;
    ASSERT_EQ(answer.kind == CrossingKind::crosses, !field[17].empty()) << line;
    if (!field[17].empty()) expect_rounded_down(answer.time, std::stold(field[17]));
    ++rows;
    crossed += answer.kind == CrossingKind::crosses;
    exact += answer.exact;
  }
  EXPECT_GT(rows, 0);
  std::cout << rows << " quartics, " << crossed << " cross, " << exact << " exactly\n";
}

}  // namespace
}  // namespace ricochet::motion
