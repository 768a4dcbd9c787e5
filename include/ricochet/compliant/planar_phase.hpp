#pragma once
/// One phase of the spring-sledge contact in a plane, in closed form, docs/laws/spring-sledge.md (L3) to (L11).

#include <cmath>
#include <cstddef>
#include <limits>

#include "ricochet/base/jacobi.hpp"
#include "ricochet/base/twofold.hpp"
#include "ricochet/compliant/sinusoid_roots.hpp"
#include "ricochet/compliant/sledge_stop.hpp"

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
  T normal_loss = T(0);      ///< work dissipated by the normal spring
};

/// Between two events the state evolves in closed form.
template <class T>
struct PlanarPhase {
  bool sticks = true;
  int eta = 0;          ///< direction in which the sledge slides, +1 or −1; 0 while it sticks
  bool loading = true;  ///< on the loading line of the normal spring
  T k_n = T(1);         ///< stiffness of the normal spring
  T start = T(0);       ///< time at which the phase begins
  T length = T(0);
  PlanarState<T> from;
  PlanarState<T> to;              ///< at its end, known when the phase is over
  PhaseEnd end = PhaseEnd::none;  ///< the same
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
    using std::sqrt;
    const T s11 = k_n, s22 = p.kappa * p.c, s12 = p.b * sqrt(k_n * p.kappa);
    cs = T(1);
    sn = T(0);
    T first = s11, second = s22;
    if (s12 != T(0)) {
      const JacobiRotation<T> r = jacobi_rotation<T>(s11, s22, s12);
      cs = r.cs;
      sn = r.sn;
      first = s11 - r.t * s12;
      second = s22 + r.t * s12;
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
      f.a_noise[i] = T(4) * eps * abs(weight[i]) * (rate_wanted ? rate_size : q_size);
      f.b_noise[i] = T(4) * eps * abs(weight[i]) * (rate_wanted ? w * w * q_size : rate_size);
    }
    // α z₁ + β z₂ and its first two derivatives, z'' = −S z (L6).
    const T k = sqrt(k_n), x = sqrt(p.kappa), F_1 = from.N, F_2 = -p.kappa * from.x;
    const T still = alpha * (-from.N / k) + beta * x * from.x, still_size = abs(alpha) * z1 + abs(beta) * z2;
    const T first = alpha * k * from.v_n + beta * x * from.v_t, first_size = abs(alpha) * d1 + abs(beta) * d2;
    const T second = alpha * k * (F_1 + p.b * F_2) + beta * x * (p.b * F_1 + p.c * F_2);
    const T second_size =
        abs(alpha) * k * (abs(F_1) + abs(p.b * F_2)) + abs(beta) * x * (abs(p.b * F_1) + abs(p.c * F_2));
    f.start = rate_wanted ? first : still;
    f.rate = rate_wanted ? second : first;
    f.start_noise = T(4) * eps * (rate_wanted ? first_size : still_size);
    f.rate_noise = T(4) * eps * (rate_wanted ? second_size : first_size);
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

}  // namespace ricochet::compliant
