#pragma once
/// Remarks on inputs that are valid and yet rarely meant, each a line for people. An answer is given all the same.

#include <string>
#include <vector>

#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

/// A scene without contacts; a contact whose point is farther from the centre of a body that can move than ten times
/// the body's size, which is that of its shape or, if larger, the root mean square distance of its mass from the
/// centre.
[[nodiscard]] std::vector<std::string> hints(const Scene& scene);

/// Of a robot: joints with one position that is outside its range by more than a tenth of the range, and a contact
/// point, where the user stated it, that is farther from every shape of a body that can move than ten times the
/// largest.
[[nodiscard]] std::vector<std::string> hints(const MechanismImpact& impact, bool stated);

}  // namespace ricochet
