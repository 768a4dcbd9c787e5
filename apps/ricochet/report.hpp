#pragma once
/// The pages of `report`, one function for each kind of input. Each prints what is wrong and returns the status to exit
/// with; where that is 0 the page is there.

#include <string>
#include <vector>

#include "answer.hpp"
#include "bodies_scene.hpp"
#include "ricochet/report/page.hpp"
#include "scene_options.hpp"
#include "struck.hpp"

namespace ricochet::app {

struct ReportOptions {
  std::string file;          ///< empty: the built-in collision
  StruckOptions struck;      ///< of a mechanism; `law` and `sets` are everyone's
  SceneOptions scene;        ///< of a scene of many contacts
  bool all_at_once = false;  ///< the methods that take all contacts at once must be there
  std::string output = "report.html";
};

[[nodiscard]] int report_collision(const ReportOptions& options, const std::string& where, Collision collision,
                                   Page& page);
[[nodiscard]] int report_mechanism(const ReportOptions& options, Page& page);
[[nodiscard]] int report_scene(const ReportOptions& options, BodiesScene scene, Page& page);

// What the pages share.

/// Five digits; rounding beside `scale` reads as zero.
[[nodiscard]] std::string report_number(double x, double scale = 0);
[[nodiscard]] std::string report_vector(const Vec3& v, double scale = 0);

/// Why there is no answer, for people.
[[nodiscard]] std::string report_refusal(const Error& error);

/// V, n, M or W and the parameters of one contact, as rows of a table.
void add_contact_rows(PageTable& table, const Collision& collision);

/// Answers of all laws with their certificates.
[[nodiscard]] PageSection laws_section(const Collision& collision, const std::vector<Answer>& answers);

/// Impulse space with all laws, energy and velocities by one; what cannot be drawn is said instead. `law` has an
/// answer.
[[nodiscard]] PageSection figures_section(const Collision& collision, const std::string& law);

/// The law by that name, or the first one that has an answer.
[[nodiscard]] const Answer* answer_to_show(const std::vector<Answer>& answers, std::string_view law);

/// Prints a fault and returns 2.
int refuse_report(std::string_view where, long long line, const Error& error);

}  // namespace ricochet::app
