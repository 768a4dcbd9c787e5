#pragma once
/// Motion by equal steps, all contacts of a step together: the method of Moreau and Jean with θ = ½
/// (docs/time-stepping.md). For dense piles, where single events are too many to follow.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/motion/simulation.hpp"

namespace ricochet::motion {

struct StepOptions {
  double step = 1e-3;                ///< h [s]
  std::uint64_t max_events = 0;      ///< 0: no limit
  std::uint32_t most_sweeps = 1000;  ///< over the contacts of connected bodies, in one step
};

/// How the steps so far went.
struct StepStatistics {
  std::uint64_t steps = 0;
  std::uint64_t not_converged = 0;      ///< steps whose impulses were not found to 1e-6 of the speeds, (TS9)
  double largest_residual = 0;          ///< of these: change of velocity in the last sweep [m/s]
  std::uint64_t tempered = 0;           ///< steps with δ > 0, (TS8)
  double largest_overlap = 0;           ///< at the middle of a step [m]
  std::uint64_t sweeps = 0;             ///< in all steps
  std::uint64_t contacts = 0;           ///< in all steps
  double first_not_converged_time = 0;  ///< [s]
};

class TimeStepping {
 public:
  /// Refuses what `check` refuses, bodies that overlap at the start, and laws without a coefficient of restitution.
  [[nodiscard]] static Expected<TimeStepping> start(World world, const StepOptions& options = {});
  /// From what `checkpoint` wrote of the same world with the same step.
  [[nodiscard]] static Expected<TimeStepping> resume(World world, std::string_view checkpoint,
                                                     const StepOptions& options = {});
  TimeStepping(TimeStepping&&) noexcept;
  TimeStepping& operator=(TimeStepping&&) noexcept;
  ~TimeStepping();

  /// As `Simulation::run`. Steps end at multiples of h; what is said of a time between two of them is interpolated.
  [[nodiscard]] Expected<void> run(double until, const Observer& observer = {}, double sample_interval = 0);

  [[nodiscard]] double time() const;
  [[nodiscard]] std::uint64_t events() const;  ///< so far
  [[nodiscard]] std::vector<Pose> poses() const;
  [[nodiscard]] EnergyLedger ledger() const;  ///< at the last step that ended at `time` or before
  [[nodiscard]] StepStatistics statistics() const;
  [[nodiscard]] const World& world() const;
  [[nodiscard]] std::string checkpoint() const;

 private:
  struct Engine;
  explicit TimeStepping(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace ricochet::motion
