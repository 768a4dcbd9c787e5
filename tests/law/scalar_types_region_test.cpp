/// The laws that refer to the permissible region in float, double, long double and dual numbers.
#include "ricochet/law/permissible_point_kernel.hpp"
#include "ricochet/law/projected_kernel.hpp"
#include "scalar_types.hpp"

namespace ricochet::testing {
namespace {

TEST(EveryScalar, PermissiblePoint) {
  expect_every_scalar(
      [](Rng& rng) {
        return PermissiblePoint{.psi_1 = uniform(rng, 0.3, 2.8),
                                .psi_2 = uniform(rng, 0.3, 6),
                                .rho = uniform(rng, 0.1, 0.9),
                                .mu = uniform(rng, 0.1, 0.8)};
      },
      random_line, {.contacts = 12});
}

TEST(EveryScalar, Projected) {
  expect_every_scalar(
      [](Rng& rng) {
        const Vec3 target = 3 * random_unit(rng);
        return Projected{target, uniform(rng, 0.1, 0.8)};
      },
      random_line, {.contacts = 12});
}

}  // namespace
}  // namespace ricochet::testing
