#include "ricochet/body/realize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "ricochet/base/jacobi.hpp"
#include "ricochet/base/text.hpp"

namespace ricochet {
namespace {

// The small eigenvalues of M are only as good as ε·‖M‖. An accurate W at condition 1e14 needs more digits than double
// and than the 64 bits of x86's long double.
#if defined(__SIZEOF_FLOAT128__) && (__LDBL_MANT_DIG__ < 113)
__extension__ using Wide = __float128;
#else
using Wide = long double;
#endif

using Matrix = std::array<std::array<Wide, 3>, 3>;

Wide square_root(Wide x) {
  if (!(x > 0)) return 0;
  // Two Newton steps double the 64 (or 53) good digits of the start twice.
  Wide root = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 2; ++i) root = (root + x / root) / 2;
  return root;
}

struct Eigenpairs {
  std::array<Wide, 3> values;  ///< descending
  Matrix vectors;              ///< columns; a right-handed frame
};

/// Cyclic Jacobi rotations.
Eigenpairs eigenpairs(Matrix A) {
  Matrix Q{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  constexpr std::array<std::array<int, 2>, 3> pairs{{{0, 1}, {0, 2}, {1, 2}}};
  constexpr int sweeps = 40;  // converges quadratically; five are usual
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (A[0][1] == 0 && A[0][2] == 0 && A[1][2] == 0) break;
    for (const auto [p, q] : pairs) {
      if (A[p][q] == 0) continue;
      const JacobiRotation<Wide> rotation = jacobi_rotation<Wide>(A[p][p], A[q][q], A[p][q], square_root);
      A[p][p] -= rotation.t * A[p][q];
      A[q][q] += rotation.t * A[p][q];
      A[p][q] = A[q][p] = 0;
      const int r = 3 - p - q;
      rotation.apply(A[r][p], A[r][q]);
      A[p][r] = A[r][p];
      A[q][r] = A[r][q];
      for (auto& row : Q) rotation.apply(row[p], row[q]);
    }
  }
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int i, int j) { return A[i][i] > A[j][j]; });
  Eigenpairs e{};
  for (int k = 0; k < 3; ++k) {
    e.values[k] = A[order[k]][order[k]];
    for (int i = 0; i < 3; ++i) e.vectors[i][k] = Q[i][order[k]];
  }
  // Q is a rotation; sorting by an odd permutation mirrors it.
  const bool odd = (order[1] - order[0] + 3) % 3 == 2;
  if (odd) {
    for (auto& row : e.vectors) row[2] = -row[2];
  }
  return e;
}

}  // namespace

Expected<Realization> realize(const Mat3& M) {
  const auto refuse = [&](std::string why) { return fail(ErrorCode::invalid, "M", to_text(M), std::move(why)); };
  if (!M.allFinite()) return fail(ErrorCode::out_of_range, "M", to_text(M), "every entry must be finite");
  const double size = M.cwiseAbs().maxCoeff();
  if ((M - M.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size) return refuse("must be symmetric");
  if (!(size > 0)) return refuse("must be positive definite");

  // Scaled by a power of two, so that neither tiny nor huge masses overflow or underflow in intermediate results.
  const int exponent = std::ilogb(size);
  Matrix A{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      A[i][j] = (Wide(std::scalbn(M(i, j), -exponent)) + Wide(std::scalbn(M(j, i), -exponent))) / 2;
  }
  const Eigenpairs e = eigenpairs(A);
  if (!(e.values[2] > 0))
    return refuse(fmt::format("must be positive definite, but its smallest eigenvalue is {}",
                              std::scalbn(static_cast<double>(e.values[2]), exponent)));
  if (e.values[2] * Wide(1e14) < e.values[0])
    return refuse(fmt::format("must have a condition number up to 1e14, but it is {:.3g}",
                              static_cast<double>(e.values[0] / e.values[2])));

  const Wide w1 = 1 / e.values[0];
  const Wide w2 = 1 / e.values[1];
  const Wide w3 = 1 / e.values[2];
  const Wide c = w1 / 2;
  const Wide b1 = w1 - c;
  const Wide a2 = w2 - c;
  const Wide a3 = (w3 - c) * a2 / (a2 + b1);
  const Wide b3 = (w3 - c) * b1 / (a2 + b1);

  const auto back = [&](Wide mass) { return std::scalbn(static_cast<double>(mass), exponent); };
  Mat3 frame;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) frame(i, j) = static_cast<double>(e.vectors[i][j]);
  }
  const Quaternion orientation = Quaternion(frame).normalized();
  // A push along e₂ on an arm along e₁ turns the body about e₃, and so on: a₂ = 1/J₃, a₃ = 1/J₂; b₁ = 1/J₃, b₃ = 1/J₁.
  const Vec3 J_A(back(1 / std::min(a2, a3)), back(1 / a3), back(1 / a2));
  const Vec3 J_B(back(1 / b3), back(1 / std::min(b1, b3)), back(1 / b1));
  const double mass = back(2 / c);
  for (const double value : {mass, J_A.minCoeff(), J_A.maxCoeff(), J_B.minCoeff(), J_B.maxCoeff()}) {
    if (!std::isnormal(value)) return refuse("asks for masses beyond the range of double");
  }

  Realization pair;
  const Mat3 R = orientation.toRotationMatrix();
  pair.A = RigidBody{.mass = mass, .inertia = J_A.asDiagonal(), .orientation = orientation, .position = -R.col(0)};
  pair.B = RigidBody{.mass = mass, .inertia = J_B.asDiagonal(), .orientation = orientation, .position = -R.col(1)};
  return pair;
}

}  // namespace ricochet
