#include "ricochet/report/impact_course.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/io/collision_toml.hpp"
#include "ricochet/report/body_pictures.hpp"

namespace ricochet {
namespace {

Collision collision(const std::string& text) {
  auto read = read_toml(text);
  EXPECT_TRUE(read) << (read ? "" : read.error().error.message());
  return *std::move(read);
}

// A ball of 2 kg and radius 1 m, J = 0.4 m r², with backspin on a floor.
const std::string ball = R"(point = [0, 0, 0]
n = [0, 0, 1]
e = 0.5
mu = 0.1
[[body]]
fixed = true
[[body]]
mass = 2
inertia = [0.8, 0.8, 0.8]
position = [0, 0, 1]
velocity = [1, 0, -3]
angular_velocity = [0, -2, 0]
)";

TEST(ImpactCourse, OfASlidingBallIsKnownInClosedForm) {
  const Collision c = collision(ball);
  Answers answers(c);
  const auto course = impact_course(answers, "routh");
  ASSERT_TRUE(course);
  EXPECT_EQ(course->over, ImpactCourse::Over::impulse);
  // V = (1 + 2, 0, −3): compression ends at P_n = m 3, the slip loses μ P_n 7/(2m), and the impact ends at (1 + e) m 3.
  for (const CourseStep& step : course->steps) {
    EXPECT_NEAR(step.state.V.z(), -3 + step.at / 2, 1e-12);
    EXPECT_NEAR(step.state.V.x(), 3 - 0.1 * step.at * 3.5 / 2, 1e-12);
    EXPECT_NEAR(step.state.normal_work, step.at * (-3 + step.at / 4), 1e-11);
  }
  EXPECT_NEAR(course->steps.back().at, 9, 1e-12);
  const auto ends = std::find_if(course->events.begin(), course->events.end(),
                                 [](const CourseEvent& event) { return event.name == "compression-ends"; });
  ASSERT_NE(ends, course->events.end());
  EXPECT_NEAR(course->steps[ends->step].at, 6, 1e-12);
}

TEST(ImpactCourse, OfFrictionWithoutBoundGoesAlongThePath) {
  Collision c = collision(ball);
  c.settings.mu = std::numeric_limits<double>::infinity();
  Answers answers(c);
  const auto course = impact_course(answers, "routh");
  ASSERT_TRUE(course);
  EXPECT_EQ(course->over, ImpactCourse::Over::length);
  for (std::size_t i = 1; i < course->steps.size(); ++i) EXPECT_GT(course->steps[i].at, course->steps[i - 1].at);
}

TEST(ImpactCourse, OfACompliantContactGoesOverTime) {
  const Collision c = collision(ball);
  Answers answers(c);
  const auto course = impact_course(answers, "spring-sledge");
  ASSERT_TRUE(course);
  EXPECT_EQ(course->over, ImpactCourse::Over::time);
  EXPECT_EQ(course->events.front().name, "start");
  EXPECT_EQ(course->events.back().step, course->steps.size() - 1);
}

TEST(BodyPictures, BeforeTheFirstImpulseAreThoseOfBefore) {
  const Collision c = collision(ball);
  Answers answers(c);
  const auto pictures = body_pictures(c, answers.of("routh"));
  ASSERT_TRUE(pictures);
  EXPECT_FALSE(pictures->contact_only);
  ASSERT_EQ(pictures->during.curves.size(), pictures->before.curves.size());
  for (std::size_t i = 0; i < pictures->before.curves.size(); ++i)
    EXPECT_EQ(pictures->during.curves[i].points, pictures->before.curves[i].points);
}

TEST(BodyPictures, OfAMatrixAreTheContactAlone) {
  const Collision c =
      collision("M = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]\nV = [-1, 0.5, 0]\nn = [1, 0, 0]\ne = 0.5\nmu = 0.3\n");
  Answers answers(c);
  const auto pictures = body_pictures(c, answers.of("routh"));
  ASSERT_TRUE(pictures);
  EXPECT_TRUE(pictures->contact_only);
  // Before, V points at the contact from the side of B; after, away from it.
  const auto velocity = [](const Plot& plot) {
    return std::find_if(plot.curves.begin(), plot.curves.end(),
                        [](const PlotCurve& curve) { return curve.name.starts_with("velocity"); });
  };
  EXPECT_LT(velocity(pictures->before)->points.back().norm(), 1e-12);
  EXPECT_GT(velocity(pictures->before)->points.front().y(), 0);
  EXPECT_LT(velocity(pictures->after)->points.front().norm(), 1e-12);
}

TEST(BodyPicture, AnArmLeadsToAContactThatTheBodyDoesNotReach) {
  const auto arms = [](const Vec3& position) {
    const auto plot = draw_bodies(
        {.bodies = {.A = {.fixed = true}, .B = {.mass = 1, .inertia = 0.4 * Mat3::Identity(), .position = position}}});
    return plot ? std::count_if(plot->curves.begin(), plot->curves.end(),
                                [](const PlotCurve& curve) { return curve.stroke.dash.size() == 2; })
                : -1;
  };
  EXPECT_EQ(arms({0, 0, 1}), 0);  // a ball of radius 1
  EXPECT_EQ(arms({0, 0, 1.5}), 1);
}

}  // namespace
}  // namespace ricochet
