#pragma once
/// Anitescu and Potra's two-phase law in 3D, docs/laws/anitescu-potra.md.

#include <cmath>
#include <limits>

#include "ricochet/law/outcome.hpp"
#include "ricochet/law/whittaker.hpp"

namespace ricochet {

struct AnitescuPotra {
  double e_k = 0;  ///< kinetic (Poisson) restitution, 0 ≤ e_k ≤ 1
  double mu = 0;   ///< friction, 0 ≤ μ ≤ ∞
};

template <class T>
struct FrictionAtGivenNormal {
  Vec2T<T> q;
  bool sticks;
};

/// Friction q, |q| ≤ radius, that opposes the slip g + W_tt q it leaves, or stops it. These are the optimality
/// conditions of  min ½ qᵀW_tt q + g·q  in the disk, a convex problem: in the eigenaxes of W_tt
///   q_i = −g_i / (d_i + σ),  σ ≥ 0,  σ (radius − |q|) = 0,                                              (A1)
/// and the slip that is left is −σ q. Newton's iteration on 1/|q(σ)| = 1/radius from below is monotone.
template <class T>
RICOCHET_HD FrictionAtGivenNormal<T> friction_at_given_normal(const Mat2T<T>& W_tt, const Vec2T<T>& g, T radius) {
  using std::abs;
  using std::sqrt;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  if (!(radius > T(0))) return {Vec2T<T>(T(0), T(0)), false};
  const T half = (W_tt(0, 0) - W_tt(1, 1)) / T(2);
  const T h = sqrt(half * half + W_tt(0, 1) * W_tt(0, 1));
  const T d1 = (W_tt(0, 0) + W_tt(1, 1)) / T(2) + h;
  Vec2T<T> axis(T(1), T(0));
  if (h > T(0)) {
    axis = half >= T(0) ? Vec2T<T>(h + half, W_tt(0, 1)) : Vec2T<T>(W_tt(0, 1), h - half);
    axis /= sqrt(axis.squaredNorm());
  }
  T d2 = d1 > T(0) ? (W_tt(0, 0) * W_tt(1, 1) - W_tt(0, 1) * W_tt(0, 1)) / d1 : T(0);
  // W_tt is semidefinite and g lies in its range: in a direction that cannot move there is nothing to oppose.
  const bool stiff2 = !(d2 > T(8) * eps * d1);
  const bool stiff1 = !(d1 > T(0));
  if (stiff2) d2 = T(0);
  const T g1 = stiff1 ? T(0) : axis(0) * g(0) + axis(1) * g(1);
  const T g2 = stiff2 ? T(0) : axis(0) * g(1) - axis(1) * g(0);
  const auto back = [&](T q1, T q2) { return Vec2T<T>(axis(0) * q1 - axis(1) * q2, axis(1) * q1 + axis(0) * q2); };
  T q1 = stiff1 ? T(0) : -g1 / d1;
  T q2 = stiff2 ? T(0) : -g2 / d2;
  T length = sqrt(q1 * q1 + q2 * q2);
  if (length <= radius) return {back(q1, q2), true};
  T sigma = T(0);
  for (const T bound : {abs(g1) / radius - d1, abs(g2) / radius - d2})
    if (bound > sigma) sigma = bound;
  for (int i = 0; i < 60; ++i) {
    q1 = stiff1 ? T(0) : -g1 / (d1 + sigma);
    q2 = stiff2 ? T(0) : -g2 / (d2 + sigma);
    const T square = q1 * q1 + q2 * q2;
    length = sqrt(square);
    const T slope = (stiff1 ? T(0) : q1 * q1 / (d1 + sigma)) + (stiff2 ? T(0) : q2 * q2 / (d2 + sigma));
    const T next = sigma + square / slope * (length - radius) / radius;
    if (!(next > sigma) || next - sigma <= T(2) * eps * next) break;
    sigma = next;
  }
  return {back(q1, q2) * (radius / length), false};
}

template <class T>
struct PoissonExpansion {
  Vec3T<T> P;
  bool sticks;
  bool found;
};

/// Expansion after a compression with impulse λ_c: λ ≥ e_k λ_c complementary to V_n⁺ ≥ 0 with the friction of this
/// phase alone in its cone and against the final slip. λ stands for P_n/α, so that μ = ∞, where a slipping compression
/// has P_n = 0, needs no rule of its own.
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
  const auto [alpha, beta] = cone_weights<T>(law.mu);
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
template <class T>
RICOCHET_HD Solution<T> solve(const AnitescuPotra& law, const Local<T>& c) {
  const WhittakerAnswers<T> answers = whittaker_solutions<T>(Whittaker{0, law.mu}, c, true);
  if (answers.count == 0) return straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Why::no_solution);
  const WhittakerAnswer<T>& compression = preferred<T>(answers, c);
  PoissonExpansion<T> expansion{Vec3T<T>::Zero(), compression.sticks, true};
  if (law.e_k > 0) expansion = poisson_expansion<T>(law, c, compression);

  const Vec3T<T>& P_c = compression.P;
  const Vec3T<T>& P_e = expansion.P;
  const Vec3T<T> V_c = c.V + c.W * P_c;
  Solution<T> s;
  s.P = P_c + P_e;
  s.V = c.V + c.W * s.P;
  s.mode = expansion.sticks ? Mode::stick : Mode::slip;
  if (compression.sticks != expansion.sticks) s.mode = expansion.sticks ? Mode::slip_stick : Mode::slip_reversal;
  s.why = compression.sticks || law.mu == 0 ? Why::closed_form : Why::root_found;
  if (!expansion.found) s.why = Why::not_converged;
  s.evaluations = answers.evaluations + (law.e_k > 0 ? 1 : 0);
  const Vec3T<T> mean_c = (c.V + V_c) / T(2);
  const Vec3T<T> mean_e = (V_c + s.V) / T(2);
  const T normal_c = P_c(0) * mean_c(0);
  const T friction_c = P_c(1) * mean_c(1) + P_c(2) * mean_c(2);
  s.normal_work = normal_c + P_e(0) * mean_e(0);
  s.friction_work = friction_c + P_e(1) * mean_e(1) + P_e(2) * mean_e(2);
  s.path.add({Event::start, Vec3T<T>::Zero(), c.V, T(0), T(0)});
  s.path.add({Event::compression_ends, P_c, V_c, normal_c, friction_c});
  s.path.add({Event::end, s.P, s.V, s.normal_work, s.friction_work});
  return s;
}

[[nodiscard]] Expected<Outcome> collide(const AnitescuPotra& law, const Contact& contact);

}  // namespace ricochet
