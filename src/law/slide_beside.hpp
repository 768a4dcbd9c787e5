#pragma once
/// What lies beside the plane of a planar contact that slides, to first order: the direction φ across the plane and the
/// velocity there, which change nothing in the plane (DV28).

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "eliminate.hpp"
#include "ricochet/compliant/undamped_slip.hpp"

namespace ricochet::derivatives {

/// For three changes at once, in the axes of the slip.
struct Beside {
  using Row = Eigen::RowVector3d;
  Row turn;      ///< φ
  Row velocity;  ///< v_2
  Row push;      ///< dv_2/dJ while φ = 0
  Row impulse;   ///< ∫ φ dJ
};

class SlideBeside {
  using Step = compliant::SlipStep<double>;
  using Row = Beside::Row;
  static constexpr int s = Step::s;
  using Matrix = Eigen::Matrix<double, s, s>;
  using Column = Eigen::Matrix<double, s, 1>;

 public:
  explicit SlideBeside(const compliant::SpatialSledge<double>& p) : p_(p) {}

  /// Over the normal impulse J, or to the end of the contact. False where steps do not resolve it.
  bool follow(const compliant::SlipStart<double>& start, double J, bool to_the_end, Beside& b) const {
    Step step(p_);
    compliant::SlipStart<double> at = start;
    b.impulse.setZero();
    double length = 0, left = J;
    bool straight = false;
    for (int count = 0; count < 4000; ++count) {
      step.begin(at);
      if (to_the_end && at.v(0) > 0 && close(step, left, J, b)) return true;
      if (!(length > 0) || straight != step.straight) length = step.straight ? left : 1.2;
      straight = step.straight;
      // All of it, where that is near enough.
      const double whole = to_the_end ? std::numeric_limits<double>::infinity() : step.length_to(left);
      const bool last = whole < 1.1 * length;
      step.lay(last ? whole : length);
      Beside next = b;
      const double rest = p_.mu * std::min(1.0, left), share = solve(step, next);
      const double tolerance = at.Q > 0 ? 3e-6 / std::sqrt(std::max(rest, 1e-8)) : 1e-8;
      const double factor = 0.9 * std::pow(tolerance / std::max(share, 1e-30), 1.0 / s);
      if (!(share <= tolerance)) {
        length = step.length() * std::clamp(factor, 0.1, 0.9);
        if (!(length > 1e-30)) return false;
        continue;
      }
      b = next;
      if (last) return true;
      const double gained = step.J()[s - 1];
      at.Q = step.Q()[s - 1];
      at.v += p_.A * Vec3(gained, -p_.mu * gained * at.eta(0), -p_.mu * gained * at.eta(1));
      left -= gained;
      length = std::min(step.length() * std::clamp(factor, 0.5, 3.0), straight ? left : 6.0);
    }
    return false;
  }

 private:
  /// One step; returns the share of the highest polynomial.
  double solve(const Step& step, Beside& b) const {
    const auto& t = Step::table();
    const auto &J = step.J(), &w = step.weights(), &Q = step.Q();
    const Eigen::Map<const Matrix> integral(t.integral[0].data()), derivative(t.derivative[0].data());
    Matrix left;
    Eigen::Matrix<double, s, 3> right;
    double tail[s] = {};  // of the rates, by the turn itself
    for (int i = 0; i < s; ++i) {
      const auto m = static_cast<std::size_t>(i);
      const double pull = p_.kappa / p_.mu * w[m] / Q[m];
      double start = 0;
      for (int j = 0; j < s; ++j) {
        const double slope = derivative(i, j);
        left(i, j) = slope + p_.mu * step.c22 * w[static_cast<std::size_t>(j)] * pull * integral(i, j);
        start += slope;
        tail[j] += t.tail[m] * slope;
      }
      left(i, i) += pull * (step.along + step.drag1 * J[m]);
      for (int k = 0; k < 3; ++k) right(i, k) = start * b.turn(k) + pull * (J[m] * b.push(k) + b.velocity(k));
    }
    const Eigen::Matrix<double, s, 3> turn = eliminate<s, 3>(left, right);
    double share = 0;
    for (int k = 0; k < 3; ++k) {
      double highest = 0, gained = 0, size = 1e-3 * std::abs(b.velocity(k));
      for (int j = 0; j < s; ++j) {
        highest += tail[j] * (turn(j, k) - b.turn(k));
        gained += integral(s - 1, j) * w[static_cast<std::size_t>(j)] * turn(j, k);
        size = std::max(size, std::abs(turn(j, k)));
      }
      if (size > 0) share = std::max(share, std::abs(highest) / size);
      b.impulse(k) += gained;
      b.velocity(k) += J[s - 1] * b.push(k) - p_.mu * step.c22 * gained;
      b.turn(k) = turn(s - 1, k);
    }
    return share;
  }

  /// The tail: φ relaxes as a power of the force, while the velocity changes by little (L22).
  bool close(const Step& step, double left, double whole, Beside& b) const {
    const double v_n = step.from.v(0), mu = p_.mu, J = step.end;
    const double pull = p_.kappa / (2 * step.from.k_n * mu * v_n), a = pull * step.along;
    if (!(a > -1)) return false;
    const double changed =
        J * ((std::abs(step.drag1) + mu * std::abs(step.c22)) * pull / (1 + a) + std::abs(step.lift) / v_n);
    if (!(J * changed <= 1e-13 * (whole + left))) return false;
    const Row rate = b.push - mu * step.c22 * b.turn;
    const Row gained = J / (1 + a) * (b.turn + pull * b.velocity + pull * J / 2 * rate);
    b.impulse += gained;
    b.velocity += J * b.push - mu * step.c22 * gained;
    return true;
  }

  compliant::SpatialSledge<double> p_;
};

}  // namespace ricochet::derivatives
