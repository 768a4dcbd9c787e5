#pragma once
/// A compliant impact from first touch to separation, for people: forces, deflections, impulses and energies over time,
/// docs/laws/spring-sledge.md. The law itself (law/spring_sledge.hpp) keeps none of this.

#include <optional>
#include <vector>

#include "ricochet/compliant/spring_sledge.hpp"
#include "ricochet/contact/contact.hpp"

namespace ricochet::compliant {

/// Dimensionless by (L3) unless a stiffness was given; impulses, velocities and energies always in the units of the
/// contact.
struct ProcessPoint {
  double time = 0;
  int phase = 0;
  Vec3 P = Vec3::Zero();           ///< impulse so far, input coordinates [N s]
  Vec3 V = Vec3::Zero();           ///< velocity of the contact point, input coordinates [m/s]
  Vec3 P_local = Vec3::Zero();     ///< along n, against the initial slip, across
  Vec3 force = Vec3::Zero();       ///< local axes
  Vec3 deflection = Vec3::Zero();  ///< of the springs, local axes; along n: penetration
  // Energies [J]. Kinetic energy lost = stored + lost.
  double stored_normal = 0, stored_tangential = 0;
  double lost_normal = 0, lost_friction = 0;
};

struct ProcessPhase {
  bool sticks = true;
  bool loading = true;            ///< normal spring on its loading line, or not yet past its first turn
  Vec3 direction = Vec3::Zero();  ///< in which the sledge slides at the end of the phase, input coordinates
  double start = 0, length = 0;
};

struct Process {
  std::vector<ProcessPoint> points;
  std::vector<ProcessPhase> phases;
  Vec3 n = Vec3::UnitX(), t = Vec3::UnitY(), b = Vec3::UnitZ();  ///< the local axes in input coordinates
  Vec3 P = Vec3::Zero(), V = Vec3::Zero();
  double duration = 0;
  double time_unit = 1, force_unit = 1, length_unit = 1;  ///< SI where a stiffness was given, else 1
  bool dimensional = false;
  bool closed_form = false;  ///< planar and undamped: every phase solved by its modes
};

/// A process has no more points than this.
inline constexpr std::size_t most_points = 200'000;

struct ProcessOptions {
  /// Evenly spaced in the time of every phase, at least 1: its end. Where so many would exceed `most_points` it is
  /// refused; without a value it is 24, or as many as there is room for.
  std::optional<int> points_per_phase = std::nullopt;
  std::optional<double> stiffness = std::nullopt;  ///< of the normal spring on its loading line [N/m]
};

/// Fails on parameters out of range, on bodies that separate already (path V), on too many points (points_per_phase),
/// and where the contact never ends or is not solved.
[[nodiscard]] Expected<Process> process(const SpringSledge& law, const Contact& contact,
                                        const ProcessOptions& options = {});

}  // namespace ricochet::compliant
