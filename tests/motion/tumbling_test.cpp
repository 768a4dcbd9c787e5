/// Bodies that tumble onto a box, onto each other and to the floor: no closed form, but no overlap and no energy from
/// nothing, and a ledger that closes. FCL measures the overlap.

#include "motion/tumbling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ricochet/law/law.hpp"

namespace ricochet::motion {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

struct Tumble {
  unsigned seed;
  bool round;
  double e, mu;
};

TEST(Tumbling, OntoABoxAndEachOther_NoOverlapAndNoGainOfEnergy) {
  Deviation overlap("overlap"), gain("energy_gain"), imbalance("imbalance");
  for (const Tumble& tumble : {Tumble{1, false, 0.1, 0.1}, Tumble{36, true, 0.0, 0.1}}) {
    const World world = tumbling_pile(tumble.seed, 2, tumble.round, tumble.e, tumble.mu);
    auto simulation = Simulation::start(world);
    ASSERT_TRUE(simulation) << simulation.error().message();
    double before = HUGE_VAL, scale = 0;
    for (int k = 1; k <= 10; ++k) {
      const auto done = simulation->run(0.1 * k);
      ASSERT_TRUE(done) << "t = " << simulation->time() << ": " << done.error().message();
      const EnergyLedger ledger = simulation->ledger();
      const double energy = ledger.kinetic + ledger.potential;
      scale = std::max(scale, energy);
      overlap.add(deepest_overlap(world, simulation->poses()), 0, 0.1);
      gain.add(std::max(0.0, energy - before), 0, scale);
      imbalance.add(ledger.imbalance(), 0, scale);
      before = energy;
    }
    EXPECT_GT(simulation->events(), 20U);
  }
  EXPECT_LT(overlap.largest(), 1e-9);
  EXPECT_LT(gain.largest(), 1e-12);
  EXPECT_LT(imbalance.largest(), 1e-10);
}

}  // namespace
}  // namespace ricochet::motion
