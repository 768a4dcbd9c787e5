#pragma once
/// Numbers as people type them.

#include <optional>
#include <string_view>

namespace ricochet {

/// `text` without blanks at its ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// The whole `text` as a number, ignoring surrounding blanks.
[[nodiscard]] std::optional<double> read_number(std::string_view text);

}  // namespace ricochet
