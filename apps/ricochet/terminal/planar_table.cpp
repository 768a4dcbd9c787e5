#include "terminal/planar_table.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "ricochet/io/text.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

constexpr int width = 9;

/// Rows of numbers under titles in aligned columns, with text before and after.
std::string aligned(std::span<const std::string_view> titles, const std::vector<std::vector<double>>& rows,
                    const std::vector<std::string>& before, const std::vector<std::string>& behind, int indent) {
  std::vector<std::vector<std::string>> columns_of_text;
  for (std::size_t c = 0; c < titles.size(); ++c) {
    std::vector<double> column;
    for (const auto& row : rows)
      if (!row.empty()) column.push_back(row[c]);
    columns_of_text.push_back(align(column, width));
  }
  std::string out = fmt::format("{:<{}}", "", indent);
  for (const std::string_view title : titles) out += fmt::format(" {:>{}}", title, width);
  out += "\n";
  std::size_t place = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += fmt::format("{:<{}}", before[r], indent);
    if (!rows[r].empty()) {
      for (const auto& column : columns_of_text) out += fmt::format(" {:>{}}", column[place], width);
      ++place;
    }
    out += behind[r].empty() ? "\n" : fmt::format("  {}\n", behind[r]);
  }
  return out;
}

std::string case_name(const PlanarOutcome& o) {
  std::string out(name(o.mode));
  if (const auto path = morgan_path(o.path); !path.empty())
    out += fmt::format(", {}, case {}", path, shen_townsend_case(o.path));
  if (o.energy_change > 0) out += ", gains energy";
  return out;
}

}  // namespace

std::string planar_table(std::span<const PlanarAnswer> answers) {
  constexpr std::array<std::string_view, 7> titles{"p_n", "p_t", "v_n+", "v_t+", "ΔE", "W_n", "W_t"};
  std::vector<std::vector<double>> rows;
  std::vector<std::string> before;
  std::vector<std::string> behind;
  for (const PlanarAnswer& answer : answers) {
    before.emplace_back(answer.law);
    if (!answer.outcome) {
      rows.emplace_back();
      behind.push_back("no answer: " + answer.outcome.error().message());
      continue;
    }
    const PlanarOutcome& o = *answer.outcome;
    rows.push_back(
        {o.p_n, o.p_t, o.states.back().v_n, o.states.back().v_t, o.energy_change, o.normal_work, o.friction_work});
    behind.push_back(case_name(o));
  }
  return aligned(titles, rows, before, behind, 22);
}

std::string planar_states(const PlanarOutcome& outcome) {
  constexpr std::array<std::string_view, 6> titles{"p_n", "p_t", "v_n", "v_t", "E_n", "E_t"};
  std::vector<std::vector<double>> rows;
  std::vector<std::string> before;
  for (const PlanarState& s : outcome.states) {
    rows.push_back({s.p_n, s.p_t, s.v_n, s.v_t, s.E_n, s.E_t});
    before.emplace_back(name(s.pause));
  }
  return aligned(titles, rows, before, std::vector<std::string>(rows.size()), 12);
}

}  // namespace ricochet::app
