/// Derivatives of Routh's law against differences in extended precision.
#include "derivative_differences.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/routh_kernel.hpp"

namespace ricochet::testing {
namespace {

class RouthDerivatives : public ::testing::TestWithParam<Restitution> {
 protected:
  static Routh some(Rng& rng) {
    return {.e = short_uniform(rng, 0.1, 0.9), .mu = short_uniform(rng, 0.1, 0.8), .restitution = GetParam()};
  }
  static std::vector<MovableParameter<Routh>> parameters() { return {{"e", &Routh::e}, {"mu", &Routh::mu}}; }
};

TEST_P(RouthDerivatives, InSpace_AgreeWithDifferences) {
  expect_exact_derivatives<Routh>(some, smooth_contact, parameters(), {.contacts = 40}, ByKernelWithEvents{});
}

// Slip does not turn, but slip beside it does.
TEST_P(RouthDerivatives, InAPlane_AgreeWithDifferencesOutOfThePlane) {
  expect_exact_derivatives<Routh>(some, smooth_planar_contact, parameters(), {.contacts = 40}, ByKernelWithEvents{});
}

// Slip that stops along a repelling direction of a plane: P is differentiable once, and with steps h differences
// approach the derivative as h^{1/|p| − 1}, p = h_φ/g of (DV7).
TEST_P(RouthDerivatives, RepellingDirection_DifferencesApproachTheDerivative) {
  Rng rng(11);
  int compared = 0;
  for (int i = 0; i < 2000 && compared < 4; ++i) {
    const Routh law = some(rng);
    const Contact c = smooth_planar_contact(rng);
    const auto hit = collide_with_derivatives(law, c);
    if (!hit || !hit->kink.empty() || !once_differentiable(hit->derivatives)) continue;
    const Derivatives& d = hit->derivatives;
    if (std::abs(d.nearest()->distance) < 0.02) continue;
    const Mat3 exact = d.P(*d.find("V"));
    const auto deviation = [&](Wide h) {
      double square = 0;
      for (int j = 0; j < 3; ++j)
        square += (by_contact("V", j, law, c, ByKernel{}, h).head<3>().cast<double>() - exact.col(j)).squaredNorm();
      return std::sqrt(square) / exact.norm();
    };
    const double coarse = deviation(0x1p-10L);
    if (coarse < 1e-6) continue;  // p is small
    ++compared;
    EXPECT_LE(deviation(0x1p-24L), 0.2 * coarse);
  }
  EXPECT_EQ(compared, 4);
}

// Principal axes are not defined.
TEST_P(RouthDerivatives, OfSpheres_AgreeWithDifferences) {
  expect_exact_derivatives<Routh>(some, smooth_round_contact, parameters(), {.contacts = 40}, ByKernelWithEvents{});
}

INSTANTIATE_TEST_SUITE_P(Restitutions, RouthDerivatives,
                         ::testing::Values(Restitution::poisson, Restitution::stronge, Restitution::newton));

/// The weighted sum of both kernels.
struct ByParts {
  Vec3T<Wide> operator()(const Composite& law, const Local<Wide>& c) const {
    const Vec3T<Wide> first = solve(std::get<ChatterjeeRuina>(law.first), c).P,
                      second = solve(std::get<Routh>(law.second), c).P;
    return Wide(law.sigma) * first + (1 - Wide(law.sigma)) * second;
  }
};

// e and mu are those of both parts.
TEST(CompositeDerivatives, AgreeWithDifferences) {
  const auto some = [](Rng& rng) {
    const double e = short_uniform(rng, 0.1, 0.9), mu = short_uniform(rng, 0.1, 0.8);
    return Composite{.sigma = short_uniform(rng, 0.1, 0.9),
                     .first = ChatterjeeRuina{.e = e, .e_t = short_uniform(rng, -0.8, 0.8), .mu = mu},
                     .second = Routh{.e = e, .mu = mu},
                     .mu = mu};
  };
  const auto both = [](double ChatterjeeRuina::*of_first, double Routh::*of_second) {
    return [=](Composite& law, double by) {
      std::get<ChatterjeeRuina>(law.first).*of_first += by;
      std::get<Routh>(law.second).*of_second += by;
    };
  };
  expect_exact_derivatives<Composite>(
      some, smooth_contact,
      {{"sigma", &Composite::sigma},
       {"e", both(&ChatterjeeRuina::e, &Routh::e)},
       {"mu", both(&ChatterjeeRuina::mu, &Routh::mu)},
       {"e_t", [](Composite& law, double by) { std::get<ChatterjeeRuina>(law.first).e_t += by; }}},
      {.contacts = 40}, ByParts{});
}

}  // namespace
}  // namespace ricochet::testing
