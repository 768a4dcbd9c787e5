#pragma once
/// Small fixed-size linear algebra, scalar-templated so that one kernel serves double, extended precision, CUDA and
/// WASM.

#include <Eigen/Core>

#if defined(__CUDACC__)
#define RICOCHET_HD __host__ __device__
#else
#define RICOCHET_HD
#endif

namespace ricochet {

template <class T>
using Vec2T = Eigen::Matrix<T, 2, 1>;
template <class T>
using Vec3T = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat2T = Eigen::Matrix<T, 2, 2>;
template <class T>
using Mat3T = Eigen::Matrix<T, 3, 3>;

using Vec2 = Vec2T<double>;
using Vec3 = Vec3T<double>;
using Mat2 = Mat2T<double>;
using Mat3 = Mat3T<double>;

/// S(a) b = a × b.
template <class T>
RICOCHET_HD Mat3T<T> cross_matrix(const Vec3T<T>& a) {
  Mat3T<T> S;
  S << T(0), -a.z(), a.y(), a.z(), T(0), -a.x(), -a.y(), a.x(), T(0);
  return S;
}

}  // namespace ricochet
