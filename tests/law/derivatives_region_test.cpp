/// Derivatives of the laws that refer to the permissible region, against differences in extended precision.
#include <array>
#include <limits>

#include "derivative_differences.hpp"
#include "ricochet/space/centroid.hpp"

namespace ricochet::testing {
namespace {

/// The kernels with a centroid to 17 digits, which differences need.
struct SharpCentroid {
  Vec3T<Wide> operator()(const PermissiblePoint& law, const Local<Wide>& c) const {
    const auto centre = centroid<Wide>(c, law.mu, 1e-17L).P;
    const Wide a = law.psi_1, b = law.psi_2;
    const Vec3T<Wide> d(std::cos(a), std::sin(a) * std::cos(b), std::sin(a) * std::sin(b));
    return centre + Wide(law.rho) * exit_along<Wide>(c.W, c.V, centre, d, law.mu).distance * d;
  }
  Vec3T<Wide> operator()(const Projected& law, const Local<Wide>& c) const {
    const Vec3T<Wide> target = c.R.transpose() * law.target.cast<Wide>();
    if (certify<Wide>(c.W, c.V, target, law.mu, 0).permissible) return target;
    const auto centre = centroid<Wide>(c, law.mu, 1e-17L).P;
    const Vec3T<Wide> d = target - centre;
    return centre + exit_along<Wide>(c.W, c.V, centre, d, law.mu).distance * d;
  }
};

TEST(Derivatives, PermissiblePoint_AgreeWithDifferences) {
  expect_exact_derivatives<PermissiblePoint>(
      [](Rng& rng) {
        return PermissiblePoint{.psi_1 = short_uniform(rng, 0.3, 2.8),
                                .psi_2 = short_uniform(rng, 0.3, 6),
                                .rho = short_uniform(rng, 0.1, 0.9),
                                .mu = short_uniform(rng, 0.1, 0.8)};
      },
      smooth_contact,
      {{"psi_1", &PermissiblePoint::psi_1},
       {"psi_2", &PermissiblePoint::psi_2},
       {"rho", &PermissiblePoint::rho},
       {"mu", &PermissiblePoint::mu}},
      {.contacts = 6, .step = 0x1p-15L}, SharpCentroid{});
}

TEST(Derivatives, Projected_AgreeWithDifferences) {
  expect_exact_derivatives<Projected>(
      [](Rng& rng) {
        const Vec3 target = 3 * random_unit(rng);
        return Projected{target, short_uniform(rng, 0.1, 0.8)};
      },
      smooth_contact, {{"mu", &Projected::mu}}, {.contacts = 6, .step = 0x1p-15L}, SharpCentroid{});
}

/// Leaves not-a-numbers where the next call puts its variables.
[[gnu::noinline]] void fill_stack_with_nan() {
  std::array<volatile double, 4096> here;
  for (volatile double& x : here) x = std::numeric_limits<double>::quiet_NaN();
}

/// Where the cone ends every ray, the section has no part that energy ends, and nothing may be read of one.
TEST(Derivatives, RegionEndedByTheConeAllAround_HasThem) {
  Rng rng(5);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const Projected law{3 * random_unit(rng), short_uniform(rng, 0.01, 0.3)};
    const Contact contact = smooth_contact(rng);
    fill_stack_with_nan();
    if (!collide_with_derivatives(law, contact)) ++refused;
  }
  EXPECT_EQ(refused, 0);
}

}  // namespace
}  // namespace ricochet::testing
