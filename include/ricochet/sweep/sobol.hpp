#pragma once
/// Sobol's sequence with the direction numbers of Joe & Kuo 2008, each point reached directly (docs/sweep.md).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet::sweep {

class Sobol {
 public:
  /// Fails where Boost, which has the direction numbers, was absent, or with more dimensions than it has.
  [[nodiscard]] static Expected<Sobol> make(std::size_t dimensions);

  /// Point `index` in Gray order, as a binary fraction of 64 digits:
  ///   x_i = ⊕_{b: bit b of g(i) is set} v_b,  g(i) = i ⊕ ⌊i/2⌋                                          (SW2)
  [[nodiscard]] std::uint64_t bits(std::uint64_t index, std::size_t dimension) const {
    std::uint64_t x = 0;
    const auto& v = directions_[dimension];
    for (std::uint64_t gray = index ^ (index >> 1U), b = 0; gray != 0; gray >>= 1U, ++b)
      if ((gray & 1U) != 0) x ^= v[b];
    return x;
  }
  [[nodiscard]] std::size_t dimensions() const { return directions_.size(); }

  /// Points have indices below 2^53, as numbers of samples do.
  static constexpr std::size_t digits = 53;

 private:
  std::vector<std::array<std::uint64_t, digits>> directions_;
};

}  // namespace ricochet::sweep
