#pragma once
/// Which elements and attributes the installed MuJoCo reads, from its own list.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

struct MjcfElement {
  std::string name;
  std::vector<std::string> attributes;
  std::vector<std::unique_ptr<MjcfElement>> children;

  /// The child of this name: bodies are in bodies, and defaults in defaults. Null where there is none.
  [[nodiscard]] const MjcfElement* child(std::string_view wanted) const;
  [[nodiscard]] bool has(std::string_view attribute) const;
};

/// The element <mujoco>.
[[nodiscard]] const MjcfElement& mjcf_schema();

}  // namespace ricochet
