#pragma once
/// Every law but the composite one, which is made of two of them.

#include <variant>

#include "ricochet/law/anitescu_potra.hpp"
#include "ricochet/law/bilinear.hpp"
#include "ricochet/law/brach.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/graded_region.hpp"
#include "ricochet/law/graded_sledge.hpp"
#include "ricochet/law/permissible_point.hpp"
#include "ricochet/law/pfeiffer_glocker.hpp"
#include "ricochet/law/projected.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/law/smith.hpp"
#include "ricochet/law/spring_sledge.hpp"
#include "ricochet/law/whittaker.hpp"

namespace ricochet {

/// The order of the alternatives is the order of the table of laws.
using BaseLaw = std::variant<Frictionless, ChatterjeeRuina, Bilinear, Routh, Whittaker, Smith, Brach, PfeifferGlocker,
                             AnitescuPotra, PermissiblePoint, Projected, SpringSledge, GradedSledge, GradedRegion>;

}  // namespace ricochet
