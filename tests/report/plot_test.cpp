#include "ricochet/report/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

std::vector<Dot> dots(const Drawing& drawing) {
  std::vector<Dot> out;
  for (const DrawingElement& shape : drawing.elements)
    if (const auto* dot = std::get_if<Dot>(&shape)) out.push_back(*dot);
  return out;
}

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  for (const auto& [low, high] :
       std::vector<std::pair<double, double>>{{0, 1}, {-3.7, 12.2}, {1e-9, 3e-9}, {-5e6, 1e3}}) {
    const auto at = ticks(low, high, 5);
    ASSERT_GE(at.size(), 2U) << low;
    ASSERT_LE(at.size(), 12U) << low;
    const double step = at[1] - at[0];
    const double mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 || std::abs(mantissa - 2.5) < 1e-6 ||
                std::abs(mantissa - 5) < 1e-6)
        << mantissa;
    EXPECT_GE(at.front(), low - 1e-9 * step);
    EXPECT_LE(at.back(), high + 1e-9 * step);
    EXPECT_NEAR(std::remainder(at.front(), step), 0, 1e-6 * step);
  }
}

TEST(Plot, EqualScalesKeepShapes) {
  const Plot plot{.equal_scales = true, .points = {{.at = {0, 0}}, {.at = {3, 0}}, {.at = {0, 3}}, {.at = {10, 1}}}};
  const auto drawing = draw(plot);
  ASSERT_TRUE(drawing);
  const auto at = dots(*drawing);
  ASSERT_EQ(at.size(), 4U);
  EXPECT_NEAR(at[1].at.x() - at[0].at.x(), at[0].at.y() - at[2].at.y(), 1e-9);
  EXPECT_GT(at[1].at.x(), at[0].at.x());
}

TEST(Plot, LogarithmicDecadesAreEquallyLong) {
  const Plot plot{.x_log = true, .y_log = true, .points = {{.at = {1, 1}}, {.at = {10, 1e-3}}, {.at = {100, 1e-6}}}};
  const auto drawing = draw(plot);
  ASSERT_TRUE(drawing);
  const auto at = dots(*drawing);
  EXPECT_NEAR(at[1].at.x() - at[0].at.x(), at[2].at.x() - at[1].at.x(), 1e-9);
  EXPECT_NEAR(at[1].at.y() - at[0].at.y(), at[2].at.y() - at[1].at.y(), 1e-9);
}

TEST(Plot, RefusesWhatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(draw({.points = {{.at = {nan, 0}}}}));
  EXPECT_FALSE(draw({.curves = {{.points = {{0, 0}, {1, std::numeric_limits<double>::infinity()}}}}}));
  EXPECT_FALSE(draw({.x_log = true, .points = {{.at = {0, 1}}}}));
  EXPECT_FALSE(draw({}));
}

TEST(Plot, OnePointGetsARange) {
  const auto drawing = draw({.points = {{.at = {2, 3}}}});
  ASSERT_TRUE(drawing);
  EXPECT_TRUE(dots(*drawing).front().at.allFinite());
}

TEST(Plot, APointBeyondTheRangeIsNotDrawnAndTheLegendSaysSo) {
  const Plot plot{.low = Vec2(0, 0),
                  .high = Vec2(1, 1),
                  .points = {{.name = "near", .at = {0.5, 0.5}, .in_legend = true},
                             {.name = "far", .at = {7, 0.5}, .in_legend = true}}};
  const auto drawing = draw(plot);
  ASSERT_TRUE(drawing);
  std::vector<std::string> words;
  for (const DrawingElement& shape : drawing->elements)
    if (const auto* text = std::get_if<Text>(&shape)) words.push_back(text->text);
  EXPECT_NE(std::find(words.begin(), words.end(), "near"), words.end());
  EXPECT_NE(std::find(words.begin(), words.end(), "far, outside"), words.end());
  EXPECT_EQ(dots(*drawing).size(), 3U);  // two in the legend, one in the frame
}

TEST(Plot, PairsShareOneScale) {
  Plot small{.equal_scales = true, .points = {{.at = {0, 0}}, {.at = {1, 0}}}};
  Plot large{.equal_scales = true, .points = {{.at = {0, 0}}, {.at = {1, 0}}, {.at = {0, 30}}}};
  share_range(small, large);
  const auto one = draw(small), other = draw(large);
  ASSERT_TRUE(one && other);
  const auto a = dots(*one), b = dots(*other);
  EXPECT_LT((a[0].at - b[0].at).norm(), 1e-9);
  EXPECT_LT((a[1].at - b[1].at).norm(), 1e-9);
}

TEST(Plot, EventsAreSpeltOut) {
  const auto drawing = draw({.points = {{.name = "compression-ends", .at = {1, 1}}}});
  ASSERT_TRUE(drawing);
  bool found = false;
  for (const DrawingElement& shape : drawing->elements)
    if (const auto* text = std::get_if<Text>(&shape)) found = found || text->text == "compression ends";
  EXPECT_TRUE(found);
}

Plot two_answers() {
  return {.x_label = "x [m]",
          .y_label = "y [m]",
          .curves = {{.name = "a line", .points = {{0, 0}, {2, 1}}, .handle = PlotHandle::e}},
          .points = {{.name = "near", .at = {0.5, 0.5}}, {.name = "routh", .at = {2, 1}, .in_legend = true}}};
}

TEST(PlotInAPane, FramesOfAnySizeHoldTheWholeRange) {
  for (const auto& [width, height] : std::vector<std::pair<double, double>>{{320, 240}, {520, 420}, {1600, 300}}) {
    const PlotPane pane{.width = width, .height = height};
    const auto picture = draw_in(pane, two_answers());
    ASSERT_TRUE(picture) << picture.error().message();
    EXPECT_GE(picture->frame.low.minCoeff(), 0);
    EXPECT_LE(picture->frame.high.x(), width);
    EXPECT_LE(picture->frame.high.y(), height);
    for (const Vec2& p : {Vec2(0, 0), Vec2(2, 1)}) {
      const Vec2 at = picture->page(two_answers(), p);
      EXPECT_TRUE((at.array() > picture->frame.low.array()).all() && (at.array() < picture->frame.high.array()).all());
    }
  }
}

TEST(PlotInAPane, TheLegendGoesBelowWhereItWouldLeaveNoRoomBesideIt) {
  const auto frame_of = [](double width) { return draw_in({.width = width, .height = 400}, two_answers())->frame; };
  const Box wide = frame_of(900), narrow = frame_of(320);
  EXPECT_LT(wide.high.x(), 900 - 50);
  EXPECT_GT(narrow.high.x(), 320 - 50);
  EXPECT_LT(narrow.high.y(), wide.high.y());
}

TEST(PlotInAPane, ZoomKeepsThePlaceThatItIsAbout) {
  const Plot plot = two_answers();
  const auto whole = draw_in({}, plot);
  ASSERT_TRUE(whole);
  // Twice as large about the place of (1, 0.5): it stays, and the frame shows half the range.
  const Vec2 still = whole->page(plot, {1, 0.5});
  const auto near = draw_in({.zoom = 2, .shift = -still}, plot);
  ASSERT_TRUE(near);
  EXPECT_LT((near->page(plot, {1, 0.5}) - still).norm(), 1e-9);
  EXPECT_LT(((near->shown.high - near->shown.low) - (whole->shown.high - whole->shown.low) / 2).norm(), 1e-12);
  EXPECT_LT((near->page(plot, {2, 1}) - (2 * whole->page(plot, {2, 1}) - still)).norm(), 1e-9);
}

TEST(PlotInAPane, ARangeThatIsGivenBackKeepsTheAxesStill) {
  const auto before = draw_in({}, two_answers());
  ASSERT_TRUE(before);
  Plot moved = two_answers();
  moved.points[1].at = {7, 9};
  const auto after = draw_in({.range = before->range}, moved);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->shown.low, before->shown.low);
  EXPECT_EQ(after->shown.high, before->shown.high);
  EXPECT_NE(draw_in({}, moved)->shown.high, before->shown.high);
}

TEST(PlotInAPane, WiderTypefacesGetMoreRoomInTheLegend) {
  const auto frame_of = [](double letters) {
    return draw_in({.width = 900, .letter_width = letters}, two_answers())->frame;
  };
  EXPECT_LT(frame_of(1.3).high.x(), frame_of(1).high.x());
}

TEST(PlotInAPane, RefusesPanesThatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(draw_in({.width = 0}, two_answers()).error().path, "width");
  EXPECT_EQ(draw_in({.height = nan}, two_answers()).error().path, "height");
  EXPECT_EQ(draw_in({.zoom = -1}, two_answers()).error().path, "zoom");
  EXPECT_EQ(draw_in({.shift = {nan, 0}}, two_answers()).error().path, "shift");
  EXPECT_EQ(draw_in({.range = PlotRange{{1, 0}, {0, 1}}}, two_answers()).error().path, "range");
}

}  // namespace
}  // namespace ricochet
