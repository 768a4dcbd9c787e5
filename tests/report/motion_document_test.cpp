#include "ricochet/report/motion_document.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "ricochet/io/json.hpp"
#include "ricochet/report/page.hpp"

namespace ricochet {
namespace {

constexpr double pi = std::numbers::pi;

motion::Pose pose_at(const Vec3& position) { return {position, Quaternion::Identity(), Vec3(1, 2, 3), Vec3(4, 5, 6)}; }

/// A ball above a floor, one impact at t = 1, samples at 0, 1 (before and after) and 2.
MotionDocument ball_on_floor() {
  MotionDocument document;
  document.title = "a \"ball\" </script><!-- x";
  document.gravity = {0, 0, -9.81};
  motion::WorldBody floor;
  floor.name = "floor";
  floor.body.fixed = true;
  ConvexShape plane;
  plane.core = ConvexShape::Core::half_space;
  floor.shapes = {plane};
  motion::WorldBody ball;
  ball.name = "ball";
  ball.body.mass = 2;
  ConvexShape sphere;
  sphere.margin = 0.25;
  ball.shapes = {sphere};
  document.bodies = {floor, ball};
  for (const auto& [time, z] : {std::pair{0.0, 1.0}, {1.0, 0.3}, {1.0, 0.25}, {2.0, 0.5}}) {
    motion::EnergyLedger energy;
    energy.kinetic = 10 + z;
    energy.lost_to_impact = time;
    document.samples.push_back({time, {pose_at(Vec3::Zero()), pose_at({0, 0, z})}, energy});
  }
  motion::Event event;
  event.time = 1;
  event.body_b = 1;
  event.P = {0.1, 0, 3};
  event.energy_change = -0.125;
  document.events = {event};
  return document;
}

TEST(MotionDocument, HoldsBodiesSamplesAndEventsOfTheMotion) {
  const MotionDocument document = ball_on_floor();
  ASSERT_TRUE(check(document));
  const Json json = Json::parse(write_json(document));
  EXPECT_EQ(json["ricochet"], "motion");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["title"], document.title);
  EXPECT_EQ(json["gravity"], Json({0, 0, -9.81}));
  EXPECT_EQ(json["bodies"][0]["moves"], false);
  EXPECT_FALSE(json["bodies"][0].contains("mass"));
  EXPECT_EQ(json["bodies"][0]["shapes"][0]["kind"], "plane");
  EXPECT_EQ(json["bodies"][1]["mass"], 2);
  EXPECT_EQ(json["bodies"][1]["shapes"][0]["radius"], 0.25);
  const Json event = json["events"][0];
  EXPECT_EQ(event["kind"], "impact");
  EXPECT_EQ(event["body_a"], 0);
  EXPECT_EQ(event["body_b"], 1);
  EXPECT_EQ(event["P"], Json({0.1, 0, 3}));
  EXPECT_EQ(event["energy_change"], -0.125);
}

TEST(MotionDocument, OfTwoSamplesAtOneTimeTheLaterIsAfterTheImpact) {
  const Json json = Json::parse(write_json(ball_on_floor()));
  EXPECT_EQ(json["times"], Json({0, 1, 2}));
  // Only the ball moves: seven numbers a sample.
  EXPECT_EQ(json["poses"], Json({0, 0, 1, 1, 0, 0, 0, 0, 0, 0.25, 1, 0, 0, 0, 0, 0, 0.5, 1, 0, 0, 0}));
  EXPECT_EQ(json["velocities"].size(), 18U);
  EXPECT_EQ(json["velocities"][5], 6);
  EXPECT_EQ(json["energy"]["kinetic"], Json({11, 10.25, 10.5}));
  EXPECT_EQ(json["energy"]["lost_to_impact"], Json({0, 1, 2}));
}

TEST(MotionDocument, AFixedBodyWithAVelocityMoves) {
  MotionDocument document = ball_on_floor();
  document.bodies[0].body.velocity = {1, 0, 0};
  const Json json = Json::parse(write_json(document));
  EXPECT_EQ(json["bodies"][0]["moves"], true);
  EXPECT_EQ(json["bodies"][0]["fixed"], true);
  EXPECT_EQ(json["poses"].size(), 3U * 2U * 7U);
}

TEST(MotionDocument, ShapesAreHalfExtentsOfTheirCoreAndTheRadiusSweptOverIt) {
  MotionDocument document = ball_on_floor();
  auto& shapes = document.bodies[1].shapes;
  shapes.clear();
  ConvexShape shape;
  shape.margin = 0.1;
  shape.core = ConvexShape::Core::segment;
  shape.size = {7, 7, 0.5};  // only z counts
  shape.rotation = Eigen::AngleAxisd(pi / 2, Vec3::UnitX()).toRotationMatrix();
  shape.position = {1, 2, 3};
  shapes.push_back(shape);
  shape.core = ConvexShape::Core::cylinder;
  shape.size = {0.2, 7, 0.5};  // y does not count
  shapes.push_back(shape);
  shape.core = ConvexShape::Core::box;
  shape.size = {1, 2, 3};
  shapes.push_back(shape);
  shape.core = ConvexShape::Core::hull;
  auto hull = std::make_shared<Hull>();
  hull->vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  hull->faces = {{0, 1, 2}, {0, 1, 3}};
  shape.hull = hull;
  shapes.push_back(shape);
  const Json json = Json::parse(write_json(document))["bodies"][1]["shapes"];
  EXPECT_EQ(json[0]["kind"], "capsule");
  EXPECT_EQ(json[0]["size"], Json({0, 0, 0.5}));
  EXPECT_EQ(json[0]["radius"], 0.1);
  EXPECT_EQ(json[0]["position"], Json({1, 2, 3}));
  EXPECT_NEAR(json[0]["orientation"][0].get<double>(), std::cos(pi / 4), 1e-15);
  EXPECT_NEAR(json[0]["orientation"][1].get<double>(), std::sin(pi / 4), 1e-15);
  EXPECT_EQ(json[1]["size"], Json({0.2, 0.2, 0.5}));
  EXPECT_EQ(json[2]["size"], Json({1, 2, 3}));
  EXPECT_EQ(json[3]["vertices"][1], Json({1, 0, 0}));
  EXPECT_EQ(json[3]["faces"][1], Json({0, 1, 3}));
}

TEST(MotionDocument, KindsOfEventsAreTheWordsOfEventsCsv) {
  MotionDocument document = ball_on_floor();
  const std::vector<std::pair<motion::EventKind, std::string>> words{
      {motion::EventKind::impact, "impact"}, {motion::EventKind::stick, "stick"},
      {motion::EventKind::slip, "slip"},     {motion::EventKind::roll, "roll"},
      {motion::EventKind::rest, "rest"},     {motion::EventKind::lift_off, "lift-off"}};
  for (const auto& [kind, word] : words) {
    document.events[0].kind = kind;
    EXPECT_EQ(Json::parse(write_json(document))["events"][0]["kind"], word);
  }
}

TEST(MotionDocument, TimesAndImpulsesKeepAllTheirDigits) {
  MotionDocument document = ball_on_floor();
  const double time = 1 + 1.0 / 3, z = 0.1 + 0.2;
  document.samples[1].time = document.samples[2].time = document.events[0].time = time;
  document.events[0].P.z() = z;
  const Json json = Json::parse(write_json(document));
  EXPECT_EQ(json["times"][1].get<double>(), time);
  EXPECT_EQ(json["events"][0]["time"].get<double>(), time);
  EXPECT_EQ(json["events"][0]["P"][2].get<double>(), z);
}

TEST(MotionDocument, WhatTheViewerCannotShowIsRefusedByName) {
  const auto refused = [](const auto& change) {
    MotionDocument document = ball_on_floor();
    change(document);
    const auto answer = check(document);
    return answer ? std::string("accepted") : answer.error().path;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused([](MotionDocument& d) { d.samples.clear(); }), "samples");
  EXPECT_EQ(refused([](MotionDocument& d) { d.samples[3].time = 0.5; }), "samples[3].time");
  EXPECT_EQ(refused([&](MotionDocument& d) { d.samples[0].time = nan; }), "samples[0].time");
  EXPECT_EQ(refused([](MotionDocument& d) { d.samples[1].poses.pop_back(); }), "samples[1].poses");
  EXPECT_EQ(refused([&](MotionDocument& d) { d.samples[1].poses[1].velocity.x() = nan; }), "samples[1].poses");
  EXPECT_EQ(refused([&](MotionDocument& d) { d.samples[2].energy.potential = nan; }), "samples[2].energy");
  EXPECT_EQ(refused([](MotionDocument& d) { d.events[0].time = 1.5; }), "events[0].time");
  EXPECT_EQ(refused([](MotionDocument& d) { d.events[0].body_a = 2; }), "events[0].bodies");
  EXPECT_EQ(refused([&](MotionDocument& d) { d.events[0].P.x() = nan; }), "events[0]");
}

TEST(MotionPage, IsOneFileThatLoadsNothingAndWhoseTextsCannotEndItsScripts) {
  const MotionDocument document = ball_on_floor();
  const std::string page = motion_page(document);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* loading : {"src=", "@import", "url(", "import {", "import("})
    EXPECT_EQ(page.find(loading), std::string::npos) << loading;
  EXPECT_NE(page.find("<h1>a &quot;ball&quot; &lt;/script&gt;&lt;!-- x</h1>"), std::string::npos);
  // The document between its tags is JSON again, and has the title.
  const std::string begin = "id=\"motion\">";
  const std::size_t from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  const Json inside = Json::parse(page.substr(from, to - from));
  EXPECT_EQ(inside["title"], document.title);
  EXPECT_EQ(inside, Json::parse(write_json(document)));
}

TEST(MotionPage, StandsInAReportAsAFrame) {
  PageSection section{.id = "motion", .title = "Motion"};
  section.frame = motion_page(ball_on_floor());
  const std::string html = to_html(Page{.title = "report", .sections = {section}});
  const std::string begin = "<iframe title=\"Motion\" srcdoc=\"";
  const std::size_t from = html.find(begin) + begin.size(), to = html.find('"', from);
  ASSERT_NE(html.find(begin), std::string::npos);
  EXPECT_EQ(html.substr(to, 11), "\"></iframe>");
  EXPECT_EQ(html.substr(from, to - from), escape_xml(section.frame));
}

}  // namespace
}  // namespace ricochet
