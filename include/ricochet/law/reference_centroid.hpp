#pragma once
/// The centroid of the permissible region as the laws that refer to it compute it.

#include <limits>

#include "ricochet/law/outcome.hpp"
#include "ricochet/space/centroid.hpp"

namespace ricochet {

/// To 1e-12, or to the rounding of a quadrature in a scalar that does not resolve that.
template <class T, class S = double>
[[nodiscard]] RICOCHET_HD CentroidResult<T> reference_centroid(const Local<T>& c, S mu) {
  const T rounding = T(1024) * T(std::numeric_limits<T>::epsilon());
  return centroid<T>(c, mu, rounding > T(1e-12) ? rounding : T(1e-12));
}

/// Why a law without a centroid has no answer.
[[nodiscard]] RICOCHET_HD inline Termination without_centroid(RegionStatus status) {
  return status == RegionStatus::unbounded ? Termination::no_solution : Termination::not_converged;
}

}  // namespace ricochet
