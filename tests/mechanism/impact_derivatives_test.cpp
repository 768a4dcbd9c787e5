/// Derivatives of the speeds after an impact, against Richardson differences of the answers.

#include "ricochet/mechanism/impact_derivatives.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "ricochet/law/collide.hpp"
#include "ricochet/mechanism/systems.hpp"

namespace ricochet {
namespace {

VecX after_impact(const Lagrangian& system, std::string_view contact, const Law& law, const VecX& q, const VecX& u) {
  const auto response = respond(system, contact, q, u);
  if (!response) {
    ADD_FAILURE() << response.error().message();
    return u;
  }
  const auto outcome = collide(law, response->contact);
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message();
    return u;
  }
  return response->after(outcome->P);
}

VecX richardson(const std::function<VecX(double)>& f) {
  const auto central = [&](double h) { return VecX((f(h) - f(-h)) / (2 * h)); };
  const double h = 2e-4;
  return (4 * central(h / 2) - central(h)) / 3;
}

void compare_impact(const Lagrangian& system, std::string_view contact,
                    const std::function<Law(double e, double mu)>& law, const VecX& q, const VecX& u,
                    Eigen::Index free_entries = 100) {
  const double e = 0.5, mu = 0.3;
  const auto d = impact_derivatives(system, contact, law(e, mu), q, u);
  ASSERT_TRUE(d) << d.error().message();
  ASSERT_EQ(d->kink, "");
  const auto near = [](const VecX& got, const VecX& expected, const std::string& what) {
    EXPECT_LT((got - expected).norm(), 1e-8 * (1 + expected.norm()))
        << what << "\n got " << got.transpose() << "\n want " << expected.transpose();
  };
  near(d->u, after_impact(system, contact, law(e, mu), q, u), "u");
  for (int k = 0; k < u.size(); ++k)
    near(d->by_u.col(k), richardson([&](double h) {
           VecX moved = u;
           moved(k) += h;
           return after_impact(system, contact, law(e, mu), q, moved);
         }),
         "by u " + std::to_string(k));
  ASSERT_EQ(d->by_q.cols(), q.size());
  for (int k = 0; k < std::min<Eigen::Index>(q.size(), free_entries); ++k)
    near(d->by_q.col(k), richardson([&](double h) {
           VecX moved = q;
           moved(k) += h;
           return after_impact(system, contact, law(e, mu), moved, u);
         }),
         "by q " + std::to_string(k));
  for (const ImpactDerivatives::Parameter& p : d->parameters) {
    if (p.name == "e")
      near(p.by.col(0), richardson([&](double h) { return after_impact(system, contact, law(e + h, mu), q, u); }), "e");
    if (p.name == "mu")
      near(p.by.col(0), richardson([&](double h) { return after_impact(system, contact, law(e, mu + h), q, u); }),
           "mu");
  }
}

Law chatterjee_ruina(double e, double mu) {
  ChatterjeeRuina law;
  law.e = e;
  law.mu = mu;
  return law;
}
Law whittaker(double e, double mu) {
  Whittaker law;
  law.e = e;
  law.mu = mu;
  return law;
}

TEST(ImpactDerivatives, OfADoublePendulumThatStrikesTheFloor_AgreeWithDifferences) {
  const Lagrangian system = double_pendulum_absolute({1, 1}, {0.7, 0.8});
  ASSERT_FALSE(system.contacts.empty());
  const VecX q = Eigen::Vector2d(-0.9, -0.6), u = Eigen::Vector2d(-1.2, -0.7);
  for (const auto& law : {chatterjee_ruina, whittaker}) compare_impact(system, system.contacts[0].name, law, q, u);
}

TEST(ImpactDerivatives, OfASingularW_DoNotUseTheDirectionThatCannotMove) {
  const Lagrangian system = double_pendulum_absolute({1, 1}, {0.7, 0.8});
  const VecX q = Eigen::Vector2d(-0.9, -0.6), u = Eigen::Vector2d(-1.2, -0.7);
  const auto response = respond(system, system.contacts[0].name, q, u);
  ASSERT_TRUE(response);
  ASSERT_TRUE(response->contact.immovable);
  // Of degree one in u: ∂u⁺/∂u · u = u⁺.
  const auto d = impact_derivatives(system, system.contacts[0].name, chatterjee_ruina(0.5, 0.3), q, u);
  ASSERT_TRUE(d);
  EXPECT_LT((d->by_u * u - d->u).norm(), 1e-12 * d->u.norm());
}

Law spring_sledge(double e, double mu) {
  SpringSledge law;
  law.e = e;
  law.mu = mu;
  return law;
}

// A single pendulum has one speed: its tip can move along one direction only, and every law with Newton's restitution
// reverses it, θ̇⁺ = −e θ̇.
TEST(ImpactDerivatives, OfASinglePendulum_AreThoseOfOneSpeed) {
  const Lagrangian system = single_pendulum({1.3, 2});
  const VecX q = VecX::Constant(1, 0.5), u = VecX::Constant(1, -1.25);
  for (const auto& law : {chatterjee_ruina, whittaker}) {
    const auto d = impact_derivatives(system, system.contacts[0].name, law(0.5, 0.3), q, u);
    ASSERT_TRUE(d) << d.error().message();
    ASSERT_EQ(d->kink, "");
    EXPECT_TRUE(d->by_differences);
    EXPECT_NEAR(d->u(0), 0.625, 1e-14);
    EXPECT_NEAR(d->by_u(0, 0), -0.5, 1e-11);
    EXPECT_NEAR(d->by_q(0, 0), 0, 1e-10);
    std::size_t seen = 0;
    for (const ImpactDerivatives::Parameter& p : d->parameters) {
      if (p.name != "e" && p.name != "mu") continue;
      ++seen;
      EXPECT_NEAR(p.by(0, 0), p.name == "e" ? 1.25 : 0, 1e-10) << p.name;
    }
    EXPECT_EQ(seen, 2U);
  }
  // The answer of a compliant contact depends on the angle and on friction.
  compare_impact(system, system.contacts[0].name, spring_sledge, q, u);
}

// At e = 0 and e = 1 only one side exists.
TEST(ImpactDerivatives, OfASinglePendulum_AtTheEndsOfRestitution_AreOfTheOneSide) {
  const Lagrangian system = single_pendulum({1, 1});
  const VecX q = VecX::Constant(1, 0.5), u = VecX::Constant(1, -1);
  for (const double e : {0.0, 1.0}) {
    const auto d = impact_derivatives(system, system.contacts[0].name, chatterjee_ruina(e, 0.3), q, u);
    ASSERT_TRUE(d) << d.error().message();
    for (const ImpactDerivatives::Parameter& p : d->parameters)
      if (p.name == "e") {
        EXPECT_NEAR(p.by(0, 0), 1, 1e-10);
      }
  }
}

TEST(ImpactDerivatives, OfASpatialBody_AgreeWithDifferences) {
  Mat3 J = Vec3(0.02, 0.05, 0.04).asDiagonal();
  const Lagrangian system = free_spatial_body(1.5, J, {{"tip", Vec3(0.3, 0.1, -0.2)}});
  ASSERT_FALSE(system.contacts.empty());
  VecX q = VecX::Zero(system.coordinates), u(system.dof);
  q.head<3>() << 0, 0, 0.2;
  q.tail<4>() = Eigen::Vector4d(0.9, 0.2, -0.3, 0.1).normalized();
  u << 0.4, -0.2, -2, 0.5, 1.1, -0.7;
  compare_impact(system, system.contacts[0].name, chatterjee_ruina, q, u, 3);
  // The entries of a quaternion cannot change by themselves.
  const auto d = impact_derivatives(system, system.contacts[0].name, chatterjee_ruina(0.5, 0.3), q, u);
  ASSERT_TRUE(d);
  EXPECT_TRUE(d->by_q.rightCols(4).array().isNaN().all());
}

}  // namespace
}  // namespace ricochet
