#pragma once

#include "ricochet/base/linear.hpp"

namespace ricochet {

inline constexpr std::size_t body_dof = 6;

/// (v, ω) of a rigid body ↦ velocity of the point with arm r: [I, −S(r)].
[[nodiscard]] inline Eigen::Matrix<double, 3, 6> body_jacobian(const Vec3& r) {
  Eigen::Matrix<double, 3, 6> J;
  J << Mat3::Identity(), -cross_matrix(r);
  return J;
}

}  // namespace ricochet
