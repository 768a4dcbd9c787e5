#pragma once
/// The spring-sledge contact by a general ODE library, as docs/laws/spring-sledge.md states it in (L1) and (L2): the
/// state is position, velocity, deflection, impulse and work lost, in time, stepped by CVODE with its own root finding.
/// No modes, no impulse as a variable, no change of time.

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/base/linear.hpp"
#include "ricochet/compliant/damper.hpp"

namespace ricochet::testing {

struct SledgeOracle {
  Mat3 W = Mat3::Identity();  ///< local axes, n first
  Vec3 V = Vec3::Zero();
  double c_n = 1, kappa = 1, mu = 0, e = 1;
  compliant::Damper damper = compliant::Damper::hysteretic;
  double coefficient = 0;  ///< d or α, in the units of W, V and c_n; unused for the hysteretic spring
  double tolerance = 1e-13;
  bool implicit = false;    ///< BDF with Newton's iteration instead of Adams with fixed points
  double longest_step = 0;  ///< in units of time (L3); 0: chosen by the library, which may step over a short slip

  struct Answer {
    Vec3 P = Vec3::Zero(), V = Vec3::Zero();
    double friction_loss = 0, duration = 0;
    bool ok = false;
    int phases = 0;
  };

  Answer run() {
    Answer a;
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VMake_Serial(size, x_.data(), context);
    void* memory = CVodeCreate(implicit ? CV_BDF : CV_ADAMS, context);
    SUNNonlinearSolver solver = implicit ? nullptr : SUNNonlinSol_FixedPoint(y, 0, context);
    SUNMatrix matrix = implicit ? SUNDenseMatrix(size, size, context) : nullptr;
    SUNLinearSolver linear = implicit ? SUNLinSol_Dense(y, matrix, context) : nullptr;
    x_.fill(0);
    for (int i = 0; i < 3; ++i) x_[at(3 + i)] = V(i);
    const double approach = -V(0);
    unit_time_ = 1 / std::sqrt(c_n * W(0, 0));
    const double unit_force = approach * std::sqrt(c_n / W(0, 0));
    k_n_ = c_n;
    begin();
    CVodeInit(memory, rhs, t_, y);
    N_Vector absolute = N_VNew_Serial(size, context);
    set_tolerances(N_VGetArrayPointer(absolute), approach);
    CVodeSVtolerances(memory, tolerance, absolute);
    CVodeSetUserData(memory, this);
    if (implicit) {
      CVodeSetLinearSolver(memory, linear, matrix);
    } else {
      CVodeSetNonlinearSolver(memory, solver);
    }
    CVodeSetMaxNumSteps(memory, 1'000'000);
    CVodeSetErrFile(memory, nullptr);
    if (longest_step > 0) CVodeSetMaxStep(memory, longest_step * unit_time_);
    CVodeRootInit(memory, 3, root);
    std::array<int, 3> falls{-1, -1, -1};
    CVodeSetRootDirection(memory, falls.data());
    closing_ = mu == 0 ? 0 : short_of_zero() * unit_force;
    for (a.phases = 1; a.phases < 20000; ++a.phases) {
      double t = t_;
      const int flag = CVode(memory, t_ + 1e6 * unit_time_, y, &t, CV_NORMAL);
      t_ = t;
      if (flag != CV_ROOT_RETURN) break;
      std::array<int, 3> which{};
      CVodeGetRootInfo(memory, which.data());
      if (which[0] != 0) {
        finish(a);
        break;
      }
      if (which[1] != 0) {
        if (sticks_) {
          eta_ = Vec2(x_[6], x_[7]).normalized();
          sticks_ = false;
        } else {
          sticks_ = true;
        }
      } else if (damper == compliant::Damper::hysteretic && e < 1) {
        if (loading_) {
          loading_ = false;
          peak_ = force(x_.data());
          if (e == 0) {
            finish(a);
            break;
          }
          k_n_ = c_n / (e * e);
          x_[0] = -peak_ / k_n_;
        } else {
          loading_ = true;
          k_n_ = c_n;
          x_[0] = -peak_ / k_n_;
        }
      }
      if (CVodeReInit(memory, t_, y) < 0) break;
    }
    N_VDestroy(absolute);
    if (solver != nullptr) SUNNonlinSolFree(solver);
    CVodeFree(&memory);
    if (implicit) {
      SUNLinSolFree(linear);
      SUNMatDestroy(matrix);
    }
    N_VDestroy(y);
    SUNContext_Free(&context);
    return a;
  }

 private:
  // u_n (less the dent that a hysteretic spring keeps, so that a steep line loses no digits), u_t (2), V (3), ξ (2), P
  // (3), friction loss
  static constexpr int size = 12;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  double force(const double* x) const {
    const double spring = -k_n_ * x[0];
    if (damper == compliant::Damper::linear) return spring - coefficient * x[3];
    if (damper == compliant::Damper::hunt_crossley) return spring * (1 - coefficient * x[3]);
    return spring;
  }

  double force_rate(const double* x, double a_n) const {
    const double spring = -k_n_ * x[0];
    if (damper == compliant::Damper::linear) return -k_n_ * x[3] - coefficient * a_n;
    if (damper == compliant::Damper::hunt_crossley)
      return -k_n_ * x[3] * (1 - coefficient * x[3]) - spring * coefficient * a_n;
    return -k_n_ * x[3];
  }

  void begin() {
    loading_ = true;
    t_ = 0;
    const Vec2 v(V(1), V(2));
    const double N = force(x_.data());
    sticks_ = mu > 0 && (N > 0 || kappa * v.norm() <= mu * -V(0) * (1 - coefficient_sign() * V(0)));
    if (sticks_) return;
    // The direction of a force that is still zero: start slightly later, on the initial tangent.
    eta_ = v.norm() > 0 ? Vec2(v.normalized()) : Vec2(1, 0);
    if (mu == 0) return;
    t_ = short_of_zero() * unit_time_;
    for (int i = 0; i < 3; ++i) x_[at(i)] = V(i) * t_;
    const double f = force(x_.data());
    x_[6] = mu * f / (kappa * c_n) * eta_(0);
    x_[7] = mu * f / (kappa * c_n) * eta_(1);
    x_[8] = f * t_ / 2;
    x_[9] = -mu * f * t_ / 2 * eta_(0);
    x_[10] = -mu * f * t_ / 2 * eta_(1);
  }
  /// At zero force the direction of the sledge is lost, and close to it the direction is stiff. What is left out on
  /// either side is made up for, for Hunt and Crossley's force to a higher order.
  double short_of_zero() const { return damper == compliant::Damper::hunt_crossley ? 1e-6 : 1e-8; }
  double coefficient_sign() const { return damper == compliant::Damper::hunt_crossley ? coefficient : 0; }

  void set_tolerances(double* absolute, double approach) const {
    const double length = approach * unit_time_, impulse = approach / W(0, 0);
    for (int i = 0; i < size; ++i) {
      const double unit = i == 0   ? length * (damper == compliant::Damper::hysteretic ? std::max(e * e, 1e-4) : 1)
                          : i < 3  ? length
                          : i < 6  ? approach
                          : i < 8  ? length / (1 + kappa)
                          : i < 11 ? impulse
                                   : impulse * approach;
      absolute[i] = tolerance * unit;
    }
  }

  void slope(const double* x, double* d) const {
    const double N = force(x);
    const Vec2 v(x[4], x[5]), xi(x[6], x[7]);
    Vec2 F_t = -kappa * c_n * xi, xi_rate = v;
    double lost = 0;
    if (!sticks_) {
      const Vec2 eta = mu > 0 && xi.norm() > 0 ? Vec2(xi.normalized()) : eta_;
      F_t = -mu * N * eta;
      const Vec3 a = W * Vec3(N, F_t(0), F_t(1));
      const double s = eta.dot(v) - mu / (kappa * c_n) * force_rate(x, a(0));
      xi_rate = v - s * eta;
      lost = mu * N * s;
      if (mu == 0) xi_rate.setZero();
    }
    const Vec3 F(N, F_t(0), F_t(1)), a = W * F;
    for (int i = 0; i < 3; ++i) {
      d[i] = x[3 + i];
      d[3 + i] = a(i);
      d[8 + i] = F(i);
    }
    d[6] = xi_rate(0);
    d[7] = xi_rate(1);
    d[11] = lost;
  }

  void events(const double* x, double* g) const {
    const double N = force(x);
    const Vec2 v(x[4], x[5]), xi(x[6], x[7]);
    g[0] = x[3] > 0 || damper == compliant::Damper::linear ? N - closing_ : 1;
    g[1] = 1;
    if (mu > 0 && mu < std::numeric_limits<double>::infinity()) {
      if (sticks_) {
        g[1] = mu * N - kappa * c_n * xi.norm();
      } else {
        const Vec2 eta = xi.norm() > 0 ? Vec2(xi.normalized()) : eta_;
        const Vec3 a = W * Vec3(N, -mu * N * eta(0), -mu * N * eta(1));
        g[1] = eta.dot(v) - mu / (kappa * c_n) * force_rate(x, a(0));
      }
    }
    g[2] = 1;
    if (damper == compliant::Damper::hysteretic && e < 1) g[2] = loading_ ? -x[3] : peak_ - N;
  }

  /// What is left of a force that falls to zero on a straight line.
  void finish(Answer& a) const {
    const double N = force(x_.data());
    Vec2 F_t = -kappa * c_n * Vec2(x_[6], x_[7]);
    Vec3 P(x_[8], x_[9], x_[10]);
    double lost = x_[11];
    const bool cut = damper == compliant::Damper::hysteretic && e == 0 && x_[3] <= 1e-9 * -V(0);
    if (!cut) {
      const Vec3 acceleration = W * Vec3(N, F_t(0), F_t(1));
      const double rest = N == 0 ? 0 : N / -force_rate(x_.data(), acceleration(0));
      const double t_share = sticks_ ? 1 : 0.5;  // a sledge that never slides keeps its force to the end
      if (damper == compliant::Damper::hunt_crossley && coefficient > 0 && N != 0) {
        // The force may die away long before the spring is back: w = 1 − αv falls as w' = −αλ(depth)w, v' = λN, while
        // the depth falls to zero at the speed v. ∫N dt is what w loses, over αλ.
        const double v = x_[3], w = 1 - coefficient * v, lambda = coefficient * acceleration(0) / N;
        const double J = -w / lambda * std::expm1(-lambda * x_[0] * x_[0] * k_n_ / (2 * v));
        P += J * Vec3(1, F_t(0) / N, F_t(1) / N);
        if (!sticks_) lost -= J / N * F_t.dot(Vec2(x_[4], x_[5]));  // the energy of the spring is counted below
        a.duration = t_ - x_[0] / (v + lambda / coefficient * J);
      } else {
        P += rest * Vec3(N / 2, t_share * F_t(0), t_share * F_t(1));
        a.duration = t_ + rest;
      }
    } else {
      a.duration = t_;
    }
    lost += 0.5 * kappa * c_n * Vec2(x_[6], x_[7]).squaredNorm();
    a.P = P;
    a.V = V + W * P;
    a.friction_loss = lost;
    a.ok = true;
  }

  static int rhs(double, N_Vector y, N_Vector dy, void* self) {
    static_cast<SledgeOracle*>(self)->slope(N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    return 0;
  }
  static int root(double, N_Vector y, double* value, void* self) {
    static_cast<SledgeOracle*>(self)->events(N_VGetArrayPointer(y), value);
    return 0;
  }

  std::array<double, size> x_{};
  double t_ = 0, unit_time_ = 1, k_n_ = 1, peak_ = 0, closing_ = 0;
  bool sticks_ = true, loading_ = true;
  Vec2 eta_ = Vec2(1, 0);
};

}  // namespace ricochet::testing
