#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "report.hpp"
#include "ricochet/report/energy_over_impulse.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/report/solids_picture.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

/// What the pictures show: the answer of one law, of the registry or of the plane.
struct Shown {
  std::string law;
  VecX after;
  const PlanarAnswer* planar = nullptr;
};

/// Across the plane of the normal and the slip; z up where the page has room for it, else the normal.
std::pair<Vec3, Vec3> axes_of(const Contact& contact) {
  const Vec3& n = contact.n;
  Vec3 slip = contact.V - n * n.dot(contact.V);
  if (!(slip.norm() > 1e-9 * contact.V.norm())) {
    // The way that the contact point can move most easily.
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
  // Left and right as the world has them, where that can be told.
  Eigen::Index largest = 0;
  right.cwiseAbs().maxCoeff(&largest);
  if (right(largest) < 0) right = -right;
  return {right, up};
}

SolidsPicture picture_of(const Struck& struck, const VecX& u, std::string title) {
  const Found& hit = struck.found()[struck.chosen()];
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
  for (const MachinePart& part : struck.machine().parts()) {
    out.solids.push_back({.name = printable(part.name),
                          .corners = part.corners,
                          .radius = part.radius,
                          .fixed = part.fixed,
                          .struck = is_struck(part)});
    if (!part.fixed && !part.bone) out.arrows.push_back({part.centre, part.J * u});
  }
  // The world, or a shape without an end, is no part; where it is hit its face is seen.
  if (!seen[0]) out.grounds.push_back({printable(hit.at.first), hit.at.point, hit.at.n});
  if (!seen[1]) out.grounds.push_back({printable(hit.at.second), hit.at.point, -hit.at.n});
  out.touches.push_back({hit.at.point, 1});
  out.arrows.push_back({hit.at.point, hit.at.J * u, true});
  return out;
}

PageSection bodies_section(const Struck& struck, const Shown& shown) {
  PageSection out{.id = "bodies", .title = "What hit what"};
  const Found& hit = struck.found()[struck.chosen()];
  out.text = fmt::format(
      "{} is hit by {} (the dot), seen across the plane of the normal and the initial slip. The velocity of the "
      "contact "
      "point is that of {} relative to {}.",
      printable(hit.at.first), printable(hit.at.second), printable(hit.at.second), printable(hit.at.first));
  const SolidsPicture before = picture_of(struck, struck.u(), "before");
  const SolidsPicture after = picture_of(struck, shown.after, fmt::format("after, by {}", shown.law));
  const auto [right, up] = axes_of(struck.collision().contact);
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

PageSection asked(const Struck& struck, const std::string& model) {
  PageSection out{.id = "asked", .title = "What was asked"};
  const Found& hit = struck.found()[struck.chosen()];
  PageTable table{.heads = {"quantity", "value"}, .rows = {}};
  table.rows.push_back({"mechanism", printable(model)});
  table.rows.push_back({"degrees of freedom", std::to_string(struck.u().size())});
  table.rows.push_back({"contact", fmt::format("{}: {} and {}", struck.chosen() + 1, printable(hit.at.first),
                                               printable(hit.at.second))});
  table.rows.push_back({"contact point [m]", report_vector(hit.at.point, 1)});
  table.rows.push_back({"gap [m]", report_number(hit.at.gap, 1)});
  table.rows.push_back({"kinetic energy before [J]", report_number(struck.energy(struck.u()))});
  add_contact_rows(table, struck.collision());
  out.tables.push_back(std::move(table));
  return out;
}

/// Positions, and speeds before and after.
PageSection speeds_section(const Struck& struck, const Shown& shown) {
  PageSection out{.id = "speeds",
                  .title = "Speeds before and after",
                  .text = fmt::format("Generalised speeds, after the impact by {}; kinetic energy {} J before, {} J "
                                      "after.",
                                      shown.law, report_number(struck.energy(struck.u())),
                                      report_number(struck.energy(shown.after)))};
  PageTable table{.heads = {"joint", "position", "speed before", "speed after", "change"}, .rows = {}};
  const double scale = struck.u().norm() + shown.after.norm();
  for (const Coordinate& c : struck.machine().coordinates()) {
    for (int i = 0; i < std::max(c.positions, c.speeds); ++i) {
      const std::string name =
          std::max(c.positions, c.speeds) == 1 ? printable(c.name) : fmt::format("{}[{}]", printable(c.name), i);
      const std::string q = i < c.positions ? report_number(struck.q()(c.position + i)) : "";
      if (i >= c.speeds) {
        table.rows.push_back({name, q, "", "", ""});
        continue;
      }
      const double before = struck.u()(c.speed + i);
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
  Struck struck(options.struck);
  if (const int status = struck.read(); status != 0) return status;
  if (const int status = struck.strike(); status != 0) return status;
  const std::vector<Answer> answers = struck.ask_laws();
  for (const Answer& a : answers)
    if (a.bad_value()) return struck.blame(a.outcome.error());
  const std::vector<PlanarAnswer> planar = struck.ask_planar_laws();

  Shown shown;
  for (const PlanarAnswer& a : planar) {
    if (a.law != struck.law()) continue;
    if (!a.outcome) return struck.blame(a.outcome.error());
    shown = {std::string(a.law), a.outcome->u, &a};
  }
  if (is_planar_law(struck.law()) && shown.planar == nullptr)
    return refuse_report("--law", 0, Error{"law", struck.law(), "this contact does not stay in a plane"});
  const Answer* chosen = answer_to_show(answers, find_law(struck.law()) == nullptr ? "routh" : struck.law());
  if (shown.planar == nullptr) {
    if (chosen == nullptr) return struck.blame(answers.front().outcome.error());
    if (struck.law() != "all" && chosen->law != struck.law()) {
      const auto named =
          std::find_if(answers.begin(), answers.end(), [&](const Answer& a) { return a.law == struck.law(); });
      return struck.blame(named->outcome.error());
    }
    shown = {std::string(chosen->law), struck.response().after(chosen->outcome->P), nullptr};
  }

  Collision collision = struck.collision();
  if (collision.title.empty()) collision.title = options.file;
  page.title = printable(collision.title);
  page.subtitle = fmt::format(
      "An impact of a mechanism by every law, each answer with its certificate. Pictures of one law show {}.",
      shown.law);
  page.sections.push_back(bodies_section(struck, shown));
  page.sections.push_back(asked(struck, options.file));
  page.sections.push_back(laws_section(collision, answers));
  if (!planar.empty()) page.sections.push_back(planar_section(planar));
  page.sections.push_back(speeds_section(struck, shown));
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
