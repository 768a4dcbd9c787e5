/// Friction of several contacts or joints of one mechanism that reaches its limit at the same time: all yield together,
/// without a jump of force. Forces grow by k t, so that each slips from t₀ = limit/k on, with
///   M a = k (t − t₀),   v = k (t − t₀)²/2M,   x = k (t − t₀)³/6M

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "motion/mechanism_worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr double k = 4, m = 1.5, ends = 2.5;

void expect_pulled(const Ran& ran, std::size_t body, double limit, const Vec3& from) {
  const double slips = limit / k, passed = ends - slips;
  EXPECT_NEAR(ran.poses[body].velocity.x(), k * passed * passed / (2 * m), 1e-9);
  EXPECT_NEAR(ran.poses[body].position.x() - from.x(), k * std::pow(passed, 3) / (6 * m), 1e-9);
}

TEST(YieldingTogether, TwoJointsWithDryFriction) {
  const double f = 3;
  Mechanism slides;
  std::vector<WorldBody> links;
  for (int i = 0; i < 2; ++i) {
    WorldBody body = ball(0.1, m, Vec3::Zero());
    body.shapes.clear();
    Link link = link_of(body, JointType::prismatic, Vec3::UnitX());
    link.position = {0, static_cast<double>(i), 1};
    slides.tree.links.push_back(link);
    slides.forces.push_back({i, {0, 10}, {0, 10 * k}});
    links.push_back(body);
  }
  slides.q = slides.u = VecX::Zero(2);
  slides.dry_friction = VecX::Constant(2, f);
  const Ran ran = run_world(tree_world(slides, links, {Routh{}, 0, 0}), ends);
  ASSERT_TRUE(ran.ok);
  for (const std::size_t body : {1U, 2U}) expect_pulled(ran, body, f, Vec3::Zero());
}

// Each foot is a ball that slides along x and z and does not turn.
TEST(YieldingTogether, FeetOfOneMechanism) {
  const double mu = 0.3, r = 0.1;
  for (const int feet : {2, 3}) {
    Mechanism legs;
    std::vector<WorldBody> links;
    for (int i = 0; i < feet; ++i) {
      WorldBody slide = ball(r, 0.5 * m, Vec3::Zero());
      WorldBody foot = slide;
      slide.shapes.clear();
      Link across = link_of(slide, JointType::prismatic, Vec3::UnitX());
      across.position = {0, static_cast<double>(i), r};
      Link down = link_of(foot, JointType::prismatic, Vec3::UnitZ());
      down.parent = 2 * i;
      legs.tree.links.insert(legs.tree.links.end(), {across, down});
      legs.forces.push_back({2 * i, {0, 10}, {0, 10 * k}});
      links.insert(links.end(), {slide, foot});
    }
    legs.q = legs.u = VecX::Zero(2 * feet);
    // Only the foot presses on the ground: the slide is carried by its guide.
    const Ran ran = run_world(tree_world(legs, links, {Routh{.e = 0, .mu = mu}, mu, mu}), ends);
    ASSERT_TRUE(ran.ok);
    for (int i = 0; i < feet; ++i)
      expect_pulled(ran, static_cast<std::size_t>(2 * i + 2), mu * 0.5 * m * gravity, Vec3::Zero());
    EXPECT_EQ(ran.recording.of(EventKind::slip).size(), static_cast<std::size_t>(feet));
    EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-11);
  }
}

}  // namespace
}  // namespace ricochet::motion
