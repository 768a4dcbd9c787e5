/// Numbers and claims of REG. Its figures are not available.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ricochet/compliant/inclined_bar.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/law/spring_sledge.hpp"

namespace ricochet {
namespace {

constexpr std::array hypotheses{Restitution::newton, Restitution::poisson, Restitution::stronge};

TEST(Regularised, StiffnessRatioOfSpheresWithPoissonsRatioThreeTenths) {
  EXPECT_NEAR(SpringSledge{}.kappa, 0.824, 5e-4);
}

TEST(Regularised, BarOfAngleZeroIsCentral_EveryHypothesisAndTheModelCoincide) {
  // Upright, falling straight: nothing couples.
  for (const double e : {0.0, 0.4, 1.0}) {
    const Contact c = compliant::inclined_bar(2, std::sqrt(3.0), 0, Vec2(-1.5, 0)).value();
    const auto model = collide(SpringSledge{0.824, 0.3, e}, c).value();
    EXPECT_NEAR(model.P(0), (1 + e) * 2 * 1.5, 1e-13);
    for (const Restitution rule : hypotheses) {
      const auto rigid = collide(Routh{.e = e, .mu = 0.3, .restitution = rule}, c).value();
      EXPECT_LT((rigid.P - model.P).norm(), 1e-13);
    }
  }
}

TEST(Regularised, WithoutFriction_EveryHypothesisAndTheModelCoincide) {
  for (const double angle : {0.2, 0.7, 1.3})
    for (const double e : {0.0, 0.4, 1.0}) {
      const Contact c = compliant::inclined_bar(2, std::sqrt(3.0), angle, Vec2(-1.5, 0.8)).value();
      const auto model = collide(SpringSledge{0.824, 0, e}, c).value();
      EXPECT_LT((collide(Frictionless{e}, c)->P - model.P).norm(), 1e-13);
      for (const Restitution rule : hypotheses) {
        const auto rigid = collide(Routh{.e = e, .mu = 0, .restitution = rule}, c).value();
        EXPECT_LT((rigid.P - model.P).norm(), 1e-13);
      }
    }
}

TEST(Regularised, ObliqueRoughBar_HypothesesAgreeWithTheModelOnlyForInfiniteTangentialStiffness) {
  const Contact c = compliant::inclined_bar(1, std::sqrt(3.0), std::numbers::pi / 6, Vec2(-1, 1)).value();
  const auto rigid = collide(Routh{.e = 1, .mu = 0.5, .restitution = Restitution::stronge}, c).value();
  const auto gap = [&](double kappa) {
    return (collide(SpringSledge{kappa, 0.5, 1}, c)->P - rigid.P).norm() / rigid.P.norm();
  };
  EXPECT_GT(gap(0.824), 0.05);  // "significant differences"
  // First order in 1/κ.
  for (const double kappa : {1e3, 1e4, 1e5, 1e6, 1e7}) {
    EXPECT_LT(gap(kappa) * kappa, 2) << kappa;
    EXPECT_GT(gap(kappa) * kappa, 0.5) << kappa;
  }
}

}  // namespace
}  // namespace ricochet
