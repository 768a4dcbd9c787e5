#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "report/report.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/named_figures.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {

std::string report_number(double x, double scale) {
  if (std::isinf(x)) return x > 0 ? "∞" : "−∞";
  return fmt::format("{:.5g}", x == 0 || std::abs(x) <= 1e-13 * scale ? 0.0 : x);
}

std::string report_vector(const Vec3& v, double scale) {
  return fmt::format("({}, {}, {})", report_number(v.x(), scale), report_number(v.y(), scale),
                     report_number(v.z(), scale));
}

std::string report_refusal(const Error& error) {
  std::string out = fmt::format("no answer: {}", error.message());
  if (out.ends_with(" inf")) out.replace(out.size() - 3, 3, "∞");
  return out;
}

void add_contact_rows(PageTable& table, const Collision& collision) {
  const Contact& c = collision.contact;
  const auto row = [&](std::string name, std::string value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  row("V, relative velocity [m/s]", report_vector(c.V, c.V.norm()));
  row("n, normal", report_vector(c.n, 1));
  row("speed of approach [m/s]", report_number(-c.n.dot(c.V)));
  row("speed of slip [m/s]", report_number((c.V - c.n * c.n.dot(c.V)).norm(), c.V.norm()));
  const Mat3& shown = c.immovable ? c.W : c.M;
  for (int i = 0; i < 3; ++i)
    row(i > 0         ? ""
        : c.immovable ? "W = M⁻¹ [1/kg], of deficient rank"
                      : "M, local mass [kg]",
        report_vector(shown.row(i), shown.norm()));
  const LawParameters& s = collision.settings;
  const auto show = [&](const char* name, const std::optional<double>& x) {
    if (x) row(name, report_number(*x));
  };
  show("e, restitution", s.e);
  show("mu, friction", s.mu);
  show("mu_s, sticking friction", s.mu_s);
  show("e_t, tangential restitution", s.e_t);
}

const Answer* answer_to_show(const std::vector<Answer>& answers, std::string_view law) {
  const Answer* chosen = nullptr;
  for (const Answer& a : answers)
    if (a.outcome && (chosen == nullptr || a.law == law)) chosen = &a;
  return chosen;
}

PageSection laws_section(const Collision& collision, const std::vector<Answer>& answers) {
  PageSection out{
      .id = "laws",
      .title = "Answers of the laws",
      .text =
          "P acts on the second body; n is along the normal, t the size along the surface. An answer is permissible "
          "when four margins are not negative: the energy lost −ΔE, the separation speed, the normal impulse, and "
          "the distance of the tangential impulse from the friction cone, in the last column."};
  PageTable table{
      .heads = {"law", "permissible", "$P_n$ [N\u00a0s]", "$P_t$ [N\u00a0s]", "$V_n^+$ [m/s]", "$V_t^+$ [m/s]",
                "Δ$E$ [J]", "normal work [J]", "friction work [J]", "mode", "friction margin [N\u00a0s]"},
      .rows = {}};
  const Vec3& n = collision.contact.n;
  for (const Answer& a : answers) {
    if (!a.outcome) {
      table.rows.push_back({std::string(a.law), report_refusal(a.outcome.error())});
      table.classes.emplace_back("none");
      continue;
    }
    const Outcome& o = *a.outcome;
    const double P_n = n.dot(o.P), V_n = n.dot(o.V);
    const double momentum = o.P.norm(), speed = o.V.norm() + collision.contact.V.norm();
    const double energy = std::abs(o.normal_work) + std::abs(o.friction_work) + momentum * speed;
    table.rows.push_back(
        {std::string(a.law),
         o.certificate.permissible ? "yes"
                                   : fmt::format("no: {}", fmt::join(condition_names(o.certificate.violated), ", ")),
         report_number(P_n, momentum), report_number((o.P - P_n * n).norm(), momentum), report_number(V_n, speed),
         report_number((o.V - V_n * n).norm(), speed), report_number(o.energy_change, energy),
         report_number(o.normal_work, energy), report_number(o.friction_work, energy), std::string(name(o.mode)),
         report_number(o.certificate.margins.friction, momentum)});
    table.classes.emplace_back(o.certificate.permissible ? "good" : "bad");
  }
  out.tables.push_back(std::move(table));
  return out;
}

PageSection figures_section(const Collision& collision, const std::string& law) {
  PageSection out{.id = "figures", .title = "Impulse space and energy"};
  struct Wanted {
    std::string_view kind, law;
    std::string caption;
  };
  const std::vector<Wanted> wanted{
      {"impulse-plane", "all",
       "Section of impulse space through the normal and the slip, with every law's answer. An answer off the plane is "
       "shown as its projection."},
      {"impulse-solid", "all", "Impulse space in parallel projection."},
      {"energy", law, fmt::format("Work of the normal and of the friction impulse by {}.", law)},
      {"velocity", law, fmt::format("The path of the contact point through velocity space by {}.", law)}};
  for (const Wanted& w : wanted) {
    auto drawing = figure_of(collision, w.kind, w.law);
    if (drawing) {
      drawing->id = fmt::format("figure-{}", w.kind);
      out.figures.push_back({*std::move(drawing), w.caption});
    } else {
      out.text +=
          fmt::format("{}No picture of kind {}: {}.", out.text.empty() ? "" : " ", w.kind, drawing.error().message());
    }
  }
  return out;
}

}  // namespace ricochet::app
