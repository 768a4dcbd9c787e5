#include "ricochet/fit/contact_offset.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ricochet/fit/fit_law.hpp"

namespace ricochet {
namespace {

using Directions = Eigen::Matrix<double, 3, 2>;

/// Along the ground; in the plane the second is zero.
Directions directions_of(const MeasuredImpact& impact) {
  Directions out = Directions::Zero();
  out.col(0) = impact.planar ? Vec3(impact.n.cross(Vec3::UnitZ())) : Vec3(impact.n.unitOrthogonal());
  if (!impact.planar) out.col(1) = impact.n.cross(out.col(0));
  return out;
}

/// A row with its point moved by z deviations, answered by a law.
struct Moved {
  ImpactPoint point;
  OffsetRow::Residual residual;
};

class MovedRow {
 public:
  MovedRow(const Law& law, const ReducedImpact& row, const OffsetPrior& prior)
      : law_(&law), row_(&row), prior_(prior), directions_(prior.deviation * directions_of(row.measured)) {}

  [[nodiscard]] Vec3 offset(const Eigen::Vector2d& z) const { return directions_ * z; }

  /// Nothing where the law has no answer, as where the moved point separates.
  [[nodiscard]] std::optional<Moved> at(const Eigen::Vector2d& z) const {
    const MeasuredImpact& impact = row_->measured;
    const auto point = impact_point(impact, impact.arm + offset(z), row_->speed * std::sqrt(impact.body.mass));
    if (!point) return std::nullopt;
    const auto outcome = collide(*law_, point->contact);
    if (!outcome) return std::nullopt;
    Moved out{*point, {}};
    out.residual << point->A * outcome->P - row_->b, prior_.noise * z;
    return out;
  }

 private:
  const Law* law_;
  const ReducedImpact* row_;
  OffsetPrior prior_;
  Directions directions_;
};

int measured_components(const MeasuredImpact& impact) {
  return (impact.planar ? 2 : 3) + (!impact.spin_measured ? 0 : impact.planar ? 1 : 3);
}

}  // namespace

Vec3 contact_offset(const MeasuredImpact& impact, double deviation, double spin_deviation) {
  const Mat3 R = impact.body.orientation.toRotationMatrix();
  const Mat3 J = R * impact.body.inertia * R.transpose();
  const Vec3 P = impact.body.mass * (impact.velocity - impact.body.velocity);
  const Vec3 missing = J * (impact.angular_velocity - impact.body.angular_velocity) - impact.arm.cross(P);
  // missing = δ × P = −[P]× δ, δ tangential; least squares with both deviations.
  Mat3 cross;
  cross << 0, -P.z(), P.y(), P.z(), 0, -P.x(), -P.y(), P.x(), 0;
  const Mat3 tangential = Mat3::Identity() - impact.n * impact.n.transpose();
  const Mat3 by = J.inverse() * (-cross) * tangential / spin_deviation;
  const Vec3 seen = J.inverse() * missing / spin_deviation;
  const Mat3 information = by.transpose() * by + Mat3::Identity() / (deviation * deviation);
  return tangential * information.ldlt().solve(by.transpose() * seen);
}

Eigen::MatrixXd OffsetRow::project(const Eigen::MatrixXd& by) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(8, by.cols());
  out.topRows<6>() = by;
  // In the plane the second direction has no derivative but that of the prior, and takes nothing away.
  const Eigen::Matrix2d normal = by_z.transpose() * by_z;
  if (normal(0, 0) > 0 && normal(1, 1) > 0) out -= by_z * normal.ldlt().solve(by_z.transpose() * out);
  return out;
}

OffsetRow offset_row(const Law& law, const ReducedImpact& row, const OffsetPrior& prior) {
  OffsetRow out;
  out.contact = row.contact;
  out.A = row.A;
  const MovedRow moved(law, row, prior);
  Eigen::Vector2d z = Eigen::Vector2d::Zero();
  std::optional<Moved> here;
  if (prior.deviation > 0) {
    here = moved.at(z);
  } else if (const auto outcome = collide(law, row.contact)) {
    out.residual.head<6>() = row.A * outcome->P - row.b;
    return out;
  }
  if (!here) {
    out.refused = true;
    out.residual.head<6>() = -row.b;
    return out;
  }
  const int count = row.measured.planar ? 1 : 2;
  const auto differentiate = [&] {
    constexpr double h = 1e-3;
    out.by_z.setZero();
    for (int k = 0; k < 2; ++k) {
      out.by_z(6 + k, k) = prior.noise;
      if (k >= count) continue;
      // To the side on which there is an answer; where there is none on either, the point stays.
      for (const double step : {h, -h}) {
        const auto there = moved.at(z + step * Eigen::Vector2d::Unit(k));
        if (!there) continue;
        out.by_z.col(k) = (there->residual - here->residual) / step;
        break;
      }
    }
  };
  constexpr int most_steps = 6;
  constexpr double enough = 1e-3;
  differentiate();
  for (int i = 0; i < most_steps; ++i) {
    const Eigen::Matrix2d normal = out.by_z.transpose() * out.by_z;
    if (!(normal(0, 0) > 0 && normal(1, 1) > 0)) break;
    Eigen::Vector2d step = -normal.ldlt().solve(out.by_z.transpose() * here->residual);
    bool better = false;
    for (int halved = 0; halved < 4 && !better; ++halved, step /= 2) {
      auto there = moved.at(z + step);
      better = there && there->residual.squaredNorm() < here->residual.squaredNorm();
      if (!better) continue;
      z += step;
      here = std::move(there);
      break;
    }
    if (!better) break;
    differentiate();
    if (step.norm() < enough) break;
  }
  out.offset = moved.offset(z);
  out.contact = here->point.contact;
  out.A = here->point.A;
  out.residual = here->residual;
  return out;
}

double offset_noise(const Law& law, std::span<const ReducedImpact> rows, const OffsetPrior& prior, std::size_t stride) {
  const double c = median_norm(measured_components(rows[0].measured));
  const auto shown = [&](const OffsetPrior& at) {
    std::vector<double> norms;
    norms.reserve(rows.size() / stride + 1);
    for (std::size_t i = 0; i < rows.size(); i += stride) norms.push_back(offset_row(law, rows[i], at).residual.norm());
    return std::max(quantile(std::move(norms), 0.5) / c, 1e-12);
  };
  const double most = shown({});  // without offsets all is noise
  if (!(prior.deviation > 0)) return most;
  // ln of the ratio of both sides of (FT18) falls with ln s, at a slope between −1 and 0: regula falsi, after Illinois.
  const auto excess = [&](double log_s) {
    const double s = std::exp(log_s);
    return std::log(shown({prior.deviation, s}) / s);
  };
  double low = std::log(most / 100), high = std::log(most);
  double at_low = excess(low), at_high = excess(high);
  if (at_low <= 0) return std::exp(low);
  if (at_high >= 0) return most;
  for (int i = 0, side = 0; i < 20; ++i) {
    const double middle = (at_low * high - at_high * low) / (at_low - at_high), there = excess(middle);
    if (std::abs(there) < 2e-3) return std::exp(middle);
    if (there > 0) {
      low = middle;
      at_low = there;
      if (side == 1) at_high /= 2;
      side = 1;
    } else {
      high = middle;
      at_high = there;
      if (side == -1) at_low /= 2;
      side = -1;
    }
  }
  return std::exp((low + high) / 2);
}

double median_norm(int k) { return std::sqrt(k * std::pow(1 - 2.0 / (9 * k), 3)); }

}  // namespace ricochet
