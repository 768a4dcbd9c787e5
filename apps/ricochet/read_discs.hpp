#pragma once
/// Discs and wheels as TOML, docs/command-line.md: one disc meets the plane z = 0, two meet each other, a wheel rolls.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read_toml.hpp"
#include "ricochet/compliant/disc_on_plane.hpp"
#include "ricochet/compliant/rolling.hpp"

namespace ricochet::app {

using compliant::Disc;
using compliant::DiscRun;
using compliant::PlaneContact;
using compliant::Wheel;

struct DiscScene {
  std::string title;
  std::vector<Disc> discs;     ///< one or two, or none where there is a wheel
  std::optional<Wheel> wheel;  ///< with `run.duration`
  PlaneContact contact;        ///< of two discs only the stiffness is read
  DiscRun run;
  std::vector<std::pair<std::string, long long>> lines;  ///< where each field stands, by the name that errors use

  [[nodiscard]] long long line_of(std::string_view field) const;
};

/// `settings` replace numbers of the top level, or of the wheel.
[[nodiscard]] tl::expected<DiscScene, Fault> read_discs(std::string_view text,
                                                        const std::vector<std::pair<std::string, double>>& settings);

/// A scene that travels inside the program.
struct BundledDiscs {
  std::string_view name, text;
};
[[nodiscard]] const std::vector<BundledDiscs>& bundled_discs();

}  // namespace ricochet::app
