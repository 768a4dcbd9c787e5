#pragma once
/// The checks of a contact's numbers as a kernel: no allocation, no exception, no message, any scalar. The shell
/// (contact.hpp) turns a fault into an error, and decides by an eigenvalue decomposition where this cannot.

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/product3.hpp"
#include "ricochet/contact/inverse_spd.hpp"

namespace ricochet {

enum class ContactFault : std::uint8_t {
  none,
  matrix_not_finite,
  velocity_not_finite,
  normal_not_finite,
  normal_zero,
  not_symmetric,
};

namespace contact_detail {

template <class T>
RICOCHET_HD bool finite(const T& x) {
  return x * T(0) == T(0);  // NaN for what is not
}
template <class Matrix>
RICOCHET_HD bool all_finite(const Matrix& A) {
  for (int i = 0; i < int(A.size()); ++i)
    if (!finite(A(i % int(A.rows()), i / int(A.rows())))) return false;
  return true;
}

}  // namespace contact_detail

/// Length of n without overflow or underflow of its squares.
template <class T>
[[nodiscard]] RICOCHET_HD T safe_length(const Vec3T<T>& n) {
  using std::abs;
  using std::sqrt;
  T most = abs(n(0));
  for (int i = 1; i < 3; ++i)
    if (abs(n(i)) > most) most = abs(n(i));
  if (!(most > T(0))) return T(0);
  T inverse = T(1) / most;
  if (inverse > std::numeric_limits<T>::max()) {  // a subnormal component
    inverse = std::numeric_limits<T>::max();
    most = T(1) / inverse;
  }
  return most * sqrt((n * inverse).squaredNorm());
}

/// Finite and not zero.
template <class T>
[[nodiscard]] RICOCHET_HD ContactFault normal_fault(const Vec3T<T>& n) {
  if (!contact_detail::all_finite(n)) return ContactFault::normal_not_finite;
  return safe_length(n) > std::numeric_limits<T>::min() ? ContactFault::none : ContactFault::normal_zero;
}

/// Finds what is wrong with M (or W), V and n; where nothing is, makes A exactly symmetric and n a unit vector.
template <class T>
[[nodiscard]] RICOCHET_HD ContactFault check_contact(Mat3T<T>& A, const Vec3T<T>& V, Vec3T<T>& n) {
  using std::abs;
  constexpr T most = std::numeric_limits<T>::max();
  constexpr T eps = std::numeric_limits<T>::epsilon();
  const T a10 = A(1, 0), a01 = A(0, 1), a20 = A(2, 0), a02 = A(0, 2), a21 = A(2, 1), a12 = A(1, 2);
  // A finite sum has finite terms; only where it is not do the terms have to be looked at.
  const T sum_A = ((abs(A(0, 0)) + abs(A(1, 1))) + (abs(A(2, 2)) + abs(a10))) +
                  ((abs(a01) + abs(a20)) + (abs(a02) + abs(a21))) + abs(a12);
  const T sum_v = (abs(V(0)) + abs(V(1))) + (abs(V(2)) + abs(n(0))) + (abs(n(1)) + abs(n(2)));
  if (!(sum_A <= most) || !(sum_v <= most)) {
    if (!contact_detail::all_finite(A)) return ContactFault::matrix_not_finite;
    if (!contact_detail::all_finite(V)) return ContactFault::velocity_not_finite;
    if (!contact_detail::all_finite(n)) return ContactFault::normal_not_finite;
  }
  // A square within an ulp of 1 is that of a unit vector to the tolerance below.
  const T square = dot3<T>(n, n);
  const bool unit = square >= T(1) - eps / T(2) && square <= T(1) + eps;
  const T length = unit ? T(1) : safe_length(n);
  if (!(length > std::numeric_limits<T>::min())) return ContactFault::normal_zero;
  if (a10 != a01 || a20 != a02 || a21 != a12) {
    const T tolerance = T(1e-12) > T(8) * eps ? T(1e-12) : T(8) * eps;
    T size = T(0);
    for (int i = 0; i < 9; ++i)
      if (abs(A(i / 3, i % 3)) > size) size = abs(A(i / 3, i % 3));
    if (abs(a10 - a01) > tolerance * size || abs(a20 - a02) > tolerance * size || abs(a21 - a12) > tolerance * size)
      return ContactFault::not_symmetric;
    A(1, 0) = A(0, 1) = T(0.5) * (a10 + a01);
    A(2, 0) = A(0, 2) = T(0.5) * (a20 + a02);
    A(2, 1) = A(1, 2) = T(0.5) * (a21 + a12);
  }
  if (abs(length - T(1)) > T(2) * eps) n = (n / length).normalized();
  return ContactFault::none;
}

/// X = A⁻¹ in the arithmetic of `Wide`. Returns true where A is positive definite and so well conditioned that no
/// eigenvalues need be found: λ_max/λ_min ≤ tr A · tr A⁻¹, which may be ten times too large but never too small. False
/// says nothing: it is for the caller to decide by the eigenvalues.
template <class Wide, class T>
[[nodiscard]] RICOCHET_HD bool invert_if_clear(const Mat3T<T>& A, Mat3T<T>& X) {
  // A tenth of what contact.hpp refuses, and of what the scalar resolves.
  const T resolved = T(0.1) / T(std::numeric_limits<T>::epsilon());
  const T clear = resolved < T(1e13) ? resolved : T(1e13);
  if (!inverse_spd<Wide>(A, X)) return false;
  const T trace = A(0, 0) + A(1, 1) + A(2, 2), trace_X = X(0, 0) + X(1, 1) + X(2, 2);
  // Half of the largest number, so that a sum of two entries is finite, too.
  const T most = std::numeric_limits<T>::max() / T(2);
  return trace <= most && trace_X <= most && trace * trace_X <= clear;
}

}  // namespace ricochet
