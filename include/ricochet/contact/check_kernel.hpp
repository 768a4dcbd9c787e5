#pragma once
/// The checks of a contact's numbers as a kernel: no allocation, no exception, no message, any scalar, one contact or a
/// pack of them. The shell (contact.hpp) turns a fault into an error, and decides by an eigenvalue decomposition where
/// this cannot.

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/product3.hpp"
#include "ricochet/base/select.hpp"
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
RICOCHET_HD MaskOf<T> finite(const T& x) {
  return x - x == T(0);  // NaN for what is not; NOLINT(misc-redundant-expression)
}
template <class T>
RICOCHET_HD MaskOf<T> finite3(const Vec3T<T>& v) {
  return finite(v(0)) && finite(v(1)) && finite(v(2));
}
template <class T>
RICOCHET_HD MaskOf<T> finite9(const Mat3T<T>& A) {
  MaskOf<T> verdict = finite(A(0, 0));
  for (int i = 1; i < 9; ++i) verdict = verdict && finite(A(i / 3, i % 3));
  return verdict;
}

/// Whether the square of a vector is that of one whose length is 1 to the tolerance of `check_contact`.
template <class T>
RICOCHET_HD MaskOf<T> unit(const T& square) {
  using std::abs;
  using S = LaneNumber<T>;
  return abs(square - T(1)) <= T(S(3) * std::numeric_limits<S>::epsilon());
}

}  // namespace contact_detail

/// Length of n without overflow or underflow of its squares.
template <class T>
[[nodiscard]] RICOCHET_HD T safe_length(const Vec3T<T>& n) {
  using std::abs;
  using std::sqrt;
  using S = LaneNumber<T>;
  const T greatest(std::numeric_limits<S>::max());
  T most = abs(n(0));
  for (int i = 1; i < 3; ++i) most = select(abs(n(i)) > most, T(abs(n(i))), most);
  const MaskOf<T> some = most > T(0);
  T inverse = T(1) / most;
  const MaskOf<T> beyond = inverse > greatest;  // a subnormal component
  inverse = select(beyond, greatest, inverse);
  most = select(beyond, T(T(1) / greatest), most);
  const Vec3T<T> u(n(0) * inverse, n(1) * inverse, n(2) * inverse);
  return select(some, T(most * sqrt(dot3<T>(u, u))), T(0));
}

/// Finite and not zero.
template <class T>
[[nodiscard]] RICOCHET_HD ContactFault normal_fault(const Vec3T<T>& n) {
  if (!contact_detail::finite3<T>(n)) return ContactFault::normal_not_finite;
  return safe_length(n) > std::numeric_limits<T>::min() ? ContactFault::none : ContactFault::normal_zero;
}

/// Finds what is wrong with M (or W), V and n; where nothing is, makes A exactly symmetric and n a unit vector to
/// rounding.
template <class T>
[[nodiscard]] RICOCHET_HD PerLane<T, ContactFault> check_contact(Mat3T<T>& A, const Vec3T<T>& V, Vec3T<T>& n) {
  using std::abs;
  using std::sqrt;
  using S = LaneNumber<T>;
  constexpr S eps = std::numeric_limits<S>::epsilon();
  const T most(std::numeric_limits<S>::max());
  PerLane<T, ContactFault> fault = ContactFault::none;
  const auto found = [&](const MaskOf<T>& bad, ContactFault what) {  // the first counts
    fault = select(bad && fault == ContactFault::none, PerLane<T, ContactFault>(what), fault);
  };
  const T a10 = A(1, 0), a01 = A(0, 1), a20 = A(2, 0), a02 = A(0, 2), a21 = A(2, 1), a12 = A(1, 2);
  // A finite sum has finite terms; only where it is not do the terms have to be looked at.
  const T sum_A = ((abs(A(0, 0)) + abs(A(1, 1))) + (abs(A(2, 2)) + abs(a10))) +
                  ((abs(a01) + abs(a20)) + (abs(a02) + abs(a21))) + abs(a12);
  const T sum_v = (abs(V(0)) + abs(V(1))) + (abs(V(2)) + abs(n(0))) + (abs(n(1)) + abs(n(2)));
  if (any(!(sum_A <= most) || !(sum_v <= most))) [[unlikely]] {
    found(!contact_detail::finite9<T>(A), ContactFault::matrix_not_finite);
    found(!contact_detail::finite3<T>(V), ContactFault::velocity_not_finite);
    found(!contact_detail::finite3<T>(n), ContactFault::normal_not_finite);
  }
  const MaskOf<T> unit = contact_detail::unit<T>(dot3<T>(n, n));
  T length(1);
  if (!all(unit)) {
    length = select(unit, T(1), safe_length(n));
    found(!(length > T(std::numeric_limits<S>::min())), ContactFault::normal_zero);
  }
  const MaskOf<T> differs = a10 != a01 || a20 != a02 || a21 != a12;
  if (any(differs)) {
    const T tolerance = S(1e-12) > S(8) * eps ? T(1e-12) : T(S(8) * eps);
    T size(0);
    for (int i = 0; i < 9; ++i) size = select(abs(A(i / 3, i % 3)) > size, T(abs(A(i / 3, i % 3))), size);
    found(abs(a10 - a01) > tolerance * size || abs(a20 - a02) > tolerance * size || abs(a21 - a12) > tolerance * size,
          ContactFault::not_symmetric);
    A(1, 0) = A(0, 1) = select(differs, T(T(0.5) * (a10 + a01)), a10);
    A(2, 0) = A(0, 2) = select(differs, T(T(0.5) * (a20 + a02)), a20);
    A(2, 1) = A(1, 2) = select(differs, T(T(0.5) * (a21 + a12)), a21);
  }
  const MaskOf<T> long_or_short = abs(length - T(1)) > T(S(2) * eps);
  if (any(long_or_short)) {
    const Vec3T<T> u(n(0) / length, n(1) / length, n(2) / length);
    const T rest = sqrt(dot3<T>(u, u));
    n = select3(long_or_short, Vec3T<T>(u(0) / rest, u(1) / rest, u(2) / rest), n);
  }
  return fault;
}

/// X = A⁻¹, accurate to rounding of its norm. True where A is positive definite and so well conditioned that no
/// eigenvalues need be found: λ_max/λ_min ≤ tr A · tr A⁻¹, which may be ten times too large but never too small. Its
/// entries are then finite. False says nothing: it is for the caller to decide by the eigenvalues.
template <class Product = ProductByHalves, class T>
[[nodiscard]] RICOCHET_HD MaskOf<T> invert_if_clear(const Mat3T<T>& A, Mat3T<T>& X) {
  using S = LaneNumber<T>;
  // A tenth of what contact.hpp refuses, and of what the scalar resolves.
  constexpr S resolved = S(0.1) / std::numeric_limits<S>::epsilon();
  const T clear(resolved < S(1e13) ? resolved : S(1e13));
  const MaskOf<T> positive = inverse_spd_twofold<Product>(A, X);
  const T trace = A(0, 0) + A(1, 1) + A(2, 2), trace_X = X(0, 0) + X(1, 1) + X(2, 2);
  return positive && in_twofold_reach(trace) && trace * trace_X <= clear;
}

template <class T>
struct CheckedNumbers {
  PerLane<T, ContactFault> fault;
  MaskOf<T> clear;       ///< where there is no fault: the inverse is one, and no eigenvalues need be found
  bool changed = false;  ///< A may have been made symmetric, or n of unit length, somewhere
};

/// Both: `check_contact` is asked only where a few cheap signs leave a doubt. `symmetric`: A is known to be.
template <class Product = ProductByHalves, class T>
[[nodiscard]] RICOCHET_HD CheckedNumbers<T> check_and_invert(Mat3T<T>& A, Mat3T<T>& X, const Vec3T<T>& V, Vec3T<T>& n,
                                                             bool symmetric = false) {
  MaskOf<T> plain = contact_detail::unit<T>(dot3<T>(n, n)) && contact_detail::finite<T>(V(0) + V(1) + V(2));
  if (!symmetric) plain = plain && A(1, 0) == A(0, 1) && A(2, 0) == A(0, 2) && A(2, 1) == A(1, 2);
  CheckedNumbers<T> out;
  out.fault = ContactFault::none;
  out.changed = !all(plain);
  if (out.changed) [[unlikely]]
    out.fault = check_contact<T>(A, V, n);
  out.clear = invert_if_clear<Product>(A, X);
  if (!all(out.clear) && !out.changed) [[unlikely]]
    out.fault = check_contact<T>(A, V, n);
  return out;
}

}  // namespace ricochet
