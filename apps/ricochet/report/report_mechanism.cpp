#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/report.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/energy_over_impulse.hpp"
#include "ricochet/report/mechanism_picture.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/report/solids_picture.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

/// The answer shown in the pictures, of a law or of a planar closed form.
struct Shown {
  std::string law;
  VecX after;
  const PlanarAnswer* planar = nullptr;
};

void add_pictures(const MechanismImpact& impact, const PicturedContacts& pictured, const Shown& shown,
                  const std::pair<Vec3, Vec3>& axes, PageSection& out) {
  const SolidsPicture before = picture_of(impact, pictured, impact.u, "before");
  const SolidsPicture after = picture_of(impact, pictured, shown.after, fmt::format("after, by {}", shown.law));
  const auto& [right, up] = axes;
  SolidsView view = view_of(before, right, up);
  view.fastest = std::max(view.fastest, view_of(after, right, up).fastest);
  Drawing first = draw_solids(before, view);
  first.id = "before";
  Drawing second = draw_solids(after, view);
  second.id = "after";
  out.figures = {{std::move(first), "Just before the impact."},
                 {std::move(second), "Just after it, to the same scale of speed."}};
}

PageSection bodies_section(const MechanismImpact& impact, const Shown& shown) {
  PageSection out{.id = "bodies", .title = "What hit what"};
  const CandidateContact& hit = impact.contacts[impact.chosen];
  out.text = fmt::format(
      "{} is hit by {} (the dot), seen across the plane of the normal and the initial slip. The velocity of the "
      "contact "
      "point is that of {} relative to {}.",
      printable(hit.at.first), printable(hit.at.second), printable(hit.at.second), printable(hit.at.first));
  add_pictures(impact, {{impact.chosen}, {1}}, shown, view_axes(impact.collision.contact), out);
  return out;
}

PageSection asked(const MechanismImpact& impact, const std::string& model) {
  PageSection out{.id = "asked", .title = "What was asked"};
  const CandidateContact& hit = impact.contacts[impact.chosen];
  PageTable table{.heads = {"quantity", "value"}, .rows = {}};
  table.rows.push_back({"mechanism", printable(model)});
  table.rows.push_back({"degrees of freedom", std::to_string(impact.u.size())});
  table.rows.push_back(
      {"contact", fmt::format("{}: {} and {}", impact.chosen + 1, printable(hit.at.first), printable(hit.at.second))});
  table.rows.push_back({"contact point [m]", report_vector(hit.at.point, 1)});
  table.rows.push_back({"gap [m]", report_number(hit.at.gap, 1)});
  table.rows.push_back({"kinetic energy before [J]", report_number(impact.energy(impact.u))});
  add_contact_rows(table, impact.collision);
  out.tables.push_back(std::move(table));
  return out;
}

/// Positions, and speeds before and after.
PageSection speeds_section(const MechanismImpact& impact, const Shown& shown) {
  PageSection out{.id = "speeds",
                  .title = "Speeds before and after",
                  .text = fmt::format("Generalised speeds, after the impact by {}; kinetic energy {} J before, {} J "
                                      "after.",
                                      shown.law, report_number(impact.energy(impact.u)),
                                      report_number(impact.energy(shown.after)))};
  PageTable table{.heads = {"joint", "position", "speed before", "speed after", "change"}, .rows = {}};
  const double scale = impact.u.norm() + shown.after.norm();
  for (const Coordinate& c : impact.machine->coordinates()) {
    // The last four positions of a joint that turns freely are a quaternion, of which no component belongs to a speed.
    const int beside_speeds = c.positions == c.speeds ? c.positions : c.positions - 4;
    for (int i = 0; i < c.speeds; ++i) {
      const std::string name = c.speeds == 1 ? printable(c.name) : fmt::format("{}[{}]", printable(c.name), i);
      const std::string q = i < beside_speeds ? report_number(impact.q(c.position + i)) : "";
      const double before = impact.u(c.speed + i);
      const double after = shown.after(c.speed + i);
      table.rows.push_back(
          {name, q, report_number(before, scale), report_number(after, scale), report_number(after - before, scale)});
    }
    for (int i = beside_speeds; i < c.positions; ++i)
      table.rows.push_back({fmt::format("{}, quaternion {}", printable(c.name), "wxyz"[i - beside_speeds]),
                            report_number(impact.q(c.position + i)), "", "", ""});
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection planar_section(const std::vector<PlanarAnswer>& answers) {
  PageSection out{.id = "planar",
                  .title = "In closed form in the plane",
                  .text =
                      "The whole mechanism at once, by the closed forms for planar impact; p_t and v_t along the "
                      "surface are signed. A row that gains energy is marked."};
  PageTable table{.heads = {"method", "energy", "$p_n$ [N\u00a0s]", "$p_t$ [N\u00a0s]", "$v_n^+$ [m/s]",
                            "$v_t^+$ [m/s]", "Δ$E$ [J]", "normal work [J]", "friction work [J]", "mode"},
                  .rows = {}};
  for (const PlanarAnswer& a : answers) {
    if (!a.outcome) {
      table.rows.push_back({std::string(a.law), report_refusal(a.outcome.error())});
      table.classes.emplace_back("none");
      continue;
    }
    const PlanarOutcome& o = *a.outcome;
    const double energy = std::abs(o.normal_work) + std::abs(o.friction_work);
    const bool gains = o.energy_change > 1e-13 * energy;
    const double speed = std::abs(o.states.front().v_n) + std::abs(o.states.front().v_t);
    table.rows.push_back({std::string(a.law), gains ? "gains" : "lost or kept", report_number(o.p_n),
                          report_number(o.p_t, std::abs(o.p_n)), report_number(o.states.back().v_n, speed),
                          report_number(o.states.back().v_t, speed), report_number(o.energy_change, energy),
                          report_number(o.normal_work, energy), report_number(o.friction_work, energy),
                          std::string(name(o.mode))});
    table.classes.emplace_back(gains ? "bad" : "good");
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection together_asked(const MechanismImpact& impact, const std::vector<std::size_t>& struck,
                           const std::string& model, const std::string& assumed) {
  PageSection out{.id = "asked", .title = "What was asked"};
  out.text = fmt::format("{}: {}, kinetic energy {} J before.", printable(model),
                         counted(static_cast<std::size_t>(impact.u.size()), "degree of freedom", "degrees of freedom"),
                         report_number(impact.energy(impact.u)));
  std::string parameters;
  for (const std::string_view name : parameter_names())
    if (const auto value = get(impact.collision.settings, name))
      if (const double* number = std::get_if<double>(&*value))
        parameters += fmt::format("{}{} = {}", parameters.empty() ? " " : ", ", name, report_number(*number));
  if (!parameters.empty()) out.text += parameters + (assumed.empty() ? "." : " (assumed: " + assumed + ").");
  PageTable table{.heads = {"contact", "approach [m/s]", "slip [m/s]", "gap [m]", "point [m]", "normal"}, .rows = {}};
  for (const std::size_t i : struck) {
    const CandidateContact& c = impact.contacts[i];
    table.rows.push_back({fmt::format("{}: {} – {}", i + 1, printable(c.at.first, 30), printable(c.at.second, 30)),
                          report_number(c.approach(), 1), report_number((c.V + c.approach() * c.at.n).norm(), 1),
                          report_number(c.at.gap, 1), report_vector(c.at.point, 1), report_vector(c.at.n, 1)});
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection together_laws(const std::vector<TogetherAnswer>& answers) {
  PageSection out{.id = "laws",
                  .title = "Answers of the laws",
                  .text =
                      "One row for each law that resolves all contacts in sequence, the fastest approach first. "
                      "Margins are the smallest over all contacts; one that is negative beyond rounding is "
                      "violated."};
  PageTable table{.heads = {"law", "permissible", "collisions", "ties", "Δ$E$ [J]", "separation [m/s]",
                            "compression [N\u00a0s]", "friction [N\u00a0s]"},
                  .rows = {}};
  for (const TogetherAnswer& a : answers) {
    if (!a.result || !a.result->settled()) {
      table.rows.push_back({std::string(a.law), a.result ? a.result->verdict() : report_refusal(a.result.error())});
      table.classes.emplace_back("none");
      continue;
    }
    const Resolution& r = a.result->resolution;
    const Margins& m = r.certificate.margins;
    table.rows.push_back({std::string(a.law), a.result->permissible(), std::to_string(r.collisions),
                          std::to_string(r.ties), report_number(r.energy_change, 1), report_number(m.separation, 1),
                          report_number(m.compression, 1),
                          std::isinf(m.friction) ? "–" : report_number(m.friction, 1)});
    table.classes.emplace_back(r.certificate.permissible ? "good" : "bad");
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection together_impulses(const MechanismImpact& impact, const std::vector<std::size_t>& struck,
                              const Resolution& r, const std::string& law) {
  PageSection out{.id = "impulses",
                  .title = "Impulses",
                  .text = fmt::format("By {}. An impulse acts on the second body of its contact.", law)};
  PageTable table{
      .heads = {"contact", "$P_n$ [N\u00a0s]", "|$P_t$| [N\u00a0s]", "normal speed after [m/s]", "slip after [m/s]"},
      .rows = {}};
  for (std::size_t k = 0; k < struck.size(); ++k) {
    const CandidateContact& c = impact.contacts[struck[k]];
    const double P_n = c.at.n.dot(r.G[k]);
    const double V_n = c.at.n.dot(r.V[k]);
    table.rows.push_back(
        {fmt::format("{}: {} – {}", struck[k] + 1, printable(c.at.first, 30), printable(c.at.second, 30)),
         report_number(P_n, 1), report_number((r.G[k] - P_n * c.at.n).norm(), 1), report_number(V_n, 1),
         report_number((r.V[k] - V_n * c.at.n).norm(), 1)});
  }
  out.tables.push_back(std::move(table));
  return out;
}

/// Several contacts at once.
int report_together(const ReportOptions& options, MechanismInput& input, Page& page) {
  if (const int status = input.strike_all(); status != 0) return status;
  if (find_planar_closed_form(input.law()) != nullptr)
    return refuse("--law", 0,
                  Error{ErrorCode::conflict, "", input.law(),
                        "is for a single contact in the plane; choose one with --contact, or a law of contacts"});
  const MechanismImpact& impact = input.impact();
  const std::vector<std::size_t> struck = taking_part(impact);
  std::vector<TogetherAnswer> answers;
  for (const LawInfo& law : laws())
    answers.push_back(strike_together(impact, struck, input.asked(law.name), "sequence", {}));
  if (const auto refusal = refusal_of(answers)) return input.report_parameter_error(*refusal);
  const std::string wanted = input.law() == "all" ? "routh" : input.law();
  const auto has_answer = [](const TogetherAnswer& a) { return a.result && a.result->settled(); };
  auto chosen = std::find_if(answers.begin(), answers.end(),
                             [&](const TogetherAnswer& a) { return a.law == wanted && has_answer(a); });
  if (chosen == answers.end() && input.law() != "all") {
    const auto named =
        std::find_if(answers.begin(), answers.end(), [&](const TogetherAnswer& a) { return a.law == wanted; });
    if (!named->result) return input.report_parameter_error(named->result.error());
    return refuse(options.file, 0, Error{ErrorCode::not_converged, "law", wanted, named->result->verdict()});
  }
  if (chosen == answers.end()) chosen = std::find_if(answers.begin(), answers.end(), has_answer);
  if (chosen == answers.end())
    return refuse(options.file, 0, Error{ErrorCode::not_converged, "law", "", "no law settles"});
  const Resolution& r = chosen->result->resolution;
  const Shown shown{std::string(chosen->law), r.u, nullptr};

  page.title = printable(impact.collision.title.empty() ? options.file : impact.collision.title);
  page.subtitle =
      fmt::format("{} resolved together by every law. Pictures show {}.", counted(struck.size(), "contact"), shown.law);
  PageSection bodies{.id = "bodies", .title = "What hit what"};
  bodies.text = fmt::format("Resolved by {}: {}.", shown.law, chosen->result->verdict());
  if (r.first_tie)
    bodies.text += fmt::format(
        " {} broken: another order of the same impacts may lead elsewhere, and ricochet impact "
        "--ensemble shows where.",
        counted(r.ties, "tie"));
  PicturedContacts pictured{struck, {}};
  double largest = 0;
  for (const Vec3& G : r.G) largest = std::max(largest, G.norm());
  for (const Vec3& G : r.G) pictured.shares.push_back(largest > 0 ? G.norm() / largest : 0);
  add_pictures(impact, pictured, shown, view_axes(impact, struck), bodies);
  page.sections.push_back(std::move(bodies));
  page.sections.push_back(together_asked(impact, struck, options.file, input.assumed()));
  page.sections.push_back(together_laws(answers));
  page.sections.push_back(together_impulses(impact, struck, r, shown.law));
  page.sections.push_back(speeds_section(impact, shown));
  return 0;
}

}  // namespace

int report_mechanism(const ReportOptions& options, Page& page) {
  MechanismInput input(options.mechanism);
  if (const int status = input.read(); status != 0) return status;
  if (options.mechanism.contact.empty() && !input.contact_stated() && several_take_part(input.impact()))
    return report_together(options, input, page);
  if (const int status = input.strike(); status != 0) return status;
  const MechanismImpact& impact = input.impact();
  const std::vector<Answer> answers = impact.ask_laws();
  if (const auto refusal = refusal_of(answers)) return input.report_parameter_error(*refusal);
  const std::vector<PlanarAnswer> planar = impact.ask_planar_laws();

  Shown shown;
  for (const PlanarAnswer& a : planar) {
    if (a.law != input.law()) continue;
    if (!a.outcome) return input.report_parameter_error(a.outcome.error());
    shown = {std::string(a.law), a.outcome->u, &a};
  }
  if (find_planar_closed_form(input.law()) != nullptr && shown.planar == nullptr)
    return refuse("--law", 0,
                  Error{ErrorCode::no_solution, "law", input.law(), "this contact does not stay in a plane"});
  const Answer* chosen = answer_to_show(answers, find_law(input.law()) == nullptr ? "routh" : input.law());
  if (shown.planar == nullptr) {
    if (chosen == nullptr) return input.report_parameter_error(answers.front().outcome.error());
    if (input.law() != "all" && chosen->law != input.law()) {
      const auto named =
          std::find_if(answers.begin(), answers.end(), [&](const Answer& a) { return a.law == input.law(); });
      return input.report_parameter_error(named->outcome.error());
    }
    shown = {std::string(chosen->law), impact.response.after(chosen->outcome->P), nullptr};
  }

  Collision collision = impact.collision;
  if (collision.title.empty()) collision.title = options.file;
  page.title = printable(collision.title);
  page.subtitle = fmt::format(
      "An impact of a mechanism by every law, each answer with its certificate. Pictures of one law show {}.",
      shown.law);
  page.sections.push_back(bodies_section(impact, shown));
  page.sections.push_back(asked(impact, options.file));
  page.sections.push_back(laws_section(collision, answers));
  if (!planar.empty()) page.sections.push_back(planar_section(planar));
  page.sections.push_back(speeds_section(impact, shown));
  if (chosen == nullptr) return 0;
  PageSection figures = figures_section(collision, std::string(chosen->law));
  if (shown.planar != nullptr) {
    if (auto plot = energy_over_impulse(*shown.planar->outcome)) {
      plot->id = "figure-energy-planar";
      plot->title = fmt::format("{}, {}", page.title, shown.law);
      if (auto drawing = draw(*plot))
        figures.figures.push_back(
            {*std::move(drawing), fmt::format("Energy over the normal impulse by {}.", shown.law)});
    }
  }
  page.sections.push_back(std::move(figures));
  return 0;
}

}  // namespace ricochet::app
