#include "ricochet/simultaneous/certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "arrangements.hpp"
#include "ricochet/contact/between.hpp"

namespace ricochet {
namespace {

using namespace testing;

Resolution resolved(const BodyScene& a) {
  const auto assembled = assemble(a);
  EXPECT_TRUE(assembled) << assembled.error().message();
  const auto r = resolve(assembled->problem);
  EXPECT_TRUE(r) << r.error().message();
  return *r;
}

/// Falls without slip on a point below and beside its centre: sticking takes P_t/P_n = 0.6 (W_xz/W_xx = 1.5/2.5).
BodyScene leaning_body(const Law& law) {
  BodyScene a;
  a.bodies.push_back({.fixed = true});
  const double r = std::sqrt(0.125);
  a.bodies.push_back({.mass = 1, .inertia = Mat3::Identity() / 12, .position = {r, 0, r}, .velocity = {0, 0, -1}});
  a.contacts.push_back({0, 1, Vec3::Zero(), Vec3::UnitZ(), law});
  return a;
}

TEST(SystemCertificate, RouthThatSticks_IsJudgedByTheStaticCone) {
  const Resolution r = resolved(leaning_body(Routh{.e = 0.5, .mu = 0.2, .mu_s = 1}));
  EXPECT_NEAR(r.G[0].head<2>().norm() / r.G[0].z(), 0.6, 1e-12);
  EXPECT_TRUE(r.certificate.permissible);
  EXPECT_NEAR(r.certificate.margins.friction, 0.4 * r.G[0].z(), 1e-12);
  // With one coefficient it slides, on the boundary of its cone.
  const Resolution slides = resolved(leaning_body(Routh{.e = 0.5, .mu = 0.2}));
  EXPECT_TRUE(slides.certificate.permissible);
  EXPECT_NEAR(slides.certificate.margins.friction, 0, 1e-14);
}

/// Of one contact the certificate says what the law's own says.
TEST(SystemCertificate, OneContact_IsJudgedAsItsLawIs) {
  Rng rng(21);
  int violations = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    BodyScene a = random_graph(rng, 2, 1, 0);
    ContactSpec& t = a.contacts[0];
    if (trial % 3 == 1) t.law = Whittaker{.e = uniform(rng, 0, 1), .mu = uniform(rng, 0, 3)};
    if (trial % 3 == 2) t.law = Brach{.e = uniform(rng, 0, 1.5), .mu_2 = uniform(rng, -0.3, 0.3), .mu = 0.2};
    const auto contact = contact_between(a.bodies[t.first], a.bodies[t.second], t.point, t.n);
    ASSERT_TRUE(contact);
    const auto alone = collide(t.law, *contact);
    if (!alone || !(contact->approach_speed() > 0)) continue;
    const Resolution r = resolved(a);
    EXPECT_EQ(r.certificate.violated, alone->certificate.violated) << trial;
    EXPECT_EQ(r.certificate.permissible, alone->certificate.permissible) << trial;
    EXPECT_NEAR(r.certificate.margins.friction, alone->certificate.margins.friction, 1e-12 * (1 + alone->P.norm()));
    violations += alone->certificate.permissible ? 0 : 1;
  }
  EXPECT_GT(violations, 100);
}

TEST(SystemCertificate, SequencesOfLawsThatPromiseEverything_ArePermissible) {
  Rng rng(8);
  for (int trial = 0; trial < 400; ++trial) {
    const BodyScene a = random_graph(rng, 2 + rng() % 6, 1 + rng() % 10, rng() % 2);
    const auto assembled = assemble(a);
    ASSERT_TRUE(assembled);
    const auto r = resolve(assembled->problem);
    ASSERT_TRUE(r);
    if (r->status == SequenceStatus::does_not_settle) {
      EXPECT_FALSE(r->certificate.permissible);
      EXPECT_TRUE(r->certificate.contacts.empty());
      continue;
    }
    EXPECT_TRUE(r->certificate.permissible)
        << trial << ' ' << name(r->status) << ' '
        << fmt::format("{}", fmt::join(condition_names(r->certificate.violated), " ")) << ' '
        << r->certificate.margins.energy << ' ' << r->certificate.margins.separation << ' '
        << r->certificate.margins.compression << ' ' << r->certificate.margins.friction;
    EXPECT_EQ(r->certificate.contacts.size(), a.contacts.size());
    double energy = 0;
    for (const Certificate& c : r->certificate.contacts) energy += c.margins.energy;
    EXPECT_NEAR(energy, -r->energy_change, 1e-12 * (1 + std::abs(r->energy_change)));
  }
}

/// Each condition by itself, violated by one part in a billion.
TEST(SystemCertificate, WhatIsSlightlyWrong_IsFoundAtItsContact) {
  const BodyScene a = row_of_balls({1, 1, 1}, {1, 0, 0}, ChatterjeeRuina{.e = 0.5, .mu = 0.2});
  const Problem problem = assemble(a)->problem;
  const auto right = resolve(problem);
  ASSERT_TRUE(right && right->certificate.permissible);
  const auto judged = [&](const std::vector<Vec3>& G) {
    SystemImpact wrong;
    wrong.u_before = wrong.u = problem.u();
    wrong.G = G;
    for (std::size_t i = 0; i < G.size(); ++i) problem.apply(i, G[i], wrong.u);
    for (std::size_t i = 0; i < G.size(); ++i) {
      wrong.V.push_back(problem.velocity(i, wrong.u));
      wrong.energy_change += 0.5 * G[i].dot(problem.contacts()[i].contact.V + wrong.V[i]);
    }
    return certify(problem, wrong, {});
  };
  EXPECT_TRUE(judged(right->G).permissible);
  // Friction: across the normal, just beyond μ G_n, at the second contact only.
  std::vector<Vec3> G = right->G;
  G[1].y() = 0.2 * G[1].x() * (1 + 1e-9);
  SystemCertificate c = judged(G);
  EXPECT_TRUE(c.violated.contains(Condition::friction));
  EXPECT_TRUE(c.contacts[0].permissible);
  EXPECT_EQ(condition_names(c.contacts[1].violated), std::vector<std::string_view>{"friction"});
  // Separation: plastic balls move on together; a little less impulse and the first two still approach.
  G = {Vec3(2.0 / 3, 0, 0), Vec3(1.0 / 3, 0, 0)};
  EXPECT_TRUE(judged(G).permissible);
  G[0].x() -= 1e-9;
  EXPECT_EQ(condition_names(judged(G).violated), std::vector<std::string_view>{"separation"});
  // Energy: elastic balls pass all of it on; a little more impulse and there is more of it than before.
  G = {Vec3(1, 0, 0), Vec3(1, 0, 0)};
  EXPECT_TRUE(judged(G).permissible);
  G[1].x() += 1e-9;
  EXPECT_TRUE(judged(G).violated.contains(Condition::energy));
  // Compression.
  G = {Vec3(1, 0, 0), Vec3(-1e-9, 0, 0)};
  EXPECT_TRUE(judged(G).violated.contains(Condition::compression));
}

TEST(SystemCertificate, HingesMayPull) {
  BodyScene a = row_of_balls({1, 1}, {0, 1}, Frictionless{0.5});
  a.contacts.clear();
  a.hinges.push_back({0, 1, {0.5, 0, 0}});
  const Resolution r = resolved(a);
  EXPECT_LT(r.G[0].x(), 0);  // on the second body, which moved away
  EXPECT_TRUE(r.certificate.permissible);
}

}  // namespace
}  // namespace ricochet
