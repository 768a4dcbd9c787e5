#pragma once
/// The permissible region of CR98 section 3.2 in polar coordinates of the energy metric, docs/impulse-space.md (S10 to
/// S16).
///
/// Local axes, k = −V_n > 0, W = [[W_nn, wᵀ], [w, W_tt]]. With the Schur complement S = W_tt − w wᵀ / W_nn
///   PᵀWP = (W_nn P_n + w·P_t)² / W_nn + P_tᵀ S P_t                                                     (S10)
/// is a sum of two squares. In the half plane of tangential direction t(φ), with ε² = tᵀSt, put
///   r cos α = (W_nn P_n + w·P_t) / √W_nn,   r sin α = ε ‖P_t‖:                                         (S11)
/// energy keeps a circle through the origin, separation a line across it,
///   h / cos α ≤ r ≤ 2 (h cos α + p sin α / ε),   h = k / √W_nn,   p = −t·V_t after P_I,                (S12)
/// and the cone keeps a sector X ≤ X_E of X = tan α / ε. (S12) is not empty for X ≤ X_D, the positive root of
///   ε² h X² − 2 p X − h = 0.                                                                           (S13)
/// Nothing here divides by ε, so that directions in which the contact cannot move (ε = 0) are no exception.

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/constants.hpp"
#include "ricochet/base/dual.hpp"
#include "ricochet/contact/contact.hpp"

namespace ricochet {

template <class T>
struct Region {
  T W_nn, k, h;
  Mat3T<T> W;
  Vec3T<T> V;
  Vec2T<T> w;
  Vec2T<T> axis_1, axis_2;  ///< unit eigenvectors of S
  T sigma_1, sigma_2;       ///< eigenvalues of S, σ₁ ≥ σ₂ ≥ 0
  Vec2T<T> p;               ///< −V_t after the frictionless stop P_I; no part of it along an immovable axis
  T mu_c, mu_s;             ///< 1/√(1+μ²), μ/√(1+μ²): generators of the cone are (mu_c, mu_s t)
  bool bounded;
  T S_22 = T(0), S_23 = T(0),
    S_33 = T(0);  ///< S itself, where it carries derivatives: its axes are then constants, see below
};

/// μ may carry derivatives, as W and V may. The axes of S are not differentiable where its eigenvalues coincide, and
/// everything that depends on them is: with derivatives they are those of the values, and S is used itself.
/// c must approach: V_n < 0 (then W_nn > 0).
template <class T, class S = double>
RICOCHET_HD Region<T> region_of(const Local<T>& c, S mu) {
  using std::abs;
  using std::atan2;
  using std::cos;
  using std::sin;
  using std::sqrt;
  Region<T> g;
  g.W = c.W;
  g.V = c.V;
  g.W_nn = c.W(0, 0);
  g.k = -c.V(0);
  g.h = g.k / sqrt(g.W_nn);
  g.w = Vec2T<T>(c.W(1, 0), c.W(2, 0));
  const T a = c.W(1, 1) - g.w(0) * g.w(0) / g.W_nn;
  const T b = c.W(2, 1) - g.w(1) * g.w(0) / g.W_nn;
  const T d = c.W(2, 2) - g.w(1) * g.w(1) / g.W_nn;
  if constexpr (is_dual<T>) {
    g.S_22 = a;
    g.S_23 = b;
    g.S_33 = d;
  }
  const auto a_value = T(value_of(a)), b_value = T(value_of(b)), d_value = T(value_of(d));
  const T angle = atan2(T(2) * b_value, a_value - d_value) / T(2);
  const T half = (a_value - d_value) / T(2);
  const T spread = sqrt(half * half + b_value * b_value);
  g.axis_1 = Vec2T<T>(cos(angle), sin(angle));
  // Exact at the axes, so that an immovable one has ε = 0 and not cos(π/2).
  if (b_value == T(0)) g.axis_1 = a < d ? Vec2T<T>(T(0), T(1)) : Vec2T<T>(T(1), T(0));
  g.axis_2 = Vec2T<T>(-g.axis_1(1), g.axis_1(0));
  // The threshold of Contact::immovable.
  const T floor = T(singular_floor) * (c.W(1, 1) + c.W(2, 2));
  g.sigma_1 = (a_value + d_value) / T(2) + spread;
  g.sigma_2 = (a_value + d_value) / T(2) - spread;
  g.p = Vec2T<T>(-c.V(1), -c.V(2)) - g.w * (g.k / g.W_nn);
  if (mu == std::numeric_limits<double>::infinity()) {
    g.mu_c = T(0);
    g.mu_s = T(1);
  } else if (mu > S(1)) {
    const T m = T(1) / T(mu);
    g.mu_s = T(1) / sqrt(T(1) + m * m);
    g.mu_c = m * g.mu_s;
  } else {
    g.mu_c = T(1) / sqrt(T(1) + T(mu) * T(mu));
    g.mu_s = T(mu) * g.mu_c;
  }
  // An immovable axis a has the null vector (−w·a/W_nn, a) of W. The region is bounded in that direction if and only if
  // the vector and its opposite are both outside the cone.
  g.bounded = true;
  const auto holds = [&](const Vec2T<T>& reach) {
    return g.mu_s * sqrt(reach.dot(reach)) < g.mu_c * g.W_nn || g.mu_s == T(0);
  };
  if (!(g.sigma_2 > floor)) {
    g.sigma_2 = T(0);
    g.p -= g.axis_2 * g.axis_2.dot(g.p);
    g.bounded = holds(g.axis_2 * g.axis_2.dot(g.w));
  }
  if (!(g.sigma_1 > floor)) {
    g.sigma_1 = T(0);
    g.p = Vec2T<T>::Zero();
    g.bounded = holds(g.w);
  }
  return g;
}

/// The half plane of tangential direction t.
template <class T>
struct Ray {
  Vec2T<T> t;
  T w, eps, p;
  T X_D;  ///< end of (S12)
  T X_E;  ///< end of the cone, infinite when the half plane never leaves it

  RICOCHET_HD T X() const { return X_E < X_D ? X_E : X_D; }
  /// α / ε, the angle scaled so that it survives ε = 0.
  RICOCHET_HD T chi(T x) const {
    using std::atan;
    return eps > T(0) ? atan(eps * x) / eps : x;
  }
};

template <class T>
RICOCHET_HD Ray<T> ray_at(const Region<T>& g, const Vec2T<T>& t) {
  using std::sqrt;
  const T infinity = std::numeric_limits<T>::infinity();
  Ray<T> ray;
  ray.t = t;
  ray.w = g.w.dot(t);
  ray.p = g.p.dot(t);
  const T c_1 = g.axis_1.dot(t);
  const T c_2 = g.axis_2.dot(t);
  T S = g.sigma_1 * c_1 * c_1 + g.sigma_2 * c_2 * c_2;
  if constexpr (is_dual<T>) S = g.S_22 * t(0) * t(0) + T(2) * g.S_23 * t(0) * t(1) + g.S_33 * t(1) * t(1);
  ray.eps = sqrt(S);
  const T root = sqrt(ray.p * ray.p + S * g.h * g.h);
  ray.X_D = ray.p > T(0) ? (ray.p + root) / (S * g.h) : g.h / (root - ray.p);
  const T closing = g.mu_c * g.W_nn + g.mu_s * ray.w;
  ray.X_E = closing > T(0) ? g.mu_s * sqrt(g.W_nn) / closing : infinity;
  if (g.mu_s == T(0)) ray.X_E = T(0);
  return ray;
}

/// The half plane at the angle φ from local axis 2.
template <class T>
RICOCHET_HD Ray<T> ray_at_angle(const Region<T>& g, T phi) {
  using std::cos;
  using std::sin;
  return ray_at(g, Vec2T<T>(cos(phi), sin(phi)));
}

/// Impulse at scaled angle χ and radius r of (S11), local axes.
template <class T>
RICOCHET_HD Vec3T<T> impulse_at(const Region<T>& g, const Ray<T>& ray, T chi, T r) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T alpha = ray.eps * chi;
  const T x = r * (ray.eps > T(0) ? sin(alpha) / ray.eps : chi);
  return Vec3T<T>(r * cos(alpha) / sqrt(g.W_nn) - x * ray.w / g.W_nn, x * ray.t(0), x * ray.t(1));
}

/// Which of the four conditions a boundary point belongs to; the names are those of Margins.
enum class Boundary : std::uint8_t { energy, separation, compression, friction, none };

template <class T>
struct Exit {
  T distance;  ///< in units of the direction given; infinite if the region is unbounded there
  Boundary boundary = Boundary::none;
};

/// How far P + x d stays in the region, for P inside, local axes. Each condition is linear or quadratic in x; the roots
/// are taken in the form that does not cancel.
template <class T, class S = double>
RICOCHET_HD Exit<T> exit_along(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P, const Vec3T<T>& d, S mu) {
  using std::sqrt;
  const T zero(0);
  Exit<T> exit{std::numeric_limits<T>::infinity(), Boundary::none};
  const auto meet = [&](T x, Boundary boundary) {
    if (x < zero) x = zero;
    if (x < exit.distance) exit = {x, boundary};
  };
  const Vec3T<T> WP = W * P;
  const Vec3T<T> Wd = W * d;
  // Friction, f(x) = ‖P_t + x d_t‖² − μ² (P_n + x d_n)² = a x² + 2 b x + c with c ≤ 0, on the nappe n·P ≥ 0. From
  // inside that nappe the ray first leaves it at −c / (b + √(b² − ac)) whatever the sign of a; with b ≤ 0 and a ≤ 0 the
  // direction lies in the cone and there is none.
  if (mu == S(0)) {
    if (d(1) != zero || d(2) != zero) meet(zero, Boundary::friction);
  } else if (mu != std::numeric_limits<double>::infinity()) {
    const T m = mu > S(1) ? T(1) : T(mu);
    const T q = mu > S(1) ? T(1) / T(mu) : T(1);
    const T d_2 = q * d(1), d_3 = q * d(2), P_2 = q * P(1), P_3 = q * P(2);
    const T P_t = sqrt(P_2 * P_2 + P_3 * P_3);
    const T a = d_2 * d_2 + d_3 * d_3 - m * m * d(0) * d(0);
    const T b = P_2 * d_2 + P_3 * d_3 - m * m * P(0) * d(0);
    T c = (P_t - m * P(0)) * (P_t + m * P(0));
    if (c > zero) c = zero;
    // b² − ac by Lagrange's identity: towards the apex the roots coincide, and the plain difference would be accurate
    // to half the digits only.
    const T x_2 = P(0) * d_2 - P_2 * d(0);
    const T x_3 = P(0) * d_3 - P_3 * d(0);
    const T x_t = P_2 * d_3 - P_3 * d_2;
    T D = m * m * (x_2 * x_2 + x_3 * x_3) - x_t * x_t;
    if (D < zero) D = zero;
    if (b > zero)
      meet(-c / (b + sqrt(D)), Boundary::friction);
    else if (a > zero)
      meet((sqrt(D) - b) / a, Boundary::friction);
  }
  if (d(0) < zero) meet(P(0) / -d(0), Boundary::compression);
  if (Wd(0) < zero) meet((V(0) + WP(0)) / -Wd(0), Boundary::separation);
  // Energy: ½ dᵀWd x² + V⁺·d x + ΔE(P) = 0.
  {
    const T a = d.dot(Wd) / T(2);
    const T b = d.dot(V + WP) / T(2);
    T c = P.dot(V + WP / T(2));
    if (c > zero) c = zero;
    const T D = b * b - a * c;
    if (b > zero)
      meet(-c / (b + sqrt(D)), Boundary::energy);
    else if (a > zero)
      meet((sqrt(D) - b) / a, Boundary::energy);
  }
  return exit;
}

/// Moves P, which rounding left slightly outside, towards an interior point until all conditions hold. P = centre + x d
/// is rounded at the size of the centre, while a boundary point near the origin must be right at its own size; the
/// correction is small, and its roots are again computed without cancellation.
template <class T, class S = double>
RICOCHET_HD Vec3T<T> pull_inside(const Mat3T<T>& W, const Vec3T<T>& V, Vec3T<T> P, const Vec3T<T>& inside, S mu) {
  using std::sqrt;
  const T zero(0);
  // a x² + 2 b x + c with c > 0 outside: the first root towards the inside. Beyond a wide cone the way to the inside
  // may first lead away from its axis (b ≥ 0), and a < 0 then brings it back.
  const auto first = [&](T a, T b, T c) {
    if (!(c > zero)) return zero;
    const T D = b * b - a * c, root = sqrt(D > zero ? D : zero);
    if (b < zero) return T(c / (root - b));
    return a < zero ? T(-(b + root) / a) : zero;
  };
  for (int i = 0; i < 4; ++i) {
    const Vec3T<T> d = inside - P;
    const Vec3T<T> WP = W * P;
    const Vec3T<T> Wd = W * d;
    T x = first(d.dot(Wd) / T(2), d.dot(V + WP) / T(2), P.dot(V + WP / T(2)));
    const auto later = [&](T y) {
      if (y > x) x = y;
    };
    if (V(0) + WP(0) < zero && Wd(0) > zero) later(-(V(0) + WP(0)) / Wd(0));
    if (P(0) < zero && d(0) > zero) later(-P(0) / d(0));
    if (mu > S(0) && mu != std::numeric_limits<double>::infinity()) {
      const T m = mu > S(1) ? T(1) : T(mu);
      const T q = mu > S(1) ? T(1) / T(mu) : T(1);
      const T d_2 = q * d(1), d_3 = q * d(2), P_2 = q * P(1), P_3 = q * P(2);
      const T P_t = sqrt(P_2 * P_2 + P_3 * P_3);
      later(first(d_2 * d_2 + d_3 * d_3 - m * m * d(0) * d(0), P_2 * d_2 + P_3 * d_3 - m * m * P(0) * d(0),
                  (P_t - m * P(0)) * (P_t + m * P(0))));
    }
    if (!(x > zero && x < T(1))) break;
    P += x * d;
  }
  return P;
}

/// The impulse of the region with the greatest n·V⁺ and the kinematic restitution −n·V⁺/V_n that it means (CR98 3.5).
template <class T>
struct HighestRebound {
  T e;
  Vec3T<T> P;
  Boundary boundary;  ///< energy: the summit of the ellipsoid; friction: where ellipsoid and cone meet
};

/// In the half plane of t the rebound along the energy circle is, by (S12), proportional to
///   r cos α − h = √(h² + p²/ε²) cos(2α − δ),  tan δ = p / (ε h),                                       (S15)
/// greatest at α = δ/2, or at the cone's edge if that comes first. Above e = 1 the impulses with rebound e or more form
/// a convex set that does not contain the n-axis and is seen from it within one arc of t: the remaining function of the
/// angle of t has a single maximum, which lies where p·t > 0. Its slope is known in closed form, and bisection on its
/// sign finds the maximum to rounding.
template <class T>
RICOCHET_HD HighestRebound<T> highest_rebound(const Region<T>& g) {
  using std::atan2;
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T zero(0);
  HighestRebound<T> best{T(1), Vec3T<T>(T(2) * g.k / g.W_nn, zero, zero), Boundary::energy};
  if (g.mu_s == zero || (g.p(0) == zero && g.p(1) == zero)) return best;
  const T half_turn = ricochet::pi<T>();
  const T s = -g.V(1);

  struct At {
    T slope, e;
    Vec3T<T> P;
    Boundary boundary;
  };
  const auto at = [&](T phi) {
    const Vec2T<T> t(cos(phi), sin(phi));
    const Vec2T<T> turn(-t(1), t(0));
    const Ray<T> ray = ray_at(g, t);
    const T root = sqrt(ray.p * ray.p + ray.eps * ray.eps * g.h * g.h);
    const T X_top = ray.p > zero ? ray.p / (ray.eps * (root + ray.eps * g.h)) : zero;
    At here;
    if (!(X_top > ray.X_E)) {
      // G = h + √(h² + p²/S): its slope has the sign of 2 p' S − p S'.
      const T S_turn =
          g.sigma_1 * g.axis_1.dot(t) * g.axis_1.dot(turn) + g.sigma_2 * g.axis_2.dot(t) * g.axis_2.dot(turn);
      here.slope = g.p.dot(turn) * ray.eps * ray.eps - ray.p * S_turn;
      const T chi = ray.chi(X_top);
      const T alpha = ray.eps * chi;
      const T r = T(2) * (g.h * cos(alpha) + ray.p * (ray.eps > zero ? sin(alpha) / ray.eps : chi));
      here.P = impulse_at(g, ray, chi, r);
      here.e = ray.eps > zero ? root / (ray.eps * g.h) : T(1);
      here.boundary = Boundary::energy;
      return here;
    }
    // On the generator u = (mu_c, mu_s t) the energy surface is at N = 2A/Q and n·ΔV = N B.
    const T A = g.mu_c * g.k + g.mu_s * s * t(0);
    const T B = g.mu_c * g.W_nn + g.mu_s * ray.w;
    const T W_t = t(0) * (g.W(1, 1) * t(0) + g.W(1, 2) * t(1)) + t(1) * (g.W(2, 1) * t(0) + g.W(2, 2) * t(1));
    const T W_turn = turn(0) * (g.W(1, 1) * t(0) + g.W(1, 2) * t(1)) + turn(1) * (g.W(2, 1) * t(0) + g.W(2, 2) * t(1));
    const T Q = g.mu_c * (g.mu_c * g.W_nn + T(2) * g.mu_s * ray.w) + g.mu_s * g.mu_s * W_t;
    const T A_turn = g.mu_s * s * turn(0);
    const T B_turn = g.mu_s * g.w.dot(turn);
    const T Q_turn = T(2) * (g.mu_c * g.mu_s * g.w.dot(turn) + g.mu_s * g.mu_s * W_turn);
    here.slope = (A_turn * B + A * B_turn) * Q - A * B * Q_turn;
    const T N = T(2) * A / Q;
    here.P = Vec3T<T>(N * g.mu_c, N * g.mu_s * t(0), N * g.mu_s * t(1));
    here.e = N * B / g.k - T(1);
    here.boundary = Boundary::friction;
    return here;
  };

  const T middle = atan2(g.p(1), g.p(0));
  T low = middle - half_turn / T(2);
  T high = middle + half_turn / T(2);
  const auto keep = [&](const At& here) {
    if (here.e > best.e) best = {here.e, here.P, here.boundary};
  };
  for (int i = 0; i < 200; ++i) {
    const T phi = low + (high - low) / T(2);
    if (!(phi > low && phi < high)) break;
    const At here = at(phi);
    keep(here);
    if (here.slope > zero)
      low = phi;
    else if (here.slope < zero)
      high = phi;
    else
      break;
  }
  return best;
}

}  // namespace ricochet
