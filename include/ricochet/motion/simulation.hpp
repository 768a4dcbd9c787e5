#pragma once
/// Event-driven motion: each impact at its own time, by the law of its pair; sticking, sliding, rolling, lift-off and
/// bouncing that accumulates in between (docs/simulation.md).

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/motion/event.hpp"
#include "ricochet/motion/world.hpp"

namespace ricochet::motion {

struct Options {
  double tolerance = 1e-12;      ///< of integrated motion, relative
  std::uint64_t max_events = 0;  ///< 0: no limit
};

/// Position, orientation and velocities of every body.
struct Pose {
  Vec3 position;
  Quaternion orientation;
  Vec3 velocity, angular_velocity;
};

struct Observer {
  std::function<void(const Event&)> event;
  /// At every sample time, and after the events of every instant.
  std::function<void(double time, const std::vector<Pose>& poses)> sample;
};

struct History;

class Simulation {
 public:
  /// Refuses what `check` refuses, and bodies that overlap at the start.
  [[nodiscard]] static Expected<Simulation> start(World world, const Options& options = {});
  /// From what `checkpoint` wrote of the same world.
  [[nodiscard]] static Expected<Simulation> resume(World world, std::string_view checkpoint,
                                                   const Options& options = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Continues to the time `until` [s], or fails where no motion follows: the state stays that of the last event.
  /// `sample` is called for the times in (now, until] that are multiples of `sample_interval`, where that is not zero,
  /// and after the events of every instant, in the order of time.
  [[nodiscard]] Expected<void> run(double until, const Observer& observer = {}, double sample_interval = 0);

  [[nodiscard]] double time() const;
  [[nodiscard]] std::uint64_t events() const;  ///< so far
  [[nodiscard]] std::vector<Pose> poses() const;
  [[nodiscard]] EnergyLedger ledger() const;
  [[nodiscard]] const World& world() const;

  /// The state as bytes, exact, from which `resume` continues to the same bits. To be taken when `run` has returned.
  [[nodiscard]] std::string checkpoint() const;

 private:
  struct Engine;
  friend Expected<History> record_history(World world, double until, const Options& options);
  explicit Simulation(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace ricochet::motion
