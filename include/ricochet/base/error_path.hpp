#pragma once
/// Paths of errors, "body[2].inertia": steps joined by dots, list entries counted from 1. A key of somebody's file that
/// would be taken for more than one step is quoted. Functions that check a part of a larger input take the path of that
/// part and put their own names under it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet {

struct PathStep {
  std::string_view name;
  std::size_t entry = 0;  ///< of a list, counted from 1; 0 where the step is no list entry

  friend bool operator==(const PathStep&, const PathStep&) = default;
};

/// The steps of `path`, which must outlive them; none of an empty one.
[[nodiscard]] std::vector<PathStep> path_steps(std::string_view path);

/// A key as one step: itself, or in quotes where it is empty or has a dot, a bracket, a quote or a space.
[[nodiscard]] std::string key_step(std::string_view key);

/// "body[2]" for ("body", 1): `index` counts from 0 as in C++, the path from 1.
[[nodiscard]] std::string entry_path(std::string_view list, std::size_t index);

/// "body[2].inertia" for ("body[2]", "inertia"); an empty part is left out.
[[nodiscard]] std::string join_path(std::string_view part, std::string_view name);

/// The error of a part, named by its path in the whole.
[[nodiscard]] Error under(std::string_view part, Error error);

}  // namespace ricochet
