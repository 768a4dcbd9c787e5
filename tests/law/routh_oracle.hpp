#pragma once
/// Routh's law by a general ODE library, as the paper states it (CR98 Eq. 7): normal impulse is the independent
/// variable, nothing is regularised, the error-controlled stepper alone copes with the singularity at zero slip. Shares
/// no formula with the law beyond V⁺ = V⁻ + W P.

#include <Eigen/Dense>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <limits>

#include "ricochet/law/routh.hpp"

// odeint copies a stepper whose scratch space is still empty.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"

namespace ricochet::testing {

template <class T>
struct RouthOracle {
  using State = std::array<T, 7>;  ///< v_n, v_1, v_2, P_1, P_2, normal work, friction work

  Local<T> c;
  T mu, mu_s, e;
  Restitution restitution;
  T tolerance;
  long evaluations = 0;
  Vec2T<T> resumed_direction = Vec2T<T>::Zero();

  struct Answer {
    Vec3T<T> P;
    Vec3T<T> V;
    T normal_work, friction_work;
    bool sticks = false;
    bool ok = false;
  };

  Answer run() {
    State x{c.V(0), c.V(1), c.V(2), T(0), T(0), T(0), T(0)};
    T p = 0;
    bool compressing = true;
    T p_stop = 0, work_stop = 0;
    const T v_stop = -e * c.V(0);
    T speed0 = std::sqrt(x[1] * x[1] + x[2] * x[2]);
    bool stuck = false, sliding = speed0 > 0;
    namespace ode = boost::numeric::odeint;
    using Stepper = ode::runge_kutta_fehlberg78<State, T>;
    Stepper plain;
    auto controlled = ode::make_controlled<Stepper>(tolerance * std::abs(c.V(0)), tolerance);
    const auto system = [&](const State& y, State& dy, T) { rhs(y, dy, stuck); };
    T dp = T(1e-3) * std::abs(c.V(0)) / c.W(0, 0);
    Answer a;
    for (long step = 0; step < 2'000'000; ++step) {
      if (!sliding && !stuck && resumed_direction.norm() == T(0)) {
        // Zero slip: hold if friction can, else leave along the direction that grows.
        x[1] = x[2] = 0;
        const Mat2T<T> A = c.W.template block<2, 2>(1, 1);
        const Vec2T<T> w(c.W(1, 0), c.W(2, 0));
        const Vec2T<T> hold = A.inverse() * w;
        if (hold.norm() <= mu_s) {
          stuck = true;
        } else {
          resumed_direction = growing(A, w);
        }
      }
      const State before = x;
      const T p_before = p;
      T trial = dp;
      if (sliding) {  // never more than halfway to zero slip, where the right-hand side jumps
        State dx{};
        rhs(x, dx, false);
        trial = std::min<T>(trial, T(0.3L) * std::hypot(x[1], x[2]) / std::hypot(dx[1], dx[2]));
      }
      if (controlled.try_step(system, x, p, trial) == ode::fail) {
        dp = trial;
        if (dp < std::numeric_limits<T>::min()) return a;
        continue;
      }
      const T used = p - p_before;
      dp = std::min<T>(trial, 5 * used);
      const auto measure = [&](const State& y, T q) -> T {
        if (compressing) return y[0];
        if (restitution == Restitution::poisson) return q - p_stop;
        if (restitution == Restitution::stronge) return y[5] - work_stop;
        return y[0] - v_stop;
      };
      const T now = measure(x, p);
      const bool again = !compressing && x[0] < 0;
      if (now >= 0 || again) {
        // Regula falsi with halving (Illinois) on the length of this very step.
        const auto f = [&](const State& y, T q) { return again && now < 0 ? -y[0] : measure(y, q); };
        T lo = 0, hi = used, f_lo = f(before, p_before), f_hi = f(x, p);
        State y = x;
        for (int i = 0; i < 200 && hi - lo > 2 * std::numeric_limits<T>::epsilon() * hi; ++i) {
          T mid = f_lo < 0 ? lo + (hi - lo) * f_lo / (f_lo - f_hi) : (lo + hi) / 2;
          if (i % 3 == 2 || !(mid > lo && mid < hi)) mid = (lo + hi) / 2;
          y = before;
          plain.do_step(system, y, p_before, mid);
          const T value = f(y, p_before + mid);
          if (value < 0) {
            lo = mid;
            f_lo = value;
          } else {
            hi = mid;
            f_hi = value;
            x = y;
            p = p_before + mid;
          }
        }
        if (again && now < 0) {
          compressing = true;
          continue;
        }
        if (compressing) {
          compressing = false;
          x[0] = 0;
          p_stop = (1 + e) * p;
          work_stop = (1 - e * e) * x[5];
          if (e > 0) continue;
        }
        a.P = Vec3T<T>(p, x[3], x[4]);
        a.V = Vec3T<T>(x[0], x[1], x[2]);
        a.normal_work = x[5];
        a.friction_work = x[6];
        a.sticks = stuck;
        a.ok = true;
        return a;
      }
      const T speed = std::sqrt(x[1] * x[1] + x[2] * x[2]);
      if (sliding && speed < T(1e-13L) * speed0) {
        // The direction has converged long before: the remaining slip is straight.
        State dx{};
        rhs(x, dx, false);
        const T closing = -(x[1] * dx[1] + x[2] * dx[2]) / speed;
        if (closing > 0) {
          const T rest = speed / closing;
          for (std::size_t i = 0; i < x.size(); ++i) x[i] += rest * dx[i];
          p += rest;
          sliding = false;
        }
      }
    }
    return a;
  }

 private:
  void rhs(const State& y, State& dy, bool stuck) {
    ++evaluations;
    Vec2T<T> pull;
    if (stuck) {
      const Mat2T<T> A = c.W.template block<2, 2>(1, 1);
      pull = -(A.inverse() * Vec2T<T>(c.W(1, 0), c.W(2, 0)));
    } else {
      Vec2T<T> v(y[1], y[2]);
      if (resumed_direction.norm() > T(0)) v = resumed_direction;
      pull = -mu * v / v.norm();
    }
    const Vec3T<T> dV = c.W * Vec3T<T>(T(1), pull(0), pull(1));
    dy = {dV(0), dV(1), dV(2), pull(0), pull(1), y[0], y[1] * pull(0) + y[2] * pull(1)};
    if (stuck) dy[1] = dy[2] = 0;
  }

  /// The direction v̂ that slip keeps while it grows, found by following the flow of the direction itself.
  Vec2T<T> growing(const Mat2T<T>& A, const Vec2T<T>& w) const {
    T best = 0;
    Vec2T<T> direction = Vec2T<T>::Zero();
    const int count = 3600;
    const T pi = T(3.14159265358979323846264338327950288L);
    const auto h = [&](T phi) {
      const Vec2T<T> v(std::cos(phi), std::sin(phi));
      const Vec2T<T> r = w - mu * A * v;
      return -v(1) * r(0) + v(0) * r(1);
    };
    for (int i = 0; i < count; ++i) {
      T lo = 2 * pi * T(i) / count + T(0.000123L), hi = lo + 2 * pi / count;
      if (!(h(lo) >= 0 && h(hi) < 0)) continue;
      for (int k = 0; k < 80; ++k) {
        const T mid = (lo + hi) / 2;
        (h(mid) >= 0 ? lo : hi) = mid;
      }
      const Vec2T<T> v(std::cos(lo), std::sin(lo));
      const T g = v.dot(w - mu * A * v);
      if (g > best) {
        best = g;
        direction = v;
      }
    }
    return direction;
  }
};

template <class T>
typename RouthOracle<T>::Answer routh_oracle(const Routh& law, const Local<T>& c, T tolerance) {
  const double mu_s = law.mu_s < 0 ? law.mu : law.mu_s;
  RouthOracle<T> oracle{c, T(law.mu), T(mu_s), T(law.e), law.restitution, tolerance};
  return oracle.run();
}

}  // namespace ricochet::testing

#pragma GCC diagnostic pop
