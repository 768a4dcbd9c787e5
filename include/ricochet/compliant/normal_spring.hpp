#pragma once
/// The normal spring of the spring-sledge contact, with its way of losing energy, docs/laws/spring-sledge.md (L2, L13,
/// L14). Dimensionless: stiffness 1 on the loading line.
///
/// Its state q is the force or, for Hunt and Crossley, the penetration, whose force may vanish before it does.

#include <limits>

#include "ricochet/compliant/damper.hpp"

namespace ricochet::compliant {

template <class T>
class NormalSpring {
 public:
  RICOCHET_HD NormalSpring(T e, Damper damper) : e_(e), damper_(e < T(1) ? damper : Damper::hysteretic) {
    if (linear()) coefficient_ = linear_coefficient(e);
    if (hunt_crossley()) coefficient_ = hunt_crossley_coefficient(e);
  }

  /// With d of (L13) or α of (L14) as found before.
  RICOCHET_HD NormalSpring(T e, Damper damper, T coefficient)
      : e_(e), coefficient_(coefficient), damper_(e < T(1) ? damper : Damper::hysteretic) {}
  /// The same spring in other numbers.
  template <class U, class Map>
  [[nodiscard]] RICOCHET_HD NormalSpring<U> mapped(const Map& map) const {
    NormalSpring<U> out(map(e_), damper_, map(coefficient_));
    out.k_n_ = map(k_n_);
    out.peak_ = map(peak_);
    return out;
  }

  [[nodiscard]] RICOCHET_HD bool viscous() const { return damper_ != Damper::hysteretic; }
  [[nodiscard]] RICOCHET_HD bool linear() const { return damper_ == Damper::linear; }
  [[nodiscard]] RICOCHET_HD bool hunt_crossley() const { return damper_ == Damper::hunt_crossley; }
  /// Unloads on another line than it loads.
  [[nodiscard]] RICOCHET_HD bool hysteretic() const { return !viscous() && e_ < T(1); }
  /// d of (L13) or α of (L14).
  [[nodiscard]] RICOCHET_HD T coefficient() const { return coefficient_; }

  // The line it is on.
  [[nodiscard]] RICOCHET_HD T stiffness() const { return k_n_; }
  [[nodiscard]] RICOCHET_HD T peak() const { return peak_; }  ///< force at which unloading began
  [[nodiscard]] RICOCHET_HD T unloading_stiffness() const { return T(1) / (e_ * e_); }
  /// e = 0, and any e > 0 whose unloading line is as steep as infinity: what it gives back is below rounding.
  [[nodiscard]] RICOCHET_HD bool returns_nothing() const {
    return !(unloading_stiffness() < std::numeric_limits<T>::infinity());
  }
  /// Turns to the unloading line at the force N. Returns the work that is lost for good if it is followed to its end.
  RICOCHET_HD T unload(T N) {
    peak_ = N;
    k_n_ = unloading_stiffness();
    return N * N * (T(1) - e_ * e_) / T(2);
  }
  RICOCHET_HD void load() { k_n_ = T(1); }

  // Force, state and their rates, at the normal velocity v_n and acceleration a_n.
  [[nodiscard]] RICOCHET_HD T force(T q, T v_n) const { return hunt_crossley() ? q * (T(1) - coefficient_ * v_n) : q; }
  [[nodiscard]] RICOCHET_HD T state(T N, T v_n) const { return hunt_crossley() ? N / (T(1) - coefficient_ * v_n) : N; }
  [[nodiscard]] RICOCHET_HD T state_rate(T v_n, T a_n) const {
    if (hunt_crossley()) return -v_n;
    return linear() ? -v_n - coefficient_ * a_n : -k_n_ * v_n;
  }
  [[nodiscard]] RICOCHET_HD T force_rate(T q, T v_n, T a_n) const {
    if (hunt_crossley()) return -v_n * (T(1) - coefficient_ * v_n) - coefficient_ * q * a_n;
    return state_rate(v_n, a_n);
  }
  /// d(ln q)/dτ times the force: how the state falls where the step is measured in impulse.
  [[nodiscard]] RICOCHET_HD T log_rate(T v_n, T a_n) const {
    return state_rate(v_n, a_n) * (hunt_crossley() ? T(1) - coefficient_ * v_n : T(1));
  }
  /// Compression of the spring beside a viscous damper; zero without one.
  [[nodiscard]] RICOCHET_HD T depth(T q, T v_n) const {
    if (hunt_crossley()) return q;
    return linear() ? q + coefficient_ * v_n : T(0);
  }
  /// Power that the damper dissipates.
  [[nodiscard]] RICOCHET_HD T dissipation(T q, T v_n) const {
    if (!viscous()) return T(0);
    return coefficient_ * v_n * v_n * (linear() ? T(1) : q);
  }
  /// dN/dτ at first touch.
  [[nodiscard]] RICOCHET_HD T first_slope() const { return hunt_crossley() ? T(1) + coefficient_ : T(1); }
  /// Work left in the spring when the force has come down to zero at the state q and velocity v_n: it recovers without
  /// pressing on the body, and its damper takes this.
  [[nodiscard]] RICOCHET_HD T left_behind(T q, T v_n) const {
    if (linear()) {
      const T dent = coefficient_ * v_n;
      return dent * dent / T(2);
    }
    // At v_n = 1/α Hunt and Crossley's force is gone before the penetration is.
    return hunt_crossley() && q > T(0) ? q * q / T(2) : T(0);
  }

 private:
  template <class>
  friend class NormalSpring;
  T e_, coefficient_ = T(0), k_n_ = T(1), peak_ = T(0);
  Damper damper_;
};

}  // namespace ricochet::compliant
