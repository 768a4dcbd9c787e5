#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <random>

#include "ricochet/report/energy_over_impulse.hpp"
#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/report/impulse_solid.hpp"

namespace ricochet {
namespace {

Contact generic() {
  Mat3 M;
  M << 2.0, 0.7, 0.2, 0.7, 1.5, -0.3, 0.2, -0.3, 1.1;
  return contact_from_mass(M, Vec3(-1.0, -1.4, 0.3), Vec3::UnitX()).value();
}

const PlotCurve* curve(const Plot& plot, std::string_view name) {
  for (const PlotCurve& c : plot.curves)
    if (c.name == name) return &c;
  return nullptr;
}

TEST(ImpulseSolid, OutlineIsTheShadowOfTheEllipsoid) {
  const Contact contact = generic();
  const auto space = impulse_space(contact, 0.3);
  ASSERT_TRUE(space);
  const View view{.turn = 0, .tilt = 0};  // looks along the third axis, so that the page is (P_2, P_n)
  const auto plot = impulse_solid(*space, {.view = view});
  ASSERT_TRUE(plot);
  const PlotCurve* outline = curve(*plot, "energy ellipsoid");
  ASSERT_NE(outline, nullptr);
  const Local<double> local = localize<double>(contact);
  // Surface points thrown at random: none may stick out of the outline along any direction, and the best of many must
  // come close to it.
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const Mat3 factor = contact.M.llt().matrixL();
  for (const Vec2& d : {Vec2(1, 0), Vec2(0, 1), Vec2(0.6, 0.8), Vec2(-0.8, 0.6)}) {
    double outline_reach = -1e300, shadow_reach = -1e300;
    for (const Vec2& x : outline->points) outline_reach = std::max(outline_reach, d.dot(x));
    for (int i = 0; i < 20000; ++i) {
      const Vec3 direction = Vec3(normal(random), normal(random), normal(random)).normalized();
      const Vec3 P = space->P_II + std::sqrt(2 * space->energy) * factor * direction;
      shadow_reach = std::max(shadow_reach, d.dot(Vec2(local.R.col(1).dot(P), local.R.col(0).dot(P))));
    }
    EXPECT_NEAR(shadow_reach, outline_reach, 4e-3 * std::abs(outline_reach));
  }
}

TEST(ImpulseSolid, RefusesWhatHasNoEnd) {
  const auto space = impulse_space(generic(), std::numeric_limits<double>::infinity());
  ASSERT_TRUE(space);
  EXPECT_FALSE(impulse_solid(*space));
}

TEST(ImpulsePictures, SpeedsBeyondDoublePrecisionAreNamed) {
  Contact contact = generic();
  contact.V *= 1e200;
  const auto cut = section(contact, 0.3);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().path, "V");
  contact.V *= 1e-200;
  contact.V *= 1e-200;
  const auto space = impulse_space(contact, 0.3);
  ASSERT_TRUE(space);
  const auto plot = impulse_solid(*space);
  ASSERT_FALSE(plot);
  EXPECT_EQ(plot.error().path, "V");
}

TEST(Reach, ChatterjeeRuinaStaysInThePermissibleRegion) {
  const Contact contact = generic();
  LawParameters settings;
  settings.mu = 0.3;
  const auto r = reach(contact, "chatterjee-ruina", settings);
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->closed);
  EXPECT_EQ(r->points.size(), 192U);
  for (const Vec3& P : r->points) EXPECT_TRUE(certify(contact, P, 0.3).permissible);
}

TEST(Reach, FrictionlessGoesFromPIToTwicePI) {
  const Contact contact = generic();
  const auto r = reach(contact, "frictionless", {});
  ASSERT_TRUE(r);
  const Vec3 P_I = contact.n * (-contact.n.dot(contact.V) / contact.n.dot(contact.W * contact.n));
  EXPECT_LT((r->points.front() - P_I).norm(), 1e-14);
  EXPECT_LT((r->points.back() - 2 * P_I).norm(), 1e-14);
}

TEST(EnergyOverImpulse, EndsAtTheWorksOfTheLaw) {
  const Contact contact =
      contact_from_mass((Mat3() << 2, 0.8, 0, 0.8, 1, 0, 0, 0, 1).finished(), Vec3(-1, -1, 0), Vec3::UnitX()).value();
  const auto outcome = collide(Routh{.e = 0.5, .mu = 0.6}, contact);
  ASSERT_TRUE(outcome);
  const Plot plot = energy_over_impulse(contact, trajectory_of(contact, *outcome, 0.6));
  ASSERT_EQ(plot.curves.size(), 3U);
  const std::size_t last = 0;
  EXPECT_NEAR(plot.curves[last].points.back().y(), outcome->normal_work, 1e-12);
  EXPECT_NEAR(plot.curves[last + 1].points.back().y(), outcome->friction_work, 1e-12);
  for (const PlotCurve& c : plot.curves) EXPECT_TRUE(c.stroke.dash.empty());  // every piece is straight in the plane
}

TEST(ImpulsePlane, ShowsAnAnswerWhereItLies) {
  const Contact contact = generic();
  const auto cut = section(contact, 0.3);
  ASSERT_TRUE(cut);
  const auto outcome = collide(ChatterjeeRuina{.e = 0.5, .e_t = 0.2, .mu = 0.3}, contact);
  ASSERT_TRUE(outcome);
  const std::array<Vec3, 2> path{Vec3::Zero(), outcome->P};
  const Plot plot = impulse_plane(*cut, {.answers = {on_section(*cut, "law", path)}});
  const PlotPoint& end = plot.points.back();
  const Vec3 slip = contact.V - contact.n * contact.n.dot(contact.V);
  EXPECT_NEAR(end.at.y(), contact.n.dot(outcome->P), 1e-13);
  EXPECT_NEAR(end.at.x(), -slip.normalized().dot(outcome->P), 1e-13);
}

TEST(ImpulsePlane, LinesRunToTheEdgeOfTheFrame) {
  const auto cut = section(generic(), 0.3);
  ASSERT_TRUE(cut);
  const auto drawing = draw(impulse_plane(*cut));
  ASSERT_TRUE(drawing);
  const auto out_of_frame = [&](const Vec2& p) {
    return (p.array() < drawing->clip_low.array()).any() || (p.array() > drawing->clip_high.array()).any();
  };
  int lines = 0;
  for (const DrawingElement& shape : drawing->elements) {
    const auto* line = std::get_if<Line>(&shape);
    if (line == nullptr || !line->clipped || line->closed) continue;
    ASSERT_EQ(line->points.size(), 2U);
    ++lines;
    // Friction begins at the origin; every other end is cut off by the frame.
    const int outside = int(out_of_frame(line->points[0])) + int(out_of_frame(line->points[1]));
    EXPECT_EQ(outside, line->stroke.colour == "#8c510a" ? 1 : 2);
  }
  EXPECT_EQ(lines, 6);  // compression, sticking, friction twice, e = 0.5 and 1
}

TEST(ImpulsePlane, LinesOfRestitutionAreNamedWhereTheyAre) {
  const auto cut = section(generic(), 0.3);
  ASSERT_TRUE(cut);
  const auto drawing = draw(impulse_plane(*cut));
  ASSERT_TRUE(drawing);
  int named = 0;
  for (const DrawingElement& shape : drawing->elements)
    if (const auto* text = std::get_if<Text>(&shape))
      named += text->text == "$e$ = 0.5" || text->text == "$e$ = 1" ? (text->turn != 0 ? 1 : 100) : 0;
  EXPECT_EQ(named, 2);
}

TEST(ImpulsePlane, WhatReachesOnlyALineIsDrawnAsOne) {
  // At grazing incidence e has no effect (CR98 Fig. 6).
  const Contact contact =
      contact_from_mass((Mat3() << 2, 0.9, 0, 0.9, 1, 0, 0, 0, 1).finished(), Vec3(-1e-9, -1, 0), Vec3::UnitX())
          .value();
  LawParameters settings;
  settings.mu = 2.5;
  const auto r = reach(contact, "chatterjee-ruina", settings);
  const auto cut = section(contact, 2.5);
  ASSERT_TRUE(r && cut);
  const Plot grazing = impulse_plane(*cut, {.reaches = {*r}});
  const PlotCurve* thin = curve(grazing, "chatterjee-ruina: any $e$, $e_t$");
  ASSERT_NE(thin, nullptr);
  EXPECT_TRUE(thin->fill.empty());
  settings.mu = 0.3;
  const auto wide = reach(generic(), "chatterjee-ruina", settings);
  const auto cut_wide = section(generic(), 0.3);
  ASSERT_TRUE(wide && cut_wide);
  const Plot plot = impulse_plane(*cut_wide, {.reaches = {*wide}});
  const PlotCurve* surface = curve(plot, "chatterjee-ruina: any $e$, $e_t$");
  ASSERT_NE(surface, nullptr);
  EXPECT_FALSE(surface->fill.empty());
  EXPECT_GT(thin->stroke.width, 1.5 * surface->stroke.width);
}

TEST(ImpulsePlane, OfAPendulumShowsTheWholePermissibleRegion) {
  // CR98 Fig. 8: energy is two parallel lines, and the region between them ends at the friction cone.
  Mat3 W;
  W << 2.25, 0, 1.299038105676658, 0, 0, 0, 1.299038105676658, 0, 0.75;
  const Contact contact = contact_from_mobility(W, Vec3(-0.8660254037844386, 0, -0.5), Vec3::UnitZ()).value();
  const auto cut = section(contact, 0.4);
  ASSERT_TRUE(cut);
  ASSERT_TRUE(cut->bounded);
  const Plot plot = impulse_plane(*cut);
  Vec2 low = Vec2::Constant(1e300), high = -low;
  for (const Vec2& p : cut->curve("permissible")->points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  EXPECT_TRUE((plot.low->array() <= low.array()).all() && (plot.high->array() >= high.array()).all());
  // And not much else: the region takes at least a third of the frame's height.
  EXPECT_GT(high.y() - low.y(), (plot.high->y() - plot.low->y()) / 3);
  // The centre is −M V, M the pseudo-inverse of W.
  const auto centre =
      std::find_if(plot.points.begin(), plot.points.end(), [](const PlotPoint& p) { return p.name == "$P_{II}$"; });
  ASSERT_NE(centre, plot.points.end());
  EXPECT_LT((centre->at - Vec2(0.8660254037844386 / 3, 0.5 / 3)).norm(), 1e-12) << centre->at.transpose();
}

TEST(ReachSheet, HoldsTheAnswersAtItsParameters) {
  const Contact contact = generic();
  LawParameters settings;
  settings.mu = 0.3;
  const auto sheet = reach_sheet(contact, "chatterjee-ruina", settings, 5, 9);
  ASSERT_TRUE(sheet) << sheet.error().message();
  ASSERT_EQ(sheet->rows, 5);
  ASSERT_EQ(sheet->columns, 9);
  ASSERT_EQ(sheet->points.size(), 45U);
  for (const auto& [row, column, e_t, e] : {std::tuple{0, 0, -1.0, 0.0}, {4, 8, 1.0, 1.0}, {2, 2, 0.0, 0.25}}) {
    const auto outcome = collide(ChatterjeeRuina{.e = e, .e_t = e_t, .mu = 0.3}, contact);
    const auto& point = sheet->points[static_cast<std::size_t>(9 * row + column)];
    ASSERT_TRUE(outcome && point);
    EXPECT_EQ(*point, outcome->P);
  }
}

TEST(ReachSheet, OfOneParameterIsACurve) {
  LawParameters settings;
  settings.mu = 0.3;
  const auto sheet = reach_sheet(generic(), "routh", settings, 5, 9);
  ASSERT_TRUE(sheet);
  EXPECT_EQ(sheet->rows, 1);
  EXPECT_EQ(sheet->points.size(), 9U);
}

TEST(ReachSheet, LeavesOutWhereALawHasNoAnswerAndRefusesWhatIsMissing) {
  // The bilinear law answers for diagonal masses only.
  LawParameters settings;
  settings.mu = 0.3;
  settings.e_t = 0;
  const auto sheet = reach_sheet(generic(), "bilinear", settings, 2, 2);
  ASSERT_TRUE(sheet) << sheet.error().message();
  for (const auto& point : sheet->points) EXPECT_FALSE(point);
  EXPECT_EQ(reach_sheet(generic(), "routh", {}).error().path, "mu");
  EXPECT_EQ(reach_sheet(generic(), "rout", settings).error().path, "law");
  EXPECT_EQ(reach_sheet(generic(), "routh", settings, 1, 9).error().path, "rows");
  EXPECT_EQ(reach_sheet(generic(), "routh", settings, 9, 1).error().path, "columns");
}

}  // namespace
}  // namespace ricochet
