#include "ricochet/law/routh.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <complex>

#include "law/routh_oracle.hpp"
#include "numbers.hpp"
#include "random_contact.hpp"

namespace ricochet {
namespace {

using testing::Rng;
using testing::routh_oracle;
using testing::uniform;
using Wide = long double;

using testing::infinity;

Vec3 tangential(const Contact& c, const Vec3& v) { return v - c.n * c.n.dot(v); }

bool has(const Outcome& outcome, Event event) {
  for (const auto& point : outcome.path)
    if (point.event == event) return true;
  return false;
}

/// Distance from the answer of the ODE library, relative to ‖M V‖.
double distance_to_oracle(const Routh& law, const Contact& contact) {
  const auto outcome = collide(law, contact);
  EXPECT_TRUE(outcome) << outcome.error().message();
  const auto wide = localize<Wide>(contact);
  const auto oracle = routh_oracle<Wide>(law, wide, 1e-18L);
  EXPECT_TRUE(oracle.ok) << "the oracle gave up";
  if (!outcome || !oracle.ok) return infinity;
  const Wide scale = (wide.M * wide.V).norm();
  return static_cast<double>((wide.R * oracle.P - outcome->P.cast<Wide>()).norm() / scale);
}

Routh random_law(Rng& rng) {
  Routh law;
  law.e = testing::random_e(rng);
  const double friction[] = {1e-3, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1, 2, 3, 10};
  law.mu = friction[rng() % std::size(friction)];
  if (rng() % 2 == 0) law.mu_s = law.mu * uniform(rng, 1, 2);
  law.restitution = static_cast<Restitution>(rng() % 3);
  return law;
}

TEST(Routh, AgreesWithAGeneralOdeSolver_WellConditioned) {
  Rng rng(11);
  double worst = 0;
  for (int i = 0; i < 1500; ++i) {
    const Contact contact = testing::random_contact(rng, 1);
    worst = std::max(worst, distance_to_oracle(random_law(rng), contact));
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, 1e-12);
}

TEST(Routh, AgreesWithAGeneralOdeSolver_ConditionNumbersTo1e4) {
  Rng rng(12);
  double worst = 0;
  for (int i = 0; i < 1500; ++i) {
    const Contact contact = testing::random_contact(rng, 4);
    worst = std::max(worst, distance_to_oracle(random_law(rng), contact));
  }
  EXPECT_LT(worst, 1e-12);
}

/// W from its blocks in local axes, with a normal mobility that keeps it positive definite.
Contact from_blocks(double a, double b, const Vec2& w, const Vec3& V) {
  Mat3 W;
  const double w_nn = 1.5 * (w(0) * w(0) / a + w(1) * w(1) / b) + 0.5;
  W << w_nn, w(0), w(1), w(0), a, 0, w(1), 0, b;
  return contact_from_mobility(W, V, Vec3::UnitX()).value();
}

TEST(Routh, CoincidingInvariantDirections_AgreesWithTheOdeSolver) {
  // On the astroid |w₁|^⅔ + |w₂|^⅔ = (μ(b − a))^⅔ two invariant directions merge (R5); just off it they nearly do.
  Rng rng(13);
  for (int i = 0; i < 1200; ++i) {
    const double a = uniform(rng, 0.2, 1), b = a + uniform(rng, 0.5, 3), mu = uniform(rng, 0.2, 2);
    const double t = uniform(rng, 0.1, 1.4);
    const double off = i % 3 == 0 ? 0 : std::pow(10.0, -uniform(rng, 2, 15)) * (i % 3 == 1 ? 1 : -1);
    const double B = mu * (b - a) * (1 + off);
    const Vec2 w(B * std::pow(std::cos(t), 3), B * std::pow(std::sin(t), 3));
    // Half of them next to the double direction itself, tan φ = −tan t.
    const double near = std::pow(10.0, -uniform(rng, 1, 16)) * (i % 2 == 0 ? 1 : -1);
    const double phi = i % 4 < 2 ? uniform(rng, 0, 6.28) : M_PI - t + near;
    const Vec3 V(-uniform(rng, 0.03, 2), std::cos(phi), std::sin(phi));
    EXPECT_LT(
        distance_to_oracle({uniform(rng, 0, 1), mu, -1, static_cast<Restitution>(i % 3)}, from_blocks(a, b, w, V)),
        1e-12)
        << "case " << i;
  }
}

TEST(Routh, NearlyThroughZeroSlip_AgreesWithTheOdeSolver) {
  // Start close to an attracting direction so that slip passes by zero at a distance of 1e-2 to 1e-12.
  Rng rng(14);
  for (int i = 0; i < 300; ++i) {
    const double a = uniform(rng, 0.2, 1), b = a + uniform(rng, 0, 2), mu = uniform(rng, 0.1, 1);
    const Vec2 w(uniform(rng, -1, 1), uniform(rng, -1, 1));
    const double phi = std::atan2(-w(1), -w(0)) + std::pow(10.0, -uniform(rng, 2, 12));
    const Vec3 V(-uniform(rng, 1, 3), std::cos(phi), std::sin(phi));
    EXPECT_LT(
        distance_to_oracle({uniform(rng, 0, 1), mu, -1, static_cast<Restitution>(i % 3)}, from_blocks(a, b, w, V)),
        1e-12)
        << "case " << i;
  }
}

TEST(Routh, SymmetryPlaneWithSlipAcrossIt_AgreesWithTheOdeSolver_AndWithItsMirrorImage) {
  // One component of the coupling is exactly zero while slip is not in the plane: invariant directions lie on axes.
  Rng rng(22);
  for (int i = 0; i < 600; ++i) {
    const double stiff = testing::log_uniform(rng, -1.5, 1.5), soft = testing::log_uniform(rng, -1.5, 1.5);
    const double angle = uniform(rng, 0, 3.14), c = std::cos(angle), s = std::sin(angle);
    Mat3 M = Mat3::Zero();
    M(0, 0) = stiff * c * c + soft * s * s;
    M(1, 1) = stiff * s * s + soft * c * c;
    M(0, 1) = M(1, 0) = (stiff - soft) * c * s;
    M(2, 2) = testing::log_uniform(rng, -1.5, 1.5);
    const double across = i % 4 == 0 ? testing::log_uniform(rng, -17, -3) : uniform(rng, 0.1, 1);
    Vec3 V(-uniform(rng, 0.05, 1), uniform(rng, -1, 1), across);
    const Routh law{testing::random_e(rng), uniform(rng, 0.1, 2.5), -1, static_cast<Restitution>(i % 3)};
    const Contact contact = contact_from_mass(M, V, Vec3::UnitX()).value();
    EXPECT_LT(distance_to_oracle(law, contact), 1e-12) << "case " << i;
    V(2) = -across;
    const auto image = collide(law, contact_from_mass(M, V, Vec3::UnitX()).value());
    const auto outcome = collide(law, contact);
    ASSERT_TRUE(image && outcome) << "case " << i;
    const double scale = (contact.M * contact.V).norm();
    EXPECT_LT((image->P - Vec3(outcome->P(0), outcome->P(1), -outcome->P(2))).norm(), 1e-12 * scale) << "case " << i;
  }
}

TEST(Routh, EqualTangentialMobilities_AgreesWithTheOdeSolver) {
  Rng rng(15);
  for (int i = 0; i < 200; ++i) {
    const double a = uniform(rng, 0.2, 2);
    const Vec2 w(uniform(rng, -1, 1), uniform(rng, -1, 1));
    const Vec3 V(-uniform(rng, 0.1, 3), uniform(rng, -1, 1), uniform(rng, -1, 1));
    EXPECT_LT(distance_to_oracle({uniform(rng, 0, 1), uniform(rng, 0.05, 2), -1, static_cast<Restitution>(i % 3)},
                                 from_blocks(a, a, w, V)),
              1e-12);
  }
}

TEST(Routh, MobilitiesOfAHoop_SlipStopsThoughItIsSmoothThere_AgreesWithTheOdeSolver) {
  // Without coupling the slip ends as the power a/(b − a) of its angle from the stiff axis. Where that is a whole
  // number, 1 for a hoop struck at its rim, slip as a function of the angle has no singularity at its end.
  Rng rng(23);
  int stopped = 0;
  for (int i = 0; i < 1200; ++i) {
    const double a = uniform(rng, 0.2, 2), b = a * (i % 6 < 3 ? 2 : i % 6 == 3 ? 1.5 : i % 6 == 4 ? 1.25 : 2 + 1e-12);
    const double phi = uniform(rng, 0, 6.28), mu = uniform(rng, 0.1, 1.5);
    // Friction reverses no slip without coupling.
    const Vec3 V(-uniform(rng, 0.2, 3), std::cos(phi), std::sin(phi));
    const Contact contact = from_blocks(a, b, Vec2::Zero(), V);
    const Routh law{uniform(rng, 0, 1), mu, -1, static_cast<Restitution>(i % 3)};
    EXPECT_LT(distance_to_oracle(law, contact), 1e-12) << "case " << i;
    const auto outcome = collide(law, contact);
    ASSERT_TRUE(outcome) << "case " << i;
    for (int k = 1; k < 3; ++k) EXPECT_GE(outcome->V(k) * V(k), -1e-15) << "case " << i;
    stopped += has(*outcome, Event::slip_stops);
  }
  EXPECT_GT(stopped, 200);
}

TEST(Routh, SlipSpeedFollowsTheProductOverInvariantDirections) {
  // R6 against the slip at the end of compression, with roots from the eigenvalues of a companion matrix.
  using C = std::complex<double>;
  Rng rng(16);
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    const double a = uniform(rng, 0.2, 1), b = a + uniform(rng, 0.3, 3), mu = uniform(rng, 0.2, 1.5);
    const Vec2 w(uniform(rng, -1.5, 1.5), uniform(rng, -1.5, 1.5));
    const double start = uniform(rng, 0, 6.28);
    const Contact contact = from_blocks(a, b, w, Vec3(-1, std::cos(start), std::sin(start)));
    const auto outcome = collide(Routh{0, mu}, contact).value();
    const Vec2 v(outcome.V(1), outcome.V(2));
    if (outcome.mode != Mode::slip || v.norm() < 1e-3) continue;
    // h e^{2iφ} as a quartic in z = e^{iφ}: 2h = w₂(z + 1/z) + i w₁(z − 1/z) + ½iμ(b − a)(z² − 1/z²).
    const C I(0, 1);
    const C lead = 0.5 * I * mu * (b - a);
    Eigen::Matrix4cd companion = Eigen::Matrix4cd::Zero();
    const C lower[4] = {-lead, w(1) - I * w(0), 0, w(1) + I * w(0)};
    for (int k = 0; k < 4; ++k) companion(k, 3) = -lower[k] / lead;
    for (int k = 0; k < 3; ++k) companion(k + 1, k) = 1;
    const Eigen::Vector4cd z = Eigen::ComplexEigenSolver<Eigen::Matrix4cd>(companion, false).eigenvalues();
    double closest = infinity;
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < j; ++k) closest = std::min(closest, std::abs(z(j) - z(k)));
    if (closest < 0.05) continue;
    const double now = std::atan2(v(1), v(0));
    double turned = std::remainder(now - start, 2 * M_PI);
    const Vec2 r = w - mu * Vec2(a * std::cos(start), b * std::sin(start));
    const bool left = r(1) * std::cos(start) - r(0) * std::sin(start) > 0;
    if (left != (turned > 0)) turned += left ? 2 * M_PI : -2 * M_PI;
    double log_s = 0, nearest = infinity;
    C sum = 0;
    for (int k = 0; k < 4; ++k) {
      const C phi = -I * std::log(z(k));
      const C c = std::cos(phi), s = std::sin(phi);
      const C g = w(0) * c + w(1) * s - mu * (a * c * c + b * s * s);
      const C slope = -w(0) * c - w(1) * s - mu * (b - a) * (c * c - s * s);
      sum += g / slope;
      nearest = std::min(nearest, std::abs(std::sin((now - phi) / 2.0)));
      log_s += (g / slope * std::log(std::sin((start + turned - phi) / 2.0) / std::sin((start - phi) / 2.0))).real();
    }
    EXPECT_NEAR(std::abs(sum + 2.0), 0, 1e-9);
    if (nearest < 1e-3) continue;  // the logarithm of a rounded zero
    EXPECT_NEAR(std::log(v.norm()), log_s, 1e-9) << "case " << i;
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

/// The planar law straight from the paths of M11 Fig. 2.8: two velocities, piecewise constant rates.
struct Planar {
  double P_n = 0, P_t = 0, v_n, v_t, E_n = 0;
};

Planar planar_impact(double w_nn, double w_nt, double w_tt, double v_n, double v_t, const Routh& law) {
  Planar x{.v_n = v_n, .v_t = v_t};
  const double mu_s = law.mu_s < 0 ? law.mu : law.mu_s;
  double friction = v_t > 0 ? -law.mu : v_t < 0 ? law.mu : 0;
  const auto at_rest = [&] {
    const double hold = -w_nt / w_tt;
    friction = std::abs(hold) <= mu_s ? hold : (w_nt > 0 ? -law.mu : law.mu);
  };
  if (v_t == 0) at_rest();
  double E_c = 0, p_c = -1;
  for (int phase = 0; phase < 6; ++phase) {
    const double k = w_nn + friction * w_nt, g = w_nt + friction * w_tt;
    double to_stop = infinity;
    if (x.v_t * g < 0 && std::abs(x.v_t) > 0) to_stop = -x.v_t / g;
    double to_event = infinity;
    if (p_c < 0) {
      if (k > 0) to_event = -x.v_n / k;
    } else if (law.restitution == Restitution::poisson) {
      to_event = (1 + law.e) * p_c - x.P_n;
    } else if (law.restitution == Restitution::newton) {
      to_event = (-law.e * v_n - x.v_n) / k;
    } else {
      const double R = (1 - law.e * law.e) * E_c - x.E_n;
      to_event = (-x.v_n + std::sqrt(x.v_n * x.v_n + 2 * k * R)) / k;
    }
    const double p = std::min(to_stop, to_event);
    x.E_n += x.v_n * p + k * p * p / 2;
    x.P_n += p;
    x.P_t += friction * p;
    x.v_n += k * p;
    x.v_t += g * p;
    if (to_stop < to_event) {
      x.v_t = 0;
      at_rest();
    } else if (p_c < 0) {
      p_c = x.P_n;
      E_c = x.E_n;
      x.v_n = 0;
      if (law.e == 0) return x;
    } else {
      return x;
    }
  }
  return x;
}

TEST(Routh, PlanarContacts_EqualTheAlgebraOfPausesInEveryOrder) {
  Rng rng(17);
  std::array<int, 5> modes{};
  for (int i = 0; i < 5000; ++i) {
    const Contact contact = testing::random_planar_contact(rng, 2);
    const Routh law = random_law(rng);
    const auto outcome = collide(law, contact);
    ASSERT_TRUE(outcome) << outcome.error().message();
    const Planar expected =
        planar_impact(contact.W(0, 0), contact.W(0, 1), contact.W(1, 1), contact.V(0), contact.V(1), law);
    const double scale =
        contact.M.norm() * contact.W.norm() * std::max((contact.M * contact.V).norm(), outcome->P.norm());
    EXPECT_NEAR(outcome->P(0), expected.P_n, 1e-11 * scale) << "case " << i;
    EXPECT_NEAR(outcome->P(1), expected.P_t, 1e-11 * scale) << "case " << i;
    EXPECT_EQ(outcome->P(2), 0) << "the plane of symmetry is left, case " << i;
    ++modes[static_cast<std::size_t>(outcome->mode)];
  }
  for (const Mode mode : {Mode::slip, Mode::stick, Mode::slip_stick, Mode::slip_reversal})
    EXPECT_GT(modes[static_cast<std::size_t>(mode)], 20) << name(mode);
}

TEST(Routh, Grazing_ReboundsWhereFrictionJams) {
  // M11 Fig. 2.9 and CR98 Fig. 6: with the coupling large enough the bodies are driven together and thrown apart.
  Mat3 W;
  W << 1, -0.8, 0, -0.8, 1, 0, 0, 0, 1;
  for (const double approach : {1e-3, 1e-6, 1e-9}) {
    const Contact contact = contact_from_mobility(W, Vec3(-approach, -1, 0), Vec3::UnitX()).value();
    const auto outcome = collide(Routh{0.5, 2}, contact).value();
    EXPECT_TRUE(outcome.jammed);
    EXPECT_GT(outcome.V(0), 0.1) << "rebound speed stays finite as the approach speed goes to zero";
    EXPECT_TRUE(outcome.certificate.permissible);
  }
}

TEST(Routh, StaysOnARepellingSymmetryDirection) {
  // Slip along the axis of smaller mobility is invariant but repelling; an exactly symmetric contact must stay on it.
  const Contact contact = from_blocks(0.5, 3, Vec2(0, 0), Vec3(-1, 0, 2));
  const auto outcome = collide(Routh{0.5, 0.4}, contact).value();
  EXPECT_EQ(outcome.P(1), 0);
}

TEST(Routh, InfiniteFrictionIsTheLimitOfLargeFriction) {
  Rng rng(18);
  for (int i = 0; i < 500; ++i) {
    const Contact contact = testing::random_contact(rng, 1);
    Routh law{testing::random_e(rng), infinity, -1, static_cast<Restitution>(i % 3)};
    const auto limit = collide(law, contact).value();
    law.mu = 1e15;
    const auto large = collide(law, contact).value();
    EXPECT_LT((limit.P - large.P).norm(), 1e-10 * large.P.norm()) << "case " << i;
  }
}

TEST(Routh, NoFriction_IsTheFrictionlessImpulse) {
  Rng rng(19);
  for (int i = 0; i < 500; ++i) {
    const Contact contact = testing::random_contact(rng, 4);
    const double e = testing::random_e(rng);
    for (const auto r : {Restitution::poisson, Restitution::stronge, Restitution::newton}) {
      const auto outcome = collide(Routh{e, 0, -1, r}, contact).value();
      const double expected = (1 + e) * contact.approach_speed() / contact.n.dot(contact.W * contact.n);
      EXPECT_NEAR(outcome.P.dot(contact.n), expected, 1e-11 * expected);
      EXPECT_LE(tangential(contact, outcome.P).norm(), 1e-14 * expected);
    }
  }
}

TEST(Routh, PoissonAndStronge_NeverGainEnergy_EvenThroughResumedCompression) {
  Rng rng(20);
  int resumed = 0;
  for (int i = 0; i < 60000; ++i) {
    const Contact contact = testing::random_contact(rng, 2);
    Routh law = random_law(rng);
    law.mu = uniform(rng, 0.3, 3);
    law.mu_s = -1;
    law.restitution = i % 2 == 0 ? Restitution::poisson : Restitution::stronge;
    const auto outcome = collide(law, contact);
    ASSERT_TRUE(outcome) << outcome.error().message();
    resumed += has(*outcome, Event::compression_resumes);
    ASSERT_TRUE(outcome->certificate.permissible) << "case " << i;
  }
  EXPECT_GT(resumed, 5) << "the sample must contain collisions in which compression resumes";
}

TEST(Routh, ExtremeConditioning_StaysPermissibleAndBalanced) {
  Rng rng(21);
  for (int i = 0; i < 3000; ++i) {
    const Contact contact = testing::random_contact(rng, 10);
    Routh law = random_law(rng);
    law.mu = testing::random_mu(rng);
    law.mu_s = -1;
    if (law.restitution == Restitution::newton) law.restitution = Restitution::poisson;
    const auto outcome = collide(law, contact);
    ASSERT_TRUE(outcome) << outcome.error().message() << " case " << i;
    EXPECT_TRUE(outcome->certificate.permissible)
        << "case " << i << " energy " << outcome->certificate.margins.energy << " separation "
        << outcome->certificate.margins.separation << " friction " << outcome->certificate.margins.friction;
  }
}

TEST(Routh, StaticFrictionHoldsWhereSlidingFrictionWouldNot) {
  // Slip along the coupling stops with a hold ratio of 0.8: μ_s = 1 sticks, μ_s = μ = 0.6 slides back. Slip the other
  // way is driven on.
  Mat3 W;
  W << 1.2, -0.8, 0, -0.8, 1, 0, 0, 0, 1;
  const Contact driven = contact_from_mobility(W, Vec3(-1, -0.1, 0), Vec3::UnitX()).value();
  EXPECT_EQ(collide(Routh{0.5, 0.6, 1.0}, driven)->mode, Mode::slip);
  const Contact back = contact_from_mobility(W, Vec3(-1, 0.1, 0), Vec3::UnitX()).value();
  EXPECT_EQ(collide(Routh{0.5, 0.6, 0.6}, back)->mode, Mode::slip_reversal);
  EXPECT_EQ(collide(Routh{0.5, 0.6, 1.0}, back)->mode, Mode::slip_stick);
}

TEST(Routh, HingedPendulum_EndsDead) {
  // CR98 Fig. 8: a rod from a hinge at 30° to the wall; W has rank one in the plane, velocity along its range.
  const Vec3 d(std::cos(0.5), std::sin(0.5), 0);
  const Contact contact = contact_from_mobility(2 * d * d.transpose(), -1.5 * d, Vec3::UnitX()).value();
  const auto outcome = collide(Routh{0.7, 3}, contact).value();
  EXPECT_LT(outcome.V.norm(), 1e-14);
  EXPECT_TRUE(outcome.certificate.permissible);
}

TEST(Routh, RefusesBadParametersByName) {
  const Contact contact = from_blocks(1, 1, Vec2(0, 0), Vec3(-1, 0, 0));
  EXPECT_EQ(collide(Routh{1.5, 0.3}, contact).error().path, "e");
  EXPECT_EQ(collide(Routh{0.5, -0.3}, contact).error().path, "mu");
  EXPECT_EQ(collide(Routh{0.5, 0.3, 0.2}, contact).error().path, "mu_s");
  EXPECT_EQ(collide(Routh{std::nan(""), 0.3}, contact).error().path, "e");
}

}  // namespace
}  // namespace ricochet
