#pragma once
/// The contact point of a measured impact, off where it was said to be: a nuisance parameter with a prior
/// (docs/fitting.md).

#include <span>

#include "ricochet/fit/measured_impact.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {

/// The most probable offset of the contact point, tangential, for a normal prior of this deviation [m]: the angular
/// momentum that the measured change of velocity leaves unexplained, against a deviation of the spin [rad/s].     (FT6)
[[nodiscard]] Vec3 contact_offset(const MeasuredImpact& impact, double deviation, double spin_deviation);

struct OffsetPrior {
  double deviation = 0;  ///< σ_r of the contact point in each direction along the ground [m]; 0: the point is known
  double noise = 0;      ///< s, deviation of a component of the relative residual
};

/// A row at the most probable offset under a law.
struct OffsetRow {
  using Residual = Eigen::Matrix<double, 8, 1>;
  Vec3 offset = Vec3::Zero();            ///< σ_r T z [m]
  Contact contact;                       ///< of the moved point
  ReducedImpact::ImpulseMap A;           ///< as above
  Residual residual = Residual::Zero();  ///< (A P − b, s z), whose square is q (FT16)
  Eigen::Matrix<double, 8, 2> by_z = Eigen::Matrix<double, 8, 2>::Zero();  ///< its derivative
  bool refused = false;                                                    ///< no answer at the stated point: P = 0

  /// Of the velocity after, relative, in the mass norm, at this offset.
  [[nodiscard]] double error() const { return residual.head<6>().norm(); }
  /// Derivatives of the residual by parameters, of which those at fixed z are given for A P: across those by z.
  [[nodiscard]] Eigen::MatrixXd project(const Eigen::MatrixXd& by) const;
};

/// (FT16). With a deviation of zero the row as it was stated.
[[nodiscard]] OffsetRow offset_row(const Law& law, const ReducedImpact& row, const OffsetPrior& prior);

/// The noise s that the rows show (FT18), down to a hundredth of what they show without offsets. `prior.noise` is not
/// used.
[[nodiscard]] double offset_noise(const Law& law, std::span<const ReducedImpact> rows, const OffsetPrior& prior,
                                  std::size_t stride = 1);

/// The median of the norm of k normal components, after Wilson and Hilferty.                                    (FT11)
[[nodiscard]] double median_norm(int k);

}  // namespace ricochet
