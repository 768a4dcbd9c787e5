#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "report/report.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/energy_over_impulse.hpp"
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

/// Perpendicular to the plane of normal and slip; z points up if possible, otherwise the normal.
std::pair<Vec3, Vec3> axes_of(const Contact& contact) {
  const Vec3& n = contact.n;
  Vec3 slip = contact.V - n * n.dot(contact.V);
  if (!(slip.norm() > 1e-9 * contact.V.norm())) {
    // The direction of largest mobility.
    const Mat3 across = Mat3::Identity() - n * n.transpose();
    const Mat3 W = across * contact.W * across;
    Eigen::Index k = 0;
    W.colwise().norm().maxCoeff(&k);
    slip = W.col(k).norm() > 0 ? Vec3(W.col(k)) : n.unitOrthogonal();
  }
  const Vec3 side = n.cross(slip).normalized();
  const Vec3 vertical = Vec3::UnitZ() - side * side.z();
  const Vec3 up = vertical.norm() > 0.5 ? vertical.normalized() : n;
  Vec3 right = up.cross(side).normalized();
  // Left and right as in the world, if defined.
  Eigen::Index largest = 0;
  right.cwiseAbs().maxCoeff(&largest);
  if (right(largest) < 0) right = -right;
  return {right, up};
}

SolidsPicture picture_of(const MechanismImpact& impact, const VecX& u, std::string title) {
  const CandidateContact& hit = impact.contacts[impact.chosen];
  SolidsPicture out{.title = std::move(title), .solids = {}};
  std::array<bool, 2> seen{};  // first and second of the contact
  const auto is_struck = [&](const MachinePart& part) {
    const auto called = [&](const std::string& name) {
      return std::find(part.contacts.begin(), part.contacts.end(), name) != part.contacts.end();
    };
    const std::array<bool, 2> is{called(hit.at.first), called(hit.at.second)};
    for (std::size_t k = 0; k < 2; ++k) seen[k] = seen[k] || is[k];
    return is[0] || is[1];
  };
  for (const MachinePart& part : impact.machine->parts()) {
    out.solids.push_back({.name = printable(part.name),
                          .corners = part.corners,
                          .radius = part.radius,
                          .fixed = part.fixed,
                          .struck = is_struck(part)});
    if (!part.fixed && !part.bone) out.arrows.push_back({part.centre, part.J * u});
  }
  // The world and unbounded shapes are no parts; their face is drawn at the contact.
  if (!seen[0]) out.grounds.push_back({printable(hit.at.first), hit.at.point, hit.at.n});
  if (!seen[1]) out.grounds.push_back({printable(hit.at.second), hit.at.point, -hit.at.n});
  out.touches.push_back({hit.at.point, 1});
  out.arrows.push_back({hit.at.point, hit.at.J * u, true});
  return out;
}

PageSection bodies_section(const MechanismImpact& impact, const Shown& shown) {
  PageSection out{.id = "bodies", .title = "What hit what"};
  const CandidateContact& hit = impact.contacts[impact.chosen];
  out.text = fmt::format(
      "{} is hit by {} (the dot), seen across the plane of the normal and the initial slip. The velocity of the "
      "contact "
      "point is that of {} relative to {}.",
      printable(hit.at.first), printable(hit.at.second), printable(hit.at.second), printable(hit.at.first));
  const SolidsPicture before = picture_of(impact, impact.u, "before");
  const SolidsPicture after = picture_of(impact, shown.after, fmt::format("after, by {}", shown.law));
  const auto [right, up] = axes_of(impact.collision.contact);
  SolidsView view = view_of(before, right, up);
  view.fastest = std::max(view.fastest, view_of(after, right, up).fastest);
  Drawing first = draw_solids(before, view);
  first.id = "before";
  Drawing second = draw_solids(after, view);
  second.id = "after";
  out.figures = {{std::move(first), "Just before the impact."},
                 {std::move(second), "Just after it, to the same scale of speed."}};
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
    for (int i = 0; i < std::max(c.positions, c.speeds); ++i) {
      const std::string name =
          std::max(c.positions, c.speeds) == 1 ? printable(c.name) : fmt::format("{}[{}]", printable(c.name), i);
      const std::string q = i < c.positions ? report_number(impact.q(c.position + i)) : "";
      if (i >= c.speeds) {
        table.rows.push_back({name, q, "", "", ""});
        continue;
      }
      const double before = impact.u(c.speed + i);
      const double after = shown.after(c.speed + i);
      table.rows.push_back(
          {name, q, report_number(before, scale), report_number(after, scale), report_number(after - before, scale)});
    }
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

}  // namespace

int report_mechanism(const ReportOptions& options, Page& page) {
  MechanismInput input(options.mechanism);
  if (const int status = input.read(); status != 0) return status;
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
