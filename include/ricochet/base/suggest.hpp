#pragma once
/// Which of the known words a mistyped one was probably meant to be.

#include <span>
#include <string_view>

namespace ricochet {

/// The nearest candidate by edit distance (case ignored), or an empty view when none is close enough to be a typing
/// error: more than a third of the letters differ.
[[nodiscard]] std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace ricochet
