#pragma once
/// Compliant contact followed through time, docs/laws/spring-sledge.md. The process itself is in compliant/; here it
/// becomes a law among laws.

#include <limits>
#include <type_traits>

#include "ricochet/compliant/sledge_problem.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/law/spring_sledge.hpp"

namespace ricochet {

namespace sledge {

/// Turns what happens into the words of an outcome: events of the path, and the mode.
template <class T, class Observer>
class PathRecorder {
 public:
  static constexpr bool inside = false;
  using Timeless = void;

  RICOCHET_HD PathRecorder(T kappa, const Local<T>& c, Solution<T>& out, Observer& observer)
      : kappa_(kappa), c_(c), unit_(units(c)), out_(out), observer_(observer) {}

  RICOCHET_HD void operator()(const compliant::PlanarPhase<T>& f) {
    enter(f.sticks, f.loading, Vec2T<T>(T(f.eta), T(0)), Vec3T<T>(f.from.P_n, f.from.P_t, T(0)),
          loss(f.from.friction_loss, f.from.x * f.from.x));
  }
  /// Called at first touch and at the end of every phase, with the flags of the phase that ends.
  RICOCHET_HD void operator()(const compliant::SpatialState<T>& s) {
    if (!begun_ || s.phase != phase_)
      enter(s.sticks, s.loading, s.eta, begun_ ? last_P_ : Vec3T<T>(Vec3T<T>::Zero()), begun_ ? last_loss_ : T(0));
    phase_ = s.phase;
    if (!s.sticks) last_ = s.eta;
    last_P_ = s.P;
    last_loss_ = loss(s.friction_loss, s.xi.squaredNorm());
  }

  /// `loading` at the end: compression never gave way to restitution, since it ended everything (e = 0).
  RICOCHET_HD void finish(const Vec3T<T>& P, T friction_loss, compliant::Stop stop) {
    out_.P = P * unit_.impulse();
    out_.V = c_.V + c_.W * out_.P;
    out_.friction_work = -friction_loss * unit_.energy();
    out_.normal_work = energy_change(c_.W, c_.V, out_.P) - out_.friction_work;
    if (loading_) mark(Event::compression_ends, P, friction_loss);
    mark(Event::end, P, friction_loss);
    const bool turned = first_.dot(last_) < T(0);
    // A sledge that has lost nothing to friction has not moved, whatever happens in the last instant.
    if (!slid_first_ && friction_loss <= T(8) * std::numeric_limits<T>::epsilon() * P(0)) slid_ = false;
    out_.mode = !stuck_                  ? Mode::slip
                : !slid_                 ? Mode::stick
                : slid_first_ && sticks_ ? Mode::slip_stick
                : slid_first_ && turned  ? Mode::slip_reversal
                                         : Mode::stick_slip;
    out_.termination = stop == compliant::Stop::separated ? Termination::force_released
                       : stop == compliant::Stop::never   ? Termination::no_solution
                       : stop == compliant::Stop::rings   ? Termination::rings
                                                          : Termination::not_converged;
  }

 private:
  [[nodiscard]] RICOCHET_HD T loss(T friction_loss, T square) const { return friction_loss + kappa_ * square / T(2); }

  RICOCHET_HD void mark(Event event, const Vec3T<T>& P, T taken) {
    if constexpr (std::remove_reference_t<Observer>::enabled) {
      const Vec3T<T> full = P * unit_.impulse();
      const T friction = -taken * unit_.energy();
      observer_(PathPoint<T>{event, full, c_.V + c_.W * full, energy_change(c_.W, c_.V, full) - friction, friction});
    }
  }

  RICOCHET_HD void enter(bool sticks, bool loading, const Vec2T<T>& direction, const Vec3T<T>& P, T taken) {
    if (!begun_) {
      mark(Event::start, P, taken);
      slid_first_ = !sticks;
    } else {
      if (loading_ && !loading) mark(Event::compression_ends, P, taken);
      if (!loading_ && loading) mark(Event::compression_resumes, P, taken);
      if (sticks_ && !sticks) mark(Event::slip_resumes, P, taken);
      if (!sticks_ && sticks) mark(Event::slip_stops, P, taken);
    }
    begun_ = true;
    sticks_ = sticks;
    loading_ = loading;
    if (sticks) {
      stuck_ = true;
    } else {
      if (!slid_) first_ = direction;
      last_ = direction;
      slid_ = true;
    }
  }

  T kappa_;
  const Local<T>& c_;
  Units<T> unit_;
  Solution<T>& out_;
  Observer& observer_;
  bool begun_ = false, sticks_ = false, loading_ = true, stuck_ = false, slid_ = false, slid_first_ = false;
  int phase_ = 0;
  Vec2T<T> first_ = Vec2T<T>::Zero(), last_ = Vec2T<T>::Zero();
  Vec3T<T> last_P_ = Vec3T<T>::Zero();
  T last_loss_ = T(0);
};

/// Hands points in double to an observer of floats.
template <class Observer>
struct Narrowing {
  static constexpr bool enabled = std::remove_reference_t<Observer>::enabled;
  Observer& observer;
  RICOCHET_HD void operator()(const PathPoint<double>& p) const {
    observer(
        PathPoint<float>{p.event, p.P.cast<float>(), p.V.cast<float>(), float(p.normal_work), float(p.friction_work)});
  }
};

template <class Parameters, class T, class Observer>
RICOCHET_HD Solution<T> run(const Parameters& law, const Local<T>& c, Observer& observer) {
  Solution<T> out;
  PathRecorder<T, Observer> recorder(T(law.kappa), c, out, observer);
  if (in_closed_form(law, c)) {
    const auto r = compliant::run_planar<T>(planar_problem(law, c), recorder);
    recorder.finish(Vec3T<T>(r.state.P_n, r.state.P_t, T(0)), r.state.friction_loss, r.stop);
    out.jammed = r.jammed;
    out.evaluations = r.phases + r.evaluations;
  } else if constexpr (std::is_same_v<T, float>) {
    // Sliding in space is a sequence of events that single precision does not resolve: integrated in double.
    const Local<double> wide{c.M.template cast<double>(), c.W.template cast<double>(), c.V.template cast<double>(),
                             c.R.template cast<double>()};
    const Coefficients<double> same{double(law.kappa), double(law.mu), double(law.e), law.damper};
    Narrowing<Observer> narrowing{observer};
    const Solution<double> s = run(same, wide, narrowing);
    out.P = s.P.cast<float>();
    out.V = s.V.cast<float>();
    out.normal_work = float(s.normal_work);
    out.friction_work = float(s.friction_work);
    out.mode = s.mode;
    out.termination = s.termination;
    out.jammed = s.jammed;
    out.evaluations = s.evaluations;
  } else {
    const auto r = compliant::run_spatial<T>(spatial_problem(law, c), recorder);
    recorder.finish(r.state.P, r.state.friction_loss, r.stop);
    out.jammed = r.jammed;
    out.evaluations = r.phases + r.evaluations;
  }
  return out;
}

}  // namespace sledge

template <class T, class Observer = NullObserver>
RICOCHET_HD Solution<T> solve(const SpringSledge& law, const Local<T>& c, Observer&& observer = Observer{}) {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  const sledge::Coefficients<Wide> coefficients{Wide(law.kappa), Wide(law.mu), Wide(law.e), law.damper};
  return sledge::run(coefficients, c, observer);
}

}  // namespace ricochet
