#pragma once
/// Anitescu and Potra's two-phase law in 3D, docs/laws/anitescu-potra.md.

#include <cmath>
#include <limits>

#include "ricochet/law/anitescu_potra.hpp"
#include "ricochet/law/friction_at_given_normal.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet {

template <class T>
struct PoissonExpansion {
  Vec3T<T> P;
  bool sticks;
  bool found;
};

/// Expansion after a compression with impulse λ_c: λ ≥ e_k λ_c complementary to V_n⁺ ≥ 0 with the friction of this
/// phase alone in its cone and against the final slip. λ stands for P_n/α, so that μ = ∞, for which a slipping
/// compression has P_n = 0, needs no special case.
///
/// Where V_n⁺ > 0 the normal impulse is known and (A1) gives the one answer. Where that answer would approach again,
/// V_n⁺ = 0 and λ is unknown: sticking, P = −M V_c, or slip along one of the two directions with k(v̂) = 0, with λ from
/// v̂×(V_t + λ r(v̂)) = 0. The least λ is taken.
template <class T>
RICOCHET_HD PoissonExpansion<T> poisson_expansion(const AnitescuPotra& law, const Local<T>& c,
                                                  const WhittakerAnswer<T>& compression) {
  using std::sqrt;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  const T infinity = std::numeric_limits<T>::infinity();
  const Vec3T<T>& P_c = compression.P;
  const Vec3T<T> V_c = c.V + c.W * P_c;
  const ConeWeights<T> weights = cone_weights<T>(law.mu);
  const T alpha = weights.alpha, beta = weights.beta;
  const Vec2T<T> V_t(V_c(1), V_c(2));
  const Vec2T<T> w(c.W(1, 0), c.W(2, 0));
  const Mat2T<T> W_tt = c.W.template block<2, 2>(1, 1);
  const T least = T(law.e_k) * compression.size;

  const T p = T(law.e_k) * P_c(0);
  const Vec2T<T> g = V_t + w * p;
  const FrictionAtGivenNormal<T> friction = friction_at_given_normal<T>(W_tt, g, law.mu == 0 ? T(0) : beta * least);
  const Vec2T<T>& q = friction.q;
  PoissonExpansion<T> expansion{Vec3T<T>(p, q(0), q(1)), friction.sticks || (law.mu == 0 && compression.sticks), true};
  const T rounding = T(16) * eps * (c.W.row(0).cwiseAbs() * (P_c.cwiseAbs() + expansion.P.cwiseAbs()))(0);
  if (c.W(0, 0) * p + w.dot(q) >= -rounding) return expansion;

  T best = infinity;
  expansion.found = false;
  const WantedChange<T> stop = impulse_for<T>(c, Vec3T<T>(T(0), -V_t(0), -V_t(1)));
  const T stop_t = sqrt(stop.P(1) * stop.P(1) + stop.P(2) * stop.P(2));
  if (stop.reached && stop.P(0) >= p && alpha * stop_t <= beta * stop.P(0)) {
    expansion = {stop.P, true, true};
    best = alpha > T(0) ? stop.P(0) / alpha : infinity;
  }
  const T w_size = sqrt(w.squaredNorm());
  const T cosine = alpha * c.W(0, 0) / (beta * w_size);
  if (!(cosine <= T(1))) return expansion;
  const Vec2T<T> along = w / w_size;
  const T sine = sqrt((T(1) - cosine) * (T(1) + cosine));
  for (const T side : {sine, -sine}) {
    const Vec2T<T> v(cosine * along(0) - side * along(1), cosine * along(1) + side * along(0));
    const Vec2T<T> r = alpha * w - beta * (W_tt * v);
    const T lambda = -(v(0) * V_t(1) - v(1) * V_t(0)) / (v(0) * r(1) - v(1) * r(0));
    if (!(lambda >= least && lambda < best) || v.dot(V_t + lambda * r) < T(0)) continue;
    best = lambda;
    expansion = {Vec3T<T>(alpha * lambda, -beta * lambda * v(0), -beta * lambda * v(1)), false, true};
  }
  return expansion;
}

/// Compression is Whittaker's problem with e = 0; of several answers the one that leaves the least energy.
template <class T, class Observer = NullObserver>
RICOCHET_HD Solution<T> solve(const AnitescuPotra& law, const Local<T>& c, Observer&& observer = Observer{}) {
  const WhittakerAnswers<T> answers = whittaker_solutions<T>(Whittaker{0, law.mu}, c, true);
  if (answers.count == 0) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Termination::no_solution);
  const WhittakerAnswer<T>& compression = preferred<T>(answers, c);
  PoissonExpansion<T> expansion{Vec3T<T>::Zero(), compression.sticks, true};
  if (law.e_k > 0) expansion = poisson_expansion<T>(law, c, compression);
  Solution<T> s = two_lines<T>(c, compression.P, expansion.P, observer);
  s.mode = expansion.sticks ? Mode::stick : Mode::slip;
  if (compression.sticks != expansion.sticks) s.mode = expansion.sticks ? Mode::slip_stick : Mode::slip_reversal;
  s.termination = compression.sticks || law.mu == 0 ? Termination::closed_form : Termination::root_found;
  if (!expansion.found) s.termination = Termination::not_converged;
  s.evaluations = answers.evaluations + (law.e_k > 0 ? 1 : 0);
  return s;
}

}  // namespace ricochet
