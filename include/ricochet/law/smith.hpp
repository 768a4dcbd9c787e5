#pragma once
/// Smith's law, CR98 Eq. 8, docs/laws/smith.md.

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "ricochet/law/outcome.hpp"
#include "ricochet/law/whittaker.hpp"

namespace ricochet {

struct Smith {
  double e = 0;   ///< kinematic restitution, 0 ≤ e ≤ 1
  double mu = 0;  ///< friction, 0 ≤ μ ≤ ∞
};

/// The curve of all answers of Smith's law for one contact, scaled. Velocities in units of the slip speed |V_t|: a
/// before impact, ξ after; P = (α η, −β y) |V_t|/R with R = α|w| + β‖W_tt‖. Then
///   F(y, η) = y − η u(ξ) = 0,  ξ = a + η ŵ − Ŵ y,  u(ξ) = (a + ξ|ξ|)/(1 + |ξ|²),                          (M1)
/// with ŵ = α w/R, Ŵ = β W_tt/R, and the normal velocity has changed by |V_t| C, C = κ₀ η − κ·y, κ₀ = α w_nn/R,
/// κ = β w/R. The impulse y and not ξ is the unknown: at large μ, u is the small difference of large terms, and y known
/// through it would keep no digits.
template <class T>
struct SmithCurve {
  Vec2T<T> a, w;
  Mat2T<T> W;
  T kappa0;
  Vec2T<T> kappa;

  struct Place {
    Vec3T<T> z;  ///< (y, η)
    Vec2T<T> xi, u, F;
    Vec3T<T> F1, F2;  ///< gradients of the two rows of F
    T slope;          ///< ‖du/dξ‖
    T C;
  };

  [[nodiscard]] RICOCHET_HD Place at(const Vec3T<T>& z) const {
    using std::sqrt;
    Place p;
    p.z = z;
    const Vec2T<T> y(z(0), z(1));
    p.xi = a + z(2) * w - W * y;
    const T square = p.xi.squaredNorm();
    const T length = sqrt(square);
    const T scale = T(1) / (T(1) + square);
    p.u = (a + p.xi * length) * scale;
    // u is once differentiable at ξ = 0, with derivative zero.
    Mat2T<T> Du = Mat2T<T>::Zero();
    if (length > T(0)) Du = (p.xi / length - T(2) * p.u) * p.xi.transpose() * scale;
    Du(0, 0) += length * scale;
    Du(1, 1) += length * scale;
    p.slope = sqrt(Du.squaredNorm());
    p.F = y - z(2) * p.u;
    const Mat2T<T> J = z(2) * (Du * W);
    const Vec2T<T> d_eta = p.u + z(2) * (Du * w);
    p.F1 = Vec3T<T>(T(1) + J(0, 0), J(0, 1), -d_eta(0));
    p.F2 = Vec3T<T>(J(1, 0), T(1) + J(1, 1), -d_eta(1));
    p.C = kappa0 * z(2) - kappa.dot(y);
    return p;
  }

  [[nodiscard]] RICOCHET_HD Vec3T<T> C_gradient() const { return Vec3T<T>(-kappa(0), -kappa(1), kappa0); }

  /// Whether F and C − target are rounding of the terms they are made of.
  [[nodiscard]] RICOCHET_HD bool solved(const Place& p, T target) const {
    using std::abs;
    using std::sqrt;
    const T tolerance = T(64) * std::numeric_limits<T>::epsilon();
    const T y = sqrt(p.z(0) * p.z(0) + p.z(1) * p.z(1));
    const T xi_terms = T(1) + p.z(2) * sqrt(w.squaredNorm()) + y * sqrt(W.squaredNorm());
    return sqrt(p.F.squaredNorm()) <= tolerance * (y + p.z(2) * (sqrt(p.u.squaredNorm()) + p.slope * xi_terms)) &&
           abs(p.C - target) <= tolerance * (target + kappa0 * p.z(2) + sqrt(kappa.squaredNorm()) * y);
  }

  /// Newton step for F = 0 together with row·δ = value.
  [[nodiscard]] static RICOCHET_HD Vec3T<T> step(const Place& p, const Vec3T<T>& row, T value) {
    const Vec3T<T> tangent = p.F1.cross(p.F2);
    return (value * tangent - p.F(0) * p.F2.cross(row) - p.F(1) * row.cross(p.F1)) / row.dot(tangent);
  }
};

/// The answer on the branch that starts at P = 0 (e = −1): the curve (M1) is followed from the origin by predictor and
/// corrector until C first reaches −(1+e)V_n/|V_t|, and the end is polished by Newton's iteration on (M1) and C at
/// once. ∇F₁ × ∇F₂ is tangent to the curve and keeps its sense, so the way forward is never in doubt, folds in e
/// included. Steps are measured relative to (1 + |ξ|, 1 + η): both ends of the curve, slip (ξ → ∞) and stick (η → ∞ at
/// fixed ξ), are straight in these measures and take a number of steps that grows as the logarithm of the distance.
template <class T>
RICOCHET_HD Solution<T> solve(const Smith& law, const Local<T>& c) {
  using std::sqrt;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  const T change = -(T(1) + T(law.e)) * c.V(0);
  if (law.mu == 0) return straight<T>(c, Vec3T<T>(change / c.W(0, 0), T(0), T(0)), Mode::slip);
  const T slip = sqrt(c.V(1) * c.V(1) + c.V(2) * c.V(2));
  // Without slip before impact the average is the direction of slip after it: Whittaker's law, and the limit V_t → 0.
  if (!(slip > T(0))) return solve<T>(Whittaker{law.e, law.mu}, c);

  const auto [alpha, beta] = cone_weights<T>(law.mu);
  SmithCurve<T> curve;
  const Vec2T<T> w(c.W(1, 0), c.W(2, 0));
  const Mat2T<T> W_tt = c.W.template block<2, 2>(1, 1);
  const T R = alpha * sqrt(w.squaredNorm()) + beta * sqrt(W_tt.squaredNorm());
  curve.a = Vec2T<T>(c.V(1), c.V(2)) / slip;
  curve.w = alpha * w / R;
  curve.W = beta * W_tt / R;
  curve.kappa0 = alpha * c.W(0, 0) / R;
  curve.kappa = beta * w / R;
  const T target = change / slip;
  const Vec3T<T> gradient = curve.C_gradient();

  typename SmithCurve<T>::Place here = curve.at(Vec3T<T>::Zero());
  int evaluations = 1;
  T h = T(0.5);
  for (int tries = 0; tries < 4000; ++tries) {
    const T d_xi = T(1) / (T(1) + sqrt(here.xi.squaredNorm()));
    const T d_eta = T(1) / (T(1) + here.z(2));
    const auto xi_part = [&](const Vec3T<T>& v) {
      return Vec2T<T>(d_xi * (curve.w * v(2) - curve.W * Vec2T<T>(v(0), v(1))));
    };
    const auto measure = [&](const Vec3T<T>& v) {
      return sqrt(xi_part(v).squaredNorm() + v(2) * v(2) * d_eta * d_eta);
    };
    Vec3T<T> tangent = here.F1.cross(here.F2);
    tangent /= measure(tangent);
    const Vec2T<T> t_xi = xi_part(tangent);
    const Vec2T<T> t_y = -d_xi * (curve.W * t_xi);
    const Vec3T<T> row(t_y(0), t_y(1), tangent(2) * d_eta * d_eta + d_xi * t_xi.dot(curve.w));

    typename SmithCurve<T>::Place there = curve.at(here.z + h * tangent);
    ++evaluations;
    T last = T(0.2) * h;
    bool on_curve = false;
    int corrections = 0;
    for (; corrections < 5; ++corrections) {
      const Vec3T<T> delta = SmithCurve<T>::step(there, row, T(0));
      const T size = measure(delta);
      // A correction that is large, or does not contract, may lead to another branch.
      if (!(size <= last)) break;
      there = curve.at(there.z + delta);
      ++evaluations;
      on_curve = size <= T(1e-6) || size <= sqrt(eps) * h;
      if (on_curve) break;
      last = size / T(4);
    }
    Vec3T<T> forward = there.F1.cross(there.F2);
    forward /= measure(forward);
    const T cosine = row.dot(forward);
    if (!on_curve || !(cosine > T(0.9)) || !(there.z(2) >= T(0))) {
      h /= T(2);
      if (h < T(1e-12)) break;
      continue;
    }
    // C could rise to the target and fall back within the step: the tangents at both ends bound a simple hump.
    const T climb = gradient.dot(tangent);
    const T fall = -gradient.dot(forward);
    if (there.C < target && climb > T(0) && fall > T(0) && h > T(1e-4)) {
      const T where = (there.C - here.C + fall * h) / (climb + fall);
      if (here.C + climb * where >= target) {
        h /= T(2);
        continue;
      }
    }
    if (there.C >= target) {
      const T fraction = (target - here.C) / (there.C - here.C);
      const Vec3T<T> start = here.z + fraction * (there.z - here.z);
      typename SmithCurve<T>::Place end = curve.at(start);
      ++evaluations;
      T before = std::numeric_limits<T>::infinity();
      for (int i = 0; i < 12; ++i) {
        const Vec3T<T> delta = SmithCurve<T>::step(end, gradient, target - end.C);
        const T size = measure(delta);
        if (!(size < before)) break;
        end = curve.at(end.z + delta);
        ++evaluations;
        before = size;
        if (size <= T(2) * eps) break;
      }
      const bool near = measure(end.z - start) <= T(0.5) * h + T(64) * eps;
      if (near && end.z(2) >= T(0) && curve.solved(end, target)) {
        const Vec3T<T> P = Vec3T<T>(alpha * end.z(2), -beta * end.z(0), -beta * end.z(1)) * (slip / R);
        Solution<T> s =
            straight<T>(c, P, end.xi.dot(curve.a) < T(0) ? Mode::slip_reversal : Mode::slip, Why::root_found);
        s.evaluations = evaluations;
        return s;
      }
      h /= T(2);
      if (h < T(1e-12)) break;
      continue;
    }
    here = there;
    if (corrections <= 1 && cosine > T(0.97)) h *= T(2);
    if (h > T(1)) h = T(1);
    // μ = ∞: with η → ∞ the slip tends to its reversal, u to zero, and only then does P_n leave zero:
    // V_t⁺ = −V_t from there on.
    const T to_reversal = sqrt((here.xi + curve.a).squaredNorm());
    const T xi_terms = T(1) + sqrt(curve.W.squaredNorm() * (here.z(0) * here.z(0) + here.z(1) * here.z(1)));
    if (!(alpha > T(0)) && to_reversal < T(64) * eps * xi_terms) {
      const WantedChange<T> end = impulse_for<T>(c, Vec3T<T>(change, -T(2) * c.V(1), -T(2) * c.V(2)));
      if (!end.reached || end.P(0) < T(0)) break;
      Solution<T> s = straight<T>(c, end.P, Mode::slip_reversal, Why::root_found);
      s.evaluations = evaluations;
      return s;
    }
  }
  Solution<T> s = straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Why::not_converged);
  s.evaluations = evaluations;
  return s;
}

[[nodiscard]] Expected<Outcome> collide(const Smith& law, const Contact& contact);

}  // namespace ricochet
