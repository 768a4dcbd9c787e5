#pragma once
/// W = J 𝓜⁻¹ Jᵀ of all contacts in 3 × 3 blocks, docs/simultaneous.md (Q1).

#include <cstdint>
#include <vector>

#include "ricochet/simultaneous/problem.hpp"

namespace ricochet {

/// W in blocks: block b of row i, start[i] ≤ b < start[i + 1], couples contact i to contact column[b]; columns ascend.
struct BlockMatrix {
  std::vector<std::size_t> start;
  std::vector<std::uint32_t> column;
  std::vector<Mat3> block;

  /// W G.
  [[nodiscard]] std::vector<Vec3> times(const std::vector<Vec3>& G) const;
};
[[nodiscard]] BlockMatrix mobility(const Problem& problem);

}  // namespace ricochet
