#include "ricochet/contact/check_kernel.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "random_contact.hpp"
#include "ricochet/base/constants.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/contact/localize_kernel.hpp"

namespace ricochet::testing {
namespace {

Mat3 with_eigenvalues(Rng& rng, const Vec3& lambda) {
  const Mat3 Q = random_rotation(rng);
  const Mat3 A = Q * lambda.asDiagonal() * Q.transpose();
  return 0.5 * (A + A.transpose());
}

TEST(CheckKernel, NearTheLimitOfConditioning_VerdictIsThatOfTheEigenvalues) {
  Rng rng(1);
  int accepted = 0, refused = 0, indefinite = 0;
  for (int i = 0; i < 4000; ++i) {
    const double scale = log_uniform(rng, -3, 3);
    const double least = log_uniform(rng, -16, -11) * (chance(rng, 0.2) ? -1 : 1);
    const Mat3 A = with_eigenvalues(rng, scale * Vec3(1, log_uniform(rng, -8, 0), least));
    const Vec3 lambda = Eigen::SelfAdjointEigenSolver<Mat3>(A, Eigen::EigenvaluesOnly).eigenvalues();
    const bool regular = lambda(0) > 0 && lambda(0) >= singular_floor * lambda(2);
    const auto from_mass = contact_from_mass(A, Vec3(-1, 0, 0), Vec3(1, 0, 0));
    EXPECT_EQ(from_mass.has_value(), regular) << lambda.transpose();
    const auto from_mobility = contact_from_mobility(A, Vec3::Zero(), Vec3(1, 0, 0));
    const double floor = singular_floor * lambda(2);
    EXPECT_EQ(from_mobility.has_value(), lambda(0) >= -floor) << lambda.transpose();
    if (from_mobility) {
      EXPECT_EQ(from_mobility->immovable, !(lambda(0) > floor)) << lambda.transpose();
    }
    ++(regular ? accepted : lambda(0) > 0 ? refused : indefinite);
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
  EXPECT_GT(indefinite, 300);
}

TEST(CheckKernel, ClearIsNeverClaimedForWhatTheEigenvaluesRefuse) {
  Rng rng(2);
  int clear = 0;
  for (int i = 0; i < 4000; ++i) {
    const Vec3 lambda(log_uniform(rng, -9, 0), log_uniform(rng, -9, 0), log_uniform(rng, -9, 0));
    const Mat3 A = with_eigenvalues(rng, lambda);
    Mat3 X;
    const bool claimed = invert_if_clear(A, X);
    const double cond = lambda.maxCoeff() / lambda.minCoeff();
    if (cond < 1e12) {
      EXPECT_TRUE(claimed);
    }
    if (!claimed) continue;
    ++clear;
    EXPECT_LE((A * X - Mat3::Identity()).norm(), 1e-15 * cond + 1e-14);
  }
  EXPECT_GT(clear, 3000);
}

/// A = L Lᵀ of a lower triangular L of integers with ones on its diagonal has an inverse of integers, which doubles
/// hold exactly.
TEST(CheckKernel, InverseIsThatOfIntegersToAFewUnitsOfItsNorm) {
  Rng rng(3);
  double worst = 0, worst_wide = 0, worst_cond = 0;
  for (int i = 0; i < 20000; ++i) {
    const double size = log_uniform(rng, 0, 2.5);
    const auto integer = [&] { return std::round(uniform(rng, -size, size)); };
    const double a = integer(), b = integer(), c = integer();
    Mat3 L, inverse_L;
    L << 1, 0, 0, a, 1, 0, b, c, 1;
    inverse_L << 1, 0, 0, -a, 1, 0, a * c - b, -c, 1;
    const Mat3 A = L * L.transpose(), exact = inverse_L.transpose() * inverse_L;
    Mat3 X;
    if (!invert_if_clear(A, X)) continue;
    worst = std::max(worst, (X - exact).norm() / exact.norm());
    worst_cond = std::max(worst_cond, A.norm() * exact.norm());
    Mat3T<long double> wide;
    (void)inverse_spd_twofold<ProductByHalves>(Mat3T<long double>(A.cast<long double>()), wide);
    worst_wide = std::max(worst_wide, static_cast<double>((wide - exact.cast<long double>()).norm()) / exact.norm());
  }
  EXPECT_GT(worst_cond, 1e12);
  EXPECT_LE(worst, 4 * std::numeric_limits<double>::epsilon());
  EXPECT_LE(worst_wide, static_cast<double>(4 * std::numeric_limits<long double>::epsilon()));
}

TEST(CheckKernel, Faults_InTheOrderInWhichTheyAreReported) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Vec3 V(-1, 0, 0);
  const auto fault = [](Mat3 A, const Vec3& v, Vec3 n) { return check_contact(A, v, n); };
  const Mat3 I = Mat3::Identity();
  Mat3 bad = I;
  bad(1, 2) = nan;
  EXPECT_EQ(fault(bad, V, Vec3(0, 0, 0)), ContactFault::matrix_not_finite);
  EXPECT_EQ(fault(I, Vec3(inf, 0, 0), Vec3(nan, 0, 0)), ContactFault::velocity_not_finite);
  EXPECT_EQ(fault(I, V, Vec3(nan, 0, 0)), ContactFault::normal_not_finite);
  EXPECT_EQ(fault(I, V, Vec3(0, 0, 0)), ContactFault::normal_zero);
  bad = I;
  bad(0, 1) = 1e-11;
  EXPECT_EQ(fault(bad, V, Vec3(1, 0, 0)), ContactFault::not_symmetric);
  bad(0, 1) = 1e-13;
  EXPECT_EQ(fault(bad, V, Vec3(1, 0, 0)), ContactFault::none);
  // Finite numbers whose sum is not.
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(fault(I, Vec3(-huge, huge, huge), Vec3(1, 0, 0)), ContactFault::none);
}

TEST(CheckKernel, Normal_OfAnySizeBecomesAUnitVector) {
  for (const double size : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    Mat3 A = Mat3::Identity();
    Vec3 n = Vec3(3, -4, 12) * size;
    ASSERT_EQ(check_contact(A, Vec3(1, 2, 3), n), ContactFault::none);
    EXPECT_LE((n - Vec3(3, -4, 12) / 13).norm(), 1e-15);
  }
}

TEST(LocalizeKernel, EveryScalar_SameContact) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Contact c = random_contact(rng, 2);
    const Local<double> d = localize_contact<double>(c);
    const Local<float> f = localize_contact<float>(c);
    const Local<long double> l = localize_contact<long double>(c);
    EXPECT_LE((l.W.cast<double>() - d.W).norm(), 1e-12 * d.W.norm());
    EXPECT_LE((l.V.cast<double>() - d.V).norm(), 1e-14 * d.V.norm());
    // Where the slip is small its direction, and axes 2 and 3 with it, is known to less.
    if (std::abs(d.V(1)) < 0.01 * c.V.norm()) continue;
    EXPECT_LE((f.W.cast<double>() - d.W).norm(), 1e-4 * d.W.norm());
    EXPECT_LE((f.V.cast<double>() - d.V).norm(), 1e-5 * d.V.norm());
  }
}

}  // namespace
}  // namespace ricochet::testing
