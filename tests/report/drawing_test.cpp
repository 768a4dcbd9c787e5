#include "ricochet/report/drawing.hpp"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

TEST(TextRuns, LowerAndRaiseInsideMathematicsOnly) {
  const auto runs = text_runs("a_b $V_t^{+2}$ kg");
  ASSERT_EQ(runs.size(), 5U);
  EXPECT_EQ(runs[0].text, "a_b ");
  EXPECT_FALSE(runs[0].italic);
  EXPECT_EQ(runs[1].text, "V");
  EXPECT_TRUE(runs[1].italic);
  EXPECT_EQ(runs[2].text, "t");
  EXPECT_EQ(runs[2].level, -1);
  EXPECT_EQ(runs[3].text, "+2");
  EXPECT_EQ(runs[3].level, 1);
  EXPECT_FALSE(runs[3].italic);
  EXPECT_EQ(runs[4].text, " kg");
}

TEST(TextRuns, SurviveUnfinishedMarkup) {
  for (const char* text : {"$", "$_", "$x_", "$x_{ab", "$x^$", "", "μ$μ_μ$"}) {
    std::string all;
    for (const TextRun& run : text_runs(text)) all += run.text;
    EXPECT_LE(all.size(), std::string(text).size()) << text;
  }
}

TEST(Svg, EscapesWhatXmlWouldRead) {
  Drawing drawing{.width = 10, .height = 10, .title = "a < b & \"c\"", .elements = {Text{.at = {1, 2}, .text = "<&>"}}};
  const std::string svg = to_svg(drawing);
  EXPECT_NE(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>"), std::string::npos);
  EXPECT_NE(svg.find(">&lt;&amp;&gt;<"), std::string::npos);
}

TEST(Svg, TitleIsPlain) {
  const Drawing drawing{.width = 10, .height = 10, .title = "Diagonal $M_n$", .elements = {}};
  EXPECT_NE(to_svg(drawing).find("<title>Diagonal Mn</title>"), std::string::npos);
}

TEST(Svg, AClearTextIsPaintedTwiceAndReadOnce) {
  Drawing drawing{.width = 10, .height = 10, .elements = {Text{.at = {1, 2}, .text = "end", .clear = true}}};
  const std::string svg = to_svg(drawing);
  const std::size_t first = svg.find(">end</text>"), second = svg.find(">end</text>", first + 1);
  ASSERT_NE(second, std::string::npos);
  // The edge comes first, is white, and is not read out.
  const std::string edge = svg.substr(svg.rfind("<text", first), first - svg.rfind("<text", first));
  EXPECT_NE(edge.find("aria-hidden"), std::string::npos);
  EXPECT_NE(edge.find("stroke=\"#ffffff\""), std::string::npos);
  EXPECT_EQ(svg.substr(svg.rfind("<text", second), second - svg.rfind("<text", second)).find("aria-hidden"),
            std::string::npos);
}

TEST(BoxOf, TurnsWithItsText) {
  const Text text{.at = {100, 100}, .text = "Hiw", .size = 10};
  const Box flat = box_of(text);
  EXPECT_NEAR(flat.high.x() - flat.low.x(), text_width("Hiw", 10), 1e-12);
  EXPECT_NEAR(flat.low.x(), 100, 1e-12);
  Text turned = text;
  turned.turn = 90;
  const Box upright = box_of(turned);
  EXPECT_NEAR(upright.high.y() - upright.low.y(), flat.high.x() - flat.low.x(), 1e-9);
  EXPECT_NEAR(upright.high.x() - upright.low.x(), flat.high.y() - flat.low.y(), 1e-9);
  EXPECT_TRUE(overlap(flat, upright));
  EXPECT_FALSE(overlap(flat, {{flat.high.x() + 1, 0}, {300, 300}}));
}

TEST(ArrowHead, PointsAlongTheLastPieceAndEndsAtItsTip) {
  const Line line{.points = {{0, 0}, {0, 50}, {40, 50}}, .arrow = true};
  const auto head = arrow_head(line);
  ASSERT_EQ(head.size(), 3U);
  EXPECT_EQ(head[0], Vec2(40, 50));
  EXPECT_LT(head[1].x(), 40);
  EXPECT_NEAR(head[1].y() + head[2].y(), 100, 1e-12);
}

TEST(ArrowHead, NoneWithoutLength) {
  EXPECT_TRUE(arrow_head({.points = {{1, 1}}}).empty());
  EXPECT_TRUE(arrow_head({.points = {{1, 1}, {1, 1}}}).empty());
}

}  // namespace
}  // namespace ricochet
