#include "model/convex_gap.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "mechanism/random_tree.hpp"
#include "model/projection.hpp"
#include "ricochet/mechanism/articulated.hpp"
#include "ricochet/model/mujoco_model.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
using testing::random_vector;
using testing::Rng;
using testing::uniform;

ConvexShape shape(Core core, const Vec3& size, const Vec3& position = Vec3::Zero(),
                  const Mat3& rotation = Mat3::Identity(), double margin = 0) {
  ConvexShape out;
  out.core = core;
  out.size = size;
  out.position = position;
  out.rotation = rotation;
  out.margin = margin;
  return out;
}

/// A lopsided pyramid with a square base.
std::shared_ptr<const Hull> pyramid(double s) {
  auto hull = std::make_shared<Hull>();
  for (const Vec3& v :
       {Vec3(-1, -1, -0.5), Vec3(1, -1, -0.5), Vec3(1, 1, -0.5), Vec3(-1, 1, -0.5), Vec3(0.2, -0.1, 0.9)})
    hull->vertices.push_back(s * v);
  hull->faces = {{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  return hull;
}

Mat3 turned(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix(); }

Mat3 turn(Rng& rng) { return turned(random_vector(rng, 1), uniform(rng, -3, 3)); }

ConvexShape random_shape(Rng& rng, Core core) {
  const auto length = [&] { return 0.1 * std::pow(4.0, uniform(rng, -1, 1)); };
  Vec3 size(length(), length(), length());
  if (core == Core::cylinder) size.y() = size.x();
  ConvexShape out = shape(core, size, Vec3::Zero(), turn(rng));
  if (core == Core::point || core == Core::segment) out.margin = length();
  if (core == Core::hull) out.hull = pyramid(length());
  return out;
}

constexpr std::array<Core, 6> cores{Core::point, Core::segment, Core::ellipsoid, Core::cylinder, Core::box, Core::hull};

ConvexGap gap_of(const ConvexShape& A, const ConvexShape& B) {
  auto found = convex_gap(A, B);
  if (!found) throw std::runtime_error(found.error().message());
  return *found;
}

TEST(ConvexGap, UprightBoxes_FaceEdgeAndCorner) {
  const Vec3 a(0.1, 0.2, 0.3), b(0.15, 0.05, 0.25);
  for (const double d : {0.5, 1e-2, 1e-5, 1e-9}) {
    for (int axes = 1; axes < 8; ++axes) {  // which of x, y, z separate them
      Vec3 c(0.02, -0.03, 0.04), apart = Vec3::Zero();
      for (int k = 0; k < 3; ++k) {
        if ((axes >> k & 1) == 0) continue;
        apart(k) = (k == 1 ? -1 : 1) * d * (k + 1);
        c(k) = (k == 1 ? -1 : 1) * (a(k) + b(k)) + apart(k);
      }
      const ConvexGap got = gap_of(shape(Core::box, a), shape(Core::box, b, c));
      // Rounding of c leaves 1e-16 in each component.
      EXPECT_NEAR(got.gap, apart.norm(), 1e-15) << axes << " " << d;
      EXPECT_LT((got.n - apart.normalized()).norm(), 1e-12 + 1e-15 / d) << axes << " " << d;
      EXPECT_LT((got.on_B - got.on_A - got.gap * got.n).norm(), 1e-14) << axes;
      EXPECT_EQ(got.patch, axes != 7) << axes;
      EXPECT_LT((testing::onto(shape(Core::box, a), got.on_A) - got.on_A).norm(), 1e-14);
      EXPECT_LT((testing::onto(shape(Core::box, b, c), got.on_B) - got.on_B).norm(), 1e-14);
    }
  }
}

TEST(ConvexGap, OverlappingBoxes_TheShallowestWayOut) {
  const Vec3 a(0.1, 0.2, 0.3), b(0.15, 0.05, 0.25);
  Rng rng(11);
  for (int i = 0; i < 200; ++i) {
    const int k = i % 3;
    Vec3 depth;
    for (int j = 0; j < 3; ++j) depth(j) = uniform(rng, 0.5, 1) * std::min(a(j), b(j));
    depth(k) = std::pow(10.0, uniform(rng, -12, -2));
    const ConvexGap got = gap_of(shape(Core::box, a), shape(Core::box, b, Vec3(a + b - depth)));
    EXPECT_NEAR(got.gap, -depth(k), 1e-15);
    EXPECT_LT((got.n - Vec3::Unit(k)).norm(), 1e-12);
  }
}

/// Heights at which the tests put a shape over a flat top: apart, at hand, touching but for rounding, overlapping.
constexpr std::array<double, 9> heights{0.3, 1e-2, 1e-4, 1e-8, 1e-13, 0, -1e-13, -1e-8, -1e-4};

/// The lowest point below the position, by the formula of each shape.
Vec3 lowest_arm(const ConvexShape& s) {
  const Vec3 a = s.rotation.transpose() * -Vec3::UnitZ();
  Vec3 arm = Vec3::Zero();
  switch (s.core) {
    case Core::segment: arm = {0, 0, std::copysign(s.size.z(), a.z())}; break;
    case Core::box:
      for (int k = 0; k < 3; ++k) arm(k) = std::copysign(s.size(k), a(k));
      break;
    case Core::ellipsoid: {  // where the gradient of Σ x²/s² is along a
      const Vec3 s2 = s.size.array().square();
      arm = s2.cwiseProduct(a) / std::sqrt(a.dot(s2.cwiseProduct(a)));
      break;
    }
    case Core::cylinder: {
      const double angle = std::atan2(a.y(), a.x());
      arm = {s.size.x() * std::cos(angle), s.size.x() * std::sin(angle), std::copysign(s.size.z(), a.z())};
      break;
    }
    case Core::hull:
      for (const Vec3& v : s.hull->vertices)
        if (arm.isZero() || v.dot(a) > arm.dot(a)) arm = v;
      break;
    default: break;
  }
  return s.rotation * arm - s.margin * Vec3::UnitZ();
}

TEST(ConvexGap, AnythingOverAFlatTop_IsItsSupport) {
  const ConvexShape table = shape(Core::box, {2, 2, 0.5}, {0, 0, -0.5});
  Rng rng(12);
  for (const Core core : cores) {
    for (int i = 0; i < 100; ++i) {
      ConvexShape above = random_shape(rng, core);
      const Vec3 arm = lowest_arm(above);
      const double height = heights[static_cast<std::size_t>(i) % heights.size()];
      above.position = Vec3(uniform(rng, -0.5, 0.5), uniform(rng, -0.5, 0.5), height - arm.z());
      const ConvexGap got = gap_of(table, above);
      EXPECT_NEAR(got.gap, height, 1e-14) << static_cast<int>(core);
      EXPECT_LT((got.n - Vec3::UnitZ()).norm(), 1e-12) << static_cast<int>(core) << " at " << height;
      EXPECT_LT((got.on_B - above.position - arm).norm(), 1e-12) << static_cast<int>(core);
      EXPECT_FALSE(got.patch);
      // The other way round it is the same.
      const ConvexGap back = gap_of(above, table);
      EXPECT_NEAR(back.gap, got.gap, 1e-14);
      EXPECT_LT((back.n + got.n).norm(), 1e-12);
    }
  }
}

TEST(ConvexGap, CrossedCylinders_PassAtTheirRadii) {
  Rng rng(13);
  for (int i = 0; i < 100; ++i) {
    const double r1 = uniform(rng, 0.05, 0.3), r2 = uniform(rng, 0.05, 0.3);
    const double height = heights[static_cast<std::size_t>(i) % heights.size()];
    const Mat3 all = turn(rng);
    const ConvexShape A =
        shape(Core::cylinder, {r1, r1, 1}, all * Vec3(0, 0.1, 0), all * turned(Vec3::UnitX(), std::numbers::pi / 2));
    const double angle = uniform(rng, 0.3, 1.5);
    const Mat3 lying = turned(Vec3::UnitZ(), angle) * turned(Vec3::UnitX(), std::numbers::pi / 2);
    const ConvexShape B = shape(Core::cylinder, {r2, r2, 1}, all * Vec3(0.05, 0, height + r1 + r2), all * lying);
    const ConvexGap got = gap_of(A, B);
    EXPECT_NEAR(got.gap, height, 1e-14);
    EXPECT_LT((got.n - all.col(2)).norm(), 1e-12);
    EXPECT_FALSE(got.patch);
    EXPECT_LT((got.on_B - got.on_A - got.gap * got.n).norm(), 1e-12);
    // On both axes' lines: x = 0 on the first, and the second turned by the angle through (0.05, 0).
    const Vec3 at = all.transpose() * got.on_A;
    EXPECT_NEAR(at.x(), 0, 1e-12);
    EXPECT_NEAR((at.x() - 0.05) * std::cos(angle) + at.y() * std::sin(angle), 0, 1e-12);
  }
}

TEST(ConvexGap, RoundEllipsoids_AreSpheres) {
  Rng rng(14);
  for (int i = 0; i < 200; ++i) {
    const double r1 = uniform(rng, 0.05, 0.3), r2 = uniform(rng, 0.05, 0.3);
    const double height = heights[static_cast<std::size_t>(i) % heights.size()];
    const Vec3 n = random_vector(rng, 1).normalized();
    const ConvexShape A = shape(Core::ellipsoid, Vec3::Constant(r1), Vec3(3, -2, 1), turn(rng));
    const ConvexShape B = shape(Core::ellipsoid, Vec3::Constant(r2), Vec3(A.position + (r1 + r2 + height) * n));
    const ConvexGap got = gap_of(A, B);
    EXPECT_NEAR(got.gap, height, 1e-13);
    EXPECT_LT((got.n - n).norm(), 1e-12) << height;
    EXPECT_LT((got.on_A - A.position - r1 * n).norm(), 1e-12) << height;
  }
}

TEST(ConvexGap, RandomPoses_IsTheDistanceByProjection) {
  Rng rng(15);
  double worst = 0;
  for (const Core a : cores) {
    for (const Core b : cores) {
      if (a == Core::point && b == Core::point) continue;
      for (int i = 0; i < 100; ++i) {
        const ConvexShape A = random_shape(rng, a);
        ConvexShape B = random_shape(rng, b);
        const Vec3 away = random_vector(rng, 1).normalized();
        // Apart by at least this along `away`, and often by not much more.
        const double apart = std::pow(10.0, uniform(rng, -3, 0));
        B.position = away * (apart - slab(A, B, away));
        const ConvexGap got = gap_of(A, B);
        ASSERT_GE(got.gap, apart - 1e-14);
        const double size = core_radius(A) + core_radius(B) + A.margin + B.margin;
        double above = testing::distance_by_projection(A, B, 5000);
        // Faces that are nearly parallel take it long.
        if (above > got.gap + 1e-9 * size) above = testing::distance_by_projection(A, B, 500000);
        EXPECT_LE(got.gap, above + 1e-14) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
        EXPECT_NEAR(got.gap, above, 1e-9 * size) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
        worst = std::max(worst, (above - got.gap) / size);
        // The nearest points belong to the shapes, and are as far apart as they should be.
        EXPECT_LT((testing::onto(A, got.on_A) - got.on_A).norm(), 1e-11 * size);
        EXPECT_LT((testing::onto(B, got.on_B) - got.on_B).norm(), 1e-11 * size);
        EXPECT_LT(got.uncertainty, 1e-11 * size);
        EXPECT_LT((got.on_B - got.on_A - got.gap * got.n).norm(), 1e-11 * size);
        EXPECT_NEAR(got.n.norm(), 1, 1e-14);
      }
    }
  }
  RecordProperty("worst_difference_of_size", std::to_string(worst));
}

TEST(ConvexGap, Touching_TheNormalIsThatOfTheSurfaces) {
  // Two bodies slid together along n until the gap is nothing: n must still be the normal of both surfaces there.
  Rng rng(16);
  for (const Core a : cores) {
    for (const Core b : cores) {
      if (a == Core::point && b == Core::point) continue;
      for (int i = 0; i < 8; ++i) {
        const ConvexShape A = random_shape(rng, a);
        ConvexShape B = random_shape(rng, b);
        B.position = 2 * random_vector(rng, 1).normalized();
        const ConvexGap apart = gap_of(A, B);
        for (const double left : {1e-6, 0.0, -1e-6}) {
          ConvexShape near = B;
          near.position -= (apart.gap - left) * apart.n;
          const ConvexGap got = gap_of(A, near);
          if (left >= 0) {
            EXPECT_NEAR(got.gap, left, 1e-12) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
          } else {  // corners may have a shorter way out than back, or even slip past each other
            EXPECT_GE(got.gap, left - 1e-12) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
            EXPECT_LE(got.gap, -left) << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
          }
          if (a == Core::ellipsoid || b == Core::ellipsoid || A.margin > 0 || B.margin > 0) {
            EXPECT_NEAR(got.gap, left, 1e-10);
            EXPECT_LT((got.n - apart.n).norm(), 1e-4);
          }
        }
      }
    }
  }
}

TEST(ConvexGap, Overlapping_NoDirectionOfThousandsPartsThemSooner) {
  Rng rng(20);
  int overlapping = 0;
  for (const Core a : cores) {
    for (const Core b : cores) {
      if (a == Core::point && b == Core::point) continue;
      for (int i = 0; i < 10; ++i) {
        const ConvexShape A = random_shape(rng, a);
        ConvexShape B = random_shape(rng, b);
        B.position = 2 * random_vector(rng, 1).normalized();
        const ConvexGap apart = gap_of(A, B);
        const double smaller = std::min(core_radius(A) + A.margin, core_radius(B) + B.margin);
        B.position -= (apart.gap + 0.03 * smaller) * apart.n;
        const ConvexGap got = gap_of(A, B);
        if (got.gap >= 0) continue;  // slipped past a corner
        ++overlapping;
        for (int k = 0; k < 3000; ++k) {
          ASSERT_LE(slab(A, B, random_vector(rng, 1).normalized()), got.gap + 1e-14)
              << static_cast<int>(a) << " " << static_cast<int>(b) << " " << i;
        }
        // And the shift does part them: what is left of the gap is nothing.
        B.position -= got.gap * got.n;
        EXPECT_NEAR(gap_of(A, B).gap, 0, 1e-12);
      }
    }
  }
  EXPECT_GT(overlapping, 250);
}

TEST(ConvexGap, SizeDoesNotMatter) {
  Rng rng(17);
  for (int i = 0; i < 100; ++i) {
    ConvexShape A = random_shape(rng, cores[static_cast<std::size_t>(i) % 5 + 1]);
    ConvexShape B = random_shape(rng, cores[static_cast<std::size_t>(i) % 4 + 2]);
    B.position = 1.5 * random_vector(rng, 1).normalized();
    const ConvexGap one = gap_of(A, B);
    for (const double k : {1e-4, 1e4}) {
      ConvexShape a = A, b = B;
      for (ConvexShape* s : {&a, &b}) {
        s->size *= k;
        s->margin *= k;
        s->position = k * s->position + Vec3(100 * k, 0, 0);
        if (!s->hull) continue;
        auto hull = std::make_shared<Hull>(*s->hull);
        for (Vec3& v : hull->vertices) v *= k;
        s->hull = hull;
      }
      EXPECT_NEAR(gap_of(a, b).gap / k, one.gap, 1e-12);
    }
  }
}

TEST(ConvexGap, HalfSpacesAndMerePoints_AreRefused) {
  EXPECT_FALSE(convex_gap(shape(Core::half_space, Vec3::Zero()), shape(Core::box, Vec3::Ones(), {0, 0, 3})));
  EXPECT_FALSE(convex_gap(shape(Core::point, Vec3::Zero()), shape(Core::point, Vec3::Zero(), {0, 0, 3})));
}

// --- through a robot file
// ---------------------------------------------------------------------------------------------

const std::string tetrahedron = "<asset><mesh name='m' vertex='-.1 -.1 -.1  .2 0 -.1  0 .2 -.1  0 0 .2'/></asset>";

MujocoModel two_free_bodies(const std::string& a, const std::string& b) {
  auto model = MujocoModel::parse("<mujoco>" + tetrahedron + "<worldbody><body name='a'><freejoint/><geom name='ga' " +
                                  a + "/></body><body name='b' pos='0 0 1'><freejoint/><geom name='gb' " + b +
                                  "/></body></worldbody></mujoco>");
  if (!model) throw std::runtime_error(model.error().message());
  return *model;
}

TEST(ContactsByFcl, RateOfTheGap_IsTheApproach) {
  const std::array<std::string, 6> geoms{"type='sphere' size='.1'",           "type='capsule' size='.08 .12'",
                                         "type='ellipsoid' size='.1 .15 .2'", "type='cylinder' size='.1 .15'",
                                         "type='box' size='.1 .12 .15'",      "type='mesh' mesh='m'"};
  Rng rng(18);
  int checked = 0;
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    for (std::size_t j = std::max<std::size_t>(i, 2); j < geoms.size(); ++j) {
      const MujocoModel model = two_free_bodies(geoms[i], geoms[j]);
      const Tree tree = model.tree();
      for (int k = 0; k < 12; ++k) {
        VecX q = model.reference();
        for (const int body : {0, 1}) {
          const Eigen::Quaterniond r(turn(rng));
          q.segment<4>(7 * body + 3) << r.w(), r.x(), r.y(), r.z();
        }
        q.segment<3>(7) = uniform(rng, 0.45, 0.8) * random_vector(rng, 1).normalized();
        const VecX u = testing::random_speeds(rng, 12);
        const auto contacts = [&](double dt) {
          const VecX moved = advance(tree, model.tree_position(q), u, dt).value();
          return model.at(moved, u).value().contacts(2).value();
        };
        const auto now = contacts(0);
        ASSERT_EQ(now.size(), 1U);
        if (now[0].patch) continue;
        const double h = 1e-5;
        const double rate = (contacts(h)[0].gap - contacts(-h)[0].gap) / (2 * h);
        EXPECT_NEAR(rate, now[0].n.dot(now[0].J * u), 1e-7 * (1 + u.norm())) << geoms[i] << " " << geoms[j] << " " << k;
        EXPECT_EQ(now[0].first, "ga");
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(ContactsByFcl, MeshOfManyVertices_IsItsHull) {
  // Points on an ellipsoid, and as many inside it, which the hull swallows.
  Rng rng(21);
  std::vector<Vec3> points;
  std::string text;
  for (int i = 0; i < 400; ++i) {
    Vec3 v = random_vector(rng, 1).normalized().cwiseProduct(Vec3(0.3, 0.2, 0.1));
    if (i % 2 == 1) v *= 0.5;
    points.push_back(v.cast<float>().cast<double>());
    text += fmt::format("{:.9g} {:.9g} {:.9g} ", v.x(), v.y(), v.z());
  }
  const auto model =
      MujocoModel::parse("<mujoco><asset><mesh name='m' vertex='" + text +
                         "'/></asset><worldbody><geom name='table' type='box' size='1 1 .1' pos='0 0 -.1'/>"
                         "<geom name='post' type='sphere' size='.05' pos='0 0 3'/>"
                         "<body><freejoint/><geom name='stone' type='mesh' mesh='m'/></body>"
                         "</worldbody></mujoco>");
  ASSERT_TRUE(model) << model.error().message();
  for (int k = 0; k < 40; ++k) {
    const Mat3 R = turn(rng);
    const Eigen::Quaterniond r(R);
    VecX q(7);
    q << 0.1, 0.2, uniform(rng, 0.31, 0.6), r.w(), r.x(), r.y(), r.z();
    const auto found = model->at(q, VecX::Zero(6)).value().contacts(5).value();
    ASSERT_EQ(found.size(), 2U);
    double lowest = 10;
    for (const Vec3& v : points) lowest = std::min(lowest, q(2) + (R * v).z());
    EXPECT_NEAR(found[0].gap, lowest, 1e-7);  // MuJoCo keeps meshes in single precision
    EXPECT_LT((found[0].n - Vec3::UnitZ()).norm(), 1e-12);
    // Nearer to the post than any vertex, and no nearer than the plane across n through the farthest vertex.
    const Vec3 post(0, 0, 3);
    double nearest = 10, along = 10;
    for (const Vec3& v : points) {
      const Vec3 x = q.head<3>() + R * v;
      nearest = std::min(nearest, (x - post).norm() - 0.05);
      along = std::min(along, (x - post).dot(found[1].n) - 0.05);
    }
    EXPECT_LE(found[1].gap, nearest + 1e-7);
    EXPECT_NEAR(found[1].gap, along, 1e-7);
  }
}

TEST(ContactsByFcl, CrateOnCrate_IsMarkedAsAPatch) {
  const MujocoModel model = two_free_bodies("type='box' size='.5 .5 .5'", "type='box' size='.1 .2 .5'");
  const auto found = model.at(model.reference(), VecX::Zero(12)).value().contacts(1e-9).value();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].patch);
  EXPECT_NEAR(found[0].gap, 0, 1e-15);
  EXPECT_LT((found[0].n - Vec3::UnitZ()).norm(), 1e-12);
}

TEST(ContactsByFcl, PlanePairs_GapIsTheHeightOfTheLowestPoint) {
  // Each shape's lowest point below its origin, with a the vertical in its axes.
  struct Case {
    std::string geom;
    double (*lowest)(const Vec3& a);
  };
  const std::array<Case, 5> cases{
      {{"type='ellipsoid' size='.1 .15 .2'", [](const Vec3& a) { return -a.cwiseProduct(Vec3(.1, .15, .2)).norm(); }},
       {"type='cylinder' size='.1 .15'",
        [](const Vec3& a) { return -.1 * std::hypot(a.x(), a.y()) - .15 * std::abs(a.z()); }},
       {"type='box' size='.1 .12 .15'", [](const Vec3& a) { return -a.cwiseAbs().dot(Vec3(.1, .12, .15)); }},
       {"type='capsule' size='.08 .12'", [](const Vec3& a) { return -.08 - .12 * std::abs(a.z()); }},
       {"type='mesh' mesh='m'", [](const Vec3& a) {
          return std::min(
              {a.dot(Vec3(-.1, -.1, -.1)), a.dot(Vec3(.2, 0, -.1)), a.dot(Vec3(0, .2, -.1)), a.dot(Vec3(0, 0, .2))});
        }}}};
  Rng rng(19);
  for (const Case& c : cases) {
    const MujocoModel model =
        MujocoModel::parse("<mujoco>" + tetrahedron +
                           "<worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom " + c.geom +
                           "/></body></worldbody></mujoco>")
            .value();
    for (int k = 0; k < 40; ++k) {
      const Mat3 R = turn(rng);
      const Eigen::Quaterniond r(R);
      VecX q(7);
      q << 0.1, 0.2, uniform(rng, 0.3, 0.6), r.w(), r.x(), r.y(), r.z();
      double least = 10;
      const auto found = model.at(q, VecX::Zero(6)).value().contacts(1).value();
      for (const ContactPoint& at : found) least = std::min(least, at.gap);
      // Meshes are stored in single precision.
      EXPECT_NEAR(least, q(2) + c.lowest(R.row(2)), 1e-7) << c.geom;
    }
  }
}

}  // namespace
}  // namespace ricochet
