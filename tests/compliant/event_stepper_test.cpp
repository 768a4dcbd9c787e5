#include "ricochet/compliant/event_stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ricochet::compliant {
namespace {

/// x'' = −x, and events of it.
struct Oscillator {
  using State = std::array<double, 2>;
  double level = 0, speed = 10;
  double seen = 0;

  static void slope(const State& x, State& d) { d = {x[1], -x[0]}; }
  static bool ends(const State&) { return false; }
  static double stiffness(const State&) { return 0; }
  static State scale(const State&) { return {1, 1}; }
  static double longest(const State&) { return 1e300; }
  [[nodiscard]] double first(const State& x) const { return x[0] - level; }
  [[nodiscard]] double second(const State& x) const { return x[1] + speed; }
  template <class Step>
  void passed(const Step& step, double t, double length) {
    EXPECT_NEAR(t, seen, 1e-15);
    EXPECT_NEAR(step.at(0.5)[0], std::cos(t + length / 2), 1e-9);
    seen = t + length;
  }
};

TEST(EventStepper, FindsTheFirstOfTwoEvents) {
  constexpr double pi = std::numbers::pi;
  for (const bool second_first : {false, true}) {
    Oscillator system;
    if (second_first) system.speed = 0.5;  // v = −sin t falls below −½ at π/6, x = cos t below 0 at π/2
    EventStepper<double, 2> stepper(0.3);
    Oscillator::State x{1, 0};
    double t = 0;
    int evaluations = 0;
    const StepEnd end = stepper.follow(system, x, t, evaluations, {1000, 100000});
    EXPECT_EQ(end, second_first ? StepEnd::second : StepEnd::first);
    EXPECT_NEAR(t, second_first ? pi / 6 : pi / 2, 1e-14);
    EXPECT_NEAR(x[0], std::cos(t), 1e-13);
    EXPECT_NEAR(system.seen, t, 1e-15);
    EXPECT_GT(evaluations, 0);
  }
}

TEST(EventStepper, ShortDipBetweenNodesIsFound) {
  Oscillator system;
  system.level = -1 + 1e-6;  // x is below it for 2.8e-3 around π only
  EventStepper<double, 2> stepper(2);
  Oscillator::State x{1, 0};
  double t = 0;
  int evaluations = 0;
  EXPECT_EQ(stepper.follow(system, x, t, evaluations, {1000, 100000}), StepEnd::first);
  EXPECT_NEAR(t, std::acos(system.level), 1e-9);
}

TEST(EventStepper, BudgetEndsARunWithoutEvents) {
  Oscillator system;
  system.level = -2;
  EventStepper<double, 2> stepper(0.5);
  Oscillator::State x{1, 0};
  double t = 0;
  int evaluations = 0;
  EXPECT_EQ(stepper.follow(system, x, t, evaluations, {10, 100000}), StepEnd::limit);
  EXPECT_EQ(stepper.follow(system, x, t, evaluations, {10, 1}), StepEnd::limit);
}

}  // namespace
}  // namespace ricochet::compliant
