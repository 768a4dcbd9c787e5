/// Gaps of convex shapes in a model: which pairs go through FCL, and what contacts come of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "mechanism/random_tree.hpp"
#include "ricochet/mechanism/articulated.hpp"
#include "ricochet/model/mujoco_model.hpp"

namespace ricochet {
namespace {

using testing::random_vector;
using testing::Rng;
using testing::uniform;

Mat3 turn(Rng& rng) {
  return Eigen::AngleAxisd(uniform(rng, -3, 3), random_vector(rng, 1).normalized()).toRotationMatrix();
}

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
          return model.at(moved, u).value().contacts(2).value().points;
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
    const auto found = model->at(q, VecX::Zero(6)).value().contacts(5).value().points;
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

TEST(ContactsByFcl, CrateOnCrate_TouchesAtFourCorners) {
  const MujocoModel model = two_free_bodies("type='box' size='.5 .5 .5'", "type='box' size='.1 .2 .5'");
  const auto found = model.at(model.reference(), VecX::Zero(12)).value().contacts(1e-9).value().points;
  ASSERT_EQ(found.size(), 4U);
  for (const ContactPoint& at : found) {
    EXPECT_FALSE(at.patch);
    EXPECT_NEAR(at.gap, 0, 1e-15);
    EXPECT_LT((at.n - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_LT((at.point.cwiseAbs() - Vec3(0.1, 0.2, 0.5)).norm(), 1e-12);
  }
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
      const auto found = model.at(q, VecX::Zero(6)).value().contacts(1).value().points;
      for (const ContactPoint& at : found) least = std::min(least, at.gap);
      // Meshes are stored in single precision.
      EXPECT_NEAR(least, q(2) + c.lowest(R.row(2)), 1e-7) << c.geom;
    }
  }
}

}  // namespace
}  // namespace ricochet
