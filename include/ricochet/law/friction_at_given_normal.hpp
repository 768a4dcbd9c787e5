#pragma once
/// Coulomb friction at one contact whose normal impulse is known, docs/laws/anitescu-potra.md.

#include <cmath>
#include <limits>

#include "ricochet/base/linear.hpp"

namespace ricochet {

template <class T>
struct FrictionAtGivenNormal {
  Vec2T<T> q;
  bool sticks;
};

/// Friction q, |q| ≤ radius, that opposes the remaining slip g + W_tt q, or stops it. These are the optimality
/// conditions of min ½ qᵀW_tt q + g·q in the disk, a convex problem: in the eigenaxes of W_tt
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
  // W_tt is semidefinite and g lies in its range: an immovable direction has no slip.
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

}  // namespace ricochet
