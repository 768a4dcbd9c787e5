/// The parts of Routh's integrator (include/ricochet/law/routh/), each against what defines it.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random_contact.hpp"
#include "ricochet/base/constants.hpp"
#include "ricochet/law/routh/attracting_direction.hpp"
#include "ricochet/law/routh/phase_end.hpp"
#include "ricochet/law/routh/restitution_rule.hpp"
#include "ricochet/law/routh/resumed_slip.hpp"
#include "ricochet/law/routh/slip_frame.hpp"
#include "ricochet/law/routh/slip_series.hpp"

namespace ricochet::routh {
namespace {

using testing::Rng;
using testing::uniform;

SlipFlow<double> random_flow(Rng& rng, double mu) {
  return {SlipFrame<double>(testing::random_mass(rng, 1)), 1 / (1 + mu), mu / (1 + mu)};
}

TEST(SlipFrame, Axes_DiagonalizeWttAndTurnTheCouplingPositive) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const Mat3 W = testing::random_mass(rng, 6);
    const SlipFrame<double> f(W);
    Mat2 Q;
    Q << f.axis1, f.axis2;
    EXPECT_LE((Q.transpose() * Q - Mat2::Identity()).norm(), 1e-14);
    const Mat2 D = Q.transpose() * W.block<2, 2>(1, 1) * Q;
    EXPECT_LE((D - Mat2(Vec2(f.a, f.b).asDiagonal())).norm(), 1e-14 * W.norm());
    EXPECT_LE(f.a, f.b);
    EXPECT_LE((Q * Vec2(f.w1, f.w2) - W.block<2, 1>(1, 0)).norm(), 1e-14 * W.norm());
    EXPECT_GE(f.w1, 0);
    EXPECT_GE(f.w2, 0);
    const Vec2 v(uniform(rng, -1, 1), uniform(rng, -1, 1));
    EXPECT_LE((f.to_local(2, f.from_local(v)) - Vec3(2, v(0), v(1))).norm(), 1e-14);
  }
}

TEST(SlipFrame, UncoupledTangents_AxesAreTheLocalOnes) {
  const SlipFrame<double> f(Mat3(Vec3(1, 3, 2).asDiagonal()));
  EXPECT_EQ(f.a, 2);
  EXPECT_EQ(f.b, 3);
  EXPECT_EQ(f.axis1, Vec2(0, 1));
}

TEST(SlipFlow, Rates_AreThoseOfTheVelocityAlongTheCone) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const Mat3 W = testing::random_mass(rng, 2);
    const double mu = uniform(rng, 0, 3), phi = uniform(rng, -3, 3);
    const SlipFlow<double> flow(SlipFrame<double>(W), 1 / (1 + mu), mu / (1 + mu));
    const Vec2 v(std::cos(phi), std::sin(phi));
    // dV/dλ = W (α n − β v̂) in local axes.
    const Vec3 change = W * flow.frame.to_local(flow.alpha, -flow.beta * v);
    const Vec2 slip = flow.frame.from_local(change.tail<2>());
    EXPECT_NEAR(flow.rates(v(0), v(1)).k, change(0), 1e-13 * W.norm());
    EXPECT_NEAR(flow.rates(v(0), v(1)).g, v.dot(slip), 1e-13 * W.norm());
    EXPECT_NEAR(flow.turn(v(0), v(1)), v(0) * slip(1) - v(1) * slip(0), 1e-13 * W.norm());
  }
}

AttractingDirections<double> attracting(const SlipFlow<double>& flow) {
  return {flow.alpha * flow.frame.w1, flow.alpha * flow.frame.w2, flow.B};
}
double turn_at(const SlipFlow<double>& flow, double phi) { return flow.turn(std::cos(phi), std::sin(phi)); }

TEST(AttractingDirections, AreTheZerosAtWhichTheTurnRateFalls) {
  Rng rng(3);
  int two = 0;
  for (int i = 0; i < 300; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.05, 5));
    AttractingDirections<double> directions = attracting(flow);
    std::vector<Vec2> found{directions.in_first_quadrant()};
    if (directions.second()) {
      ++two;
      found.push_back(directions.in_second_quadrant());
    }
    const double scale = flow.alpha * (flow.frame.w1 + flow.frame.w2) + flow.B;
    for (const Vec2& v : found) {
      EXPECT_NEAR(v.norm(), 1, 1e-15);
      EXPECT_NEAR(flow.turn(v(0), v(1)), 0, 1e-15 * scale);
      EXPECT_LT(flow.turn_slope(v(0), v(1)), 0);
    }
    // There are no others: h falls through zero that often on the circle.
    std::size_t falls = 0;
    constexpr int samples = 20000;
    for (int k = 0; k < samples; ++k) {
      const double step = 2 * pi<double>() / samples;
      falls += turn_at(flow, k * step) >= 0 && turn_at(flow, (k + 1) * step) < 0 ? 1 : 0;
    }
    EXPECT_EQ(falls, found.size());
  }
  EXPECT_GT(two, 20);
}

/// The first zero of h that a direction meets as it turns, from many small steps.
double followed(const SlipFlow<double>& flow, double phi) {
  const double sense = turn_at(flow, phi) > 0 ? 1 : -1, step = 1e-4;
  while (sense * turn_at(flow, phi) > 0) phi += sense * step;
  return phi;
}

TEST(AttractingDirections, AheadIsTheOneThatTheDirectionTurnsTo) {
  Rng rng(4);
  for (int i = 0; i < 400; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.05, 5));
    const double phi = uniform(rng, -3.1, 3.1), h = turn_at(flow, phi);
    if (std::abs(h) < 1e-3) continue;
    const Vec2 to = attracting(flow).ahead(std::cos(phi), std::sin(phi), h);
    const double end = followed(flow, phi);
    EXPECT_NEAR(std::remainder(std::atan2(to(1), to(0)) - end, 2 * pi<double>()), 0, 2e-4) << "case " << i;
  }
}

TEST(AttractingDirections, WithoutACoupling_LieOnTheAxisOfSmallerMobility) {
  AttractingDirections<double> directions(0, 0, 1);
  EXPECT_EQ(directions.ahead(0.6, 0.8, -0.48), Vec2(1, 0));
  EXPECT_EQ(directions.ahead(-0.6, 0.8, 0.48), Vec2(-1, 0));
  EXPECT_EQ(directions.ahead(-0.6, -0.8, -0.48), Vec2(-1, 0));
  EXPECT_EQ(directions.ahead(0.6, -0.8, 0.48), Vec2(1, 0));
}

/// ∫ over the direction from φ₀ to φ₁ of d(ln s, λ, ∫v̂dλ, V_n, ∫V_n dλ)/dφ, (R3) divided by φ' = h, by
/// Runge-Kutta of order 4.
struct Followed {
  double log_s, lambda, q1, q2, rise, lift;
};
Followed follow(const SlipFlow<double>& flow, double speed, double from, double to, int steps) {
  using State = Eigen::Matrix<double, 6, 1>;
  State x = State::Zero();
  x(0) = std::log(speed);
  const auto slope = [&](double phi, const State& y) {
    const double cs = std::cos(phi), sn = std::sin(phi);
    const auto rates = flow.rates(cs, sn);
    const double h = flow.turn(cs, sn), s = std::exp(y(0)), l = s / h;
    return State{rates.g / h, l, cs * l, sn * l, rates.k * l, y(4) * l};
  };
  const double d = (to - from) / steps;
  for (int i = 0; i < steps; ++i) {
    const double phi = from + i * d;
    const State a = slope(phi, x), b = slope(phi + d / 2, x + d / 2 * a), c = slope(phi + d / 2, x + d / 2 * b),
                e = slope(phi + d, x + d * c);
    x += d / 6 * (a + 2 * b + 2 * c + e);
  }
  return {x(0), x(1), x(2), x(3), x(4), x(5)};
}

void expect_integrals(const SlipFlow<double>& flow, const SlipSeries<double>& series, double speed, double from,
                      double z) {
  const SlipPlace<double> place = series.at(z);
  const Vec2 v = series.turned(place.cs, place.sn);
  const double to = from + std::remainder(std::atan2(v(1), v(0)) - from, 2 * pi<double>());
  const Followed x = follow(flow, speed, from, to, 4000);
  const double W = flow.frame.w_nn + flow.frame.b;
  EXPECT_NEAR(std::log(place.speed), x.log_s, 1e-9);
  EXPECT_NEAR(place.lambda, x.lambda, 1e-9 * x.lambda);
  const Vec2 q = series.turned(place.along, place.across);
  EXPECT_NEAR(q(0), x.q1, 1e-9 * x.lambda);
  EXPECT_NEAR(q(1), x.q2, 1e-9 * x.lambda);
  EXPECT_NEAR(place.rise, x.rise, 1e-9 * W * x.lambda);
  EXPECT_NEAR(place.lift, x.lift, 1e-9 * W * x.lambda * x.lambda);
  // Second order: what a small step adds.
  const double d = 1e-4 * place.reach;
  SlipPlace<double> next = place;
  series.shift(next, d);
  const SlipPlace<double> there = series.at(z + d);
  EXPECT_NEAR(next.lambda, there.lambda, 1e-11 * there.lambda);
  EXPECT_NEAR(next.rise, there.rise, 1e-11 * W * there.lambda);
  EXPECT_NEAR(next.lift, there.lift, 1e-11 * W * there.lambda * there.lambda);
  EXPECT_NEAR(next.speed, there.speed, 1e-11 * speed + 1e-9 * there.speed);
  EXPECT_LE((series.turned(next.cs, next.sn) - series.turned(there.cs, there.sn)).norm(), 1e-10);
}

TEST(SlipSeries, AboutADirection_IsTheIntegralOfTheFlow) {
  Rng rng(6);
  int made = 0;
  for (int i = 0; i < 60; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.1, 2));
    const double phi = uniform(rng, -3.1, 3.1), h = turn_at(flow, phi);
    const double X = std::copysign(uniform(rng, 0.02, 0.15), h), middle = phi + 2 * std::atan(X);
    SlipSeries<double> series(flow);
    if (!series.expand(std::cos(middle), std::sin(middle), X, h)) continue;
    ++made;
    series.start(1.5, true);
    for (const double z : {-0.6, 0.3, 1.0}) expect_integrals(flow, series, 1.5, phi, z);
  }
  EXPECT_GT(made, 30);
}

TEST(SlipSeries, AboutTheAttractingDirection_IsTheIntegralOfTheFlow) {
  Rng rng(7);
  int made = 0, growing = 0;
  for (int i = 0; i < 200; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.05, 2));
    const Vec2 to = attracting(flow).in_first_quadrant();
    const double X = uniform(rng, 0.02, 0.25) * (i % 2 == 0 ? 1 : -1),
                 phi = std::atan2(to(1), to(0)) + 2 * std::atan(X);
    SlipSeries<double> series(flow);
    if (!series.expand_at_end(to(0), to(1), X)) continue;
    ++made;
    growing += series.p < 0;
    series.start(0.7, true);
    for (const double x : {0.9, 0.5, 0.1}) expect_integrals(flow, series, 0.7, phi, series.z_of(x));
  }
  EXPECT_GT(made, 60);
  EXPECT_GT(growing, 5);
}

TEST(SlipSeries, EndOfSlip_IsTheLimitAndSatisfiesTheBalanceOfVelocity) {
  Rng rng(8);
  int made = 0;
  for (int i = 0; i < 200; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.5, 3));
    const Vec2 to = attracting(flow).in_first_quadrant();
    const double X = uniform(rng, 0.02, 0.25), phi = std::atan2(to(1), to(0)) + 2 * std::atan(X);
    SlipSeries<double> series(flow);
    if (!series.expand_at_end(to(0), to(1), X) || !(series.p > 0)) continue;
    ++made;
    series.start(1, true);
    const SlipPlace<double> end = series.at(series.last_z());
    EXPECT_EQ(end.speed, 0);
    // V_t + ∫ (α w − β W_tt v̂) dλ = 0.
    const Vec2 q = series.turned(end.along, end.across);
    const SlipFrame<double>& f = flow.frame;
    const Vec2 left = Vec2(std::cos(phi), std::sin(phi)) + flow.alpha * end.lambda * Vec2(f.w1, f.w2) -
                      flow.beta * Vec2(f.a * q(0), f.b * q(1));
    EXPECT_LE(left.norm(), 1e-13 * (1 + end.lambda * (f.b + f.w_nn)));
    EXPECT_NEAR(series.at(series.last_z() * (1 - 1e-12)).lambda, end.lambda, 1e-11 * end.lambda);
  }
  EXPECT_GT(made, 40);
}

TEST(PhaseEnd, IsWhereTheRuleSaysSo) {
  Rng rng(9);
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.1, 1));
    const double phi = uniform(rng, -3.1, 3.1), h = turn_at(flow, phi);
    const double X = std::copysign(0.1, h), middle = phi + 2 * std::atan(X);
    SlipSeries<double> series(flow);
    if (!series.expand(std::cos(middle), std::sin(middle), X, h)) continue;
    series.start(1, true);
    SlipPlace<double> first, last;
    series.ends(first, last, 1);
    if (!series.rises(-1) || !series.rises(1)) continue;
    for (const Restitution kind : {Restitution::poisson, Restitution::stronge, Restitution::newton}) {
      RestitutionRule<double> rule(kind, 0.7, -uniform(rng, 0.2, 0.5) * last.rise);
      const double before = rule.v_n;
      const PhaseEnd<double> compression(series, rule, first, PhaseGoal::rule);
      ASSERT_TRUE(compression.reached(last));
      const SlipPlace<double> turn = compression.find(last);
      EXPECT_NEAR(before + turn.rise, 0, 1e-15 * last.rise);
      const double F_c = before * turn.lambda + turn.lift;
      rule.advance(turn.lambda, F_c);
      rule.v_n = 0;
      rule.end_compression();
      const PhaseEnd<double> restitution(series, rule, turn, PhaseGoal::rule);
      if (!restitution.reached(last)) continue;
      ++found;
      const SlipPlace<double> end = restitution.find(last);
      const double v = end.rise - turn.rise, m = end.lambda - turn.lambda;
      const double F = end.lift - turn.lift - turn.rise * m;
      if (kind == Restitution::poisson) {
        EXPECT_NEAR(m, 0.7 * turn.lambda, 1e-14 * last.lambda);
      } else if (kind == Restitution::newton) {
        EXPECT_NEAR(v, -0.7 * before, 1e-14 * last.rise);
      } else {
        EXPECT_NEAR(F, -0.49 * F_c, 1e-14 * last.rise * last.lambda);
      }
    }
  }
  EXPECT_GT(found, 100);
}

TEST(RestitutionRule, StraightMotion_EndsWhereEachRuleSaysSo) {
  const double e = 0.6, k = 0.7, v = -1.3;
  for (const Restitution kind : {Restitution::poisson, Restitution::stronge, Restitution::newton}) {
    RestitutionRule<double> rule(kind, e, v);
    const double m_c = rule.expected_length(k);
    EXPECT_NEAR(m_c, -v / k, 1e-15);
    rule.advance(m_c, m_c * (v + k * m_c / 2));
    rule.v_n = 0;
    rule.end_compression();
    const double x = rule.straight_length(k);
    EXPECT_NEAR(x, rule.expected_length(k), 1e-15);
    // At a constant rate the three meanings of e agree.
    EXPECT_NEAR(x, e * m_c, 1e-14);
    EXPECT_NEAR(k * x, -e * v, 1e-14);
    EXPECT_LT(rule.excess(0.99 * x, 0.99 * 0.99 * k * x * x / 2, 0.99 * k * x), 0);
    EXPECT_GT(rule.excess(1.01 * x, 1.01 * 1.01 * k * x * x / 2, 1.01 * k * x), 0);
  }
}

TEST(RestitutionRule, FallingNormalVelocity_NewtonAndStrongeNeverEnd) {
  for (const Restitution kind : {Restitution::stronge, Restitution::newton}) {
    RestitutionRule<double> rule(kind, 0.5, -1.0);
    rule.advance(1, -0.5);
    rule.v_n = 0;
    rule.end_compression();
    EXPECT_EQ(rule.straight_length(-0.3), std::numeric_limits<double>::infinity());
  }
}

TEST(ResumedSlip, SolvesForTheDirectionThatFrictionOpposes) {
  Rng rng(7);
  int resumed = 0;
  for (int i = 0; i < 500; ++i) {
    const SlipFrame<double> f(testing::random_mass(rng, 3));
    const double hold = std::hypot(f.w1 / f.a, f.w2 / f.b), mu = uniform(rng, 0, 1) * hold;
    if (!(mu > 0)) continue;
    ++resumed;
    const auto slip = resumed_slip(f, mu);
    EXPECT_NEAR(slip.direction.norm(), 1, 1e-14);
    EXPECT_GT(slip.g, 0);
    const double scale = std::hypot(f.w1, f.w2);
    EXPECT_NEAR((mu * f.a + slip.g) * slip.direction(0), f.w1, 1e-13 * scale);
    EXPECT_NEAR((mu * f.b + slip.g) * slip.direction(1), f.w2, 1e-13 * scale);
  }
  EXPECT_GT(resumed, 400);
}

}  // namespace
}  // namespace ricochet::routh
