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
#include "terminal/collision_input.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

struct InspectOptions {
  std::string file;
  std::vector<std::string> sets;
  std::string format = "table", out;
};

std::string verdict(const Certificate& c) {
  if (c.permissible) return "permissible";
  return fmt::format("not permissible: {}", fmt::join(condition_names(c.violated), ", "));
}

std::string inspect_text(const Landmarks& l, const Extremes& x, const std::string& title) {
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

int run_inspect(const InspectOptions& options) {
  CollisionInput input;
  if (const int status = input.read(options.file, options.sets); status != 0) return status;
  const Expected<Landmarks> landmarks = landmarks_of(input.collision);
  if (!landmarks) return input.refuse(landmarks.error());
  const Extremes extremes = extremes_of(*landmarks);
  if (options.format == "json") {
    Json document = to_json(*landmarks);
    document.update(to_json(extremes));
    return write_out(options.out, pretty(document) + "\n");
  }
  return write_out(options.out, inspect_text(*landmarks, extremes, input.title()));
}

}  // namespace

void add_inspect(Program& program, int& status) {
  const CommandLine command = add_command(program, "inspect");
  auto options = std::make_shared<InspectOptions>();
  command.add_option("FILE", options->file, "a collision, TOML or one JSON line; without it the built-in one");
  add_set_option(command, options->sets, "overrides a parameter of the file, for example mu");
  add_format_option(command, options->format, {"table", "json"});
  add_output_option(command, options->out);
  command.footer(
      "Example:\n  ricochet inspect scenes/rod.toml --set mu=0.5\n\nP acts on body B, towards which n points.");
  command.callback([options, &status] { status = run_inspect(*options); });
}

}  // namespace ricochet::app
