#pragma once
/// A sledge that slides in space on undamped springs, step by step to the first event, docs/laws/spring-sledge.md (L20)
/// to (L22).

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/bracketed_secant.hpp"
#include "ricochet/compliant/slip_step.hpp"

namespace ricochet::compliant {

/// Between two steps.
template <class T>
struct SlipState {
  SlipStart<T> at;
  Vec3T<T> P = Vec3T<T>::Zero();  ///< impulse since first touch
  T friction_loss = T(0);
  T time = T(0);
};

enum class SlipEnd : std::uint8_t {
  stop,    ///< the sledge stops
  turn,    ///< the bodies turn
  peak,    ///< the force is back at its peak
  closed,  ///< there is no force left
  lost,    ///< steps fell below rounding
  limit,   ///< more steps or evaluations than allowed
};

/// The last impulse, over which the velocity hardly changes (L22).
template <class T>
struct SlipTail {
  T J = T(0);                             ///< normal impulse
  Vec2T<T> direction = Vec2T<T>::Zero();  ///< mean direction of slip, times its length
  bool closes = false;                    ///< to rounding

  /// From where the plane begins; `gathered` is the impulse that rounding is measured by. `beside`: a change of the
  /// direction by so much must not matter either.
  RICOCHET_HD SlipTail(const SpatialSledge<T>& p, const SlipPlane<T>& plane, T gathered, T beside) {
    using std::abs;
    using std::sqrt;
    const SlipStart<T>& from = plane.from;
    const T v_n = from.v(0), mu = p.mu, none = std::numeric_limits<T>::epsilon() / T(4) * gathered;
    if (!(v_n > T(0)) || !(plane.end < std::numeric_limits<T>::infinity())) return;
    J = plane.end;
    T X = T(1), Y = T(0);
    closes = (T(1) + mu) * J <= none || !(mu > T(0));
    if (!closes) {
      const T v1 = plane.along, v2 = plane.across, speed = sqrt(v1 * v1 + v2 * v2);
      if (!(speed + v1 > T(2) * abs(v2))) return;  // turned away too far: shorter still
      // ln N falls, and the angle to the velocity with it as N^{2a}, while the velocity turns by r J/speed.
      const T tangent = -v2 / (speed + v1), pull = p.kappa / (T(2) * from.k_n * mu * v_n), a = pull * speed;
      const T angle = T(2) * abs(tangent) + beside;
      const T size =
          abs(plane.drag1) + abs(plane.drag2) + mu * (abs(plane.c11) + abs(plane.c22) + T(2) * abs(plane.c12)) * angle;
      const T bend = mu * (abs(plane.b1) + abs(plane.b2));
      const T turned = J * pull * (abs(plane.drag2) + size * angle) / (T(1) + a);
      const T changed = J * (size * pull / (T(1) + a) + (abs(plane.lift) + bend) / v_n);
      const T error = mu * J * (turned * turned + changed * angle) + J * J * bend * (angle + turned) / v_n;
      // The sledge must not stop on the way, nor the bodies turn back.
      const T wobble = angle + turned, normal = mu * from.k_n, tangential = p.kappa;
      const T speed_now = tangential * v1 + normal * v_n;
      const T speed_then = speed_now + (tangential * plane.drag1 + normal * plane.lift) * J;
      const T doubt = wobble * (J * (tangential * size + normal * bend) + tangential * speed * turned);
      const T slowest = speed_now < speed_then ? speed_now : speed_then;
      closes = error <= none && slowest > doubt && plane.swing > bend * wobble * J;
      if (!closes) return;
      const T square = tangent * tangent;
      T power = T(1), cosine = T(1), sine = tangent / (a + T(1));
      for (int k = 1; k < 40; ++k) {
        power *= -square;
        cosine += T(2) * power / (T(2) * a * T(k) + T(1));
        sine += tangent * power / (a * T(2 * k + 1) + T(1));
        if (abs(power) < T(0.1L) * std::numeric_limits<T>::epsilon()) break;
      }
      sine *= T(2);
      X = (v1 * cosine - v2 * sine) / speed;
      Y = (v2 * cosine + v1 * sine) / speed;
      Y += J * pull * plane.drag2 / (T(2) * (T(1) + a)) * X;
    }
    direction = Vec2T<T>(from.eta(0) * X - from.eta(1) * Y, from.eta(1) * X + from.eta(0) * Y);
  }
};

/// `timed`: whether the state knows its time.
template <class T, bool timed>
class UndampedSlip {
 public:
  using Step = SlipStep<T>;
  using Event = typename Step::Event;

  RICOCHET_HD explicit UndampedSlip(const SpatialSledge<T>& problem) : p_(problem) {}

  /// From `state`, which becomes the one at the end. `loading` and `hysteretic` tell which events there are. The
  /// watcher is shown every step and the state before it, `passed(step, state)`, and where the tail begins,
  /// `closed(step, gathered)`. It may ask for shorter steps: `share(step)` is what it finds unresolved, in the measure
  /// of the direction, and `beside()` by how much the direction might be another.
  template <class Watcher>
  RICOCHET_HD SlipEnd follow(SlipState<T>& state, bool loading, bool hysteretic, int& evaluations, int most_evaluations,
                             Watcher&& watcher) const {
    Step step(p_);
    T length = T(0);
    bool straight = false;
    const int spent = evaluations;
    for (int count = 0; count < most_steps; ++count) {
      step.begin(state.at);
      const T v_n = state.at.v(0);
      if (loading && (v_n > T(0) || (v_n == T(0) && step.lift > T(0)))) return SlipEnd::turn;
      if (v_n > T(0)) {
        const T gathered = T(1) + state.P(0);
        const SlipTail<T> tail(p_, step, gathered, watcher.beside());
        if (tail.closes) {
          watcher.closed(step, gathered);
          close(state, step, tail);
          return SlipEnd::closed;
        }
      }
      if (!(length > T(0)) || straight != step.straight) length = first_length(step);
      straight = step.straight;
      // The bodies turn where they would in the plane, or nearly so.
      const T turn = loading && step.lift > T(0) ? step.length_to(-v_n / step.lift) : length;
      if (loading && turn < length) length = turn;
      // What the direction does matters as far as there is impulse left.
      const T rest = p_.mu * step.end / (T(1) + state.P(0)), matters = rest < T(1) ? rest : T(1);
      const bool solved = step.solve(length, accuracy_for(matters));
      const T tolerance = tolerance_at(state, matters), share = solved ? share_of(state, step, watcher) : T(1);
      evaluations = spent + step.evaluations();
      if (evaluations > most_evaluations) return SlipEnd::limit;
      Found found;
      if (share <= tolerance) {
        found = first_event(step, loading, hysteretic);
        if (found.event != Event::none && !(found.where > T(0))) return end_of(found.event);
        if (found.event != Event::none) found.lost = !step_to(step, found, noise_at(state, found.event));
        // Beyond the step there was nothing to see of the sledge.
        if (found.event == Event::turn && found.where > T(1) && !found.lost && p_.mu > T(0)) {
          const T where = first_fall(step, Event::stop, T(1));
          if (where <= T(1)) {
            found = {Event::stop, where};
            found.lost = !step_to(step, found, noise_at(state, found.event));
          }
        }
      }
      if (!(share <= tolerance) || found.lost) {
        length *= found.lost ? T(0.7L) : solved ? factor(tolerance, share, T(0.1L), T(0.9L)) : T(0.4L);
        if (!(length > T(1e-30L))) return SlipEnd::lost;
        continue;
      }
      watcher.passed(step, state);
      advance(state, step);
      if (found.event != Event::none) {
        land(state, step, found.event);
        evaluations = spent + step.evaluations();
        return end_of(found.event);
      }
      length = step.length() * factor(tolerance, share, T(0.5L), T(3));
      if (!straight && length > T(6)) length = T(6);
    }
    return SlipEnd::limit;
  }

  /// The state after a solved step.
  RICOCHET_HD void advance(SlipState<T>& state, const Step& step) const {
    const Vec3T<T> P = step.impulse();
    state.at.Q = step.pressure();
    state.at.v += p_.A * P;
    state.at.eta = step.direction();
    state.P += P;
    state.friction_loss += step.friction_loss();
    if constexpr (timed) state.time += step.time();
  }

 private:
  static constexpr int most_steps = 400000;

  struct Found {
    Event event = Event::none;
    T where = T(2);     ///< fraction of the step
    bool lost = false;  ///< no step led there
  };

  RICOCHET_HD static SlipEnd end_of(Event event) {
    return event == Event::stop ? SlipEnd::stop : event == Event::turn ? SlipEnd::turn : SlipEnd::peak;
  }

  /// Changes the step to one that ends at the event, to more digits than matter: all is of second order in the rest.
  RICOCHET_HD static bool step_to(Step& step, const Found& found, T noise) {
    using std::abs;
    T by = found.where;
    for (int i = 0; i < 5; ++i) {
      if (!step.rescale(by)) return false;
      if (abs(step.at_node(found.event, Step::s - 1)) <= noise) return true;
      const T slope = step.slope(found.event);
      if (!(slope < T(0))) return true;
      by = T(1) - step.at_node(found.event, Step::s - 1) / (slope * step.weights()[Step::s - 1]);
      if (abs(by - T(1)) <= T(1e-10L)) return true;
      if (!(by > T(0.5L) && by < T(1.5L))) return false;
    }
    return false;
  }

  /// What rounding of velocity and force makes of the function that falls through zero: a stiff spring magnifies it.
  [[nodiscard]] RICOCHET_HD T noise_at(const SlipState<T>& state, Event event) const {
    using std::abs;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    if (event == Event::peak) return eps * state.at.peak * state.at.peak;
    const auto gained = [&](int i) {
      return abs(p_.A(i, 0) * state.P(0)) + abs(p_.A(i, 1) * state.P(1)) + abs(p_.A(i, 2) * state.P(2));
    };
    if (event == Event::turn) return eps * (T(1) + gained(0));
    return eps * p_.kappa * (p_.v_t.norm() + gained(1) + gained(2));
  }

  /// What is left of the way there is straight.
  RICOCHET_HD void land(SlipState<T>& state, const Step& step, Event event) const {
    const T slope = step.slope(event);
    if (!(slope < T(0))) return;
    const T J = -step.at_node(event, Step::s - 1) / slope, turned = step.spin() * J;
    const Vec2T<T> eta = state.at.eta;
    const Vec3T<T> P(J, -p_.mu * J * eta(0), -p_.mu * J * eta(1));
    state.at.Q -= T(2) * state.at.k_n * state.at.v(0) * J;
    state.at.eta += turned * Vec2T<T>(-eta(1), eta(0));
    state.at.eta /= state.at.eta.norm();
    if (p_.mu > T(0) && event == Event::turn) {
      const T speed = state.at.v(1) * eta(0) + state.at.v(2) * eta(1);
      state.friction_loss += p_.mu * J * (speed + p_.mu / p_.kappa * state.at.k_n * state.at.v(0));
    }
    state.at.v += p_.A * P;
    state.P += P;
  }

  RICOCHET_HD void close(SlipState<T>& state, const Step& step, const SlipTail<T>& tail) const {
    const Vec3T<T> P(tail.J, -p_.mu * tail.J * tail.direction(0), -p_.mu * tail.J * tail.direction(1));
    const Vec3T<T> change = p_.A * P, mean = state.at.v + change / T(2);
    if (p_.mu > T(0))
      state.friction_loss += p_.mu * (p_.mu / p_.kappa) * state.at.Q / T(2) - P(1) * mean(1) - P(2) * mean(2);
    if constexpr (timed) state.time += step.time_left();
    state.at.Q = T(0);
    state.at.v += change;
    state.P += P;
  }

  /// In the plane, a step that ends at the turn or leaves a tenth of the impulse.
  [[nodiscard]] RICOCHET_HD T first_length(const Step& step) const {
    using std::abs;
    if (!step.straight) return T(1.2L);
    return abs(step.from.v(0) / step.lift);
  }

  /// Of the iteration.
  [[nodiscard]] RICOCHET_HD static T accuracy_for(T matters) {
    constexpr T eps = std::numeric_limits<T>::epsilon();
    return matters > T(1e-6L) ? eps / matters : eps * T(1e6L);
  }

  /// How much of the highest polynomial a step may have: its end is better by about the square of that, except where
  /// the equations are singular at its start.
  [[nodiscard]] RICOCHET_HD static T tolerance_at(const SlipState<T>& state, T matters) {
    using std::sqrt;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    if (!(state.at.Q > T(0))) return T(3e4L) * eps;
    const T square = eps / matters, most = T(1e-8L);
    return T(1.5L) * sqrt(square < most ? square : most);
  }

  /// Of the highest polynomial, with the impulse across the slip in the measure of the direction.
  template <class Watcher>
  [[nodiscard]] RICOCHET_HD T share_of(const SlipState<T>& state, const Step& step, const Watcher& watcher) const {
    using std::abs;
    using std::sqrt;
    const T own = step.unresolved(), asked = watcher.share(step), turned = own > asked ? own : asked;
    const T side = abs(step.Y()[Step::s - 1]);
    if (!(state.at.Q > T(0)) || !(side > T(0))) return turned;
    // Its end is off by the square of its share, and so is P: (unresolved/side)² side of the rest.
    const T rest = step.end < T(1) + state.P(0) ? step.end : T(1) + state.P(0);
    const T impulse = T(0.05L) * step.unresolved_impulse() / sqrt(side * rest);
    return impulse > turned ? impulse : turned;
  }

  RICOCHET_HD static T factor(T tolerance, T share, T least, T most) {
    using std::pow;
    const T floor = T(1e-30L);
    const T out = T(0.9L) * pow(tolerance / (share > floor ? share : floor), T(1) / T(Step::s));
    return out < least ? least : out > most ? most : out;
  }

  RICOCHET_HD Found first_event(const Step& step, bool loading, bool hysteretic) const {
    Found first;
    const auto look = [&](Event event, T beyond) {
      const T where = first_fall(step, event, beyond);
      if (where < first.where) first = {event, where};
    };
    if (p_.mu > T(0)) look(Event::stop, T(1));
    if (loading) look(Event::turn, T(1.1L));
    if (!loading && hysteretic) look(Event::peak, T(1));
    return first;
  }

  /// Looks at the nodes, between them wherever three of them show a valley, and a little beyond the step.
  RICOCHET_HD static T first_fall(const Step& step, Event event, T beyond) {
    constexpr std::size_t s = Step::s;
    T where[s + 1], value[s + 1];
    where[0] = T(0);
    value[0] = step.before(event);
    bool ever = value[0] > T(0);
    for (std::size_t i = 1; i <= s; ++i) {
      where[i] = step.table().c[i - 1];
      value[i] = step.at_node(event, i - 1);
      ever = ever || value[i] > T(0);
    }
    if (!ever) return value[s] < T(0) ? T(0) : T(2);  // began on the border by rounding, and falls
    for (std::size_t i = 1; i <= s; ++i) {
      if (value[i] <= T(0) && value[i - 1] > T(0)) return refine(step, event, where[i - 1], where[i]);
      if (i < s && value[i] > T(0) && value[i] < value[i - 1] && value[i] < value[i + 1]) {
        const T a = where[i - 1] - where[i], b = where[i + 1] - where[i];
        const T p = (value[i - 1] - value[i]) / a, q = (value[i + 1] - value[i]) / b;
        const T curve = (q - p) / (b - a), slope = p - curve * a;
        if (!(curve > T(0))) continue;
        const T lowest = where[i] - slope / (T(2) * curve);
        if (!(lowest > where[i - 1] && lowest < where[i + 1])) continue;
        if (step.between(event, lowest) <= T(0))
          return refine(step, event, lowest > where[i] ? where[i] : where[i - 1], lowest);
      }
    }
    if (beyond > T(1) && step.between(event, beyond) <= T(0)) return refine(step, event, T(1), beyond);
    return T(2);
  }

  RICOCHET_HD static T refine(const Step& step, Event event, T lo, T hi) {
    const auto value = [&](T where) { return step.between(event, where); };
    return bracketed_secant<T>(value, lo, value(lo), hi, value(hi), T(1e-14L)).hi;
  }

  SpatialSledge<T> p_;
};

}  // namespace ricochet::compliant
