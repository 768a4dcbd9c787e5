/// Bodies on height fields. A field that samples a plane is that plane: every shape moves on it as on the half space,
/// over the borders of all triangles. A plateau that ends in a slope has the closed forms of an edge.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

/// 2 half_x by 2 half_y, with `columns` by `rows` points.
WorldBody field_of(double half_x, double half_y, int columns, int rows,
                   const std::function<double(double, double)>& height, const Vec3& position = Vec3::Zero()) {
  auto field = std::make_shared<HeightField>();
  field->rows = rows;
  field->columns = columns;
  field->half_x = half_x;
  field->half_y = half_y;
  field->base = 10;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      field->heights.push_back(height(-half_x + 2 * half_x * c / (columns - 1), -half_y + 2 * half_y * r / (rows - 1)));
  WorldBody out;
  out.name = "terrain";
  out.body.fixed = true;
  out.body.position = position;
  out.fields.push_back({field, Vec3::Zero(), Mat3::Identity()});
  return out;
}

ConvexShape along_x(ConvexShape::Core core, const Vec3& size, double margin) {
  ConvexShape out;
  out.core = core;
  out.size = size;
  out.margin = margin;
  out.rotation << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  return out;
}

WorldBody shaped(const ConvexShape& shape, const Vec3& moments) {
  WorldBody out;
  out.name = "body";
  out.body.mass = 1;
  out.body.inertia = moments.asDiagonal();
  out.shapes.push_back(shape);
  return out;
}

TEST(HeightField, ThatSamplesAPlane_IsThatPlane) {
  const double sx = -0.3, sy = 0.1;
  const Vec3 n = Vec3(-sx, -sy, 1).normalized();
  const WorldBody terrain = field_of(4, 3, 23, 17, [&](double x, double y) { return sx * x + sy * y; });
  const WorldBody floor = half_space(Vec3::Zero(), n);
  struct Case {
    const char* name;
    WorldBody body;
    double height;  // of its centre above the plane
  };
  const double r = 0.1;
  std::vector<Case> cases;
  cases.push_back({"ball", ball(r, 1, Vec3::Zero()), 0.3});
  cases.push_back({"capsule", rod(0.3, 0.05, 1, Vec3::Zero()), 0.25});
  cases.push_back({"box", block({0.2, 0.1, 0.05}, 1, Vec3::Zero()), 0.3});
  cases.push_back(
      {"cylinder", shaped(along_x(ConvexShape::Core::cylinder, {r, r, 0.2}, 0), {0.005, 0.0158, 0.0158}), 0.4});
  cases.push_back(
      {"ellipsoid", shaped(along_x(ConvexShape::Core::ellipsoid, {0.1, 0.15, 0.2}, 0), {0.007, 0.01, 0.008}), 0.4});
  Deviation place("place"), spin("spin"), energy("imbalance");
  for (const bool bounces : {false, true})
    for (const Case& c : cases) {
      SCOPED_TRACE(c.name);
      WorldBody body = c.body;
      body.body.position = Vec3(-1.13, 0.31, sx * -1.13 + sy * 0.31) + c.height * n;
      body.body.orientation = Quaternion(Eigen::AngleAxisd(0.3, Vec3(0.2, 0.9, 0.3).normalized()));
      body.body.velocity = {0.4, -0.2, 0};
      body.body.angular_velocity = {0.3, 0.5, -0.4};
      // A box whose corners strike one after the other, faster and faster, ends in a tie that rounding decides. It
      // slides, and does not turn, since the friction of four corners that turn depends on how they share the load.
      if (!bounces && body.shapes[0].core == ConvexShape::Core::box) {
        body.body.orientation = Quaternion::FromTwoVectors(Vec3(Vec3::UnitZ()), n);
        body.body.angular_velocity.setZero();
      }
      const PairLaw law{Routh{.e = bounces ? 0.4 : 0.0, .mu = 0.2}, 0.2, 0.2};
      // Many bounces magnify what rounding adds.
      const double until = bounces ? 0.4 : 0.9;
      const Ran on_field = run_world(world_of({terrain, body}, law), until);
      const Ran on_floor = run_world(world_of({floor, body}, law), until);
      ASSERT_TRUE(on_field.ok && on_floor.ok);
      place.add(on_field.poses[1].position, on_floor.poses[1].position, 1);
      spin.add(on_field.poses[1].angular_velocity, on_floor.poses[1].angular_velocity, 10);
      energy.add(on_field.ledger.imbalance(), 0, 1);
    }
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(spin.largest(), 1e-8);
  EXPECT_LT(energy.largest(), 1e-11);
}

// As over the edge of a table (over_an_edge_test.cpp): the slope of 70° beyond the edge is too steep to be met.
TEST(HeightField, PlateauWithAnEdge_ABallLeavesAtItsAngle) {
  const double r = 0.03, steep = std::tan(70 * std::numbers::pi / 180);
  const WorldBody terrain = field_of(0.5, 0.2, 21, 6, [&](double x, double) { return x > 1e-9 ? -steep * x : 0; });
  Deviation cosine("cosine");
  for (const bool rough : {false, true}) {
    const double v0 = 0.2, c = rough ? 10.0 / 7 : 2;
    const PairLaw law = rough ? PairLaw{Routh{.e = 0.5, .mu = 1}, 1, std::numeric_limits<double>::infinity()}
                              : PairLaw{Routh{.e = 0.5}, 0, 0};
    const Vec3 way = Vec3(1, 0.2, 0).normalized();
    WorldBody rolling = ball(r, 0.2, {-0.13, 0.01, r}, v0 / way.x() * way, Vec3::Zero());
    if (rough) rolling.body.angular_velocity = Vec3::UnitZ().cross(rolling.body.velocity) / r;
    const Ran ran = run_world(world_of({terrain, rolling}, law), 0.13 / v0 + 0.5);
    ASSERT_TRUE(ran.ok);
    const auto lifts = ran.recording.of(EventKind::lift_off);
    ASSERT_GE(lifts.size(), 1U);
    cosine.add(lifts[0].n.z(), (v0 * v0 / (gravity * r) + c) / (1 + c));
  }
  EXPECT_LT(cosine.largest(), 1e-9);
}

// A smooth ball slides down one side of a valley and hits the other at the speed of its fall; e = 0 leaves it the part
// along the other side.
TEST(HeightField, Valley_ABallMeetsTheOtherSideAtItsSpeed) {
  const double r = 0.05, slope = 0.5, angle = std::atan(slope);
  const WorldBody terrain = field_of(1, 0.4, 21, 9, [&](double x, double) { return slope * std::abs(x); });
  // The centre moves along z = r/cos + slope |x| and touches both sides at x = 0.
  const double x0 = -0.37, z0 = r / std::cos(angle) + slope * 0.37;
  const World world = world_of({terrain, ball(r, 1, {x0, 0.02, z0}, Vec3::Zero())}, {Routh{.e = 0}, 0, 0});
  const double a = gravity * std::sin(angle), way = 0.37 / std::cos(angle);
  const double t = std::sqrt(2 * way / a), v = std::sqrt(2 * a * way);
  const Ran ran = run_world(world, 1.2 * t);
  ASSERT_TRUE(ran.ok);
  const auto hits = ran.recording.of(EventKind::impact);
  ASSERT_GE(hits.size(), 1U);
  Deviation time("impact time"), approach("approach"), after("velocity after");
  time.add(hits[0].time, t);
  approach.add(hits[0].approach, v * std::sin(2 * angle));
  const Ran just = run_world(world, t + 1e-9);
  after.add(just.poses[1].velocity, v * std::cos(2 * angle) * Vec3(std::cos(angle), 0, std::sin(angle)), v);
  EXPECT_LT(time.largest(), 1e-11);
  EXPECT_LT(approach.largest(), 1e-11);
  EXPECT_LT(after.largest(), 1e-7);
}

// A box lies across a ridge by the two lines in which its edges cross it, and stays; moved off its middle by more than
// μ-independent balance allows, it turns about the ridge as a pendulum upside down does.
TEST(HeightField, Ridge_ABoxBalancesOnIt_AndFallsBesideIt) {
  const WorldBody terrain = field_of(1, 0.5, 11, 6, [&](double x, double) { return -0.4 * std::abs(x); });
  const PairLaw law{Routh{.e = 0, .mu = 2}, 2, 2};
  const double h = 0.05, half = 0.2;
  for (const double off : {0.0, 0.01}) {
    const Ran ran = run_world(world_of({terrain, block({half, 0.1, h}, 1, {off, 0.03, h})}, law), 0.3);
    ASSERT_TRUE(ran.ok);
    if (off == 0) {
      EXPECT_LT((ran.poses[1].position - Vec3(0, 0.03, h)).norm(), 1e-12);
      continue;
    }
    // ½ (J + m ρ²) ω² + m g (centre's height) is kept while it turns about the ridge.
    const double J = (half * half + h * h) / 3, arm2 = off * off + h * h;
    const double w = ran.poses[1].angular_velocity.y();
    EXPECT_GT(w, 0.1);
    const double fallen = h - ran.poses[1].position.z();
    EXPECT_NEAR(0.5 * (J + arm2) * w * w, gravity * fallen, 1e-10);
    EXPECT_NEAR(ran.poses[1].position.squaredNorm() - 0.03 * 0.03, arm2, 1e-10);
  }
}

TEST(HeightField, OverlapAtTheStart_OrAFieldThatMoves_IsRefused) {
  const auto level = [](double, double) { return 0.0; };
  EXPECT_FALSE(
      Simulation::start(world_of({field_of(1, 1, 4, 4, level), ball(0.1, 1, {0.1, 0.2, 0.05})}, {Routh{}, 0, 0})));
  EXPECT_FALSE(
      Simulation::start(world_of({field_of(1, 1, 4, 4, level), ball(0.1, 1, {0.1, 0.2, -5})}, {Routh{}, 0, 0})));
  WorldBody moving = field_of(1, 1, 4, 4, level);
  moving.body.velocity = {0, 0, 1};
  EXPECT_FALSE(Simulation::start(world_of({moving, ball(0.1, 1, {0.1, 0.2, 1})}, {Routh{}, 0, 0})));
}

}  // namespace
}  // namespace ricochet::motion
