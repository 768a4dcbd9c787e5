#pragma once
/// Suggests the known word closest to a mistyped one.

#include <span>
#include <string>
#include <string_view>

namespace ricochet {

/// The nearest candidate by edit distance (case ignored), or an empty view when none is close enough to be a typing
/// error: more than a third of the letters differ.
[[nodiscard]] std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

/// `said`, and which of the known words may have been meant: "unknown key; did you mean mu?" or, where none is near,
/// "unknown key; one of e, mu".
[[nodiscard]] std::string with_suggestion(std::string_view said, std::string_view word,
                                          std::span<const std::string_view> known);

/// What to say of a word that is not among the known ones: "unknown law; did you mean routh? one of ...".
[[nodiscard]] std::string not_among(std::string_view what, std::string_view word,
                                    std::span<const std::string_view> known);

}  // namespace ricochet
