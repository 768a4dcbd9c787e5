#pragma once
/// Duration and resolution of the motion of discs.

#include "ricochet/base/error.hpp"

namespace ricochet::compliant {

struct DiscRun {
  double gravity = 0;            ///< g_0, along −z [m/s²]
  double duration = 0;           ///< [s]; 0: until the first contact has ended
  double tolerance = 1e-13;      ///< of one step, relative
  double sample_interval = 0;    ///< [s]; 0: 1/64 of half a period of the mass on its spring, or 1/4096 of the duration
  long most_steps = 20'000'000;  ///< of integration: a run that needs more ends there, and says so
};

/// Maximum number of samples of a flight.
constexpr int flight_samples = 64;

/// Of √(m/c): finer than the samples, and short enough for changes of phase to be seen.
constexpr double longest_step = 0.02;

/// As given, or the default for a contact whose mass and spring have the time scale √(m/c).
[[nodiscard]] double sample_interval(const DiscRun& run, double time_scale);

[[nodiscard]] Expected<void> check(const DiscRun& run);

}  // namespace ricochet::compliant
