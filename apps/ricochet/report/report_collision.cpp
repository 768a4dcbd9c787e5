#include <fmt/format.h>

#include "report/report.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/body_pictures.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

PageSection asked(const Collision& collision) {
  PageSection out{.id = "asked", .title = "What was asked"};
  PageTable table{.heads = {"quantity", "value"}, .rows = {}};
  if (!collision.body_a.empty())
    table.rows.push_back(
        {"bodies", fmt::format("{} is hit by {}", printable(collision.body_a), printable(collision.body_b))});
  add_contact_rows(table, collision);
  out.tables.push_back(std::move(table));
  return out;
}

Expected<PageFigure> picture(Plot plot, std::string id, std::string caption) {
  plot.id = std::move(id);
  auto drawing = draw(plot);
  if (!drawing) return tl::unexpected(drawing.error());
  return PageFigure{*std::move(drawing), std::move(caption)};
}

/// The bodies of the file or, if it gives only M or W, the contact alone.
Expected<PageSection> bodies_of(const Collision& collision, const Answer& chosen) {
  PageSection out{.id = "bodies", .title = "What hit what"};
  const auto pictures = body_pictures(collision, chosen);
  if (!pictures) return tl::unexpected(pictures.error());
  out.text = pictures->contact_only
                 ? "The file gives the matrix of the contact and not bodies. The contact is drawn alone, seen from the "
                   "side: the normal is up, the initial slip to the right."
                 : "Bodies are drawn as the balls or boxes that have their mass and inertia, seen from the side: the "
                   "normal is up, the initial slip to the right.";
  auto first = picture(pictures->before, "before", "Just before the impact.");
  auto second = picture(pictures->after, "after", "Just after it, to the same scales of length and speed.");
  if (!first || !second) return tl::unexpected(first ? second.error() : first.error());
  out.figures = {*std::move(first), *std::move(second)};
  return out;
}

}  // namespace

int report_collision(const ReportOptions& options, const std::string& where, Collision collision, Page& page) {
  const auto assignments = read_assignments(options.mechanism.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  if (!options.mechanism.law.empty() && find_law(options.mechanism.law) == nullptr)
    return refuse("--law", 0, unknown_law(options.mechanism.law));
  override_parameters(*assignments, collision);
  const std::vector<Answer> answers = ask_all(collision);
  if (const auto refusal = refusal_of(answers)) return report_parameter_error(where, collision, *assignments, *refusal);
  const std::string wanted = !options.mechanism.law.empty() ? options.mechanism.law : collision.law.value_or("");
  for (const Answer& a : answers)
    if (a.law == wanted && !a.outcome) return report_parameter_error(where, collision, *assignments, a.outcome.error());
  const Answer* chosen = answer_to_show(answers, wanted.empty() ? "routh" : wanted);
  if (chosen == nullptr) return refuse(where, 0, answers.front().outcome.error());

  page.title = printable(collision.title.empty() ? where : collision.title);
  page.subtitle = fmt::format(
      "A frictional impact by every law, each answer with its certificate. Pictures of one law show {}.", chosen->law);
  auto bodies = bodies_of(collision, *chosen);
  if (!bodies) return refuse(where, 0, bodies.error());
  page.sections.push_back(*std::move(bodies));
  page.sections.push_back(asked(collision));
  page.sections.push_back(laws_section(collision, answers));
  if (chosen->outcome->mode != Mode::separating)
    page.sections.push_back(figures_section(collision, std::string(chosen->law)));
  return 0;
}

}  // namespace ricochet::app
