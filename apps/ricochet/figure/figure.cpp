#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "figure/write_pdf.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/collision_plots.hpp"
#include "ricochet/report/named_figures.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

struct FigureOptions {
  std::string what;
  std::string kind;
  std::string law;
  std::vector<std::string> sets;
  std::string output;
  bool list = false;
};

constexpr std::string_view default_kind = "impulse-plane";

/// Format by the extension of `path`; returns the exit code.
int write(const Drawing& drawing, const std::string& path) {
  const bool pdf = path.ends_with(".pdf");
  const Expected<std::string> bytes = pdf ? to_pdf(drawing) : Expected<std::string>(to_svg(drawing));
  if (!bytes) return refuse(path, 0, bytes.error());
  return write_and_name(path, *bytes);
}

/// A named figure reproduces the paper and has no options.
int check_named(const FigureOptions& options) {
  const auto refuse_option = [](const char* name) {
    return refuse(name, 0,
                  Error{ErrorCode::conflict, "", "", "goes with a collision file, not with the name of a figure"});
  };
  if (!options.kind.empty()) return refuse_option("--kind");
  if (!options.law.empty()) return refuse_option("--law");
  if (!options.sets.empty()) return refuse_option("--set");
  return 0;
}

/// Without a dot or a slash it is a name, unless such a file exists.
bool is_no_file(const std::string& what) {
  return !what.empty() && what != "-" && what.find('/') == std::string::npos && !what.ends_with(".toml") &&
         !what.ends_with(".json") && !what.ends_with(".jsonl") && access(what.c_str(), F_OK) != 0;
}

int refuse_name(const std::string& name) {
  std::vector<std::string_view> names;
  for (const NamedFigure& figure : named_figures()) names.push_back(figure.name);
  const std::string_view guess = closest(name, names);
  return refuse(
      name, 0,
      Error{ErrorCode::unknown_name, "", "",
            guess.empty() ? std::string("neither a file nor the name of a figure; ricochet figure --list shows "
                                        "the names")
                          : fmt::format("neither a file nor the name of a figure; did you mean {}?", guess)});
}

int run_figure(const FigureOptions& options) {
  if (options.list) {
    std::string text;
    for (const NamedFigure& figure : named_figures()) text += fmt::format("{:<10} {}\n", figure.name, figure.title);
    return print_out(text);
  }
  if (!options.output.empty() && !options.output.ends_with(".svg") && !options.output.ends_with(".pdf"))
    return refuse("--output", 0, Error{ErrorCode::out_of_range, "output", options.output, "must end in .svg or .pdf"});

  std::optional<Drawing> drawing;
  std::string base;
  for (const NamedFigure& figure : named_figures()) {
    if (figure.name != options.what) continue;
    if (const int status = check_named(options); status != 0) return status;
    auto made = figure.make();
    if (!made) return refuse(options.what, 0, made.error());
    drawing = *std::move(made);
    base = options.what;
  }
  if (!drawing) {
    const auto assignments = read_assignments(options.sets);
    if (!assignments) return refuse("--set", 0, assignments.error());
    if (is_no_file(options.what)) return refuse_name(options.what);
    Read<Collision> collision = open_collision(options.what);
    if (!collision) return refuse(collision.error());
    override_parameters(*assignments, *collision);
    const std::string kind(options.kind.empty() ? default_kind : options.kind);
    auto made = figure_of(*collision, kind, options.law);
    if (!made)
      return report_parameter_error(options.what.empty() ? default_scene_name : options.what, *collision, *assignments,
                                    made.error());
    drawing = *std::move(made);
    base = kind;
  }
  if (!options.output.empty()) return write(*drawing, options.output);
  const int svg = write(*drawing, base + ".svg");
  return svg != 0 ? svg : write(*drawing, base + ".pdf");
}

}  // namespace

void add_figure(Program& program, int& status) {
  const CommandLine command = add_command(program, "figure");
  auto options = std::make_shared<FigureOptions>();
  command
      .add_option("WHAT", options->what,
                  "a figure of the papers by name, or a collision file; without it the built-in collision")
      .type_name("NAME|FILE");
  command.add_flag("--list", options->list, "the names of the figures");
  command
      .add_option("--kind", options->kind,
                  "picture of a collision file: impulse-plane (default), impulse-solid, energy, velocity, process, "
                  "forces, before, after")
      .among(std::vector<std::string>(plot_kinds().begin(), plot_kinds().end()))
      .type_name("KIND");
  command.add_option("--law", options->law, "one law, or all (default); energy and velocity show one, routh by default")
      .type_name("NAME");
  add_set_option(command, options->sets, "overrides a parameter of the file");
  command.add_option("-o,--output", options->output, "a .svg or .pdf; without it NAME.svg and NAME.pdf here")
      .type_name("FILE");
  command.footer(
      "Examples:\n  ricochet figure cr98-4\n  ricochet figure scenes/planar.toml --kind energy -o energy.pdf\n\n"
      "P acts on body B, towards which n points.");
  command.callback([options, &status] { status = run_figure(*options); });
}

}  // namespace ricochet::app
