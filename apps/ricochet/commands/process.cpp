#include "ricochet/compliant/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
#include "terminal/collision_input.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

using compliant::Process;
using compliant::ProcessPhase;
using compliant::ProcessPoint;

struct ProcessOptions {
  std::string file, out, format = "table";
  std::vector<std::string> sets;
  std::optional<int> points;
  std::optional<double> stiffness;
};

std::string_view kind(const ProcessPhase& phase) { return phase.sticks ? "stick" : "slip"; }

std::string_view damper_name(compliant::Damper damper) {
  switch (damper) {
    case compliant::Damper::hysteretic: return "hysteretic";
    case compliant::Damper::linear: return "linear";
    case compliant::Damper::hunt_crossley: return "hunt-crossley";
  }
  return "unknown";
}

/// A quantity of a point, by the name that table, CSV and JSON give it.
struct Column {
  std::string_view name;
  double (*of)(const ProcessPoint&);
  std::string_view unit, dimensionless = unit;  ///< with a stiffness, and without
};

constexpr std::array<Column, 17> quantities{
    {{"time", [](const ProcessPoint& p) { return p.time; }, "s", "1/sqrt(c_n W_nn)"},
     {"P_n", [](const ProcessPoint& p) { return p.P_local(0); }, "N s"},
     {"P_t", [](const ProcessPoint& p) { return p.P_local(1); }, "N s"},
     {"P_b", [](const ProcessPoint& p) { return p.P_local(2); }, "N s"},
     {"V_x", [](const ProcessPoint& p) { return p.V(0); }, "m/s"},
     {"V_y", [](const ProcessPoint& p) { return p.V(1); }, "m/s"},
     {"V_z", [](const ProcessPoint& p) { return p.V(2); }, "m/s"},
     {"F_n", [](const ProcessPoint& p) { return p.force(0); }, "N", "1"},
     {"F_t", [](const ProcessPoint& p) { return p.force(1); }, "N", "1"},
     {"F_b", [](const ProcessPoint& p) { return p.force(2); }, "N", "1"},
     {"depth", [](const ProcessPoint& p) { return p.deflection(0); }, "m", "1"},
     {"x_t", [](const ProcessPoint& p) { return p.deflection(1); }, "m", "1"},
     {"x_b", [](const ProcessPoint& p) { return p.deflection(2); }, "m", "1"},
     {"stored_n", [](const ProcessPoint& p) { return p.stored_normal; }, "J"},
     {"stored_t", [](const ProcessPoint& p) { return p.stored_tangential; }, "J"},
     {"lost_n", [](const ProcessPoint& p) { return p.lost_normal; }, "J"},
     {"lost_t", [](const ProcessPoint& p) { return p.lost_friction; }, "J"}}};
/// Those of the table.
constexpr std::array<std::string_view, 11> in_table{"time", "P_n",      "P_t",      "P_b",    "F_n",   "F_t",
                                                    "F_b",  "stored_n", "stored_t", "lost_n", "lost_t"};

std::string_view kind_of(const Process& process, const ProcessPoint& p) {
  const auto phase = static_cast<std::size_t>(p.phase);
  return phase < process.phases.size() ? kind(process.phases[phase]) : "";
}

/// Points are written one by one: as parts of a document they would take many times their memory.
std::string process_json(const ProcessOptions& options, const SpringSledge& law, const Contact& contact,
                         const Process& process) {
  Json units = Json::object();
  for (const Column& c : quantities) units[std::string(c.name)] = process.dimensional ? c.unit : c.dimensionless;
  Json phases = Json::array();
  for (const ProcessPhase& phase : process.phases)
    phases.push_back({{"kind", kind(phase)},
                      {"loading", phase.loading},
                      {"direction", to_json(phase.direction)},
                      {"start", phase.start},
                      {"length", phase.length}});
  const Json head{
      {"law", {{"kappa", law.kappa}, {"mu", to_json(law.mu)}, {"e", law.e}, {"damper", damper_name(law.damper)}}},
      {"M", to_json(contact.M)},
      {"W", to_json(contact.W)},
      {"V", to_json(contact.V)},
      {"n", to_json(contact.n)},
      {"stiffness", options.stiffness ? Json(*options.stiffness) : Json()},
      {"axes", {{"n", to_json(process.n)}, {"t", to_json(process.t)}, {"b", to_json(process.b)}}},
      {"units", std::move(units)},
      {"closed_form", process.closed_form},
      {"duration", process.duration},
      {"P", to_json(process.P)},
      {"V_after", to_json(process.V)},
      {"phases", std::move(phases)}};
  std::string out = pretty(head);
  out.erase(out.rfind('\n'));
  out += ",\n  \"points\": [";
  std::string_view separator = "\n    ";
  for (const ProcessPoint& p : process.points) {
    Json point{{"phase", p.phase + 1}, {"kind", kind_of(process, p)}};
    for (const Column& c : quantities) point[std::string(c.name)] = c.of(p);
    out += separator;
    out += point.dump();
    separator = ",\n    ";
  }
  return out + "\n  ]\n}\n";
}

std::string process_csv(const Process& process) {
  std::string out = "phase,kind";
  for (const Column& c : quantities) out += fmt::format(",{}", c.name);
  out += "\n";
  for (const ProcessPoint& p : process.points) {
    out += fmt::format("{},{}", p.phase + 1, kind_of(process, p));
    for (const Column& c : quantities) out += fmt::format(",{}", c.of(p));
    out += "\n";
  }
  return out;
}

/// One line for each phase, at its end.
std::string process_text(const SpringSledge& law, const Process& process, const std::string& title) {
  const bool si = process.dimensional;
  std::string out =
      fmt::format("Compliant impact: {}\nkappa {:.6g}, mu {:.6g}, e {:.6g}, {} spring; lasts {:.6g}{}{}\n\n", title,
                  law.kappa, law.mu, law.e, damper_name(law.damper), process.duration,
                  si ? " s" : " in units of 1/sqrt(c_n W_nn)", process.closed_form ? "; closed form" : "");
  std::string names = fmt::format("{:>5}  {:<6}", "phase", "kind"), units(13, ' ');
  for (const Column& c : quantities) {
    if (std::find(in_table.begin(), in_table.end(), c.name) == in_table.end()) continue;
    names += fmt::format("{:>11}", c.name);
    // The unit of a dimensionless time is stated above.
    const std::string_view unit = si ? c.unit : c.name == "time" || c.dimensionless == "1" ? "" : c.dimensionless;
    units += fmt::format("{:>11}", unit);
  }
  out += names + "\n" + units + "\n";
  constexpr std::size_t most = 40;
  for (std::size_t i = 0, k = 0; i < process.phases.size(); ++i) {
    while (k + 1 < process.points.size() && process.points[k + 1].phase <= static_cast<int>(i)) ++k;
    if (process.phases.size() > most && i >= most / 2 && i + most / 2 < process.phases.size()) {
      if (i == most / 2) out += fmt::format("{:>5}  ({} more)\n", "...", process.phases.size() - most);
      continue;
    }
    const ProcessPoint& p = process.points[k];
    out += fmt::format("{:>5}  {:<6}", i + 1, kind(process.phases[i]));
    for (const Column& c : quantities)
      if (std::find(in_table.begin(), in_table.end(), c.name) != in_table.end())
        out += fmt::format("{:>11}", compact(c.of(p), 10));
    out += "\n";
  }
  out += fmt::format("\nP = {} N s, V after = {} m/s\n", brief(process.P, 6), brief(process.V, 6));
  return out;
}

int run_process(const ProcessOptions& options) {
  CollisionInput input;
  if (const int status = input.read(options.file, options.sets); status != 0) return status;
  const auto law = make_law("spring-sledge", input.collision.settings);
  if (!law) return input.refuse(law.error());
  const auto& sledge = std::get<SpringSledge>(*law);
  const auto process = compliant::process(sledge, input.collision.contact,
                                          {.points_per_phase = options.points, .stiffness = options.stiffness});
  if (!process) {
    const Error& error = process.error();
    static constexpr std::array<OptionOf, 2> options_of{
        {{"points_per_phase", "--points"}, {"stiffness", "--stiffness"}}};
    if (const std::string_view option = option_of(error, options_of); !option.empty()) return refuse(option, error);
    return input.refuse(error);
  }
  const std::string text = options.format == "json"  ? process_json(options, sledge, input.collision.contact, *process)
                           : options.format == "csv" ? process_csv(*process)
                                                     : process_text(sledge, *process, input.title());
  return write_out(options.out, text);
}

}  // namespace

void add_process(Program& program, int& status) {
  const CommandLine command = add_command(program, "process");
  auto options = std::make_shared<ProcessOptions>();
  command.add_option("FILE", options->file, "a collision, TOML or one JSON line; without it the built-in one");
  add_set_option(command, options->sets, "overrides a parameter of the file: kappa, mu, e, damper");
  command.add_option("--points", options->points, "points for each phase, 24 by default; at most 200000 in all")
      .type_name("N");
  command.add_option("--stiffness", options->stiffness, "of the normal spring [N/m]; gives seconds, newtons and metres")
      .type_name("C");
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer(
      "P acts on body B, towards which n points.\n\nExample:\n  ricochet process scenes/bar.toml --set kappa=0.82 "
      "--format csv");
  command.callback([options, &status] { status = run_process(*options); });
}

}  // namespace ricochet::app
