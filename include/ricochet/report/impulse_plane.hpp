#pragma once
/// The plane section of impulse space (CR98 Figs. 1, 3 to 9; REG Fig. 3) with answers and paths of laws on it, and the
/// sets of impulses that a law can reach as its parameters sweep.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/law/registry.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/space/section.hpp"

namespace ricochet {

/// The answer of a law on the section, and the way there.
struct PlaneAnswer {
  std::string name;
  std::vector<Vec2> path;  ///< from 0 to P, in drawing coordinates
  double off_plane = 0;    ///< largest |P_3| on the way, over ‖P‖: the picture shows a shadow where it is not 0
};
/// `path` holds impulses in input coordinates, from 0 to P.
[[nodiscard]] PlaneAnswer on_section(const Section& section, std::string name, std::span<const Vec3> path);

/// What a law reaches as e goes from 0 to 1 (a curve), or e and e_t through their ranges (the edge of a surface, as a
/// closed curve). Parameters at which it has no answer are left out.
struct Reach {
  std::string name;
  std::vector<Vec3> points;  ///< input coordinates
  bool closed = false;
};
[[nodiscard]] Expected<Reach> reach(const Contact& contact, std::string_view law, const Settings& settings);

/// The same as a sheet: rows of e_t from −1 to 1, columns of e from 0 to 1; one row for a law that takes e alone.
struct ReachSheet {
  std::string name;
  int rows = 1, columns = 0;
  std::vector<std::optional<Vec3>> points;  ///< row by row, input coordinates; absent where the law has no answer
};
[[nodiscard]] Expected<ReachSheet> reach_sheet(const Contact& contact, std::string_view law, const Settings& settings,
                                               int rows = 17, int columns = 25);

/// Colour and form of a law, the same in every picture; of another name, by its number among those given.
[[nodiscard]] std::pair<std::string, Dot::Form> look_of(std::string_view law, std::size_t number);

struct ImpulsePlaneOptions {
  bool construction = true;               ///< letters and lines of Fig. 3a
  std::vector<PlaneAnswer> answers = {};  ///< drawn as path and end point
  std::vector<Reach> reaches = {};
};
[[nodiscard]] Plot impulse_plane(const Section& section, const ImpulsePlaneOptions& options = {});

}  // namespace ricochet
