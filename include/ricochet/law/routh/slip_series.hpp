#pragma once
/// Slip along a curve as a series in t = tan ψ/2, where ψ is the angle from a fixed direction c (R7 to R10),
/// docs/laws/routh.md. With D = 1 + t², H = D² h and s = D H G the equations of slip become one linear equation with
/// polynomial coefficients, H G' = (R − H') G, so that each coefficient of G follows from the four before it; what slip
/// adds up to are integrals of polynomials times G. There are two kinds of series: about a direction through which slip
/// turns, good for a stretch on both sides of it; and about the attracting direction, G = t^{p−1} Σ g_k t^k, good for
/// all that is left of the slip.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ricochet/base/dual.hpp"
#include "ricochet/law/routh/slip_frame.hpp"

namespace ricochet::routh {

/// 1/k.
template <class T, int size>
struct Reciprocals {
  T of[size] = {};
  constexpr Reciprocals() {
    for (int k = 1; k < size; ++k) of[k] = T(1) / T(k);
  }
};

/// A place on a series, and what slip has added up to since its start. Places are told apart by z: x = t/X on a series
/// about a direction through which slip turns, from −1 to 1; (1 − x^p)/p on one about the attracting direction, where x
/// falls from 1 to 0, because λ is nearly linear in it.
template <class T>
struct SlipPlace {
  T z = T(0), x = T(0);
  T cs = T(1), sn = T(0);         ///< cos ψ, sin ψ
  T lambda = T(0);                ///< ∫ dλ
  T along = T(0), across = T(0);  ///< ∫ cos ψ dλ, ∫ sin ψ dλ
  T rise = T(0);                  ///< of V_n
  T slip = T(0);                  ///< ∫ s dλ, where ∫ rise dλ was not asked for
  T lift = T(0);                  ///< ∫ rise dλ, where it was
  T speed = T(0);                 ///< s
  T rate = T(0);                  ///< dλ/dz
  T bend = T(0);                  ///< d ln(rate)/dz
  T turn = T(0);                  ///< dψ/dz
  T reach = T(1);                 ///< the length in z over which all this changes
};

template <class T>
class SlipSeries {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order of its equations
 public:
  using S = ValueScalar<T>;
  static constexpr int most = std::numeric_limits<S>::digits > 53 ? 64 : 48;  ///< terms, a multiple of 4

  RICOCHET_HD explicit SlipSeries(const SlipFlow<T>& flow) : flow_(&flow) {}

  T X = T(0);           ///< t = X x
  T p = T(1);           ///< exponent of the slip speed at its end
  bool at_end = false;  ///< about the attracting direction
  int n = 0;            ///< terms
  S ease = S(1);        ///< digits that are asked for, relative to all

  /// Asks for less accuracy where the slip speed is only a `share` of what it was at the start of the impact.
  RICOCHET_HD void be_accurate(S share) {
    using std::log;
    using std::pow;
    constexpr S finest = S(16) * eps, coarsest = S(1e-4L);
    tolerance_ = finest;
    ease = S(1);
    tail_8_ = S(0.2L);
    tail_16_ = S(1e-3L);
    if (!(share < S(0.03L))) return;
    tolerance_ = finest < coarsest * share ? finest / share : coarsest;
    ease = log(tolerance_) / log(finest);
    tail_8_ = pow(tail_8_, ease);
    tail_16_ = pow(tail_16_, ease);
  }

  /// About the direction (cs, sn), from which t = −X leads back to the present one, where h is `turn`. Says whether
  /// `most` terms suffice.
  RICOCHET_HD bool expand(T cs, T sn, T scale, T turn) {
    T r[4], e[4];
    prepare(cs, sn, scale, r, e);
    if (turn * turn_at_end() < T(0)) {
      n = 0;
      return false;
    }
    return sum_up(r, e);
  }
  /// About the attracting direction (cs, sn), from which t = X leads back to the present one.
  RICOCHET_HD bool expand_at_end(T cs, T sn, T scale) {
    T r[4], e[4];
    prepare_at_end(cs, sn, scale, r, e);
    // Powers that nearly cancel against the lower bound of an integral.
    if (!(p > T(-6) && p < T(100)) || (p < T(-0.4L) && near_integer(T(2) * p))) return false;
    return sum_up(r, e);
  }
  /// The same with derivatives.
  void repeat(const SlipSeries<S>& plain, T cs, T sn, T scale) {
    T r[4], e[4];
    if (plain.at_end) {
      prepare_at_end(cs, sn, scale, r, e);
    } else {
      prepare(cs, sn, scale, r, e);
    }
    // Derivatives of the terms vanish a little later.
    n = plain.n < most ? plain.n + 4 : most;
    sum_up_given(r, e);
  }
  /// Where `most` terms did not suffice: the factor by which the scale has to shrink.
  [[nodiscard]] RICOCHET_HD S shrinkage() const {
    using std::sqrt;
    if (n == 0) return S(0.7L);
    if (!(tail_ > S(0) && tail_ < S(1e4))) return S(0.3L);
    if (n > 16) return S(0.8L);
    S ratio = sqrt(sqrt(sqrt(tail_)));  // of successive terms
    if (n == 16) ratio = sqrt(ratio);
    const S factor = (S(1) - S(0.58L) * ease) / ratio;
    return factor < S(0.3L) ? S(0.3L) : factor < S(0.9L) ? factor : S(0.9L);
  }

  /// The slip speed at the start of the series. `with_lift`: ∫ V_n dλ is asked for.
  RICOCHET_HD void start(T speed, bool with_lift) {
    with_lift_ = with_lift;
    const T x = at_end ? T(1) : T(-1);
    if constexpr (is_dual<T>) {
      if (with_lift) find_lift_terms();
      sum0_ = sums(value_of(x), x);
    } else {
      if (with_lift) {
        find_lift();
      } else {
        find_slip();
      }
      const Split parts = split(S(1));
      sum0_ = combine(parts, x, x);
      if (!at_end) sum1_ = combine(parts, T(1), T(1));
    }
    // s = C D H G and dλ = 2 X C D² G dx.
    const T H = eta_[0] + x * eta_[1] + eta_[2] + x * eta_[3] + eta_[4];
    const T C = speed / ((T(1) + X * X) * H * sum0_.G);
    flux_ = T(2) * X * C;
    work_ = flux_ * C * (at_end ? eta_[1] : eta_[0]);
  }

  [[nodiscard]] RICOCHET_HD SlipPlace<T> at(S z) const {
    using std::exp;
    using std::log1p;
    if (!at_end) return place(T(z), T(z), sums(z, T(z)), T(1), T(1));
    const S q = value_of(p) * z, power = S(1) - q;  // x^p
    if (!(power > S(0)) || z >= last_z()) return last();
    const S log_x = q == S(0) ? -z : log1p(-q) / q * z;
    const S x = exp(log_x);
    T x_p = T(power), path = T(z);
    if constexpr (is_dual<T>) {
      x_p = exp(p * log_x);
      path = grown(p * log_x) * -log_x;
    }
    Sums sum = sums(x, x_p);
    complete(sum, path, x_p);
    return place(T(z), T(x), sum, x_p, T(-x / power));
  }
  /// z at x.
  [[nodiscard]] RICOCHET_HD S z_of(S x) const {
    using std::expm1;
    using std::log;
    if (!at_end) return x;
    const S log_x = log(x), q = value_of(p) * log_x;
    return q == S(0) ? -log_x : -expm1(q) / q * log_x;
  }
  /// The last z; about an attracting direction along which slip grows there is none.
  [[nodiscard]] RICOCHET_HD S last_z() const {
    if (!at_end) return S(1);
    return value_of(p) > S(0) ? S(1) / value_of(p) : std::numeric_limits<S>::infinity();
  }
  /// Start and end; where there is no end, a place that an impact does not pass which is expected to take this impulse.
  RICOCHET_HD void ends(SlipPlace<T>& first, SlipPlace<T>& end, S impulse) const {
    if (!at_end) {
      first = place(T(-1), T(-1), sum0_, T(1), T(1));
      end = place(T(1), T(1), sum1_, T(1), T(1));
      return;
    }
    first = place(T(0), T(1), sum0_, T(1), T(-1));
    if (p > T(0)) {
      end = last();
      return;
    }
    const S far = z_of(S(1e-8L)), expected = S(1.5L) * impulse / value_of(first.rate);
    end = at(expected < far ? expected : far);
  }

  /// Moves the place on by d, to second order.
  RICOCHET_HD void shift(SlipPlace<T>& a, T d) const {
    const T half = d / T(2);
    const T step = a.rate * d, bent = T(1) + a.bend * half, swing = a.turn * half;
    const T k = rise_rate(a.cs, a.sn), g = growth(a.cs, a.sn);
    a.lambda += step * bent;
    a.along += step * (a.cs * bent - a.sn * swing);
    a.across += step * (a.sn * bent + a.cs * swing);
    a.slip += step * (a.speed * bent + g * step / T(2));
    a.lift += step * (a.rise * bent + k * step / T(2));
    a.rise += step * (k * bent + rise_slope(a.cs, a.sn) * swing);
    a.speed += step * (g * bent + growth_slope(a.cs, a.sn) * swing);
    a.z += d;
    if (at_end) {
      // dx/dz = −x^{1−p}, and x^p is the reach.
      const T part = d / a.reach;
      a.x -= a.x * part * (T(1) - (T(1) - p) * part / T(2));
    } else {
      a.x += d;
    }
    direct(a);
  }

  /// dV_n/dλ in the direction ψ, and its derivative by ψ.
  [[nodiscard]] RICOCHET_HD T rise_rate(const T& cs, const T& sn) const { return k0_ - wp_ * cs - wq_ * sn; }
  [[nodiscard]] RICOCHET_HD T rise_slope(const T& cs, const T& sn) const { return wp_ * sn - wq_ * cs; }
  /// Whether V_n rises at the place x.
  [[nodiscard]] RICOCHET_HD bool rises(T x) const {
    const T t = X * x;
    return ((k0_ + wp_) * t - T(2) * wq_) * t + (k0_ - wp_) > T(0);
  }
  /// The places x at which V_n turns, zeros of (k₀ + w_p) t² − 2 w_q t + (k₀ − w_p).
  RICOCHET_HD int turning_places(T found[2]) const {
    using std::sqrt;
    const T A = k0_ + wp_, C = k0_ - wp_, square = wq_ * wq_ - A * C;
    if (!(square > T(0))) return 0;
    const T q = wq_ < T(0) ? wq_ - sqrt(square) : wq_ + sqrt(square);
    int count = 0;
    if (A != T(0)) found[count++] = q / A / X;
    if (q != T(0)) found[count++] = C / q / X;
    return count;
  }

  [[nodiscard]] RICOCHET_HD Vec2T<T> centre() const { return {c_, s_}; }
  /// h at the centre.
  [[nodiscard]] RICOCHET_HD T turn_at_centre() const { return eta_[0]; }
  /// A vector along and across the centre, in the axes of the SlipFrame.
  [[nodiscard]] RICOCHET_HD Vec2T<T> turned(const T& along, const T& across) const {
    return {c_ * along - s_ * across, s_ * along + c_ * across};
  }

 private:
  static constexpr S eps = std::numeric_limits<S>::epsilon();
  using Parts = Eigen::Array<T, 2, 1>;
  using Terms = Eigen::Map<const Parts, Eigen::Aligned16>;
  using Anywhere = Eigen::Map<const Parts>;

  /// Indefinite integrals at a place: of D² G, (1 − t⁴) G, 2t D G, and that of `work_term_`; and G.
  struct Sums {
    T L = T(0), A = T(0), B = T(0), F = T(0), G = T(0);
  };
  /// Sums of the even terms, and of the odd ones short of a factor x: of G times 1, …, t⁴, of `work_term_` and of G.
  struct Split {
    Parts M[5], F, G;
  };

  [[nodiscard]] RICOCHET_HD static const Reciprocals<S, most + 6>& reciprocals() {
    static constexpr Reciprocals<S, most + 6> table{};
    return table;
  }
  /// For x < 0.
  RICOCHET_HD static bool near_integer(T x) {
    const T rest = x - T(static_cast<int>(x));
    return rest > T(-0.1L) || rest < T(-0.9L);
  }

  /// H = Σ η_j x^j and X R = Σ ρ_j x^j (R7, R8).
  RICOCHET_HD void coefficients(const T& cs, const T& sn, const T& scale) {
    c_ = cs;
    s_ = sn;
    X = scale;
    const SlipFrame<T>& f = flow_->frame;
    const T w_p = f.w1 * cs + f.w2 * sn, w_q = f.w2 * cs - f.w1 * sn;
    const T cos2 = cs * cs - sn * sn, sin_cos = sn * cs;
    ss_ = f.a * cs * cs + f.b * sn * sn;
    st_ = flow_->B * sin_cos;
    d_ = flow_->B * cos2;
    if constexpr (is_dual<T>) {
      ss_ += T(2) * f.off * sin_cos;
      st_ += flow_->C() * cos2;
      d_ -= T(4) * flow_->C() * sin_cos;
    }
    ss_ *= flow_->beta;
    ap_ = flow_->alpha * w_p;
    aq_ = flow_->alpha * w_q;
    k0_ = flow_->alpha * f.w_nn;
    wp_ = flow_->beta * w_p;
    wq_ = flow_->beta * w_q;
    const T X1 = X + X, X2 = X * X, X3 = X1 * X2, X4 = X2 * X2;
    eta_[0] = aq_ - st_;
    eta_[1] = -(ap_ + d_) * X1;
    eta_[2] = T(6) * st_ * X2;
    eta_[3] = (d_ - ap_) * X3;
    eta_[4] = -(aq_ + st_) * X4;
    rho_[0] = (ap_ - ss_) * X1;
    rho_[1] = T(2) * (aq_ - T(3) * st_) * X2;
    rho_[2] = (ap_ - ss_ - T(2) * d_) * X3;
    rho_[3] = T(2) * (aq_ + st_) * X4;
  }
  /// H at x = 1. Slip ends where it is zero. A series that goes on past that place diverges, unless p is a whole
  /// number: then slip is smooth there, and nothing but this sign tells.
  [[nodiscard]] RICOCHET_HD T turn_at_end() const { return eta_[0] + eta_[1] + eta_[2] + eta_[3] + eta_[4]; }
  /// g in the direction ψ, and its derivative by ψ.
  [[nodiscard]] RICOCHET_HD T growth(const T& cs, const T& sn) const {
    return ap_ * cs + aq_ * sn - (ss_ + d_ * sn * sn + T(2) * st_ * cs * sn);
  }
  [[nodiscard]] RICOCHET_HD T growth_slope(const T& cs, const T& sn) const {
    return aq_ * cs - ap_ * sn - T(2) * (d_ * sn * cs + st_ * (cs * cs - sn * sn));
  }

  // ---- coefficients: g_k = Σ_j (r_j/k − e_j) g_{k−1−j} (R9) ---------------------------------------------------------

  RICOCHET_HD void prepare(const T& cs, const T& sn, const T& scale, T (&r)[4], T (&e)[4]) {
    coefficients(cs, sn, scale);
    at_end = false;
    p = T(1);
    const T over = T(1) / eta_[0];
    for (int j = 0; j < 4; ++j) {
      r[j] = rho_[j] * over;
      e[j] = eta_[j + 1] * over;
    }
  }
  RICOCHET_HD void prepare_at_end(const T& cs, const T& sn, const T& scale, T (&r)[4], T (&e)[4]) {
    coefficients(cs, sn, scale);
    eta_[0] = T(0);
    at_end = true;
    const T over = T(1) / eta_[1];
    p = rho_[0] * over;
    for (int j = 0; j < 3; ++j) {
      e[j] = eta_[j + 2] * over;
      r[j] = rho_[j + 1] * over - e[j] * p;
    }
    r[3] = e[3] = T(0);
  }

  /// H G² has the same recurrence with r doubled; both go in step.
  RICOCHET_HD bool sum_up(const T (&r)[4], const T (&e)[4]) {
    const auto& over = reciprocals();
    Parts rs[4], es[4];
    for (int j = 0; j < 4; ++j) {
      rs[j] = Parts(r[j], r[j] + r[j]);
      es[j] = Parts(e[j], e[j]);
    }
    const auto next = [&](int k, const Parts& a, const Parts& b, const Parts& c, const Parts& d) {
      const T q = over.of[k];
      const Parts sum =
          ((rs[3] * q - es[3]) * d + (rs[2] * q - es[2]) * c) + ((rs[1] * q - es[1]) * b + (rs[0] * q - es[0]) * a);
      g_[k] = sum(0);
      work_term_[k] = sum(1);
      return sum;
    };
    const Parts none(T(0), T(0));
    Parts a(T(1), T(1)), b = next(1, a, none, none, none), c = next(2, b, a, none, none), d = next(3, c, b, a, none);
    g_[0] = work_term_[0] = T(1);
    Parts even = a + c, odd = b + d;
    for (n = 4;; n += 4) {
      const Parts tail = (a.abs() + b.abs()) + (c.abs() + d.abs());
      const Parts sum = at_end ? Parts(even + odd) : Parts(even - odd);
      if (n > 4 && tail(0) <= tolerance_ * sum(0) && tail(1) <= T(1e3) * tolerance_ * sum(1)) break;
      // Terms that would take more than `most` to vanish.
      if (n == most || !(tail(0) < T(1e4)) || (n == 8 && tail(0) > tail_8_ * sum(0)) ||
          (n == 16 && tail(0) > tail_16_ * sum(0))) {
        tail_ = tail(0) / sum(0);
        return false;
      }
      a = next(n, d, c, b, a);
      b = next(n + 1, a, d, c, b);
      c = next(n + 2, b, a, d, c);
      d = next(n + 3, c, b, a, d);
      even += a + c;
      odd += b + d;
    }
    find_denominators();
    return true;
  }
  /// With derivatives, and as many terms as given.
  void sum_up_given(const T (&r)[4], const T (&e)[4]) {
    const auto& over = reciprocals();
    g_[0] = T(1);
    for (int k = 1; k < n; ++k) {
      const S q = over.of[k];
      T sum(0);
      for (int j = std::min(at_end ? 2 : 3, k - 1); j >= 0; --j) {
        const T& g = g_[k - 1 - j];
        const S factor = r[j].v * q - e[j].v, by_r = g.v * q;
        sum.v += factor * g.v;
        for (std::size_t i = 0; i < sum.d.size(); ++i)
          sum.d[i] += factor * g.d[i] + (by_r * r[j].d[i] - g.v * e[j].d[i]);
      }
      g_[k] = sum;
    }
    find_denominators();
  }

  /// 1/(p + k). The first integral of a series about the attracting direction is z, and added apart.
  RICOCHET_HD void find_denominators() {
    if (!at_end) return;
    over_[0] = S(0);
    for (int k = 1; k < n + 4; ++k) over_[k] = S(1) / (value_of(p) + S(k));
  }
  /// D³ H G², integrated, in the place of the coefficients of H G².
  RICOCHET_HD void find_slip() {
    const T X2 = X * X, a = T(3) * X2, b = a * X2, c = X2 * X2 * X2;
    T* const h = work_term_;
    const auto over = [&](int k) { return at_end ? T(T(1) / (T(2) * p + T(k))) : T(reciprocals().of[k + 1]); };
    for (int k = n; k-- > 6;) h[k] = (h[k] + a * h[k - 2] + b * h[k - 4] + c * h[k - 6]) * over(k);
    for (int k = 5; k >= 4; --k) h[k] = (h[k] + a * h[k - 2] + b * h[k - 4]) * over(k);
    for (int k = 3; k >= 2; --k) h[k] = (h[k] + a * h[k - 2]) * over(k);
    h[1] *= over(1);
    h[0] = at_end ? T(0) : T(h[0] * over(0));
  }
  /// V_n times D² G, integrated: the product of two series.
  RICOCHET_HD void find_lift() {
    constexpr int before = 4;
    T padded[most + before], flow_padded[most + before], rise[most];
    T *const g = padded + before, *const flow = flow_padded + before, *const out = work_term_;
    for (int k = 0; k < before; ++k) padded[k] = flow_padded[k] = T(0);
    for (int k = 0; k < n; ++k) g[k] = g_[k];
    const T X2 = X * X, X4 = X2 * X2, twice2 = X2 + X2, w = wq_ * (X + X);
    for (int k = 0; k < n; ++k) {
      const T last = X4 * g[k - 4], over = at_end ? over_[k] : T(reciprocals().of[k + 1]);
      flow[k] = g[k] + twice2 * g[k - 2] + last;
      rise[k] = (k0_ * flow[k] - wp_ * (g[k] - last) - w * (g[k - 1] + X2 * g[k - 3])) * over;
      out[k] = at_end ? T((wp_ - k0_) * flow[k] * over) : T(0);
    }
    for (int i = 0; i < n; i += 4) {
      const T r0 = rise[i], r1 = rise[i + 1], r2 = rise[i + 2], r3 = rise[i + 3];
      const T* const f = flow - i;
      for (int k = i; k < n; ++k) out[k] += (r0 * f[k] + r1 * f[k - 1]) + (r2 * f[k - 2] + r3 * f[k - 3]);
    }
    for (int k = at_end ? 1 : 0; k < n; ++k)
      out[k] *= at_end ? T(T(1) / (T(2) * p + T(k))) : T(reciprocals().of[k + 2]);
    if (at_end) out[0] = T(0);
  }

  // ---- the same with derivatives: sums are linear in those of the coefficients, by weights without any
  // ---------------

  struct LiftTerms {
    S flow[most + 4], rise[most], product[most];  ///< D² G, V_n, and their product with the first terms of V_n
  };
  /// (R9) gives V_n as this many neighbouring coefficients of G, integrated.
  static constexpr int neighbours = 5;

  void find_lift_terms() {
    const T X2 = X * X, w = T(-2) * wq_ * X;
    rise_factor_[0] = k0_ - wp_;
    rise_factor_[1] = w;
    rise_factor_[2] = T(2) * k0_ * X2;
    rise_factor_[3] = w * X2;
    rise_factor_[4] = (k0_ + wp_) * X2 * X2;
    const S a = S(2) * X2.v, b = X2.v * X2.v;
    LiftTerms& to = lift_;
    for (int k = 0; k < n; ++k) {
      const S over = at_end ? over_[k] : reciprocals().of[k + 1];
      S sum = S(0);
      for (int j = 0; j < neighbours && j <= k; ++j) sum += rise_factor_[j].v * g_[k - j].v;
      to.rise[k] = sum * over;
      to.flow[k] = g_[k].v + (k >= 2 ? a * g_[k - 2].v : S(0)) + (k >= 4 ? b * g_[k - 4].v : S(0));
      to.product[k] = at_end ? -rise_factor_[0].v * to.flow[k] * over : S(0);
    }
    for (int i = 0; i < n; ++i)
      for (int k = i; k < n; ++k) to.product[k] += to.rise[i] * to.flow[k - i];
  }

  /// c times the derivatives of x.
  static void add_derivatives(T& to, S c, const T& x) {
    for (std::size_t i = 0; i < to.d.size(); ++i) to.d[i] += c * x.d[i];
  }

  [[nodiscard]] Sums dual_sums(S x, const T& x_p) const {
    const S* const over = at_end ? over_ : reciprocals().of + 1;
    const S t = X.v * x, t2 = t * t, t4 = t2 * t2;
    S lift_weight[most];
    Sums sum;
    if (with_lift_) add_lift(sum.F, x, lift_weight);
    S power = S(1), L_p = S(0), A_p = S(0), B_p = S(0), L_t = S(0), A_t = S(0), B_t = S(0);  // by p and by t
    for (int k = 0; k < n; ++k, power *= x) {
      const T& g = g_[k];
      const S o0 = over[k], o1 = over[k + 1], o2 = over[k + 2], o3 = over[k + 3], o4 = over[k + 4];
      const S l = o0 + S(2) * t2 * o2 + t4 * o4, a = o0 - t4 * o4, b = S(2) * t * (o1 + t2 * o3), y = g.v * power;
      sum.G.v += y;
      sum.L.v += y * l;
      sum.A.v += y * a;
      sum.B.v += y * b;
      L_t += y * (o2 + t2 * o4);
      A_t += y * o4;
      B_t += y * (o1 + S(3) * t2 * o3);
      if (at_end) {
        const S first = o0 * o0, last = t4 * o4 * o4;
        L_p += y * (first + S(2) * t2 * o2 * o2 + last);
        A_p += y * (first - last);
        B_p += y * (o1 * o1 + t2 * o3 * o3);
      }
      for (std::size_t i = 0; i < g.d.size(); ++i) {
        const S d = power * g.d[i];
        sum.G.d[i] += d;
        sum.L.d[i] += l * d;
        sum.A.d[i] += a * d;
        sum.B.d[i] += b * d;
      }
      if (with_lift_) add_derivatives(sum.F, lift_weight[k], g);
    }
    add_derivatives(sum.L, S(4) * t * x * L_t, X);
    add_derivatives(sum.A, S(-4) * t * t2 * x * A_t, X);
    add_derivatives(sum.B, S(2) * x * B_t, X);
    if (at_end) {
      add_derivatives(sum.L, -L_p, p);
      add_derivatives(sum.A, -A_p, p);
      add_derivatives(sum.B, S(-2) * t * B_p, p);
    }
    sum.L *= x_p;
    sum.A *= x_p;
    sum.B *= x_p;
    if (with_lift_) sum.F *= x_p * x_p;
    return sum;
  }
  /// ∫ V_n dλ as a sum over products of two series. Its derivative by each series is a sum over the other; `weight` is
  /// that by the coefficients of G, which both depend on.
  void add_lift(T& F, S x, S (&weight)[most]) const {
    const LiftTerms& of = lift_;
    const S* const over = at_end ? over_ : reciprocals().of + 1;
    S integral[most], by_rise[most + 4], by_flow[most + 4];
    S power = S(1), by_p = S(0), by_first = S(0);
    for (int k = 0; k < n; ++k, power *= x) {
      const S o = !at_end ? reciprocals().of[k + 2] : k == 0 ? S(0) : S(1) / (S(2) * p.v + S(k));
      integral[k] = power * o;
      F.v += integral[k] * of.product[k];
      by_p -= S(2) * o * integral[k] * of.product[k];
    }
    for (int k = 0; k < n; ++k) {
      S rise = S(0), flow = S(0);
      for (int j = 0; j < n - k; ++j) {
        rise += of.flow[j] * integral[k + j];
        flow += of.rise[j] * integral[k + j];
      }
      if (at_end) {
        const S first = integral[k] * over[k] * of.flow[k];
        by_first += first;
        by_p += (rise_factor_[0].v * first - rise * of.rise[k]) * over[k];
        flow -= rise_factor_[0].v * integral[k] * over[k];
      }
      by_rise[k] = rise * over[k];
      by_flow[k] = flow;
    }
    for (int k = n; k < n + 4; ++k) by_rise[k] = by_flow[k] = S(0);
    const S X1 = X.v, X2 = X1 * X1, a = S(2) * X2, b = X2 * X2;
    S by_X = S(0), by_factor[neighbours] = {};
    for (int k = 0; k < n; ++k) {
      S sum = by_flow[k] + a * by_flow[k + 2] + b * by_flow[k + 4];
      for (int j = 0; j < neighbours; ++j) {
        sum += rise_factor_[j].v * by_rise[k + j];
        by_factor[j] += by_rise[k + j] * g_[k].v;
      }
      weight[k] = sum;
      by_X += (by_flow[k + 2] + X2 * by_flow[k + 4]) * g_[k].v;
    }
    by_factor[0] -= by_first;
    for (int j = 0; j < neighbours; ++j) add_derivatives(F, by_factor[j], rise_factor_[j]);
    add_derivatives(F, S(4) * X1 * by_X, X);
    if (at_end) add_derivatives(F, by_p, p);
  }

  // ---- sums at a place ----------------------------------------------------------------------------------------------

  RICOCHET_HD Split split(S x) const {
    const Parts none(T(0), T(0));
    Split at{{none, none, none, none, none}, none, none};
    const S square = x * x;
    S power = S(1);
    const T* const over = at_end ? over_ : reciprocals().of + 1;
    for (int k = 0; k < n; k += 2) {
      const Parts y = Terms(g_ + k) * power;
      at.G += y;
      for (int m = 0; m < 5; ++m) at.M[m] += y * Anywhere(over + k + m);
      at.F += Terms(work_term_ + k) * power;
      power *= square;
    }
    return at;
  }
  /// x_p = x^p is the power that the integrals start with.
  RICOCHET_HD Sums combine(const Split& at, T x, T x_p) const {
    const T t = X * x, t2 = t * t, t4 = t2 * t2;
    const auto whole = [&](const Parts& part) { return T(part(0) + x * part(1)); };
    const T M0 = whole(at.M[0]), M4 = t4 * whole(at.M[4]);
    Sums sum;
    sum.L = (M0 + T(2) * t2 * whole(at.M[2]) + M4) * x_p;
    sum.A = (M0 - M4) * x_p;
    sum.B = T(2) * t * (whole(at.M[1]) + t2 * whole(at.M[3])) * x_p;
    sum.F = whole(at.F) * (at_end || with_lift_ ? T(x_p * x_p) : x_p);
    sum.G = whole(at.G);
    return sum;
  }
  [[nodiscard]] RICOCHET_HD Sums sums(S x, const T& x_p) const {
    if constexpr (is_dual<T>) {
      return dual_sums(x, x_p);
    } else {
      return combine(split(x), x, x_p);
    }
  }
  /// Adds the first terms of a series about the attracting direction.
  RICOCHET_HD void complete(Sums& sum, const T& z, const T& x_p) const {
    sum.F += with_lift_ ? (k0_ - wp_) * z * (z / T(2) - sum.L) : -z * (T(1) + x_p) / T(2);
    sum.L -= z;
    sum.A -= z;
  }
  /// (e^q − 1)/q, with derivatives that stay exact where q is small.
  RICOCHET_HD static T grown(const T& q) {
    using std::abs;
    using std::expm1;
    if (!(abs(q) < T(0.5L))) return expm1(q) / q;
    T sum = T(1);
    for (int k = 20; k > 1; --k) sum = T(1) + sum * q * (S(1) / S(k));
    return sum;
  }

  [[nodiscard]] RICOCHET_HD SlipPlace<T> place(T z, T x, const Sums& sum, T x_p, T dx_dz) const {
    SlipPlace<T> a;
    a.z = z;
    a.x = x;
    const T over = direct(a), t = X * x, D = T(1) + t * t;
    add_up(a, sum);
    // About the attracting direction one factor x of H, and x^{p−1} of G, are dealt with apart.
    T H = ((eta_[4] * x + eta_[3]) * x + eta_[2]) * x + eta_[1], slope;
    const T flux = flux_ * D * sum.G;
    if (at_end) {
      slope = ((rho_[3] - (p + T(3)) * eta_[4]) * x + (rho_[2] - (p + T(2)) * eta_[3])) * x +
              (rho_[1] - (p + T(1)) * eta_[2]);
      a.rate = -flux * D;
    } else {
      H = H * x + eta_[0];
      slope = (((rho_[3] - T(4) * eta_[4]) * x + (rho_[2] - T(3) * eta_[3])) * x + (rho_[1] - T(2) * eta_[2])) * x +
              (rho_[0] - eta_[1]);
      a.rate = flux * D;
    }
    a.speed = flux * H * x_p / (T(2) * X);
    a.bend = (slope / H + T(4) * X * t * over) * dx_dz;
    a.turn = T(2) * X * over * dx_dz;
    a.reach = x_p;
    return a;
  }
  /// cos ψ and sin ψ; returns 1/D.
  RICOCHET_HD T direct(SlipPlace<T>& a) const {
    const T t = X * a.x, t2 = t * t, over = T(1) / (T(1) + t2);
    a.cs = (T(1) - t2) * over;
    a.sn = T(2) * t * over;
    return over;
  }
  RICOCHET_HD void add_up(SlipPlace<T>& a, const Sums& sum) const {
    a.lambda = flux_ * (sum.L - sum0_.L);
    a.along = flux_ * (sum.A - sum0_.A);
    a.across = flux_ * (sum.B - sum0_.B);
    a.rise = k0_ * a.lambda - wp_ * a.along - wq_ * a.across;
    if (with_lift_) {
      const T base = k0_ * sum0_.L - wp_ * sum0_.A - wq_ * sum0_.B;
      a.lift = flux_ * (flux_ * (sum.F - sum0_.F) - base * a.lambda);
    } else {
      a.slip = work_ * (sum.F - sum0_.F);
    }
  }
  /// Where slip along the attracting direction ends.
  [[nodiscard]] RICOCHET_HD SlipPlace<T> last() const {
    SlipPlace<T> a;
    a.z = T(last_z());
    Sums sum;
    complete(sum, T(1) / p, T(0));
    add_up(a, sum);
    a.rate = -flux_;
    return a;
  }

  const SlipFlow<T>* flow_;
  T c_ = T(1), s_ = T(0);                                       ///< the centre
  T ap_ = T(0), aq_ = T(0), ss_ = T(0), st_ = T(0), d_ = T(0);  ///< g = ap cos ψ + aq sin ψ − …
  T k0_ = T(0), wp_ = T(0), wq_ = T(0);                         ///< k = k₀ − w_p cos ψ − w_q sin ψ
  T eta_[5], rho_[4];
  T flux_ = T(1), work_ = T(1);  ///< of λ and of ∫ s dλ
  Sums sum0_, sum1_;             ///< at the start, and at the end of a series about a direction of turning slip
  S tail_ = S(0), tolerance_ = S(16) * eps, tail_8_ = S(0.2L), tail_16_ = S(1e-3L);
  bool with_lift_ = false;
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<is_dual<T>, LiftTerms, Nothing> lift_;
  [[no_unique_address]] std::conditional_t<is_dual<T>, std::array<T, neighbours>, Nothing> rise_factor_;
  alignas(16) T g_[most];                           ///< coefficients of G
  alignas(16) T work_term_[is_dual<T> ? 1 : most];  ///< of H G² at first, then of ∫ s dλ or of ∫ V_n dλ
  alignas(16) S over_[most + 4];                    ///< 1/(p + k)
};

}  // namespace ricochet::routh
