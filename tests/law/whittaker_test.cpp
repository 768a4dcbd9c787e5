#include "ricochet/law/whittaker.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet {
namespace {

using namespace testing;

using testing::infinity;

Contact planar(double m_nn, double m_nt, double m_tt, double V_n, double V_t) {
  Mat3 M;
  M << m_nn, m_nt, 0, m_nt, m_tt, 0, 0, 0, 1;
  return contact_from_mass(M, Vec3(V_n, V_t, 0), Vec3::UnitX()).value();
}

/// Residual of P in the law's own equations, relative to their terms.
double residual(const Local<double>& c, const Vec3& P, double e, double mu) {
  const Vec3 V = c.V + c.W * P;
  const Vec3 terms = c.V.cwiseAbs() + c.W.cwiseAbs() * P.cwiseAbs();
  double worst = std::abs(V(0) + e * c.V(0)) / terms.maxCoeff();
  const double slip = std::hypot(V(1), V(2));
  const double P_t = std::hypot(P(1), P(2));
  const double weight = mu == infinity ? 0 : 1 / (1 + mu);
  const double limit = mu == infinity ? P(0) : mu / (1 + mu) * P(0);
  worst = std::max(worst, -P(0) / P.norm());
  if (slip <= 1e-12 * terms.maxCoeff()) return std::max(worst, (weight * P_t - limit) / P.norm());
  // P_t against the slip and on the cone; the direction of a slip is known to the rounding of its terms.
  const double angle = std::hypot(P(1) / P_t + V(1) / slip, P(2) / P_t + V(2) / slip) * slip / terms.maxCoeff();
  if (P_t > 0) worst = std::max(worst, angle);
  return std::max(worst, std::abs(weight * P_t - limit) / P.norm());
}

TEST(Whittaker, EverySolutionSatisfiesTheLaw_AndThereIsOne) {
  Rng rng(21);
  for (const double condition : {1.0, 4.0, 10.0}) {
    for (int trial = 0; trial < 10000; ++trial) {
      const Contact contact = random_contact(rng, condition);
      const double e = random_e(rng);
      const double mu = random_mu(rng);
      const Local<double> local = localize<double>(contact);
      const auto answers = whittaker_solutions<double>({e, mu}, local);
      for (const auto& answer : answers)
        EXPECT_LE(residual(local, answer.P, e, mu), 2e-12) << "mu " << mu << " e " << e;
      if (condition <= 4) {
        EXPECT_EQ(answers.count % 2, 1);
      }
      const auto hit = collide(Whittaker{e, mu}, contact);
      ASSERT_TRUE(hit) << hit.error().message() << " mu " << mu << " e " << e;
      EXPECT_GE(hit->certificate.margins.compression, 0);
    }
  }
}

/// Independent count: march the direction round the circle, look where k V_t⁺ changes side of it, and bisect.
int slip_solutions_by_scan(const Local<double>& c, double e, double mu, int samples) {
  const double alpha = mu == infinity ? 0 : 1 / (1 + mu);
  const double beta = mu == infinity ? 1 : mu / (1 + mu);
  // (k, slip along, slip across), the latter two times k.
  const auto after = [&](double phi) {
    const Vec3 ray(alpha, -beta * std::cos(phi), -beta * std::sin(phi));
    const Vec3 WP = c.W * ray;
    const Vec3 V = WP(0) * c.V - (1 + e) * c.V(0) * WP;
    return Vec3(WP(0), V(1) * std::cos(phi) + V(2) * std::sin(phi), V(2) * std::cos(phi) - V(1) * std::sin(phi));
  };
  int count = 0;
  for (int i = 0; i < samples; ++i) {
    double low = 2 * std::numbers::pi * (i + 0.3) / samples;
    double high = 2 * std::numbers::pi * (i + 1.3) / samples;
    const bool side = after(low)(2) < 0;
    if (side == (after(high)(2) < 0)) continue;
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      ((after(middle)(2) < 0) == side ? low : high) = middle;
    }
    const Vec3 found = after(low);
    if (found(0) > 0 && found(1) > 0) ++count;
  }
  return count;
}

TEST(Whittaker, DenseScanFindsTheSameSolutions_UpToThree) {
  Rng rng(22);
  std::array<int, 6> seen{};
  int promised = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Contact contact = random_contact(rng, 2);
    const double e = random_e(rng);
    const double mu = chance(rng, 0.8) ? uniform(rng, 0.1, 8) : infinity;
    const Local<double> local = localize<double>(contact);
    if (local.V(1) == 0) continue;
    const auto answers = whittaker_solutions<double>({e, mu}, local);
    int slipping = 0;
    bool clear = true;
    for (const auto& answer : answers) {
      slipping += answer.sticks ? 0 : 1;
      // The scan does not distinguish slip from rounding.
      const double terms = (local.V.cwiseAbs() + local.W.cwiseAbs() * answer.P.cwiseAbs()).maxCoeff();
      if (!answer.sticks && answer.slip < 1e-9 * terms) clear = false;
    }
    if (!clear) continue;
    ++seen[static_cast<std::size_t>(answers.count)];
    const int scanned = slip_solutions_by_scan(local, e, mu, 4000);
    EXPECT_EQ(slipping, scanned) << "mu " << mu << " e " << e;
    if (!has_one_answer<double>(local.W, cone_weights<double>(mu))) continue;
    ++promised;
    EXPECT_EQ(scanned + (answers.list[0].sticks ? 1 : 0), 1) << "mu " << mu << " e " << e;
  }
  EXPECT_GT(promised, 300);
  EXPECT_GT(seen[1], 1500);
  EXPECT_GT(seen[3], 0);
  EXPECT_EQ(seen[0] + seen[2] + seen[4] + seen[5], 0);
}

TEST(Whittaker, AtModerateFrictionThereIsOneSolution) {
  Rng rng(23);
  for (int trial = 0; trial < 5000; ++trial) {
    const Local<double> local = localize<double>(random_contact(rng, 2));
    EXPECT_EQ(whittaker_solutions<double>({random_e(rng), uniform(rng, 0, 0.3)}, local).count, 1);
  }
}

TEST(Whittaker, ChoiceIsStickingIfAdmissible_ElseLeastEnergy) {
  Rng rng(24);
  int with_stick = 0;
  int without = 0;
  for (int trial = 0; trial < 400000 && (with_stick < 100 || without < 3); ++trial) {
    const Local<double> local = localize<double>(random_contact(rng, 2));
    const Whittaker law{random_e(rng), log_uniform(rng, 0.3, 2)};
    const auto answers = whittaker_solutions<double>(law, local);
    if (answers.count < 2) continue;
    const auto chosen = solve(law, local);
    bool sticks = false;
    double least = infinity;
    for (const auto& answer : answers) {
      sticks = sticks || answer.sticks;
      const Vec3 V = local.V + local.W * answer.P;
      least = std::min(least, answer.P.dot(local.V + V) / 2);
    }
    if (sticks) {
      ++with_stick;
      EXPECT_EQ(chosen.mode, Mode::stick);
      EXPECT_LE(std::hypot(chosen.V(1), chosen.V(2)), 1e-10 * local.V.norm());
    } else {
      ++without;
      EXPECT_EQ(chosen.mode, Mode::slip);
      EXPECT_NEAR(chosen.normal_work + chosen.friction_work, least, 1e-12 * std::abs(least) + 1e-14);
    }
  }
  EXPECT_GE(with_stick, 100);
  EXPECT_GE(without, 3);
}

TEST(Whittaker, DiagonalMass_IsTheClosedFormOfSpheres) {
  Rng rng(25);
  for (int trial = 0; trial < 2000; ++trial) {
    const double m_n = log_uniform(rng, -2, 2);
    const double m_t = log_uniform(rng, -2, 2);
    const double V_n = -uniform(rng, 0.01, 3);
    const double V_t = -uniform(rng, 0.01, 3);
    const double e = random_e(rng);
    const double mu = random_mu(rng);
    Mat3 M = Mat3::Identity() * m_t;
    M(0, 0) = m_n;
    const auto hit = collide(Whittaker{e, mu}, contact_from_mass(M, Vec3(V_n, V_t, 0), Vec3::UnitX()).value()).value();
    const double P_n = -(1 + e) * m_n * V_n;
    const double P_t = std::min(mu == 0 ? 0 : mu * P_n, -m_t * V_t);
    EXPECT_NEAR(hit.P(0), P_n, 1e-13 * P_n);
    EXPECT_NEAR(hit.P(1), P_t, 1e-13 * (P_n + P_t));
    EXPECT_NEAR(hit.P(2), 0, 1e-13 * (P_n + P_t));
    EXPECT_LE(hit.energy_change, 1e-13 * m_n * V_n * V_n);
  }
}

/// Sticking with e = 1 leaves ½ M_nn V_n²; there was ½ VᵀMV = ½ M_nn V_n² − 3/8.
TEST(Whittaker, KanesParadox_SkewMassGainsEnergyAndSaysSo) {
  const auto hit = collide(Whittaker{1, 0.5}, planar(2, -1, 1, -1, -0.5)).value();
  EXPECT_EQ(hit.mode, Mode::stick);
  EXPECT_NEAR(hit.P(0), 3.5, 1e-14);
  EXPECT_NEAR(hit.P(1), -1.5, 1e-14);
  EXPECT_NEAR(hit.energy_change, 0.375, 1e-14);
  EXPECT_NEAR(hit.certificate.margins.energy, -0.375, 1e-14);
  EXPECT_FALSE(hit.certificate.permissible);
}

/// CR98 Fig. 8: a rod along d with an ever larger mass N at its far end. Sticking asks for V⁺ = −eV_n n, which moves
/// that mass: the energy after impact, ½ e²V_n² n·M·n, grows like N.
TEST(Whittaker, Pendulum_GainGrowsWithoutBoundAsTheHingeMassGrows) {
  const Vec3 d(std::cos(0.6), std::sin(0.6), 0);
  const Vec3 t(-std::sin(0.6), std::cos(0.6), 0);
  const Vec3 V = t;  // approaches: n·t < 0
  double last = 0;
  for (const double N : {1e2, 1e4, 1e6}) {
    const Mat3 M = Mat3::Identity() + N * d * d.transpose();
    const auto hit = collide(Whittaker{0.7, infinity}, contact_from_mass(M, V, Vec3::UnitX()).value()).value();
    EXPECT_EQ(hit.mode, Mode::stick);
    EXPECT_NEAR(hit.V(1), 0, 1e-9);
    const double expected = 0.5 * 0.49 * V(0) * V(0) * M(0, 0) - 0.5;
    EXPECT_NEAR(hit.energy_change, expected, 1e-9 * expected);
    if (last > 0) {
      EXPECT_GT(hit.energy_change, 50 * last);
    }
    last = hit.energy_change;
  }
}

/// The hinge itself: W is singular, V⁺ must stay along the one direction that moves. It cannot stick and rebound, and
/// slip along −eV_t needs k = t_n (α t_n − β|t_t|) > 0.
TEST(Whittaker, Pendulum_HingedRodHasNoSolutionAboveTheJammingFriction) {
  const Vec3 t(-std::sin(0.6), std::cos(0.6), 0);
  const Contact hinged = contact_from_mobility(t * t.transpose(), t, Vec3::UnitX()).value();
  ASSERT_TRUE(hinged.immovable);
  const double jam = std::tan(0.6);
  const auto none = collide(Whittaker{0.7, 1.01 * jam}, hinged);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::no_solution);
  const auto slips = collide(Whittaker{0.7, 0.9 * jam}, hinged).value();
  EXPECT_EQ(slips.mode, Mode::slip);
  EXPECT_LE((slips.V + 0.7 * t).norm(), 1e-12);
  EXPECT_LE(residual(localize<double>(hinged), localize<double>(hinged).R.transpose() * slips.P, 0.7, 0.9 * jam),
            1e-12);
  const auto dead = collide(Whittaker{0, 2 / jam}, hinged).value();
  EXPECT_EQ(dead.mode, Mode::stick);
  EXPECT_LE(dead.V.norm(), 1e-12);
}

/// CR98 4.2.2 and Fig. 6, in the plane: P_II where it lies in the cone, else nothing.
TEST(Whittaker, Grazing_PlanarPredictsPIIOrNothing) {
  for (const double V_n : {-1e-6, -1e-9, -1e-12}) {
    const Contact skew = planar(2, 1.2, 1, V_n, -1);
    const Vec3 P_II = -(skew.M * skew.V);  // about (1.2, 1, 0): inside for μ > 0.84
    const auto locked = collide(Whittaker{0.8, 0.9}, skew).value();
    EXPECT_LE((locked.P - P_II).norm(), 10 * std::abs(V_n));
    const auto slides = collide(Whittaker{0.8, 0.8}, skew).value();
    EXPECT_LE(slides.P.norm(), 100 * std::abs(V_n));
    EXPECT_LE((collide(Whittaker{0.8, 0.9}, planar(2, -1.2, 1, V_n, -1)).value().P.norm()), 100 * std::abs(V_n));
  }
}

TEST(Whittaker, WithoutFrictionIsFrictionless) {
  Rng rng(26);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_contact(rng, 6);
    const double e = random_e(rng);
    const Vec3 expected = collide(Frictionless{e}, contact).value().P;
    EXPECT_EQ(collide(Whittaker{e, 0}, contact).value().P, expected);
    // The answer moves by μ times a number no larger than the condition of W.
    EXPECT_LE((collide(Whittaker{e, 1e-13}, contact).value().P - expected).norm(), 1e-6 * expected.norm());
  }
}

TEST(Whittaker, LargeFrictionTendsToInfiniteFriction) {
  Rng rng(27);
  for (int trial = 0; trial < 1000; ++trial) {
    const Contact contact = random_contact(rng, 1);
    const double e = random_e(rng);
    const Local<double> local = localize<double>(contact);
    if (whittaker_solutions<double>({e, infinity}, local).count != 1) continue;
    const Vec3 limit = collide(Whittaker{e, infinity}, contact).value().P;
    const Vec3 close = collide(Whittaker{e, 1e9}, contact).value().P;
    EXPECT_LE((limit - close).norm(), 1e-5 * limit.norm());
  }
}

TEST(Whittaker, DoublingTheSpeedDoublesTheImpulse) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    Contact contact = random_contact(rng, 4);
    const Whittaker law{random_e(rng), random_mu(rng)};
    const auto once = collide(law, contact).value();
    contact.V *= 2;
    const auto twice = collide(law, contact).value();
    RC_ASSERT((twice.P - 2 * once.P).norm() <= 1e-14 * twice.P.norm());
    RC_ASSERT(twice.mode == once.mode);
  }));
}

TEST(Whittaker, TurningTheSceneTurnsTheImpulse) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Contact contact = random_contact(rng, 2);
    const Whittaker law{random_e(rng), random_mu(rng)};
    const Local<double> local = localize<double>(contact);
    RC_PRE(whittaker_solutions<double>(law, local).count == 1);
    const Mat3 Q = random_rotation(rng);
    Contact turned = contact;
    turned.M = Q * contact.M * Q.transpose();
    turned.W = Q * contact.W * Q.transpose();
    turned.V = Q * contact.V;
    turned.n = Q * contact.n;
    const Vec3 P = collide(law, contact).value().P;
    // Turning rounds V_n to the rounding of |V|, which at grazing incidence is much of it.
    const double rounding = 1e-13 * contact.M.norm() * contact.V.norm();
    RC_ASSERT((collide(law, turned).value().P - Q * P).norm() <= 1e-8 * P.norm() + rounding);
  }));
}

TEST(Whittaker, ParametersOutOfRangeAreNamed) {
  const Contact contact = planar(1, 0, 1, -1, 0);
  EXPECT_EQ(collide(Whittaker{1.1, 0}, contact).error().path, "e");
  EXPECT_EQ(collide(Whittaker{std::nan(""), 0}, contact).error().path, "e");
  EXPECT_EQ(collide(Whittaker{0.5, -0.1}, contact).error().path, "mu");
}

TEST(Whittaker, PartingBodiesAreLeftAlone) {
  const auto hit = collide(Whittaker{0.5, 0.5}, planar(1, 0.1, 1, 0.5, -1)).value();
  EXPECT_EQ(hit.mode, Mode::separating);
  EXPECT_EQ(hit.P, Vec3::Zero());
}

}  // namespace
}  // namespace ricochet
