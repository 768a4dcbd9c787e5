#include "ricochet/geometry/field_contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "geometry/projection.hpp"
#include "mechanism/random_tree.hpp"
#include "ricochet/geometry/shape_contact.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
using testing::random_vector;
using testing::Rng;
using testing::uniform;

constexpr double never = std::numeric_limits<double>::infinity();

/// Heights by a function of x and y.
template <class Height>
PlacedField terrain(int rows, int columns, double half_x, double half_y, const Height& height) {
  auto field = std::make_shared<HeightField>();
  field->rows = rows;
  field->columns = columns;
  field->half_x = half_x;
  field->half_y = half_y;
  field->base = 0.5;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      field->heights.push_back(height(-half_x + 2 * half_x * c / (columns - 1), -half_y + 2 * half_y * r / (rows - 1)));
  PlacedField out;
  out.field = std::move(field);
  return out;
}

ConvexShape shape_of(Core core, const Vec3& at, const Vec3& size, double margin = 0,
                     const Mat3& turn = Mat3::Identity()) {
  ConvexShape out;
  out.core = core;
  out.position = at;
  out.size = size;
  out.margin = margin;
  out.rotation = turn;
  return out;
}

ConvexShape ball(const Vec3& at, double radius) { return shape_of(Core::point, at, Vec3::Zero(), radius); }

Mat3 turned(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(); }

Mat3 random_turn(Rng& rng) { return turned(random_vector(rng, 1), uniform(rng, -3, 3)); }

std::vector<Touch> contacts(const PlacedField& field, const ConvexShape& shape, double reach) {
  const auto found = field_contacts(field, shape, reach);
  if (!found) throw std::runtime_error(found.error().message());
  return *found;
}

TEST(HeightField, CellsAndSolid_AreThoseOfTheGrid) {
  // Two cells wide and one high; divided from the lower left to the upper right.
  const PlacedField at = terrain(2, 3, 2, 1, [](double x, double y) { return x == 2 && y == -1 ? 1.0 : 0.0; });
  const HeightField& field = *at.field;
  EXPECT_EQ(grid_point(field, {1, 2}), Vec3(2, 1, 0));
  EXPECT_EQ(grid_point(field, {0, 2}), Vec3(2, -1, 1));
  const CellRange right = cells_near(field, {0.5, -0.2, 0}, {1, 0.3, 0});
  EXPECT_EQ(right.column_begin, 1);
  EXPECT_EQ(right.column_end, 2);
  EXPECT_EQ(right.row_begin, 0);
  EXPECT_EQ(right.row_end, 1);
  const CellRange none = cells_near(field, {2.5, 0, 0}, {3, 0, 0});
  EXPECT_EQ(none.column_begin, none.column_end);
  // Right of the division the plane through (0, −1, 0), (2, −1, 1), (2, 1, 0); left of it all is level.
  EXPECT_TRUE(holds(field, {1.5, -0.9, 0.69}));
  EXPECT_FALSE(holds(field, {1.5, -0.9, 0.71}));
  EXPECT_TRUE(holds(field, {0.5, 0.9, 0}));
  EXPECT_FALSE(holds(field, {0.5, 0.9, 1e-9}));
  EXPECT_FALSE(holds(field, {0.5, 0.9, -0.51}));
  EXPECT_FALSE(holds(field, {2.1, 0, -0.1}));
}

TEST(FieldContact, SphereOnLevelGround_TouchesItBelowItsCentre) {
  const PlacedField field = terrain(7, 9, 2, 1.5, [](double, double) { return 0.25; });
  Rng rng(1);
  for (int k = 0; k < 200; ++k) {
    // Also on edges and corners of triangles.
    const bool on_grid = k % 4 == 0;
    const Vec3 at(on_grid ? 0.5 * (k % 5 - 2) : uniform(rng, -1.7, 1.7),
                  on_grid ? 0.5 * (k % 3 - 1) : uniform(rng, -1.2, 1.2), 0.25 + 0.1 + 3e-4);
    const auto found = contacts(field, ball(at, 0.1), 1e-3);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].gap, 3e-4, 1e-12);
    EXPECT_LT((found[0].n - Vec3::UnitZ()).norm(), 1e-9);
    EXPECT_LT((found[0].on_A - Vec3(at.x(), at.y(), 0.25)).norm(), 1e-9);
    EXPECT_LT((found[0].on_B - Vec3(at.x(), at.y(), 0.25 + 3e-4)).norm(), 1e-9);
    const auto way = way_to_touch(ball(at + Vec3(0, 0, 5), 0.1), field, -Vec3::UnitZ());
    ASSERT_TRUE(way) << way.error().message();
    EXPECT_NEAR(*way, 5 + 3e-4, 1e-12);
  }
  EXPECT_TRUE(contacts(field, ball({0, 0, 0.4}, 0.1), 1e-3).empty());
}

TEST(FieldContact, SphereInAGroove_TouchesBothSides) {
  for (const double slope : {0.3, 1.0, 2.5}) {
    const PlacedField field = terrain(6, 9, 2, 1, [&](double x, double) { return slope * std::abs(x); });
    // Distance of (0, 0, h) from either side: h cos α, with tan α the slope.
    const double r = 0.2;
    const double cosine = 1 / std::sqrt(1 + slope * slope);
    const double sine = slope * cosine;
    const double h = (r + 2e-4) / cosine;
    const auto found = contacts(field, ball({0, 0.13, h}, r), 1e-3);
    ASSERT_EQ(found.size(), 2U);
    for (const Touch& touch : found) {
      const double side = touch.on_A.x() > 0 ? 1 : -1;
      const Vec3 n(-side * sine, 0, cosine);
      EXPECT_NEAR(touch.gap, 2e-4, 1e-12);
      EXPECT_LT((touch.n - n).norm(), 1e-12);
      EXPECT_LT((touch.on_A - (Vec3(0, 0.13, h) - (r + 2e-4) * n)).norm(), 1e-12);
    }
    EXPECT_LT(found[0].on_A.x() * found[1].on_A.x(), 0);
    const auto way = way_to_touch(ball({0, 0.13, 4}, r), field, -Vec3::UnitZ());
    ASSERT_TRUE(way) << way.error().message();
    EXPECT_NEAR(*way, 4 - r / cosine, 1e-12);
  }
}

TEST(FieldContact, SphereOnRidgeAndPeak_HasItsNormalAlongTheLineToItsCentre) {
  if (!have_every_distance()) GTEST_SKIP() << "needs FCL";
  const PlacedField ridge = terrain(6, 9, 2, 1, [](double x, double) { return 1 - 0.5 * std::abs(x); });
  const PlacedField peak =
      terrain(9, 9, 1, 1, [](double x, double y) { return 1 - 0.5 * std::max(std::abs(x), std::abs(y)); });
  Rng rng(2);
  for (int k = 0; k < 100; ++k) {
    const double r = uniform(rng, 0.05, 0.3);
    const double gap = uniform(rng, 0, 1e-3);
    // Across the ridge within the angle between the two sides, atan 0.5 to either side.
    const double tilt = uniform(rng, -0.4, 0.4);
    const Vec3 n(std::sin(tilt), 0, std::cos(tilt));
    const Vec3 top(0, uniform(rng, -0.9, 0.9), 1);
    const auto on_ridge = contacts(ridge, ball(top + (r + gap) * n, r), 1e-3);
    ASSERT_EQ(on_ridge.size(), 1U);
    EXPECT_LT((on_ridge[0].n - n).norm(), 1e-9);
    EXPECT_LT((on_ridge[0].on_A - top).norm(), 1e-9);
    EXPECT_NEAR(on_ridge[0].gap, gap, 1e-11);
    // The sides of the peak have slopes of 0.5 at most, in any direction.
    const Vec3 m = Vec3(uniform(rng, -0.25, 0.25), uniform(rng, -0.25, 0.25), 1).normalized();
    const auto on_peak = contacts(peak, ball(Vec3(0, 0, 1) + (r + gap) * m, r), 1e-3);
    ASSERT_EQ(on_peak.size(), 1U);
    EXPECT_LT((on_peak[0].n - m).norm(), 1e-9);
    EXPECT_LT((on_peak[0].on_A - Vec3(0, 0, 1)).norm(), 1e-9);
    EXPECT_NEAR(on_peak[0].gap, gap, 1e-11);
  }
}

/// The same contacts in any order.
void expect_same(const std::vector<Touch>& found, const std::vector<Touch>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (const Touch& one : expected) {
    double nearest = never;
    for (const Touch& other : found)
      nearest = std::min(nearest, (one.on_A - other.on_A).norm() + (one.on_B - other.on_B).norm() +
                                      (one.n - other.n).norm() + std::abs(one.gap - other.gap));
    EXPECT_LT(nearest, tolerance);
  }
}

TEST(FieldContact, OnLevelGround_EveryShapeStandsAsOnAPlane) {
  if (!have_every_distance()) GTEST_SKIP() << "needs FCL";
  const PlacedField field = terrain(21, 31, 3, 2, [](double, double) { return 0.1; });
  ConvexShape plane;
  plane.core = Core::half_space;
  plane.position = {0, 0, 0.1};
  Rng rng(3);
  for (int k = 0; k < 60; ++k) {
    const Mat3 turn = turned(Vec3::UnitZ(), uniform(rng, -3, 3));
    const Mat3 lying = turn * turned(Vec3::UnitY(), std::numbers::pi / 2);
    // Level, or leaning so little that all corners are within reach; a little above, or a little below.
    const Mat3 lean = turned(random_vector(rng, 1), k % 2 == 0 ? 0 : uniform(rng, 0, 3e-4));
    const double gap = uniform(rng, -2e-4, 2e-4);
    for (const ConvexShape& one : {shape_of(Core::box, Vec3::Zero(), {0.3, 0.2, 0.1}, 0, lean * turn),
                                   shape_of(Core::segment, Vec3::Zero(), {0, 0, 0.3}, 0.1, lean * lying),
                                   shape_of(Core::cylinder, Vec3::Zero(), {0.2, 0.2, 0.1}, 0, lean * turn),
                                   shape_of(Core::cylinder, Vec3::Zero(), {0.1, 0.1, 0.3}, 0, lean * lying),
                                   shape_of(Core::ellipsoid, Vec3::Zero(), {0.3, 0.2, 0.1}, 0, lean * turn)}) {
      ConvexShape at = one;
      at.position = {uniform(rng, -2, 2), uniform(rng, -1, 1), 0};
      at.position.z() = gap - height_above(plane, at);
      expect_same(contacts(field, at, 1e-3), half_space_contacts(plane, at, 1e-3), 1e-12);
      at.position.z() += 1;
      const auto way = way_to_touch(at, field, -Vec3::UnitZ());
      ASSERT_TRUE(way) << way.error().message();
      EXPECT_NEAR(*way, 1 + gap, 1e-12);
    }
  }
}

TEST(FieldContact, FieldThatIsTurnedAndShifted_TouchesTheSame) {
  if (!have_every_distance()) GTEST_SKIP() << "needs FCL";
  Rng rng(4);
  const PlacedField field =
      terrain(15, 15, 1, 1, [](double x, double y) { return 0.1 * std::sin(5 * x) * std::cos(4 * y) + 0.2 * x; });
  for (int k = 0; k < 40; ++k) {
    ConvexShape shape = k % 2 == 0 ? ball(Vec3::Zero(), 0.1)
                                   : shape_of(Core::box, Vec3::Zero(), {0.1, 0.15, 0.05}, 0, random_turn(rng));
    shape.position = {uniform(rng, -0.7, 0.7), uniform(rng, -0.7, 0.7), 2};
    const auto down = way_to_touch(shape, field, -Vec3::UnitZ());
    ASSERT_TRUE(down) << down.error().message();
    shape.position.z() -= *down;
    const auto here = contacts(field, shape, 1e-3);
    ASSERT_FALSE(here.empty());
    double least = never;
    for (const Touch& touch : here) least = std::min(least, touch.gap);
    EXPECT_NEAR(least, 0, 1e-9);

    const Mat3 turn = random_turn(rng);
    const Vec3 shift = random_vector(rng, 5);
    PlacedField moved = field;
    moved.rotation = turn;
    moved.position = shift;
    ConvexShape with = shape;
    with.position = shift + turn * shape.position;
    with.rotation = turn * shape.rotation;
    std::vector<Touch> expected = here;
    for (Touch& touch : expected) {
      touch.on_A = shift + turn * touch.on_A;
      touch.on_B = shift + turn * touch.on_B;
      touch.n = turn * touch.n;
    }
    expect_same(contacts(moved, with, 1e-3), expected, 1e-7);
    with.position += 0.7 * turn.col(2);
    const auto way = way_to_touch(with, moved, -turn.col(2));
    ASSERT_TRUE(way) << way.error().message();
    EXPECT_NEAR(*way, 0.7, 1e-9);
  }
}

TEST(FieldContact, BoxOnPlateauAndRidge_TouchesTheirCornersAndEnds) {
  if (!have_every_distance()) GTEST_SKIP() << "needs FCL";
  const PlacedField plateau = terrain(11, 11, 1, 1, [](double x, double y) {
    return std::abs(x) < 0.5 && std::abs(y) < 0.3 ? 0.1 : 0.0;  // to 0.4 and 0.2
  });
  const PlacedField ridge = terrain(6, 9, 2, 1, [](double x, double) { return 1 - 0.5 * std::abs(x); });
  Rng rng(6);
  for (int k = 0; k < 20; ++k) {
    const double gap = k % 2 == 0 ? 0 : uniform(rng, 0, 1e-3);
    const Mat3 turn = turned(Vec3::UnitZ(), uniform(rng, -3, 3));
    std::vector<Touch> corners;
    for (const double x : {-0.4, 0.4})
      for (const double y : {-0.2, 0.2})
        corners.push_back({.on_A = {x, y, 0.1}, .on_B = {x, y, 0.1 + gap}, .n = Vec3::UnitZ(), .gap = gap});
    expect_same(contacts(plateau, shape_of(Core::box, {0.01, 0.02, 0.15 + gap}, {0.6, 0.6, 0.05}, 0, turn), 2e-3),
                corners, 1e-8);
    // An edge crosses the ridge, or the ridge goes through the whole face.
    const double y = uniform(rng, -0.3, 0.3);
    std::vector<Touch> ends;
    for (const double end : {y - 0.3, y + 0.3})
      ends.push_back({.on_A = {0, end, 1}, .on_B = {0, end, 1 + gap}, .n = Vec3::UnitZ(), .gap = gap});
    expect_same(contacts(ridge, shape_of(Core::box, {0.02, y, 1.05 + gap}, {0.1, 0.3, 0.05}), 2e-3), ends, 1e-8);
  }
}

/// Random heights at all grid points.
PlacedField random_terrain(Rng& rng) {
  PlacedField out = terrain(5, 6, 0.6, 0.5, [&](double, double) { return uniform(rng, 0, 0.15); });
  out.rotation = random_turn(rng);
  out.position = random_vector(rng, 1);
  return out;
}

ConvexShape random_shape(Rng& rng, int kind) {
  const Vec3 size(uniform(rng, 0.03, 0.2), uniform(rng, 0.03, 0.2), uniform(rng, 0.03, 0.2));
  const Mat3 turn = random_turn(rng);
  switch (kind % 6) {
    case 0: return ball(Vec3::Zero(), size.x());
    case 1: return shape_of(Core::box, Vec3::Zero(), size, 0, turn);
    case 2: return shape_of(Core::segment, Vec3::Zero(), {0, 0, size.z()}, size.x(), turn);
    case 3: return shape_of(Core::cylinder, Vec3::Zero(), {size.x(), size.x(), size.z()}, 0, turn);
    case 4: return shape_of(Core::ellipsoid, Vec3::Zero(), size, 0, turn);
    default: {
      ConvexShape out = shape_of(Core::hull, Vec3::Zero(), Vec3::Zero(), 0, turn);
      auto octahedron = std::make_shared<Hull>();
      for (int axis = 0; axis < 3; ++axis)
        for (const double end : {-1.0, 1.0}) octahedron->vertices.push_back(end * size(axis) * Vec3::Unit(axis));
      for (const int x : {0, 1})
        for (const int y : {2, 3})
          for (const int z : {4, 5}) octahedron->faces.push_back({x, y, z});
      out.hull = std::move(octahedron);
      return out;
    }
  }
}

TEST(FieldContact, OnRandomGround_IsTheNearestOfAllPrisms) {
  if (!have_every_distance()) GTEST_SKIP() << "needs FCL";
  Rng rng(5);
  int several = 0;
  for (int k = 0; k < 180; ++k) {
    const PlacedField field = random_terrain(rng);
    ConvexShape shape = random_shape(rng, k);
    // From above, from a side, or from below.
    const Vec3 way =
        k % 3 == 0 ? Vec3(random_vector(rng, 1).normalized())
                   : Vec3(field.rotation * Vec3(uniform(rng, -0.3, 0.3), uniform(rng, -0.3, 0.3), -1).normalized());
    shape.position =
        field.position + field.rotation * Vec3(uniform(rng, -0.5, 0.5), uniform(rng, -0.4, 0.4), 0) - 3 * way;
    const auto all = [&](const auto& visit) {
      for (int r = 0; r + 1 < field.field->rows; ++r)
        for (int c = 0; c + 1 < field.field->columns; ++c)
          for (const FieldTriangle& triangle : triangles({r, c})) visit(prism(field, triangle));
    };
    double least = never;
    all([&](const ConvexShape& one) {
      const auto found = way_to_touch(shape, one, way);
      ASSERT_TRUE(found) << found.error().message();
      least = std::min(least, *found);
    });
    const auto travelled = way_to_touch(shape, field, way);
    ASSERT_TRUE(travelled) << travelled.error().message();
    ASSERT_LT(least, 10);  // it comes through the middle
    EXPECT_NEAR(*travelled, least, 1e-9);

    // A little before it touches.
    shape.position += (*travelled - 3e-3) * way;
    double gap = never;
    all([&](const ConvexShape& one) {
      const auto found = shape_contacts(one, shape, 10);
      ASSERT_TRUE(found) << found.error().message();
      for (const Touch& touch : *found) gap = std::min(gap, touch.gap);
    });
    const auto near = contacts(field, shape, 5e-3);
    ASSERT_FALSE(near.empty());
    double nearest = never;
    for (const Touch& touch : near) {
      nearest = std::min(nearest, touch.gap);
      EXPECT_NEAR(touch.n.norm(), 1, 1e-12);
      EXPECT_LT((touch.on_B - touch.on_A - touch.gap * touch.n).norm(), 1e-9);
    }
    EXPECT_NEAR(nearest, gap, 1e-9);
    several += near.size() > 1 ? 1 : 0;
    EXPECT_TRUE(contacts(field, shape, 0.99 * gap).empty());
  }
  EXPECT_GT(several, 5);
}

/// Height of the surface, by the plane through the three corners of the triangle that x and y are in.
double surface(const HeightField& field, double x, double y) {
  const double s = (x + field.half_x) * (field.columns - 1) / (2 * field.half_x);
  const double t = (y + field.half_y) * (field.rows - 1) / (2 * field.half_y);
  const int c = std::min(static_cast<int>(s), field.columns - 2);
  const int r = std::min(static_cast<int>(t), field.rows - 2);
  const auto z = [&](int row, int column) {
    return field.heights[static_cast<std::size_t>(row * field.columns + column)];
  };
  const double u = s - c;
  const double v = t - r;
  return u >= v ? z(r, c) * (1 - u) + z(r, c + 1) * (u - v) + z(r + 1, c + 1) * v
                : z(r, c) * (1 - v) + z(r + 1, c) * (v - u) + z(r + 1, c + 1) * u;
}

TEST(FieldContact, SphereOnRandomGround_TouchesAtEveryLocalMinimumOfTheDistance) {
  if (!have_every_distance()) GTEST_SKIP() << "needs FCL";
  Rng rng(7);
  int several = 0;
  for (int k = 0; k < 300; ++k) {
    PlacedField at = random_terrain(rng);
    at.rotation.setIdentity();
    at.position.setZero();
    const HeightField& field = *at.field;
    // Somewhere above the middle, with a reach in which several triangles are.
    Vec3 centre(uniform(rng, -0.2, 0.2), uniform(rng, -0.15, 0.15), 0);
    centre.z() = surface(field, centre.x(), centre.y()) + uniform(rng, 0.05, 0.2);
    const double reach = 0.02;
    double nearest = never;
    std::vector<Vec3> minima;
    for (int r = 0; r + 1 < field.rows; ++r)
      for (int c = 0; c + 1 < field.columns; ++c)
        for (const FieldTriangle& triangle : triangles({r, c})) {
          const Vec3 p = testing::onto_triangle(centre, grid_point(field, triangle[0]), grid_point(field, triangle[1]),
                                                grid_point(field, triangle[2]));
          const double distance = (centre - p).norm();
          nearest = std::min(nearest, distance);
          if (std::abs(p.x()) > 0.55 || std::abs(p.y()) > 0.45) continue;  // the border has sides
          bool least = true;
          for (int i = 0; i < 720 && least; ++i) {
            const double angle = std::numbers::pi * i / 360;
            const double x = p.x() + 1e-5 * std::cos(angle);
            const double y = p.y() + 1e-5 * std::sin(angle);
            least = (Vec3(x, y, surface(field, x, y)) - centre).norm() >= distance - 1e-13;
          }
          const auto same = [&](const Vec3& q) { return (q - p).norm() < 1e-9; };
          if (least && std::none_of(minima.begin(), minima.end(), same)) minima.push_back(p);
        }
    const double radius = nearest - 1e-3;
    std::erase_if(minima, [&](const Vec3& p) { return (p - centre).norm() - radius > reach; });
    auto found = contacts(at, ball(centre, radius), reach);
    std::erase_if(
        found, [](const Touch& touch) { return std::abs(touch.on_A.x()) > 0.55 || std::abs(touch.on_A.y()) > 0.45; });
    ASSERT_EQ(found.size(), minima.size()) << k;
    for (const Vec3& p : minima) {
      double off = never;
      for (const Touch& touch : found) off = std::min(off, (touch.on_A - p).norm());
      EXPECT_LT(off, 1e-8);
    }
    several += minima.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 30);
}

TEST(FieldContact, DeepInTheGround_IsRaisedAsFarAsItOverlaps) {
  if (!have_every_distance()) GTEST_SKIP() << "needs FCL";
  const PlacedField field = terrain(41, 41, 1, 1, [](double, double) { return 0.3; });
  // Deeper than its cells are wide.
  const auto sunk = contacts(field, shape_of(Core::box, {0.01, 0.02, 0.3}, {0.2, 0.1, 0.15}), 1e-3);
  ASSERT_EQ(sunk.size(), 4U);
  for (const Touch& touch : sunk) {
    EXPECT_NEAR(touch.gap, -0.15, 1e-12);
    EXPECT_LT((touch.n - Vec3::UnitZ()).norm(), 1e-12);
  }
  const auto way = way_to_touch(shape_of(Core::box, {0.01, 0.02, 0.3}, {0.2, 0.1, 0.15}), field, -Vec3::UnitZ());
  ASSERT_TRUE(way) << way.error().message();
  EXPECT_NEAR(*way, -0.15, 1e-12);
  // Through the whole of it, or below: what is beyond is not met.
  EXPECT_FALSE(field_contacts(field, shape_of(Core::box, {0, 0, -0.1}, {0.2, 0.1, 2}), 1e-3));
  EXPECT_EQ(*way_to_touch(ball({0, 0, -2}, 0.1), field, -Vec3::UnitZ()), never);
  EXPECT_NEAR(*way_to_touch(ball({0, 0, -2}, 0.1), field, Vec3::UnitZ()), 1.4, 1e-9);
}

}  // namespace
}  // namespace ricochet
