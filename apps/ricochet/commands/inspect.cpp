#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/landmarks_json.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/scene/answer.hpp"
#include "ricochet/scene/landmarks.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> sets;
  std::string format = "table";
};

std::string verdict(const Certificate& c) {
  if (c.permissible) return "permissible";
  return fmt::format("not permissible: {}", fmt::join(condition_names(c.violated), ", "));
}

std::string as_text(const Landmarks& l, const Extremes& x, const std::string& title) {
  const ImpulseSpace& s = l.space;
  std::string out = fmt::format("Impulse space of {}\n\n", title);
  const auto row = [&](std::string_view name, const std::string& value) {
    out += fmt::format("{:<26}  {}\n", name, value);
  };
  row("V before", brief(s.contact.V) + " m/s");
  row("n", brief(s.contact.n));
  row("contact energy ½ V·MV", fmt::format("{:.6g} J", s.energy));
  row("P_I  no friction, e = 0", fmt::format("{} N s  {}", brief(s.P_I, 6), verdict(l.P_I)));
  row("P_II no slip, no rebound", fmt::format("{} N s  {}", brief(s.P_II, 6), verdict(l.P_II)));
  row("energy ellipsoid", fmt::format("centre P_II, half axes"));
  for (const auto& axis : s.ellipsoid.half_axes)
    row("", fmt::format("{:.6g} N s along {}", axis.length, brief(axis.direction)));
  row("plane of max. compression",
      fmt::format("P·{} = {:.6g} N s", brief(s.maximum_compression.normal), s.maximum_compression.offset));
  row("line of sticking", s.sticking.direction
                              ? fmt::format("{} + x {}", brief(s.sticking.point), brief(*s.sticking.direction))
                              : fmt::format("{} only: no impulse leaves V along n", brief(s.sticking.point)));
  for (int i = 0; i < s.sticking.null_count; ++i)
    row("immovable along", brief(s.sticking.null[static_cast<std::size_t>(i)]));
  row("friction cone",
      fmt::format("mu = {:.6g}, half angle {:.4g}° about n", s.mu, s.cone.half_angle * 180 / std::numbers::pi));
  row("highest attainable e", x.highest ? fmt::format("{:.6g} at P = {} N s, where {} ends", x.highest->e,
                                                      brief(x.highest->P, 6), name(x.highest->boundary))
                                        : x.highest.error().message());
  row("centroid of the region",
      x.centre ? fmt::format("{} N s, volume {:.6g} (N s)³", brief(x.centre->P, 6), x.centre->volume)
               : x.centre.error().message());
  return out;
}

int run(const Options& options) {
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  Read<Collision> collision = open_collision(options.file);
  if (!collision) return refuse(collision.error());
  override_parameters(*assignments, *collision);
  const std::string where = options.file.empty() ? std::string(default_scene_name) : options.file;
  const Expected<Landmarks> landmarks = landmarks_of(*collision);
  if (!landmarks) return report_parameter_error(where, *collision, *assignments, landmarks.error());
  const Extremes extremes = extremes_of(*landmarks);
  if (options.format == "json") {
    Json document = to_json(*landmarks);
    document.update(to_json(extremes));
    return print_out(pretty(document) + "\n");
  }
  return print_out(as_text(*landmarks, extremes, collision->title.empty() ? where : printable(collision->title)));
}

}  // namespace

void add_inspect(CLI::App& program, int& status) {
  auto* command = add_command(program, "inspect");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a collision, TOML or one JSON line; without it the built-in one");
  command->add_option("--set", options->sets, "overrides a parameter of the file, for example mu")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--format", options->format, "table by default")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
  command->footer("Example:\n  ricochet inspect scenes/rod.toml --set mu=0.5");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace ricochet::app
