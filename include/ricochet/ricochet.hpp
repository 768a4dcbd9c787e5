#pragma once
/// Everything: bodies, contacts, impulse space, laws, mechanisms, many contacts at once.

#include "ricochet/body/realize.hpp"
#include "ricochet/body/rigid_body.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/contact/probe.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/lagrangian.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/mechanism/response.hpp"
#include "ricochet/mechanism/systems.hpp"
#include "ricochet/simultaneous/ensemble.hpp"
#include "ricochet/simultaneous/problem.hpp"
#include "ricochet/simultaneous/sequence.hpp"
#include "ricochet/space/centroid.hpp"
#include "ricochet/space/impulse_space.hpp"
#include "ricochet/space/section.hpp"
