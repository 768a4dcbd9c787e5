#pragma once
/// MJCF made ready for the MuJoCo that is installed (docs/robots.md): includes are inserted, paths of meshes made
/// absolute, and what has no part in smooth dynamics and collision geometry is left out, above all what older versions
/// cannot read.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet {

/// A connection of two sites, which older versions do not have: an equality of this name between their bodies.
struct SiteConnection {
  std::string name;
  std::array<std::string, 2> sites;
};

/// A file in memory that the XML names.
struct MjcfFile {
  std::string name, data;
};

struct MjcfSource {
  std::string xml;
  std::vector<MjcfFile> files;
  std::vector<SiteConnection> joined;
  std::vector<std::string> left_out;  ///< what, with the number of times; a phrase each
};

/// `file` names the text in errors; relative paths start at its folder.
[[nodiscard]] Expected<MjcfSource> prepare_mjcf(std::string_view text, const std::string& file);

}  // namespace ricochet
