#include "ricochet/law/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/routh.hpp"

namespace ricochet {
namespace {

using testing::Rng;
using testing::uniform;

using testing::infinity;
constexpr double degree = std::numbers::pi / 180;

/// A solid sphere of 1 kg on the ground.
Contact sphere() {
  return contact_from_mobility(Vec3(1, 3.5, 3.5).asDiagonal(), Vec3(-1, 1, 0), Vec3::UnitX()).value();
}

Contact coupled() {
  Mat3 M;
  M << 2, 0.8, 0.1, 0.8, 1, -0.2, 0.1, -0.2, 1.3;
  return contact_from_mass(M, Vec3(-1, -1, 0.2), Vec3::UnitX()).value();
}

template <class Law>
std::vector<Bounce> bounces(const Law& law, const Contact& contact, int count = 33) {
  std::vector<Bounce> out;
  const auto contacts = incidences(contact, 0, 80 * degree, count);
  EXPECT_TRUE(contacts);
  for (const Contact& one : *contacts) {
    const auto hit = collide(law, one);
    EXPECT_TRUE(hit);
    out.push_back({one, hit->V});
  }
  return out;
}

TEST(Incidences, SpeedIsKept_AnglesAreAsAsked) {
  const Contact c = coupled();
  const auto all = incidences(c, -0.5, 1.0, 4);
  ASSERT_TRUE(all);
  const Vec3 slip = (c.V - c.n.dot(c.V) * c.n).normalized();
  for (int i = 0; i < 4; ++i) {
    const Vec3& V = (*all)[std::size_t(i)].V;
    EXPECT_NEAR(V.norm(), c.V.norm(), 1e-14);
    EXPECT_NEAR(std::atan2(slip.dot(V), -c.n.dot(V)), -0.5 + 0.5 * i, 1e-14);
  }
}

TEST(FitChatterjeeRuina, ItsOwnRebounds_GiveItsParametersBack) {
  // If no rebound slips, friction has no upper bound, and if all do, e_t has none: the range must say so.
  Rng rng(71);
  int determined = 0;
  for (const Contact& contact : {sphere(), coupled()}) {
    for (int i = 0; i < 6; ++i) {
      const ChatterjeeRuina law{.e = uniform(rng, 0, 1), .e_t = uniform(rng, -0.8, 0.9), .mu = uniform(rng, 0.1, 0.6)};
      SCOPED_TRACE(::testing::Message() << law.e << " " << law.e_t << " " << law.mu);
      const auto fit = fit_chatterjee_ruina(bounces(law, contact));
      ASSERT_TRUE(fit);
      EXPECT_LT(fit->rms, 1e-7);
      const double truth[] = {law.e, law.e_t, law.mu};
      for (std::size_t k = 0; k < 3; ++k) {
        const FittedParameter& p = fit->parameters[k];
        EXPECT_LE(p.low, p.value);
        EXPECT_GE(p.high, p.value);
        EXPECT_LE(p.low, truth[k] + 1e-6);
        EXPECT_GE(p.high, truth[k] - 1e-6);
        if (p.high - p.low > 1e-3) continue;
        ++determined;
        EXPECT_NEAR(p.value, truth[k], 1e-6) << p.name;
      }
    }
  }
  EXPECT_GE(determined, 30);  // of 36
}

TEST(FitChatterjeeRuina, RouthOnASphere_IsTheSameLawWithoutTangentialRestitution) {
  // Uncoupled: Routh slips to the end on the cone or stops for good.
  const auto fit = fit_chatterjee_ruina(bounces(Routh{.e = 0.7, .mu = 0.25}, sphere()));
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->converged);
  EXPECT_LT(fit->rms, 1e-7);
  EXPECT_NEAR(fit->law.e, 0.7, 1e-6);
  EXPECT_NEAR(fit->law.e_t, 0, 1e-6);
  EXPECT_NEAR(fit->law.mu, 0.25, 1e-6);
}

TEST(FitChatterjeeRuina, Superball_TurnsSlipAround) {
  // κc = 1 and no slip: both springs swing in step (docs/laws/spring-sledge.md).
  const auto fit = fit_chatterjee_ruina(bounces(SpringSledge{.kappa = 2.0 / 7, .mu = infinity, .e = 1}, sphere()));
  ASSERT_TRUE(fit);
  EXPECT_LT(fit->rms, 1e-7);
  EXPECT_NEAR(fit->law.e, 1, 1e-6);
  EXPECT_NEAR(fit->law.e_t, 1, 1e-6);
  EXPECT_EQ(fit->parameters[2].high,
            infinity);  // the friction limit is never reached: any larger coefficient fits equally well
}

TEST(FitChatterjeeRuina, RealStiffness_NothingFoundAtRandomIsBetter) {
  for (const Contact& contact : {sphere(), coupled()}) {
    const auto data = bounces(SpringSledge{.mu = 0.3, .e = 0.9}, contact);
    const auto fit = fit_chatterjee_ruina(data);
    ASSERT_TRUE(fit);
    EXPECT_GT(fit->rms, 1e-3);  // the algebraic law cannot be this one
    double sum = 0;
    for (const double r : fit->residuals) sum += r * r;
    EXPECT_NEAR(fit->rms, std::sqrt(sum / double(data.size())), 1e-12);
    EXPECT_GE(fit->worst, fit->rms);
    Rng rng(72);
    for (int i = 0; i < 4000; ++i) {
      // Half of them anywhere, half of them close by.
      ChatterjeeRuina law{.e = uniform(rng, 0, 1), .e_t = uniform(rng, -1, 1), .mu = uniform(rng, 0, 2)};
      if (i % 2 == 0) {
        const double h = std::pow(10.0, uniform(rng, -6, -1));
        law.e = std::clamp(fit->law.e + h * uniform(rng, -1, 1), 0.0, 1.0);
        law.e_t = std::clamp(fit->law.e_t + h * uniform(rng, -1, 1), -1.0, 1.0);
        law.mu = std::max(0.0, fit->law.mu + h * uniform(rng, -1, 1));
      }
      double square = 0;
      for (const Bounce& b : data)
        square += (collide(law, b.contact)->V - b.V).squaredNorm() / b.contact.V.squaredNorm();
      ASSERT_GE(std::sqrt(square / double(data.size())), fit->rms * (1 - 1e-6));
    }
  }
}

TEST(FitSpringSledge, ChatterjeeRuinaThatSticks_StiffnessFromTheClosedForm) {
  // A sphere that sticks throughout: V_t⁺ = V_t⁻ cos(π√(κc)), which must be −e_t V_t⁻.
  for (const double e_t : {1.0, 0.4, -0.6}) {
    const auto fit = fit_spring_sledge(bounces(ChatterjeeRuina{.e = 1, .e_t = e_t, .mu = infinity}, sphere(), 9));
    ASSERT_TRUE(fit);
    EXPECT_LT(fit->rms, 1e-6);
    EXPECT_NEAR(fit->law.kappa, std::pow(std::acos(-e_t) / std::numbers::pi, 2) / 3.5, 1e-5) << e_t;
    EXPECT_NEAR(fit->law.e, 1, 1e-6);
  }
}

TEST(FitSpringSledge, ItsOwnRebounds_GiveItsParametersBack) {
  const SpringSledge law{.kappa = 0.8, .mu = 0.3, .e = 0.8};
  const auto fit = fit_spring_sledge(bounces(law, sphere(), 17));
  ASSERT_TRUE(fit);
  EXPECT_LT(fit->rms, 1e-6);
  EXPECT_NEAR(fit->law.kappa, law.kappa, 1e-4);
  EXPECT_NEAR(fit->law.mu, law.mu, 1e-5);
  EXPECT_NEAR(fit->law.e, law.e, 1e-5);
}

TEST(Fit, BadInput_IsNamed) {
  const Contact c = sphere();
  EXPECT_EQ(incidences(c, -2, 1, 5).error().path, "from");
  EXPECT_EQ(incidences(c, 0, 1.6, 5).error().path, "to");
  EXPECT_EQ(incidences(c, 0, std::nan(""), 5).error().path, "to");
  EXPECT_EQ(incidences(c, 0, 1, 1).error().path, "count");
  Contact still = coupled();
  still.V = Vec3(-1, 0, 0);
  EXPECT_EQ(incidences(still, 0, 1, 5).error().path, "V");
  const auto wedged = contact_from_mobility(Vec3(1, 0, 0).asDiagonal(), Vec3(-1, 0, 0), Vec3::UnitX());
  EXPECT_EQ(incidences(*wedged, 0, 1, 5).error().path, "W");
  auto few = bounces(ChatterjeeRuina{.e = 0.5, .mu = 0.3}, c);
  few.resize(2);
  EXPECT_EQ(fit_chatterjee_ruina(few).error().path, "bounces");
  auto broken = bounces(ChatterjeeRuina{.e = 0.5, .mu = 0.3}, c);
  broken[3].V.x() = std::nan("");
  EXPECT_EQ(fit_chatterjee_ruina(broken).error().path, "V");
}

}  // namespace
}  // namespace ricochet
