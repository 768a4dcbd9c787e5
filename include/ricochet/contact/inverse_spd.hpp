#pragma once
/// Inverse of a symmetric positive definite 3×3 matrix.

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// By Cholesky (LDLᵀ without pivoting) in the arithmetic of `Wide`; backward stable, which the adjugate formula is not.
/// Reads the lower triangle of A. Returns whether every pivot is positive, that is whether A is positive definite to
/// the rounding of `Wide`; otherwise X is not an inverse.
template <class Wide, class T>
RICOCHET_HD bool inverse_spd(const Mat3T<T>& A, Mat3T<T>& X) {
  const Wide a10(A(1, 0)), a20(A(2, 0)), a21(A(2, 1));
  const Wide d0(A(0, 0));
  const Wide l10 = a10 / d0;
  const Wide l20 = a20 / d0;
  const Wide d1 = Wide(A(1, 1)) - l10 * a10;
  const Wide u21 = a21 - l20 * a10;
  const Wide l21 = u21 / d1;
  const Wide d2 = Wide(A(2, 2)) - l20 * a20 - l21 * u21;
  // A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹ with L⁻¹ = [[1,0,0],[−l10,1,0],[c,−l21,1]].
  const Wide c = l10 * l21 - l20;
  X(2, 2) = T(Wide(1) / d2);
  X(1, 2) = X(2, 1) = T(-l21 / d2);
  X(0, 2) = X(2, 0) = T(c / d2);
  X(1, 1) = T(Wide(1) / d1 + l21 * l21 / d2);
  X(0, 1) = X(1, 0) = T(-l10 / d1 - c * l21 / d2);
  X(0, 0) = T(Wide(1) / d0 + l10 * l10 / d1 + c * c / d2);
  return d0 > Wide(0) && d1 > Wide(0) && d2 > Wide(0);
}

}  // namespace ricochet
