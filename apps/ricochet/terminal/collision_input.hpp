#pragma once
/// One collision from the command line: a file, or the built-in one, with the parameters of --set.

#include <string>
#include <vector>

#include "ricochet/io/assignments.hpp"

namespace ricochet::app {

struct CollisionInput {
  Collision collision;
  Assignments assignments;
  std::string where;  ///< the file, as messages call it

  /// 0, or the status to exit with where something was refused.
  [[nodiscard]] int read(const std::string& file, const std::vector<std::string>& sets);

  /// The title of the collision, or where it came from.
  [[nodiscard]] std::string title() const;

  /// Lays an error of a parameter to where the parameter was given, and returns 2.
  [[nodiscard]] int refuse(const Error& error) const;
};

}  // namespace ricochet::app
