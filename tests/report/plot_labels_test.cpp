#include "ricochet/report/plot_labels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random_contact.hpp"
#include "ricochet/mechanism/systems.hpp"
#include "ricochet/report/energy_over_impulse.hpp"
#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/report/impulse_solid.hpp"
#include "ricochet/report/velocity_plane.hpp"

namespace ricochet {
namespace {

using testing::Rng;

std::vector<Text> texts(const Drawing& drawing) {
  std::vector<Text> out;
  for (const DrawingElement& shape : drawing.elements)
    if (const auto* text = std::get_if<Text>(&shape)) out.push_back(*text);
  return out;
}

void expect_apart(const Drawing& drawing, const std::string& what) {
  const std::vector<Text> all = texts(drawing);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Box box = box_of(all[i]);
    EXPECT_TRUE((box.low.array() >= -0.5).all() && box.high.x() <= drawing.width + 0.5 &&
                box.high.y() <= drawing.height + 0.5)
        << what << ": " << all[i].text << " leaves the page";
    for (std::size_t j = i + 1; j < all.size(); ++j)
      EXPECT_FALSE(overlap(box, box_of(all[j]))) << what << ": " << all[i].text << " on " << all[j].text;
    if (!all[i].clear) continue;
    for (const DrawingElement& shape : drawing.elements) {
      const auto* dot = std::get_if<Dot>(&shape);
      if (dot == nullptr) continue;
      EXPECT_FALSE((dot->at.array() > box.low.array()).all() && (dot->at.array() < box.high.array()).all())
          << what << ": " << all[i].text << " on a dot";
    }
  }
}

/// Two things, two names: both headers serve one program.
TEST(PlotLabels, ObstaclesOfLabels_AreNotTheSurroundingsOfMechanisms) {
  static_assert(!std::is_same_v<LabelObstacles, Surroundings>);
  EXPECT_EQ(LabelObstacles{}.dots.size(), 0U);
  EXPECT_GT(Surroundings{}.gravity, 0);
}

TEST(Names, AtOnePlaceShareOneLabel) {
  const LabelObstacles there{.frame = {{0, 0}, {300, 300}}, .dots = {{100, 100}}, .lines = {}};
  const auto placed = place_names({{"$O$", {100, 100}}, {"$A$", {100.5, 100}}, {"$B$", {200, 100}}}, {}, there);
  ASSERT_EQ(placed.texts.size(), 2U);
  EXPECT_EQ(placed.texts[0].text, "$O$, $A$");
}

TEST(Names, MakeRoomForEachOtherAndForDots) {
  std::vector<PointName> names;
  LabelObstacles there{.frame = {{0, 0}, {300, 300}}, .dots = {}, .lines = {}};
  for (int i = 0; i < 12; ++i) {
    const Vec2 at(150 + 6 * (i % 4), 150 + 6 * (i / 4));
    names.push_back({"point " + std::to_string(i), at});
    there.dots.push_back(at);
  }
  const auto placed = place_names(names, {}, there);
  ASSERT_EQ(placed.texts.size(), names.size());
  for (std::size_t i = 0; i < placed.texts.size(); ++i) {
    const Box box = box_of(placed.texts[i]);
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(box, box_of(placed.texts[j]))) << i << " " << j;
    for (const Vec2& dot : there.dots)
      EXPECT_FALSE((dot.array() > box.low.array()).all() && (dot.array() < box.high.array()).all());
  }
  EXPECT_FALSE(placed.leaders.empty());
}

TEST(Names, AvoidALineWhereThereIsRoomBesideIt) {
  // A line through the point along the name's own angle: above it or below it nothing is crossed.
  const LabelObstacles there{.frame = {{0, 0}, {300, 300}}, .dots = {{150, 150}}, .lines = {{{0, 150}, {300, 150}}}};
  const auto placed = place_names({{"normal pause", {150, 150}, 0}}, {}, there);
  const Box box = box_of(placed.texts.front());
  EXPECT_TRUE(box.low.y() >= 150 || box.high.y() <= 150);
}

TEST(Names, OnALineTurnWithIt) {
  const LabelObstacles there{.frame = {{0, 0}, {300, 300}}, .dots = {}, .lines = {{{0, 200}, {200, 0}}}};
  const auto placed = place_names({}, {{"$e$ = 0.5", {0, 200}, {200, 0}}}, there);
  ASSERT_EQ(placed.texts.size(), 1U);
  EXPECT_NEAR(placed.texts[0].turn, -45, 1e-9);
  // The middle of its letters is on the line x + y = 200.
  const Box box = box_of(placed.texts[0]);
  EXPECT_NEAR((box.low + box.high).sum() / 2, 200, 2);
  // And none where the line is shorter than its name.
  EXPECT_TRUE(place_names({}, {{"$e$ = 0.5", {0, 20}, {20, 0}}}, there).texts.empty());
}

TEST(Names, OfRandomCollisionsDoNotOverlap) {
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    const bool planar = i % 2 == 0;
    const Contact contact = planar ? testing::random_planar_contact(rng, 2) : testing::random_contact(rng, 2);
    const double mu = testing::uniform(rng, 0, 2);
    LawParameters settings;
    settings.e = testing::random_e(rng);
    settings.e_t = 0.2;
    settings.mu = mu;
    settings.kappa = 0.8;
    const auto cut = section(contact, mu);
    ASSERT_TRUE(cut) << cut.error().message();
    ImpulsePlaneOptions options;
    std::vector<std::pair<std::string, Vec3>> ends;
    for (const LawInfo& info : laws()) {
      const auto law = make_law(info.name, settings);
      if (!law) continue;
      const auto outcome = collide(*law, contact);
      if (!outcome) continue;
      const std::array<Vec3, 2> path{Vec3::Zero(), outcome->P};
      options.answers.push_back(on_section(*cut, std::string(info.name), path));
      ends.emplace_back(info.name, outcome->P);
    }
    const std::string what = "collision " + std::to_string(i);
    for (const bool answers : {false, true}) {
      const auto drawing = draw(impulse_plane(*cut, answers ? options : ImpulsePlaneOptions{}));
      ASSERT_TRUE(drawing) << drawing.error().message();
      expect_apart(*drawing, what + ", plane");
    }
    // On a screen too, narrow or wide, in a wider typeface.
    for (const double width : {360.0, 700.0}) {
      const auto picture = draw_in({.width = width, .height = 420, .letter_width = 1.15}, impulse_plane(*cut, options));
      ASSERT_TRUE(picture) << picture.error().message();
      expect_apart(picture->drawing, what + ", pane");
    }
    const auto space = impulse_space(contact, mu);
    ASSERT_TRUE(space);
    const auto solid = impulse_solid(*space, {.answers = ends}).and_then(draw);
    ASSERT_TRUE(solid) << solid.error().message();
    expect_apart(*solid, what + ", solid");
    const auto outcome = collide(Routh{.e = *settings.e, .mu = mu}, contact);
    ASSERT_TRUE(outcome);
    const Trajectory way = trajectory_of(contact, *outcome, mu);
    for (const Plot& plot : {energy_over_impulse(contact, way), contact_speeds(contact, way)}) {
      const auto drawing = draw(plot);
      ASSERT_TRUE(drawing) << drawing.error().message();
      expect_apart(*drawing, what + ", " + plot.y_label);
    }
  }
}

TEST(TextWidth, IsThatOfTheTypeface) {
  // Helvetica: H 722, i 222, w 722, thousandths of the size.
  EXPECT_NEAR(text_width("Hiw", 10), 16.66, 1e-9);
  EXPECT_NEAR(text_width("$H_w$", 10), 7.22 + 0.72 * 7.22, 1e-9);
}

}  // namespace
}  // namespace ricochet
