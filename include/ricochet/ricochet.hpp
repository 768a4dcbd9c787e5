#pragma once
/// Everything: bodies, contacts, impulse space, compliant contact, laws, mechanisms.

#include "ricochet/body/realize.hpp"
#include "ricochet/body/rigid_body.hpp"
#include "ricochet/compliant/disc_on_disc.hpp"
#include "ricochet/compliant/disc_on_plane.hpp"
#include "ricochet/compliant/rolling.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/contact/probe.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/lagrangian.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/mechanism/response.hpp"
#include "ricochet/mechanism/systems.hpp"
#include "ricochet/space/centroid.hpp"
#include "ricochet/space/impulse_space.hpp"
#include "ricochet/space/section.hpp"
