/// The parts of Routh's integrator (include/ricochet/law/routh/), each against what defines it.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random_contact.hpp"
#include "ricochet/law/routh/curve_end.hpp"
#include "ricochet/law/routh/invariant_directions.hpp"
#include "ricochet/law/routh/restitution_rule.hpp"
#include "ricochet/law/routh/resumed_slip.hpp"
#include "ricochet/law/routh/slip_curve.hpp"
#include "ricochet/law/routh/slip_frame.hpp"
#include "ricochet/law/routh/slip_panel.hpp"

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

TEST(InvariantDirections, AreTheZerosOfTheTurnRate) {
  Rng rng(3);
  int with_pair = 0;
  for (int i = 0; i < 300; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.05, 5));
    const auto h = [&](double phi) { return flow.turn(std::cos(phi), std::sin(phi)); };
    InvariantDirections<double> directions(flow.alpha * flow.frame.w1, flow.alpha * flow.frame.w2, flow.B);
    std::vector<double> attractors{directions.first_attractor()}, repellers{directions.first_repeller()};
    if (directions.second_pair()) {
      ++with_pair;
      attractors.push_back(directions.second_attractor());
      repellers.push_back(directions.second_repeller());
    }
    const double scale = flow.alpha * (flow.frame.w1 + flow.frame.w2) + flow.B;
    for (const double phi : attractors) {
      EXPECT_NEAR(h(phi), 0, 1e-14 * scale);
      EXPECT_GT(h(phi - 1e-5), h(phi + 1e-5));
    }
    for (const double phi : repellers) {
      EXPECT_NEAR(h(phi), 0, 1e-14 * scale);
      EXPECT_LT(h(phi - 1e-5), h(phi + 1e-5));
    }
    // There are no others: h changes its sign that often on the circle.
    std::size_t changes = 0;
    constexpr int samples = 20000;
    for (int k = 0; k < samples; ++k) {
      const double step = 2 * pi<double>() / samples;
      changes += (h(k * step) < 0) != (h((k + 1) * step) < 0) ? 1 : 0;
    }
    EXPECT_EQ(changes, attractors.size() + repellers.size());
  }
  EXPECT_GT(with_pair, 20);
}

TEST(InvariantDirections, ArcRunsFromRepellerToAttractorThroughTheDirection) {
  Rng rng(4);
  for (int i = 0; i < 500; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.05, 5));
    const double phi = uniform(rng, -3.1, 3.1);
    const double h = flow.turn(std::cos(phi), std::sin(phi));
    InvariantDirections<double> directions(flow.alpha * flow.frame.w1, flow.alpha * flow.frame.w2, flow.B);
    const Arc<double> arc = directions.around(std::cos(phi), std::sin(phi), h);
    EXPECT_EQ(arc.sense, h > 0 ? 1 : -1);
    EXPECT_GT(arc.sense * (arc.phi - arc.behind), 0);
    EXPECT_GT(arc.sense * (arc.ahead - arc.phi), 0);
    EXPECT_NEAR(std::remainder(arc.phi - phi, 2 * pi<double>()), 0, 1e-14);
  }
}

SlipCurve<double> random_curve(Rng& rng, const SlipFlow<double>& flow) {
  for (;;) {
    const double phi = uniform(rng, -3.1, 3.1);
    const double cs = std::cos(phi), sn = std::sin(phi);
    InvariantDirections<double> directions(flow.alpha * flow.frame.w1, flow.alpha * flow.frame.w2, flow.B);
    const SlipCurve<double> curve(flow, directions.around(cs, sn, flow.turn(cs, sn)));
    if (curve.exists()) return curve;
  }
}

TEST(SlipCurve, DirectionAndRate_FollowTheTurnRate) {
  Rng rng(5);
  for (int i = 0; i < 300; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.1, 2));
    const SlipCurve<double> curve = random_curve(rng, flow);
    const double y = uniform(rng, -3, 3), d = 1e-4;
    const auto p = curve.sample(y);
    const double phi = curve.phi_of(y);
    EXPECT_NEAR(p.cs, std::cos(phi), 1e-13);
    EXPECT_NEAR(p.sn, std::sin(phi), 1e-13);
    EXPECT_NEAR(curve.y_of(phi), y, 1e-10);
    // dφ/dy = h dτ/dy.
    const double slope = (curve.phi_of(y + d) - curve.phi_of(y - d)) / (2 * d);
    EXPECT_NEAR(flow.turn(p.cs, p.sn) * p.rate, slope, 1e-6 * (1 + std::abs(slope)));
  }
}

TEST(SlipPanel, SlipSpeedAndImpulse_AreIntegralsOfTheFlow) {
  Rng rng(6);
  int filled = 0;
  for (int i = 0; i < 100; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.1, 2));
    const SlipCurve<double> curve = random_curve(rng, flow);
    SlipPanel<double> panel;
    const double from = uniform(rng, -2, 2), width = 0.2;
    if (!panel.fill(curve, from, width, 1.5).resolved) continue;
    ++filled;
    // Runge-Kutta of order 4 for (ln s, λ, V_n) from end to end.
    constexpr int steps = 400;
    const double dy = width / steps;
    double log_s = std::log(1.5), lambda = 0, rise = 0;
    for (int k = 0; k < steps; ++k) {
      const double y = from + k * dy;
      const auto a = curve.sample(y), b = curve.sample(y + dy / 2), c = curve.sample(y + dy);
      const double s0 = std::exp(log_s), s1 = std::exp(log_s + dy / 2 * (a.g * a.rate + b.g * b.rate) / 2),
                   s2 = std::exp(log_s + dy * (a.g * a.rate + 4 * b.g * b.rate + c.g * c.rate) / 6);
      lambda += dy * (s0 * a.rate + 4 * s1 * b.rate + s2 * c.rate) / 6;
      rise += dy * (s0 * a.rate * a.k + 4 * s1 * b.rate * b.k + s2 * c.rate * c.k) / 6;
      log_s = std::log(s2);
    }
    const auto travel = panel.travel(1.0);
    EXPECT_NEAR(std::log(travel.speed), log_s, 1e-10);
    EXPECT_NEAR(panel.half * travel.m, lambda, 1e-8 * lambda);
    EXPECT_NEAR(panel.half * travel.rise, rise, 1e-8 * (std::abs(rise) + lambda * flow.frame.w_nn));
    // Both variables describe one motion.
    if (panel.fill_by_slip(flow, curve.phi_of(from), 0.1, 1.5).resolved) {
      const auto by_slip = panel.travel(1.0);
      EXPECT_NEAR(by_slip.speed, 1.5 * std::exp(-0.1), 1e-14);
    }
  }
  EXPECT_GT(filled, 80);
}

TEST(FirstZero, OfKnownFunctions) {
  using Samples = SlipPanel<double>::Samples;
  const auto& x = SlipPanel<double>::nodes().x;
  const auto find = [&](auto f, auto slope) {
    Samples values, slopes;
    for (std::size_t j = 0; j < values.size(); ++j) {
      values[j] = f(x[j]);
      slopes[j] = slope(x[j]);
    }
    return FirstZero<double>(values, slopes).find();
  };
  EXPECT_NEAR(find([](double z) { return z - 0.3; }, [](double) { return 1.0; }), 0.3, 1e-15);
  EXPECT_GT(find([](double z) { return z - 1.3; }, [](double) { return 1.0; }), 1);
  // A crest between two nodes: the zero on its way up counts.
  const double top = (x[12] + x[13]) / 2, width = (x[13] - x[12]) / 4;
  EXPECT_NEAR(
      find([&](double z) { return width * width - (z - top) * (z - top); }, [&](double z) { return -2 * (z - top); }),
      top - width, 1e-13);
  // Zero at the left end on its way down does not.
  EXPECT_NEAR(find([](double z) { return (z + 1) * (z - 0.5); }, [](double z) { return 2 * z + 0.5; }), 0.5, 1e-14);
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
    EXPECT_TRUE(rule.outlasts(0.99 * x, 0.99 * 0.99 * k * x * x / 2, 0.99 * k * x));
    EXPECT_FALSE(rule.outlasts(1.01 * x, 1.01 * 1.01 * k * x * x / 2, 1.01 * k * x));
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

TEST(CurveEnd, AgreesWithTheIntegratedRestOfTheCurve) {
  Rng rng(8);
  int known = 0;
  for (int i = 0; i < 400 && known < 20; ++i) {
    const auto flow = random_flow(rng, uniform(rng, 0.5, 2));
    const SlipCurve<double> curve = random_curve(rng, flow);
    const double y = 20;
    double s = 0.01;
    const CurveEnd<double> end(flow, curve, y, s, s);
    if (end.kind != CurveEnd<double>::Kind::known) continue;
    double at = y, lambda = 0, rise = 0;
    bool resolved = true;
    while (resolved && s > 1e-16) {
      SlipPanel<double> panel;
      const auto here = curve.sample(at);
      const double width = std::min(1.0, 2 / (std::abs(here.g) * here.rate));
      resolved = panel.fill(curve, at, width, s).resolved;
      const auto travel = panel.travel(1.0);
      lambda += panel.half * travel.m;
      rise += panel.half * travel.rise;
      s = travel.speed;
      at += width;
    }
    if (!resolved) continue;
    ++known;
    EXPECT_NEAR(end.rest, lambda, 1e-9 * lambda);
    EXPECT_NEAR(end.rise, rise, 1e-9 * (std::abs(rise) + lambda * flow.frame.w_nn));
  }
  EXPECT_GE(known, 10);
}

}  // namespace
}  // namespace ricochet::routh
