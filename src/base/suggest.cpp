#include "ricochet/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace ricochet {
namespace {

constexpr std::size_t longest = 32;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Letters changed, added, left out, or two neighbours exchanged; both words at most `longest` letters.
std::size_t distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, longest + 1>;
  Row before{};  // two letters back
  Row above{};
  Row row{};
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i - 1]) == lower(b[j - 1]); };
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = above;
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (same(i, j) ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  // Words longer than any known one are not typing errors and must not cost quadratic time.
  if (word.empty() || word.size() > longest) return {};
  std::string_view best;
  std::size_t best_distance = longest;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t d = distance(word, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return 3 * best_distance <= std::max(word.size(), best.size()) ? best : std::string_view{};
}

std::string with_suggestion(std::string_view said, std::string_view word, std::span<const std::string_view> known) {
  if (const std::string_view guess = closest(word, known); !guess.empty())
    return fmt::format("{}; did you mean {}?", said, guess);
  return fmt::format("{}; one of {}", said, fmt::join(known, ", "));
}

std::string not_among(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
  const std::string_view guess = closest(word, known);
  std::string out = fmt::format("unknown {}", what);
  if (!guess.empty()) out += fmt::format("; did you mean {}?", guess);
  return out + fmt::format("{} one of {}", guess.empty() ? ";" : "", fmt::join(known, ", "));
}

}  // namespace ricochet
