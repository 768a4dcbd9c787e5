#include "ricochet/fit/impulse_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/mechanism/response.hpp"

namespace ricochet {
namespace {

/// Columns: normal, slip, across. A mirrored impact has mirrored axes.
Mat3 slip_axes(const Contact& c) {
  const Vec3 slip = c.V - c.n * c.n.dot(c.V);
  const Vec3 t = slip.norm() > 0 ? Vec3(slip.normalized()) : Vec3(c.n.unitOrthogonal());
  Mat3 out;
  out << c.n, t, c.n.cross(t);
  return out;
}

/// Of features over their lengths.
MatX kernel(const MatX& a, const MatX& b) {
  MatX out(a.cols(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j)
    for (Eigen::Index i = 0; i < a.cols(); ++i) out(i, j) = std::exp(-0.5 * (a.col(i) - b.col(j)).squaredNorm());
  return out;
}

/// −log of the likelihood of independent targets, each at its own best amplitude.
double unlikelihood(const MatX& K, const Eigen::Matrix<double, Eigen::Dynamic, 3>& targets) {
  const Eigen::LLT<MatX> root(K);
  if (root.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(K.rows());
  const double log_determinant = root.matrixLLT().diagonal().array().log().sum();
  const MatX white = root.matrixL().solve(targets);
  double out = 0;
  for (int k = 0; k < 3; ++k) {
    const double square = white.col(k).squaredNorm();
    if (square > 0) out += 0.5 * count * std::log(square / count) + log_determinant;
  }
  return out;
}

}  // namespace

ImpulseRegression::Features ImpulseRegression::raw_features(const ReducedImpact& row) {
  const Mat3 axes = slip_axes(row.contact);
  Features out;
  // The spin is an axial vector: only its part across the plane of n and t keeps its sign under reflection.
  out << std::log(row.speed), axes.transpose() * row.before.head<3>(), axes.transpose() * row.before.tail<3>(),
      axes.transpose() * row.arm;
  return out;
}

Vec3 ImpulseRegression::target(const ReducedImpact& row) {
  return slip_axes(row.contact).transpose() * row.P * row.A(0, 0);
}

ImpulseRegression::Features ImpulseRegression::features(const ReducedImpact& row) const {
  return (raw_features(row) - mean_).cwiseProduct(scale_);
}

Expected<ImpulseRegression> ImpulseRegression::fit(std::span<const ReducedImpact> rows) {
  if (rows.size() < fewest_rows)
    return fail(ErrorCode::missing, "rows", std::to_string(rows.size()), "must be 20 or more for a regression");
  ImpulseRegression out;
  const auto count = static_cast<Eigen::Index>(rows.size());
  out.known_.resize(most_features, count);
  Eigen::Matrix<double, Eigen::Dynamic, 3> targets(count, 3);
  for (Eigen::Index i = 0; i < count; ++i) {
    const ReducedImpact& row = rows[static_cast<std::size_t>(i)];
    out.known_.col(i) = raw_features(row);
    targets.row(i) = target(row).transpose();
  }
  const auto inverse = [](double deviation) { return deviation > 1e-9 ? 1 / deviation : 0.0; };
  out.mean_ = out.known_.rowwise().mean();
  out.known_.colwise() -= out.mean_;
  out.scale_ = (out.known_.rowwise().squaredNorm() / static_cast<double>(count)).cwiseSqrt().unaryExpr(inverse);
  out.known_ = out.scale_.asDiagonal() * out.known_;
  out.target_mean_ = targets.colwise().mean().transpose();
  targets.rowwise() -= out.target_mean_.transpose();
  out.target_deviation_ = (targets.colwise().squaredNorm() / static_cast<double>(count)).cwiseSqrt().transpose();
  targets = targets * Vec3(out.target_deviation_.unaryExpr(inverse)).asDiagonal();

  // Some hundred rows tell length and noise.
  const Eigen::Index stride = std::max<Eigen::Index>(1, count / 250), few = (count + stride - 1) / stride;
  MatX some(most_features, few);
  Eigen::Matrix<double, Eigen::Dynamic, 3> of_some(few, 3);
  for (Eigen::Index i = 0; i < few; ++i) {
    some.col(i) = out.known_.col(i * stride);
    of_some.row(i) = targets.row(i * stride);
  }
  const auto judge = [&](const Features& lengths, double noise) {
    const MatX over = lengths.cwiseInverse().asDiagonal() * some;
    return unlikelihood(kernel(over, over) + noise * MatX::Identity(few, few), of_some);
  };
  Features lengths = Features::Ones();
  double least = std::numeric_limits<double>::infinity();
  for (const double length : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0})
    for (const double noise : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3}) {
      const double here = judge(Features::Constant(length), noise);
      if (here >= least) continue;
      least = here;
      lengths.setConstant(length);
      out.noise_ = noise;
    }
  // From the best common length each feature takes its own, by factors, one after another.
  for (const double factor : {2.0, 2.0, 1.4, 1.4}) {
    for (int k = 0; k <= most_features; ++k) {
      if (k < most_features && out.scale_(k) == 0) continue;
      for (const double by : {factor, 1 / factor}) {
        Features other = lengths;
        double noise = out.noise_;
        (k < most_features ? other(k) : noise) *= by;
        const double here = judge(other, noise);
        if (here >= least) continue;
        least = here;
        lengths = other;
        out.noise_ = noise;
        break;
      }
    }
  }
  out.scale_ = out.scale_.cwiseQuotient(lengths);
  out.known_ = lengths.cwiseInverse().asDiagonal() * out.known_;
  const MatX K = kernel(out.known_, out.known_) + out.noise_ * MatX::Identity(count, count);
  out.weight_ = K.llt().solve(targets);
  return out;
}

Vec3 ImpulseRegression::impulse(const ReducedImpact& row) const {
  const MatX k = kernel(known_, features(row));
  const Vec3 relative = (weight_.transpose() * k).cwiseProduct(target_deviation_) + target_mean_;
  return slip_axes(row.contact) * relative / row.A(0, 0);
}

}  // namespace ricochet
