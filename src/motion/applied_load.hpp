#pragma once
/// Applied force and torque at a time.

#include <algorithm>

#include "ricochet/motion/world.hpp"

namespace ricochet::motion {

struct AppliedLoad {
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
};

/// Linear between the times of the table, constant outside.
[[nodiscard]] inline AppliedLoad load_at(const AppliedForce& applied, double t) {
  if (applied.times.empty()) return {applied.forces[0], applied.torques[0]};
  const auto after = std::upper_bound(applied.times.begin(), applied.times.end(), t);
  const auto k = static_cast<std::size_t>(after - applied.times.begin());
  if (k == 0) return {applied.forces.front(), applied.torques.front()};
  if (k == applied.times.size()) return {applied.forces.back(), applied.torques.back()};
  const double share = (t - applied.times[k - 1]) / (applied.times[k] - applied.times[k - 1]);
  return {(1 - share) * applied.forces[k - 1] + share * applied.forces[k],
          (1 - share) * applied.torques[k - 1] + share * applied.torques[k]};
}

}  // namespace ricochet::motion
