#include "ricochet/report/solids_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ricochet/report/hull.hpp"

namespace ricochet {
namespace {

template <class T>
std::vector<T> all(const Drawing& drawing) {
  std::vector<T> out;
  for (const DrawingElement& shape : drawing.elements)
    if (const T* one = std::get_if<T>(&shape)) out.push_back(*one);
  return out;
}

struct Box {
  Vec2 low = Vec2::Constant(1e300), high = Vec2::Constant(-1e300);
};
Box around(const std::vector<Vec2>& points) {
  Box out;
  for (const Vec2& p : points) {
    out.low = out.low.cwiseMin(p);
    out.high = out.high.cwiseMax(p);
  }
  return out;
}

SolidsPicture one(DrawnSolid solid) { return {.title = "one", .solids = {std::move(solid)}}; }

TEST(SolidsPicture, Capsule_IsAsLongAndWideAsItIs) {
  const SolidsPicture picture = one({.name = "leg", .corners = {{-1, 5, 0}, {1, -7, 0}}, .radius = 0.5});
  const SolidsView view = view_of(picture, Vec3::UnitX(), Vec3::UnitZ());
  const Box box = around(all<Line>(draw_solids(picture, view))[0].points);
  EXPECT_NEAR((box.high - box.low).x(), 3 * view.scale, 1e-9);
  EXPECT_NEAR((box.high - box.low).y(), 1 * view.scale, 1e-9);
}

TEST(SolidsPicture, Ball_IsADiscOfItsRadius_WhereItIs) {
  const SolidsPicture picture{.title = "two",
                              .solids = {{.name = "a", .corners = {{0, 0, 0}}, .radius = 1},
                                         {.name = "b", .corners = {{3, 0, 1}}, .radius = 2}}};
  const SolidsView view = view_of(picture, Vec3::UnitX(), Vec3::UnitZ());
  const auto discs = all<Dot>(draw_solids(picture, view));
  ASSERT_EQ(discs.size(), 2U);
  EXPECT_NEAR(discs[0].radius, view.scale, 1e-9);
  EXPECT_NEAR(discs[1].radius, 2 * view.scale, 1e-9);
  EXPECT_NEAR((discs[1].at - discs[0].at).x(), 3 * view.scale, 1e-9);
  EXPECT_NEAR((discs[1].at - discs[0].at).y(), -1 * view.scale, 1e-9);  // up on the page is less
  for (const Dot& disc : discs) {
    EXPECT_GE(disc.at.x() - disc.radius, 0);
    EXPECT_LE(disc.at.x() + disc.radius, view.width);
    EXPECT_GE(disc.at.y() - disc.radius, 0);
    EXPECT_LE(disc.at.y() + disc.radius, view.height);
  }
}

TEST(SolidsPicture, Arrows_AreAsLongAsTheirSpeeds) {
  SolidsPicture picture = one({.name = "a", .corners = {{0, 0, 0}}, .radius = 1});
  picture.arrows = {
      {Vec3::Zero(), Vec3(3, 0, 0)}, {Vec3::Zero(), Vec3(0, 0, -1.5), true}, {Vec3::Zero(), Vec3(0, 9, 0)}};
  const SolidsView view = view_of(picture, Vec3::UnitX(), Vec3::UnitZ());
  EXPECT_EQ(view.fastest, 9);
  std::vector<Vec2> arrows;
  for (const Line& line : all<Line>(draw_solids(picture, view)))
    if (line.arrow && line.points[0].y() < view.height - 40) arrows.emplace_back(line.points[1] - line.points[0]);
  ASSERT_EQ(arrows.size(), 2U);  // the one towards the reader is a point
  EXPECT_NEAR(arrows[0].x() / arrows[1].y(), 2, 1e-12);
  EXPECT_NEAR(arrows[0].y(), 0, 1e-12);
  EXPECT_GT(arrows[1].y(), 0);  // down
}

/// DejaVu Sans, which stands in for Helvetica where there is none, is 1.17 times as wide.
TEST(SolidsPicture, LegendHasRoomForWiderLetters) {
  SolidsPicture picture = one({.name = "a", .corners = {{0, 0, 0}}, .radius = 1});
  picture.arrows = {{Vec3::Zero(), Vec3(3, 0, 0)}, {Vec3::Zero(), Vec3(0, 0, -1.5), true}};
  const SolidsView view = view_of(picture, Vec3::UnitX(), Vec3::UnitZ());
  const Drawing drawing = draw_solids(picture, view);
  std::vector<double> arrows, ends;
  for (const Line& line : all<Line>(drawing))
    if (line.arrow && line.points[0].y() > view.height - 40) arrows.push_back(line.points[0].x());
  for (const Text& text : all<Text>(drawing))
    if (text.text.starts_with("velocity of")) ends.push_back(text.at.x() + 1.17 * text_width(text.text, text.size));
  ASSERT_EQ(arrows.size(), 2U);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_LT(ends[0] + 4, arrows[1]);
  EXPECT_LT(ends[1], view.width);
}

TEST(SolidsPicture, WhatIsNearerCoversWhatIsBehind) {
  // From −y, where the reader is with x to the right and z up, the second ball is nearer.
  const SolidsPicture picture{.title = "two",
                              .solids = {{.name = "far", .corners = {{0, 1, 0}}, .radius = 1},
                                         {.name = "near", .corners = {{0, -1, 0}}, .radius = 1}}};
  for (const bool swapped : {false, true}) {
    SolidsPicture other = picture;
    if (swapped) std::swap(other.solids[0], other.solids[1]);
    const auto discs = all<Dot>(draw_solids(other, view_of(other, Vec3::UnitX(), Vec3::UnitZ())));
    EXPECT_EQ(discs[0].title, "far");
    EXPECT_EQ(discs[1].title, "near");
  }
}

TEST(SolidsPicture, Ground_IsALineFromTheSide_AndNothingFromAbove) {
  SolidsPicture picture = one({.name = "a", .corners = {{0, 0, 1}}, .radius = 1});
  picture.grounds = {{"floor", Vec3::Zero(), Vec3::UnitZ()}};
  const auto side = all<Line>(draw_solids(picture, view_of(picture, Vec3::UnitX(), Vec3::UnitZ())));
  const auto floor = std::find_if(side.begin(), side.end(), [](const Line& line) { return line.title == "floor"; });
  ASSERT_NE(floor, side.end());
  EXPECT_EQ(floor->points[0].y(), floor->points[1].y());
  const auto above = all<Line>(draw_solids(picture, view_of(picture, Vec3::UnitX(), Vec3::UnitY())));
  EXPECT_TRUE(std::none_of(above.begin(), above.end(), [](const Line& line) { return line.title == "floor"; }));
}

TEST(Hull, SquareWithPointsInside) {
  std::vector<Vec2> points{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}, {0.5, 0}, {0.25, 0.75}};
  const std::vector<Vec2> hull = convex_hull(points);
  EXPECT_EQ(hull.size(), 4U);
  double area = 0;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec2& a = hull[i];
    const Vec2& b = hull[(i + 1) % hull.size()];
    area += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  EXPECT_DOUBLE_EQ(area, 1);
}

}  // namespace
}  // namespace ricochet
