#pragma once
/// One stretch of the slip curve, resolved by Chebyshev collocation (R10), docs/laws/routh.md: the flow at the nodes,
/// its integrals from the left end, and the first zero of a function known there.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/base/chebyshev.hpp"
#include "ricochet/base/dual.hpp"
#include "ricochet/base/table_scalar.hpp"
#include "ricochet/law/routh/slip_curve.hpp"

namespace ricochet::routh {

template <class T>
struct SlipPanel {
  using Nodes = Chebyshev<TableScalar<T>, 20>;
  using Samples = std::array<T, Nodes::size>;

  T y0, half;
  Samples s, k, cs, sn, flow;  ///< flow = dλ/dy
  Samples v_n, phi;            ///< v_n by `need_v_n`, phi only where the panel is by slip
  Samples g, turn;  ///< ds/dλ and, where the panel is by slip, s dφ/dλ; only where derivatives are carried
  bool has_v_n, by_slip;

  [[nodiscard]] RICOCHET_HD static const Nodes& nodes() { return chebyshev<TableScalar<T>, 20>(); }

  /// How a panel turned out.
  struct Quality {
    bool resolved = false;
    T rounding = T(0);    ///< amplification of rounding errors on the panel, where it was found
    int evaluations = 0;  ///< of the flow
  };

  /// The stretch from y0 on, where the slip speed is `speed`, with y for a variable.
  RICOCHET_HD Quality fill(const SlipCurve<T>& curve, T from, T width, T speed) {
    using std::abs;
    using std::exp;
    Quality quality;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    const Nodes& node = nodes();
    y0 = from;
    half = width / T(2);
    has_v_n = by_slip = false;
    Samples growth, rate;
    T biggest = T(0), most_rate = T(0);
    // The nodes lie symmetrically: one exponential serves two. Far from zero a common factor would overflow.
    const T middle = y0 + half;
    Samples decay;
    const bool common = abs(middle) < T(300);
    const T centre = common ? T(exp(-abs(middle))) : T(0), inverse = common ? T(1) / centre : T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      const std::size_t mirror = Nodes::size - 1 - j;
      const T y = middle + half * node.x[j];
      if (!common) {
        decay[j] = exp(-abs(y));
        continue;
      }
      if (mirror < j) continue;
      const T away = exp(half * node.x[j]), back = T(1) / away;  // away ≤ 1 on the left half
      const auto at = [&](T place, T factor, T other) {
        const T lower = middle > T(0) ? inverse : centre;  // e^{middle}
        const T upper = middle > T(0) ? centre : inverse;  // e^{−middle}
        return place > T(0) ? upper * other : lower * factor;
      };
      decay[j] = at(y, away, back);
      decay[mirror] = at(middle + half * node.x[mirror], back, away);
    }
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      const auto p = curve.sample(middle + half * node.x[j], decay[j]);
      cs[j] = p.cs;
      sn[j] = p.sn;
      k[j] = p.k;
      rate[j] = p.rate;
      growth[j] = p.g * p.rate;
      if constexpr (is_dual<T>) g[j] = p.g;
      biggest = std::max<T>(biggest, abs(growth[j]));
      most_rate = std::max<T>(most_rate, p.rate);
      if (!(p.rate > T(0))) return quality;
    }
    quality.evaluations = Nodes::size;
    if (!(biggest * half <= T(5))) return quality;
    // K is a difference: `noise` is its rounding error relative to its smallest value here, and no panel resolves more.
    quality.rounding = T(1) + curve.cancellation(most_rate);
    const T noise = T(4) * eps * quality.rounding;
    const T tolerance = T(16) * std::max<T>(eps, T(1e-17L));
    const T swing = biggest * half;
    // With derivatives a panel is filled that was found to be resolved without.
    if (!is_dual<T> && !(node.unresolved(growth) * half <= tolerance * (T(1) + swing) + noise * swing)) return quality;
    node.integrate(growth, half, T(0), s);
    T most = T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      s[j] = speed * exp(s[j]);
      flow[j] = s[j] * rate[j];
      most = std::max<T>(most, flow[j]);
    }
    quality.resolved = is_dual<T> || node.unresolved(flow) <= (tolerance + noise * (T(1) + swing)) * most;
    return quality;
  }

  /// The same stretch with ln s for a variable, for where invariant directions nearly coincide: y then loses its digits
  /// in K, but the direction hardly moves while the slip lives, dφ/d ln s = h/g, and iteration finds it (R10b).
  RICOCHET_HD Quality fill_by_slip(const SlipFlow<T>& slip, T from, T width, T speed) {
    using std::abs;
    using std::cos;
    using std::exp;
    using std::sin;
    Quality quality;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    const Nodes& node = nodes();
    half = width / T(2);
    has_v_n = false;
    by_slip = true;
    Samples turning, over;
    for (T& angle : phi) angle = from;
    bool settled = false;
    int quiet = 0;
    for (int i = 0; i < 40 && !settled; ++i) {
      for (std::size_t j = 0; j < Nodes::size; ++j) {
        cs[j] = cos(phi[j]);
        sn[j] = sin(phi[j]);
        const auto rates = slip.rates(cs[j], sn[j]);
        if (!(rates.g < T(0))) return quality;
        k[j] = rates.k;
        if constexpr (is_dual<T>) g[j] = rates.g;
        over[j] = T(-1) / rates.g;
        const T h = slip.turn(cs[j], sn[j]);
        turning[j] = h * over[j];
        if constexpr (is_dual<T>) turn[j] = h;
      }
      quality.evaluations += Nodes::size;
      Samples next;
      node.integrate(turning, half, from, next);
      T moved = T(0);
      for (std::size_t j = 0; j < Nodes::size; ++j) moved = std::max<T>(moved, abs(next[j] - phi[j]));
      phi = next;
      // Derivatives follow the values at the same rate, some rounds behind.
      if (moved <= T(8) * eps) settled = ++quiet > (is_dual<T> ? 12 : 0);
    }
    if (!settled) return quality;
    T most = T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      s[j] = speed * exp(-half * (node.x[j] + T(1)));
      flow[j] = s[j] * over[j];
      most = std::max<T>(most, flow[j]);
    }
    quality.resolved = node.unresolved(flow) <= T(16) * std::max<T>(eps, T(1e-17L)) * most;
    return quality;
  }

  /// What a motion from the left end to z in [−1, 1] adds up to, the integrals in units of `half`.
  struct Travel {
    T m = T(0);                     ///< ∫ dλ
    T F = T(0);                     ///< ∫ V_n dλ; zero unless V_n is known at the nodes
    Vec2T<T> q = Vec2T<T>::Zero();  ///< ∫ v̂ dλ
    T D = T(0);                     ///< ∫ s dλ
    T rise = T(0);                  ///< of V_n
    T speed = T(0);                 ///< s at z
    T angle = T(0);                 ///< φ at z, where the panel is by slip
  };
  [[nodiscard]] RICOCHET_HD Travel travel(T z) const {
    if constexpr (is_dual<T>) {
      return travel_dual(z);
    } else {
      return travel_value(z);
    }
  }

  [[nodiscard]] RICOCHET_HD Travel travel_value(T z) const {
    const Nodes& node = nodes();
    Samples at_z;
    Samples up_to_z;
    if (z == T(1)) {
      up_to_z = node.whole;
    } else {
      at_z = node.weights(z);
      up_to_z = node.integral_weights(at_z);
    }
    Travel t;
    T q1 = T(0), q2 = T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      const T dl = flow[j] * up_to_z[j];
      t.m += dl;
      q1 += cs[j] * dl;
      q2 += sn[j] * dl;
      t.D += s[j] * dl;
      t.rise += k[j] * dl;
      if (has_v_n) t.F += v_n[j] * dl;
    }
    t.q = Vec2T<T>(q1, q2);
    t.speed = z == T(1) ? s[Nodes::size - 1] : Nodes::dot(at_z, s);
    if (by_slip) t.angle = z == T(1) ? phi[Nodes::size - 1] : Nodes::dot(at_z, phi);
    return t;
  }

  /// The same with derivatives: the weights are those of the value of z, and what z adds is the integrand there.
  [[nodiscard]] Travel travel_dual(const T& z) const {
    const Nodes& node = nodes();
    const auto at_z = node.weights(value_of(z));
    const auto up_to_z = node.integral_weights(at_z);
    Travel t;
    T q1 = T(0), q2 = T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      const T dl = flow[j] * up_to_z[j];
      t.m += dl;
      q1 += cs[j] * dl;
      q2 += sn[j] * dl;
      t.rise += k[j] * dl;
      if (has_v_n) t.F += v_n[j] * dl;
    }
    const T dz = z - T(value_of(z));
    const auto here = [&](const Samples& f) { return Nodes::dot(at_z, f); };
    const T dl = here(flow) * dz;
    t.m += dl;
    t.q = Vec2T<T>(q1 + here(cs) * dl, q2 + here(sn) * dl);
    t.rise += here(k) * dl;
    if (has_v_n) t.F += here(v_n) * dl;
    t.speed = here(s) + half * (here(g) * dl);
    if (by_slip) t.angle = here(phi) + half * (here(turn) / here(s) * dl);
    return t;
  }

  /// V_n at the nodes, from its value at the left end.
  RICOCHET_HD void need_v_n(T start) {
    if (has_v_n) return;
    Samples f;
    for (std::size_t j = 0; j < Nodes::size; ++j) f[j] = k[j] * flow[j];
    nodes().integrate(f, half, start, v_n);
    has_v_n = true;
  }
};

/// First z > −1 at which f, given by its values and derivative at the nodes, comes up to zero; above 1: none. Between
/// neighbouring nodes f is monotone or has one crest, found through its derivative. f may start at zero on its way
/// down.
template <class T>
class FirstZero {
 public:
  using Nodes = typename SlipPanel<T>::Nodes;
  using Samples = typename SlipPanel<T>::Samples;

  RICOCHET_HD FirstZero(const Samples& f, const Samples& slope) : node_(SlipPanel<T>::nodes()), f_(f), slope_(slope) {}

  [[nodiscard]] RICOCHET_HD T find() const {
    if constexpr (is_dual<T>) {
      return find_dual();
    } else {
      return find_value();
    }
  }

 private:
  [[nodiscard]] RICOCHET_HD T find_value() const {
    constexpr T eps = std::numeric_limits<T>::epsilon();
    for (std::size_t j = 1; j < Nodes::size; ++j) {
      T hi = node_.x[j];
      T f_hi = f_[j];
      if (f_hi < T(0) && slope_[j] < T(0) && slope_[j - 1] > T(0)) {
        T left = node_.x[j - 1], right = hi;
        for (int i = 0; i < 60 && right - left > eps; ++i) {
          const T mid = (left + right) / T(2);
          if (Nodes::dot(node_.weights(mid), slope_) > T(0)) {
            left = mid;
          } else {
            right = mid;
          }
        }
        const T crest = Nodes::dot(node_.weights(left), f_);
        if (crest >= T(0)) {
          hi = left;
          f_hi = crest;
        }
      }
      if (f_hi >= T(0)) return polish(node_.x[j - 1], f_[j - 1], hi, f_hi);
    }
    return T(2);
  }

  /// The zero of the values, and the derivatives by one step of Newton's.
  [[nodiscard]] T find_dual() const {
    std::array<double, Nodes::size> f, slope;
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      f[j] = value_of(f_[j]);
      slope[j] = value_of(slope_[j]);
    }
    const double z = FirstZero<double>(f, slope).find();
    if (z > 1) return T(z);
    const auto weights = chebyshev<double, 20>().weights(z);
    T value(0);
    double rate = 0;
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      value += T(weights[j]) * f_[j];
      rate += weights[j] * slope[j];
    }
    return newton_step(z, value, rate);
  }

  RICOCHET_HD T polish(T lo, T f_lo, T hi, T f_hi) const {
    using std::abs;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    if (f_hi == T(0)) return hi;
    T z = f_lo < T(0) ? lo + (hi - lo) * f_lo / (f_lo - f_hi) : lo;
    for (int i = 0; i < 60; ++i) {
      const auto weights = node_.weights(z);
      const T value = Nodes::dot(weights, f_);
      if (value < T(0)) {
        lo = z;
      } else {
        hi = z;
      }
      T next = z - value / Nodes::dot(weights, slope_);
      if (!(next >= lo && next <= hi)) next = (lo + hi) / T(2);
      const T moved = abs(next - z);
      z = next;
      if (moved <= T(2) * eps || value == T(0)) break;
    }
    return z;
  }

  const Nodes& node_;
  const Samples& f_;
  const Samples& slope_;
};

}  // namespace ricochet::routh
