/// Boxes thrown down steps and onto each other, from states in which the order of contacts, or the direction of slow
/// slip, is a matter of rounding. The motion has to come to its end: energy does not rise, no corner is below the
/// floor, and the ledger closes.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "motion/worlds.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

struct Thrown {
  Vec3 edges;  ///< [m]
  double mass;
  Vec3 position, velocity, spin;
  Quaternion orientation;

  [[nodiscard]] WorldBody body(const std::string& name) const {
    WorldBody out = block(0.5 * edges, mass, position, velocity, name);
    out.body.orientation = orientation.normalized();
    out.body.angular_velocity = spin;
    return out;
  }
};

World down_steps(const Thrown& thrown) {
  std::vector<WorldBody> bodies = {ground()};
  for (int k = 0; k < 3; ++k) {
    WorldBody step = block({0.2, 0.5, 0.1}, 1, {0.4 * k, 0, 0.5 - 0.2 * k}, Vec3::Zero(), "step" + std::to_string(k));
    step.body.fixed = true;
    bodies.push_back(step);
  }
  bodies.push_back(thrown.body("box"));
  return world_of(bodies, {ChatterjeeRuina{.e = 0.3, .mu = 0.4}, 0.4, 0.4});
}

void check_end(const World& world, double until) {
  const Ran ran = run_world(world, until);
  ASSERT_TRUE(ran.ok);
  EXPECT_LT(std::abs(ran.ledger.imbalance()), 1e-7 * ran.ledger.start);
  EXPECT_GE(ran.ledger.lost_to_friction, -1e-12);
  // Contacts of one impact may pass energy to each other; together they have none to give.
  std::map<double, double> change;
  for (const Event& e : ran.recording.events) change[e.time] += e.energy_change;
  for (const auto& [time, energy] : change) EXPECT_LE(energy, 1e-12 * ran.ledger.start) << "at " << time;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (world.bodies[i].body.fixed) continue;
    for (int k = 0; k < 8; ++k) {
      const Vec3 corner = world.bodies[i].shapes[0].size.cwiseProduct(
          Vec3((k & 1) != 0 ? 1 : -1, (k & 2) != 0 ? 1 : -1, (k & 4) != 0 ? 1 : -1));
      EXPECT_GT((ran.poses[i].position + ran.poses[i].orientation * corner).z(), -1e-9);
    }
  }
}

// Corners that have sunk by more than the tolerance of touching, and rise.
TEST(FallingBoxes, OverlapThatOpens_IsNoContact) {
  check_end(down_steps({{0.155, 0.088, 0.082},
                        1,
                        {0.067493816419292, -0.04812919713439848, 1.0},
                        {0.4343309610466964, 0.19825793420418514, 0},
                        {-0.17841895486531234, 2.0187687076463323, -0.1418807478039903},
                        {0.05118374782106909, 0.6755596868924394, -0.5033515249761652, 0.5363176071218877}}),
            2);
}

// Slip that fades away while the other end of the box slides, and slip that begins without a jump.
TEST(FallingBoxes, SlowSlip_IsNoObstacle) {
  check_end(down_steps({{0.127, 0.2, 0.115},
                        1,
                        {-0.07034804136306108, -0.047784285086888346, 1.0},
                        {0.460437193601329, -0.0690531940221557, 0},
                        {-1.3925349339317206, -2.3541363728061255, -1.0470015452563122},
                        {-0.3650692679647788, -0.7407857842244572, -0.5592244142116379, -0.07231117498884242}}),
            2);
  check_end(down_steps({{0.148, 0.157, 0.111},
                        1,
                        {-0.028781508340846987, -0.06434039479658533, 1.0},
                        {1.0146899866097305, -0.08239812649847683, 0},
                        {2.2966381541234533, -2.5577119425134187, -2.9482999693768903},
                        {0.1749923244348541, 0.6789151235935234, 0.2412855715724569, 0.6709941984069835}}),
            2);
}

}  // namespace
}  // namespace ricochet::motion
