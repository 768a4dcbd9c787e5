#include "assignments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "text.hpp"

namespace ricochet::app {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Value value(std::string_view text) {
  text = trim(text);
  if (const auto x = read_number(text)) return *x;
  std::string_view inside = text;
  if (inside.starts_with('[') && inside.ends_with(']')) inside = inside.substr(1, inside.size() - 2);
  if (inside.find(',') == std::string_view::npos) return std::string(text);
  std::vector<double> xs;
  while (true) {
    const auto comma = std::min(inside.find(','), inside.size());
    const auto x = read_number(inside.substr(0, comma));
    if (!x) return std::string(text);
    xs.push_back(*x);
    if (comma == inside.size()) return xs;
    inside.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<double> read_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double x = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return x;
}

Expected<Assignments> read_assignments(const std::vector<std::string>& texts) {
  Assignments out;
  Settings trial;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) return fail("", text, "must be key=value, for example mu=0.3");
    std::string name(trim(std::string_view(text).substr(0, equals)));
    for (const auto& [earlier, ignored] : out)
      if (earlier == name) return fail(name, "", "given twice");
    Value v = value(std::string_view(text).substr(equals + 1));
    if (const Expected<void> fine = set(trial, name, v); !fine) return tl::unexpected(fine.error());
    out.emplace_back(std::move(name), std::move(v));
  }
  return out;
}

void apply(const Assignments& assignments, Collision& collision) {
  for (const auto& assignment : assignments) {
    // Names and types were checked against an empty Settings, and no name depends on another.
    (void)set(collision.settings, assignment.first, assignment.second);
    std::erase_if(collision.lines, [&](const auto& entry) { return entry.first == assignment.first; });
  }
}

int blame(std::string_view file, const Collision& collision, const Assignments& assignments, const Error& error) {
  const bool overridden = std::any_of(assignments.begin(), assignments.end(),
                                      [&](const auto& assignment) { return assignment.first == error.field; });
  fmt::print(stderr, "{}\n",
             overridden ? fault_line("--set", 0, error) : fault_line(file, collision.line_of(error.field), error));
  return 2;
}

}  // namespace ricochet::app
