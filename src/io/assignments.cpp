#include "ricochet/io/assignments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/base/read_number.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

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

Expected<Assignments> read_assignments(const std::vector<std::string>& texts) {
  Assignments out;
  LawParameters trial;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::malformed, "", text, "must be key=value, for example mu=0.3");
    std::string name(trim(std::string_view(text).substr(0, equals)));
    Value v = value(std::string_view(text).substr(equals + 1));
    if (const Expected<void> fine = set(trial, name, v); !fine) return tl::unexpected(fine.error());
    const std::string_view of = parameter_name(name);
    for (const auto& [earlier, ignored] : out)
      if (earlier == of)
        return fail(ErrorCode::conflict, name, "",
                    name == of ? "given twice" : fmt::format("given twice; it is the older name of {}", of));
    out.emplace_back(of, std::move(v));
  }
  return out;
}

void override_parameters(const Assignments& assignments, Collision& collision) {
  for (const auto& assignment : assignments) {
    // Names and types were checked against empty LawParameters, and no name depends on another.
    (void)set(collision.settings, assignment.first, assignment.second);
    std::erase_if(collision.lines, [&](const auto& entry) { return entry.first == assignment.first; });
  }
}

}  // namespace ricochet
