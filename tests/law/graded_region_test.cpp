#include "ricochet/law/graded_region.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "derivative_differences.hpp"
#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/graded_region_kernel.hpp"
#include "ricochet/law/law_table.hpp"
#include "scalar_types.hpp"

namespace ricochet {
namespace {

using testing::infinity;
using testing::Rng;
using testing::uniform;

/// Steep slopes of all kinds.
GradedRegion any_law(Rng& rng, double steepness = 3) {
  GradedRegion law;
  law.e = testing::random_e(rng);
  law.mu = testing::random_mu(rng);
  law.smooth = testing::chance(rng, 0.2) ? 0 : uniform(rng, 0.005, 1);
  law.tau = uniform(rng, -1, 3);
  for (double GradedRegion::*slope :
       {&GradedRegion::e_v, &GradedRegion::e_vv, &GradedRegion::e_i, &GradedRegion::e_ii, &GradedRegion::e_r,
        &GradedRegion::e_ir, &GradedRegion::e_c, &GradedRegion::e_m, &GradedRegion::tau_v, &GradedRegion::tau_c,
        &GradedRegion::tau_ic, &GradedRegion::tau_m, &GradedRegion::chi_c, &GradedRegion::chi_ic, &GradedRegion::chi_rc,
        &GradedRegion::chi_m})
    law.*slope = steepness * uniform(rng, -1, 1);
  return law;
}

Contact with_spin(Rng& rng, Contact c) {
  c.spin = testing::log_uniform(rng, -1, 3) * testing::random_unit(rng);
  return c;
}

/// (GR1) to (GR6) in the coordinates of the input, with a general inverse, logistic function and bisection of (GR6) and
/// of the cone: P_t is the share of the aim that friction and energy allow, to be smoothed by (GR5).
Vec3 region_impulse(const GradedRegion& law, const Contact& contact) {
  using Wide = long double;
  using M3 = Mat3T<Wide>;
  using V3 = Vec3T<Wide>;
  const V3 n = contact.n.cast<Wide>().normalized(), V = contact.V.cast<Wide>();
  const M3 W = contact.W.cast<Wide>(), I = M3::Identity(), T = I - n * n.transpose();
  const Wide v = V.norm(), k = -n.dot(V), W_nn = n.dot(W * n);
  const V3 i = T * V / v, c = T * (W * n) / W_nn, gamma = c / std::sqrt(1 + c.squaredNorm());
  const V3 roll = contact.spin.cast<Wide>().cross(n) / 20, varpi = roll / std::sqrt(1 + roll.squaredNorm());
  const M3 W_tt = T * W * T;
  const M3 R = W_tt * (W_nn * I + W_tt).inverse();
  const Wide s = 2 * std::tanh(std::log(v) / 2);
  const M3 more = R - Wide(7) / 9 * I;  // than a solid sphere has
  const Wide m = (i.dot(more * i) + gamma.dot(more * gamma)) / (Wide(1) / 10 + i.squaredNorm() + gamma.squaredNorm());
  const Wide logit = law.e_v * s + law.e_vv * s * s + law.e_i * i.squaredNorm() + law.e_ii * std::pow(i.norm(), 4) +
                     law.e_r * varpi.squaredNorm() + law.e_ir * i.dot(varpi) + law.e_c * gamma.squaredNorm() +
                     law.e_m * m;
  const Wide e = law.e == 0   ? Wide(0)
                 : law.e == 1 ? Wide(1)
                              : 1 / (1 + std::exp(-(std::log(Wide(law.e) / (1 - Wide(law.e))) + logit)));
  const V3 left = T * (V + k / W_nn * (W * n));  // the slip after P_I
  const M3 by_slip =
      (law.tau + law.tau_v * s + law.tau_c * gamma.squaredNorm() + law.tau_ic * i.dot(gamma)) * I + law.tau_m * R;
  const M3 by_coupling =
      (law.chi_c * gamma.squaredNorm() + law.chi_ic * i.dot(gamma) + law.chi_rc * varpi.dot(gamma)) * I + law.chi_m * R;
  const V3 aim = -(by_slip * left) / W_nn + (1 + e) * k / W_nn * (by_coupling * gamma);
  const auto impulse = [&](Wide share) { return V3(share * aim + ((1 + e) * k / W_nn - share * aim.dot(c)) * n); };
  const auto largest_share = [&](const auto& holds) {
    if (!(aim.norm() > 0) || holds(1e30L)) return Wide(1e30L);
    Wide low = 0, high = 1e30L;
    for (int step = 0; step < 4000 && high - low > 1e-18L * high; ++step) {
      const Wide middle = low > 0 ? std::sqrt(low * high) : high * 1e-3L;
      if (middle < 1e-30L) return Wide(0);
      (holds(middle) ? low : high) = middle;
    }
    return low;
  };
  const Wide mu = law.mu;
  const Wide of_friction = largest_share([&](Wide share) {
    const V3 P = impulse(share);
    return law.mu == infinity ? n.dot(P) >= 0 : (T * P).norm() <= mu * n.dot(P);
  });
  // ΔE of the whole, less what rounding of the part without friction would add.
  const V3 after = V + (1 + e) * k / W_nn * (W * n), D = aim - aim.dot(c) * n;
  const Wide spare = (1 - e * e) * k * k / W_nn / 2;
  const Wide of_energy =
      largest_share([&](Wide share) { return share * D.dot(after) + share * share * D.dot(W * D) / 2 <= spare; });
  Wide share = std::min({Wide(1), of_friction, of_energy});
  if (law.smooth > 0 && share > 0) {
    const Wide steep = 1 / Wide(law.smooth);
    share *=
        std::pow(std::pow(share, steep) + std::pow(share / of_friction, steep) + std::pow(share / of_energy, steep),
                 -Wide(law.smooth));
  }
  return impulse(share).cast<double>();
}

TEST(GradedRegion, EveryParameterAndContact_GivesAPermissibleImpulse) {
  Rng rng(1);
  for (int i = 0; i < 20000; ++i) {
    Contact c = i % 4 == 0 ? testing::random_planar_contact(rng, 8) : testing::random_contact(rng, 8);
    c = with_spin(rng, c);
    const GradedRegion law = any_law(rng, i % 3 == 0 ? 30 : 3);
    const auto hit = collide(law, c);
    ASSERT_TRUE(hit) << hit.error().message();
    const Margins& m = hit->certificate.margins;
    ASSERT_TRUE(hit->certificate.permissible) << "case " << i << ": energy " << m.energy << ", separation "
                                              << m.separation << ", friction " << m.friction << ", mu " << law.mu;
  }
}

TEST(GradedRegion, ImmovableDirections_ArePermissibleToo) {
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 n = testing::random_unit(rng), a = testing::random_unit(rng);
    const Mat3 keep = Mat3::Identity() - a * a.transpose();
    const Mat3 A = keep * testing::random_mass(rng, 2) * keep;
    Vec3 V = keep * testing::random_approach(rng, n);
    if (n.dot(V) >= 0) V = -V;
    const auto c = contact_from_mobility(0.5 * (A + A.transpose()), V, n);
    ASSERT_TRUE(c) << c.error().message();
    ASSERT_TRUE(c->immovable);
    if (!(c->approach_speed() > 1e-6 * V.norm())) continue;
    const auto hit = collide(any_law(rng), with_spin(rng, *c));
    ASSERT_TRUE(hit) << hit.error().message();
    ASSERT_TRUE(hit->certificate.permissible) << "case " << i;
  }
}

TEST(GradedRegion, AgreesWithItsEquationsSolvedByBisectionInInputCoordinates) {
  Rng rng(3);
  int limited = 0;
  for (int i = 0; i < 2000; ++i) {
    const Contact c = with_spin(rng, testing::random_contact(rng, 2));
    if (c.approach_speed() < 1e-3 * c.V.norm()) continue;
    GradedRegion law = any_law(rng);
    if (law.mu > 10) law.mu = infinity;
    const auto hit = collide(law, c).value();
    const Vec3 expected = region_impulse(law, c);
    ASSERT_LT((hit.P - expected).norm(), 1e-9 * expected.norm())
        << "case " << i << ", smooth " << law.smooth << ", mu " << law.mu << ", e " << law.e;
    limited += hit.mode == Mode::slip ? 1 : 0;
  }
  EXPECT_GE(limited, 300);
}

// A solid sphere without rolling friction: M_t = 2/7 m.
TEST(GradedRegion, SolidSphere_SlipEndsWithTwoSeventhsAndSlidesAtTheCone) {
  const Mat3 M = Vec3(2.0 / 7, 2.0 / 7, 1).asDiagonal();
  const auto c = contact_from_mass(M, Vec3(0.3, 0.4, -1), Vec3::UnitZ()).value();
  const auto sticks = collide(GradedRegion{.e = 0.6, .mu = 1, .smooth = 0}, c).value();
  EXPECT_LT(Vec3(sticks.V - Vec3(0, 0, 0.6)).norm(), 1e-15);
  EXPECT_EQ(sticks.mode, Mode::stick);
  const auto slides = collide(GradedRegion{.e = 0.6, .mu = 0.05, .smooth = 0}, c).value();
  EXPECT_LT(Vec3(slides.P - 1.6 * Vec3(-0.05 * 0.6, -0.05 * 0.8, 1)).norm(), 1e-15);
  EXPECT_EQ(slides.mode, Mode::slip);
  // A rebound without loss leaves no energy to be gained: the slip is at most reversed.
  const auto reverses = collide(GradedRegion{.e = 1, .mu = 5, .smooth = 0, .tau = 3}, c).value();
  EXPECT_LT(Vec3(reverses.V - Vec3(-0.3, -0.4, 1)).norm(), 1e-14);
  EXPECT_NEAR(reverses.energy_change, 0, 1e-15);
}

TEST(GradedRegion, RestitutionIsLogisticInTheLogarithmOfSpeedNearOneMetrePerSecond) {
  const GradedRegion law{.e = 0.5, .e_v = -0.4, .mu = 0.2};
  const auto rebound = [&](double v) {
    const auto c = contact_from_mass(2 * Mat3::Identity(), Vec3(0, 0, -v), Vec3::UnitZ()).value();
    return collide(law, c)->V.z() / v;
  };
  EXPECT_NEAR(rebound(1), 0.5, 1e-15);
  EXPECT_NEAR(rebound(3), 1 / (1 + std::exp(0.4)), 1e-15);
  const double h = 0.01;
  EXPECT_NEAR(rebound(1 + h), 1 / (1 + std::pow(1 + h, 0.4)), h * h * h);
}

// Any rebound of at most the approach, and any tangential impulse that the region has there.
TEST(GradedRegion, ReachesEveryPlanarImpulseOfTheRegionBelowFullRebound) {
  Rng rng(5);
  for (int i = 0; i < 500; ++i) {
    const Contact c = testing::random_planar_contact(rng, 2);
    const double mu = uniform(rng, 0.05, 1);
    const Vec3 P = collide(ChatterjeeRuina{uniform(rng, 0, 1), uniform(rng, -1, 1), mu}, c)->P;
    const Vec3 V = c.V + c.W * P, left = c.V - c.n.dot(c.V) / c.W(0, 0) * (c.W * c.n);
    if (std::abs(left.y()) < 1e-3 * c.V.norm() || c.approach_speed() < 1e-3 * c.V.norm()) continue;
    const GradedRegion law{
        .e = std::min(1.0, V.x() / c.approach_speed()), .mu = mu, .smooth = 0, .tau = -P.y() * c.W(0, 0) / left.y()};
    EXPECT_LT((collide(law, c)->P - P).norm(), 1e-10 * P.norm()) << "case " << i;
  }
}

TEST(GradedRegion, TurnsAndMirrorsWithTheContactAndItsSpin) {
  Rng rng(6);
  for (int i = 0; i < 500; ++i) {
    const Contact c = with_spin(rng, testing::random_contact(rng, 1));
    const GradedRegion law = any_law(rng);
    if (law.mu > 10) continue;
    const Vec3 P = collide(law, c)->P;
    const Mat3 Q = testing::random_rotation(rng);
    for (const double sign : {1.0, -1.0}) {  // a mirrored spin changes its sign once more
      const Mat3 A = sign * Q, W = A * c.W * A.transpose();
      auto other = contact_from_mobility(0.5 * (W + W.transpose()), A * c.V, A * c.n).value();
      other.spin = sign * A * c.spin;
      EXPECT_LT((collide(law, other)->P - A * P).norm(), 1e-9 * (P.norm() + (c.M * c.V).norm())) << "case " << i;
    }
  }
}

TEST(GradedRegion, ExchangedBodies_ChangeTheSignOfWhatTellsThemApart) {
  Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    const Contact c = with_spin(rng, testing::random_contact(rng, 1));
    GradedRegion law = any_law(rng);
    const Vec3 P = collide(law, c)->P;
    Contact other = contact_from_mobility(c.W, -c.V, -c.n).value();
    other.spin = -c.spin;
    law.e_ir = -law.e_ir;
    law.chi_rc = -law.chi_rc;
    EXPECT_LT((collide(law, other)->P + P).norm(), 1e-9 * P.norm()) << "case " << i;
  }
}

TEST(GradedRegion, SpinIsThatOfTheBodies) {
  RigidBody ground, ball;
  ground.fixed = true;
  ground.angular_velocity = Vec3(0, 0, 3);
  ball.angular_velocity = Vec3(10, -20, 5);
  ball.position = Vec3(0, 0, 1);
  ball.velocity = Vec3(0, 0, -1);
  const auto c = contact_between(ground, ball, Vec3::Zero(), Vec3::UnitZ()).value();
  EXPECT_EQ(c.spin, Vec3(10, -20, 2));
}

GradedRegion smooth_law(Rng& rng) {
  const auto number = [&](double low, double high) { return testing::short_number(uniform(rng, low, high)); };
  GradedRegion law = any_law(rng);
  law.e = number(0.2, 0.8);
  law.mu = number(0.1, 0.9);
  law.smooth = number(0.1, 0.9);
  for (double* slope :
       {&law.e_v, &law.e_vv, &law.e_i, &law.e_ii, &law.e_r, &law.e_ir, &law.e_c, &law.e_m, &law.tau, &law.tau_v,
        &law.tau_c, &law.tau_ic, &law.tau_m, &law.chi_c, &law.chi_ic, &law.chi_rc, &law.chi_m})
    *slope = testing::short_number(*slope);
  return law;
}

TEST(GradedRegion, DerivativesAgreeWithDifferences) {
  using testing::Wide;
  testing::expect_exact_derivatives<GradedRegion>(
      smooth_law,
      [](Rng& rng) {
        Contact c = testing::smooth_contact(rng);
        c.spin = uniform(rng, 1, 40) * testing::random_unit(rng);
        return c;
      },
      {{"e", &GradedRegion::e},           {"e_v", &GradedRegion::e_v},       {"e_vv", &GradedRegion::e_vv},
       {"e_i", &GradedRegion::e_i},       {"e_ii", &GradedRegion::e_ii},     {"e_r", &GradedRegion::e_r},
       {"e_ir", &GradedRegion::e_ir},     {"e_c", &GradedRegion::e_c},       {"e_m", &GradedRegion::e_m},
       {"mu", &GradedRegion::mu},         {"smooth", &GradedRegion::smooth}, {"tau", &GradedRegion::tau},
       {"tau_v", &GradedRegion::tau_v},   {"tau_c", &GradedRegion::tau_c},   {"tau_ic", &GradedRegion::tau_ic},
       {"tau_m", &GradedRegion::tau_m},   {"chi_c", &GradedRegion::chi_c},   {"chi_ic", &GradedRegion::chi_ic},
       {"chi_rc", &GradedRegion::chi_rc}, {"chi_m", &GradedRegion::chi_m}},
      {.step = 0x1p-11L},
      [](const GradedRegion& law, const Local<Wide>& c, const Vec3T<Wide>& spin) { return solve(law, c, spin).P; });
}

TEST(GradedRegion, EveryScalar) { testing::expect_every_scalar(smooth_law, testing::random_line, {.contacts = 60}); }

}  // namespace
}  // namespace ricochet
