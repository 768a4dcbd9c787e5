/// A rimless wheel on a slope γ (T. McGeer, "Passive dynamic walking", Int. J. Robot. Res. 9, 62–82, 1990; drake#8443,
/// where it falls through the floor): a prism over a regular polygon, of which only the corners touch. Legs l, half
/// angle α between them, moment J about the axle, J_p = J + m l² about a foot. On a foot, at the angle θ from the
/// slope's normal,
///   θ̇² = θ̇₊² + (2 m g l/J_p)(cos(γ − α) − cos(γ + θ)),  −α ≤ θ ≤ α
/// and moment of momentum about the next foot gives θ̇₊ = η θ̇₋, η = (J + m l² cos 2α)/(J + m l²). Hence
///   θ̇₊² ↦ η² (θ̇₊² + C),  C = 4 m g l sin α sin γ/J_p,   and in the end θ̇₊² = η² C/(1 − η²).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "motion/quadrature.hpp"
#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr int legs = 8;
constexpr double leg = 0.5, axle_half = 0.15, wheel_mass = 2, wheel_J = 0.6 * wheel_mass * leg * leg;
constexpr double wheel_alpha = std::numbers::pi / legs;

/// Corner 2k + i at the angle (2k + 1) α from straight down, i of the two ends of the axle. A face is down.
std::shared_ptr<const Hull> wheel_hull() {
  auto out = std::make_shared<Hull>();
  for (int k = 0; k < legs; ++k)
    for (const double y : {-axle_half, axle_half}) {
      const double angle = (2 * k + 1) * wheel_alpha;
      out->vertices.emplace_back(leg * std::sin(angle), y, -leg * std::cos(angle));
    }
  for (int k = 0; k < legs; ++k) {
    const int a = 2 * k, b = 2 * ((k + 1) % legs);
    out->faces.push_back({a, a + 1, b});
    out->faces.push_back({a + 1, b + 1, b});
    if (k == 0 || k == legs - 1) continue;
    out->faces.push_back({0, a, b});
    out->faces.push_back({1, a + 1, b + 1});
  }
  return out;
}

/// Just after an impact: turns about the front foot.
World wheel_on_slope(double slope, double spin) {
  WorldBody wheel;
  wheel.name = "wheel";
  wheel.body.mass = wheel_mass;
  wheel.body.inertia = Vec3(0.7 * wheel_J, wheel_J, 0.7 * wheel_J).asDiagonal();
  const auto hull = wheel_hull();
  wheel.body.position = {0, 0, -hull->vertices[0].z()};
  wheel.body.angular_velocity = {0, spin, 0};
  wheel.body.velocity = spin * leg * Vec3(std::cos(wheel_alpha), 0, std::sin(wheel_alpha));
  ConvexShape shape;
  shape.core = ConvexShape::Core::hull;
  shape.hull = hull;
  wheel.shapes.push_back(shape);
  return world_of({ground(), wheel}, {Routh{.e = 0, .mu = 1}, 1, 1},
                  gravity * Vec3(std::sin(slope), 0, -std::cos(slope)));
}

struct WheelStep {
  double time, spin;  ///< of the impact, and θ̇₊ after it
};

std::vector<WheelStep> mcgeer(double slope, double spin, int count) {
  const long double Jp = wheel_J + wheel_mass * leg * leg, a = wheel_alpha, c = slope;
  const long double eta = (wheel_J + wheel_mass * leg * leg * std::cos(2 * a)) / Jp;
  const long double rate = 2 * wheel_mass * static_cast<long double>(gravity) * leg / Jp;
  std::vector<WheelStep> out;
  long double t = 0, w2 = static_cast<long double>(spin) * spin;
  for (int k = 0; k < count; ++k) {
    const auto square = [&](long double theta) { return w2 + rate * (std::cos(c - a) - std::cos(c + theta)); };
    t += integral([&](long double theta) { return 1 / std::sqrt(square(theta)); }, -a, a);
    w2 = eta * eta * square(a);
    out.push_back({static_cast<double>(t), static_cast<double>(std::sqrt(w2))});
  }
  return out;
}

double lowest_corner(const Pose& pose, const Hull& hull) {
  double out = HUGE_VAL;
  for (const Vec3& corner : hull.vertices) out = std::min(out, (pose.position + pose.orientation * corner).z());
  return out;
}

TEST(RimlessWheel, StepsAsMcGeerSays_AndNeverFallsThrough) {
  const double slope = 0.08;
  const auto hull = wheel_hull();
  Deviation time("impact_time"), speed("spin"), depth("depth"), steady("steady_spin");
  for (const double spin : {2.5, 1.3}) {
    const int count = 25;
    const auto expected = mcgeer(slope, spin, count);
    const Ran ran = run_world(wheel_on_slope(slope, spin), expected.back().time + 1e-4, 1e-2);
    ASSERT_TRUE(ran.ok);
    std::vector<WheelStep> steps;
    for (const Event& event : ran.recording.of(EventKind::impact))
      if (steps.empty() || event.time - steps.back().time > 1e-8) steps.push_back({event.time, 0});
    ASSERT_EQ(steps.size(), expected.size());
    for (const Sample& sample : ran.recording.samples) {
      depth.add(std::min(lowest_corner(sample.poses[1], *hull), 0.0), 0, leg);
      for (WheelStep& step : steps)
        if (std::abs(sample.time - step.time) < 1e-9) step.spin = sample.poses[1].angular_velocity.y();
    }
    for (std::size_t k = 0; k < steps.size(); ++k) {
      time.add(steps[k].time, expected[k].time);
      speed.add(steps[k].spin, expected[k].spin);
    }
    const double Jp = wheel_J + wheel_mass * leg * leg;
    const double eta = (wheel_J + wheel_mass * leg * leg * std::cos(2 * wheel_alpha)) / Jp;
    const double C = 4 * wheel_mass * gravity * leg * std::sin(wheel_alpha) * std::sin(slope) / Jp;
    // η² = 0.67 to the power 25 is 4e-5 of the start.
    steady.add(steps.back().spin, eta * std::sqrt(C / (1 - eta * eta)));
    EXPECT_LT(std::abs(ran.poses[1].position.y()) + std::abs(ran.poses[1].velocity.y()), 1e-9);
  }
  EXPECT_LT(time.largest(), 1e-9);
  EXPECT_LT(speed.largest(), 1e-9);
  EXPECT_LT(depth.largest(), 1e-9);
  EXPECT_LT(steady.largest(), 1e-4);
}

// γ < α: put on a face it stays.
TEST(RimlessWheel, OnAFace_Stands) {
  const Ran ran = run_world(wheel_on_slope(0.3, 0), 5);
  ASSERT_TRUE(ran.ok);
  EXPECT_LT((ran.poses[1].position - Vec3(0, 0, leg * std::cos(wheel_alpha))).norm(), 1e-9);
  EXPECT_LT(ran.poses[1].velocity.norm() + ran.poses[1].angular_velocity.norm(), 1e-9);
}

// γ > α: it tips over the front foot from rest, with θ̇² of the same equation.
TEST(RimlessWheel, OnASteepSlope_StartsByItself) {
  const double slope = 0.45;  // α = 0.3927
  const Ran ran = run_world(wheel_on_slope(slope, 0), 1);
  ASSERT_TRUE(ran.ok);
  const auto impacts = ran.recording.of(EventKind::impact);
  ASSERT_FALSE(impacts.empty());
  // ∫ dθ/θ̇ from −α, with θ = −α + 2α s²:
  // cos(γ − α) − cos(γ − α + x) = 2 sin(γ − α + x/2) sin(x/2) with x = 2α s².
  const long double Jp = wheel_J + wheel_mass * leg * leg, a = wheel_alpha;
  const long double rate = 2 * wheel_mass * static_cast<long double>(gravity) * leg / Jp;
  const auto t = integral(
      [&](long double s) {
        const long double x = 2 * a * s * s;
        return 4 * a * s / std::sqrt(2 * rate * std::sin(slope - a + x / 2) * std::sin(x / 2));
      },
      0, 1);
  Deviation time("impact_time");
  time.add(impacts[0].time, static_cast<double>(t));
  EXPECT_LT(time.largest(), 1e-9);
}

}  // namespace
}  // namespace ricochet::motion
