#pragma once
/// A free-form regression of the impulse over the state before impact: no mechanics, no promise; the yardstick of how
/// much of an impact can be known in advance (docs/fitting.md).

#include <span>

#include "ricochet/base/error.hpp"
#include "ricochet/fit/measured_impact.hpp"

namespace ricochet {

/// A Gaussian process in axes of the contact (normal, slip, across), so that it does not depend on coordinates:
/// squared-exponential kernel, a length for each feature and the noise by likelihood (FT10).
class ImpulseRegression {
 public:
  static constexpr std::size_t fewest_rows = 20;

  /// Fails with too few rows.
  [[nodiscard]] static Expected<ImpulseRegression> fit(std::span<const ReducedImpact> rows);

  [[nodiscard]] Vec3 impulse(const ReducedImpact& row) const;

 private:
  static constexpr int most_features = 10;
  using Features = Eigen::Matrix<double, most_features, 1>;

  [[nodiscard]] static Features raw_features(const ReducedImpact& row);
  [[nodiscard]] static Vec3 target(const ReducedImpact& row);
  [[nodiscard]] Features features(const ReducedImpact& row) const;

  Features mean_, scale_;  ///< scale: one over deviation and length, zero for what does not vary
  Vec3 target_mean_, target_deviation_;
  double noise_ = 0.01;
  Eigen::Matrix<double, most_features, Eigen::Dynamic> known_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> weight_;
};

}  // namespace ricochet
