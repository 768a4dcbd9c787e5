#pragma once
/// When compression and restitution end: Poisson's, Stronge's and Newton's meaning of e in one place (R3),
/// docs/laws/routh.md.

#include <cmath>
#include <limits>

#include "ricochet/law/outcome.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/law/routh/slip_panel.hpp"

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
  /// Whether the end depends on V_n and its integral, and not on the normal impulse alone.
  [[nodiscard]] RICOCHET_HD bool needs_velocity() const { return kind_ != Restitution::poisson; }
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

  /// Whether the present phase outlasts a motion that adds dm and dF and leaves V_n at v_end, provided that V_n is
  /// monotone on the way.
  [[nodiscard]] RICOCHET_HD bool outlasts(T dm, T dF, T v_end) const {
    if (compressing) return v_end < T(0);
    if (!(v_end > T(0))) return false;
    if (kind_ == Restitution::poisson) return m_back_ + dm < m_stop_;
    if (kind_ == Restitution::newton) return v_end < v_stop_;
    return F_back_ + dF < F_stop_;
  }

  /// The function of z on the panel that comes up to zero where restitution ends, and its derivative. `outlasts_panel`
  /// is true, and nothing else done, where that is seen not to happen at all.
  struct EndFunction {
    typename SlipPanel<T>::Samples f, slope;
    bool outlasts_panel = false;
  };
  RICOCHET_HD void end_function(const SlipPanel<T>& panel, bool look_closer, EndFunction& end) const {
    using Nodes = typename SlipPanel<T>::Nodes;
    const Nodes& node = SlipPanel<T>::nodes();
    if (kind_ == Restitution::poisson) {
      end.outlasts_panel = !look_closer && m_back_ + panel.half * Nodes::dot(node.whole, panel.flow) < m_stop_;
      if (end.outlasts_panel) return;
      node.integrate(panel.flow, panel.half, m_back_ - m_stop_, end.f);
      for (std::size_t j = 0; j < Nodes::size; ++j) end.slope[j] = panel.half * panel.flow[j];
    } else if (kind_ == Restitution::stronge) {
      for (std::size_t j = 0; j < Nodes::size; ++j) end.slope[j] = panel.half * panel.v_n[j] * panel.flow[j];
      node.integrate(end.slope, T(1), F_back_ - F_stop_, end.f);
    } else {
      for (std::size_t j = 0; j < Nodes::size; ++j) {
        end.f[j] = panel.v_n[j] - v_stop_;
        end.slope[j] = panel.half * panel.k[j] * panel.flow[j];
      }
    }
  }

 private:
  Restitution kind_;
  T e_;
  T v_stop_;
  T m_back_ = T(0), F_back_ = T(0);  ///< since compression ended
  T m_stop_ = T(0), F_stop_ = T(0);  ///< where restitution ends
};

}  // namespace ricochet::routh
