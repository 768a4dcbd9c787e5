#pragma once
/// Discs and wheels on springs: one disc meets the plane z = 0, two meet each other, a wheel rolls.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/compliant/disc_on_plane.hpp"
#include "ricochet/compliant/rolling.hpp"

namespace ricochet {

using compliant::Disc;
using compliant::DiscRun;
using compliant::PlaneContact;
using compliant::Wheel;

struct DiscScene {
  std::string title;
  std::vector<Disc> discs;     ///< one or two, or none where there is a wheel
  std::optional<Wheel> wheel;  ///< with `run.duration`
  PlaneContact contact;        ///< for two discs only the stiffness is used
  DiscRun run;
  std::vector<std::pair<std::string, long long>> lines;  ///< line of each field, by its name in errors

  [[nodiscard]] long long line_of(std::string_view field) const {
    for (const auto& [name, line] : lines)
      if (name == field) return line;
    return 0;
  }
};

/// A scene compiled into the program.
struct BundledDiscs {
  std::string_view name, text;
};
[[nodiscard]] const std::vector<BundledDiscs>& bundled_discs();

}  // namespace ricochet
