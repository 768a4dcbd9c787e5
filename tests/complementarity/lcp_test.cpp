#include "ricochet/complementarity/lcp.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <optional>
#include <vector>

#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;

/// Every split into z = 0 and w = 0, tried in turn: all answers of a regular problem.
std::vector<VecX> enumerate(const MatX& A, const VecX& b) {
  std::vector<VecX> out;
  const Eigen::Index n = b.size();
  for (unsigned mask = 0; mask < 1U << n; ++mask) {
    std::vector<Eigen::Index> support;
    for (Eigen::Index i = 0; i < n; ++i)
      if ((mask >> i & 1U) != 0) support.push_back(i);
    VecX z = VecX::Zero(n);
    if (!support.empty()) {
      const MatX sub = A(support, support);
      const Eigen::FullPivLU<MatX> lu(sub);
      if (!lu.isInvertible()) continue;
      z(support) = lu.solve(VecX(-b(support)));
    }
    const VecX w = A * z + b;
    if (z.minCoeff() >= -1e-12 && w.minCoeff() >= -1e-12) out.push_back(z);
  }
  return out;
}

MatX random_gram(Rng& rng, Eigen::Index n, Eigen::Index rank) {
  MatX B(n, rank);
  for (double& x : B.reshaped()) x = uniform(rng, -1, 1);
  return B * B.transpose();
}

TEST(Lcp, RegularProblems_AgreeWithEveryActiveSetTried) {
  Rng rng(11);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto n = static_cast<Eigen::Index>(1 + rng() % 6);
    const MatX A = random_gram(rng, n, n + 1);
    VecX b(n);
    for (double& x : b) x = uniform(rng, -1, 1);
    const auto all = enumerate(A, b);
    ASSERT_FALSE(all.empty());
    const auto found = solve_lcp(A, b);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_LT((found->z - all[0]).norm(), 1e-9 * (1 + all[0].norm())) << trial;
    const auto least = solve_least_lcp(A, b);
    ASSERT_TRUE(least);
    EXPECT_LT((least->answer.z - all[0]).norm(), 1e-9 * (1 + all[0].norm())) << trial;
  }
}

TEST(Lcp, LargerProblems_AreComplementary) {
  Rng rng(12);
  for (const Eigen::Index n : {20, 60, 150}) {
    const MatX A = random_gram(rng, n, n + 5);
    VecX b(n);
    for (double& x : b) x = uniform(rng, -1, 0.5);
    const auto found = solve_lcp(A, b);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_GE(found->z.minCoeff(), -1e-10);
    EXPECT_GE(found->w.minCoeff(), -1e-9);
    EXPECT_LT(std::abs(found->z.dot(found->w)), 1e-8);
  }
}

/// A box on its four corners: only the sum counts, and two moments.
TEST(Lcp, SingularProblems_TheLeastAnswerIsLeast) {
  Rng rng(13);
  int several = 0;
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto n = static_cast<Eigen::Index>(3 + rng() % 5);
    const auto rank = static_cast<Eigen::Index>(2);
    MatX B(n, rank);
    for (double& x : B.reshaped()) x = uniform(rng, -1, 1);
    const MatX A = B * B.transpose();
    VecX u(rank);
    for (double& x : u) x = uniform(rng, -1, 1);
    const VecX b = B * u;  // in the range, as velocities of bodies are
    const auto found = solve_least_lcp(A, b);
    ASSERT_TRUE(found) << found.error().message();
    if (found->unique) continue;
    ++several;
    EXPECT_TRUE(found->least) << trial;
    const VecX& z = found->answer.z;
    const VecX& w = found->answer.w;
    EXPECT_GE(z.minCoeff(), 0);
    EXPECT_GE(w.minCoeff(), -1e-9);
    EXPECT_LT(std::abs(z.dot(w)), 1e-9);
    // Least: a projected-gradient walk through the other answers, z ≥ 0 with Bᵀz fixed and z·w = 0, finds none
    // smaller. Dykstra's projection of the origin on the two sets.
    VecX x = VecX::Zero(n);
    VecX p = VecX::Zero(n);
    VecX q = VecX::Zero(n);
    const VecX target = B.transpose() * z;
    const MatX BtB_inverse = (B.transpose() * B).inverse();
    for (int k = 0; k < 20000; ++k) {
      const VecX y = (x + p).eval() - B * (BtB_inverse * (B.transpose() * (x + p) - target));
      p = x + p - y;
      const VecX next = (y + q).cwiseMax(0);
      q = y + q - next;
      x = next;
    }
    // Dykstra's walk is slow where the sets meet at a sharp angle; only a walk that arrived says something.
    if ((B.transpose() * x - target).norm() > 1e-7) continue;
    ++compared;
    EXPECT_NEAR(z.squaredNorm(), x.squaredNorm(), 1e-5 * (1 + x.squaredNorm())) << trial;
  }
  EXPECT_GT(several, 50);
  EXPECT_GT(compared, several / 2);
}

TEST(Lcp, NoAnswer_IsAnErrorNotANumber) {
  const MatX A = MatX::Zero(1, 1);
  const auto found = solve_lcp(A, VecX::Constant(1, -1));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().path, "solver");
}

}  // namespace
}  // namespace ricochet
