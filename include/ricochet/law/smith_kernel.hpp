#pragma once
/// Smith's law, CR98 Eq. 8, docs/laws/smith.md.

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "ricochet/law/smith.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet {

/// The curve of all answers of Smith's law for one contact, scaled. Velocities in units of the slip speed |V_t|: a
/// before impact, ξ after; P = (α η, −β y) |V_t|/R with R = α|w| + β‖W_tt‖. Then
///   F = y − η u(ξ) = 0,  r = a + η ŵ − Ŵ y − ξ = 0,  u(ξ) = (a + ξ|ξ|)/(1 + |ξ|²),                         (M1)
/// with ŵ = α w/R, Ŵ = β W_tt/R, and the normal velocity has changed by |V_t| C, C = κ₀ η − κ·y, κ₀ = α w_nn/R,
/// κ = β w/R. Both y and ξ are carried, for each is lost when computed from the other: at large μ, u is the small
/// difference of large terms; at almost normal incidence ξ is (η ŵ and Ŵ y are |V_n|/|V_t| times as large), and u(ξ)
/// with it. Rounding in r is then a small change of W; it must not become a large one of ξ.
template <class T>
struct SmithCurve {
  Vec2T<T> a, w;
  Mat2T<T> W;
  T kappa0;
  Vec2T<T> kappa;

  struct Point {
    Vec2T<T> xi, y;
    T eta;

    [[nodiscard]] RICOCHET_HD Point operator+(const Point& d) const { return {xi + d.xi, y + d.y, eta + d.eta}; }
    [[nodiscard]] RICOCHET_HD Point operator-(const Point& d) const { return {xi - d.xi, y - d.y, eta - d.eta}; }
    [[nodiscard]] RICOCHET_HD Point operator*(T t) const { return {xi * t, y * t, eta * t}; }
  };

  struct Place {
    Point z;
    Vec2T<T> u, F, r;
    Mat2T<T> Du;      ///< du/dξ
    Vec3T<T> G1, G2;  ///< the rows of (I + η Ŵ Du) δξ − (ŵ − Ŵ u) δη, which is r + Ŵ F in a Newton step
    T C;
  };

  [[nodiscard]] RICOCHET_HD Place at(const Point& z) const {
    using std::sqrt;
    Place p;
    p.z = z;
    const T square = z.xi.squaredNorm();
    const T length = sqrt(square);
    const T scale = T(1) / (T(1) + square);
    p.u = (a + z.xi * length) * scale;
    // u is once differentiable at ξ = 0, with derivative zero.
    p.Du = Mat2T<T>::Zero();
    if (length > T(0)) p.Du = (z.xi / length - T(2) * p.u) * z.xi.transpose() * scale;
    p.Du(0, 0) += length * scale;
    p.Du(1, 1) += length * scale;
    p.F = z.y - z.eta * p.u;
    p.r = a + z.eta * w - W * z.y - z.xi;
    const Mat2T<T> J = z.eta * (W * p.Du);
    // ŵ − Ŵ u is (ξ − a)/η on the curve, and for large η a small difference of large terms.
    Vec2T<T> q = w - W * p.u;
    if (z.eta > T(1)) q = (z.xi - a) / z.eta;
    p.G1 = Vec3T<T>(T(1) + J(0, 0), J(0, 1), -q(0));
    p.G2 = Vec3T<T>(J(1, 0), T(1) + J(1, 1), -q(1));
    p.C = kappa0 * z.eta - kappa.dot(z.y);
    return p;
  }

  [[nodiscard]] RICOCHET_HD T xi_terms(const Point& z) const {
    using std::sqrt;
    return T(1) + sqrt(z.xi.squaredNorm()) + z.eta * sqrt(w.squaredNorm()) +
           sqrt(z.y.squaredNorm()) * sqrt(W.squaredNorm());
  }

  /// Whether F and r are rounding of the terms they are made of.
  [[nodiscard]] RICOCHET_HD bool holds(const Place& p) const {
    using std::sqrt;
    const T tolerance = T(64) * std::numeric_limits<T>::epsilon();
    const T u_terms = sqrt(p.u.squaredNorm()) + sqrt(p.Du.squaredNorm()) * (T(1) + sqrt(p.z.xi.squaredNorm()));
    return sqrt(p.F.squaredNorm()) <= tolerance * (sqrt(p.z.y.squaredNorm()) + p.z.eta * u_terms) &&
           sqrt(p.r.squaredNorm()) <= tolerance * xi_terms(p.z);
  }

  /// Whether C − target is rounding, too.
  [[nodiscard]] RICOCHET_HD bool solved(const Place& p, T target) const {
    using std::abs;
    using std::sqrt;
    const T terms = target + kappa0 * p.z.eta + sqrt(kappa.squaredNorm()) * sqrt(p.z.y.squaredNorm());
    return holds(p) && abs(p.C - target) <= T(64) * std::numeric_limits<T>::epsilon() * terms;
  }

  /// The change of y that goes with one of η, from F and r by (I + η Du Ŵ) δy = (u + η Du ŵ) δη − F + η Du r.
  [[nodiscard]] static RICOCHET_HD Vec2T<T> y_step(const Mat2T<T>& A, const Vec2T<T>& b) {
    const T determinant = A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0);
    return Vec2T<T>(A(1, 1) * b(0) - A(0, 1) * b(1), A(0, 0) * b(1) - A(1, 0) * b(0)) / determinant;
  }
  [[nodiscard]] RICOCHET_HD Point complete(const Place& p, const Vec3T<T>& d, const Vec2T<T>& F,
                                           const Vec2T<T>& r) const {
    Mat2T<T> A = p.z.eta * (p.Du * W);
    A(0, 0) += T(1);
    A(1, 1) += T(1);
    const Vec2T<T> b = (p.u + p.z.eta * (p.Du * w)) * d(2) - F + p.z.eta * (p.Du * r);
    return {Vec2T<T>(d(0), d(1)), y_step(A, b), d(2)};
  }

  /// Along the curve, in (ξ, η).
  [[nodiscard]] static RICOCHET_HD Vec3T<T> tangent(const Place& p) { return p.G1.cross(p.G2); }

  /// Newton step for F = 0 and r = 0 together with row·(δξ, δη) = value.
  [[nodiscard]] RICOCHET_HD Point step(const Place& p, const Vec3T<T>& row, T value) const {
    const Vec2T<T> miss = p.r + W * p.F;
    const Vec3T<T> along = tangent(p);
    const Vec3T<T> d = (value * along + miss(0) * p.G2.cross(row) + miss(1) * row.cross(p.G1)) / row.dot(along);
    return complete(p, d, p.F, p.r);
  }

  /// The derivative of C along solutions of the linearized F = 0, in (ξ, η).
  [[nodiscard]] RICOCHET_HD Vec3T<T> C_gradient(const Place& p) const {
    const Vec2T<T> by_xi = -p.z.eta * (p.Du.transpose() * kappa);
    return Vec3T<T>(by_xi(0), by_xi(1), kappa0 - kappa.dot(p.u));
  }
};

/// The end of a curve that never turns back, by Newton's iteration on
///   ξ = a + η (ŵ − Ŵ u(ξ)),  η = C/(κ₀ − κ·u(ξ))                                                     (M2)
/// alone. False where the iteration does not settle, or ξ is a small difference of large terms.
template <class T>
RICOCHET_HD bool settle_on_end(const SmithCurve<T>& curve, T target, typename SmithCurve<T>::Point& end,
                               int& evaluations) {
  using std::abs;
  using std::sqrt;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  const T a1 = curve.a(0), a2 = curve.a(1), w1 = curve.w(0), w2 = curve.w(1);
  const T W11 = curve.W(0, 0), W12 = curve.W(0, 1), W22 = curve.W(1, 1);
  T x = a1, y = a2, last = std::numeric_limits<T>::infinity();
  for (int i = 0; i < 16; ++i) {
    ++evaluations;
    const T square = x * x + y * y, length = sqrt(square), scale = T(1) / (T(1) + square);
    const T u1 = (a1 + x * length) * scale, u2 = (a2 + y * length) * scale;
    const T inverse = T(1) / (curve.kappa0 - (curve.kappa(0) * u1 + curve.kappa(1) * u2)), eta = target * inverse;
    const T q1 = w1 - (W11 * u1 + W12 * u2), q2 = w2 - (W12 * u1 + W22 * u2);
    const T miss1 = a1 + eta * q1 - x, miss2 = a2 + eta * q2 - y;
    if (last <= sqrt(eps) * (T(1) + length)) {
      end = {Vec2T<T>(x, y), Vec2T<T>(eta * u1, eta * u2), eta};
      return abs(miss1) + abs(miss2) <= T(16) * eps * (T(1) + length) && eta < T(16);
    }
    // −∂(ξ − a − η q)/∂u, and with du/dξ the Jacobian.
    const T k1 = eta * inverse * curve.kappa(0), k2 = eta * inverse * curve.kappa(1);
    const T b11 = eta * W11 - q1 * k1, b12 = eta * W12 - q1 * k2, b21 = eta * W12 - q2 * k1, b22 = eta * W22 - q2 * k2;
    const T by_length = length > T(0) ? scale / length : T(0), twice = T(2) * scale, slide = length * scale;
    const T c1 = x * by_length - u1 * twice, c2 = y * by_length - u2 * twice;
    const T d11 = c1 * x + slide, d12 = c1 * y, d21 = c2 * x, d22 = c2 * y + slide;
    const T j11 = T(1) + b11 * d11 + b12 * d21, j12 = b11 * d12 + b12 * d22;
    const T j21 = b21 * d11 + b22 * d21, j22 = T(1) + b21 * d12 + b22 * d22;
    const T determinant = T(1) / (j11 * j22 - j12 * j21);
    const T step1 = (j22 * miss1 - j12 * miss2) * determinant, step2 = (j11 * miss2 - j21 * miss1) * determinant;
    last = abs(step1) + abs(step2);
    // A step that is longer than the way across what u changes over is shortened.
    const T most = T(1) + length, by = last > most ? most / last : T(1);
    if (!(last < std::numeric_limits<T>::max())) return false;
    x += by * step1;
    y += by * step2;
  }
  return false;
}

/// The answer on the branch that starts at P = 0 (e = −1): the curve (M1) is followed from the origin by predictor and
/// corrector until C first reaches −(1+e)V_n/|V_t|, and the end is polished by Newton's iteration on (M1) and C at
/// once. G₁ × G₂ is tangent to the curve and keeps its sense, so the way forward is never in doubt, folds in e
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

  const ConeWeights<T> weights = cone_weights<T>(law.mu);
  const T alpha = weights.alpha, beta = weights.beta;
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

  using Point = typename SmithCurve<T>::Point;
  using Place = typename SmithCurve<T>::Place;
  int evaluations = 0;
  const auto answer_at = [&](const Point& z) {
    const Vec3T<T> P = Vec3T<T>(alpha * z.eta, -beta * z.y(0), -beta * z.y(1)) * (slip / R);
    Solution<T> s =
        straight<T>(c, P, z.xi.dot(curve.a) < T(0) ? Mode::slip_reversal : Mode::slip, Termination::root_found);
    s.evaluations = evaluations;
    return s;
  };
  // Where the curve does not turn back, its end is known without the way there.
  if (Point end; has_one_answer<T>(c.W, {alpha, beta}) && settle_on_end<T>(curve, target, end, evaluations))
    return answer_at(end);
  Place here = curve.at(Point{curve.a, Vec2T<T>::Zero(), T(0)});
  ++evaluations;
  T h = T(0.5);
  for (int tries = 0; tries < 4000; ++tries) {
    const T d_xi = T(1) / (T(1) + sqrt(here.z.xi.squaredNorm()));
    const T d_eta = T(1) / (T(1) + here.z.eta);
    const Vec3T<T> unit(d_xi, d_xi, d_eta);
    const auto measure = [&](const Point& v) {
      return sqrt(v.xi.squaredNorm() * d_xi * d_xi + v.eta * v.eta * d_eta * d_eta);
    };
    Vec3T<T> tangent = SmithCurve<T>::tangent(here);
    tangent /= sqrt(tangent.cwiseProduct(unit).squaredNorm());
    const Vec3T<T> row = tangent.cwiseProduct(unit).cwiseProduct(unit);
    const Point ahead = curve.complete(here, tangent, Vec2T<T>::Zero(), Vec2T<T>::Zero());

    Place there = curve.at(here.z + ahead * h);
    ++evaluations;
    T last = T(0.2) * h;
    bool on_curve = false;
    int corrections = 0;
    for (; corrections < 5; ++corrections) {
      const Point delta = curve.step(there, row, T(0));
      const T size = measure(delta);
      // A correction that is large, or does not contract, may lead to another branch.
      if (!(size <= last)) break;
      there = curve.at(there.z + delta);
      ++evaluations;
      on_curve = size <= T(1e-6) || size <= sqrt(eps) * h;
      if (on_curve) break;
      last = size / T(4);
    }
    Vec3T<T> forward = SmithCurve<T>::tangent(there);
    forward /= sqrt(forward.cwiseProduct(unit).squaredNorm());
    const T cosine = row.dot(forward);
    if (!on_curve || !(cosine > T(0.9)) || !(there.z.eta >= T(0))) {
      h /= T(2);
      if (h < T(1e-12)) break;
      continue;
    }
    // C could rise to the target and fall back within the step: the tangents at both ends bound a simple hump.
    const T climb = curve.C_gradient(here).dot(tangent);
    const T fall = -curve.C_gradient(there).dot(forward);
    if (there.C < target && climb > T(0) && fall > T(0) && h > T(1e-4)) {
      const T where = (there.C - here.C + fall * h) / (climb + fall);
      if (here.C + climb * where >= target) {
        h /= T(2);
        continue;
      }
    }
    if (there.C >= target) {
      const T fraction = (target - here.C) / (there.C - here.C);
      const Point start = here.z + (there.z - here.z) * fraction;
      Place end = curve.at(start);
      ++evaluations;
      T before = std::numeric_limits<T>::infinity();
      for (int i = 0; i < 12; ++i) {
        const Point delta = curve.step(end, curve.C_gradient(end), target - end.C - curve.kappa.dot(end.F));
        const T size = measure(delta);
        if (!(size < before)) break;
        end = curve.at(end.z + delta);
        ++evaluations;
        before = size;
        if (size <= T(2) * eps) break;
      }
      const bool near = measure(end.z - start) <= T(0.5) * h + T(64) * eps;
      if (near && end.z.eta >= T(0) && curve.solved(end, target)) return answer_at(end.z);
      h /= T(2);
      if (h < T(1e-12)) break;
      continue;
    }
    here = there;
    if (corrections <= 1 && cosine > T(0.97)) h *= T(2);
    if (h > T(1)) h = T(1);
    // μ = ∞: with η → ∞ the slip tends to its reversal, u to zero, and only then does P_n leave zero:
    // V_t⁺ = −V_t from there on.
    const T to_reversal = sqrt((here.z.xi + curve.a).squaredNorm());
    if (!(alpha > T(0)) && to_reversal < T(64) * eps * curve.xi_terms(here.z)) {
      const WantedChange<T> end = impulse_for<T>(c, Vec3T<T>(change, -T(2) * c.V(1), -T(2) * c.V(2)));
      if (!end.reached || end.P(0) < T(0)) break;
      Solution<T> s = straight<T>(c, end.P, Mode::slip_reversal, Termination::root_found);
      s.evaluations = evaluations;
      return s;
    }
  }
  Solution<T> s = straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Termination::not_converged);
  s.evaluations = evaluations;
  return s;
}

}  // namespace ricochet
