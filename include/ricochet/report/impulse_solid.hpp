#pragma once
/// Impulse space in parallel projection (CR98 Fig. 2): the outline of the energy ellipsoid, the friction cone, the
/// plane of maximum compression, and the impulses that laws reach.

#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {

struct View {
  double turn = 28;  ///< about the normal [degrees]; 0 looks along the slip's side axis at the plane of the section
  double tilt = 18;  ///< above the tangent plane [degrees]
};

struct ImpulseSolidOptions {
  View view = {};
  std::vector<Reach> reaches = {};
  std::vector<std::pair<std::string, Vec3>> answers = {};  ///< name and P
};

/// Fails where the ellipsoid is unbounded (a contact with an immovable direction), where the friction coefficient is
/// infinite, and where the energy overflows.
[[nodiscard]] Expected<Plot> impulse_solid(const ImpulseSpace& space, const ImpulseSolidOptions& options = {});

}  // namespace ricochet
