#pragma once
/// Linear complementarity by Lemke's algorithm of Siconos: z ≥ 0, w = A z + b ≥ 0, z·w = 0.
/// docs/complementarity.md.

#include <string_view>

#include "ricochet/base/error.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

struct LcpAnswer {
  VecX z;
  VecX w;
  double residual = 0;      ///< largest |min(z, w)| in units in which A has diagonal 1 and the largest |b| is 1
  std::string_view solver;  ///< that found it
};

/// The residual is computed here, from A and b; above `tolerance` is an error, whatever status the solver
/// reports.
[[nodiscard]] Expected<LcpAnswer> solve_lcp(const MatX& A, const VecX& b, double tolerance = 1e-10);

/// A symmetric positive semidefinite. Of all answers the one with the least Σ z²: the limit of A + εI as ε → 0.
struct LeastLcpAnswer {
  LcpAnswer answer;
  bool unique = true;  ///< A is regular on the support
  bool least = true;   ///< false: the limit could not be confirmed, and a vertex was taken
};
[[nodiscard]] Expected<LeastLcpAnswer> solve_least_lcp(const MatX& A, const VecX& b, double tolerance = 1e-10);

}  // namespace ricochet
