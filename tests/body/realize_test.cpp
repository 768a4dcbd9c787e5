#include "ricochet/body/realize.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <limits>

#include "random_contact.hpp"

namespace ricochet {
namespace {

using namespace testing;
using boost::multiprecision::cpp_bin_float_50;

/// CR98b Eq. 0.3 as printed, in 50 digits, from the doubles of the two bodies: at a condition number of 1e14 neither
/// double nor long double could distinguish a wrong pair from the rounding of the check itself.
struct Wide {
  using Number = cpp_bin_float_50;
  using Matrix = std::array<std::array<Number, 3>, 3>;

  static Matrix product(const Matrix& A, const Matrix& B) {
    Matrix C{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) C[i][j] += A[i][k] * B[k][j];
    return C;
  }

  static Matrix transpose(const Matrix& A) {
    Matrix C{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) C[i][j] = A[j][i];
    return C;
  }

  static Matrix inverse(const Matrix& A) {
    Matrix C{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
        C[i][j] = A[a][c] * A[b][d] - A[a][d] * A[b][c];
      }
    }
    const Number determinant = A[0][0] * C[0][0] + A[0][1] * C[1][0] + A[0][2] * C[2][0];
    for (auto& row : C)
      for (auto& x : row) x /= determinant;
    return C;
  }

  static Matrix of(const Mat3& A) {
    Matrix C{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) C[i][j] = A(i, j);
    return C;
  }

  static Matrix mobility(const RigidBody& body, const Vec3& point) {
    Number w = body.orientation.w(), x = body.orientation.x(), y = body.orientation.y(), z = body.orientation.z();
    const Number length = sqrt(Number(w * w + x * x + y * y + z * z));
    w /= length, x /= length, y /= length, z /= length;
    const Matrix R{{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                    {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                    {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
    const Matrix J = product(product(R, of(body.inertia)), transpose(R));
    std::array<Number, 3> r;
    for (int i = 0; i < 3; ++i) r[i] = Number(point(i)) - Number(body.position(i));
    const Matrix S{{{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}}};
    Matrix W = product(product(transpose(S), inverse(J)), S);
    for (int i = 0; i < 3; ++i) W[i][i] += Number(1) / Number(body.mass);
    return W;
  }

  static double relative_difference(const Matrix& A, const Matrix& B) {
    Number difference = 0;
    Number size = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        difference += (A[i][j] - B[i][j]) * (A[i][j] - B[i][j]);
        size += B[i][j] * B[i][j];
      }
    }
    return static_cast<double>(Number(sqrt(Number(difference / size))));
  }
};

bool can_exist(const RigidBody& body) {
  const Vec3 J = body.inertia.diagonal();
  return !body.fixed && body.mass > 0 && std::isfinite(body.mass) && J.allFinite() && J.minCoeff() > 0 &&
         body.inertia.isDiagonal(0) && J(0) <= J(1) + J(2) && J(1) <= J(2) + J(0) && J(2) <= J(0) + J(1) &&
         check(body).has_value();
}

struct Worst {
  double M = 0;
  double W = 0;
};

/// Adds to `worst`; fails the test on invalid bodies.
void realize_and_compare(const Mat3& M, Worst& worst) {
  const auto pair = realize(M);
  ASSERT_TRUE(pair) << pair.error().message();
  ASSERT_TRUE(can_exist(pair->A)) << pair->A.inertia;
  ASSERT_TRUE(can_exist(pair->B)) << pair->B.inertia;
  ASSERT_NEAR((pair->point - pair->A.position).norm(), 1, 1e-15);
  ASSERT_NEAR((pair->point - pair->B.position).norm(), 1, 1e-15);
  Wide::Matrix W = Wide::mobility(pair->A, pair->point);
  const Wide::Matrix W_B = Wide::mobility(pair->B, pair->point);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) W[i][j] += W_B[i][j];
  const Wide::Matrix given = Wide::of(M);
  worst.M = std::max(worst.M, Wide::relative_difference(Wide::inverse(W), given));
  worst.W = std::max(worst.W, Wide::relative_difference(W, Wide::inverse(given)));
}

Mat3 spd(const Mat3& Q, const Vec3& lambda) {
  const Mat3 A = Q * lambda.asDiagonal() * Q.transpose();
  return 0.5 * (A + A.transpose());
}

TEST(Realize, PairHasTheMassMatrixAskedFor_UpToCondition1e10) {
  Rng rng(1);
  Worst worst;
  for (int i = 0; i < 3000; ++i) {
    const double spread = uniform(rng, 0, 10);
    Vec3 lambda(1, std::pow(10.0, spread), std::pow(10.0, uniform(rng, 0, spread)));
    realize_and_compare(spd(random_rotation(rng), log_uniform(rng, -3, 3) * lambda), worst);
    if (HasFatalFailure()) return;
  }
  EXPECT_LE(worst.M, 1e-14);
  EXPECT_LE(worst.W, 1e-14);
}

TEST(Realize, EqualEigenvaluesAreNoSpecialCase) {
  Rng rng(2);
  Worst worst;
  for (int i = 0; i < 500; ++i) {
    const Mat3 Q = chance(rng, 0.3) ? Mat3(Mat3::Identity()) : random_rotation(rng);
    const double ratio = chance(rng, 0.3) ? 1 : log_uniform(rng, -10, 10);
    const double nearly = chance(rng, 0.5) ? 1 : 1 + uniform(rng, 0, 1e-14);
    for (const Vec3& lambda : {Vec3(1, nearly, ratio), Vec3(ratio, 1, nearly), Vec3(nearly, ratio, 1)})
      realize_and_compare(spd(Q, lambda), worst);
    if (HasFatalFailure()) return;
  }
  EXPECT_LE(worst.M, 1e-14);
  EXPECT_LE(worst.W, 1e-14);
}

TEST(Realize, DustAndMoonsAlike) {
  Rng rng(3);
  Worst worst;
  for (const double scale : {1e-280, 1e-100, 1e-30, 1e30, 1e100, 1e280}) {
    for (int i = 0; i < 50; ++i) realize_and_compare(scale * random_mass(rng, 8), worst);
    if (HasFatalFailure()) return;
  }
  EXPECT_LE(worst.M, 1e-14);
  EXPECT_LE(worst.W, 1e-14);
}

TEST(Realize, BodiesGiveBackAModerateMassMatrixInOrdinaryArithmetic) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Rng rng(seed);
    const Mat3 M = random_mass(rng, 3);
    const Realization pair = realize(M).value();
    const Mat3 W = mobility(pair.A, pair.point).value() + mobility(pair.B, pair.point).value();
    RC_ASSERT((M * W - Mat3::Identity()).norm() <= 1e-11);
  }));
}

TEST(Realize, RefusesWhatIsNoMassMatrix) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Mat3 M = Mat3::Identity();
  const auto refused_for = [&](const char* word) {
    const auto pair = realize(M);
    return !pair && pair.error().path == "M" && pair.error().message().find(word) != std::string::npos;
  };
  M(1, 2) = nan;
  EXPECT_TRUE(refused_for("finite"));
  M = Mat3::Identity();
  M(0, 1) = 0.5;
  EXPECT_TRUE(refused_for("symmetric"));
  M(1, 0) = 0.5;
  EXPECT_TRUE(realize(M));
  M = Mat3::Zero();
  EXPECT_TRUE(refused_for("positive definite"));
  M = Vec3(1, 1, -1e-3).asDiagonal();
  EXPECT_TRUE(refused_for("positive definite"));
  M = Vec3(1, 1, 0).asDiagonal();
  EXPECT_TRUE(refused_for("positive definite"));
  M = Vec3(1, 1, 1e-15).asDiagonal();
  EXPECT_TRUE(refused_for("condition number"));
  M = 1e308 * Mat3::Identity();
  EXPECT_TRUE(refused_for("range of double"));
}

}  // namespace
}  // namespace ricochet
