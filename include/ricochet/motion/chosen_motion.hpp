#pragma once
/// A motion by the method that was asked for. All of them have the same interface.

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "ricochet/motion/compliant_motion.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/motion/time_stepping.hpp"

namespace ricochet::motion {

struct MotionMethod {
  std::string name;  ///< "events", "time-stepping" or "compliant"
  std::uint64_t max_events = 0;
  double step = 0;       ///< of time stepping [s]
  double stiffness = 0;  ///< of compliant contacts [N/m]
};

class ChosenMotion {
 public:
  /// From the start, or from a checkpoint.
  [[nodiscard]] static Expected<ChosenMotion> make(World world, const std::string* checkpoint,
                                                   const MotionMethod& method) {
    if (method.name == "time-stepping")
      return open<TimeStepping>(std::move(world), checkpoint,
                                StepOptions{.step = method.step, .max_events = method.max_events});
    if (method.name == "compliant")
      return open<CompliantMotion>(std::move(world), checkpoint,
                                   CompliantOptions{.stiffness = method.stiffness, .max_events = method.max_events});
    return open<Simulation>(std::move(world), checkpoint, Options{.max_events = method.max_events});
  }

  [[nodiscard]] Expected<void> run(double until, const Observer& observer, double sample_interval) {
    return std::visit([&](auto& m) { return m.run(until, observer, sample_interval); }, motion_);
  }
  [[nodiscard]] double time() const {
    return std::visit([](const auto& m) { return m.time(); }, motion_);
  }
  [[nodiscard]] std::uint64_t events() const {
    return std::visit([](const auto& m) { return m.events(); }, motion_);
  }
  [[nodiscard]] std::vector<Pose> poses() const {
    return std::visit([](const auto& m) { return m.poses(); }, motion_);
  }
  [[nodiscard]] EnergyLedger ledger() const {
    return std::visit([](const auto& m) { return m.ledger(); }, motion_);
  }
  [[nodiscard]] const World& world() const {
    return std::visit([](const auto& m) -> const World& { return m.world(); }, motion_);
  }
  [[nodiscard]] std::string checkpoint() const {
    return std::visit([](const auto& m) { return m.checkpoint(); }, motion_);
  }
  /// Of time stepping.
  [[nodiscard]] std::optional<StepStatistics> statistics() const {
    if (const auto* stepping = std::get_if<TimeStepping>(&motion_)) return stepping->statistics();
    return std::nullopt;
  }

 private:
  using Any = std::variant<Simulation, TimeStepping, CompliantMotion>;
  explicit ChosenMotion(Any motion) : motion_(std::move(motion)) {}

  template <class Motion, class Options>
  [[nodiscard]] static Expected<ChosenMotion> open(World world, const std::string* checkpoint, const Options& options) {
    auto made = checkpoint != nullptr ? Motion::resume(std::move(world), *checkpoint, options)
                                      : Motion::start(std::move(world), options);
    if (!made) return tl::unexpected(made.error());
    return ChosenMotion(Any(*std::move(made)));
  }

  Any motion_;
};

}  // namespace ricochet::motion
