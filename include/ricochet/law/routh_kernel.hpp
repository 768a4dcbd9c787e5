#pragma once
/// Routh's law: slip integrated through the impact, docs/laws/routh.md (R1) to (R14). The parts are in law/routh/; here
/// they are put together.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "ricochet/law/routh.hpp"
#include "ricochet/law/routh/attracting_direction.hpp"
#include "ricochet/law/routh/phase_end.hpp"
#include "ricochet/law/routh/restitution_rule.hpp"
#include "ricochet/law/routh/resumed_slip.hpp"
#include "ricochet/law/routh/slip_drift.hpp"
#include "ricochet/law/routh/slip_frame.hpp"
#include "ricochet/law/routh/slip_series.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

namespace routh {

/// The numbers of the law in the scalar of the kernel, in which they may carry derivatives.
template <class T>
struct Numbers {
  T e, mu, mu_s;
  Restitution restitution;

  Numbers() = default;
  RICOCHET_HD explicit Numbers(const Routh& law)
      : e(law.e), mu(law.mu), mu_s(law.mu_s < 0 ? law.mu : law.mu_s), restitution(law.restitution) {}
};

/// What may change the order of events if the contact changes: each vanishes at the change. In impulses relative to
/// the whole, and speeds relative to those before.
template <class T>
struct ModeMargins {
  static constexpr int capacity = 8;
  std::array<T, capacity> value{};
  std::array<const char*, capacity> what{};
  int count = 0;
  const char* kink = nullptr;  ///< where the outcome is not differentiable for another reason

  RICOCHET_HD void add(const char* name, const T& margin) {
    if (count == capacity) return;
    value[static_cast<std::size_t>(count)] = margin;
    what[static_cast<std::size_t>(count++)] = name;
  }
};

inline constexpr const char* whether_friction_holds = "whether friction holds the contact once it has stopped";

/// Impulses at events, for the margins.
template <class T>
struct EventImpulses {
  T turned = T(0);                       ///< Φ of the present stretch
  T p_c = T(-1), p_stop = T(-1);         ///< P_n at the end of compression and where slip stopped; negative: not yet
  Vec2T<T> P_t_stop = Vec2T<T>::Zero();  ///< in the SlipFrame
  bool in_plane = false;                 ///< no number has a derivative out of the plane of a planar contact
};

/// Follows the impulse from 0 to its end. Tangential vectors are in the SlipFrame.
template <class T, class Observer>
class Integrator {
 public:
  RICOCHET_HD Integrator(const Numbers<T>& law, const Local<T>& contact, Observer& observer)
      : law_(law),
        c_(contact),
        observer_(observer),
        flow_(SlipFrame<T>(contact.W), alpha_of(law), beta_of(law)),
        normal_(law.restitution, law.e, contact.V(0)),
        weight_(flow_.alpha) {
    const Vec2T<T> V_t(c_.V(1), c_.V(2));
    if constexpr (is_dual<T>) {
      if (V_t(0) == T(0) && V_t(1) == T(0)) return;
    }
    s_ = s_start_ = V_t.norm();
    if (s_ > T(0)) dir_ = flow_.frame.from_local(V_t) / s_;
  }

  /// Of scalars with derivatives only.
  [[nodiscard]] const ModeMargins<T>& margins() const { return margins_; }
  /// Of a planar contact whose numbers do not leave its plane: the direction of slip does not drift.
  void stay_in_plane() { at_.in_plane = true; }
  /// P where slip stopped, in local axes.
  [[nodiscard]] Vec3T<T> stopped_at() const { return flow_.frame.to_local(at_.p_stop, at_.P_t_stop); }

  RICOCHET_HD Solution<T> run() {
    mark(Event::start);
    // Without friction nothing stops a slip, not even one of value zero.
    bool slides = s_ > T(0);
    if constexpr (is_dual<T>) slides = slides || flow_.beta == T(0);
    if (slides) {
      slide();
      if (!done_ && s_ == T(0)) mark(Event::slip_stops);
      slid_ = true;
    }
    if (!done_ && out_.termination != Termination::not_converged) hold_or_resume();
    return finish();
  }

 private:
  using S = ValueScalar<T>;
  static constexpr T eps = std::numeric_limits<T>::epsilon();
  static constexpr T singular = T(2e-15L);  ///< below what contact.hpp accepts as a regular W
  static constexpr const char* turns_away = "slip stops along a direction from which slip turns away";

  RICOCHET_HD static bool unlimited(const Numbers<T>& law) { return law.mu == std::numeric_limits<T>::infinity(); }
  RICOCHET_HD static T alpha_of(const Numbers<T>& law) { return unlimited(law) ? T(0) : T(1) / (T(1) + law.mu); }
  RICOCHET_HD static T beta_of(const Numbers<T>& law) { return unlimited(law) ? T(1) : law.mu / (T(1) + law.mu); }

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
    if constexpr (is_dual<T>) at_.p_c = P_n_now();
    if (normal_.plastic()) stop(normal_.termination());
  }
  /// A restitution of e = 0 adds nothing to P, but its derivative by e.
  RICOCHET_HD void restitution_of_nothing(T k, const Vec2T<T>& pull) {
    if constexpr (is_dual<T>) {
      const T x = normal_.plastic_length(k);
      normal_.advance(x, T(0));
      P_t_ += pull * x;
    }
  }
  RICOCHET_HD void resume_compression() {
    normal_.v_n = T(0);
    mark(Event::compression_resumes);
    normal_.compressing = true;
    if constexpr (is_dual<T>) margins_.add("compression resumes", P_n_now() - at_.p_c);
  }
  RICOCHET_HD void conclude() {
    normal_.land();
    stop(normal_.termination());
  }
  RICOCHET_HD void stop(Termination termination) {
    done_ = true;
    out_.termination = termination;
  }

  [[nodiscard]] T P_n_now() const { return P_n_ + weight_ * (normal_.m - m_base_); }

  /// The slip has stopped, or there was none: `need` of friction would hold the contact.
  void note_stop(const T& need, const Vec2T<T>& hold, bool holds) {
    const SlipFrame<T>& f = flow_.frame;
    if (slid_) {
      at_.p_stop = P_n_now();
      at_.P_t_stop = P_t_;
    }
    if (law_.mu_s.v < std::numeric_limits<double>::infinity() && need.v > 0)
      margins_.add(whether_friction_holds, (law_.mu_s - need) / (law_.mu_s + need));
    if (slid_) return;
    if (!holds) {
      margins_.kink = "slip starts from rest, in a direction that any slip before the impact changes";
      return;
    }
    // A slip of value zero is stopped at once: W_tt q = −V_t.
    const Vec2T<T> V_t = f.from_local(Vec2T<T>(c_.V(1), c_.V(2)));
    const T determinant = f.a * f.b - f.off * f.off;
    const Vec2T<T> q((f.off * V_t(1) - f.b * V_t(0)) / determinant, (f.off * V_t(0) - f.a * V_t(1)) / determinant);
    P_t_ += q;
    normal_.v_n += f.w1 * q(0) + f.w2 * q(1);
    (void)hold;
  }

  void note_margins() {
    const T whole = P_n_;
    for (int i = 0; i < margins_.count; ++i)
      if (margins_.what[static_cast<std::size_t>(i)] == std::string_view("compression resumes"))
        margins_.value[static_cast<std::size_t>(i)] /= whole;
    if (at_.p_stop >= T(0)) {
      margins_.add("order of the end of compression and the end of slip", (at_.p_stop - at_.p_c) / whole);
      margins_.add("whether slip stops before the impact ends", (whole - at_.p_stop) / whole);
    } else if (slid_ && flow_.beta > T(0)) {
      const T speed = s_start_ + (flow_.frame.w1 + flow_.frame.w2 + law_.mu * flow_.frame.b) * whole;
      margins_.add("whether slip stops before the impact ends", T(unlimited(law_) ? s_ / s_start_ : s_ / speed));
    }
  }

  [[nodiscard]] RICOCHET_HD Vec3T<T> final_velocity() const { return flow_.frame.to_local(normal_.v_n, dir_ * s_); }
  [[nodiscard]] RICOCHET_HD static bool agree(const Mat3T<S>& W, const Vec3T<S>& V, const Vec3T<S>& P,
                                              const Vec3T<S>& after) {
    return (V + W * P - after).norm() <= S(1e-10L) * (V.norm() + W.norm() * P.norm());
  }

  RICOCHET_HD Solution<T> finish() {
    change_weight(T(1));
    m_base_ = normal_.m;
    if constexpr (is_dual<T>) note_margins();
    out_.P = flow_.frame.to_local(P_n_, P_t_);
    // Velocity and impulse were gathered separately; an answer in which they disagree is none. Of numbers with
    // derivatives only P is asked for.
    if constexpr (is_dual<T>) {
      if (!agree(values_of(c_.W), values_of(c_.V), values_of(out_.P), values_of(final_velocity())))
        out_.termination = Termination::not_converged;
    } else {
      out_.V = final_velocity();
      if (!agree(c_.W, c_.V, out_.P, out_.V)) out_.termination = Termination::not_converged;
      out_.normal_work = energy_change(c_.W, c_.V, out_.P) - E_t_;
      out_.friction_work = E_t_;
    }
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
  template <class Drift = NoDrift>
  RICOCHET_HD void straight_on(T k, T g, const Vec2T<T>& pull, T length, const Drift& drift = {}) {
    const T infinity = std::numeric_limits<T>::infinity();
    if (k < T(0)) out_.jammed = true;
    [[maybe_unused]] double gone = 0;  // of the way, for the drift
    for (int guard = 0; guard < 4 && !done_; ++guard) {
      T step = infinity;
      bool ends = false;
      if constexpr (Drift::any) {
        step = drifted_step(k, drift, gone, ends);
      } else if (normal_.compressing) {
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
      if constexpr (Drift::any) take_drift(drift, gone, x.v);
      normal_.advance(x, is_dual<T> && !normal_.needs_work() ? T(0) : T(x * (normal_.v_n + k * x / T(2))));
      if constexpr (!is_dual<T>) E_t_ += pull.dot(dir_) * x * (s_ + g * x / T(2));
      P_t_ += pull * x;
      normal_.v_n += k * x;
      s_ += g * x;
      if constexpr (Drift::any) {
        P_t_ += drift.pull * at_.turned;
        normal_.v_n += drift.by_n * at_.turned;
        s_ += drift.by_s * at_.turned;
      }
      length -= x;
      if (used_up) return;
      if (ends) {
        conclude();
      } else if (normal_.compressing) {
        end_compression();
        if (done_) restitution_of_nothing(k, pull);
      } else {
        resume_compression();
      }
    }
  }

  /// How far the present phase of a straight motion goes while its direction drifts.
  T drifted_step(const T& k, const SlipDrift<T>& drift, double gone, bool& ends) {
    const T v_n = normal_.v_n;
    // The step of the values shows how far to follow the drift; V_n with what it then has added gives the step.
    const auto step_at = [&](const T& v, const T& work) {
      ends = false;
      if (normal_.compressing) return k > T(0) ? (v < T(0) ? -v / k : T(0)) : std::numeric_limits<T>::infinity();
      normal_.v_n = normal_.needs_work() ? v_n : v;
      T step = normal_.straight_length(k, work);
      ends = true;
      if (k < T(0) && v > T(0) && -v / k < step) {
        step = -v / k;
        ends = false;
      }
      normal_.v_n = v_n;
      return step < T(0) ? T(0) : step;
    };
    const T first = step_at(v_n, T(0));
    if (!(first < std::numeric_limits<T>::infinity())) return first;
    return step_at(v_n + drift.by_n * (drift.turned(gone + first.v) - drift.turned(gone)),
                   normal_.needs_work() ? T(drift.by_n * drifted_work(drift, gone, first.v)) : T(0));
  }
  /// ∫ of what Φ has gained since `gone`, over the next x.
  static T drifted_work(const SlipDrift<T>& drift, double gone, double x) {
    return drift.turned_twice(gone + x) - drift.turned_twice(gone) - drift.turned(gone) * x;
  }
  void take_drift(const SlipDrift<T>& drift, double& gone, double x) {
    const T gain = drift.turned(gone + x) - drift.turned(gone);
    if (normal_.needs_work()) normal_.advance(T(0), drift.by_n * drifted_work(drift, gone, x));
    at_.turned = gain;
    gone += x;
  }

  RICOCHET_HD void slide_straight() {
    const auto rates = flow_.rates(dir_(0), dir_(1));
    const T length = rates.g < T(0) ? -s_ / rates.g : std::numeric_limits<T>::infinity();
    note_rate(rates.k);
    bool drifts = false;
    if constexpr (is_dual<T>) drifts = !at_.in_plane;
    if constexpr (is_dual<T>) {
      if (drifts) slide_straight_dual();
    }
    if (!drifts) straight_on(rates.k, rates.g, -flow_.beta * dir_, length);
    if constexpr (is_dual<T>) {
      if (!drifts && !done_) note_turning(rates.g.v, flow_.turn_slope(dir_(0), dir_(1)).v);
    }
    if (!done_) s_ = T(0);
  }

  /// The direction is that of the values; what turns it is the drift.
  void slide_straight_dual() {
    const double cs = dir_(0).v, sn = dir_(1).v;
    const SlipFrame<T>& f = flow_.frame;
    const Vec2T<T> along{T(cs), T(sn)}, across{T(-sn), T(cs)};
    const T phi0 = dir_(1) * cs - dir_(0) * sn;
    dir_ = along;
    const auto rates = flow_.rates(along(0), along(1));
    const T by_n = -flow_.beta * (across(0) * f.w1 + across(1) * f.w2);
    const T by_s = -flow_.beta * (across(0) * (f.a * cs + f.off * sn) + across(1) * (f.off * cs + f.b * sn));
    const SlipDrift<T> drift{
        s_.v, rates.g.v,           flow_.turn_slope(along(0), along(1)).v, phi0, flow_.turn(along(0), along(1)), by_n,
        by_s, -flow_.beta * across};
    T length = std::numeric_limits<T>::infinity();
    if (rates.g < T(0)) {
      const double stop = -s_.v / rates.g.v;
      length = -(s_ + drift.by_s * drift.turned(stop)) / rates.g;
    }
    straight_on(rates.k, rates.g, -flow_.beta * along, length, drift);
    if (done_) return;
    note_turning(drift.g, drift.h_phi);
    if (drift.h_phi > 0 && drift.unbounded_at_stop()) margins_.kink = turns_away;
  }
  /// Slip beside a repelling direction turns away from it faster the slower it is.
  void note_turning(double g, double h_phi) {
    if (h_phi > 1e-12 * std::abs(g)) margins_.add(turns_away, T(-(g + h_phi) / (std::abs(g) + h_phi)));
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
    const Vec2T<T> hold = f.hold(singular);
    const T hold1 = hold(0), hold2 = hold(1);
    const T need = sqrt(hold1 * hold1 + hold2 * hold2);
    const bool holds = need <= law_.mu_s;
    if constexpr (is_dual<T>) note_stop(need, hold, holds);
    if (!holds) return resume();
    sticks_ = true;
    dir_ = Vec2T<T>::Zero();
    const T k = f.w_nn - (f.w1 * hold1 + f.w2 * hold2);
    if (k <= singular * f.w_nn) return conclude_at_rest();
    straight_on(k, T(0), Vec2T<T>(-hold1, -hold2), std::numeric_limits<T>::infinity());
  }

  RICOCHET_HD void resume() {
    const SlipFrame<T>& f = flow_.frame;
    const T mu = law_.mu;
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
    if (flow_.beta == T(0)) return slide_freely();
    if constexpr (is_dual<T>) {
      if (at_.in_plane) return slide_straight();
      // How far series reach, and where phases end, is found without derivatives.
      slide_curved(SlipFlow<S>(values_of_frame(flow_.frame), value_of(flow_.alpha), value_of(flow_.beta)));
    } else {
      slide_curved(flow_);
    }
  }

  RICOCHET_HD void slide_curved(const SlipFlow<S>& values) {
    using std::abs;
    const SlipFrame<S>& f = values.frame;
    const S scale = values.alpha * (f.w1 + f.w2) + values.beta * f.b, start = value_of(s_start_);
    S straight = S(4) * value_of(eps) * scale;
    // A turn of that size is known to first order as exactly, and invariant directions that are rounding of a coupling
    // and of a difference of mobilities (spheres in any axes) have no derivatives.
    if constexpr (is_dual<T>) straight = S(1e-11) * (scale + values.alpha * f.w_nn);
    const S nothing = start * std::max<S>(value_of(eps) / S(16), S(1e-19L));
    jams_ = values.beta * (f.w1 + f.w2) >= values.alpha * f.w_nn;
    SlipSeries<T> series(flow_);
    S first_turn = S(0);
    for (int count = 0; count < 300 && !done_; ++count) {
      const S cs = value_of(dir_(0)), sn = value_of(dir_(1)), s = value_of(s_);
      const S h = values.turn(cs, sn);
      const auto rates = values.rates(cs, sn);
      if (abs(h) <= straight || (s <= nothing && rates.g < S(0))) return slide_straight();
      // A change of the direction at the start has grown in proportion to h.
      if (count == 0) first_turn = abs(h);
      note_rounding(T(abs(h) / first_turn));
      const S whole =
          rates.k > S(0) ? value_of(normal_.expected_whole(T(rates.k))) : std::numeric_limits<S>::infinity();
      if constexpr (is_dual<T>) {
        SlipSeries<S> plain(values);
        if (!expand(plain, values, outlook(values, h, rates, s, whole, S(1)))) break;
        repeat(plain, series);
        plain.start(s, normal_.needs_work());
        series.start(s_, normal_.needs_work());
        follow(series, plain, whole);
      } else {
        series.be_accurate(s / start);
        if (!expand(series, values, outlook(values, h, rates, s, whole, series.ease))) break;
        note_rounding(abs(series.turn_at_centre()) / first_turn);
        series.start(s, normal_.needs_work());
        follow(series, series, whole);
      }
      if (s_ == T(0)) return;
    }
    if (!done_) stop(Termination::not_converged);
  }

  /// What the next series should cover: from the present direction to the one that t = 2 X leads to, nearly.
  struct Outlook {
    S h, X;
    bool to_the_end;  ///< of the impact, as far as can be seen
  };
  RICOCHET_HD Outlook outlook(const SlipFlow<S>& flow, S h, const typename SlipFlow<S>::Rates& rates, S s, S whole,
                              S ease) const {
    using std::abs;
    const S infinity = std::numeric_limits<S>::infinity();
    const S slope = flow.turn_slope(value_of(dir_(0)), value_of(dir_(1)));
    // In τ, with dλ = s dτ; the slip speed changes by a factor e^{gτ}, the distance to the next zero of h by e^{−h'τ}.
    const S left = S(1) + rates.g * whole / s;
    const S needed = left > S(0.2L) ? S(2.2L) * whole / (s * (S(1) + left)) : infinity;
    const S by_turn = S(0.9L) * (S(2) - ease) / abs(slope);
    const S by_speed = rates.g > S(0) ? S(2) / rates.g : rates.g < S(0) ? S(-5) / rates.g : infinity;
    const S tau = std::min<S>(needed, std::min<S>(by_turn, by_speed)), z = slope * tau;
    const S X = h * tau / S(4) * (S(1) + z / S(2) * (S(1) + z / S(3) * (S(1) + z / S(4))));
    const S widest = S(0.4L) * (S(2) - ease);
    if (abs(X) <= widest) return {h, X, tau == needed};
    return {h, h > S(0) ? widest : -widest, false};
  }

  /// Makes the next series: about a direction ahead if that is expected to last to the end of the impact, else about
  /// the attracting direction if that one reaches as far as here.
  RICOCHET_HD bool expand(SlipSeries<S>& series, const SlipFlow<S>& flow, const Outlook& next) {
    const S cs = value_of(dir_(0)), sn = value_of(dir_(1));
    if (!next.to_the_end) {
      AttractingDirections<S> directions(flow.alpha * flow.frame.w1, flow.alpha * flow.frame.w2, flow.B);
      const Vec2T<S> to = directions.ahead(cs, sn, next.h);
      out_.evaluations += directions.evaluations();
      const S cos_gap = to(0) * cs + to(1) * sn, sin_gap = to(0) * sn - to(1) * cs;
      if (cos_gap > S(0.1L)) {
        const bool enough = series.expand_at_end(to(0), to(1), sin_gap / (S(1) + cos_gap));
        out_.evaluations += series.n;
        if (enough) return true;
      }
    }
    S X = next.X;
    for (int i = 0; i < 60; ++i) {
      const Vec2T<S> centre = turned_by(cs, sn, X);
      const bool enough = series.expand(centre(0), centre(1), X, next.h);
      out_.evaluations += series.n;
      if (enough) return true;
      X *= series.shrinkage();
    }
    return false;
  }
  /// The direction that t = X leads to.
  template <class U>
  RICOCHET_HD static Vec2T<U> turned_by(const U& cs, const U& sn, S X) {
    const S D = S(1) + X * X, c = (S(1) - X * X) / D, s = S(2) * X / D;
    return {cs * c - sn * s, sn * c + cs * s};
  }

  /// The same series with derivatives: its centre moves with the present direction, or as the zero of h does.
  void repeat(const SlipSeries<S>& plain, SlipSeries<T>& series) const {
    if (!plain.at_end) {
      const Vec2T<T> centre = turned_by(dir_(0), dir_(1), plain.X);
      return series.repeat(plain, centre(0), centre(1), T(plain.X));
    }
    const Vec2T<S> to = plain.centre();
    const T cs(to(0)), sn(to(1));
    const T turn = newton_step(0.0, flow_.turn(cs, sn), flow_.turn_slope(cs, sn).v);
    const Vec2T<T> centre(cs - turn * to(1), sn + turn * to(0));
    const T cos_gap = centre.dot(dir_), sin_gap = centre(0) * dir_(1) - centre(1) * dir_(0);
    series.repeat(plain, centre(0), centre(1), sin_gap / (T(1) + cos_gap));
  }

  /// Goes along a series until it ends or the impact does. `plain` is the same without derivatives, `whole` the impulse
  /// that is expected to come.
  RICOCHET_HD void follow(const SlipSeries<T>& series, const SlipSeries<S>& plain, S whole) {
    SlipPlace<T> here;
    SlipPlace<S> from, end;
    plain.ends(from, end, whole);
    S cut[2];
    const int cuts = jams_ ? turning_places(plain, from, end, cut) : 0;
    for (int i = 0; i <= cuts; ++i) {
      const SlipPlace<S> to = i < cuts ? plain.at(plain.z_of(cut[i])) : end;
      const bool rises = !jams_ || plain.rises((from.x + to.x) / S(2));
      if (!rises) out_.jammed = true;
      while (meets_event(series, plain, rises, here, from, to)) {
        if (done_ || loses_digits(end)) return;
      }
      arrive(series, here, to);
      from = to;
    }
  }
  /// Whether the work of the restitution to come would be a difference of much larger numbers on this series.
  RICOCHET_HD bool loses_digits(const SlipPlace<S>& end) const {
    if (!normal_.needs_work() || normal_.compressing) return false;
    return normal_.expected_length(flow_.rates(dir_(0), dir_(1)).k) < T(0.05L) * T(end.lambda);
  }

  /// The x at which V_n turns between two places, in order.
  RICOCHET_HD static int turning_places(const SlipSeries<S>& plain, const SlipPlace<S>& from, const SlipPlace<S>& to,
                                        S found[2]) {
    S all[2];
    const int count = plain.turning_places(all);
    int inside = 0;
    for (int i = 0; i < count; ++i)
      if ((all[i] - from.x) * (all[i] - to.x) < S(0)) found[inside++] = all[i];
    if (inside == 2 && (found[1] - found[0]) * (to.x - from.x) < S(0)) {
      const S other = found[0];
      found[0] = found[1];
      found[1] = other;
    }
    return inside;
  }

  /// If something happens before `to`, goes there, does it and says so.
  RICOCHET_HD bool meets_event(const SlipSeries<T>& series, const SlipSeries<S>& plain, bool rises, SlipPlace<T>& here,
                               SlipPlace<S>& from, const SlipPlace<S>& to) {
    if (normal_.compressing && !rises) return false;
    const RestitutionRule<S> rule = normal_.values();
    const PhaseEnd<S> by_rule(plain, rule, from, PhaseGoal::rule);
    if (!rises) {
      const PhaseEnd<S> by_zero(plain, rule, from, PhaseGoal::falls_to_zero);
      if (by_zero.reached(to)) {
        const SlipPlace<S> zero = by_zero.find(to);
        if (!by_rule.reached(zero)) {
          arrive(series, here, zero, PhaseGoal::falls_to_zero);
          from = zero;
          resume_compression();
          return true;
        }
        end_phase(series, here, by_rule.find(zero));
        return true;
      }
    }
    if (!by_rule.reached(to)) return false;
    from = by_rule.find(to);
    end_phase(series, here, from);
    return true;
  }
  RICOCHET_HD void end_phase(const SlipSeries<T>& series, SlipPlace<T>& here, const SlipPlace<S>& place) {
    arrive(series, here, place, PhaseGoal::rule);
    const T k = series.rise_rate(here.cs, here.sn);
    if (normal_.compressing) {
      note_rate(k);
      end_compression();
      if (done_) restitution_of_nothing(k, -flow_.beta * dir_);
    } else {
      if (normal_.ends_at_velocity()) note_rate(k);
      conclude();
    }
  }

  /// Moves everything to a place on the series. Where that was found by a goal, it moves with what carries derivatives.
  RICOCHET_HD void arrive(const SlipSeries<T>& series, SlipPlace<T>& here, const SlipPlace<S>& place,
                          [[maybe_unused]] PhaseGoal goal = PhaseGoal::none) {
    const SlipPlace<T> before = here;
    const T v_n = normal_.v_n;
    const auto gain = [&] { return here.lambda - before.lambda; };
    const auto work = [&] { return (v_n - before.rise) * gain() + (here.lift - before.lift); };
    if constexpr (is_dual<T>) {
      here = series.at(place.z);
      if (goal != PhaseGoal::none) {
        const T v = v_n + (here.rise - before.rise), k = series.rise_rate(here.cs, here.sn);
        const bool falls = goal == PhaseGoal::falls_to_zero;
        const T f = falls ? v : normal_.excess(gain(), work(), v);
        const T slope = falls ? T(k * here.rate) : normal_.excess_rate(here.rate, k, v);
        series.shift(here, newton_step(0.0, f, slope.v));
      }
    } else {
      here = place;
    }
    const SlipFrame<T>& f = flow_.frame;
    const Vec2T<T> pull = -flow_.beta * series.turned(here.along - before.along, here.across - before.across);
    const T dm = gain(), dF = work();
    if constexpr (is_dual<T>) {  // the work of friction is not differentiated
    } else if (normal_.needs_work()) {
      // The work of friction is what the normal work leaves of the change of energy.
      const T P_n = flow_.alpha * dm, coupling = f.w1 * pull(0) + f.w2 * pull(1);
      E_t_ += P_n * (v_n + f.w_nn * P_n / T(2) + coupling) + s_ * dir_.dot(pull) +
              (f.a * pull(0) * pull(0) + f.b * pull(1) * pull(1)) / T(2) - flow_.alpha * dF;
    } else {
      E_t_ -= flow_.beta * (here.slip - before.slip);
    }
    normal_.advance(dm, dF);
    normal_.v_n += here.rise - before.rise;
    P_t_ += pull;
    s_ = here.speed;
    dir_ = series.turned(here.cs, here.sn);
  }

  const Numbers<T>& law_;
  const Local<T>& c_;
  Observer& observer_;
  SlipFlow<T> flow_;
  RestitutionRule<T> normal_;
  Solution<T> out_{};
  T s_ = T(0), s_start_ = T(0);      ///< slip speed
  Vec2T<T> dir_ = Vec2T<T>::Zero();  ///< direction of slip
  Vec2T<T> P_t_ = Vec2T<T>::Zero();  ///< impulse so far
  T P_n_ = T(0), E_t_ = T(0);        ///< E_t: work of friction so far
  T weight_, m_base_ = T(0);         ///< dP_n/dm, and m up to which P_n is complete
  bool done_ = false, slid_ = false, sticks_ = false, resumed_ = false, jams_ = false;
  struct Nothing {};
  [[no_unique_address]] std::conditional_t<is_dual<T>, ModeMargins<T>, Nothing> margins_;
  [[no_unique_address]] std::conditional_t<is_dual<T>, EventImpulses<T>, Nothing> at_;
};

}  // namespace routh

template <class T, class Observer = NullObserver>
RICOCHET_HD Solution<T> solve(const Routh& law, const Local<T>& c, Observer&& observer = Observer{}) {
  const routh::Numbers<T> numbers(law);
  return routh::Integrator<T, Observer>(numbers, c, observer).run();
}

}  // namespace ricochet
