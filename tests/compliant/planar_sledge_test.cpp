#include "ricochet/compliant/planar_sledge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "numbers.hpp"
#include "random_contact.hpp"
#include "sledge_oracle.hpp"

namespace ricochet::compliant {
namespace {

using testing::chance;
using testing::log_uniform;
using testing::Rng;
using testing::uniform;

using testing::infinity;
using Problem = PlanarSledge<double>;

Problem random_problem(Rng& rng) {
  Problem p;
  p.b = uniform(rng, -1.5, 1.5);
  p.c = p.b * p.b + log_uniform(rng, -1.5, 1);
  p.v_t = chance(rng, 0.1) ? 0 : uniform(rng, -3, 3);
  p.kappa = log_uniform(rng, -2, 2);
  p.mu = chance(rng, 0.05) ? infinity : log_uniform(rng, -1.5, 0.7);
  p.e = chance(rng, 0.2) ? log_uniform(rng, -2, 0) : testing::random_e(rng);
  return p;
}

/// Everything at its extremes.
Problem extreme_problem(Rng& rng) {
  Problem p;
  p.b = chance(rng, 0.2) ? 0 : (chance(rng, 0.5) ? 1 : -1) * log_uniform(rng, -4, 1);
  p.c = p.b * p.b * (1 + log_uniform(rng, -6, 2)) + (p.b == 0 ? log_uniform(rng, -4, 4) : 0);
  p.v_t = chance(rng, 0.15) ? 0 : (chance(rng, 0.5) ? 1 : -1) * log_uniform(rng, -10, 3);
  p.kappa = log_uniform(rng, -6, 8);
  p.mu = testing::random_mu(rng);
  p.e = chance(rng, 0.2) ? log_uniform(rng, -8, 0) : testing::random_e(rng);
  if (chance(rng, 0.1)) p.kappa = 1 / p.c;  // equal frequencies where b = 0
  if (chance(rng, 0.05)) p.kappa = (1 + log_uniform(rng, -15, -6)) / p.c;
  return p;
}

/// Energy of the impulse, and the size of the terms that it is a difference of. In extended precision, so that its own
/// rounding is not counted.
struct Energy {
  double change, terms;
};
Energy energy(const Problem& p, const PlanarState<double>& s) {
  const long double P_n = s.P_n, P_t = s.P_t;
  const long double parts[] = {-P_n, P_t * p.v_t, P_n * P_n / 2, p.b * P_n * P_t, p.c * P_t * P_t / 2};
  long double change = 0, terms = 0;
  for (const long double x : parts) {
    change += x;
    terms += std::abs(x);
  }
  return {static_cast<double>(change), static_cast<double>(terms)};
}

std::string text(const Problem& p) {
  char out[300];
  std::snprintf(out, sizeof out, "b %.17g c %.17g v_t %.17g kappa %.17g mu %.17g e %.17g", p.b, p.c, p.v_t, p.kappa,
                p.mu, p.e);
  return out;
}

TEST(PlanarSledge, RandomImpacts_AgreeWithCvode) {
  Rng rng(21);
  int multiple = 0, finer = 0;
  for (int i = 0; i < 2500; ++i) {
    const Problem p = random_problem(rng);
    SCOPED_TRACE(text(p));
    const auto r = run_planar(p);
    ASSERT_EQ(r.stop, Stop::separated);
    testing::SledgeOracle o;
    o.W << 1, p.b, 0, p.b, p.c, 0, 0, 0, 1;
    o.V = Vec3(-1, p.v_t, 0);
    o.kappa = p.kappa;
    o.mu = p.mu;
    o.e = p.e;
    auto a = o.run();
    // A slip shorter than its step escapes the library's root finder.
    for (const double step : {2e-4, 2e-5}) {
      if (a.ok && std::hypot(r.state.P_n - a.P(0), r.state.P_t - a.P(1)) < 1e-9 * (1 + a.P.norm())) break;
      ++finer;
      o.longest_step = step;
      a = o.run();
    }
    ASSERT_TRUE(a.ok);
    const double scale = 1 + a.P.norm();
    EXPECT_NEAR(r.state.P_n, a.P(0), 1e-9 * scale);
    EXPECT_NEAR(r.state.P_t, a.P(1), 1e-9 * scale);
    EXPECT_NEAR(r.duration, a.duration, 1e-6 * (1 + a.duration));
    EXPECT_NEAR(r.state.friction_loss, a.friction_loss, 2e-7 * scale);
    if (r.phases > 4) ++multiple;
  }
  EXPECT_GT(multiple, 100);
  EXPECT_LT(finer, 25);
}

/// Ratio of the frequencies of the sticking modes (L6), on either line of the normal spring: large for contacts with
/// many phases.
double swings(const Problem& p) {
  long double most = 0;
  for (const long double k_n : {1.0L, p.e > 0 ? 1 / (static_cast<long double>(p.e) * p.e) : 1.0L}) {
    const long double kappa = p.kappa, c = p.c, b = p.b, trace = k_n + kappa * c;
    const long double determinant = k_n * kappa * (c - b * b);
    const long double largest = (trace + std::sqrt(trace * trace - 4 * determinant)) / 2;
    most = std::max(most, largest / std::sqrt(determinant));
  }
  return static_cast<double>(most);
}

/// E₀ of (L19).
double kinetic(const Problem& p) {
  const long double b = p.b, c = p.c, v = p.v_t;
  return static_cast<double>((c + 2 * b * v + v * v) / (c - b * b) / 2);
}

/// (L19): within 1e-12 of the kinetic energy in contact space, and what rounding of b, c and v_t makes of its terms.
void expect_closed(const Problem& p, const PlanarState<double>& s) {
  const Energy e = energy(p, s);
  const double rounding = std::numeric_limits<double>::epsilon() / 2 * e.terms;
  ASSERT_NEAR(e.change + s.friction_loss + s.normal_loss, 0, 1e-12 * kinetic(p) + rounding);
}

TEST(PlanarSledge, EnergyLedgerCloses_ExtremesIncluded) {
  Rng rng(22);
  constexpr int enough = 5000;
  int long_ones = 0, followed = 0;
  for (int i = 0; i < 20000; ++i) {
    const Problem p = extreme_problem(rng);
    SCOPED_TRACE(text(p));
    auto r = run_planar(p, Unobserved{}, enough);
    if (r.stop == Stop::rings) {
      // The only reason for so many phases; some contacts still reach their end.
      ASSERT_GT(swings(p), enough);
      if (++long_ones % 40 != 1) continue;
      r = run_planar(p);
      if (r.stop == Stop::rings) {
        ASSERT_GT(swings(p), planar::most_phases);
        continue;
      }
      ASSERT_GT(r.phases, enough);
      ++followed;
    }
    ASSERT_EQ(r.stop, Stop::separated);
    expect_closed(p, r.state);
    const Energy e = energy(p, r.state);
    ASSERT_GE(r.state.friction_loss, -1e-13 * e.terms);
    ASSERT_GE(r.state.normal_loss, 0);
    // Cone, compression, separation.
    ASSERT_GE(r.state.P_n, 0);
    if (p.mu < infinity) {
      ASSERT_LE(std::abs(r.state.P_t), p.mu * r.state.P_n * (1 + 1e-12) + 1e-13);
    }
    // √(2 E₀) bounds v_n in between, and with it the rounding.
    const double speed = 1 + std::abs(r.state.P_n) + std::abs(p.b * r.state.P_t) + std::abs(p.b * p.v_t) +
                         1e-3 * std::sqrt(2 * kinetic(p));
    ASSERT_GE(-1 + r.state.P_n + p.b * r.state.P_t, -1e-12 * speed);
    ASSERT_NEAR(r.state.v_n, -1 + r.state.P_n + p.b * r.state.P_t, 1e-12 * speed);
    ASSERT_NEAR(r.state.v_t, p.v_t + p.b * r.state.P_n + p.c * r.state.P_t,
                1e-12 * (std::abs(p.v_t) + std::abs(p.b * r.state.P_n) + std::abs(p.c * r.state.P_t) + 1));
  }
  EXPECT_GT(long_ones, 100);
  EXPECT_GT(followed, 2);
}

TEST(PlanarSledge, RoundingDoesNotAddUp_OverAQuarterOfAMillionPhases) {
  // Nearly immovable along one direction, on a tangential spring as stiff as the normal one is while it unloads.
  const Problem p{-12.085, 12.085 * 12.085 * 1.00241, 2e-9, 0.00683, 1.1036, 5.586e-6};
  const auto r = run_planar(p, Unobserved{}, 1'000'000);
  ASSERT_EQ(r.stop, Stop::separated);
  EXPECT_GT(r.phases, 250'000);
  expect_closed(p, r.state);
}

TEST(PlanarSledge, EveryPhase_StaysInTheConeAndKeepsItsEnergy) {
  Rng rng(23);
  for (int i = 0; i < 2000; ++i) {
    const Problem p = random_problem(rng);
    SCOPED_TRACE(text(p));
    double clock = 0;
    run_planar(p, [&](const PlanarPhase<double>& f) {
      EXPECT_EQ(f.start, clock);
      clock += f.length;
      ASSERT_GE(f.length, 0);
      const auto stored = [&](const PlanarState<double>& s) {
        return s.N * s.N / f.k_n / 2 + p.kappa * s.x * s.x / 2 + s.friction_loss;
      };
      const double before = stored(f.from) + energy(p, f.from).change;
      for (int k = 0; k <= 8; ++k) {
        const auto s = f.at(f.length * k / 8);
        const double scale = 1 + std::abs(s.N) + energy(p, s).terms;
        ASSERT_GE(s.N, -1e-12 * scale);
        if (p.mu < infinity) {
          ASSERT_LE(p.kappa * std::abs(s.x), p.mu * s.N + 1e-11 * scale);
        }
        if (!f.sticks) {
          ASSERT_NEAR(p.kappa * s.x, f.eta * p.mu * s.N, 1e-12 * scale);
          // The sledge moves along the deflection.
          ASSERT_GE(f.eta * s.v_t + p.mu * f.k_n / p.kappa * s.v_n,
                    -1e-10 * (scale + std::abs(s.v_t)) * (1 + 1 / p.kappa));
        }
        ASSERT_NEAR(stored(s) + energy(p, s).change, before, 1e-12 * scale * scale);
      }
    });
  }
}

TEST(PlanarSledge, WithoutFriction_ReturnsE) {
  for (const double e : {0.0, 0.3, 0.77, 1.0})
    for (const double b : {0.0, 0.8}) {
      const auto r = run_planar(Problem{b, 1.2, -0.7, 0.8, 0, e});
      EXPECT_NEAR(r.state.v_n, e, 1e-15);
      EXPECT_EQ(r.state.P_t, 0);
      EXPECT_NEAR(r.duration, std::numbers::pi * (1 + e) / 2, 1e-14);  // both quarters of a period
    }
}

TEST(PlanarSledge, CentralImpact_ReturnsEWhateverTheFriction) {
  // b = 0 decouples the normal motion; without slip there is no tangential force at all.
  for (const double mu : {0.0, 0.3, infinity})
    for (const double e : {0.0, 0.5, 1.0})
      for (const double slip : {0.0, 0.2, 3.0}) {
        const auto r = run_planar(Problem{0, 3.5, slip, 0.82, mu, e});
        EXPECT_NEAR(r.state.P_n, 1 + e, 1e-14);
        if (slip == 0) {
          EXPECT_NEAR(r.state.P_t, 0, 1e-30);
        }
      }
}

TEST(PlanarSledge, CentralSlidingImpact_FrictionIsMuTimesTheNormalImpulse) {
  // Fast slip never stops: P_t = −μ P_n.
  const auto r = run_planar(Problem{0, 3.5, 20, 0.82, 0.1, 0.6});
  EXPECT_NEAR(r.state.P_t, -0.1 * 1.6, 1e-15);
}

TEST(PlanarSledge, Superball_ReversesItsSlipAndLosesNothing) {
  // Both springs in step (κ c = 1): the force keeps its direction and all energy is returned (G69).
  const double c = 3.5;  // solid sphere: 1 + m r²/J
  for (const double slip : {-0.9, 0.1, 0.6}) {
    const auto r = run_planar(Problem{0, c, slip, 1 / c, 2, 1});
    EXPECT_NEAR(r.state.v_n, 1, 1e-14);
    EXPECT_NEAR(r.state.v_t, -slip, 1e-14);
    EXPECT_NEAR(r.state.friction_loss, 0, 1e-15);
    // Garwin's ball, unit mass and radius, J = 2/5, thrown without spin: V_t = v + r ω.
    const double spin = r.state.P_t / 0.4;
    EXPECT_NEAR(spin, -10.0 / 7.0 * slip, 1e-14);
  }
}

/// At the largest slip that sticks the force lies on the edge of the cone throughout.
TEST(PlanarSledge, SuperballOnTheEdgeOfTheCone_ReversesItsSlip) {
  for (const double c : {2.0, 3.0, 3.5, 7.0}) {
    for (const double mu : {0.1, 0.25, 0.3, 1.0, 1.7}) {
      for (const double way : {1.0, -1.0}) {
        PlanarSledge<double> p;
        p.c = c;
        p.kappa = 1 / c;
        p.mu = mu;
        p.v_t = way * mu * c;
        const auto r = run_planar(p);
        ASSERT_EQ(r.stop, Stop::separated) << c << " " << mu;
        EXPECT_NEAR(r.state.v_n, 1, 1e-12) << c << " " << mu;
        EXPECT_NEAR(r.state.v_t, -p.v_t, 1e-12 * mu * c) << c << " " << mu;
        EXPECT_NEAR(r.state.friction_loss, 0, 1e-12) << c << " " << mu;
      }
    }
  }
}

TEST(PlanarSledge, Superball_OddNumberOfTangentialHalfSwings) {
  // κ c = 9: three half swings while the normal spring makes one; with enough friction the slip is reversed too.
  const auto r = run_planar(Problem{0, 3.5, 0.2, 9 / 3.5, 50, 1});
  EXPECT_NEAR(r.state.v_t, -0.2, 1e-12);
  EXPECT_NEAR(r.state.friction_loss, 0, 1e-13);
}

TEST(PlanarSledge, UnlimitedFriction_IsTheLimitOfLargeFriction) {
  for (const double e : {0.0, 0.4, 1.0}) {
    const auto unlimited = run_planar(Problem{0.6, 1.5, 0.9, 2, infinity, e});
    double last = 1e9;
    for (const double mu : {1e2, 1e4, 1e6}) {
      const auto large = run_planar(Problem{0.6, 1.5, 0.9, 2, mu, e});
      const double gap = std::hypot(large.state.P_n - unlimited.state.P_n, large.state.P_t - unlimited.state.P_t);
      EXPECT_LT(gap, 5 / mu);
      EXPECT_LE(gap, last);
      EXPECT_NEAR(large.state.friction_loss, unlimited.state.friction_loss, 5 / mu);
      last = gap;
    }
  }
}

TEST(PlanarSledge, VanishingTangentialStiffness_IsFrictionless) {
  double last = 1e9;
  for (const double kappa : {1e-2, 1e-4, 1e-6}) {
    const auto r = run_planar(Problem{0.6, 1.5, 0.9, kappa, 0.5, 0.7});
    const double gap = std::hypot(r.state.P_n - 1.7, r.state.P_t);
    EXPECT_LT(gap, 5 * kappa);
    EXPECT_LT(gap, last / 50);
    last = gap;
  }
}

TEST(PlanarSledge, MirrorImage_HasTheMirrorImpulse) {
  Rng rng(24);
  for (int i = 0; i < 500; ++i) {
    const Problem p = random_problem(rng);
    Problem q = p;
    q.b = -p.b;
    q.v_t = -p.v_t;
    const auto a = run_planar(p), b = run_planar(q);
    EXPECT_NEAR(a.state.P_n, b.state.P_n, 1e-13 * (1 + a.state.P_n)) << text(p);
    EXPECT_NEAR(a.state.P_t, -b.state.P_t, 1e-13 * (1 + a.state.P_n)) << text(p);
  }
}

TEST(PlanarSledge, ExtendedPrecision_Agrees) {
  Rng rng(25);
  for (int i = 0; i < 2000; ++i) {
    const Problem p = random_problem(rng);
    const auto narrow = run_planar(p);
    const auto wide = run_planar(PlanarSledge<long double>{p.b, p.c, p.v_t, p.kappa, p.mu, p.e});
    const double scale = 1 + narrow.state.P_n;
    EXPECT_NEAR(narrow.state.P_n, static_cast<double>(wide.state.P_n), 1e-11 * scale) << text(p);
    EXPECT_NEAR(narrow.state.P_t, static_cast<double>(wide.state.P_t), 1e-11 * scale) << text(p);
  }
}

// One degree of freedom, c = b²: the contact moves along the line (1, b) only, by u, and what drives it is N + b F_t.

TEST(PlanarSledge, ContactOnARail_ComesFree) {
  const auto shallow = run_planar(Problem{0.5, 0.25, -0.5, 1, 0.2, 1});
  EXPECT_EQ(shallow.stop, Stop::separated);
  // Steep enough for friction to hold it (μb > 1), but the sledge never slips inwards (κb < μ): x = bu < 0 as long as
  // u < 0, so that F_t > 0 pushes outwards along with N until N is gone. N falls as 1/e² and x by b: at the end the
  // sledge slides by a cone that closes, F_t = +μN still outwards.
  const auto steep = run_planar(Problem{2, 4, -2, 1e-2, 1, 0.3});
  EXPECT_EQ(steep.stop, Stop::separated);
}

TEST(PlanarSledge, ContactOnARail_WedgesAndSaysSo) {
  // κb > μ: the sledge slides inwards all the way, and stops at the turn with N₀ and κx = −μN₀. Out again by y it
  // sticks, driven by N + bF_t = 3N₀ − 41y from rest, and meets the other side of the cone at y = 2N₀/21, within its
  // swing of 6N₀/41, with speed² = 6N₀y − 41y² = 0.2 N₀². There it slides, driven by N(1 − μb) = −N:
  // speed² − N² stays 0.2 N₀² − (19/21)² N₀² < 0, so that it stops while N = 0.79 N₀ still presses. From rest it swings
  // back in by y, driven by 41y − N: where it turns, at 2N/41, κx = N − 20y = N/41 is inside the cone of N + y. It
  // swings so for ever.
  const auto wedged = run_planar(Problem{2, 4, -2, 10, 1, 1});
  EXPECT_EQ(wedged.stop, Stop::never);
  EXPECT_NEAR(wedged.state.v_n, 0, 1e-12);
}

TEST(PlanarSledge, StiffTangentialSpring_ManyPhasesAndStillClosed) {
  const Problem p{0.9, 1.6, -0.5, 1e8, 0.7, 1};
  const auto r = run_planar(p);
  ASSERT_EQ(r.stop, Stop::separated);
  EXPECT_GT(r.phases, 20);
  const Energy e = energy(p, r.state);
  EXPECT_NEAR(e.change + r.state.friction_loss, 0, 1e-12 * e.terms);
}

}  // namespace
}  // namespace ricochet::compliant
