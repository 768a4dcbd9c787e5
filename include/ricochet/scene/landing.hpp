#pragma once
/// A robot set on the floor, about to land: docs/robots.md.

#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/mechanism_impact.hpp"

namespace ricochet {

struct LandingOptions {
  double speed = 1;  ///< of the fall [m/s]
  /// Height of a floor that is added whatever the file has [m]; without it one is added where there is nothing below.
  std::optional<double> floor = {};
  bool may_add_floor = true;
  std::vector<bool> given_q, given_u;  ///< entries that the user has set: these stay; empty: none
};

/// What was done, for people.
struct Landing {
  std::vector<std::string> floating;  ///< joints that fall; empty: nothing floats, and the robot swings
  double lowered = 0;                 ///< along gravity [m]; negative: raised
  double speed = 0;                   ///< [m/s]
  std::optional<double> floor_added;  ///< its height along −gravity [m]
  bool loops_closed = false;          ///< the pose left a loop open
  bool swings = false;                ///< (LD5)
};

/// The speed of a fall from the height [m], (LD4).
[[nodiscard]] double speed_of_fall(const Machine& machine, double height);

/// Places the machine of `impact` on the floor below q, with u and the speeds of its fall. Contacts are not searched.
[[nodiscard]] Expected<Landing> land(MechanismImpact& impact, VecX q, VecX u, const LandingOptions& options);

}  // namespace ricochet
