#pragma once
/// Trajectories, events and energies of a motion as CSV, docs/command-line.md. Every number is the shortest text that
/// reads back as the same double.

#include <fmt/format.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/motion/simulation.hpp"

namespace ricochet {

/// Numbers of one body in a row of a trajectory: position, quaternion w x y z, velocity, angular velocity.
constexpr std::size_t numbers_of_pose = 13;

/// "time,ball.px,ball.py,...", with the end of the line.
[[nodiscard]] std::string trajectory_csv_header(std::span<const std::string> names);
void append_trajectory_row(fmt::memory_buffer& out, double time, std::span<const motion::Pose> poses);

constexpr std::string_view events_csv_header =
    "time,kind,body_a,body_b,px,py,pz,nx,ny,nz,Px,Py,Pz,energy_change,approach,slip,together\n";
void append_event_row(fmt::memory_buffer& out, const motion::Event& event, std::span<const std::string> names);

constexpr std::string_view ledger_csv_header =
    "time,kinetic,potential,elastic,lost_to_impact,lost_to_friction,applied_work,imbalance\n";
void append_ledger_row(fmt::memory_buffer& out, double time, const motion::EnergyLedger& ledger);

/// Calls `row` with the numbers of every row after the first.
[[nodiscard]] Expected<void> read_numbers_csv(const std::string& path, std::size_t columns,
                                              const std::function<void(std::span<const double>)>& row);
/// As above, the time first.
[[nodiscard]] Expected<void> read_trajectory_csv(const std::string& path, std::size_t bodies,
                                                 const std::function<void(std::span<const double>)>& row);
/// Calls `event` with every event. `names` are those of the bodies.
[[nodiscard]] Expected<void> read_events_csv(const std::string& path, std::span<const std::string> names,
                                             const std::function<void(const motion::Event&)>& event);

}  // namespace ricochet
