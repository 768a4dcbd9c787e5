#pragma once
/// What a simulation went through, one instant after the other: enough to follow the same motion again in other numbers
/// (docs/derivatives.md (DV13)).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "motion/body_shapes.hpp"
#include "motion/contact_forces.hpp"
#include "motion/feature.hpp"
#include "ricochet/motion/event.hpp"

namespace ricochet::motion {

/// A contact that lasts after an instant.
struct RecordedContact {
  Feature feature;
  ContactMode mode = ContactMode::stick;
  Vec3 s = Vec3::Zero();  ///< direction of slip, world
  bool begins = false;    ///< its slip is still zero
};

/// A contact that was struck.
struct RecordedImpact {
  Feature feature;
  bool has_feature = true;  ///< otherwise only point and normal are known
};

/// A mechanism, by its number in the world.
struct RecordedMechanism {
  std::uint32_t mechanism = 0;
  VecX q, u;
};

/// Why the instant was resolved: a gap closed, or a limit of a lasting contact was reached.
enum class InstantCause : std::uint8_t { start, gap, opens, slip_ends, other };

struct RecordedInstant {
  double time = 0;
  InstantCause cause = InstantCause::gap;
  Feature feature;                                 ///< of the contact whose limit was reached
  std::vector<std::uint32_t> members;              ///< bodies that took part, fixed ones apart
  std::vector<Pose> after;                         ///< of these
  std::vector<RecordedMechanism> mechanisms = {};  ///< to which members belong, after it
  std::vector<RecordedImpact> struck;              ///< contacts with an impulse
  std::vector<RecordedContact> lasting;            ///< all contacts of the members that last from here
  std::vector<Event> events;                       ///< as they were reported
  std::string kink;                                ///< why nothing here has a derivative; empty where that is not known
};

struct History {
  std::vector<RecordedInstant> instants;
  std::vector<std::shared_ptr<const BodyShapes>> shapes;  ///< of each body
  std::vector<Pose> end;                                  ///< of all bodies
  std::vector<RecordedMechanism> end_mechanisms;          ///< all
};

/// Runs the world to `until`.
[[nodiscard]] Expected<History> record_history(World world, double until, const Options& options);

}  // namespace ricochet::motion
