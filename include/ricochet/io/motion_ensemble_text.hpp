#pragma once
/// An ensemble of motions as CSV and JSON, docs/command-line.md.

#include <optional>
#include <span>
#include <string>

#include "ricochet/io/json.hpp"
#include "ricochet/motion/ensemble.hpp"

namespace ricochet {

/// "member,end,time,events,…,ball.px,…,reason": the numbers of a trajectory, for these bodies.
[[nodiscard]] std::string motion_members_csv_header(std::span<const std::string> moving);
/// A row, every number as the shortest text that reads back as the same double.
[[nodiscard]] std::string motion_member_row(std::size_t number, const motion::MotionMember& member);
/// The row at `text`, which ends with a zero and is moved past the row; nothing where there is none of so many bodies.
[[nodiscard]] std::optional<motion::MotionMember> read_motion_member(const char*& text, std::size_t bodies);

/// `moving`: names of the bodies that are not fixed. Without its members that stopped, but for the first of these.
[[nodiscard]] Json to_json(const motion::MotionStatistics& statistics, std::span<const std::string> moving,
                           std::span<const motion::MotionMember> members);

}  // namespace ricochet
