#include "ricochet/report/body_picture.hpp"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

TEST(EquivalentBox, OfABoxIsThatBox) {
  const Vec3 half(0.3, 0.02, 0.03);
  RigidBody body{.mass = 2.5};
  body.inertia = (Vec3(half.y() * half.y() + half.z() * half.z(), half.x() * half.x() + half.z() * half.z(),
                       half.x() * half.x() + half.y() * half.y()) *
                  body.mass / 3)
                     .asDiagonal();
  const EquivalentBox box = equivalent_box(body);
  EXPECT_FALSE(box.ball);
  // Longest first or last is the solver's affair: turn the half lengths back into body axes.
  const Vec3 back = (box.axes * box.half.asDiagonal() * box.axes.transpose()).diagonal();
  EXPECT_LT((back - half).norm(), 1e-12);
}

TEST(EquivalentBox, OfABallIsTheBall) {
  const EquivalentBox box = equivalent_box({.mass = 3, .inertia = Mat3::Identity() * (0.4 * 3 * 0.25)});
  EXPECT_TRUE(box.ball);
  EXPECT_NEAR(box.half(0), 0.5, 1e-12);
}

TEST(BodyPicture, RefusesABodyThatCannotExist) {
  BodyPicture picture{.bodies = {.A = {.fixed = true}, .B = {.mass = -1}}};
  const auto plot = draw_bodies(picture);
  ASSERT_FALSE(plot);
  EXPECT_EQ(plot.error().path, "B.mass");
}

TEST(BodyPicture, VelocityArrowsHaveOneScale) {
  const BodyPicture picture{.bodies = {.A = {.fixed = true}, .B = {.position = {0, 0, 1}, .velocity = {3, 0, -4}}},
                            .longest = 10};
  const auto plot = draw_bodies(picture);
  ASSERT_TRUE(plot);
  std::vector<Vec2> arrows;
  for (const PlotCurve& c : plot->curves)
    if (c.arrow && !c.points.empty()) arrows.push_back(c.points[1] - c.points[0]);
  ASSERT_EQ(arrows.size(), 2U);  // centre and contact point move alike: no spin
  EXPECT_LT((arrows[0] - arrows[1]).norm(), 1e-12);
  EXPECT_NEAR(arrows[0].x() / arrows[0].y(), -0.75, 1e-12);
}

}  // namespace
}  // namespace ricochet
