#pragma once
/// Where compression or restitution ends on a series of slip: the place at which a rising function is zero, by Halley's
/// iteration inside a bracket, docs/laws/routh.md.

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/law/routh/restitution_rule.hpp"
#include "ricochet/law/routh/slip_series.hpp"

namespace ricochet::routh {

/// What ends.
enum class PhaseGoal : std::uint8_t {
  none,
  rule,           ///< the present phase, by the rule
  falls_to_zero,  ///< restitution, because V_n falls to zero again
};

/// Looks from a place on, where V_n and the rest are those of the rule.
template <class S>
class PhaseEnd {
 public:
  RICOCHET_HD PhaseEnd(const SlipSeries<S>& series, const RestitutionRule<S>& rule, const SlipPlace<S>& from,
                       PhaseGoal goal)
      : series_(series), rule_(rule), from_(from), goal_(goal) {}

  [[nodiscard]] RICOCHET_HD S v_n(const SlipPlace<S>& a) const { return rule_.v_n + (a.rise - from_.rise); }
  [[nodiscard]] RICOCHET_HD S impulse(const SlipPlace<S>& a) const { return a.lambda - from_.lambda; }
  [[nodiscard]] RICOCHET_HD S work(const SlipPlace<S>& a) const {
    return (rule_.v_n - from_.rise) * impulse(a) + (a.lift - from_.lift);
  }
  [[nodiscard]] RICOCHET_HD bool reached(const SlipPlace<S>& a) const {
    if (goal_ == PhaseGoal::falls_to_zero) return v_n(a) < S(0);
    return rule_.excess(impulse(a), work(a), v_n(a)) >= S(0);
  }

  /// The place between `from` and `to`, at which it is reached.
  [[nodiscard]] RICOCHET_HD SlipPlace<S> find(const SlipPlace<S>& to) const {
    using std::abs;
    const S span = to.z - from_.z;
    const Level a = level(from_), b = level(to);
    // Cubic interpolation of the inverse function.
    const S df = b.f - a.f, u = -a.f / df, v = S(1) - u;
    S z = from_.z + span * (u * u * (S(3) - S(2) * u)) + u * v * df * (v / a.slope - u / b.slope);
    S low = from_.z, high = to.z;
    if (!(z > low && z < high)) z = low + u * span;
    SlipPlace<S> p = to;
    for (int i = 0; i < 100; ++i) {
      if (!(z > low && z < high)) {
        z = low + (high - low) / S(2);
        if (!(z > low && z < high)) return p;
      }
      p = series_.at(z);
      const Level here = level(p);
      (here.f < S(0) ? low : high) = z;
      const S newton = -here.f / here.slope;
      const S curve = here.curve * newton / S(2);
      const S step = abs(curve) < S(0.5) ? newton / (S(1) + curve) : newton;
      if (abs(step) <= close() * p.reach && abs(step * p.bend) <= close() && abs(curve) <= close()) {
        series_.shift(p, step);
        return p;
      }
      if (abs(step) <= S(2) * eps * abs(z)) return p;
      z += step;
    }
    return p;
  }

 private:
  static constexpr S eps = std::numeric_limits<S>::epsilon();
  /// What is left after a step of this size is of third order.
  RICOCHET_HD static constexpr S close() {
    return std::numeric_limits<S>::digits > 53 ? S(1e-7) : std::numeric_limits<S>::digits > 24 ? S(2e-6) : S(1e-3);
  }

  struct Level {
    S f, slope, curve;  ///< curve: f''/f'
  };
  [[nodiscard]] RICOCHET_HD Level level(const SlipPlace<S>& a) const {
    using std::sqrt;
    const S k = series_.rise_rate(a.cs, a.sn), v = v_n(a);
    const S of_k = a.bend + series_.rise_slope(a.cs, a.sn) * a.turn / k;
    if (goal_ == PhaseGoal::falls_to_zero) return {-v, -k * a.rate, of_k};
    if (rule_.compressing || rule_.ends_at_velocity()) return {rule_.excess(S(0), S(0), v), k * a.rate, of_k};
    if (!rule_.needs_work()) return {rule_.excess(impulse(a), S(0), v), a.rate, a.bend};
    // The root of the work is nearly linear.
    const S stop = rule_.work_at_end(), done = rule_.excess(S(0), work(a), v) + stop;
    const S root = done > S(0) ? S(sqrt(done)) : S(0), f = root - sqrt(stop);
    if (!(v > S(0)) || !(root > S(0))) return {f, sqrt(k > S(0) ? k / S(2) : S(0)) * a.rate, S(0)};
    const S slope = v * a.rate / (S(2) * root);
    return {f, slope, a.bend + k * a.rate / v - slope / root};
  }

  const SlipSeries<S>& series_;
  const RestitutionRule<S>& rule_;
  SlipPlace<S> from_;
  PhaseGoal goal_;
};

}  // namespace ricochet::routh
