#pragma once
/// Eigenvalues and eigenvectors of symmetric matrices, by Eigen's solver, compiled once: it takes ten seconds and more
/// wherever its template is used.

#include "ricochet/base/linear.hpp"

namespace ricochet {

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< unit, in columns
};

/// Only the lower triangle of A is read.
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);

/// Ascending. Only the lower triangle of A is read.
[[nodiscard]] Vec3 symmetric_eigenvalues(const Mat3& A);

}  // namespace ricochet
