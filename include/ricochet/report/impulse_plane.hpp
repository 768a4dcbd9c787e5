#pragma once
/// The plane section of impulse space (CR98 Figs. 1, 3 to 9; REG Fig. 3) with answers and paths of laws on it, and the
/// sets of impulses that a law can reach as its parameters sweep.

#include <string>
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
[[nodiscard]] PlaneAnswer on_section(const Section& section, std::string name, const Outcome& outcome);

/// What a law reaches as e goes from 0 to 1 (a curve), or e and e_t through their ranges (the edge of a surface, as a
/// closed curve). Parameters at which it has no answer are left out.
struct Reach {
  std::string name;
  std::vector<Vec3> points;  ///< input coordinates
  bool closed = false;
};
[[nodiscard]] Expected<Reach> reach(const Contact& contact, std::string_view law, const Settings& settings);

struct ImpulsePlaneOptions {
  bool construction = true;               ///< letters and lines of Fig. 3a
  std::vector<PlaneAnswer> answers = {};  ///< drawn as path and end point
  std::vector<Reach> reaches = {};
};
[[nodiscard]] Plot impulse_plane(const Section& section, const ImpulsePlaneOptions& options = {});

}  // namespace ricochet
