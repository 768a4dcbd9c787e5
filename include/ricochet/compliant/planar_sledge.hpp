#pragma once
/// The spring-sledge contact in a plane, phase by phase in closed form, docs/laws/spring-sledge.md (L1) to (L12).

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ricochet/base/constants.hpp"
#include "ricochet/compliant/planar_phase.hpp"
#include "ricochet/compliant/sledge_run.hpp"

namespace ricochet::compliant {

template <class T>
struct PlanarOutcome {
  PlanarState<T> state;  ///< when the normal force has come down to zero, the springs relaxed
  T duration = T(0);
  Stop stop = Stop::separated;
  bool jammed = false;  ///< somewhere friction drove the bodies deeper: dv_n/dJ < 0
  int phases = 0;
  int evaluations = 0;
};

/// Null observer.
struct Unobserved {
  template <class Phase>
  RICOCHET_HD void operator()(const Phase&) const {}
};

namespace planar {

/// They take a fraction of a second. A contact with more is reported as Stop::rings.
inline constexpr int most_phases = 200'000;

/// Smallest J > 0 at which N² has changed by `wanted`, falling (v_n > 0) or rising (v_n < 0), or infinity:
/// lift J² + 2 v_n J = −wanted/k_n. The normal velocity at the two roots is ±√(v_n² − lift wanted/k_n), so that the way
/// chooses the root.
template <class T>
RICOCHET_HD T impulse_to(const PlanarPhase<T>& f, T wanted, bool falling) {
  using std::abs;
  using std::sqrt;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const T a = f.lift(), v = f.from.v_n, target = -wanted / f.k_n;
  const T disc = v * v + a * target;
  if (disc < T(0)) return infinity;
  const T after = falling ? sqrt(disc) : -sqrt(disc);
  // (after − v)/a, or the same as target/(after + v): the one in which like signs are added.
  const T sum = after + v;
  T J = infinity;
  if (a != T(0) && !(after * v > T(0))) {
    J = (after - v) / a;
  } else if (sum != T(0)) {
    J = target / sum;
  }
  if (!falling && !(after < T(0))) return infinity;  // the top itself, just left
  return J >= T(0) ? J : infinity;
}

template <class T, class Observer>
class Run : public SledgeRun<T, Run<T, Observer>> {
  using Base = SledgeRun<T, Run<T, Observer>>;
  friend Base;

 public:
  RICOCHET_HD Run(const PlanarSledge<T>& problem, Observer& observer, int limit)
      : Base(problem.e, Damper::hysteretic), p_(problem), observer_(observer), limit_(limit) {}

  RICOCHET_HD PlanarOutcome<T> run() {
    using std::abs;
    phase_.p = p_;
    phase_.from.v_n = T(-1);
    phase_.from.v_t = p_.v_t;
    // Both forces start from zero; the sledge moves at once if their ratio would leave the cone (L5).
    const bool slides = p_.mu == T(0) || p_.kappa * abs(p_.v_t) > p_.mu;
    set(!slides, p_.v_t < T(0) ? -1 : 1);
    this->run_phases(limit_, std::numeric_limits<int>::max(), out_.phases, out_.evaluations);
    out_.state = phase_.from;
    out_.duration = phase_.start;
    out_.stop = this->stop_;
    return out_;
  }

 private:
  using Base::change;
  using Base::finish;
  using Base::spring_;
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T eps = std::numeric_limits<T>::epsilon();

  // ---- as SledgeRun asks ---------------------------------------------------------------------------------------

  [[nodiscard]] RICOCHET_HD bool sticks() const { return phase_.sticks; }
  RICOCHET_HD void begin_phase(int) {}
  RICOCHET_HD T& force() { return phase_.from.N; }
  RICOCHET_HD T& normal_loss() { return phase_.from.normal_loss; }
  RICOCHET_HD void set_loading(bool loading) {
    phase_.loading = loading;
    if (!loading) phase_.from.v_n = T(0);
  }
  RICOCHET_HD void line_changed() {
    phase_.k_n = spring_.stiffness();
    set(phase_.sticks, phase_.eta);
  }
  RICOCHET_HD void change_friction() { set(!phase_.sticks, leaves_towards_); }

  /// The normal force is gone, and with it all that held the sledge: what its spring still stores is lost.
  RICOCHET_HD void release() {
    PlanarState<T>& s = phase_.from;
    friction_ += p_.kappa * s.x * s.x / T(2);
    s.friction_loss = friction_.hi;
    s.N = T(0);
    s.x = T(0);
    this->done_ = true;
  }

  RICOCHET_HD void set(bool sticks, int eta) {
    phase_.sticks = sticks;
    phase_.eta = sticks ? 0 : eta;
    if (sticks && modes_for_ != phase_.k_n) {
      phase_.find_modes();
      modes_for_ = phase_.k_n;
    }
  }

  /// Ends the phase in the state `to`, its impulse and loss counted from where the phase began. Velocity is that of the
  /// impulse (C1): summed up by itself it would drift.
  RICOCHET_HD void close(PlanarState<T> to, T length, PhaseEnd end) {
    P_n_ += to.P_n;
    P_t_ += to.P_t;
    friction_ += to.friction_loss;
    to.P_n = P_n_.hi;
    to.P_t = P_t_.hi;
    to.friction_loss = friction_.hi;
    v_n_ = P_t_ * p_.b;
    v_n_ += P_n_;
    v_n_ += T(-1);
    v_t_ = P_n_ * p_.b;
    v_t_ += P_t_ * p_.c;
    v_t_ += p_.v_t;
    to.v_n = v_n_.hi;
    to.v_t = v_t_.hi;
    balance(to);
    phase_.length = length;
    phase_.to = to;
    phase_.end = end;
    observer_(phase_);
    phase_.start += length;
    phase_.from = to;
  }

  /// Energy is what it was (L18). A phase rounds it, the same way every time, and thousands of phases would add that
  /// up: the springs are put right, both alike, which keeps the force on the cone. By no more than a phase can have
  /// rounded them: whatever else might be wrong stays to be seen.
  RICOCHET_HD void balance(PlanarState<T>& s) const {
    const T stored = s.N * s.N / (T(2) * phase_.k_n) + p_.kappa * s.x * s.x / T(2);
    if (!(stored > T(0))) return;
    Twofold<T> n = v_n_, t = v_t_;
    n += T(-1);
    t += p_.v_t;
    Twofold<T> sum = P_n_ * n;
    sum += P_t_ * t;
    sum = sum * T(0.5L);
    sum += stored;
    sum += friction_;
    sum += s.normal_loss;
    const T most = T(4) * eps, wanted = sum.hi / (T(2) * stored);
    const T share = wanted > most ? most : wanted < -most ? -most : wanted;
    s.N -= share * s.N;
    s.x -= share * s.x;
  }

  RICOCHET_HD void stick() {
    using std::abs;
    using std::sqrt;
    const T rk = sqrt(phase_.k_n), rx = sqrt(p_.kappa);
    const T slow = phase_.omega[0] < phase_.omega[1] ? phase_.omega[0] : phase_.omega[1];
    const T fast = phase_.omega[0] < phase_.omega[1] ? phase_.omega[1] : phase_.omega[0];
    // Without an immovable direction N vanishes within half a period of either mode one after the other (L7); with one,
    // what does not happen within a period never does.
    const bool bound = slow > T(0);
    const T half = ricochet::pi<T>() / fast,
            last = (bound ? half + ricochet::pi<T>() / slow : T(2) * half) * (T(1) + T(1e-6));
    std::array<Sinusoids<T, 2>, 3> f;
    std::array<PhaseEnd, 3> code{};
    std::array<int, 3> towards{};
    std::size_t count = 0;
    const auto watch = [&](const Sinusoids<T, 2>& event, PhaseEnd what, int direction = 0) {
      f[count] = event;
      towards[count] = direction;
      code[count++] = what;
    };
    if (p_.mu == infinity) {
      watch(phase_.combination(-rk, T(0)), PhaseEnd::release);
    } else {
      watch(phase_.combination(-p_.mu * rk, -rx), PhaseEnd::friction, 1);
      watch(phase_.combination(-p_.mu * rk, rx), PhaseEnd::friction, -1);
    }
    if (phase_.loading) {
      watch(phase_.combination(-T(1) / rk, T(0), true), PhaseEnd::turn);
    } else if (spring_.hysteretic()) {
      Sinusoids<T, 2> reloads = phase_.combination(rk, T(0));
      reloads.shift = spring_.peak();
      watch(reloads, PhaseEnd::reload);
    }
    // Window after window, from a swing of the fast mode on: what rings has its next event there.
    PhaseEnd way = PhaseEnd::none;
    T end = T(0);
    for (T from = T(0), to = ricochet::pi<T>() / fast; way == PhaseEnd::none && from < last; from = to, to *= T(4)) {
      end = to < last ? to : last;
      for (std::size_t i = 0; i < count; ++i) {
        const Crossing<T> hit = first_sure_fall<T>(f[i], f[i].noise, from, end);
        out_.evaluations += hit.evaluations;
        if (hit.gave_up) {
          finish(Stop::gave_up);
          return;
        }
        if (!hit.found) continue;
        end = hit.t;
        way = code[i];
        leaves_towards_ = towards[i];
      }
    }
    // Springs that swing in step keep the force on the edge of the cone, to rounding, until there is none (Garwin's
    // superball at the largest slip that sticks): then the contact ends without a fall out of the cone.
    if (way == PhaseEnd::none && p_.mu < infinity) {
      const Sinusoids<T, 2> N = phase_.combination(-rk, T(0));
      const Crossing<T> hit = first_sure_fall<T>(N, N.noise, T(0), last);
      out_.evaluations += hit.evaluations;
      if (hit.found) {
        end = hit.t;
        way = PhaseEnd::release;
      }
    }
    if (way == PhaseEnd::none) {
      finish(bound ? Stop::gave_up : Stop::never);
      return;
    }
    PlanarState<T> s = phase_.stuck_for(end);
    // On the cone to the last bit; of the two ways there, the shorter one in z.
    if (way == PhaseEnd::friction) {
      if (p_.mu * rk < rx) {
        s.x = T(leaves_towards_) * p_.mu * s.N / p_.kappa;
      } else {
        s.N = p_.kappa * abs(s.x) / p_.mu;
      }
    }
    if (way == PhaseEnd::release || s.N < T(0)) s.N = T(0);
    close(s, end, way);
    change(way);
  }

  RICOCHET_HD void slide() {
    using std::sqrt;
    const T lift = phase_.lift(), N0 = phase_.from.N;
    if (lift < T(0)) out_.jammed = true;
    // Each event as the normal impulse at which it comes.
    T J = impulse_to(phase_, -N0 * N0, true);
    PhaseEnd way = PhaseEnd::release;
    const T speed = phase_.sledge_speed(), rate = phase_.sledge_rate();
    if (p_.mu > T(0)) {
      T stop = rate < T(0) ? -speed / rate : infinity;
      if (stop < T(0)) stop = T(0);
      if (stop < J) {
        J = stop;
        way = PhaseEnd::friction;
      }
    }
    if (phase_.loading) {
      const T over = lift > T(0) ? -phase_.from.v_n / lift : infinity;
      if (over >= T(0) && over < J) {
        J = over;
        way = PhaseEnd::turn;
      }
    } else if (spring_.hysteretic()) {
      const T again = impulse_to(phase_, (spring_.peak() - N0) * (spring_.peak() + N0), false);
      if (again < J) {
        J = again;
        way = PhaseEnd::reload;
      }
    }
    if (!(J < infinity)) {
      finish(Stop::never);
      return;
    }
    const T square = N0 * N0 + phase_.pressure_change(J);
    const T N = way == PhaseEnd::release || square < T(0) ? T(0) : sqrt(square);
    const PlanarState<T> s = phase_.slid_by(J, N);
    close(s, phase_.sliding_time(N, s.v_n), way);
    change(way);
  }

  PlanarSledge<T> p_;
  Observer& observer_;
  int limit_;
  PlanarPhase<T> phase_;
  PlanarOutcome<T> out_;
  Twofold<T> P_n_, P_t_, v_n_, v_t_, friction_;  ///< of the state between phases, in full
  T modes_for_ = T(-1);
  int leaves_towards_ = 0;  ///< direction of the slip that begins
};

}  // namespace planar

/// From first touch to separation. The observer is shown every phase when it ends.
template <class T, class Observer = Unobserved>
RICOCHET_HD PlanarOutcome<T> run_planar(const PlanarSledge<T>& problem, Observer&& observer = {},
                                        int limit = planar::most_phases) {
  return planar::Run<T, Observer>(problem, observer, limit).run();
}

}  // namespace ricochet::compliant
