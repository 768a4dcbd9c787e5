#pragma once
/// A simulated motion as JSON, docs/command-line.md.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ricochet/io/json.hpp"
#include "ricochet/motion/event.hpp"
#include "ricochet/scene/motion_scene.hpp"

namespace ricochet {

/// What happened in a motion, in short.
struct MotionSummary {
  static constexpr std::size_t shown = 4;  ///< first and last events
  std::array<std::uint64_t, 6> counts{};   ///< of events, by kind
  std::vector<motion::Event> first, last;  ///< in order, disjoint
  double time = 0;                         ///< reached [s]
  motion::EnergyLedger ledger;             ///< at that time
  std::optional<Error> stopped;            ///< why no motion follows

  bool limited = false;  ///< ended by a limit on the number of events

  void add(const motion::Event& event);
  [[nodiscard]] std::uint64_t events() const;
};

/// Everything that determines the motion: bodies with their shapes, gravity, laws, forces, hinges, and the names of the
/// files of robots.
[[nodiscard]] Json to_json(const MotionScene& scene);
[[nodiscard]] Json to_json(const motion::Event& event, std::span<const std::string> bodies);
[[nodiscard]] Json to_json(const motion::EnergyLedger& ledger);
[[nodiscard]] Json to_json(const MotionSummary& summary, std::span<const std::string> bodies);

}  // namespace ricochet
