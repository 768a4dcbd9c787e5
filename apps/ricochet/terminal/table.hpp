#pragma once
/// Aligned text: numbers of a column share their decimals; colours on terminals only.

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet::app {

/// Numbers as text of at most `width` characters each, all with the same number of decimals. Numbers that are not
/// finite or do not fit are formatted individually.
[[nodiscard]] std::vector<std::string> align(std::span<const double> column, int width);

/// One number in at most `width` characters (6 or more).
[[nodiscard]] std::string compact(double x, int width);

/// "(1.5, 0, -2)" with `digits` significant digits.
[[nodiscard]] std::string brief(const Vec3& v, int digits = 4);

/// Columns on the screen, for text of letters, digits and common signs.
[[nodiscard]] std::size_t columns(std::string_view text);

/// `text` broken at blanks into lines of at most `width` columns.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Cells in columns: the first `left` of them and those of words, from `words` on, flush left, the others right.
[[nodiscard]] std::string rows(const std::vector<std::vector<std::string>>& table, std::size_t left,
                               std::size_t words = std::numeric_limits<std::size_t>::max());

enum class Colour { plain, good, bad, dim, bold };
[[nodiscard]] std::string paint(std::string_view text, Colour colour, bool enabled);

/// What is written to `out`, where nothing and "-" are standard output, goes to a terminal, and NO_COLOR is not set.
[[nodiscard]] bool colour_wanted(const std::string& out);

}  // namespace ricochet::app
