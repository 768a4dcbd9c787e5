#pragma once
/// Products of 3-vectors and 3×3 matrices written out. As expressions of Eigen they are formed from packets of two that
/// pass through memory, which takes several times as long as the arithmetic. The sums here are formed in the order in
/// which Eigen forms them for the same scalar, so that both ways give the same digits: ill-conditioned contacts amplify
/// the last one.

#include <cmath>
#include <type_traits>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/select.hpp"

namespace ricochet {

namespace product3_detail {

/// The sum of three terms, the first two of which Eigen keeps in one packet where there are packets of two.
template <class T>
[[nodiscard]] RICOCHET_HD inline T sum(const T& x, const T& y, const T& z) {
  if constexpr (std::is_same_v<LaneNumber<T>, double>) return (x + y) + z;
  return x + (y + z);
}

}  // namespace product3_detail

template <class T>
[[nodiscard]] RICOCHET_HD inline T dot3(const Vec3T<T>& a, const Vec3T<T>& b) {
  return product3_detail::sum<T>(a(0) * b(0), a(1) * b(1), a(2) * b(2));
}

template <class T>
[[nodiscard]] RICOCHET_HD inline T norm3(const Vec3T<T>& a) {
  using std::sqrt;
  return sqrt(dot3<T>(a, a));
}

/// A v.
template <class T>
[[nodiscard]] RICOCHET_HD inline Vec3T<T> times3(const Mat3T<T>& A, const Vec3T<T>& v) {
  return Vec3T<T>(product3_detail::sum<T>(A(0, 0) * v(0), A(0, 1) * v(1), A(0, 2) * v(2)),
                  product3_detail::sum<T>(A(1, 0) * v(0), A(1, 1) * v(1), A(1, 2) * v(2)),
                  A(2, 0) * v(0) + (A(2, 1) * v(1) + A(2, 2) * v(2)));
}

/// v·A v.
template <class T>
[[nodiscard]] RICOCHET_HD inline T quadratic3(const Mat3T<T>& A, const Vec3T<T>& v) {
  return dot3<T>(v, times3<T>(A, v));
}

/// √ Σ A_ij².
template <class T>
[[nodiscard]] RICOCHET_HD inline T norm3(const Mat3T<T>& A) {
  using std::sqrt;
  const auto square = [&](int i, int j) { return A(i, j) * A(i, j); };
  return sqrt((((square(0, 0) + square(2, 0)) + (square(1, 1) + square(0, 2))) +
               ((square(1, 0) + square(0, 1)) + (square(2, 1) + square(1, 2)))) +
              square(2, 2));
}

template <class T>
[[nodiscard]] RICOCHET_HD inline Vec3T<T> cross3(const Vec3T<T>& a, const Vec3T<T>& b) {
  return Vec3T<T>(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0));
}

}  // namespace ricochet
