#pragma once
/// The spring-sledge contact in space, and with viscous dampers also in a plane, docs/laws/spring-sledge.md (L15) to
/// (L22). Sticking on undamped springs is solved by its modes, sliding on them over the normal impulse, everything else
/// by implicit collocation in time.

#include <cmath>
#include <limits>
#include <type_traits>

#include "ricochet/base/constants.hpp"
#include "ricochet/compliant/damped_stick.hpp"
#include "ricochet/compliant/event_stepper.hpp"
#include "ricochet/compliant/first_touch.hpp"
#include "ricochet/compliant/sledge_run.hpp"
#include "ricochet/compliant/slip_flow.hpp"
#include "ricochet/compliant/stick_modes.hpp"
#include "ricochet/compliant/undamped_slip.hpp"

namespace ricochet::compliant {

/// Null observer. Every observer is called with the state at first touch and at the end of each phase; one that is
/// `inside` is also asked for `T next()`, the next time at which it wants the state before the phase ends (infinity for
/// none), and then given it by `during(state)`.
struct UnobservedSpace {
  static constexpr bool inside = false;
  template <class State>
  RICOCHET_HD void operator()(const State&) const {}
};

/// Whether an observer follows the run itself, to differentiate it: it has a type `Follows`, and is told how each phase
/// went. `begins(sticks, along)` at first touch, with the displacement over time; `phase_begins(state, q, direction)`;
/// on undamped springs `stuck(modes, time, end)`, `slide_share(step)` and `slide_step(step)` with every step that is
/// tried and taken, `slide_ended(end)`, and `slide_closed(step, gathered, beside)` where the last impulse follows; on a
/// viscous damper `stick_step`, `slip_step(step, length)`, `stick_ended`, `slip_ended(x, end)`, `slip_closed(x,
/// decays)`.
template <class Observer>
inline constexpr bool follows_run = requires {
  typename std::remove_reference_t<Observer>::Follows;
};

/// Whether an observer wants to know the time of a state; one with a type `Timeless` does not.
template <class Observer>
inline constexpr bool timed = !requires {
  typename std::remove_reference_t<Observer>::Timeless;
};

namespace spatial {

inline constexpr int most_phases = 200'000;
inline constexpr int most_evaluations = 10'000'000;

template <class T, class Observer>
class Run : public SledgeRun<T, Run<T, Observer>> {
  using Base = SledgeRun<T, Run<T, Observer>>;
  friend Base;

 public:
  RICOCHET_HD Run(const SpatialSledge<T>& problem, Observer& observer)
      : Base(problem.e, problem.damper), p_(problem), observer_(observer) {}

  RICOCHET_HD SpatialOutcome<T> run() {
    begin();
    this->run_phases(most_phases, most_evaluations, out_.phases, out_.evaluations);
    out_.state = s_;
    out_.stop = this->stop_;
    return out_;
  }

 private:
  using Base::change;
  using Base::finish;
  using Base::spring_;
  using Slip = SlipFlow<T>;
  using Stick = DampedStick<T>;
  static constexpr T infinity = std::numeric_limits<T>::infinity();

  /// First touch (L5): the sledge moves at once if the ratio of the two forces, which start from zero, leaves the cone.
  RICOCHET_HD void begin() {
    s_.v = Vec3T<T>(T(-1), p_.v_t(0), p_.v_t(1));
    if (spring_.linear()) s_.N = q_ = spring_.coefficient();
    const T slope = spring_.first_slope();
    Vec2T<T> along = p_.v_t;
    bool slides = p_.mu == T(0) || (s_.N == T(0) && p_.kappa * along.norm() > p_.mu * slope);
    if (!slides && spring_.hunt_crossley()) {
      along = first_deflection(p_, spring_);
      slides = p_.kappa * along.norm() > p_.mu * slope;
    }
    s_.sticks = !slides;
    if (slides && along.norm() > T(0)) s_.eta = along / along.norm();
    observer_(s_);
    if constexpr (follows_run<Observer>) observer_.begins(s_.sticks, along);
    if (slides) direction_ = along.norm() > T(0) ? s_.eta : Vec2T<T>(T(1), T(0));
    if (slides && spring_.hunt_crossley()) enter(first_slip(p_, spring_, s_, along));
    if (!slides && spring_.hunt_crossley()) {
      enter(first_stick(p_, spring_, s_, along));
      stick_stepper_.set_step(s_.time);  // the cone may be near
    }
  }
  RICOCHET_HD void enter(const FirstTouch<T>& first) {
    s_ = first.state;
    q_ = first.q;
    angle_ = first.angle;
  }

  // ---- as SledgeRun asks ---------------------------------------------------------------------------------------

  [[nodiscard]] RICOCHET_HD bool sticks() const { return s_.sticks; }
  RICOCHET_HD void begin_phase(int number) {
    using std::atan2;
    s_.phase = number;
    if constexpr (follows_run<Observer>)
      observer_.phase_begins(s_, q_, spring_.viscous() ? angle_ : atan2(direction_(1), direction_(0)));
  }
  RICOCHET_HD T& force() { return s_.N; }
  RICOCHET_HD T& normal_loss() { return s_.normal_loss; }
  RICOCHET_HD void set_loading(bool loading) {
    s_.loading = loading;
    if (!loading && spring_.hysteretic()) s_.v(0) = T(0);
  }
  RICOCHET_HD void line_changed() {
    q_ = s_.N;
    modes_known_ = false;
  }

  RICOCHET_HD void release() {
    s_.friction_loss += p_.kappa * s_.xi.squaredNorm() / T(2);
    s_.normal_loss += spring_.left_behind(q_, s_.v(0));
    s_.N = s_.depth = T(0);
    s_.xi.setZero();
    this->done_ = true;
    observer_(s_);
  }

  RICOCHET_HD void change_friction() {
    if (s_.sticks) {
      leave_stick();
    } else {
      s_.sticks = true;
      s_.eta.setZero();
    }
  }

  /// On the cone to the last bit, then sliding.
  RICOCHET_HD void leave_stick() {
    using std::atan2;
    using std::sqrt;
    const T r = s_.xi.norm();
    if (spring_.viscous()) angle_ = atan2(s_.xi(1), s_.xi(0));
    if (r > T(0)) direction_ = s_.xi / r;
    if (p_.mu * sqrt(spring_.stiffness()) < sqrt(p_.kappa) && r > T(0)) {
      s_.xi *= p_.mu * s_.N / p_.kappa / r;
    } else {
      s_.N = p_.kappa * r / p_.mu;
      q_ = spring_.state(s_.N, s_.v(0));
    }
    observer_(s_);
    if (!(q_ > T(0))) {  // stuck to the very end, the spring across as slack as the other
      release();
      return;
    }
    s_.sticks = false;
  }

  RICOCHET_HD void stick() {
    if (spring_.viscous()) {
      stick_damped();
    } else {
      stick_undamped();
    }
  }

  // ---- sticking, undamped: modes -------------------------------------------------------------------------------

  RICOCHET_HD void stick_undamped() {
    if (!modes_known_) modes_ = StickModes<T>(p_.A, spring_.stiffness(), p_.kappa);
    modes_known_ = true;
    T slow = infinity, fast = T(0), halves = T(0);
    bool bound = true;
    for (int i = 0; i < 3; ++i) {
      const T omega = modes_.frequencies()(i);
      if (omega > T(0)) {
        slow = omega < slow ? omega : slow;
        fast = omega > fast ? omega : fast;
        halves += ricochet::pi<T>() / omega;
      } else if (p_.A.col(i).squaredNorm() > T(0)) {
        bound = false;
      }
    }
    // As in the plane (L7); with an immovable direction the search covers a long interval.
    const T last = bound ? halves * (T(1) + T(1e-6)) : T(40) * ricochet::pi<T>() / slow;
    // Frequencies that are many orders apart would exhaust the halvings of a search over the whole time: window after
    // window then, from a swing of the fast mode on.
    PhaseEnd way = PhaseEnd::none;
    bool lost = false;
    T end = last;
    for (T from = T(0), to = fast * last > T(1e30L) ? ricochet::pi<T>() / fast : last;
         way == PhaseEnd::none && from < last; from = to, to *= T(4)) {
      end = to < last ? to : last;
      way = first_end(from, end, lost);
    }
    if (lost || way == PhaseEnd::none) {
      finish(lost || bound ? Stop::gave_up : Stop::never);
      return;
    }
    if constexpr (Observer::inside) {
      T t = observer_.next() - s_.time;
      while (t < end) {
        observer_.during(modes_.after(s_, t > T(0) ? t : T(0)));
        t = observer_.next() - s_.time;
      }
    }
    if constexpr (follows_run<Observer>) observer_.stuck(modes_, end, way);
    s_ = modes_.after(s_, end);
    q_ = s_.N;
    if (way == PhaseEnd::release) s_.N = T(0);
    if (way != PhaseEnd::friction) observer_(s_);
    change(way);
  }

  /// The first end of the phase between `from` and `end`, which moves there.
  RICOCHET_HD PhaseEnd first_end(T from, T& end, bool& lost) {
    PhaseEnd way = PhaseEnd::none;
    const auto look = [&](const auto& f, T noise, PhaseEnd what, int budget = most_enclosures) {
      const Crossing<T> hit = first_sure_fall<T>(f, noise, from, end, budget);
      out_.evaluations += hit.evaluations;
      if (hit.found) {
        end = hit.t;
        way = what;
      }
      return !hit.gave_up;
    };
    if (p_.mu == infinity) {
      const Sinusoids<T, 3> N = modes_.force(s_);
      lost = !look(N, N.noise, PhaseEnd::release) || lost;
    } else {
      const StickMargin<T> margin = modes_.margin(s_, p_.mu, p_.kappa);
      const T noise = margin.noise();
      if (!look(margin, noise, PhaseEnd::friction, long_in_doubt)) {
        // Springs that swing in step keep the force on the edge of the cone until there is none, as in the plane.
        const Crossing<T> gone = first_sure_fall<T>(margin.N, margin.N.noise, from, end);
        out_.evaluations += gone.evaluations;
        StickMargin<T> raised = margin;
        raised.shift += noise;
        if (gone.found && is_nothing<T>(raised, noise, from, gone.t)) {
          end = gone.t;
          way = PhaseEnd::release;
        } else {
          lost = !look(margin, noise, PhaseEnd::friction) || lost;
        }
      }
    }
    if (s_.loading) {
      const Sinusoids<T, 3> approach = modes_.approach(s_);
      lost = !look(approach, approach.noise, PhaseEnd::turn) || lost;
    } else if (spring_.hysteretic()) {
      const Sinusoids<T, 3> below = modes_.below(s_, spring_.peak());
      lost = !look(below, below.noise, PhaseEnd::reload) || lost;
    }
    return way;
  }

  // ---- sticking on a viscous damper ----------------------------------------------------------------------------

  struct StickSystem {
    using State = typename Stick::State;
    Stick dynamics;
    bool loading;
    Observer& observer;
    T start;

    RICOCHET_HD void slope(const State& x, State& d) const { dynamics.slope(x, d); }
    RICOCHET_HD bool ends(const State&) const { return false; }
    RICOCHET_HD T stiffness(const State&) const { return T(0); }
    RICOCHET_HD State scale(const State& x) const { return dynamics.scale(x); }
    RICOCHET_HD T longest(const State&) const { return infinity; }
    RICOCHET_HD T first(const State& x) const { return dynamics.margin(x); }
    RICOCHET_HD T second(const State& x) const { return loading ? -dynamics.v_n(x) : T(1); }
    template <class Step>
    RICOCHET_HD void passed(const Step& step, T t, T length) const {
      if constexpr (follows_run<Observer>) observer.stick_step(step, length);
      if constexpr (Observer::inside) {
        T at = observer.next() - start;
        while (at < t + length) {
          observer.during(dynamics.state(step.at(at > t ? (at - t) / length : T(0)), at > t ? at : t));
          at = observer.next() - start;
        }
      }
    }
  };

  RICOCHET_HD void stick_damped() {
    StickSystem system{Stick(p_, spring_, s_), s_.loading, observer_, s_.time};
    typename Stick::State x{};
    x[Stick::xi_1] = s_.xi(0);
    x[Stick::xi_2] = s_.xi(1);
    x[Stick::spring] = q_;
    T t = T(0);
    const StepEnd end = stick_stepper_.follow(system, x, t, out_.evaluations, {100000, most_evaluations});
    if (stopped(end)) return;
    if constexpr (follows_run<Observer>)
      observer_.stick_ended(x, end == StepEnd::second ? PhaseEnd::turn
                               : p_.mu == infinity    ? PhaseEnd::release
                                                      : PhaseEnd::friction);
    s_ = system.dynamics.state(x, t);
    q_ = x[Stick::spring];
    if (end == StepEnd::second) {
      observer_(s_);
      change(PhaseEnd::turn);
    } else if (p_.mu == infinity) {
      s_.N = T(0);
      observer_(s_);
      change(PhaseEnd::release);
    } else {
      change(PhaseEnd::friction);
    }
  }

  RICOCHET_HD bool stopped(StepEnd end) {
    if (end == StepEnd::lost) finish(Stop::gave_up);
    if (end == StepEnd::limit) finish(Stop::step_limit);
    return this->done_;
  }

  // ---- sliding (L16) -------------------------------------------------------------------------------------------

  struct SlipSystem {
    using State = typename Slip::State;
    Run& run;
    Slip flow;

    RICOCHET_HD void slope(const State& x, State& d) const { flow.slope(x, d); }
    RICOCHET_HD bool ends(const State& x) { return run.close_tail(flow, x); }
    RICOCHET_HD T stiffness(const State& x) const { return flow.stiffness(flow.at(x)); }
    RICOCHET_HD State scale(const State& x) const { return flow.scale(x, flow.at(x)); }
    /// A force that falls away between two nodes would be taken for none: by at most e³ in a step.
    RICOCHET_HD T longest(const State& x) const {
      using std::abs;
      State d{};
      flow.slope(x, d);
      const T fall = abs(d[Slip::log_state]);
      return fall > T(0) ? T(3) / fall : infinity;
    }
    /// The sledge stops.
    RICOCHET_HD T first(const State& x) const { return run.p_.mu > T(0) ? flow.at(x).speed : T(1); }
    /// The bodies turn, or the force is back at its peak.
    RICOCHET_HD T second(const State& x) const {
      if (run.s_.loading) return -flow.at(x).v(0);
      return run.spring_.hysteretic() ? run.spring_.peak() - flow.at(x).N : T(1);
    }
    template <class Step>
    RICOCHET_HD void passed(const Step& step, T, [[maybe_unused]] T length) const {
      if constexpr (follows_run<Observer>) run.observer_.slip_step(step, length);
      if constexpr (Observer::inside) {
        const T start = run.s_.time, end = step.end()[Slip::time], before = step.at(T(0))[Slip::time];
        T at = run.observer_.next() - start;
        while (at < end) {
          // Time rises along the step.
          const auto late = [&](T where) { return step.at(where)[Slip::time] - at; };
          const T where =
              at > before ? bracketed_secant<T>(late, T(0), before - at, T(1), end - at, T(1e-12L)).middle() : T(0);
          run.observer_.during(flow.state(step.at(where)));
          at = run.observer_.next() - start;
        }
      }
    }
  };
  friend SlipSystem;

  RICOCHET_HD void slide() {
    if (spring_.viscous()) {
      slide_damped();
    } else {
      slide_undamped();
    }
  }

  RICOCHET_HD void slide_damped() {
    using std::log;
    SlipSystem system{*this, Slip(p_, spring_, s_)};
    typename Slip::State x{};
    x[Slip::angle] = angle_;
    x[Slip::log_state] = log(q_);
    T unused = T(0);
    const StepEnd end = slip_stepper_.follow(system, x, unused, out_.evaluations, {4000, most_evaluations});
    if (end == StepEnd::closed || stopped(end)) return;
    angle_ = x[Slip::angle];
    q_ = system.flow.at(x).q;
    s_ = system.flow.state(x);
    observer_(s_);
    const PhaseEnd way = end == StepEnd::first ? PhaseEnd::friction : s_.loading ? PhaseEnd::turn : PhaseEnd::reload;
    if constexpr (follows_run<Observer>) observer_.slip_ended(x, way);
    change(way);
  }

  /// Shows the observer what happens within a step on undamped springs.
  struct SlipWatcher {
    Run& run;
    const UndampedSlip<T, timed<Observer>>& slip;

    RICOCHET_HD T beside() const { return follows_run<Observer> ? T(1e-4L) : T(0); }
    RICOCHET_HD T share([[maybe_unused]] const SlipStep<T>& step) const {
      if constexpr (follows_run<Observer>) return run.observer_.slide_share(step);
      return T(0);
    }
    RICOCHET_HD void passed(const SlipStep<T>& step, [[maybe_unused]] const SlipState<T>& before) const {
      if (step.lift < T(0)) run.out_.jammed = true;
      if constexpr (follows_run<Observer>) run.observer_.slide_step(step);
      if constexpr (Observer::inside) {
        const T length = step.time();
        T at = run.observer_.next() - before.time;
        while (at < length) {
          // Time rises along the step.
          SlipStep<T> part = step;
          const auto late = [&](T where) {
            part = step;
            return where > T(0) && part.rescale(where) ? part.time() - at : -at;
          };
          SlipState<T> state = before;
          if (at > T(0)) {
            late(bracketed_secant<T>(late, T(0), -at, T(1), length - at, T(1e-12L)).hi);
            slip.advance(state, part);
          }
          run.observer_.during(run.state_of(state));
          at = run.observer_.next() - before.time;
        }
      }
    }
    RICOCHET_HD void closed(const SlipStep<T>& step, [[maybe_unused]] T gathered) const {
      if (step.lift < T(0)) run.out_.jammed = true;
      if constexpr (follows_run<Observer>) run.observer_.slide_closed(step, gathered, beside());
    }
  };
  friend SlipWatcher;

  RICOCHET_HD SpatialState<T> state_of(const SlipState<T>& slip) const {
    using std::sqrt;
    SpatialState<T> s = s_;
    s.time = slip.time;
    s.N = sqrt(slip.at.Q);
    s.eta = slip.at.eta;
    s.xi = p_.mu > T(0) ? Vec2T<T>(p_.mu * s.N / p_.kappa * s.eta) : Vec2T<T>(Vec2T<T>::Zero());
    s.v = slip.at.v;
    s.P = slip.P;
    s.friction_loss = slip.friction_loss;
    return s;
  }

  RICOCHET_HD void slide_undamped() {
    const UndampedSlip<T, timed<Observer>> slip(p_);
    SlipState<T> state{
        {s_.N * s_.N, s_.v, direction_, spring_.stiffness(), spring_.peak()}, s_.P, s_.friction_loss, s_.time};
    const SlipEnd end = slip.follow(state, s_.loading, spring_.hysteretic(), out_.evaluations, most_evaluations,
                                    SlipWatcher{*this, slip});
    if (end == SlipEnd::lost || end == SlipEnd::limit) {
      finish(end == SlipEnd::lost ? Stop::gave_up : Stop::step_limit);
      return;
    }
    s_ = state_of(state);
    q_ = s_.N;
    direction_ = s_.eta;
    if (end == SlipEnd::closed) {
      if constexpr (follows_run<Observer>) observer_.slide_ended(PhaseEnd::release);
      release();
      return;
    }
    observer_(s_);
    const PhaseEnd way = end == SlipEnd::stop   ? PhaseEnd::friction
                         : end == SlipEnd::turn ? PhaseEnd::turn
                                                : PhaseEnd::reload;
    if constexpr (follows_run<Observer>) observer_.slide_ended(way);
    change(way);
  }

  /// Ends the contact where so little force is left that its end is known in closed form.
  RICOCHET_HD bool close_tail(const Slip& flow, const typename Slip::State& x) {
    const typename Slip::Motion m = flow.at(x);
    if (m.lift < T(0)) out_.jammed = true;
    const T gathered = T(1) + s_.P(0) + x[Slip::P_n];
    T J = T(0), rest = T(0);
    bool decays = false;
    if (m.rate < T(0) && m.v(0) > T(0) && (T(1) + p_.mu) * m.N * m.N <= -m.rate * T(1e-15L) * gathered) {
      // A force that falls to zero: a triangle, small enough that its curvature is below rounding.
      rest = m.N / -m.rate;
      J = m.N * rest / T(2);
    } else if (spring_.hunt_crossley() && m.rate < T(0) && T(1) - spring_.coefficient() * m.v(0) < T(1e-8L) &&
               (T(1) + p_.mu) * m.N * m.N <= -m.rate * T(1e-9L)) {
      // Held at v_n = 1/α the force decays exponentially, and 1 − α v_n loses its digits: N²/|N'| is what is left.
      rest = m.q / m.v(0);
      J = m.N * m.N / -m.rate;
      decays = true;
    } else {
      return false;
    }
    if constexpr (follows_run<Observer>) observer_.slip_closed(x, decays);
    s_ = flow.ended(x, m, J, rest);
    q_ = spring_.hunt_crossley() ? m.q - J * m.v(0) / m.q : m.q;
    release();
    return true;
  }

  SpatialSledge<T> p_;
  SpatialState<T> s_;
  SpatialOutcome<T> out_;
  StickModes<T> modes_;
  T q_ = T(0), angle_ = T(0);
  Vec2T<T> direction_ = Vec2T<T>(T(1), T(0));  ///< of the slip that begins
  EventStepper<T, Slip::size> slip_stepper_{T(2)};
  EventStepper<T, Stick::size> stick_stepper_{T(0.1L)};
  Observer& observer_;
  bool modes_known_ = false;
};

}  // namespace spatial

/// From first touch to separation. The observer is shown the state at both ends of every phase, and between them where
/// it asks.
template <class T, class Observer = UnobservedSpace>
RICOCHET_HD SpatialOutcome<T> run_spatial(const SpatialSledge<T>& problem, Observer&& observer = {}) {
  return spatial::Run<T, std::remove_reference_t<Observer>>(problem, observer).run();
}

}  // namespace ricochet::compliant
