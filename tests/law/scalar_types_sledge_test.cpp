/// The spring-sledge law and the graded one in float, double, long double and dual numbers: the closed form of the
/// plane, and the integration in space.
#include "ricochet/law/graded_sledge_kernel.hpp"
#include "scalar_types.hpp"

namespace ricochet::testing {
namespace {

SpringSledge some_sledge(Rng& rng) {
  SpringSledge law;
  law.kappa = uniform(rng, 0.5, 1.5);
  law.mu = uniform(rng, 0.1, 0.8);
  law.e = uniform(rng, 0.3, 0.9);
  return law;
}

TEST(EveryScalar, SpringSledgeInThePlane) { expect_every_scalar(some_sledge, random_planar_line); }

/// The derivatives include those of e and μ by V.
TEST(EveryScalar, GradedSledgeInThePlane) {
  const auto some = [](Rng& rng) {
    GradedSledge law;
    law.kappa = uniform(rng, 0.5, 1.5);
    law.mu = uniform(rng, 0.3, 0.8);
    law.mu_v = uniform(rng, -0.1, 0.1);
    law.mu_i = uniform(rng, -0.1, 0.1);
    law.e = uniform(rng, 0.3, 0.7);
    law.e_v = uniform(rng, -0.1, 0.1);
    law.e_i = uniform(rng, -0.1, 0.1);
    return law;
  };
  expect_every_scalar(some, random_planar_line);
}

TEST(EveryScalar, SpringSledgeInSpace) {
  expect_every_scalar(some_sledge, random_line, {.contacts = 6, .derivative_tolerance = 1e-5});
}

}  // namespace
}  // namespace ricochet::testing
