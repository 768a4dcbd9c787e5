#pragma once
/// Commands that are programs of their own, ricochet-NAME beside this one: they need more libraries and more time to
/// build than colliding two bodies does.

#include <span>
#include <string_view>

namespace ricochet::app {

struct OutsideCommand {
  const char* name;
  const char* help;  ///< the line in ricochet --help
};

[[nodiscard]] std::span<const OutsideCommand> outside_commands();

/// Becomes the program ricochet-NAME with these arguments. Returns only if that fails, with the exit code, having said
/// why.
int become(std::string_view name, char** argv);

}  // namespace ricochet::app
