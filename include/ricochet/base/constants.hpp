#pragma once
/// Numbers that several kernels share. As functions, so that they are reachable in device code and for every scalar.

#include "ricochet/base/linear.hpp"

namespace ricochet {

template <class T>
[[nodiscard]] RICOCHET_HD constexpr T pi() {
  return T(3.141592653589793238462643383279502884L);
}

/// An eigenvalue of a mass or mobility matrix below this share of the largest one is rounding: the matrix is singular,
/// the contact immovable in that direction.
inline constexpr double singular_floor = 1e-14;

}  // namespace ricochet
