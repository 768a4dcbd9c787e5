#pragma once
/// The planar section of impulse space (CR98 Figs. 1, 3 to 9; REG Fig. 3) with the answers and paths of laws, and the
/// sets of impulses that a law reaches as its parameters vary.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/law/registry.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/space/section.hpp"

namespace ricochet {

/// The answer of a law on the section, with its path.
struct PlaneAnswer {
  std::string name;
  std::vector<Vec2> path;  ///< from 0 to P, in drawing coordinates
  double off_plane = 0;    ///< largest |P_3| on the path, relative to ‖P‖: if nonzero, the picture is a projection
};
/// `path` contains impulses in input coordinates, from 0 to P.
[[nodiscard]] PlaneAnswer on_section(const Section& section, std::string name, std::span<const Vec3> path);

/// What a law reaches as e goes from 0 to 1 (a curve), or e and e_t through their ranges (the edge of a surface, as a
/// closed curve). Parameters without an answer are omitted.
struct Reach {
  std::string name;
  std::vector<Vec3> points;  ///< input coordinates
  bool closed = false;
};
[[nodiscard]] Expected<Reach> reach(const Contact& contact, std::string_view law, const LawParameters& settings);

/// The same as a sheet: rows of e_t from −1 to 1, columns of e from 0 to 1; one row for a law that takes e alone.
struct ReachSheet {
  std::string name;
  int rows = 1, columns = 0;
  std::vector<std::optional<Vec3>> points;  ///< row by row, input coordinates; absent where the law has no answer
};
[[nodiscard]] Expected<ReachSheet> reach_sheet(const Contact& contact, std::string_view law,
                                               const LawParameters& settings, int rows = 17, int columns = 25);

/// Colour and marker of a law, the same in every picture; for other names, by their index.
[[nodiscard]] std::pair<std::string, Dot::Form> look_of(std::string_view law, std::size_t number);

struct ImpulsePlaneOptions {
  bool construction = true;               ///< labels and lines of Fig. 3a
  std::vector<PlaneAnswer> answers = {};  ///< drawn as path and end point
  std::vector<Reach> reaches = {};
  std::optional<double> e = {};  ///< the restitution line that stands out, where `section` has one for it
  bool short_names = false;      ///< an asterisk instead of "(shadow)", explained in the legend
};
[[nodiscard]] Plot impulse_plane(const Section& section, const ImpulsePlaneOptions& options = {});

}  // namespace ricochet
