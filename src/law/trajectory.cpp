#include "ricochet/law/trajectory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ricochet {
namespace {

/// P and the work of friction so far.
using State = Eigen::Matrix<double, 4, 1>;

/// Slip with friction, (R1) with dλ = s dτ:  dP = (α s n − β V_t) dτ,  dE_t = −β s² dτ.
class Slip {
 public:
  Slip(const Contact& contact, double mu)
      : contact_(contact), alpha_(std::isinf(mu) ? 0 : 1 / (1 + mu)), beta_(std::isinf(mu) ? 1 : mu / (1 + mu)) {}

  [[nodiscard]] Vec3 velocity(const State& y) const { return contact_.V + contact_.W * y.head<3>(); }
  [[nodiscard]] Vec3 slip(const State& y) const {
    const Vec3 V = velocity(y);
    return V - contact_.n * contact_.n.dot(V);
  }
  [[nodiscard]] State rate(const State& y) const {
    const Vec3 v = slip(y);
    State out;
    out << alpha_ * v.norm() * contact_.n - beta_ * v, -beta_ * v.squaredNorm();
    return out;
  }
  [[nodiscard]] TrajectoryPoint point(const State& y) const {
    const Vec3 P = y.head<3>();
    return {P, velocity(y), energy_change(contact_.W, contact_.V, P) - y(3), y(3)};
  }

  /// One step of Dormand and Prince's pair of orders 5 and 4, with the difference of the two.
  [[nodiscard]] std::pair<State, State> step(const State& y, double h) const {
    const State k1 = rate(y);
    const State k2 = rate(y + h * (1.0 / 5 * k1));
    const State k3 = rate(y + h * (3.0 / 40 * k1 + 9.0 / 40 * k2));
    const State k4 = rate(y + h * (44.0 / 45 * k1 - 56.0 / 15 * k2 + 32.0 / 9 * k3));
    const State k5 = rate(y + h * (19372.0 / 6561 * k1 - 25360.0 / 2187 * k2 + 64448.0 / 6561 * k3 - 212.0 / 729 * k4));
    const State k6 = rate(
        y + h * (9017.0 / 3168 * k1 - 355.0 / 33 * k2 + 46732.0 / 5247 * k3 + 49.0 / 176 * k4 - 5103.0 / 18656 * k5));
    const State next =
        y + h * (35.0 / 384 * k1 + 500.0 / 1113 * k3 + 125.0 / 192 * k4 - 2187.0 / 6784 * k5 + 11.0 / 84 * k6);
    const State k7 = rate(next);
    return {next, h * (71.0 / 57600 * k1 - 71.0 / 16695 * k3 + 71.0 / 1920 * k4 - 17253.0 / 339200 * k5 +
                       22.0 / 525 * k6 - 1.0 / 40 * k7)};
  }

 private:
  const Contact& contact_;
  double alpha_, beta_;
};

/// The points between two events while the contact slips; none if the slip does not connect them.
std::optional<std::vector<TrajectoryPoint>> follow(const Slip& slip, const TrajectoryPoint& from,
                                                   const TrajectoryPoint& to) {
  constexpr int most_steps = 20'000;
  constexpr int shown = 48;  // minimum number of pieces of the chord
  constexpr double tolerance = 1e-10, arrived = 1e-6;
  const double length = (to.P - from.P).norm();
  const double work = to.friction_work - from.friction_work;  // negative, and falling all the way
  State y;
  y << from.P, from.friction_work;
  const double s_start = slip.slip(y).norm();
  if (!(length > 0 && work < 0 && s_start > 0)) return std::nullopt;
  std::vector<TrajectoryPoint> out{from};
  State scale;
  scale << Vec3::Constant(length), -work;
  double h = length / shown / slip.rate(y).head<3>().norm();
  for (int i = 0; i < most_steps; ++i) {
    if (slip.slip(y).norm() <= 1e-8 * s_start) break;
    h = std::min(h, length / shown / slip.rate(y).head<3>().norm());
    const auto [next, difference] = slip.step(y, h);
    const double error = difference.cwiseQuotient(scale).cwiseAbs().maxCoeff() / tolerance;
    if (!std::isfinite(error)) return std::nullopt;
    if (error <= 1) {
      if (next(3) <= to.friction_work) {  // the event is within this step
        double low = 0, high = h;
        for (int k = 0; k < 60; ++k) {
          const double middle = (low + high) / 2;
          (slip.step(y, middle).first(3) <= to.friction_work ? high : low) = middle;
        }
        y = slip.step(y, high).first;
        break;
      }
      y = next;
      out.push_back(slip.point(y));
    }
    h *= std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 4.0);
  }
  if (!((y.head<3>() - to.P).norm() <= arrived * length)) return std::nullopt;
  // The last steps before the slip stops accumulate at the end; one point suffices there.
  while (out.size() > 1 && (out.back().P - to.P).norm() <= 1e-4 * length) out.pop_back();
  out.push_back(to);
  return out;
}

TrajectoryPoint place(const PathPoint<double>& p) { return {p.P, p.V, p.normal_work, p.friction_work}; }

}  // namespace

TrajectoryPoint along(const Vec3& n, const TrajectoryPoint& from, const TrajectoryPoint& to, double s) {
  const Vec3 dP = to.P - from.P, dV = to.V - from.V;
  const Vec3 mean = from.V + s / 2 * dV;
  const double all = s * dP.dot(mean);
  const double normal = s * n.dot(dP) * n.dot(mean);
  return {from.P + s * dP, from.V + s * dV, from.normal_work + normal, from.friction_work + all - normal};
}

std::vector<Vec3> Trajectory::impulses() const {
  std::vector<Vec3> out;
  for (const TrajectoryPiece& piece : pieces)
    for (std::size_t i = out.empty() ? 0 : 1; i < piece.points.size(); ++i) out.push_back(piece.points[i].P);
  return out;
}

Trajectory trajectory_of(const Contact& contact, const Outcome& outcome, double mu) {
  Trajectory out;
  const Slip slip(contact, mu);
  const PathPoint<double>* before = nullptr;
  for (const PathPoint<double>& at : outcome.path) {
    const TrajectoryPoint to = place(at);
    out.marks.push_back({std::string(name(at.event)), to});
    if (before != nullptr) {
      const TrajectoryPoint from = place(*before);
      const TrajectoryPoint end = along(contact.n, from, to, 1);
      const double scale = std::abs(to.normal_work) + std::abs(to.friction_work) + std::abs(end.normal_work) +
                           std::abs(end.friction_work);
      const bool straight =
          std::hypot(end.normal_work - to.normal_work, end.friction_work - to.friction_work) <= 1e-9 * scale;
      TrajectoryPiece piece{.points = {from, to},
                            .form = straight ? TrajectoryPiece::Form::straight : TrajectoryPiece::Form::unknown};
      if (!straight) {
        if (auto points = follow(slip, from, to)) {
          piece.points = *std::move(points);
          piece.form = TrajectoryPiece::Form::swerving;
        }
      }
      out.pieces.push_back(std::move(piece));
    }
    before = &at;
  }
  return out;
}

}  // namespace ricochet
