#pragma once
/// A motion by the method that was asked for. All of them have the same interface.

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "ricochet/motion/compliant_motion.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/motion/time_stepping.hpp"

namespace ricochet::app {

struct MotionMethod {
  std::string name;  ///< "events", "time-stepping" or "compliant"
  std::uint64_t max_events = 0;
  double step = 0;       ///< of time stepping [s]
  double stiffness = 0;  ///< of compliant contacts [N/m]
};

class ChosenMotion {
 public:
  /// From the start, or from a checkpoint.
  [[nodiscard]] static Expected<ChosenMotion> make(motion::World world, const std::string* checkpoint,
                                                   const MotionMethod& method) {
    if (method.name == "time-stepping")
      return open<motion::TimeStepping>(std::move(world), checkpoint,
                                        motion::StepOptions{.step = method.step, .max_events = method.max_events});
    if (method.name == "compliant")
      return open<motion::CompliantMotion>(
          std::move(world), checkpoint,
          motion::CompliantOptions{.stiffness = method.stiffness, .max_events = method.max_events});
    return open<motion::Simulation>(std::move(world), checkpoint, motion::Options{.max_events = method.max_events});
  }

  [[nodiscard]] Expected<void> run(double until, const motion::Observer& observer, double sample_interval) {
    return std::visit([&](auto& m) { return m.run(until, observer, sample_interval); }, motion_);
  }
  [[nodiscard]] double time() const {
    return std::visit([](const auto& m) { return m.time(); }, motion_);
  }
  [[nodiscard]] std::uint64_t events() const {
    return std::visit([](const auto& m) { return m.events(); }, motion_);
  }
  [[nodiscard]] std::vector<motion::Pose> poses() const {
    return std::visit([](const auto& m) { return m.poses(); }, motion_);
  }
  [[nodiscard]] motion::EnergyLedger ledger() const {
    return std::visit([](const auto& m) { return m.ledger(); }, motion_);
  }
  [[nodiscard]] const motion::World& world() const {
    return std::visit([](const auto& m) -> const motion::World& { return m.world(); }, motion_);
  }
  [[nodiscard]] std::string checkpoint() const {
    return std::visit([](const auto& m) { return m.checkpoint(); }, motion_);
  }
  /// Of time stepping.
  [[nodiscard]] std::optional<motion::StepStatistics> statistics() const {
    if (const auto* stepping = std::get_if<motion::TimeStepping>(&motion_)) return stepping->statistics();
    return std::nullopt;
  }

 private:
  using Any = std::variant<motion::Simulation, motion::TimeStepping, motion::CompliantMotion>;
  explicit ChosenMotion(Any motion) : motion_(std::move(motion)) {}

  template <class Motion, class Options>
  [[nodiscard]] static Expected<ChosenMotion> open(motion::World world, const std::string* checkpoint,
                                                   const Options& options) {
    auto made = checkpoint != nullptr ? Motion::resume(std::move(world), *checkpoint, options)
                                      : Motion::start(std::move(world), options);
    if (!made) return tl::unexpected(made.error());
    return ChosenMotion(Any(*std::move(made)));
  }

  Any motion_;
};

}  // namespace ricochet::app
