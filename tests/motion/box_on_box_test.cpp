/// Boxes that stay in contact with boxes: face on face, sliding, over an edge, edge across edge.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "motion/quadrature.hpp"
#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double for_ever = std::numeric_limits<double>::infinity();

PairLaw brick(double e, double mu) { return {Routh{.e = e, .mu = mu}, mu, mu}; }

WorldBody table(const Vec3& half, const Vec3& centre) {
  WorldBody out = block(half, 1, centre, Vec3::Zero(), "table");
  out.body.fixed = true;
  return out;
}

Quaternion yawed(double angle) { return Quaternion(Eigen::AngleAxisd(angle, Vec3::UnitZ())); }

/// The same box as a hull of twelve triangles.
WorldBody as_hull(WorldBody body) {
  const Vec3 half = body.shapes[0].size;
  auto hull = std::make_shared<Hull>();
  for (int k = 0; k < 8; ++k)
    hull->vertices.push_back(
        half.cwiseProduct(Vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1)));
  hull->faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                 {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  index_vertices(*hull);
  body.shapes[0].core = ConvexShape::Core::hull;
  body.shapes[0].hull = hull;
  return body;
}

const Vec3 slate_half(0.3, 0.25, 0.1);
constexpr double slate_mass = 2.5;

// Dropped from the height h with restitution e it rests after t₀ (1 + e)/(1 − e), and has lost m g h.
TEST(BoxOnBox, DroppedFlat_RestsAtTheLimitOfItsBounces) {
  Deviation time("rest_time"), place("place"), loss("impact_loss");
  const double h = 0.4;
  for (const double e : {0.0, 0.3})
    for (const double yaw : {0.0, 0.4})
      for (const bool hull : {false, true}) {
        WorldBody slate = block(slate_half, slate_mass, {0.1, -0.2, slate_half.z() + h});
        slate.body.orientation = yawed(yaw);
        if (hull) slate = as_hull(slate);
        const Ran ran = run_world(world_of({table({1, 1, 0.5}, {0, 0, -0.5}), slate}, brick(e, 0.5)), 3);
        ASSERT_TRUE(ran.ok);
        const auto rests = ran.recording.of(EventKind::rest);
        ASSERT_EQ(rests.size(), 1U);
        time.add(rests[0].time, std::sqrt(2 * h / gravity) * (1 + e) / (1 - e));
        place.add(ran.poses[1].position, {0.1, -0.2, slate_half.z()}, h);
        EXPECT_LT(ran.poses[1].velocity.norm(), 1e-12);
        loss.add(ran.ledger.lost_to_impact, slate_mass * gravity * h);
      }
  EXPECT_LT(time.largest(), 1e-5);  // the last bounces, of 1e-12 of the size, are summed as one
  EXPECT_LT(place.largest(), 1e-10);
  EXPECT_LT(loss.largest(), 1e-10);
}

TEST(BoxOnBox, AStackOfThree_Stays) {
  Deviation drift("drift"), imbalance("imbalance");
  for (const bool turned : {false, true})
    for (const bool on_plane : {false, true}) {
      std::vector<WorldBody> bodies{on_plane ? ground() : table({1, 1, 0.5}, {0, 0, -0.5})};
      for (int k = 0; k < 3; ++k) {
        WorldBody b = block({0.2, 0.15, 0.1}, 1 + k, {turned ? 0.03 * k : 0, turned ? -0.02 * k : 0, 0.1 + 0.2 * k},
                            Vec3::Zero(), "block " + std::to_string(k));
        if (turned) b.body.orientation = yawed(0.7 * k);
        bodies.push_back(b);
      }
      const World world = world_of(bodies, brick(0.2, 0.4));
      const Ran ran = run_world(world, 20);
      ASSERT_TRUE(ran.ok);
      for (std::size_t k = 1; k < 4; ++k) {
        drift.add(ran.poses[k].position, world.bodies[k].body.position, 0.2);
        EXPECT_LT(ran.poses[k].velocity.norm(), 1e-12);
      }
      EXPECT_TRUE(ran.recording.of(EventKind::slip).empty());
      imbalance.add(ran.ledger.imbalance(), 0, 10.0);
    }
  EXPECT_LT(drift.largest(), 1e-9);
  EXPECT_LT(imbalance.largest(), 1e-12);
}

TEST(BoxOnBox, SlidesToRestOnATable_AfterVSquaredOverTwoMuG) {
  Deviation time("stop_time"), distance("distance"), loss("friction_loss");
  const double mu = 0.3;
  for (const Vec3& v : {Vec3(1.2, 0, 0), Vec3(0.5, -0.9, 0)})
    for (const double yaw : {0.0, 0.5})
      for (const bool hull : {false, true}) {
        const double stop = v.norm() / (mu * gravity);
        WorldBody slate = block(slate_half, slate_mass, {-0.3, 0, slate_half.z()}, v);
        slate.body.orientation = yawed(yaw);
        if (hull) slate = as_hull(slate);
        const Ran ran = run_world(world_of({table({1.5, 1.2, 0.5}, {0, 0, -0.5}), slate}, brick(0.3, mu)), 2 * stop);
        ASSERT_TRUE(ran.ok);
        const auto sticks = ran.recording.of(EventKind::stick);
        ASSERT_FALSE(sticks.empty());
        time.add(sticks[0].time, stop);
        const Vec3 way = v * stop / 2;
        distance.add(ran.poses[1].position, way + Vec3(-0.3, 0, slate_half.z()), way.norm());
        loss.add(ran.ledger.lost_to_friction, slate_mass * v.squaredNorm() / 2);
      }
  EXPECT_LT(time.largest(), 1e-10);
  EXPECT_LT(distance.largest(), 1e-10);
  EXPECT_LT(loss.largest(), 1e-10);
}

// A box of mass m slides at v on a plank of mass M, which slides without friction: both are as fast as m v/(m + M)
// after v/(μ g (1 + m/M)), and the box has slipped by v²/(2 μ g (1 + m/M)).
TEST(BoxOnBox, SlidesOnAPlankThatIsFree_UntilBothAreAsFast) {
  const double m = 1.5, M = 4, mu = 0.25, v = 1.1;
  World world = world_of({ground(), block({1, 0.2, 0.05}, M, {0, 0, 0.05}, Vec3::Zero(), "plank"),
                          block({0.1, 0.1, 0.1}, m, {-0.5, 0, 0.2}, {v, 0, 0})},
                         brick(0, mu));
  world.laws.push_back(brick(0, 0));
  world.laws.back().e = 0;
  world.law_of_pair = {1, 1, 1, 1, 0, 0, 1, 0, 0};
  const double stop = v / (mu * gravity * (1 + m / M)), common = m * v / (m + M);
  const Ran ran = run_world(world, 2 * stop);
  ASSERT_TRUE(ran.ok);
  Deviation time("stop_time"), place("place");
  const auto sticks = ran.recording.of(EventKind::stick);
  ASSERT_EQ(sticks.size(), 1U);
  time.add(sticks[0].time, stop);
  const double slipped = v * v / (2 * mu * gravity * (1 + m / M));
  place.add(ran.poses[2].position.x() - ran.poses[1].position.x(), -0.5 + slipped, slipped);
  for (const std::size_t k : {1U, 2U}) place.add(ran.poses[k].velocity, {common, 0, 0}, v);
  EXPECT_LT(time.largest(), 1e-10);
  EXPECT_LT(place.largest(), 1e-10);
}

/// Planar motion of a smooth box over an edge, in long double: ξ from the edge to the foot of the centre along the
/// bottom, θ the tilt, h the half height. From T = ½m[(ξ̇ + hθ̇)² + ξ²θ̇²] + ½Jθ̇², U = mg(h cos θ − ξ sin θ):
///   θ̈ = m (gξ cos θ − hξθ̇² − 2ξξ̇θ̇)/(J + mξ²),   ξ̈ = ξθ̇² + g sin θ − hθ̈.
struct OverTheEdge {
  long double m, J, h;
  using State = std::array<long double, 4>;  // ξ, θ, ξ̇, θ̇

  [[nodiscard]] State rates(const State& s) const {
    const long double g = gravity, xi = s[0], theta = s[1], v = s[2], w = s[3];
    const long double bend = m * (g * xi * std::cos(theta) - h * xi * w * w - 2 * xi * v * w) / (J + m * xi * xi);
    return {v, w, xi * w * w + g * std::sin(theta) - h * bend, bend};
  }
  /// N/m.
  [[nodiscard]] long double load(const State& s) const {
    const State r = rates(s);
    return static_cast<long double>(gravity) * std::cos(s[1]) - (s[2] + h * s[3]) * s[3] - s[2] * s[3] - s[0] * r[3];
  }
  [[nodiscard]] State advanced(const State& s, long double dt) const {
    const auto plus = [](const State& a, const State& b, long double f) {
      State out;
      for (std::size_t k = 0; k < 4; ++k) out[k] = a[k] + f * b[k];
      return out;
    };
    const State a = rates(s), b = rates(plus(s, a, dt / 2)), c = rates(plus(s, b, dt / 2)), d = rates(plus(s, c, dt));
    State out;
    for (std::size_t k = 0; k < 4; ++k) out[k] = s[k] + dt / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
    return out;
  }
};

// A smooth box slides at v over the edge of a table. It begins to tip when its centre passes the edge.
TEST(BoxOverAnEdge, Smooth_TipsWhenItsCentrePasses_AndSlidesOff) {
  const double v = 0.3, from = 0.12, half = 0.2, h = 0.1, mass = 1.3;
  Deviation place("place"), tilt("tilt"), leaves("lift_off_time"), imbalance("imbalance");
  for (const bool hull : {false, true}) {
    WorldBody box = block({half, 0.15, h}, mass, {-from, 0.05, h}, {v, 0, 0});
    const double J = box.body.inertia(1, 1);
    if (hull) box = as_hull(box);
    const World world = world_of({table({1, 1, 0.5}, {-1, 0, -0.5}), box}, brick(0, 0));
    const double passes = from / v;
    const OverTheEdge own{mass, J, h};
    OverTheEdge::State s{0, 0, v, 0};
    const long double dt = 2e-5L;
    long double t = 0;
    const Ran whole = run_world(world, passes + 1);
    ASSERT_TRUE(whole.ok);
    const auto lifts = whole.recording.of(EventKind::lift_off);
    ASSERT_FALSE(lifts.empty());
    while (own.load(own.advanced(s, dt)) > 0) {
      s = own.advanced(s, dt);
      t += dt;
    }
    // The rest of the last step by Newton's method on the load.
    long double rest = 0;
    for (int k = 0; k < 40; ++k) {
      const long double f = own.load(own.advanced(s, rest));
      const long double slope = (own.load(own.advanced(s, rest + 1e-7L)) - f) / 1e-7L;
      rest -= f / slope;
    }
    leaves.add(lifts.back().time, static_cast<double>(passes + t + rest));
    // And on the way.
    OverTheEdge::State middle{0, 0, v, 0};
    const int steps = static_cast<int>(0.8L * t / dt);
    for (int k = 0; k < steps; ++k) middle = own.advanced(middle, dt);
    const Ran ran = run_world(world, static_cast<double>(passes + steps * dt));
    ASSERT_TRUE(ran.ok);
    const double xi = static_cast<double>(middle[0]), theta = static_cast<double>(middle[1]);
    place.add(ran.poses[1].position,
              {xi * std::cos(theta) + h * std::sin(theta), 0.05, -xi * std::sin(theta) + h * std::cos(theta)}, half);
    tilt.add(2 * std::atan2(ran.poses[1].orientation.y(), ran.poses[1].orientation.w()), theta);
    tilt.add(ran.poses[1].angular_velocity.y(), static_cast<double>(middle[3]));
    imbalance.add(ran.ledger.imbalance(), 0, mass * gravity * h);
    const Ran before = run_world(world, passes * (1 - 1e-6));
    ASSERT_TRUE(before.ok);
    EXPECT_LT(before.poses[1].angular_velocity.norm(), 1e-12);
  }
  EXPECT_LT(place.largest(), 1e-8);
  EXPECT_LT(tilt.largest(), 1e-8);
  EXPECT_LT(leaves.largest(), 1e-8);
  EXPECT_LT(imbalance.largest(), 1e-10);
}

// At rest with its centre inside the edge it stays. Beyond it by ξ, on an edge that does not slip, it turns about the
// edge: θ̇² = 2mg (h − h cos θ + ξ sin θ)/(J + m(h² + ξ²)).
TEST(BoxOverAnEdge, AtRest_StaysInsideAndPivotsBeyond) {
  const double half = 0.2, h = 0.1, mass = 1.3;
  Deviation spin("spin"), angle("angle");
  for (const double xi : {-1e-3, 1e-3, 0.05}) {
    WorldBody box = block({half, 0.15, h}, mass, {xi, 0, h});
    const double I = box.body.inertia(1, 1) + mass * (h * h + xi * xi);
    const World world = world_of({table({1, 1, 0.5}, {-1, 0, -0.5}), box}, brick(0, 1));
    if (xi < 0) {
      const Ran ran = run_world(world, 10);
      ASSERT_TRUE(ran.ok);
      EXPECT_LT((ran.poses[1].position - world.bodies[1].body.position).norm(), 1e-10);
      continue;
    }
    const double end = 0.3;  // rad
    const auto rate = [&](long double theta) {
      return std::sqrt(2 * mass * gravity * (h - h * std::cos(theta) + xi * std::sin(theta)) / I);
    };
    // The rate vanishes as the root of θ: θ = u².
    const double T = static_cast<double>(
        integral([&](long double u) { return 2 * u / rate(u * u); }, 0, std::sqrt(static_cast<long double>(end))));
    const Ran ran = run_world(world, T);
    ASSERT_TRUE(ran.ok);
    angle.add(2 * std::atan2(ran.poses[1].orientation.y(), ran.poses[1].orientation.w()), end);
    spin.add(ran.poses[1].angular_velocity.y(), static_cast<double>(rate(end)));
  }
  EXPECT_LT(spin.largest(), 1e-9);
  EXPECT_LT(angle.largest(), 1e-9);
}

// The lower edge of one box lies across the upper edge of a fixed one. On a rough edge the upper box is a pendulum
// upside down, about the point of contact: φ̇² = φ̇₀² + 2mgl (1 − cos φ)/(J + ml²) with l = √2 half.
TEST(EdgeAcrossEdge, OnARoughEdge_FallsAsAPendulum) {
  const double half = 0.1, mass = 0.8, l = std::numbers::sqrt2 * half, start = 0.7, end = 0.25;
  WorldBody lower = table({0.5, half, half}, {0, 0, -l});
  lower.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()));
  Deviation spin("spin"), angle("angle"), imbalance("imbalance");
  // Turned about the lower edge, along it, and in between: 45° about y, then about the vertical.
  for (const double yaw : {0.0, 0.6}) {
    const Quaternion turned = yawed(yaw);
    WorldBody upper = block({half, half, half}, mass, {0.07, 0, l});
    upper.body.orientation = turned * Quaternion(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitY()));
    const double I = 2.0 / 3 * mass * half * half + mass * l * l;
    const Vec3 axis = turned * Vec3::UnitX();
    upper.body.angular_velocity = start * axis;
    upper.body.velocity = upper.body.angular_velocity.cross(Vec3(0, 0, l));
    PairLaw rough = brick(0, 1);
    rough.mu_s = for_ever;
    const auto rate = [&](long double phi) {
      return std::sqrt(start * start + 2 * mass * gravity * l * (1 - std::cos(phi)) / I);
    };
    const double T = static_cast<double>(integral([&](long double phi) { return 1 / rate(phi); }, 0, end));
    const Ran ran = run_world(world_of({lower, upper}, rough), T);
    ASSERT_TRUE(ran.ok);
    const Vec3 arm = ran.poses[1].position - Vec3(0.07, 0, 0);
    angle.add(std::atan2(axis.cross(Vec3(Vec3::UnitZ())).dot(arm), arm.z()), end);
    spin.add(ran.poses[1].angular_velocity, static_cast<double>(rate(end)) * axis, start);
    imbalance.add(ran.ledger.imbalance(), 0, mass * gravity * l);
  }
  EXPECT_LT(spin.largest(), 1e-10);
  EXPECT_LT(angle.largest(), 1e-10);
  EXPECT_LT(imbalance.largest(), 1e-11);
}

// Smooth and balanced, it slides along the lower edge, or along its own, at constant speed.
TEST(EdgeAcrossEdge, SmoothAndBalanced_SlidesAlongBothEdges) {
  const double half = 0.1, l = std::numbers::sqrt2 * half, T = 0.4;
  WorldBody lower = table({0.5, half, half}, {0, 0, -l});
  lower.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitX()));
  WorldBody upper = block({half, half, half}, 1, {-0.1, 0, l}, {0.5, 0, 0});
  upper.body.orientation = Quaternion(Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitY()));
  const Ran ran = run_world(world_of({lower, upper}, brick(0, 0)), T);
  ASSERT_TRUE(ran.ok);
  EXPECT_TRUE(ran.recording.events.empty());
  EXPECT_LT((ran.poses[1].position - Vec3(-0.1 + 0.5 * T, 0, l)).norm(), 1e-10);
}

}  // namespace
}  // namespace ricochet::motion
