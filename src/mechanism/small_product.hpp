#pragma once
/// Products of the small matrices of spatial algebra, stored by columns without gaps, in plain loops. The same products
/// as Eigen expressions, for each joint size, took most of a minute to compile.
/// Sums are formed in the order in which Eigen forms them: left to right, and by pairs where the left factor is
/// transposed.

#include <cmath>

namespace ricochet {

/// C = A B, with A m × k and B k × n. C must be neither A nor B.
template <int m, int k, int n>
void multiply(const double* A, const double* B, double* C) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double sum = A[i] * B[k * j];
      for (int l = 1; l < k; ++l) sum += A[i + m * l] * B[l + k * j];
      C[i + m * j] = sum;
    }
}

/// C += A B.
template <int m, int k, int n>
void multiply_add(const double* A, const double* B, double* C) {
  double product[m * n];
  multiply<m, k, n>(A, B, product);
  for (int i = 0; i < m * n; ++i) C[i] += product[i];
}

/// C = Aᵀ B, with A 6 × m and B 6 × n.
template <int m, int n>
void transposed_multiply(const double* A, const double* B, double* C) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const double* const a = A + 6 * i;
      const double* const b = B + 6 * j;
      C[i + m * j] = (a[0] * b[0] + (a[2] * b[2] + a[4] * b[4])) + (a[1] * b[1] + (a[3] * b[3] + a[5] * b[5]));
    }
}

/// C −= A Bᵀ, with A and B 6 × k.
template <int k>
void subtract_outer(const double* A, const double* B, double* C) {
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 6; ++i) {
      double sum = A[i] * B[j];
      for (int l = 1; l < k; ++l) sum += A[i + 6 * l] * B[j + 6 * l];
      C[i + 6 * j] -= sum;
    }
}

/// A = ½ (A + Aᵀ), n × n.
template <int n>
void symmetrize(double* A) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) A[i + n * j] = A[j + n * i] = 0.5 * (A[i + n * j] + A[j + n * i]);
}

/// A wrench (moment; force) taken to a point from which its own lies at `arm`: moment += arm × force.
inline void add_moment(const double* arm, double* wrench) {
  wrench[0] += arm[1] * wrench[5] - arm[2] * wrench[4];
  wrench[1] += arm[2] * wrench[3] - arm[0] * wrench[5];
  wrench[2] += arm[0] * wrench[4] - arm[1] * wrench[3];
}

/// A twist (ω; v) taken to a point at `arm` from its own: v −= arm × ω.
inline void subtract_velocity(const double* arm, double* twist) {
  twist[3] -= arm[1] * twist[2] - arm[2] * twist[1];
  twist[4] -= arm[2] * twist[0] - arm[0] * twist[2];
  twist[5] -= arm[0] * twist[1] - arm[1] * twist[0];
}

/// The inverse of a symmetric matrix by its Cholesky factor; false where a pivot is not positive.
template <int n>
bool invert_positive(const double* A, double* inverse) {
  double L[n * n] = {}, X[n * n] = {};  // A = L Lᵀ, X = L⁻¹
  for (int j = 0; j < n; ++j) {
    double pivot = A[j + n * j];
    for (int l = 0; l < j; ++l) pivot -= L[j + n * l] * L[j + n * l];
    if (!(pivot > 0)) return false;
    L[j + n * j] = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      double sum = A[i + n * j];
      for (int l = 0; l < j; ++l) sum -= L[i + n * l] * L[j + n * l];
      L[i + n * j] = sum / L[j + n * j];
    }
  }
  for (int j = 0; j < n; ++j) {
    X[j + n * j] = 1 / L[j + n * j];
    for (int i = j + 1; i < n; ++i) {
      double sum = 0;
      for (int l = j; l < i; ++l) sum -= L[i + n * l] * X[l + n * j];
      X[i + n * j] = sum / L[i + n * i];
    }
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      double sum = 0;
      for (int l = j; l < n; ++l) sum += X[l + n * i] * X[l + n * j];
      inverse[i + n * j] = inverse[j + n * i] = sum;
    }
  return true;
}

}  // namespace ricochet
