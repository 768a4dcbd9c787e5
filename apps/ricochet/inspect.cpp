#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

#include "answer.hpp"
#include "assignments.hpp"
#include "commands.hpp"
#include "landmarks.hpp"
#include "output_file.hpp"
#include "scene.hpp"
#include "table.hpp"
#include "text.hpp"
#include "to_json.hpp"

namespace ricochet::app {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> sets;
  std::string format = "table";
};

std::string verdict(const ImpulseSpace& s, const Vec3& P, const Certificate& c) {
  if (c.permissible) return "permissible";
  const Vec3& V = s.contact.V;  // afterwards it is of the same size, or zero but for rounding
  return fmt::format("not permissible: {}", fmt::join(broken(c, P, V, s.energy), ", "));
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
  row("P_I  no friction, e = 0", fmt::format("{} N s  {}", brief(s.P_I, 6), verdict(s, s.P_I, l.P_I)));
  row("P_II no slip, no rebound", fmt::format("{} N s  {}", brief(s.P_II, 6), verdict(s, s.P_II, l.P_II)));
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
                                        : complaint(x.highest.error()));
  row("centroid of the region",
      x.centre ? fmt::format("{} N s, volume {:.6g} (N s)³", brief(x.centre->P, 6), x.centre->volume)
               : complaint(x.centre.error()));
  return out;
}

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return 2;
}

int run(const Options& options) {
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  std::optional<Collision> collision = read_scene(options.file);
  if (!collision) return 2;
  apply(*assignments, *collision);
  const std::string where = options.file.empty() ? std::string(default_scene_name) : options.file;
  const Expected<Landmarks> landmarks = landmarks_of(*collision);
  if (!landmarks) return blame(where, *collision, *assignments, landmarks.error());
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
  auto* command = program.add_subcommand("inspect", "landmarks of a collision's impulse space");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a collision, TOML or one JSON line; without it the built-in one");
  command->add_option("--set", options->sets, "overrides a parameter of the file, mu above all")
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
