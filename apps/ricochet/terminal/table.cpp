#include "terminal/table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace ricochet::app {

std::string compact(double x, int width) {
  if (!std::isfinite(x)) return fmt::format("{}", x);
  for (int digits = 5; digits > 0; --digits) {
    std::string out = fmt::format("{:.{}g}", x, digits);
    if (static_cast<int>(out.size()) <= width) return out;
  }
  return fmt::format("{:.0e}", x);
}

std::vector<std::string> align(std::span<const double> column, int width) {
  double largest = 0;
  for (const double x : column)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  const int whole = largest < 10 ? 1 : static_cast<int>(std::floor(std::log10(largest))) + 1;
  const int decimals = std::min(4, width - 2 - whole);
  // Bounds between which fixed decimals show every number of the column.
  const bool fixed = (largest == 0 || largest >= 0.1) && decimals >= 0;
  std::vector<std::string> out;
  for (const double x : column) {
    if (!fixed || !std::isfinite(x)) {
      out.push_back(compact(x, width));
      continue;
    }
    std::string text = fmt::format("{:.{}f}", x, decimals);
    if (text.starts_with('-') && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
    out.push_back(std::move(text));
  }
  return out;
}

std::string brief(const Vec3& v, int digits) {
  // Rounding errors relative to the rest are shown as zero.
  const double floor = 1e-14 * v.cwiseAbs().maxCoeff();
  const auto shown = [&](double x) { return std::abs(x) <= floor ? 0.0 : x; };
  return fmt::format("({:.{}g}, {:.{}g}, {:.{}g})", shown(v.x()), digits, shown(v.y()), digits, shown(v.z()), digits);
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && columns(line) + 1 + columns(word) > width) lines.push_back(std::exchange(line, {}));
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string rows(const std::vector<std::vector<std::string>>& table, std::size_t left, std::size_t words) {
  std::vector<std::size_t> wide;
  for (const auto& row : table)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (wide.size() <= c) wide.push_back(0);
      wide[c] = std::max(wide[c], columns(row[c]));
    }
  std::string out;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(wide[c] - columns(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (c < left || c >= words ? row[c] + pad : pad + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string paint(std::string_view text, Colour colour, bool enabled) {
  if (!enabled || colour == Colour::plain) return std::string(text);
  const char* code = colour == Colour::good ? "32" : colour == Colour::bad ? "31" : colour == Colour::dim ? "2" : "1";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

bool colour_wanted(const std::string& out) {
  if (!out.empty() && out != "-") return false;
  const char* refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (refused == nullptr || *refused == '\0');
}

}  // namespace ricochet::app
