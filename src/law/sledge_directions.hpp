#pragma once
/// The directions along which the spring-sledge contact is followed to first order, docs/derivatives.md.

#include <Eigen/Core>
#include <array>

#include "local_derivatives.hpp"

namespace ricochet::derivatives {

/// W without W_nn, V_t, e and κ. W_nn and V_n follow from homogeneity, μ from stretching (DV25).
inline constexpr std::array<int, 9> sledge_columns{1, 2, 3, 4, 5, of_V + 1, of_V + 2, of_parameters + 2, of_parameters};
inline constexpr int sledge_directions = sledge_columns.size();
using SledgeDual = Dual<sledge_directions>;
using SledgeRow = Eigen::Matrix<double, 1, sledge_directions>;

[[nodiscard]] inline SledgeRow row_of(const SledgeDual& x) { return Eigen::Map<const SledgeRow>(x.d.data()); }
[[nodiscard]] inline SledgeDual dual_of(double value, const SledgeRow& row) {
  SledgeDual out(value);
  Eigen::Map<SledgeRow>(out.d.data()) = row;
  return out;
}

}  // namespace ricochet::derivatives
