#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "answer.hpp"
#include "assignments.hpp"
#include "body_pictures.hpp"
#include "commands.hpp"
#include "figures.hpp"
#include "output_file.hpp"
#include "ricochet/report/page.hpp"
#include "scene.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

struct Options {
  std::string file;
  std::string law;
  std::vector<std::string> sets;
  std::string output = "report.html";
};

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return 2;
}

std::string number(double x) {
  if (std::isinf(x)) return x > 0 ? "∞" : "−∞";
  return fmt::format("{:.5g}", x == 0 ? 0.0 : x);
}
std::string vector(const Vec3& v) { return fmt::format("({}, {}, {})", number(v.x()), number(v.y()), number(v.z())); }

PageSection asked(const Collision& collision) {
  const Contact& c = collision.contact;
  PageSection out{.id = "asked", .title = "What was asked"};
  PageTable table{.heads = {"quantity", "value"}, .rows = {}};
  const auto row = [&](std::string name, std::string value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  if (!collision.body_a.empty())
    row("bodies", fmt::format("{} is hit by {}", printable(collision.body_a), printable(collision.body_b)));
  row("V, relative velocity [m/s]", vector(c.V));
  row("n, normal", vector(c.n));
  row("speed of approach [m/s]", number(-c.n.dot(c.V)));
  row("speed of slip [m/s]", number((c.V - c.n * c.n.dot(c.V)).norm()));
  if (c.immovable) {
    for (int i = 0; i < 3; ++i) row(i == 0 ? "W = M⁻¹ [1/kg], of deficient rank" : "", vector(c.W.row(i)));
  } else {
    for (int i = 0; i < 3; ++i) row(i == 0 ? "M, local mass [kg]" : "", vector(c.M.row(i)));
  }
  const Settings& s = collision.settings;
  const auto show = [&](const char* name, const std::optional<double>& x) {
    if (x) row(name, number(*x));
  };
  show("e, restitution", s.e);
  show("mu, friction", s.mu);
  show("mu_s, sticking friction", s.mu_s);
  show("e_t, tangential restitution", s.e_t);
  out.tables.push_back(std::move(table));
  return out;
}

PageSection answers_of(const Collision& collision, const std::vector<Answer>& answers) {
  PageSection out{
      .id = "laws",
      .title = "What the laws say",
      .text =
          "P acts on the second body; _n is along the normal, _t the size along the surface. Margins are how far "
          "inside each condition the answer lies; a negative one is broken."};
  PageTable table{.heads = {"law", "permissible", "P_n [N s]", "P_t [N s]", "V_n+ [m/s]", "V_t+ [m/s]", "ΔE [J]",
                            "normal work [J]", "friction work [J]", "mode", "energy margin [J]", "separation [m/s]",
                            "compression [N s]", "friction [N s]"},
                  .rows = {}};
  const Vec3& n = collision.contact.n;
  for (const Answer& a : answers) {
    if (!a.outcome) {
      const Error& error = a.outcome.error();
      table.rows.push_back(
          {std::string(a.law),
           fmt::format("no answer: {}{}",
                       error.field.empty() || error.field == "law" ? "" : printable(error.field) + ": ",
                       complaint(error))});
      table.classes.emplace_back("none");
      continue;
    }
    const Outcome& o = *a.outcome;
    const double P_n = n.dot(o.P), V_n = n.dot(o.V);
    const Margins& m = o.certificate.margins;
    // What is rounding beside the impulse, the speed or the energy at hand reads as zero.
    const auto shown = [](double x, double scale) { return number(std::abs(x) <= 1e-13 * scale ? 0 : x); };
    const double momentum = o.P.norm(), speed = o.V.norm() + collision.contact.V.norm();
    const double energy = std::abs(o.normal_work) + std::abs(o.friction_work) + momentum * speed;
    table.rows.push_back(
        {std::string(a.law), o.certificate.permissible ? "yes" : fmt::format("no: {}", fmt::join(broken(o), ", ")),
         shown(P_n, momentum), shown((o.P - P_n * n).norm(), momentum), shown(V_n, speed),
         shown((o.V - V_n * n).norm(), speed), shown(o.energy_change, energy), shown(o.normal_work, energy),
         shown(o.friction_work, energy), std::string(name(o.mode)), shown(m.energy, energy), shown(m.separation, speed),
         shown(m.compression, momentum), shown(m.friction, momentum)});
    table.classes.emplace_back(o.certificate.permissible ? "good" : "bad");
  }
  out.tables.push_back(std::move(table));
  return out;
}

Expected<PageFigure> picture(const BodyPicture& body_picture, std::string id, std::string caption) {
  auto plot = draw_bodies(body_picture);
  if (!plot) return tl::unexpected(plot.error());
  plot->id = std::move(id);
  auto drawing = draw(*plot);
  if (!drawing) return tl::unexpected(drawing.error());
  return PageFigure{*std::move(drawing), std::move(caption)};
}

/// The bodies of the file; or, where it gives only M, two that have it and meet with V.
Expected<PageSection> bodies_of(const Collision& collision, const Answer& chosen) {
  PageSection out{.id = "bodies", .title = "What hit what"};
  const auto pictures = body_pictures(collision, chosen);
  if (!pictures) {
    out.text = "The file gives no bodies, and none with finite mass and inertia have this contact: " +
               complaint(pictures.error()) + ".";
    return out;
  }
  out.text = pictures->realized
                 ? "The file gives M and not bodies. These two have that very M at their contact; they are one choice "
                   "among many."
                 : "Bodies are drawn as the balls or boxes that have their mass and inertia, seen from the side: the "
                   "normal is up, the initial slip to the right.";
  auto first = picture(pictures->before, "before", "Just before the impact.");
  auto second = picture(pictures->after, "after", "Just after it, to the same scale of speed.");
  if (!first || !second) return tl::unexpected(first ? second.error() : first.error());
  out.figures = {*std::move(first), *std::move(second)};
  return out;
}

/// The figures that this collision has; what cannot be drawn is said instead.
PageSection figures_of(const Collision& collision, const Answer& chosen) {
  PageSection out{.id = "figures", .title = "Impulse space and energy"};
  struct Wanted {
    std::string_view kind, law;
    std::string caption;
  };
  const std::vector<Wanted> wanted{
      {"impulse-plane", "all",
       "Section of impulse space through the normal and the slip, with every law's answer. A shadow marks an answer "
       "that lies beside the plane."},
      {"impulse-solid", "all", "Impulse space in parallel projection."},
      {"energy", chosen.law, fmt::format("Work of the normal and of the friction impulse as {} has it.", chosen.law)},
      {"velocity", chosen.law, fmt::format("The contact point's way through velocity space by {}.", chosen.law)}};
  for (const Wanted& w : wanted) {
    auto drawing = figure_of(collision, w.kind, w.law);
    if (drawing) {
      drawing->id = fmt::format("figure-{}", w.kind);
      out.figures.push_back({*std::move(drawing), w.caption});
    } else {
      out.text +=
          fmt::format("{}No picture of kind {}: {}{}.", out.text.empty() ? "" : " ", w.kind,
                      drawing.error().field.empty() ? "" : drawing.error().field + ": ", complaint(drawing.error()));
    }
  }
  return out;
}

int run(const Options& options) {
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  if (!options.law.empty() && find_law(options.law) == nullptr)
    return refuse("--law", 0, make_law(options.law, {}).error());
  std::optional<Collision> collision = read_scene(options.file);
  if (!collision) return 2;
  apply(*assignments, *collision);
  const std::string where = options.file.empty() ? std::string(default_scene_name) : options.file;

  const std::vector<Answer> answers = ask_all(*collision);
  for (const Answer& a : answers)
    if (a.bad_value()) return refuse(where, collision->line_of(a.outcome.error().field), a.outcome.error());
  const std::string shown = !options.law.empty() ? options.law : collision->law.value_or("routh");
  const Answer* chosen = nullptr;
  for (const Answer& a : answers)
    if (a.outcome && (chosen == nullptr || a.law == shown)) chosen = &a;
  if (chosen == nullptr) return refuse(where, 0, answers.front().outcome.error());

  const std::string title = collision->title.empty() ? where : collision->title;
  Page page{.title = printable(title),
            .subtitle = fmt::format(
                "A frictional impact by every law, each answer with its certificate. Pictures of one law show {}.",
                chosen->law),
            .sections = {}};
  auto bodies = bodies_of(*collision, *chosen);
  if (!bodies) return refuse(where, 0, bodies.error());
  page.sections.push_back(*std::move(bodies));
  page.sections.push_back(asked(*collision));
  page.sections.push_back(answers_of(*collision, answers));
  if (chosen->outcome->mode != Mode::separating) page.sections.push_back(figures_of(*collision, *chosen));

  Expected<OutputFile> file = OutputFile::open(options.output);
  const Expected<void> done = file ? file->write(to_html(page)).and_then([&] { return file->commit(); })
                                   : Expected<void>(tl::unexpected(file.error()));
  if (!done) {
    refuse(options.output, 0, done.error());
    return 1;
  }
  fmt::print("{}\n", options.output);
  return 0;
}

}  // namespace

void add_report(CLI::App& program, int& status) {
  auto* command =
      program.add_subcommand("report", "one HTML file about a collision: bodies, all laws, impulse space, energies");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a collision, TOML or one JSON line; without it the built-in one");
  command->add_option("--law", options->law, "the law whose answer is pictured; default: that of the file, or routh")
      ->type_name("NAME");
  command->add_option("--set", options->sets, "overrides a parameter of the file")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("-o,--output", options->output, "report.html by default")->type_name("FILE");
  command->footer("Example:\n  ricochet report scenes/rod.toml -o rod.html");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace ricochet::app
