#pragma once
/// Small systems of linear equations with several right-hand sides.

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <utility>

namespace ricochet::derivatives {

/// X in `left` X = `right`: Gauss's elimination with pivots by columns. A general solver's blocks and copies take
/// longer than the elimination, and far longer to compile.
template <int s, int k>
Eigen::Matrix<double, s, k> eliminate(const Eigen::Matrix<double, s, s>& left,
                                      const Eigen::Matrix<double, s, k>& right) {
  constexpr int width = (s + k + 1) / 2 * 2;  // whole pairs of columns
  double A[s][width];
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) A[i][j] = left(i, j);
    for (int j = 0; j < k; ++j) A[i][s + j] = right(i, j);
    for (int j = s + k; j < width; ++j) A[i][j] = 0;
  }
  for (int m = 0; m < s; ++m) {
    int pivot = m;
    for (int i = m + 1; i < s; ++i)
      if (std::abs(A[i][m]) > std::abs(A[pivot][m])) pivot = i;
    if (pivot != m) std::swap(A[m], A[pivot]);
    const double inverse = 1 / A[m][m];
    for (int i = m + 1; i < s; ++i) {
      const double factor = A[i][m] * inverse;
      for (int j = m & ~1; j < width; ++j) A[i][j] -= factor * A[m][j];
    }
  }
  Eigen::Matrix<double, s, k> x;
  for (int m = s - 1; m >= 0; --m) {
    double sum[k];
    for (int j = 0; j < k; ++j) sum[j] = A[m][s + j];
    for (int i = m + 1; i < s; ++i)
      for (int j = 0; j < k; ++j) sum[j] -= A[m][i] * x(i, j);
    for (int j = 0; j < k; ++j) x(m, j) = sum[j] / A[m][m];
  }
  return x;
}

}  // namespace ricochet::derivatives
