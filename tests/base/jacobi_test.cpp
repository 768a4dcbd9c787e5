#include "ricochet/base/jacobi.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

TEST(JacobiRotation, AnnihilatesTheOffDiagonalEntry) {
  const double a = 3, b = -1, off = 0.7;
  const auto r = jacobi_rotation(a, b, off);
  EXPECT_NEAR(r.cs * r.cs + r.sn * r.sn, 1, 4e-16);
  EXPECT_NEAR(r.cs * r.sn * (a - b) + off * (r.cs * r.cs - r.sn * r.sn), 0, 1e-15);
  EXPECT_LE(std::abs(r.t), 1);
  // Eigenvalues of a 2×2 matrix in closed form.
  const double mean = (a + b) / 2, spread = std::hypot((a - b) / 2, off);
  EXPECT_NEAR(a - r.t * off, mean + spread, 4e-16 * 8);
  EXPECT_NEAR(b + r.t * off, mean - spread, 4e-16 * 8);
}

TEST(JacobiRotation, EqualDiagonalTurnsByAnEighth) {
  const auto r = jacobi_rotation(2.0, 2.0, 1e-3);
  EXPECT_DOUBLE_EQ(r.t, 1);
  EXPECT_DOUBLE_EQ(r.cs, std::sqrt(0.5));
}

TEST(JacobiRotation, TinyCouplingKeepsItsAngleWhereItsSquareOverflows) {
  // tan 2θ = 2 off/(b − a) → θ = off/(b − a); ζ² would be 1e398.
  const auto r = jacobi_rotation(0.0, 1.0, 1e-199);
  EXPECT_DOUBLE_EQ(r.t, 1e-199);
  EXPECT_DOUBLE_EQ(r.cs, 1);
  const auto f = jacobi_rotation(0.0F, 1.0F, 1e-25F);
  EXPECT_FLOAT_EQ(f.t, 1e-25F);
}

TEST(SymmetricEigen, AgreesWithAnotherSolver) {
  Mat3 S;
  S << 4, 1, -2, 1, 3, 0.5, -2, 0.5, 5;
  const auto e = symmetric_eigen(S);
  EXPECT_LT((e.vectors.transpose() * e.vectors - Mat3::Identity()).norm(), 16 * std::numeric_limits<double>::epsilon());
  EXPECT_LT((S * e.vectors - e.vectors * e.values.asDiagonal()).norm(), 1e-14);
  Vec3 sorted = e.values;
  std::sort(sorted.data(), sorted.data() + 3);
  EXPECT_LT((sorted - Eigen::SelfAdjointEigenSolver<Mat3>(S).eigenvalues()).norm(), 1e-14);
}

TEST(SymmetricEigen, GradedMatrixKeepsItsSmallEigenvalues) {
  // D A D with D = diag(1, 1e-20, 1e-40): to leading order the eigenvalues are those of the Schur complements.
  Mat3 S;
  S << 2, 1e-20, 1e-40, 1e-20, 2e-40, 1e-60, 1e-40, 1e-60, 2e-80;
  const auto e = symmetric_eigen(S);
  Vec3 sorted = e.values;
  std::sort(sorted.data(), sorted.data() + 3);
  EXPECT_NEAR(sorted(2), 2, 1e-15);
  EXPECT_NEAR(sorted(1), 1.5e-40, 1e-55);
  EXPECT_NEAR(sorted(0), 4.0 / 3 * 1e-80, 1e-95);
}

TEST(SymmetricEigen, DiagonalMatrixIsLeftAsItIs) {
  const auto e = symmetric_eigen<float>(Vec3T<float>(3, 0, -2).asDiagonal());
  EXPECT_EQ(e.values, Vec3T<float>(3, 0, -2));
  EXPECT_EQ(e.vectors, Mat3T<float>(Mat3T<float>::Identity()));
}

}  // namespace
}  // namespace ricochet
