#pragma once
/// Pfeiffer and Glocker's planar law, docs/laws/pfeiffer-glocker.md.

#include <cmath>
#include <limits>

#include "ricochet/law/outcome.hpp"
#include "ricochet/law/whittaker.hpp"

namespace ricochet {

struct PfeifferGlocker {
  double e_k = 0;           ///< kinetic (Poisson) restitution, 0 ≤ e_k ≤ 1
  double nu = 0;            ///< reversible share of the tangential compression impulse, 0 ≤ ν ≤ 1
  double e_t = 0;           ///< tangential restitution of that share, 0 ≤ e_t ≤ 1
  double mu = 0;            ///< friction, 0 ≤ μ ≤ ∞
  double tolerance = 1e-9;  ///< couplings out of the plane, relative to W's largest entry, that still count as zero
};

/// Compression in the plane of axes 1 and 2: V_n = 0 with friction against the slip that is left, or none left. The
/// sticking answer, which leaves nothing of the energy, goes first.
template <class T>
RICOCHET_HD WhittakerAnswers<T> planar_compression(double mu, const Local<T>& c) {
  using std::abs;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  const auto [alpha, beta] = cone_weights<T>(mu);
  const T w_nn = c.W(0, 0);
  const T w = c.W(1, 0);
  const T w_tt = c.W(1, 1);
  const Vec2T<T> none(T(0), T(0));
  WhittakerAnswers<T> answers;
  answers.evaluations = 1;
  const WantedChange<T> stop = impulse_for<T>(c, Vec3T<T>(-c.V(0), -c.V(1), T(0)));
  const T P_t = abs(stop.P(1));
  if (mu > 0 && stop.reached && stop.P(0) >= T(0) && alpha * P_t <= beta * stop.P(0)) {
    const T infinity = std::numeric_limits<T>::infinity();
    const T size = alpha > T(0) ? stop.P(0) / alpha : stop.P(0) > T(0) ? infinity : P_t;
    answers.add({Vec3T<T>(stop.P(0), stop.P(1), T(0)), none, T(0), size, true});
    return answers;
  }
  for (const T v : {T(-1), T(1)}) {
    const T k = alpha * w_nn - beta * w * v;
    if (!(k > T(0))) continue;
    const T lambda = -c.V(0) / k;
    const T slip = v * c.V(1) + lambda * (alpha * w * v - beta * w_tt);
    const T rounding = T(64) * eps * (abs(c.V(1)) + lambda * (alpha * abs(w) + beta * w_tt));
    if (slip < -rounding) continue;
    answers.add({Vec3T<T>(alpha * lambda, -beta * lambda * v, T(0)), Vec2T<T>(v, T(0)), slip, lambda, false});
  }
  return answers;
}

/// Planar: reads only the block of axes 1 and 2. Expansion, with σ = sign of the tangential impulse P_t,c of
/// compression and P_t,e = σ y:
///   P_n,e ≥ e_k P_n,c  complementary to  V_n⁺ ≥ 0,
///   L ≤ y ≤ U,  U = μ P_n,e,  L = −(1−ν) μ P_n,e + ν e_t e_k |P_t,c|,
///   y = U where σV_t⁺ < 0,  y = L where σV_t⁺ > 0.                                                       (P1)
/// V_t⁺ grows with y, so that y is the sticking value y* = −σ(V_t,c + w P_n,e)/w_tt clipped to [L, U]. In the plane
/// P_n,e = e_k P_n,c always leaves V_n⁺ ≥ 0 (docs/laws/pfeiffer-glocker.md), so no larger impulse is ever looked for.
/// Where nothing was stored (P_t,c = 0) no side is marked out and Coulomb's interval holds.
template <class T>
RICOCHET_HD Solution<T> solve(const PfeifferGlocker& law, const Local<T>& c) {
  using std::abs;
  const WhittakerAnswers<T> answers = planar_compression<T>(law.mu, c);
  if (answers.count == 0) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Why::no_solution);
  const WhittakerAnswer<T>& compression = preferred<T>(answers, c);
  const Vec3T<T>& P_c = compression.P;
  const Vec3T<T> V_c = c.V + c.W * P_c;
  const T w = c.W(1, 0);
  const T w_tt = c.W(1, 1);
  const T V_t = V_c(1);

  Vec3T<T> P_e = Vec3T<T>::Zero();
  bool sticks = compression.sticks;
  bool rebounds = false;
  if (law.e_k > 0) {
    const T sigma = P_c(1) < T(0) ? T(-1) : T(1);
    const T share = P_c(1) != T(0) ? T(law.nu) : T(0);
    const T p = T(law.e_k) * P_c(0);
    // β λ is μ P_n also where μ = ∞: infinite where P_n > 0, and where P_n = 0 the friction that a slip spends.
    const T up = law.mu > 0 ? cone_weights<T>(law.mu).beta * T(law.e_k) * compression.size : T(0);
    const T down = share == T(1) ? T(0) : (T(1) - share) * up;
    const T low = share * T(law.e_t) * T(law.e_k) * abs(P_c(1)) - down;
    T y = w_tt > T(0) ? -sigma * (V_t + w * p) / w_tt : T(0);
    sticks = !(y > up) && !(y < low) && (law.mu > 0 || compression.sticks);
    rebounds = y < low;
    if (y > up) y = up;
    if (y < low) y = low;
    P_e = Vec3T<T>(p, sigma * y, T(0));
  }

  Mode mode = Mode::slip;
  if (sticks)
    mode = compression.sticks ? Mode::stick : Mode::slip_stick;
  else if (compression.sticks || rebounds)
    mode = Mode::slip_reversal;
  Solution<T> s;
  s.P = P_c + P_e;
  s.V = c.V + c.W * s.P;
  s.mode = mode;
  s.why = Why::closed_form;
  const Vec3T<T> mean_c = (c.V + V_c) / T(2);
  const Vec3T<T> mean_e = (V_c + s.V) / T(2);
  const T normal_c = P_c(0) * mean_c(0);
  const T friction_c = P_c(1) * mean_c(1);
  s.normal_work = normal_c + P_e(0) * mean_e(0);
  s.friction_work = friction_c + P_e(1) * mean_e(1);
  s.path.add({Event::start, Vec3T<T>::Zero(), c.V, T(0), T(0)});
  s.path.add({Event::compression_ends, P_c, V_c, normal_c, friction_c});
  s.path.add({Event::end, s.P, s.V, s.normal_work, s.friction_work});
  return s;
}

/// Fails with field "M" where the contact is not planar. With slip, the plane is that of n and V; without, it is that
/// of n and the tangential direction that a normal impulse drives.
[[nodiscard]] Expected<Outcome> collide(const PfeifferGlocker& law, const Contact& contact);

}  // namespace ricochet
