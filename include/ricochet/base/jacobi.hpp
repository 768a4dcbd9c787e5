#pragma once
/// Jacobi's rotation, which annihilates an off-diagonal entry of a symmetric matrix, and the eigenvalues of a symmetric
/// 3×3 matrix by it. With Q = [[cs, sn], [−sn, cs]],
///   Qᵀ [[a, off], [off, b]] Q = diag(a − t off, b + t off),   t = sn / cs,  |t| ≤ 1.
/// The rotations keep the relative accuracy of small eigenvalues of a graded matrix, which a solver that first reduces
/// to tridiagonal form loses.

#include <cmath>
#include <limits>

#include "ricochet/base/linear.hpp"

namespace ricochet {

struct StandardRoot {
  template <class T>
  RICOCHET_HD T operator()(const T& x) const {
    using std::sqrt;
    return sqrt(x);
  }
};

template <class T>
struct JacobiRotation {
  T t = T(0), cs = T(1), sn = T(0);

  /// (x, y) Q for one row (x, y).
  RICOCHET_HD void apply(T& x, T& y) const {
    const T before = x;
    x = cs * before - sn * y;
    y = sn * before + cs * y;
  }
};

/// The rotation for [[a, off], [off, b]], off ≠ 0. `root` is the square root, for scalars without one in std.
template <class T, class Root = StandardRoot>
[[nodiscard]] RICOCHET_HD JacobiRotation<T> jacobi_rotation(T a, T b, T off, Root root = {}) {
  const T zeta = (b - a) / (T(2) * off);
  const T size = zeta < T(0) ? -zeta : zeta;
  // Beyond 1e18 the root is |ζ| to rounding in every precision in use, and ζ² might overflow.
  const T sum = size > T(1e18) ? T(2) * size : T(size + root(T(T(1) + zeta * zeta)));
  JacobiRotation<T> r;
  r.t = (zeta < T(0) ? T(-1) : T(1)) / sum;
  r.cs = T(1) / root(T(T(1) + r.t * r.t));
  r.sn = r.t * r.cs;
  return r;
}

/// Eigenvalues and orthonormal eigenvectors (columns), in no order.
template <class T>
struct Eigen3 {
  Vec3T<T> values;
  Mat3T<T> vectors;
};

template <class T>
[[nodiscard]] RICOCHET_HD Eigen3<T> symmetric_eigen(Mat3T<T> S) {
  using std::abs;
  using std::sqrt;
  Mat3T<T> Q = Mat3T<T>::Identity();
  for (int sweep = 0; sweep < 40; ++sweep) {  // converges quadratically; five are usual
    bool diagonal = true;
    for (int i = 0; i < 2; ++i) {
      for (int j = i + 1; j < 3; ++j) {
        const T off = S(i, j);
        if (abs(off) <= std::numeric_limits<T>::epsilon() / T(4) * sqrt(abs(S(i, i) * S(j, j))) || off == T(0))
          continue;
        diagonal = false;
        const JacobiRotation<T> r = jacobi_rotation<T>(S(i, i), S(j, j), off);
        const int k = 3 - i - j;
        S(i, i) -= r.t * off;
        S(j, j) += r.t * off;
        S(i, j) = S(j, i) = T(0);
        r.apply(S(k, i), S(k, j));
        S(i, k) = S(k, i);
        S(j, k) = S(k, j);
        for (int row = 0; row < 3; ++row) r.apply(Q(row, i), Q(row, j));
      }
    }
    if (diagonal) break;
  }
  return {Vec3T<T>(S(0, 0), S(1, 1), S(2, 2)), Q};
}

}  // namespace ricochet
