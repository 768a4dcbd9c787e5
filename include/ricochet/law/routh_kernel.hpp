#pragma once
/// Routh's law: slip integrated through the impact, docs/laws/routh.md (R1) to (R14). The parts are in law/routh/; here
/// they are put together.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ricochet/law/routh.hpp"
#include "ricochet/law/routh/curve_end.hpp"
#include "ricochet/law/routh/invariant_directions.hpp"
#include "ricochet/law/routh/restitution_rule.hpp"
#include "ricochet/law/routh/resumed_slip.hpp"
#include "ricochet/law/routh/slip_curve.hpp"
#include "ricochet/law/routh/slip_frame.hpp"
#include "ricochet/law/routh/slip_panel.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

namespace routh {

/// Follows the impulse from 0 to its end. Tangential vectors are in the SlipFrame.
template <class T, class Observer>
class Integrator {
 public:
  RICOCHET_HD Integrator(const Routh& law, const Local<T>& contact, Observer& observer)
      : law_(law),
        c_(contact),
        observer_(observer),
        flow_(SlipFrame<T>(contact.W), alpha_of(law), beta_of(law)),
        normal_(law.restitution, law.e, contact.V(0)),
        weight_(flow_.alpha) {
    const Vec2T<T> V_t(c_.V(1), c_.V(2));
    s_ = s_start_ = V_t.norm();
    if (s_ > T(0)) dir_ = flow_.frame.from_local(V_t) / s_;
  }

  RICOCHET_HD Solution<T> run() {
    mark(Event::start);
    if (s_ > T(0)) {
      slide();
      if (!done_ && s_ == T(0)) mark(Event::slip_stops);
      slid_ = true;
    }
    if (!done_ && out_.termination != Termination::not_converged) hold_or_resume();
    return finish();
  }

 private:
  using Panel = SlipPanel<T>;
  using Nodes = typename Panel::Nodes;
  using Samples = typename Panel::Samples;
  static constexpr T eps = std::numeric_limits<T>::epsilon();
  static constexpr T singular = T(2e-15L);  ///< below what contact.hpp accepts as a regular W

  RICOCHET_HD static bool unlimited(const Routh& law) { return law.mu == std::numeric_limits<double>::infinity(); }
  RICOCHET_HD static T alpha_of(const Routh& law) { return unlimited(law) ? T(0) : T(1) / (T(1) + T(law.mu)); }
  RICOCHET_HD static T beta_of(const Routh& law) { return unlimited(law) ? T(1) : T(law.mu) / (T(1) + T(law.mu)); }

  // ---- bookkeeping ---------------------------------------------------------------------------------------------

  RICOCHET_HD void mark(Event event) {
    if constexpr (std::remove_reference_t<Observer>::enabled) {
      const Vec3T<T> P = flow_.frame.to_local(P_n_ + weight_ * (normal_.m - m_base_), P_t_);
      observer_(PathPoint<T>{event, P, c_.V + c_.W * P, energy_change(c_.W, c_.V, P) - E_t_, E_t_});
    }
  }

  /// Normal impulse and work gathered in units of the present motion become absolute, and the next motion counts normal
  /// impulse itself.
  RICOCHET_HD void change_weight(T next) {
    P_n_ += weight_ * (normal_.m - m_base_);
    normal_.rescale(next > T(0) ? weight_ / next : T(0));
    m_base_ = normal_.m;
    weight_ = next;
  }

  RICOCHET_HD void note_rounding(T loss) {
    if (loss > out_.rounding) out_.rounding = loss;
  }
  /// V_n reaches its target at the rate k, which is a difference of these terms: where they nearly cancel, the place is
  /// uncertain by as much.
  RICOCHET_HD void note_rate(T k) {
    using std::abs;
    const SlipFrame<T>& f = flow_.frame;
    note_rounding((flow_.alpha * f.w_nn + flow_.beta * (f.w1 + f.w2)) / abs(k));
  }

  RICOCHET_HD void end_compression() {
    normal_.v_n = T(0);
    mark(Event::compression_ends);
    normal_.end_compression();
    if (normal_.plastic()) stop(normal_.termination());
  }
  RICOCHET_HD void resume_compression() {
    normal_.v_n = T(0);
    mark(Event::compression_resumes);
    normal_.compressing = true;
  }
  RICOCHET_HD void conclude() {
    normal_.land();
    stop(normal_.termination());
  }
  RICOCHET_HD void stop(Termination termination) {
    done_ = true;
    out_.termination = termination;
  }

  RICOCHET_HD Solution<T> finish() {
    change_weight(T(1));
    m_base_ = normal_.m;
    out_.P = flow_.frame.to_local(P_n_, P_t_);
    out_.V = flow_.frame.to_local(normal_.v_n, dir_ * s_);
    // Velocity and impulse were gathered separately; an answer in which they disagree is none.
    const T scale = c_.V.norm() + c_.W.norm() * out_.P.norm();
    if (!((c_.V + c_.W * out_.P - out_.V).norm() <= T(1e-10L) * scale)) out_.termination = Termination::not_converged;
    out_.normal_work = energy_change(c_.W, c_.V, out_.P) - E_t_;
    out_.friction_work = E_t_;
    out_.mode = !slid_     ? (sticks_ ? Mode::stick : Mode::slip)
                : sticks_  ? Mode::slip_stick
                : resumed_ ? Mode::slip_reversal
                           : Mode::slip;
    mark(Event::end);
    return out_;
  }

  // ---- straight motions: closed form (R11) ---------------------------------------------------------------------

  /// Motion in which V_n changes at the constant rate k and the slip speed at the constant rate g along `dir_`, until
  /// the impact ends or `length` is used up. P_t changes at the rate `pull`.
  RICOCHET_HD void straight_on(T k, T g, const Vec2T<T>& pull, T length) {
    const T infinity = std::numeric_limits<T>::infinity();
    if (k < T(0)) out_.jammed = true;
    for (int guard = 0; guard < 4 && !done_; ++guard) {
      T step = infinity;
      bool ends = false;
      if (normal_.compressing) {
        if (k > T(0)) step = normal_.v_n < T(0) ? -normal_.v_n / k : T(0);
      } else {
        step = normal_.straight_length(k);
        ends = true;
        if (k < T(0) && normal_.v_n > T(0) && -normal_.v_n / k < step) {
          step = -normal_.v_n / k;
          ends = false;
        }
        if (step < T(0)) step = T(0);
      }
      const bool used_up = length <= step;
      const T x = used_up ? length : step;
      if (!(x < infinity)) return stop(Termination::no_solution);  // V_n cannot reach what the law asks of it
      normal_.advance(x, x * (normal_.v_n + k * x / T(2)));
      E_t_ += pull.dot(dir_) * x * (s_ + g * x / T(2));
      P_t_ += pull * x;
      normal_.v_n += k * x;
      s_ += g * x;
      length -= x;
      if (used_up) return;
      if (ends) {
        conclude();
      } else if (normal_.compressing) {
        end_compression();
      } else {
        resume_compression();
      }
    }
  }

  RICOCHET_HD void slide_straight() {
    const auto rates = flow_.rates(dir_(0), dir_(1));
    const T length = rates.g < T(0) ? -s_ / rates.g : std::numeric_limits<T>::infinity();
    note_rate(rates.k);
    straight_on(rates.k, rates.g, -flow_.beta * dir_, length);
    if (!done_) s_ = T(0);
  }

  /// Without friction V_t drifts and P has no tangential part.
  RICOCHET_HD void slide_freely() {
    const SlipFrame<T>& f = flow_.frame;
    const Vec2T<T> start = dir_ * s_;
    const T m0 = normal_.m;
    straight_on(flow_.alpha * f.w_nn, T(0), Vec2T<T>::Zero(), std::numeric_limits<T>::infinity());
    const Vec2T<T> v = start + Vec2T<T>(f.w1, f.w2) * (flow_.alpha * (normal_.m - m0));
    s_ = v.norm();
    if (s_ > T(0)) dir_ = v / s_;
  }

  // ---- after the slip has stopped (R12, R13) -------------------------------------------------------------------

  RICOCHET_HD void hold_or_resume() {
    using std::sqrt;
    const SlipFrame<T>& f = flow_.frame;
    s_ = T(0);
    change_weight(T(1));
    // Sticking needs dP_t = −W_tt⁻¹ w dP_n.
    const T hold1 = f.a > singular * f.b ? f.w1 / f.a : T(0);
    const T hold2 = f.b > T(0) ? f.w2 / f.b : T(0);
    const T need = sqrt(hold1 * hold1 + hold2 * hold2);
    const double mu_s = law_.mu_s < 0 ? law_.mu : law_.mu_s;
    if (!(need <= T(mu_s))) return resume();
    sticks_ = true;
    dir_ = Vec2T<T>::Zero();
    const T k = f.w_nn - (f.w1 * hold1 + f.w2 * hold2);
    if (k <= singular * f.w_nn) return conclude_at_rest();
    straight_on(k, T(0), Vec2T<T>(-hold1, -hold2), std::numeric_limits<T>::infinity());
  }

  RICOCHET_HD void resume() {
    const SlipFrame<T>& f = flow_.frame;
    const T mu(law_.mu);
    resumed_ = true;
    const ResumedSlip<T> slip = resumed_slip(f, mu);
    out_.evaluations += slip.evaluations;
    dir_ = slip.direction;
    if (slid_) mark(Event::slip_resumes);
    const T k = f.w_nn - mu * (f.w1 * dir_(0) + f.w2 * dir_(1));
    straight_on(k, slip.g, -mu * dir_, std::numeric_limits<T>::infinity());
  }

  /// A sticking contact that cannot move at all: the constraint absorbs any impulse.
  RICOCHET_HD void conclude_at_rest() {
    using std::abs;
    if (normal_.ends_at_velocity() && !normal_.plastic()) return stop(Termination::no_solution);
    if (abs(normal_.v_n) > T(1e-9) * c_.V.norm()) return stop(Termination::no_solution);
    normal_.v_n = T(0);
    if (normal_.compressing) mark(Event::compression_ends);
    stop(normal_.termination());
  }

  // ---- slip along a curve (R4 to R10) --------------------------------------------------------------------------

  RICOCHET_HD void slide() {
    using std::abs;
    const SlipFrame<T>& f = flow_.frame;
    if (flow_.beta == T(0)) return slide_freely();
    const T scale = flow_.alpha * (f.w1 + f.w2) + flow_.beta * f.b;
    const T h = flow_.turn(dir_(0), dir_(1));
    if (abs(h) <= T(4) * eps * scale) return slide_straight();
    InvariantDirections<T> directions(flow_.alpha * f.w1, flow_.alpha * f.w2, flow_.B);
    const Arc<T> arc = directions.around(dir_(0), dir_(1), h);
    out_.evaluations += directions.evaluations();
    const SlipCurve<T> curve(flow_, arc);
    if (curve.starts_inside()) out_.rounding = T(1) / curve.start();
    if (!curve.exists()) return slide_straight();
    phi_ = arc.phi;
    y_ = curve.y_of(phi_);
    slide_curved(curve);
  }

  RICOCHET_HD void slide_curved(const SlipCurve<T>& curve) {
    using std::abs;
    using std::sqrt;
    Panel panel;
    T trust = T(3);
    for (int count = 0; count < 1000 && !done_; ++count) {
      if (run_out(curve)) return;
      const auto here = curve.sample(y_);
      const T reachable = ricochet::pi<T>() - curve.gap / T(2);
      T width = std::min<T>(trust, T(0.6L) * sqrt(y_ * y_ + reachable * reachable) + T(0.1L));
      width = std::min<T>(width, T(6) / (abs(here.g) * here.rate));
      // A panel much longer than the present phase would drown it in rounding.
      const T expected = here.k > T(0) ? T(1.5L) * normal_.expected_length(here.k) / (s_ * here.rate)
                                       : std::numeric_limits<T>::infinity();
      const bool cut_short = expected < width;
      if (cut_short) width = expected;
      if (curve.cancellation(here.rate) > T(1e4L) && here.g < T(0)) {
        const T in_slip = std::min<T>(T(5), width * here.rate * -here.g);
        if (accept(panel.fill_by_slip(flow_, phi_, in_slip, s_)) ||
            accept(panel.fill_by_slip(flow_, phi_, in_slip / T(4), s_))) {
          if (!next_event(curve, panel)) go_to(curve, panel, T(1));
          continue;
        }
      }
      int halvings = 0;
      while (!accept(panel.fill(curve, y_, width, s_))) {
        width /= T(2);
        if (++halvings > 60) return stop(Termination::not_converged);
      }
      if (halvings > 0) {
        trust = width * T(1.5L);
      } else if (!cut_short) {
        trust = T(3);
      }
      if (!next_event(curve, panel)) go_to(curve, panel, T(1));
    }
    if (!done_) stop(Termination::not_converged);
  }

  RICOCHET_HD bool accept(const typename Panel::Quality& quality) {
    out_.evaluations += quality.evaluations;
    note_rounding(quality.rounding);
    return quality.resolved;
  }

  /// Moves everything to the place z in [−1, 1] of the panel.
  RICOCHET_HD void go_to(const SlipCurve<T>& curve, Panel& panel, T z) {
    using std::cos;
    using std::sin;
    if (normal_.needs_work()) panel.need_v_n(normal_.v_n);
    const auto travel = panel.travel(z);
    normal_.advance(panel.half * travel.m, panel.half * travel.F);
    P_t_ -= flow_.beta * panel.half * travel.q;
    E_t_ -= flow_.beta * panel.half * travel.D;
    normal_.v_n += panel.half * travel.rise;
    s_ = travel.speed;
    if (panel.by_slip) {
      phi_ = travel.angle;
      dir_ = Vec2T<T>(cos(phi_), sin(phi_));
      y_ = curve.y_of(phi_);
      return;
    }
    y_ = panel.y0 + panel.half * (z + T(1));
    const auto here = curve.sample(y_);
    dir_ = Vec2T<T>(here.cs, here.sn);
    phi_ = curve.phi_of(y_);
  }

  /// If something happens inside the panel, goes there, does it and says so.
  RICOCHET_HD bool next_event(const SlipCurve<T>& curve, Panel& panel) {
    const Nodes& nodes = Panel::nodes();
    Samples slope;
    bool rises = false, falls = false;
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      rises = rises || panel.k[j] > T(0);
      falls = falls || panel.k[j] < T(0);
      slope[j] = panel.half * panel.k[j] * panel.flow[j];
    }
    if (falls) out_.jammed = true;
    if (normal_.compressing) {
      if (!rises) return false;
      if (!falls && normal_.v_n + Nodes::dot(nodes.whole, slope) < T(0)) return false;
      panel.need_v_n(normal_.v_n);
      const T z = FirstZero<T>(panel.v_n, slope).find();
      if (z > T(1)) return false;
      go_to(curve, panel, z);
      note_rate(curve.sample(y_).k);
      end_compression();
      return true;
    }
    if (falls || normal_.needs_velocity()) panel.need_v_n(normal_.v_n);
    typename RestitutionRule<T>::EndFunction end;
    T z_again = T(2);
    if (falls) {
      for (std::size_t j = 0; j < Nodes::size; ++j) end.f[j] = -panel.v_n[j];
      for (T& x : slope) x = -x;
      z_again = FirstZero<T>(end.f, slope).find();
    }
    normal_.end_function(panel, z_again <= T(1), end);
    if (end.outlasts_panel) return false;
    const T z_end = FirstZero<T>(end.f, end.slope).find();
    if (z_again <= T(1) && z_again < z_end) {
      go_to(curve, panel, z_again);
      resume_compression();
      return true;
    }
    if (z_end > T(1)) return false;
    go_to(curve, panel, z_end);
    if (normal_.ends_at_velocity()) note_rate(curve.sample(y_).k);
    conclude();
    return true;
  }

  /// Ends the curve where what is left of it is known: near the attracting direction, or with no slip left to speak of.
  RICOCHET_HD bool run_out(const SlipCurve<T>& curve) {
    const CurveEnd<T> end(flow_, curve, y_, s_, s_ / s_start_);
    if (end.kind == CurveEnd<T>::Kind::open) return false;
    if (end.kind == CurveEnd<T>::Kind::straight) {
      if (end.arrived) dir_ = Vec2T<T>(curve.cos_ahead, curve.sin_ahead);
      slide_straight();
      return true;
    }
    const T v_end = normal_.v_n + end.rise;
    const T F = v_end * end.rest - end.lag;
    if (!normal_.outlasts(end.rest, F, v_end)) return false;
    if (end.k < T(0)) out_.jammed = true;
    normal_.advance(end.rest, F);
    normal_.v_n = v_end;
    P_t_ -= flow_.beta * end.q;
    E_t_ -= flow_.beta * end.D;
    s_ = T(0);
    return true;
  }

  const Routh& law_;
  const Local<T>& c_;
  Observer& observer_;
  SlipFlow<T> flow_;
  RestitutionRule<T> normal_;
  Solution<T> out_{};
  T s_ = T(0), s_start_ = T(0);      ///< slip speed
  Vec2T<T> dir_ = Vec2T<T>::Zero();  ///< direction of slip
  T phi_ = T(0), y_ = T(0);          ///< the same as an angle, and as a place on the curve
  Vec2T<T> P_t_ = Vec2T<T>::Zero();  ///< impulse so far
  T P_n_ = T(0), E_t_ = T(0);        ///< E_t: work of friction so far
  T weight_, m_base_ = T(0);         ///< dP_n/dm, and m up to which P_n is complete
  bool done_ = false, slid_ = false, sticks_ = false, resumed_ = false;
};

}  // namespace routh

template <class T, class Observer = NullObserver>
RICOCHET_HD Solution<T> solve(const Routh& law, const Local<T>& c, Observer&& observer = Observer{}) {
  return routh::Integrator<T, Observer>(law, c, observer).run();
}

}  // namespace ricochet
