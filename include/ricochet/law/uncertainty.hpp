#pragma once
/// An outcome with uncertain inputs, to first order and by sampling, docs/derivatives.md (DV10).

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/law/derivatives.hpp"

namespace ricochet {

/// Standard deviations of one input: one for all of its columns, or one for each.
struct InputDeviation {
  std::string name;
  std::vector<double> sigma;
};

/// "e=0.05,mu=0.1,V=[0.01,0,0]"
[[nodiscard]] Expected<std::vector<InputDeviation>> read_deviations(std::string_view text);

/// Mean and covariance of (P, V⁺, ΔE).
struct OutcomeSpread {
  Eigen::Matrix<double, 7, 1> mean = Eigen::Matrix<double, 7, 1>::Zero();
  Eigen::Matrix<double, 7, 7> covariance = Eigen::Matrix<double, 7, 7>::Zero();
  [[nodiscard]] double deviation(int row) const;
};

/// A change of mode, by how many of its own standard deviations it is away.
struct NearbyChange {
  std::string_view what;
  double sigmas = 0;
};

struct UncertainOutcome {
  std::string_view kink;             ///< why there is no first order; empty: there is
  OutcomeSpread first_order;         ///< about the outcome itself
  OutcomeSpread sampled;             ///< by Monte Carlo
  std::vector<NearbyChange> nearby;  ///< within two standard deviations
  int samples = 0;
  int redrawn = 0;  ///< samples that the law or the contact refused
};

struct SamplingOptions {
  int samples = 10'000;
  std::uint64_t seed = 1;
};

/// Inputs are independent and normal. Fails as `collide_with_derivatives`, for an input that the law does not have, and
/// where more samples are refused than accepted.
[[nodiscard]] Expected<UncertainOutcome> propagate(const Law& law, const Contact& contact,
                                                   std::span<const InputDeviation> deviations,
                                                   const SamplingOptions& options = {});

}  // namespace ricochet
