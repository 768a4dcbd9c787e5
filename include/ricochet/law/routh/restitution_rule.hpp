#pragma once
/// When compression and restitution end: Poisson's, Stronge's and Newton's meaning of e in one place (R14),
/// docs/laws/routh.md.

#include <cmath>
#include <limits>

#include "ricochet/base/dual.hpp"
#include "ricochet/law/outcome.hpp"
#include "ricochet/law/routh.hpp"

namespace ricochet::routh {

/// Progress of the normal direction and the rule that ends it. `m` measures normal impulse in units that the motion
/// chooses (dP_n/dm = weight of the Integrator), F = ∫ V_n dm the normal work in the same units. Restitution is counted
/// from zero, so that a small one is not the difference of large numbers.
template <class T>
class RestitutionRule {
 public:
  RICOCHET_HD RestitutionRule(Restitution kind, T e, T v_n_before)
      : v_n(v_n_before), kind_(kind), e_(e), v_stop_(-e * v_n_before) {}

  T m = T(0), F = T(0), v_n = T(0);
  bool compressing = true;

  [[nodiscard]] RICOCHET_HD bool needs_work() const { return kind_ == Restitution::stronge; }
  /// Whether the end is located by V_n itself, at the rate at which V_n rises.
  [[nodiscard]] RICOCHET_HD bool ends_at_velocity() const { return kind_ == Restitution::newton; }
  [[nodiscard]] RICOCHET_HD bool plastic() const { return e_ == T(0); }
  [[nodiscard]] RICOCHET_HD Termination termination() const {
    return kind_ == Restitution::poisson   ? Termination::impulse_ratio_reached
           : kind_ == Restitution::stronge ? Termination::work_ratio_reached
                                           : Termination::rebound_speed_reached;
  }

  RICOCHET_HD void advance(T dm, T dF) {
    m += dm;
    F += dF;
    if (compressing) return;
    m_back_ += dm;
    F_back_ += dF;
  }
  /// The unit of m changes by the factor 1/scale.
  RICOCHET_HD void rescale(T scale) {
    m *= scale;
    F *= scale;
    m_back_ *= scale;
    F_back_ *= scale;
    m_stop_ *= scale;
    F_stop_ *= scale;
  }
  RICOCHET_HD void end_compression() {
    compressing = false;
    m_back_ = F_back_ = T(0);
    m_stop_ = e_ * m;
    F_stop_ = -e_ * e_ * F;
  }
  /// V_n as the rule asks for it at the end.
  RICOCHET_HD void land() {
    if (kind_ == Restitution::newton) v_n = v_stop_;
  }

  /// How far restitution goes on while V_n changes at the constant rate k; infinite: it never ends.
  /// `work` is what the motion adds to F besides.
  [[nodiscard]] RICOCHET_HD T straight_length(T k, T work = T(0)) const {
    using std::sqrt;
    const T infinity = std::numeric_limits<T>::infinity();
    if (kind_ == Restitution::poisson) return m_stop_ - m_back_;
    if (kind_ == Restitution::newton) return k > T(0) ? (v_stop_ - v_n) / k : infinity;
    // ½ k x² + v_n x = R, the first root, in the form without cancellation.
    const T R = F_stop_ - F_back_ - work;
    const T disc = v_n * v_n + T(2) * k * R;
    if (!(disc >= T(0))) return infinity;
    const T den = v_n + sqrt(disc);
    return R <= T(0) ? T(0) : den > T(0) ? T(2) * R / den : infinity;
  }

  /// How far a restitution with e = 0 goes: not at all, but with e it grows at this rate. k is that of V_n.
  [[nodiscard]] RICOCHET_HD T plastic_length(T k) const {
    using std::sqrt;
    if (kind_ == Restitution::poisson) return e_ * m;
    if (kind_ == Restitution::newton) return v_stop_ / k;
    return e_ * sqrt(T(-2) * F / k);  // ½ k x² = −e² F
  }

  /// How far the present phase would go at the present rate k > 0.
  [[nodiscard]] RICOCHET_HD T expected_length(T k) const {
    using std::sqrt;
    if (compressing) return -v_n / k;
    if (kind_ == Restitution::poisson) return m_stop_ - m_back_;
    if (kind_ == Restitution::newton) return (v_stop_ - v_n) / k;
    const T R = F_stop_ - F_back_;
    return T(2) * R / (v_n + sqrt(v_n * v_n + T(2) * k * R));
  }

  /// How much impulse is still to come until the end of the impact, at the present rate k > 0.
  [[nodiscard]] RICOCHET_HD T expected_whole(T k) const {
    if (!compressing) return expected_length(k);
    const T to_turn = -v_n / k;
    return to_turn + (kind_ == Restitution::poisson ? e_ * (m + to_turn) : v_stop_ / k);
  }

  /// What a motion that adds dm and dF and leaves V_n at v exceeds the end of the phase by.
  [[nodiscard]] RICOCHET_HD T excess(T dm, T dF, T v) const {
    if (compressing) return v;
    if (kind_ == Restitution::poisson) return (m_back_ + dm) - m_stop_;
    if (kind_ == Restitution::newton) return v - v_stop_;
    return (F_back_ + dF) - F_stop_;
  }
  /// The rate of it, where m changes at the rate dm and V_n at k for each unit of m.
  [[nodiscard]] RICOCHET_HD T excess_rate(T dm, T k, T v) const {
    if (compressing || kind_ == Restitution::newton) return k * dm;
    return kind_ == Restitution::poisson ? dm : v * dm;
  }
  /// Work of restitution at its end, of which the root is nearly linear in m.
  [[nodiscard]] RICOCHET_HD T work_at_end() const { return F_stop_; }

  /// The values alone.
  [[nodiscard]] RICOCHET_HD RestitutionRule<ValueScalar<T>> values() const {
    if constexpr (is_dual<T>) {
      RestitutionRule<ValueScalar<T>> out(kind_, value_of(e_), ValueScalar<T>(0));
      out.take(*this);
      return out;
    } else {
      return *this;
    }
  }

 private:
  template <class U>
  friend class RestitutionRule;
  template <class U>
  void take(const RestitutionRule<U>& from) {
    m = value_of(from.m);
    F = value_of(from.F);
    v_n = value_of(from.v_n);
    compressing = from.compressing;
    v_stop_ = value_of(from.v_stop_);
    m_back_ = value_of(from.m_back_);
    F_back_ = value_of(from.F_back_);
    m_stop_ = value_of(from.m_stop_);
    F_stop_ = value_of(from.F_stop_);
  }

  Restitution kind_;
  T e_;
  T v_stop_;
  T m_back_ = T(0), F_back_ = T(0);  ///< since compression ended
  T m_stop_ = T(0), F_stop_ = T(0);  ///< where restitution ends
};

}  // namespace ricochet::routh
