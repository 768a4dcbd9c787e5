#pragma once
/// The dual numbers in which a motion is followed.

#include "ricochet/base/dual.hpp"

namespace ricochet::motion {

inline constexpr int dual_width = 12;
using Num = Dual<dual_width>;
using Vec3D = Eigen::Matrix<Num, 3, 1>;
using Mat3D = Eigen::Matrix<Num, 3, 3>;
using VecD = Eigen::Matrix<Num, Eigen::Dynamic, 1>;
using MatD = Eigen::Matrix<Num, Eigen::Dynamic, Eigen::Dynamic>;

/// The derivatives along direction k.
[[nodiscard]] inline MatX direction_of(const MatD& A, int k) {
  MatX out(A.rows(), A.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j) out(i, j) = A(i, j).d[static_cast<std::size_t>(k)];
  return out;
}

}  // namespace ricochet::motion
