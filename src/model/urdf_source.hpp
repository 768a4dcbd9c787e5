#pragma once
/// URDF checked with its lines, and made ready for urdfdom.

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet {

struct UrdfSource {
  std::string xml;
  std::vector<std::string> left_out;  ///< a phrase each
};

/// Fails, naming the line, on what is not XML or not URDF, on unknown types of joints, and on links and joints that are
/// named and not there, or there twice.
[[nodiscard]] Expected<UrdfSource> prepare_urdf(std::string_view text);

}  // namespace ricochet
