#pragma once
/// The pages of `report`, one function for each kind of input. Each prints what is wrong and returns the status to exit
/// with; where that is 0 the page is there.

#include <string>
#include <vector>

#include "ricochet/report/page.hpp"
#include "ricochet/scene/answer.hpp"
#include "ricochet/scene/scene.hpp"
#include "terminal/mechanism_input.hpp"
#include "terminal/scene_options.hpp"

namespace ricochet::app {

struct ReportOptions {
  std::string file;            ///< empty: the built-in collision
  MechanismOptions mechanism;  ///< of a mechanism; `law` and `sets` apply to all kinds
  SceneOptions scene;          ///< of a scene of many contacts
  bool all_at_once = false;    ///< the methods that solve all contacts at once are required
  std::string motion;          ///< a motion document; empty: none
  std::string output = "report.html";
};

[[nodiscard]] int report_collision(const ReportOptions& options, const std::string& where, Collision collision,
                                   Page& page);
[[nodiscard]] int report_mechanism(const ReportOptions& options, Page& page);
[[nodiscard]] int report_scene(const ReportOptions& options, Scene scene, Page& page);
/// Adds a section that plays the motion document.
[[nodiscard]] int report_motion(const std::string& file, Page& page);

// Shared by all pages.

/// Five digits; rounding errors relative to `scale` are shown as zero.
[[nodiscard]] std::string report_number(double x, double scale = 0);
[[nodiscard]] std::string report_vector(const Vec3& v, double scale = 0);

/// The reason why there is no answer, as text.
[[nodiscard]] std::string report_refusal(const Error& error);

/// V, n, M or W and the parameters of one contact, as rows of a table.
void add_contact_rows(PageTable& table, const Collision& collision);

/// Answers of all laws with their certificates.
[[nodiscard]] PageSection laws_section(const Collision& collision, const std::vector<Answer>& answers);

/// Impulse space with all laws, energy and velocities by one; a text replaces figures that cannot be drawn. `law` has
/// an answer.
[[nodiscard]] PageSection figures_section(const Collision& collision, const std::string& law);

/// The law of that name, or the first one with an answer.
[[nodiscard]] const Answer* answer_to_show(const std::vector<Answer>& answers, std::string_view law);

}  // namespace ricochet::app
