#pragma once
/// The spring-sledge contact in a plane, phase by phase in closed form, docs/laws/spring-sledge.md (L1 to L12).

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "ricochet/base/twofold.hpp"
#include "ricochet/compliant/sinusoid_roots.hpp"

namespace ricochet::compliant {

/// Dimensionless (L3): approach speed 1, normal mobility 1, loading stiffness of the normal spring 1.
template <class T>
struct PlanarSledge {
  T b = T(0);      ///< W_nt / W_nn
  T c = T(1);      ///< W_tt / W_nn; c ≥ b²
  T v_t = T(0);    ///< V_t⁻ / |V_n⁻|
  T kappa = T(1);  ///< tangential over normal stiffness, above 0
  T mu = T(0);     ///< friction, 0 to ∞
  T e = T(1);      ///< √(unloading work / loading work) of the normal spring, 0 to 1
};

template <class T>
struct PlanarState {
  T N = T(0);                ///< normal force
  T x = T(0);                ///< deflection of the tangential spring, so that F_t = −κ x
  T v_n = T(0), v_t = T(0);  ///< velocity of the contact point
  T P_n = T(0), P_t = T(0);  ///< impulse so far
  T friction_loss = T(0);    ///< work that the sledge has lost to friction
  T normal_loss = T(0);      ///< work that the normal spring keeps for good
};

enum class Stop : std::uint8_t {
  separated,  ///< the normal force came down to zero
  never,      ///< a contact with an immovable direction wedges itself and does not come free
  rings,      ///< its springs swing more often than is followed
  gave_up,    ///< a search for the next event ended without result
};

/// Between two events nothing changes but the state, and that in closed form.
template <class T>
struct PlanarPhase {
  bool sticks = true;
  int eta = 0;          ///< direction in which the sledge slides, +1 or −1; 0 while it sticks
  bool loading = true;  ///< on the loading line of the normal spring
  T k_n = T(1);         ///< stiffness of the normal spring
  T start = T(0);       ///< time at which the phase begins
  T length = T(0);
  PlanarState<T> from;
  PlanarSledge<T> p;
  // Modes of the sticking contact: z = (−N/√k_n, √κ x) = Σ axisᵢ qᵢ.
  T cs = T(1), sn = T(0);
  T omega[2] = {T(0), T(0)};

  /// State at time t after the start of the phase.
  [[nodiscard]] RICOCHET_HD PlanarState<T> at(T t) const {
    PlanarState<T> s = sticks ? stuck_for(t) : sliding_for(t);
    s.P_n += from.P_n;
    s.P_t += from.P_t;
    s.friction_loss += from.friction_loss;
    return s;
  }

  // What follows gives impulse and friction loss as gained since the start of the phase.

  /// S = √K W √K and its modes (L6). The smaller eigenvalue from the determinant: it must not be lost in the rounding
  /// of the larger.
  RICOCHET_HD void find_modes() {
    using std::abs;
    using std::sqrt;
    const T s11 = k_n, s22 = p.kappa * p.c, s12 = p.b * sqrt(k_n * p.kappa);
    cs = T(1);
    sn = T(0);
    T first = s11, second = s22;
    if (s12 != T(0)) {
      const T zeta = (s22 - s11) / (T(2) * s12);
      const T t = (zeta < T(0) ? T(-1) : T(1)) / (abs(zeta) + sqrt(T(1) + zeta * zeta));
      cs = T(1) / sqrt(T(1) + t * t);
      sn = t * cs;
      first = s11 - t * s12;
      second = s22 + t * s12;
      const T determinant = k_n * p.kappa * free();
      (first < second ? first : second) = determinant / (first < second ? second : first);
    }
    omega[0] = first > T(0) ? sqrt(first) : T(0);
    omega[1] = second > T(0) ? sqrt(second) : T(0);
  }

  /// c − b², zero where it is no more than the rounding of either.
  [[nodiscard]] RICOCHET_HD T free() const {
    const Twofold<T> square = Twofold<T>::product(p.b, p.b);
    const T gap = (p.c - square.hi) - square.lo;
    return gap < T(8) * std::numeric_limits<T>::epsilon() * p.c ? T(0) : gap;
  }

  /// q and q' at the start.
  RICOCHET_HD void modal_start(T q[2], T rate[2]) const {
    using std::sqrt;
    const T rk = sqrt(k_n), rx = sqrt(p.kappa);
    const T z1 = -from.N / rk, z2 = rx * from.x, d1 = rk * from.v_n, d2 = rx * from.v_t;
    q[0] = cs * z1 - sn * z2;
    q[1] = sn * z1 + cs * z2;
    // A mode without frequency is an immovable direction, along which V has no component but rounding.
    rate[0] = omega[0] > T(0) ? cs * d1 - sn * d2 : T(0);
    rate[1] = omega[1] > T(0) ? sn * d1 + cs * d2 : T(0);
  }

  /// α z₁ + β z₂ as a function of time, or its rate. `noise` is what the rounding of its coefficients makes of it.
  [[nodiscard]] RICOCHET_HD Sinusoids<T, 2> combination(T alpha, T beta, bool rate_wanted = false) const {
    using std::abs;
    using std::sqrt;
    constexpr T eps = std::numeric_limits<T>::epsilon();
    T q[2], rate[2];
    modal_start(q, rate);
    const T z1 = abs(from.N) / sqrt(k_n), z2 = sqrt(p.kappa) * abs(from.x);
    const T d1 = sqrt(k_n) * abs(from.v_n), d2 = sqrt(p.kappa) * abs(from.v_t);
    const T axis[2][2] = {{abs(cs), abs(sn)}, {abs(sn), abs(cs)}};
    const T weight[2] = {alpha * cs - beta * sn, alpha * sn + beta * cs};
    Sinusoids<T, 2> f;
    for (std::size_t i = 0; i < 2; ++i) {
      const T w = omega[i], q_size = axis[i][0] * z1 + axis[i][1] * z2, rate_size = axis[i][0] * d1 + axis[i][1] * d2;
      f.omega[i] = w;
      f.a[i] = weight[i] * (rate_wanted ? rate[i] : q[i]);
      f.b[i] = weight[i] * (rate_wanted ? -w * w * q[i] : rate[i]);
      f.noise += T(4) * eps * abs(weight[i]) *
                 (rate_wanted ? rate_size + w * q_size : q_size + (w > T(0) ? rate_size / w : T(0)));
    }
    f.prepare();
    return f;
  }

  [[nodiscard]] RICOCHET_HD PlanarState<T> stuck_for(T t) const {
    using std::cos;
    using std::sin;
    using std::sqrt;
    T q[2], rate[2], z[2] = {}, d[2] = {}, sum[2] = {};
    modal_start(q, rate);
    const T axis[2][2] = {{cs, -sn}, {sn, cs}};
    for (int i = 0; i < 2; ++i) {
      T C = T(1), S = t, C2 = t * t / T(2), damp = T(0);
      if (omega[i] > T(0)) {
        const T half = sin(omega[i] * t / T(2));
        S = sin(omega[i] * t) / omega[i];
        C2 = T(2) * half * half / (omega[i] * omega[i]);
        C = cos(omega[i] * t);
        damp = omega[i] * omega[i] * S;
      }
      const T now = q[i] * C + rate[i] * S, speed = rate[i] * C - q[i] * damp, gathered = q[i] * S + rate[i] * C2;
      for (int j = 0; j < 2; ++j) {
        z[j] += axis[i][j] * now;
        d[j] += axis[i][j] * speed;
        sum[j] += axis[i][j] * gathered;
      }
    }
    const T rk = sqrt(k_n), rx = sqrt(p.kappa);
    return {-rk * z[0], z[1] / rx, d[0] / rk, d[1] / rx, -rk * sum[0], -rx * sum[1], T(0), from.normal_loss};
  }

  // While the sledge slides, everything is a polynomial of the normal impulse J since the phase began (L9, L10).

  [[nodiscard]] RICOCHET_HD T lift() const { return T(1) - T(eta) * p.mu * p.b; }  ///< dv_n/dJ
  [[nodiscard]] RICOCHET_HD T drag() const { return p.b - T(eta) * p.mu * p.c; }   ///< dv_t/dJ
  /// Speed of the sledge at the start, and its rate over J.
  [[nodiscard]] RICOCHET_HD T sledge_speed() const { return T(eta) * from.v_t + p.mu * k_n / p.kappa * from.v_n; }
  [[nodiscard]] RICOCHET_HD T sledge_rate() const { return T(eta) * drag() + p.mu * k_n / p.kappa * lift(); }

  /// N² − N₀² after the impulse J.
  [[nodiscard]] RICOCHET_HD T pressure_change(T J) const { return -k_n * J * (T(2) * from.v_n + lift() * J); }

  [[nodiscard]] RICOCHET_HD PlanarState<T> slid_by(T J, T N) const {
    return {N,
            T(eta) * p.mu * N / p.kappa,
            from.v_n + lift() * J,
            from.v_t + drag() * J,
            J,
            -T(eta) * p.mu * J,
            p.mu * J * (sledge_speed() + sledge_rate() * J / T(2)),
            from.normal_loss};
  }

  [[nodiscard]] RICOCHET_HD PlanarState<T> sliding_for(T t) const {
    using std::abs;
    using std::cos;
    using std::cosh;
    using std::sin;
    using std::sinh;
    using std::sqrt;
    const T nu = k_n * lift(), w = sqrt(abs(nu)), slope = -k_n * from.v_n;
    T C = T(1), S = t, C2 = t * t / T(2);
    if (w * t > T(1e-30)) {
      const T half = nu > T(0) ? sin(w * t / T(2)) : sinh(w * t / T(2));
      C = nu > T(0) ? cos(w * t) : cosh(w * t);
      S = (nu > T(0) ? sin(w * t) : sinh(w * t)) / w;
      C2 = T(2) * half * half / (w * w);
    }
    return slid_by(from.N * S + slope * C2, from.N * C + slope * S);
  }

  /// Time that the sliding takes to come from the start to force N and normal velocity v_n (L11).
  [[nodiscard]] RICOCHET_HD T sliding_time(T N, T v_n) const {
    using std::abs;
    using std::atan2;
    using std::log1p;
    using std::sqrt;
    const T nu = k_n * lift(), w = sqrt(abs(nu));
    const T num = k_n * (v_n * from.N - from.v_n * N), den = nu * from.N * N + k_n * k_n * from.v_n * v_n;
    if (!(w > T(0))) return den != T(0) ? num / den : T(0);
    if (nu > T(0)) return atan2(num * w, den) / w;
    // Friction drives the bodies deeper: one of w N ∓ k_n v_n grows as exp(wt) and the other shrinks. The tanh of the
    // whole way would round to 1 where it is long.
    const T grown = w * from.N - k_n * from.v_n, shrunk = w * N + k_n * v_n;
    if (grown > T(0)) return log1p((w * (N - from.N) - k_n * (v_n - from.v_n)) / grown) / w;
    return shrunk > T(0) ? log1p((w * (from.N - N) + k_n * (from.v_n - v_n)) / shrunk) / w : T(0);
  }
};

template <class T>
struct PlanarOutcome {
  PlanarState<T> state;  ///< when the normal force has come down to zero, the springs relaxed
  T duration = T(0);
  Stop stop = Stop::separated;
  bool jammed = false;  ///< somewhere friction drove the bodies deeper: dv_n/dJ < 0
  int phases = 0;
  int evaluations = 0;
};

/// Looks at nothing.
struct Unobserved {
  template <class Phase>
  RICOCHET_HD void operator()(const Phase&) const {}
};

namespace planar {

/// A fraction of a second. A contact that rings longer is told so (Stop::rings).
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
class Run {
 public:
  RICOCHET_HD Run(const PlanarSledge<T>& problem, Observer& see, int limit) : p_(problem), see_(see), limit_(limit) {}

  RICOCHET_HD PlanarOutcome<T> run() {
    phase_.p = p_;
    PlanarState<T>& s = phase_.from;
    s.v_n = T(-1);
    s.v_t = p_.v_t;
    unload_ = p_.e > T(0) ? T(1) / (p_.e * p_.e) : infinity;
    using std::abs;
    // Both forces start from zero; the sledge moves at once if their ratio would leave the cone (L5).
    const bool slides = p_.mu == T(0) || p_.kappa * abs(p_.v_t) > p_.mu;
    set(!slides, p_.v_t < T(0) ? -1 : 1);
    while (!done_) {
      if (++out_.phases > limit_) {
        finish(Stop::rings);
        break;
      }
      if (phase_.sticks) {
        stick();
      } else {
        slide();
      }
    }
    out_.state = phase_.from;
    out_.duration = phase_.start;
    return out_;
  }

 private:
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T eps = std::numeric_limits<T>::epsilon();

  RICOCHET_HD void set(bool sticks, int eta) {
    phase_.sticks = sticks;
    phase_.eta = sticks ? 0 : eta;
    if (sticks && modes_for_ != phase_.k_n) {
      phase_.find_modes();
      modes_for_ = phase_.k_n;
    }
  }

  /// Ends the phase in the state `to`, its impulse and loss counted from where the phase began. Velocity is that of the
  /// impulse (C1): gathered by itself it would wander off.
  RICOCHET_HD void close(const PlanarState<T>& to, T length) {
    phase_.length = length;
    see_(phase_);
    phase_.start += length;
    phase_.from = to;
    P_n_ += to.P_n;
    P_t_ += to.P_t;
    friction_ += to.friction_loss;
    PlanarState<T>& s = phase_.from;
    s.P_n = P_n_.hi;
    s.P_t = P_t_.hi;
    s.friction_loss = friction_.hi;
    v_n_ = P_t_ * p_.b;
    v_n_ += P_n_;
    v_n_ += T(-1);
    v_t_ = P_n_ * p_.b;
    v_t_ += P_t_ * p_.c;
    v_t_ += p_.v_t;
    s.v_n = v_n_.hi;
    s.v_t = v_t_.hi;
    balance();
  }

  /// Energy is what it was (L18). A phase rounds it, the same way every time, and thousands of phases would add that
  /// up: the springs are put right, both alike, which keeps the force on the cone. By no more than a phase can have
  /// rounded them: whatever else might be wrong stays to be seen.
  RICOCHET_HD void balance() {
    PlanarState<T>& s = phase_.from;
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

  /// The normal velocity has come up to zero: what follows runs on the unloading line.
  RICOCHET_HD void turn_over() {
    PlanarState<T>& s = phase_.from;
    s.v_n = T(0);
    phase_.loading = false;
    if (p_.e == T(1)) return;
    peak_ = s.N;
    s.normal_loss = s.N * s.N * (T(1) - p_.e * p_.e) / T(2);
    if (p_.e == T(0)) {
      release();
      return;
    }
    phase_.k_n = unload_;
  }

  RICOCHET_HD void load_again() {
    phase_.loading = true;
    phase_.k_n = T(1);
    phase_.from.normal_loss = T(0);
    phase_.from.N = peak_;
  }

  /// The normal force is gone, and with it all that held the sledge: what its spring still stores is lost.
  RICOCHET_HD void release() {
    PlanarState<T>& s = phase_.from;
    friction_ += p_.kappa * s.x * s.x / T(2);
    s.friction_loss = friction_.hi;
    s.N = T(0);
    s.x = T(0);
    done_ = true;
  }

  RICOCHET_HD void finish(Stop why) {
    out_.stop = why;
    done_ = true;
  }

  RICOCHET_HD void stick() {
    using std::abs;
    using std::sqrt;
    const T rk = sqrt(phase_.k_n), rx = sqrt(p_.kappa);
    const T slow = phase_.omega[0] < phase_.omega[1] ? phase_.omega[0] : phase_.omega[1];
    const T fast = phase_.omega[0] < phase_.omega[1] ? phase_.omega[1] : phase_.omega[0];
    const T pi = T(3.141592653589793238462643383279502884L);
    // Without an immovable direction N has zero mean and must vanish within half a period of the slowest mode (L7);
    // with one, what does not happen within a period never does.
    const bool bound = slow > T(0);
    const T last = bound ? pi / slow * (T(1) + T(1e-6)) : T(2) * pi / fast * (T(1) + T(1e-6));
    std::array<Sinusoids<T, 2>, 3> f;
    std::array<int, 3> code{};
    std::size_t count = 0;
    const auto watch = [&](const Sinusoids<T, 2>& event, int way) {
      f[count] = event;
      code[count++] = way;
    };
    if (p_.mu == infinity) {
      watch(phase_.combination(-rk, T(0)), 3);
    } else {
      watch(phase_.combination(-p_.mu * rk, -rx), 1);
      watch(phase_.combination(-p_.mu * rk, rx), -1);
    }
    if (phase_.loading) {
      watch(phase_.combination(-T(1) / rk, T(0), true), 2);
    } else if (p_.e < T(1)) {
      Sinusoids<T, 2> reloads = phase_.combination(rk, T(0));
      reloads.shift = peak_;
      watch(reloads, 4);
    }
    // Window after window, from a swing of the fast mode on: what rings has its next event there.
    int way = 0;
    T end = T(0);
    for (T from = T(0), to = pi / fast; way == 0 && from < last; from = to, to *= T(4)) {
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
      }
    }
    // Springs that swing in step keep the force on the edge of the cone, to rounding, until there is none (Garwin's
    // superball at the largest slip that sticks): then the contact ends without a fall out of the cone.
    if (way == 0 && p_.mu < infinity) {
      const Sinusoids<T, 2> N = phase_.combination(-rk, T(0));
      const Crossing<T> hit = first_sure_fall<T>(N, N.noise, T(0), last);
      out_.evaluations += hit.evaluations;
      if (hit.found) {
        end = hit.t;
        way = 3;
      }
    }
    if (way == 0) {
      finish(bound ? Stop::gave_up : Stop::never);
      return;
    }
    PlanarState<T> s = phase_.stuck_for(end);
    // On the cone to the last bit; of the two ways there, the shorter one in z.
    if (way == 1 || way == -1) {
      if (p_.mu * rk < rx) {
        s.x = T(way) * p_.mu * s.N / p_.kappa;
      } else {
        s.N = p_.kappa * abs(s.x) / p_.mu;
      }
    }
    if (way == 3 || s.N < T(0)) s.N = T(0);
    close(s, end);
    if (way == 2) {
      turn_over();
      if (!done_) set(true, 0);
    } else if (way == 3) {
      release();
    } else if (way == 4) {
      load_again();
      set(true, 0);
    } else {
      set(false, way);
    }
  }

  RICOCHET_HD void slide() {
    using std::sqrt;
    const T lift = phase_.lift(), N0 = phase_.from.N;
    if (lift < T(0)) out_.jammed = true;
    // Each event as the normal impulse at which it comes.
    T J = impulse_to(phase_, -N0 * N0, true);
    int way = 3;
    const T speed = phase_.sledge_speed(), rate = phase_.sledge_rate();
    if (p_.mu > T(0)) {
      T stop = rate < T(0) ? -speed / rate : infinity;
      if (stop < T(0)) stop = T(0);
      if (stop < J) {
        J = stop;
        way = 1;
      }
    }
    if (phase_.loading) {
      const T over = lift > T(0) ? -phase_.from.v_n / lift : infinity;
      if (over >= T(0) && over < J) {
        J = over;
        way = 2;
      }
    } else if (p_.e < T(1)) {
      const T again = impulse_to(phase_, (peak_ - N0) * (peak_ + N0), false);
      if (again < J) {
        J = again;
        way = 4;
      }
    }
    if (!(J < infinity)) {
      finish(Stop::never);
      return;
    }
    const T square = N0 * N0 + phase_.pressure_change(J);
    const T N = way == 3 || square < T(0) ? T(0) : sqrt(square);
    const PlanarState<T> s = phase_.slid_by(J, N);
    close(s, phase_.sliding_time(N, s.v_n));
    if (way == 1) {
      set(true, 0);
    } else if (way == 2) {
      turn_over();
    } else if (way == 3) {
      release();
    } else {
      load_again();
    }
  }

  PlanarSledge<T> p_;
  Observer& see_;
  int limit_;
  PlanarPhase<T> phase_;
  PlanarOutcome<T> out_;
  Twofold<T> P_n_, P_t_, v_n_, v_t_, friction_;  ///< of the state between phases, in full
  T unload_ = T(1), peak_ = T(0), modes_for_ = T(-1);
  bool done_ = false;
};

}  // namespace planar

/// From first touch to separation. `see` is shown every phase when it ends.
template <class T, class Observer = Unobserved>
RICOCHET_HD PlanarOutcome<T> run_planar(const PlanarSledge<T>& problem, Observer&& see = {},
                                        int limit = planar::most_phases) {
  return planar::Run<T, Observer>(problem, see, limit).run();
}

}  // namespace ricochet::compliant
