#pragma once
/// Follows a small system of ordinary differential equations by implicit collocation to the first of two events. Knows
/// nothing of contact.
///
/// A System has
///   State                                  std::array<T, n>
///   void slope(x, d)                       d = x'
///   bool ends(x)                           asked before every step: the run is over here, and was closed
///   T stiffness(x), State scale(x)         as RadauStep::solve takes them
///   T longest(x)                           step that must not be exceeded
///   T first(x), T second(x)                events: they fall through zero
///   void passed(step, t, length)           told of every step taken, which began t after the start

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/bracketed_secant.hpp"
#include "ricochet/compliant/radau_step.hpp"

namespace ricochet::compliant {

enum class StepEnd : std::uint8_t {
  on,      ///< one step further, no event
  retry,   ///< not resolved: the step is shorter now
  first,   ///< at the first event
  second,  ///< at the second event
  closed,  ///< System::ends
  lost,    ///< steps fell below rounding
  limit,   ///< more steps or evaluations than allowed
};

/// What a run may spend.
struct StepBudget {
  int steps;
  int evaluations;
};

template <class T, int n>
class EventStepper {
 public:
  using Step = RadauStep<T, n>;
  using State = typename Step::State;

  RICOCHET_HD explicit EventStepper(T h) : h_(h) {}

  /// Length of the next step, carried over from one call of `follow` to the next.
  RICOCHET_HD void set_step(T h) { h_ = h; }

  /// From x to the first event; x becomes the state there, and t the length of the way. `evaluations` is added to.
  template <class System>
  RICOCHET_HD StepEnd follow(System& system, State& x, T& t, int& evaluations, const StepBudget& budget) {
    Step step;
    t = T(0);
    for (int count = 0;; ++count) {
      if (system.ends(x)) return StepEnd::closed;
      if (count > budget.steps || evaluations > budget.evaluations) return StepEnd::limit;
      const T longest = system.longest(x);
      if (h_ > longest) h_ = longest;
      T length = T(0);
      const StepEnd end = advance(step, system, x, length, evaluations);
      if (end == StepEnd::lost) return end;
      if (end == StepEnd::retry) continue;
      if (length > T(0)) {
        system.passed(step, t, length);
        x = step.end();
        t += length;
      }
      if (end != StepEnd::on) return end;
    }
  }

 private:
  static constexpr T eps = std::numeric_limits<T>::epsilon();
  static constexpr T resolution = T(1e-10L);  ///< share of the highest polynomial; the step's end is far better

  /// By one step, or to the first event before its end. `length` is how far it went, and `step` holds the states there.
  template <class System>
  RICOCHET_HD StepEnd advance(Step& step, const System& system, const State& x, T& length, int& evaluations) {
    using std::abs;
    const auto slope = [&system](const State& y, State& d) { system.slope(y, d); };
    const auto first = [&system](const State& y) { return system.first(y); };
    const auto second = [&system](const State& y) { return system.second(y); };
    const T stiffness = system.stiffness(x);
    const State scale = system.scale(x);
    step.evaluations = 0;
    const bool converged = step.solve(slope, x, h_, stiffness, scale);
    evaluations += step.evaluations;
    const T share = converged ? step.unresolved(scale) : std::numeric_limits<T>::infinity();
    if (!(share <= resolution)) {
      h_ *= share < T(1e3) ? shrink(share) : T(0.4L);
      return h_ > T(1e-30L) ? StepEnd::retry : StepEnd::lost;
    }
    const T first_at = first_event(step, x, first), second_at = first_event(step, x, second);
    if (first_at > T(1) && !(second_at < T(1))) {
      length = h_;
      h_ = next_step(h_, share, step.iterations);
      return StepEnd::on;
    }
    const bool is_first = first_at <= T(1) && !(second_at < first_at);
    const auto event = [&](const State& y) { return is_first ? first(y) : second(y); };
    // A separate step to the event: the polynomial is less accurate inside the step than at its end.
    length = h_ * (is_first ? first_at : second_at);
    for (int i = 0; i < 6 && length > T(0); ++i) {
      step.evaluations = 0;
      if (!step.solve(slope, x, length, stiffness, scale)) break;
      evaluations += step.evaluations;
      const State& y = step.end();
      State d{}, nudged = y;
      slope(y, d);
      const T g = event(y), small = T(1e-6L) * length;
      for (std::size_t k = 0; k < y.size(); ++k) nudged[k] += small * d[k];
      const T slope_g = (event(nudged) - g) / small;
      const T move = slope_g < T(0) ? -g / slope_g : T(0);
      if (abs(move) <= T(4) * eps * length || !(length + move > T(0)) || abs(move) > T(0.1L) * length) break;
      length += move;
    }
    return is_first ? StepEnd::first : StepEnd::second;
  }

  RICOCHET_HD static T shrink(T share) {
    using std::pow;
    const T least = T(1e-20L);
    return T(0.9L) * pow(resolution / (share > least ? share : least), T(1) / T(Step::s));
  }

  /// As long as the resolution allows, but not so long that the iteration becomes slow.
  RICOCHET_HD static T next_step(T h, T share, int iterations) {
    const T resolved = shrink(share), easy = T(12) / T(iterations);
    const T factor = resolved < easy ? resolved : easy;
    return h * (factor < T(4) ? factor : T(4));
  }

  /// Fraction of the step at which g first falls through zero, or 2. Looks at the nodes, and between them wherever
  /// three of them show a valley.
  template <class G>
  RICOCHET_HD static T first_event(const Step& step, const State& x0, const G& g) {
    constexpr int s = Step::s;
    T where[s + 1], value[s + 1];
    where[0] = T(0);
    value[0] = g(x0);
    for (int i = 0; i < s; ++i) {
      where[i + 1] = step.node(i);
      value[i + 1] = g(step.stage(i));
    }
    for (int i = 1; i <= s; ++i) {
      if (value[i] <= T(0) && value[i - 1] > T(0)) return refine(step, g, where[i - 1], where[i]);
      // Began on the border by rounding, and falls.
      if (i == s && value[s] < T(0) && value[0] <= T(0)) {
        bool ever = false;
        for (int k = 0; k < s; ++k) ever = ever || value[k] > T(0);
        if (!ever) return T(0);
      }
      if (i < s && value[i] > T(0) && value[i] < value[i - 1] && value[i] < value[i + 1]) {
        const T a = where[i - 1] - where[i], b = where[i + 1] - where[i];
        const T p = (value[i - 1] - value[i]) / a, q = (value[i + 1] - value[i]) / b;
        const T curve = (q - p) / (b - a), slope = p - curve * a;
        if (!(curve > T(0))) continue;
        const T lowest = where[i] - slope / (T(2) * curve);
        if (!(lowest > where[i - 1] && lowest < where[i + 1])) continue;
        if (g(step.at(lowest)) <= T(0)) return refine(step, g, lowest > where[i] ? where[i] : where[i - 1], lowest);
      }
    }
    return T(2);
  }

  template <class G>
  RICOCHET_HD static T refine(const Step& step, const G& g, T lo, T hi) {
    const auto value = [&](T where) { return g(step.at(where)); };
    return bracketed_secant<T>(value, lo, value(lo), hi, value(hi), T(1e-14L)).hi;
  }

  T h_;
};

}  // namespace ricochet::compliant
