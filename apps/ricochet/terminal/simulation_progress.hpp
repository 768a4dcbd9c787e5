#pragma once
/// Progress of a simulation on stderr, if it is a terminal.

#include <chrono>
#include <cstdint>

namespace ricochet::app {

class SimulationProgress {
 public:
  /// Simulated time from `begin` to `until` [s].
  SimulationProgress(double begin, double until);
  ~SimulationProgress();
  SimulationProgress(const SimulationProgress&) = delete;
  SimulationProgress& operator=(const SimulationProgress&) = delete;

  /// Cheap: looks at the clock every 64 calls and draws at most ten times a second.
  void update(double time, std::uint64_t events) {
    if (shown_ && (++calls_ & 63U) == 0) draw(time, events);
  }
  /// Takes the bar away so that a message can be printed.
  void clear();

 private:
  void draw(double time, std::uint64_t events);

  using Clock = std::chrono::steady_clock;
  bool shown_, drawn_ = false;
  double begin_, until_;
  std::uint64_t calls_ = 0;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace ricochet::app
