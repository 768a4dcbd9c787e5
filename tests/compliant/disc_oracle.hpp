#pragma once
/// SUNDIALS CVODE as a plain function: integrates until a root or a time. And a disc on a plane formulated
/// independently, with a rotation matrix and Euler's equations in body axes, for it to integrate.

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "ricochet/compliant/disc_on_plane.hpp"

namespace ricochet::testing {

using compliant::Disc;
using compliant::PlaneContact;

class Cvode {
 public:
  using Values = std::vector<double>;
  using Slope = std::function<void(const Values&, Values&)>;
  /// Each ends the integration where it falls through zero.
  using Roots = std::function<void(const Values&, Values&)>;

  Cvode(Slope slope, Roots roots, int root_count, double relative, double absolute)
      : slope_(std::move(slope)),
        roots_(std::move(roots)),
        root_count_(root_count),
        relative_(relative),
        absolute_(absolute) {}

  /// Advances y from t; returns the index of the root that ended it, or −1 at `end`.
  int run(Values& y, double& t, double end) {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector v = N_VMake_Serial(static_cast<sunindextype>(y.size()), y.data(), context);
    void* memory = CVodeCreate(CV_ADAMS, context);
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(v, 0, context);
    CVodeInit(memory, rhs, t, v);
    CVodeSStolerances(memory, relative_, absolute_);
    CVodeSetUserData(memory, this);
    CVodeSetNonlinearSolver(memory, solver);
    CVodeSetMaxNumSteps(memory, 5'000'000);
    if (root_count_ > 0) {
      CVodeRootInit(memory, root_count_, root);
      std::vector<int> falling(static_cast<std::size_t>(root_count_), -1);
      CVodeSetRootDirection(memory, falling.data());
      CVodeSetNoInactiveRootWarn(memory);
    }
    CVodeSetStopTime(memory, end);
    const int flag = CVode(memory, end, v, &t, CV_NORMAL);
    int which = -1;
    if (flag == CV_ROOT_RETURN) {
      std::vector<int> found(static_cast<std::size_t>(root_count_));
      CVodeGetRootInfo(memory, found.data());
      for (int i = 0; i < root_count_; ++i)
        if (found[static_cast<std::size_t>(i)] != 0) which = i;
    }
    SUNNonlinSolFree(solver);
    CVodeFree(&memory);
    N_VDestroy(v);
    SUNContext_Free(&context);
    if (flag < 0) throw std::runtime_error("CVODE failed: " + std::to_string(flag));
    return which;
  }

 private:
  static Values read(N_Vector y) {
    const double* p = N_VGetArrayPointer(y);
    return Values(p, p + N_VGetLength(y));
  }
  static int rhs(double, N_Vector y, N_Vector dy, void* self) {
    Values d(static_cast<std::size_t>(N_VGetLength(y)));
    static_cast<Cvode*>(self)->slope_(read(y), d);
    std::copy(d.begin(), d.end(), N_VGetArrayPointer(dy));
    return 0;
  }
  static int root(double, N_Vector y, double* value, void* self) {
    auto* me = static_cast<Cvode*>(self);
    Values r(static_cast<std::size_t>(me->root_count_));
    me->roots_(read(y), r);
    std::copy(r.begin(), r.end(), value);
    return 0;
  }

  Slope slope_;
  Roots roots_;
  int root_count_;
  double relative_, absolute_;
};

/// Disc on plane from a state that touches, to separation. All lengths in units of the disc's radius and all times in
/// √(m/c), so that one absolute tolerance serves. State: x, rows of the rotation matrix, v, body rates, Ξ, lost.
class DiscOracle {
 public:
  DiscOracle(const Disc& disc, const PlaneContact& contact)
      : disc_(disc), contact_(contact), T_(std::sqrt(disc.mass / contact.stiffness)), R_(disc.shape.radius) {}

  struct Answer {
    Vec3 v, omega;
    double friction = 0, time = 0;
    int changes = 0;
  };

  Answer run(double tolerance) {
    std::vector<double> y(22, 0.0);
    const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), disc_.axis).toRotationMatrix();
    put(y, 0, disc_.position / R_);
    for (int i = 0; i < 3; ++i) put(y, 3 + 3 * i, turn.row(i).transpose());
    put(y, 12, disc_.velocity * T_ / R_);
    put(y, 15, turn.transpose() * disc_.angular_velocity * T_);
    double t = 0;
    // A little inside, as the springs have no direction at zero deflection.
    const double dt = 1e-8;
    {
      bool sliding = false;
      const Look k = look(y, sliding);
      const double rate = -k.V.z();
      std::vector<double> d(y.size());
      slope(y, d);
      for (std::size_t i = 0; i < 18; ++i) y[i] += dt * d[i];
      const double reachable = contact_.mu / contact_.kappa * rate;
      sliding_ = contact_.mu > 0 && k.S.norm() > reachable;
      put(y, 18, sliding_ ? Vec3(k.S.normalized() * reachable * dt) : Vec3(k.S * dt));
      t = dt;
    }
    Answer a;
    for (int phase = 0; phase < 100; ++phase) {
      Cvode ode([&](const auto& s, auto& d) { slope(s, d); }, [&](const auto& s, auto& r) { roots(s, r); }, 2,
                tolerance, tolerance * 1e-3);
      const int which = ode.run(y, t, 1e4);
      if (which == 0) break;
      sliding_ = !sliding_;
      ++a.changes;
    }
    a.v = get(y, 12) * R_ / T_;
    Mat3 turned;
    for (int i = 0; i < 3; ++i) turned.row(i) = get(y, 3 + 3 * i).transpose();
    a.omega = turned * get(y, 15) / T_;
    a.friction = y[21] * disc_.mass * R_ * R_ / (T_ * T_);
    a.time = t * T_;
    return a;
  }

 private:
  struct Look {
    double depth, rate, r_s, sledge;
    Vec3 arm, V, S, Q;
  };

  static Vec3 get(const std::vector<double>& y, int i) { return {y[i], y[i + 1], y[i + 2]}; }
  static void put(std::vector<double>& y, int i, const Vec3& v) {
    for (int j = 0; j < 3; ++j) y[i + j] = v(j);
  }

  /// The lowest point of a circle or cylinder found from its rotation matrix, and Simpson's rule for the dome.
  Look look(const std::vector<double>& y, bool sliding) const {
    Mat3 turn;
    for (int i = 0; i < 3; ++i) turn.row(i) = get(y, 3 + 3 * i).transpose();
    const Vec3 down = turn.transpose() * Vec3(0, 0, -1);  // in body axes
    const double sine = std::hypot(down.x(), down.y()), epsilon = disc_.shape.blend;
    const auto w = [&](double s) {
      const double u = s / epsilon;
      return u >= 1 ? 1 : u * (15 - u * u * (10 - 3 * u * u)) / 8;
    };
    double g = sine;
    if (sine < epsilon) {  // g = ε − ∫ w from here to ε
      const int n = 200;
      const double h = (epsilon - sine) / n;
      double sum = w(sine) + w(epsilon);
      for (int i = 1; i < n; ++i) sum += (i % 2 ? 4 : 2) * w(sine + i * h);
      g = epsilon - sum * h / 3;
    }
    const double rim = w(sine), H = disc_.shape.half_thickness / R_;
    Vec3 body = Vec3::Zero();
    if (sine > 0) body = Vec3(down.x(), down.y(), 0) * rim / sine;
    body.z() = down.z() > 0 ? H : -H;
    Look k;
    k.arm = turn * body + disc_.shape.fillet / R_ * Vec3(0, 0, -1);
    k.depth = g + H * std::abs(down.z()) + disc_.shape.fillet / R_ - y[2];
    const Vec3 omega = turn * get(y, 15);
    k.V = get(y, 12) + omega.cross(k.arm);
    k.rate = -k.V.z();
    k.r_s = contact_.drilling * (1 - rim * rim);
    k.S = Vec3(k.V.x(), k.V.y(), k.r_s * omega.z());
    const Vec3 xi = get(y, 18);
    k.Q = contact_.mu == 0 ? Vec3(0, 0, 0) : Vec3(-contact_.kappa * xi);
    k.sledge = sliding ? xi.normalized().dot(k.S) - contact_.mu / contact_.kappa * k.rate : 0;
    return k;
  }

  void slope(const std::vector<double>& y, std::vector<double>& dy) const {
    const Look k = look(y, sliding_);
    Mat3 turn;
    for (int i = 0; i < 3; ++i) turn.row(i) = get(y, 3 + 3 * i).transpose();
    const Vec3 rate = get(y, 15);
    put(dy, 0, get(y, 12));
    const Mat3 dturn = turn * cross_matrix(rate);
    for (int i = 0; i < 3; ++i) put(dy, 3 + 3 * i, dturn.row(i).transpose());
    const Vec3 F(k.Q.x(), k.Q.y(), k.depth);
    put(dy, 12, F);
    const double mR2 = disc_.mass * R_ * R_;
    const Vec3 J(disc_.transverse_inertia / mR2, disc_.transverse_inertia / mR2, disc_.axial_inertia / mR2);
    const Vec3 torque = turn.transpose() * (k.arm.cross(F) + Vec3(0, 0, k.r_s * k.Q.z()));
    put(dy, 15, (torque - rate.cross(J.cwiseProduct(rate))).cwiseQuotient(J));
    if (contact_.mu == 0) {
      put(dy, 18, Vec3::Zero());
    } else {
      put(dy, 18, sliding_ ? Vec3(k.S - k.sledge * get(y, 18).normalized()) : k.S);
    }
    dy[21] = sliding_ ? contact_.mu * k.depth * k.sledge : 0;
  }

  /// Separation; end of the phase.
  void roots(const std::vector<double>& y, std::vector<double>& r) const {
    const Look k = look(y, sliding_);
    // A small depth remains, for the same reason as at the start.
    r[0] = k.depth - 1e-9 * disc_.velocity.norm() * T_ / R_;
    r[1] = contact_.mu == 0 || std::isinf(contact_.mu) ? 1 : sliding_ ? k.sledge : contact_.mu * k.depth - k.Q.norm();
  }

  Disc disc_;
  PlaneContact contact_;
  double T_, R_;
  bool sliding_ = false;
};

}  // namespace ricochet::testing
