/// Routh's law in float, double, long double and dual numbers.
#include "ricochet/law/routh_kernel.hpp"
#include "scalar_types.hpp"

namespace ricochet::testing {
namespace {

class EveryScalarRouth : public ::testing::TestWithParam<Restitution> {};

TEST_P(EveryScalarRouth, SlipAndStick) {
  expect_every_scalar(
      [](Rng& rng) {
        return Routh{.e = uniform(rng, 0.1, 0.9), .mu = uniform(rng, 0.1, 0.8), .restitution = GetParam()};
      },
      random_line);
}

INSTANTIATE_TEST_SUITE_P(Restitutions, EveryScalarRouth,
                         ::testing::Values(Restitution::poisson, Restitution::stronge, Restitution::newton));

}  // namespace
}  // namespace ricochet::testing
