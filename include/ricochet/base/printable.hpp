#pragma once
/// Text from outside made safe to show: one line, valid UTF-8, bounded length.

#include <cstddef>
#include <string>
#include <string_view>

namespace ricochet {

/// Control characters and bytes that are not UTF-8 become '?', and what exceeds `limit` bytes becomes "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

}  // namespace ricochet
