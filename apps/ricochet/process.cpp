#include "ricochet/compliant/process.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "assignments.hpp"
#include "commands.hpp"
#include "output_file.hpp"
#include "scene.hpp"
#include "table.hpp"
#include "text.hpp"
#include "to_json.hpp"

namespace ricochet::app {
namespace {

using compliant::Process;
using compliant::ProcessPhase;
using compliant::ProcessPoint;

struct Options {
  std::string file;
  std::vector<std::string> sets;
  std::string format = "table";
  int points = 24;
  std::optional<double> stiffness;
};

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return 2;
}

std::string_view kind(const ProcessPhase& phase) { return phase.sticks ? "stick" : "slip"; }

std::string_view damper_name(compliant::Damper damper) {
  switch (damper) {
    case compliant::Damper::hysteretic: return "hysteretic";
    case compliant::Damper::linear: return "linear";
    case compliant::Damper::hunt_crossley: return "hunt-crossley";
  }
  return "unknown";
}

Json point_json(const ProcessPoint& p) {
  return {{"time", p.time},
          {"phase", p.phase},
          {"P", to_json(p.P)},
          {"V", to_json(p.V)},
          {"P_local", to_json(p.P_local)},
          {"force", to_json(p.force)},
          {"deflection", to_json(p.deflection)},
          {"stored_normal", p.stored_normal},
          {"stored_tangential", p.stored_tangential},
          {"lost_normal", p.lost_normal},
          {"lost_friction", p.lost_friction}};
}

std::string as_json(const SpringSledge& law, const Contact& contact, const Process& process) {
  Json phases = Json::array();
  for (const ProcessPhase& phase : process.phases)
    phases.push_back({{"kind", kind(phase)},
                      {"loading", phase.loading},
                      {"direction", to_json(phase.direction)},
                      {"start", phase.start},
                      {"length", phase.length}});
  Json points = Json::array();
  for (const ProcessPoint& p : process.points) points.push_back(point_json(p));
  const Json out{
      {"law", {{"kappa", law.kappa}, {"mu", to_json(law.mu)}, {"e", law.e}, {"damper", damper_name(law.damper)}}},
      {"M", to_json(contact.M)},
      {"W", to_json(contact.W)},
      {"V", to_json(contact.V)},
      {"axes", {{"n", to_json(process.n)}, {"t", to_json(process.t)}, {"b", to_json(process.b)}}},
      {"units", process.dimensional ? "SI" : "dimensionless time, force and deflection"},
      {"closed_form", process.closed_form},
      {"duration", process.duration},
      {"P", to_json(process.P)},
      {"V_after", to_json(process.V)},
      {"phases", std::move(phases)},
      {"points", std::move(points)}};
  return pretty(out) + "\n";
}

std::string as_csv(const Process& process) {
  std::string out =
      "time,phase,kind,P_n,P_t,P_b,V_x,V_y,V_z,F_n,F_t,F_b,depth,x_t,x_b,stored_normal,stored_tangential,lost_normal,"
      "lost_friction\n";
  for (const ProcessPoint& p : process.points) {
    const auto phase = static_cast<std::size_t>(p.phase);
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p.time, p.phase,
                       phase < process.phases.size() ? kind(process.phases[phase]) : "", p.P_local(0), p.P_local(1),
                       p.P_local(2), p.V(0), p.V(1), p.V(2), p.force(0), p.force(1), p.force(2), p.deflection(0),
                       p.deflection(1), p.deflection(2), p.stored_normal, p.stored_tangential, p.lost_normal,
                       p.lost_friction);
  }
  return out;
}

/// One line for each phase, at its end.
std::string as_text(const SpringSledge& law, const Process& process, const std::string& title) {
  const bool si = process.dimensional;
  std::string out =
      fmt::format("Compliant impact: {}\nkappa {:.6g}, mu {:.6g}, e {:.6g}, {} spring; lasts {:.6g}{}{}\n\n", title,
                  law.kappa, law.mu, law.e, damper_name(law.damper), process.duration,
                  si ? " s" : " in units of 1/sqrt(c_n W_nn)", process.closed_form ? "; closed form" : "");
  out += fmt::format("{:>5}  {:<6}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "phase", "", "until",
                     "P_n", "P_t", "P_b", "F_n", "F_t", "stored", "normal", "friction");
  out += fmt::format("{:>5}  {:<6}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "", "", si ? "s" : "",
                     "N s", "N s", "N s", si ? "N" : "", si ? "N" : "", "J", "J lost", "J lost");
  constexpr std::size_t most = 40;
  for (std::size_t i = 0, k = 0; i < process.phases.size(); ++i) {
    while (k + 1 < process.points.size() && process.points[k + 1].phase <= static_cast<int>(i)) ++k;
    if (process.phases.size() > most && i >= most / 2 && i + most / 2 < process.phases.size()) {
      if (i == most / 2) out += fmt::format("{:>5}  ({} more)\n", "...", process.phases.size() - most);
      continue;
    }
    const ProcessPoint& p = process.points[k];
    out += fmt::format("{:>5}  {:<6}", i + 1, kind(process.phases[i]));
    for (const double x : {p.time, p.P_local(0), p.P_local(1), p.P_local(2), p.force(0), p.force(1),
                           p.stored_normal + p.stored_tangential, p.lost_normal, p.lost_friction})
      out += fmt::format("{:>11}", compact(x, 10));
    out += "\n";
  }
  out += fmt::format("\nP = {} N s, V after = {} m/s\n", brief(process.P, 6), brief(process.V, 6));
  return out;
}

int run(const Options& options) {
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  std::optional<Collision> collision = read_scene(options.file);
  if (!collision) return 2;
  apply(*assignments, *collision);
  const std::string where = options.file.empty() ? std::string(default_scene_name) : options.file;
  const auto law = make_law("spring-sledge", collision->settings);
  if (!law) return blame(where, *collision, *assignments, law.error());
  const auto& sledge = std::get<SpringSledge>(*law);
  const auto process = compliant::process(sledge, collision->contact,
                                          {.points_per_phase = options.points, .stiffness = options.stiffness});
  if (!process) {
    Error error = process.error();
    if (error.field == "points_per_phase") error.field = "points";
    if (error.field == "points" || error.field == "stiffness") return refuse("--" + error.field, 0, error);
    return blame(where, *collision, *assignments, error);
  }
  if (options.format == "json") return print_out(as_json(sledge, collision->contact, *process));
  if (options.format == "csv") return print_out(as_csv(*process));
  return print_out(as_text(sledge, *process, collision->title.empty() ? where : printable(collision->title)));
}

}  // namespace

void add_process(CLI::App& program, int& status) {
  auto* command = program.add_subcommand("process", "a compliant impact over time: forces, deflections, energies");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a collision, TOML or one JSON line; without it the built-in one");
  command->add_option("--set", options->sets, "overrides a parameter of the file: kappa, mu, e, damper")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--points", options->points, "points for each phase, 24 by default")->type_name("N");
  command
      ->add_option("--stiffness", options->stiffness, "of the normal spring [N/m]; gives seconds, newtons and metres")
      ->type_name("C");
  command->add_option("--format", options->format, "table by default")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->type_name("FORMAT");
  command->footer("Example:\n  ricochet process scenes/bar.toml --set kappa=0.82 --format csv");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace ricochet::app
