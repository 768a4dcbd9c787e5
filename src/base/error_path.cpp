#include "ricochet/base/error_path.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ricochet {

namespace {

/// Where the first step ends: at a dot that is not in quotes.
std::size_t end_of_step(std::string_view path) {
  bool quoted = false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && quoted) {
      ++i;
    } else if (path[i] == '"') {
      quoted = !quoted;
    } else if (path[i] == '.' && !quoted) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<PathStep> path_steps(std::string_view path) {
  std::vector<PathStep> steps;
  while (!path.empty()) {
    const std::size_t dot = end_of_step(path);
    std::string_view step = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    PathStep out{step};
    if (const std::size_t open = step.find('['); open != std::string_view::npos && step.ends_with(']')) {
      const char* const end = step.data() + step.size() - 1;
      std::size_t entry = 0;
      const auto [rest, problem] = std::from_chars(step.data() + open + 1, end, entry);
      if (problem == std::errc{} && rest == end) out = {step.substr(0, open), entry};
    }
    steps.push_back(out);
  }
  return steps;
}

std::string key_step(std::string_view key) {
  if (!key.empty() && key.find_first_of(".[]\"\\ \t\r\n") == std::string_view::npos) return std::string(key);
  std::string out = "\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string entry_path(std::string_view list, std::size_t index) { return fmt::format("{}[{}]", list, index + 1); }

std::string join_path(std::string_view part, std::string_view name) {
  if (part.empty() || name.empty()) return std::string(part.empty() ? name : part);
  return fmt::format("{}.{}", part, name);
}

Error under(std::string_view part, Error error) {
  error.path = join_path(part, error.path);
  return error;
}

}  // namespace ricochet
