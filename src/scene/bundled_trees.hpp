#pragma once
/// Bundled systems as trees of links, for their motion: docs/simulation.md (MO35). Their equations of motion are then
/// those of the tree, another way than the closed forms of mechanism/systems.hpp.

#include <string_view>
#include <vector>

#include "ricochet/geometry/convex_shape.hpp"
#include "ricochet/mechanism/articulated.hpp"
#include "ricochet/scene/bundled_systems.hpp"

namespace ricochet {

struct BundledTree {
  struct Touching {
    int link = 0;
    ConvexShape shape;  ///< in the link's frame
  };
  Tree tree;
  std::vector<Touching> shapes;  ///< of its own contacts
  bool floor = true;             ///< whether these are with a floor
  Vec3 gravity = {0, 0, -9.80665};
};

[[nodiscard]] BundledTree bundled_tree(const Bundled& system, const Sizes& sizes);

/// Positions and speeds of the tree for those of the system.
[[nodiscard]] VecX bundled_tree_position(const Bundled& system, const VecX& q);
[[nodiscard]] VecX bundled_tree_speeds(const Bundled& system, const VecX& q, const VecX& u);

}  // namespace ricochet
