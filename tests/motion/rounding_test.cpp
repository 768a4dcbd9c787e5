/// Decisions that rounding must not take: which edges of a face that lies on an edge separate the bodies, and whether
/// forces exist.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "motion/contact_forces.hpp"
#include "motion/gap_search.hpp"
#include "motion/safe_time.hpp"
#include "motion/worlds.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

Piece flight(const WorldBody& body) {
  return fly(body.body, {body.body.position, body.body.orientation, body.body.velocity, body.body.angular_velocity},
             Vec3::Zero(), 0, 1);
}

// The face of a box lies over the edge of a fixed one and parts from it, faster at one corner of the patch than at the
// others. Each corner opens, so that nothing closes at once, in whatever axes this is computed.
TEST(Rounding, FaceFlatOnAnEdgeThatParts_DoesNotCloseAtOnce) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Vec3 fixed_half(0.2, 0.5, 0.1), half(0.06, 0.05, 0.04);
  int closes = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Quaternion axes = Quaternion(unit(random), unit(random), unit(random), unit(random)).normalized();
    const Vec3 origin(unit(random), unit(random), unit(random));
    const Quaternion yaw(Eigen::AngleAxisd(unit(random), Vec3::UnitZ()));
    // In axes of the edge, which is x = 0 of the plane z = 0; the patch is within 0.1 m of it.
    const Vec3 centre(0.02 * unit(random), 0.2 * unit(random), half.z());
    const Vec3 spin(0.05 * unit(random), 0.05 * unit(random), 0);
    // Corners of the patch: those of the face on this side of the edge, and where its sides cross the edge.
    std::array<Vec3, 4> corners;
    for (std::size_t k = 0; k < 4; ++k)
      corners[k] = yaw * Vec3(k == 0 || k == 3 ? -half.x() : half.x(), k < 2 ? -half.y() : half.y(), -half.z());
    double slowest = std::numeric_limits<double>::infinity();
    const auto offer = [&](const Vec3& r) { slowest = std::min(slowest, spin.cross(r).z()); };
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3 &r = corners[k], &next = corners[(k + 1) % 4];
      const double x = centre.x() + r.x(), x_next = centre.x() + next.x();
      if (x < 0) offer(r);
      if (x * x_next < 0) offer(r + x / (x - x_next) * (next - r));
    }
    const Vec3 velocity(0, 0, 0.01 * spin.norm() - slowest);
    WorldBody below = block(fixed_half, 1, origin + axes * Vec3(-fixed_half.x(), 0, -fixed_half.z()));
    below.body.fixed = true;
    below.body.orientation = axes;
    WorldBody above = block(half, 1, origin + axes * centre, axes * velocity);
    above.body.orientation = axes * yaw;
    above.body.angular_velocity = axes * spin;
    const ShapePart a = make_part(below.shapes[0]), b = make_part(above.shapes[0]);
    const Piece of_a = flight(below), of_b = flight(above);
    GapSearch search;
    search.to = 1;
    search.rounding = 4e-15;
    search.touching = 1e-11;
    search.still = 1e-14;
    const auto found = first_contact({&a, &of_a}, {&b, &of_b}, search);
    ASSERT_TRUE(found) << found.error().message();
    if (found->closes && found->time < 1e-9) ++closes;
  }
  EXPECT_EQ(closes, 0);
}

// A gap that touches, closes at a speed within the rounding of speeds and is pulled open, f = ½ a τ² − v τ, has nothing
// to be resolved, though ḟ < 0 up to v/a, which is many roundings of the time. One that goes on closing is found.
TEST(Rounding, GapThatTouchesAndClosesByRounding_IsNoContactUnlessItGoesOn) {
  const double start = 1.147, v = 1e-13, still = 2e-13;
  GapSearch search;
  search.from = start;
  search.to = start + 1e-4;
  search.rounding = 1e-15;
  search.touching = 1e-11;
  search.still = still;
  const auto search_at = [&](double a) {
    return march(
        [&](double t) {
          const double tau = t - start;
          return GapRate{0.5 * a * tau * tau - v * tau, a * tau - v};
        },
        20, search);
  };
  const auto opens = search_at(10), closes = search_at(-10);
  ASSERT_TRUE(opens && closes);
  EXPECT_FALSE(opens->closes);
  ASSERT_TRUE(closes->closes);
  EXPECT_LT(closes->time - start, 1e-6);
}

// A ball passes the end of a capsule, from its side to its round end. Whether it touches the side or the end, the
// normal of the contact and that by which contacts are searched are those of the nearest point of the axis, to
// rounding: they tell alike whether the ball approaches.
TEST(Rounding, BallThatPassesTheEndOfACapsule_HasOneNormal) {
  const double half = 0.1, thick = 0.025, radius = 0.02;
  WorldBody leg = rod(half, thick, 1, Vec3::Zero()), foot = ball(radius, 1, Vec3::Zero());
  leg.body.orientation = Quaternion(0.3, -0.5, 0.7, 0.2).normalized();
  foot.shapes[0].position = {0, 0, -0.2};
  const ShapePart a = make_part(leg.shapes[0]), b = make_part(foot.shapes[0]);
  const Vec3 across = Vec3(0, 0.6, -0.8);  // of the axis, body axes
  for (const double beyond : {-1e-3, -1e-10, -3e-12, -1e-13, 0.0, 1e-13, 3e-12, 1e-10, 1e-3}) {
    SCOPED_TRACE(beyond);
    const double past = std::max(beyond, 0.0), reach = thick + radius;
    const Vec3 end(half, 0, 0), c = end + beyond * Vec3::UnitX() + std::sqrt(reach * reach - past * past) * across;
    const Vec3 expected = leg.body.orientation * (c - end + (past - beyond) * Vec3::UnitX()).normalized();
    const Pose at_leg{Vec3::Zero(), leg.body.orientation, Vec3::Zero(), Vec3::Zero()};
    const Pose at_foot{leg.body.orientation * c + Vec3(0, 0, 0.2), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()};
    const auto search = nearest(a, at_leg, b, at_foot);
    const auto found = features({0, 0, &a, at_leg}, {1, 0, &b, at_foot}, 1e-11);
    ASSERT_TRUE(search && found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_LT((search->n - expected).norm(), 1e-14);
    EXPECT_LT(((*found)[0].touch.n - expected).norm(), 1e-14);
  }
}

// Two contacts slide along t with μ = 1. Each alone is held, n·W(n − μ t) = 3 − 2 > 0, but each pulls the other down by
// 2 N: N₁ − 2 N₂ ≥ 1 and N₂ − 2 N₁ ≥ 1 have no solution N ≥ 0, as their sum shows.
TEST(Rounding, SlidingContactsThatPullEachOtherDown_AreJammed) {
  ForceProblem problem;
  problem.W = MatX::Zero(6, 6);
  problem.W.diagonal().setConstant(3);
  const auto couple = [&](int i, int j, double value) { problem.W(i, j) = problem.W(j, i) = value; };
  for (const int n : {0, 3})
    for (const int t : {1, 4}) couple(n, t, 2);
  couple(1, 4, 3);
  ASSERT_GE(problem.W.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-12);
  problem.b = VecX::Zero(6);
  problem.b(0) = problem.b(3) = -1;
  ForceContact slides;
  slides.mu = slides.mu_s = 1;
  slides.slides = true;
  slides.s = Eigen::Vector2d::UnitX();
  problem.contacts = {slides, slides};
  EXPECT_EQ(contact_forces(problem).status, ForceAnswer::Status::jammed);
  // Either of them alone has N = 1.
  problem.b(3) = 10;
  const ForceAnswer held = contact_forces(problem);
  ASSERT_EQ(held.status, ForceAnswer::Status::solved);
  EXPECT_NEAR(held.F(0), 1, 1e-12);
  EXPECT_EQ(held.modes[1], ContactMode::open);
}

// A contact that slides along t with μ = 1 and the stop of a joint, each of which alone is held, pull each other down
// by a little more than they are held: N − (1 + δ) λ ≥ 1 and λ − (1 + δ) N ≥ 1 have no solution, as their sum shows.
// Sweeps grow by δ only. That another contact rests, of which they know nothing, does not matter.
TEST(Rounding, SlidingContactAndStopThatPullEachOtherDown_AreJammedBesideAContactAtRest) {
  for (const double delta : {1e-3, 1e-6}) {
    SCOPED_TRACE(delta);
    ForceProblem problem;
    problem.W = MatX::Identity(7, 7);
    problem.W.diagonal().head<3>().setConstant(3);
    problem.W(0, 1) = problem.W(1, 0) = 2;
    problem.W(0, 6) = problem.W(6, 0) = -1 - delta;
    problem.W(6, 6) = 1;
    ASSERT_GT(problem.W.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
    problem.b = VecX::Zero(7);
    problem.b(0) = problem.b(3) = problem.b(6) = -1;
    ForceContact slides, rests;
    slides.mu = slides.mu_s = rests.mu = rests.mu_s = 1;
    slides.slides = true;
    slides.s = Eigen::Vector2d::UnitX();
    problem.contacts = {slides, rests};
    problem.rows = {ForceRow{}};
    const ForceAnswer jams = contact_forces(problem);
    EXPECT_EQ(jams.status, ForceAnswer::Status::jammed);
    EXPECT_EQ(jams.jammed_contact, 0U);
    // A joint that opens presses nothing.
    problem.b(6) = 10;
    const ForceAnswer held = contact_forces(problem);
    ASSERT_EQ(held.status, ForceAnswer::Status::solved);
    EXPECT_NEAR(held.F(0), 1, 1e-12);
    EXPECT_EQ(held.F(6), 0);
    EXPECT_EQ(held.modes[1], ContactMode::stick);
  }
}

}  // namespace
}  // namespace ricochet::motion
