#pragma once
/// How a sequence of collisions ended, docs/simultaneous.md.

#include <cstdint>
#include <string_view>

namespace ricochet {

enum class SequenceStatus : std::uint8_t { settled, extrapolated, truncated, does_not_settle };
[[nodiscard]] std::string_view name(SequenceStatus status);

enum class SequenceEnd : std::uint8_t {
  rest,             ///< no contact approaches
  tolerance,        ///< no contact approaches by more than the tolerance
  limit,            ///< of an infinite sequence
  cycle,            ///< repeats without end
  collision_limit,  ///< max_collisions was reached
  overflow,         ///< speeds overflowed double precision
};
[[nodiscard]] std::string_view describe(SequenceEnd end);

}  // namespace ricochet
