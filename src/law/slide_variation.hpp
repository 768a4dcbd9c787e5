#pragma once
/// A sledge that slides in space on undamped springs, to first order: the changes of a step of collocation solve its
/// equations at their root, which are linear (DV23).

#include <algorithm>
#include <cmath>

#include "eliminate.hpp"
#include "ricochet/compliant/undamped_slip.hpp"
#include "sledge_directions.hpp"

namespace ricochet::derivatives {

class SlideVariation {
  using D = SledgeDual;
  using Row = SledgeRow;
  static constexpr int K = sledge_directions;

 public:
  using Step = compliant::SlipStep<double>;

  explicit SlideVariation(const compliant::SpatialSledge<D>& p) : p_(p) {}

  /// With force N, angle of slip and velocity at the start of a phase, and the normal spring as it is in it.
  void begin(const D& N, const D& angle, const Vec3T<D>& v, const D& k_n, const D& peak) {
    k_n_ = k_n;
    peak_ = peak;
    at_ = {N.v * N.v, values_of(v), Vec2(std::cos(angle.v), std::sin(angle.v)), k_n.v, peak.v};
    dQ_ = 2 * N.v * row_of(N);
    turn_ = row_of(angle);
    for (int i = 0; i < 3; ++i) dv_.row(i) = row_of(v(i));
    dP_.setZero();
    gained_.setZero();
    spin_ = p_.mu.v > 0 && at_.Q > 0 ? p_.kappa.v / (p_.mu.v * at_.Q) * across().dot(tangential()) : 0;
    followed_ = -1;
  }

  /// What of the changes a step leaves unresolved, in the measure of the direction itself: they need fewer digits.
  double share(const Step& step) {
    follow(step);
    double tail[nodes] = {};  // of the rates, by the changes themselves
    for (int j = 0; j < nodes; ++j)
      for (int i = 0; i < nodes; ++i) tail[j] += Step::table().tail[static_cast<std::size_t>(i)] * derivative()(i, j);
    double worst = 0;
    for (int k = 0; k < K; ++k) {
      double highest = 0, size = 1e-3 * std::hypot(dv_(1, k), dv_(2, k));
      for (int j = 0; j < nodes; ++j) {
        highest += tail[j] * (changed_(j, k) - turn_(k) / 2);
        size = std::max(size, std::abs(changed_(j, k)));
      }
      if (size > 0) worst = std::max(worst, std::abs(highest) / size);
    }
    return worst * (step.from.Q > 0 ? 1.0 / 150 : 1.0 / 1500);
  }

  /// Over a step that is taken.
  void pass(const Step& step) {
    if (followed_ != step.evaluations()) follow(step);
    constexpr std::size_t e = Step::s - 1;
    const double mu = p_.mu.v, e1 = step.from.eta(0), e2 = step.from.eta(1);
    const Vec3 P = step.impulse();
    for (int k = 0; k < K; ++k) {
      double X = 0, Y = 0;
      for (int j = 0; j < nodes; ++j) {
        const double weighted = integral()(nodes - 1, j) * changed_(j, k);
        X += by_cosine_(j) * weighted;
        Y += by_sine_(j) * weighted;
      }
      const double dP[3] = {0, -mu * (e1 * X - e2 * Y), -mu * (e2 * X + e1 * Y)};
      for (int i = 0; i < 3; ++i) {
        dP_(i, k) += dP[i];
        for (int j = 0; j < 3; ++j)
          dv_(i, k) += p_.A(i, j).v * dP[j] + P(j) * p_.A(i, j).d[static_cast<std::size_t>(k)];
      }
    }
    gained_ += P;
    dQ_ = pressure_;
    turn_ = 2 / (1 + step.tangent()[e] * step.tangent()[e]) * changed_.row(nodes - 1);
    at_.Q = step.pressure();
    at_.v += values_of(p_.A) * P;
    at_.eta = step.direction();
    spin_ = step.spin();
    // Where the force falls, what lies ahead is known by the force that is left: the changes are those at the same
    // force, not at the same J, where the last ones would grow as 1/Q.
    if (at_.v(0) > 0 && at_.k_n * at_.v(0) * at_.v(0) > at_.Q) shift(dQ_ / (2 * at_.k_n * at_.v(0)));
  }

  /// On to the changed place of the event (DV24), over J.
  void reach(compliant::PhaseEnd end) {
    const double mu = p_.mu.v, kappa = p_.kappa.v, k_n = at_.k_n;
    const Vec3 rate = values_of(p_.A) * gain();
    Row g;
    double slope = 0;
    if (end == compliant::PhaseEnd::turn) {
      g = -dv_.row(0);
      slope = -rate(0);
    } else if (end == compliant::PhaseEnd::reload) {
      g = 2 * peak_.v * row_of(peak_) - dQ_;
      slope = 2 * k_n * at_.v(0);
    } else {
      const double speed = at_.eta.dot(tangential()), sideways = across().dot(tangential());
      g = row_of(p_.kappa) * speed + mu * (row_of(k_n_) * at_.v(0) + k_n * dv_.row(0)) +
          kappa * (at_.eta(0) * dv_.row(1) + at_.eta(1) * dv_.row(2) + sideways * turn_);
      slope = kappa * (at_.eta.dot(Vec2(rate(1), rate(2))) + sideways * spin_) + mu * k_n * rate(0);
    }
    shift(g / -slope);
  }

  /// The tail: what it adds to P. `plane` is the contact as it begins.
  Vec3T<D> close(double gathered, double beside, compliant::SlipPlane<D>& plane) const {
    compliant::SlipStart<D> from{
        dual_of(at_.Q, dQ_), Vec3T<D>(),
        Vec2T<D>(dual_of(at_.eta(0), -at_.eta(1) * turn_), dual_of(at_.eta(1), at_.eta(0) * turn_)), k_n_};
    for (int i = 0; i < 3; ++i) from.v(i) = dual_of(at_.v(i), dv_.row(i));
    plane = compliant::SlipPlane<D>(p_, from);
    const compliant::SlipTail<D> tail(p_, plane, D(gathered), D(beside));
    return {tail.J, -(p_.mu * tail.J * tail.direction(0)), -(p_.mu * tail.J * tail.direction(1))};
  }

  [[nodiscard]] D force() const {
    const double N = std::sqrt(at_.Q);
    return dual_of(N, dQ_ / (2 * N));
  }
  [[nodiscard]] D angle() const { return dual_of(std::atan2(at_.eta(1), at_.eta(0)), turn_); }
  /// Impulse gained since the start.
  [[nodiscard]] Vec3T<D> impulse() const {
    return {dual_of(gained_(0), dP_.row(0)), dual_of(gained_(1), dP_.row(1)), dual_of(gained_(2), dP_.row(2))};
  }

 private:
  static constexpr int nodes = Step::s;
  using Matrix = Eigen::Matrix<double, nodes, nodes>;
  using Column = Eigen::Matrix<double, nodes, 1>;

  static Eigen::Map<const Matrix> integral() { return Eigen::Map<const Matrix>(Step::table().integral[0].data()); }
  static Eigen::Map<const Matrix> derivative() { return Eigen::Map<const Matrix>(Step::table().derivative[0].data()); }
  [[nodiscard]] Vec2 tangential() const { return {at_.v(1), at_.v(2)}; }
  [[nodiscard]] Vec2 across() const { return {-at_.eta(1), at_.eta(0)}; }
  /// dP/dJ
  [[nodiscard]] Vec3 gain() const { return {1, -p_.mu.v * at_.eta(0), -p_.mu.v * at_.eta(1)}; }

  /// To where the normal impulse differs by J.
  void shift(const Row& J) {
    dP_ += gain() * J;
    dv_ += values_of(p_.A) * gain() * J;
    dQ_ -= 2 * at_.k_n * at_.v(0) * J;
    turn_ += spin_ * J;
  }

  void follow(const Step& step) {
    followed_ = step.evaluations();
    const auto &T = step.tangent(), &C = step.cosine(), &S = step.sine(), &w = step.weights(), &J = step.J(),
               &X = step.X(), &Y = step.Y(), &v1 = step.v_1(), &v2 = step.v_2(), &Q = step.Q(), &rate = step.rate(),
               &pull = step.pull();
    const auto a = integral(), slope = derivative();
    const double mu = p_.mu.v, k_n = at_.k_n, e1 = step.from.eta(0), e2 = step.from.eta(1);
    double along[nodes], sideways[nodes], normal[nodes], by1[nodes], by2[nodes], by_Q[nodes];
    for (int i = 0; i < nodes; ++i) {
      const auto m = static_cast<std::size_t>(i);
      const double scale = 1 / (1 + T[m] * T[m]);
      by_cosine_(i) = -2 * w[m] * S[m] * scale;
      by_sine_(i) = 2 * w[m] * C[m] * scale;
      along[i] = mu * (step.c11 * by_cosine_(i) + step.c12 * by_sine_(i));
      sideways[i] = mu * (step.c12 * by_cosine_(i) + step.c22 * by_sine_(i));
      normal[i] = mu * (step.b1 * by_cosine_(i) + step.b2 * by_sine_(i));
      by1[i] = -2 * pull[m] * T[m];
      by2[i] = pull[m] * (1 - T[m] * T[m]);
      by_Q[i] = -rate[m] / Q[m];
    }
    double weighted[nodes][nodes], twice[nodes][nodes] = {};  // a w, a w a
    for (int i = 0; i < nodes; ++i) {
      for (int j = 0; j < nodes; ++j) weighted[i][j] = a(i, j) * w[static_cast<std::size_t>(j)];
      for (int l = 0; l < nodes; ++l)
        for (int j = 0; j < nodes; ++j) twice[i][j] += weighted[i][l] * a(l, j);
    }
    Matrix left = slope;
    for (int j = 0; j < nodes; ++j) {
      const auto m = static_cast<std::size_t>(j);
      for (int i = 0; i < nodes; ++i)
        left(i, j) +=
            a(i, j) * (by2[i] * sideways[j] + by1[i] * along[j]) - 2 * k_n * normal[j] * by_Q[i] * twice[i][j];
      left(j, j) += 2 * pull[m] * (v2[m] * T[m] + v1[m]);
    }
    // What changes while the direction stays.
    double sum_X[nodes] = {}, sum_Y[nodes] = {}, start[nodes] = {};
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < nodes; ++j) {
        const auto m = static_cast<std::size_t>(j);
        sum_X[i] += weighted[i][j] * X[m];
        sum_Y[i] += weighted[i][j] * Y[m];
        start[i] += slope(i, j);
      }
    Eigen::Matrix<double, nodes, K> right;
    Row pressure;
    for (int k = 0; k < K; ++k) {
      const auto d = static_cast<std::size_t>(k);
      const double A01 = p_.A(0, 1).d[d], A02 = p_.A(0, 2).d[d], A11 = p_.A(1, 1).d[d], A12 = p_.A(1, 2).d[d],
                   A22 = p_.A(2, 2).d[d];
      const double b1 = A01 * e1 + A02 * e2, b2 = A02 * e1 - A01 * e2;
      const double c11 = A11 * e1 * e1 + 2 * A12 * e1 * e2 + A22 * e2 * e2;
      const double c12 = (A22 - A11) * e1 * e2 + A12 * (e1 * e1 - e2 * e2);
      const double c22 = A11 * e2 * e2 - 2 * A12 * e1 * e2 + A22 * e1 * e1;
      const double d1 = dv_(1, k) * e1 + dv_(2, k) * e2, d2 = dv_(2, k) * e1 - dv_(1, k) * e2;
      for (int i = 0; i < nodes; ++i) {
        const auto m = static_cast<std::size_t>(i);
        const double depth = (step.from.Q - Q[m]) / k_n;
        const double dQ =
            dQ_(k) - (k_n_.d[d] * depth + 2 * k_n * (dv_(0, k) * J[m] - mu * (b1 * sum_X[i] + b2 * sum_Y[i])));
        if (i == nodes - 1) pressure(k) = dQ;
        right(i, k) = turn_(k) / 2 * start[i] + p_.kappa.d[d] / p_.kappa.v * rate[m] + by_Q[i] * dQ +
                      by1[i] * (d1 + (b1 * J[m] - mu * (c11 * X[m] + c12 * Y[m]))) +
                      by2[i] * (d2 + (b2 * J[m] - mu * (c12 * X[m] + c22 * Y[m])));
      }
    }
    changed_ = eliminate<nodes, K>(left, right);
    pressure_ = pressure;
    for (int k = 0; k < K; ++k)
      for (int j = 0; j < nodes; ++j) pressure_(k) += 2 * k_n * twice[nodes - 1][j] * normal[j] * changed_(j, k);
  }

  compliant::SpatialSledge<D> p_;
  D k_n_, peak_;
  compliant::SlipStart<double> at_;      ///< the contact itself
  Row dQ_, turn_;                        ///< changes of N² and of the angle of slip
  Eigen::Matrix<double, 3, K> dv_, dP_;  ///< of velocity and impulse
  Vec3 gained_;
  double spin_ = 0;             ///< dφ/dJ
  Column by_cosine_, by_sine_;  ///< what the tangent at a node changes of ∫ cos dJ and ∫ sin dJ
  Eigen::Matrix<double, nodes, K> changed_;
  Row pressure_;
  int followed_ = -1;  ///< the step whose changes are known, by its evaluations
};

}  // namespace ricochet::derivatives
