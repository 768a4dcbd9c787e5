#pragma once
/// Pfeiffer and Glocker's planar law, docs/laws/pfeiffer-glocker.md.

#include <cmath>
#include <limits>

#include "ricochet/law/pfeiffer_glocker.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet {

/// Compression in the plane of axes 1 and 2: V_n = 0 with friction against the remaining slip, or no slip. The sticking
/// solution, which leaves no energy, has precedence.
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
template <class T, class Observer = NullObserver>
RICOCHET_HD Solution<T> solve(const PfeifferGlocker& law, const Local<T>& c, Observer&& observer = Observer{}) {
  using std::abs;
  const WhittakerAnswers<T> answers = planar_compression<T>(law.mu, c);
  if (answers.count == 0) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Termination::no_solution);
  const WhittakerAnswer<T>& compression = preferred<T>(answers, c);
  const Vec3T<T>& P_c = compression.P;
  const T w = c.W(1, 0);
  const T w_tt = c.W(1, 1);
  const T V_t = (c.V + c.W * P_c)(1);

  Vec3T<T> P_e = Vec3T<T>::Zero();
  bool sticks = compression.sticks;
  bool rebounds = false;
  if (law.e_k > 0) {
    const T sigma = P_c(1) < T(0) ? T(-1) : T(1);
    const T share = P_c(1) != T(0) ? T(law.nu) : T(0);
    const T p = T(law.e_k) * P_c(0);
    // β λ is μ P_n also for μ = ∞: infinite where P_n > 0, and the friction of the slip where P_n = 0.
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

  Solution<T> s = two_lines<T>(c, P_c, P_e, observer);
  s.termination = Termination::closed_form;
  s.mode = Mode::slip;
  if (sticks)
    s.mode = compression.sticks ? Mode::stick : Mode::slip_stick;
  else if (compression.sticks || rebounds)
    s.mode = Mode::slip_reversal;
  return s;
}

}  // namespace ricochet
