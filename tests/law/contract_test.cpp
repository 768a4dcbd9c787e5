/// Properties that every law must satisfy, on random and extreme collisions.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {
namespace {

using testing::Rng;
using testing::uniform;
using Wide = long double;

using testing::infinity;

struct Case {
  Contact contact;
  LawParameters settings;
};

/// Every parameter of the common set, including the ends of the ranges.
LawParameters random_settings(Rng& rng, const Contact& contact) {
  LawParameters s;
  s.e = testing::random_e(rng);
  s.e_t = testing::random_e_t(rng);
  s.mu = testing::random_mu(rng);
  if (testing::chance(rng, 0.5)) s.mu_s = *s.mu * uniform(rng, 1, 2);
  s.restitution = std::array{"poisson", "stronge", "newton"}[rng() % 3];
  s.nu = uniform(rng, 0, 1);
  s.mu_2 = uniform(rng, 0, 0.5);
  s.mu_3 = uniform(rng, -0.3, 0.3);
  s.psi_1 = uniform(rng, 0, 3.14);
  s.psi_2 = uniform(rng, 0, 6.28);
  s.rho = uniform(rng, 0, 1);
  s.sigma = uniform(rng, 0, 1);
  s.kappa = testing::log_uniform(rng, -2, 2);
  if (testing::chance(rng, 0.3)) s.smooth = uniform(rng, 0.01, 1);
  s.target = Vec3(3 * (contact.M * contact.V).norm() * testing::random_unit(rng));
  return s;
}

/// A sphere-like contact: M diagonal in n and the tangents, for the law that needs it.
Contact random_sphere_contact(Rng& rng) {
  const Vec3 n = testing::random_unit(rng);
  const double m_n = testing::log_uniform(rng, -2, 2), m_t = testing::log_uniform(rng, -2, 2);
  const Mat3 M = m_n * n * n.transpose() + m_t * (Mat3::Identity() - n * n.transpose());
  return contact_from_mass(0.5 * (M + M.transpose()), testing::random_approach(rng, n), n).value();
}

Case random_case(Rng& rng, std::string_view law, double log10_cond) {
  const Contact contact = law == "bilinear"           ? random_sphere_contact(rng)
                          : law == "pfeiffer-glocker" ? testing::random_planar_contact(rng, log10_cond)
                                                      : testing::random_contact(rng, log10_cond);
  LawParameters settings = random_settings(rng, contact);
  if (law == "pfeiffer-glocker") settings.e_t = std::abs(*settings.e_t);
  // The parts of a composite must be permissible themselves: Newton's rule need not be.
  if (law == "composite") settings.restitution = "poisson";
  return {contact, settings};
}

/// ‖M‖‖W‖, what rounding of the input may be amplified by.
double conditioning(const Contact& c) { return c.M.norm() * c.W.norm(); }

/// The largest impulse that the energy ellipsoid or the answer itself gives a scale to.
double impulse_scale(const Contact& c, const Outcome& o) { return (c.M * c.V).norm() + o.P.norm(); }

class EveryLaw : public ::testing::TestWithParam<std::string_view> {
 protected:
  /// Runs `check` on answers; a law may have no solution for some contacts, but not for most.
  void for_answers(std::uint64_t seed, int count, double log10_cond,
                   const std::function<void(const Case&, const Law&, const Outcome&)>& check) {
    Rng rng(seed);
    if (GetParam() == "graded-sledge") count /= 8;  // without slopes: it is spring-sledge, which is as slow
    int answered = 0;
    for (int i = 0; i < count; ++i) {
      const Case c = random_case(rng, GetParam(), log10_cond);
      const auto law = make_law(GetParam(), c.settings);
      ASSERT_TRUE(law) << law.error().message();
      const auto outcome = collide(*law, c.contact);
      if (!outcome) {
        refused_ = outcome.error().message();
        continue;
      }
      ++answered;
      SCOPED_TRACE("case " + std::to_string(i) + ", mu " + std::to_string(c.settings.mu.value()) + ", e " +
                   std::to_string(c.settings.e.value()));
      check(c, *law, *outcome);
      if (HasFatalFailure()) return;
    }
    EXPECT_GE(answered, count * 9 / 10) << "last refusal: " << refused_;
  }

 private:
  std::string refused_;
};

TEST_P(EveryLaw, KeepsItsGuarantees) {
  for_answers(101, 3000, 10, [](const Case&, const Law& law, const Outcome& outcome) {
    const Guarantees promised = guarantees(law);
    ASSERT_TRUE(outcome.P.allFinite() && outcome.V.allFinite());
    if (promised.energy && promised.separation && promised.friction) {
      const Margins& m = outcome.certificate.margins;
      ASSERT_TRUE(outcome.certificate.permissible) << "energy " << m.energy << ", separation " << m.separation
                                                   << ", compression " << m.compression << ", friction " << m.friction;
    }
  });
}

TEST_P(EveryLaw, MarginsAreThoseOfTheImpulse) {
  // Recomputed in input coordinates and extended precision.
  for_answers(102, 1000, 4, [](const Case& c, const Law& law, const Outcome& o) {
    const auto W = localize<Wide>(c.contact);
    const Vec3T<Wide> P = W.R.transpose() * o.P.cast<Wide>();
    const Vec3T<Wide> V = W.V + W.W * P;
    const Wide E0 = W.V.dot(W.M * W.V) / 2, E1 = V.dot(W.M * V) / 2;
    const Wide slack = 1e-11L * static_cast<Wide>(conditioning(c.contact));
    const Margins& m = o.certificate.margins;
    const Wide energy_scale = P.norm() * (W.V.norm() + (W.W * P).norm());  // and the rounding of E0 − E1 itself
    ASSERT_NEAR(m.energy, static_cast<double>(E0 - E1), static_cast<double>(slack * energy_scale + 1e-17L * E0));
    ASSERT_NEAR(m.separation, static_cast<double>(V(0)), static_cast<double>(slack * (W.V.norm() + V.norm())));
    ASSERT_NEAR(m.compression, static_cast<double>(P(0)), static_cast<double>(1e-13L * P.norm()));
    const Guarantees promised = guarantees(law);
    if (promised.separation) {
      ASSERT_GE(m.separation, -static_cast<double>(slack * (W.V.norm() + V.norm())));
    }
    if (promised.friction && *c.settings.mu < infinity && GetParam() != "frictionless") {
      const double mu = GetParam() == "routh" ? std::max(*c.settings.mu, c.settings.mu_s.value_or(0)) : *c.settings.mu;
      const double P_t = static_cast<double>(std::hypot(P(1), P(2)));
      ASSERT_GE(mu * static_cast<double>(P(0)) - P_t, -1e-12 * (1 + mu) * static_cast<double>(P.norm()));
    }
  });
}

TEST_P(EveryLaw, WorksSumToTheEnergyChange) {
  for_answers(103, 1000, 6, [](const Case& c, const Law&, const Outcome& o) {
    const double terms = o.P.norm() * (c.contact.V.norm() + (c.contact.W * o.P).norm());
    ASSERT_NEAR(o.normal_work + o.friction_work, o.energy_change, 1e-14 * terms);
    ASSERT_NEAR(o.energy_change, o.P.dot(c.contact.V + 0.5 * c.contact.W * o.P),
                1e-14 * conditioning(c.contact) * terms);
    const Vec3 V = c.contact.V + c.contact.W * o.P;
    ASSERT_LT((V - o.V).norm(), 1e-13 * conditioning(c.contact) * (c.contact.V.norm() + V.norm()));
    ASSERT_GE(o.path.count, 2);
    ASSERT_EQ(o.path.points[0].event, Event::start);
    ASSERT_EQ(o.path.points[static_cast<std::size_t>(o.path.count - 1)].event, Event::end);
  });
}

TEST_P(EveryLaw, DoublingTheVelocityDoublesTheImpulse) {
  for_answers(104, 1000, 4, [](const Case& c, const Law&, const Outcome& o) {
    Contact fast = c.contact;
    fast.V *= 2;
    LawParameters settings = c.settings;
    *settings.target *= 2;
    const auto doubled = collide(make_law(GetParam(), settings).value(), fast);
    ASSERT_TRUE(doubled) << doubled.error().message();
    ASSERT_LT((doubled->P - 2 * o.P).norm(), 1e-13 * conditioning(c.contact) * impulse_scale(c.contact, o));
  });
}

TEST_P(EveryLaw, DoesNotDependOnTheCoordinates) {
  Rng turn(7);
  for_answers(105, 1000, 1, [&](const Case& c, const Law&, const Outcome& o) {
    const double slip = (c.contact.V - c.contact.n * c.contact.n.dot(c.contact.V)).norm();
    // Without slip the local axes 2 and 3, to which these laws refer, are arbitrary.
    const bool refers_to_axes = GetParam() == "permissible-point" || GetParam() == "brach";
    if (refers_to_axes && slip < 1e-6 * c.contact.V.norm()) return;
    // Large finite friction times the rounding of a grazing V·n is a difference in the input, not in the law.
    if (*c.settings.mu > 10 && *c.settings.mu < infinity) return;
    const Mat3 Q = testing::random_rotation(turn);
    const Mat3 M = Q * c.contact.M * Q.transpose();
    const auto rotated = contact_from_mass(0.5 * (M + M.transpose()), Q * c.contact.V, Q * c.contact.n).value();
    LawParameters settings = c.settings;
    settings.target = Vec3(Q * *settings.target);
    const auto other = collide(make_law(GetParam(), settings).value(), rotated);
    ASSERT_TRUE(other) << other.error().message();
    ASSERT_LT((other->P - Q * o.P).norm(), 1e-8 * impulse_scale(c.contact, o));
  });
}

/// Laws whose parameters choose no direction of their own.
class EveryUndirectedLaw : public EveryLaw {};

TEST_P(EveryUndirectedLaw, KeepsAPlaneOfSymmetry) {
  Rng rng(106);
  for (int i = 0; i < 1000; ++i) {
    Contact contact = testing::random_planar_contact(rng, 4);
    if (GetParam() == "bilinear") {
      const Vec3 mass(uniform(rng, 0.5, 2), uniform(rng, 0.5, 2), uniform(rng, 0.5, 2));
      contact = contact_from_mass(Mat3(mass.asDiagonal()), contact.V, contact.n).value();
    }
    LawParameters settings = random_settings(rng, contact);
    if (GetParam() == "pfeiffer-glocker") settings.e_t = std::abs(*settings.e_t);
    if (GetParam() == "composite") settings.restitution = "poisson";
    const auto outcome = collide(make_law(GetParam(), settings).value(), contact);
    if (!outcome) continue;
    EXPECT_LE(std::abs(outcome->P(2)), 1e-12 * outcome->P.norm()) << "case " << i;
  }
}

/// Laws that have a coefficient of restitution; the others answer a point of the region.
class EveryRestitutionLaw : public EveryLaw {};

TEST_P(EveryRestitutionLaw, WithoutFriction_IsTheFrictionlessLaw) {
  Rng rng(107);
  for (int i = 0; i < 1000; ++i) {
    Case c = random_case(rng, GetParam(), 4);
    c.settings.mu = 0;
    c.settings.mu_s.reset();
    c.settings.mu_2 = c.settings.mu_3 = 0;
    const auto expected = collide(Frictionless{*c.settings.e}, c.contact).value();
    const auto outcome = collide(make_law(GetParam(), c.settings).value(), c.contact);
    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_LT((outcome->P - expected.P).norm(), 1e-13 * conditioning(c.contact) * expected.P.norm()) << "case " << i;
  }
}

TEST_P(EveryLaw, SeparatingBodiesAreLeftAlone) {
  Rng rng(108);
  for (int i = 0; i < 100; ++i) {
    Case c = random_case(rng, GetParam(), 4);
    c.contact.V = -c.contact.V;
    const auto outcome = collide(make_law(GetParam(), c.settings).value(), c.contact);
    ASSERT_TRUE(outcome) << outcome.error().message();
    EXPECT_EQ(outcome->P, Vec3::Zero());
    EXPECT_EQ(outcome->V, c.contact.V);
    EXPECT_EQ(outcome->mode, Mode::separating);
    EXPECT_TRUE(outcome->certificate.permissible);
  }
}

TEST_P(EveryLaw, SayingItTwiceGivesTheSameBits) {
  for_answers(109, 200, 6, [](const Case& c, const Law& law, const Outcome& o) {
    const auto again = collide(law, c.contact).value();
    ASSERT_EQ(again.P, o.P);
    ASSERT_EQ(again.V, o.V);
    ASSERT_EQ(again.energy_change, o.energy_change);
  });
}

std::vector<std::string_view> names_without(std::initializer_list<std::string_view> left_out) {
  std::vector<std::string_view> chosen;
  for (const LawInfo& law : laws())
    if (std::find(left_out.begin(), left_out.end(), law.name) == left_out.end()) chosen.push_back(law.name);
  return chosen;
}

std::string test_name(const ::testing::TestParamInfo<std::string_view>& law) {
  std::string name(law.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLaw, ::testing::ValuesIn(names_without({})), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, EveryUndirectedLaw,
                         ::testing::ValuesIn(names_without({"brach", "permissible-point", "projected"})), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, EveryRestitutionLaw,
                         ::testing::ValuesIn(names_without({"permissible-point", "projected"})), test_name);

TEST(Contract, SpheresAgree_ChatterjeeRuinaAndBilinear) {
  Rng rng(110);
  for (int i = 0; i < 2000; ++i) {
    const Contact contact = random_sphere_contact(rng);
    const double e = testing::random_e(rng), e_t = testing::random_e_t(rng), mu = testing::random_mu(rng);
    const auto a = collide(ChatterjeeRuina{e, e_t, mu}, contact).value();
    const auto b = collide(Bilinear{e, e_t, mu}, contact).value();
    EXPECT_LT((a.P - b.P).norm(), 1e-12 * conditioning(contact) * impulse_scale(contact, a)) << "case " << i;
  }
}

TEST(Contract, SpheresAgree_WhittakerAndRouthWithNewtonsRule) {
  Rng rng(111);
  for (int i = 0; i < 2000; ++i) {
    const Contact contact = random_sphere_contact(rng);
    const double e = testing::random_e(rng), mu = testing::random_mu(rng);
    const auto a = collide(Whittaker{e, mu}, contact).value();
    const auto b = collide(Routh{e, mu, -1, Restitution::newton}, contact).value();
    EXPECT_LT((a.P - b.P).norm(), 1e-12 * conditioning(contact) * (a.P.norm() + b.P.norm())) << "case " << i;
  }
}

TEST(Contract, PlanarProblems_AnitescuPotraIsPfeifferGlockerWithoutTangentialRestitution) {
  Rng rng(112);
  for (int i = 0; i < 2000; ++i) {
    const Contact contact = testing::random_planar_contact(rng, 2);
    const double e = testing::random_e(rng), mu = uniform(rng, 0, 3);
    const auto a = collide(AnitescuPotra{e, mu}, contact).value();
    const auto b = collide(PfeifferGlocker{e, 0, 0, mu}, contact).value();
    EXPECT_LT((a.P - b.P).norm(), 1e-11 * conditioning(contact) * (a.P.norm() + b.P.norm())) << "case " << i;
  }
}

}  // namespace
}  // namespace ricochet
