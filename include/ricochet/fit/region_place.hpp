#pragma once
/// Where in the permissible region an impulse lies, in coordinates that are the same for every contact
/// (docs/fitting.md, FT9).

#include <vector>

#include "ricochet/fit/measured_impact.hpp"

namespace ricochet {

/// The permissible region for friction mu is −1 ≤ friction ≤ 1, 0 ≤ rebound ≤ 1 where the contact is planar.
struct RegionPlace {
  double friction = 0;  ///< −t·P/(mu n·P), t along the slip: 1 opposes the slip with all of mu
  double rebound = 0;   ///< along the ray of P: 0 where the bodies just do not approach, 1 where no energy is lost
};

/// Of the measured impulse.
[[nodiscard]] RegionPlace region_place(const ReducedImpact& row, double mu);

/// How many places fall into each of equal cells of that region.
struct RegionDensity {
  static constexpr int across = 10, up = 10;
  std::vector<std::size_t> count = std::vector<std::size_t>(std::size_t{across} * up, 0);  ///< rows of friction
  std::size_t outside = 0;

  void add(const RegionPlace& place);
  [[nodiscard]] std::size_t at(int i, int j) const { return count[cell(i, j)]; }
  [[nodiscard]] static std::size_t cell(int i, int j) {
    return static_cast<std::size_t>(j) * across + static_cast<std::size_t>(i);
  }
};

}  // namespace ricochet
