#include "commands/simulate_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/base/counted.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/law/registry.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

/// "3 events (2 impact, 1 rest)"
std::string counts_text(const MotionSummary& summary) {
  std::string kinds;
  for (std::size_t i = 0; i < summary.counts.size(); ++i)
    if (summary.counts[i] > 0)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", summary.counts[i],
                           motion::name(static_cast<motion::EventKind>(i)));
  return counted(summary.events(), "event") + (kinds.empty() ? "" : fmt::format(" ({})", kinds));
}

std::string law_text(const MotionScene& scene) {
  std::string out = scene.law;
  if (const LawInfo* law = find_law(scene.law))
    for (const ParameterInfo& parameter : law->parameters)
      if (const auto value = get(scene.settings, parameter.name))
        if (const auto* x = std::get_if<double>(&*value)) out += fmt::format(", {} = {}", parameter.name, *x);
  if (!scene.pairs.empty())
    out += fmt::format("; {} of their own", counted(scene.pairs.size(), "pair with a law", "pairs with laws"));
  return out;
}

void add_event(std::vector<std::vector<std::string>>& table, const motion::World& world, const motion::Event& event) {
  const auto number = [](double x) { return compact(x, 11); };
  table.push_back({std::string(motion::name(event.kind)),
                   fmt::format("{} - {}", printable(world.bodies[event.body_a].name, 30),
                               printable(world.bodies[event.body_b].name, 30)),
                   fmt::format("{:.9g}", event.time), number(event.approach), number(event.slip),
                   number(event.P.norm()), number(event.energy_change), fmt::format("{}", event.together)});
}

}  // namespace

std::string scene_head(const MotionScene& scene, const motion::World& world, const std::vector<std::string>& notes) {
  const auto moving = static_cast<std::size_t>(
      std::count_if(world.bodies.begin(), world.bodies.end(), [](const auto& b) { return !b.body.fixed; }));
  std::string out = fmt::format("{}: {}, {} fixed{}\n", printable(scene.title.empty() ? "a scene" : scene.title),
                                counted(world.bodies.size(), "body", "bodies"), world.bodies.size() - moving,
                                world.joints.empty() ? "" : ", " + counted(world.joints.size(), "hinge"));
  out += fmt::format("law: {}\n", law_text(scene));
  for (const std::string& note : notes)
    for (const std::string& line : wrap("note: " + note, 120)) out += line + "\n";
  return out;
}

std::string simulate_table(const MotionScene& scene, const motion::World& world, const MotionSummary& summary,
                           const std::vector<std::string>& notes) {
  std::string out = scene_head(scene, world, notes);
  out += fmt::format("until {:.9g} s: {}\n", summary.time, counts_text(summary));
  if (summary.stopped) out += fmt::format("stopped: {}\n", summary.stopped->message());
  if (!summary.first.empty()) {
    std::vector<std::vector<std::string>> table{
        {"kind", "bodies", "time [s]", "approach [m/s]", "slip [m/s]", "impulse [N s]", "energy [J]", "together"}};
    for (const motion::Event& event : summary.first) add_event(table, world, event);
    if (summary.events() > summary.first.size() + summary.last.size())
      table.push_back({"...", "", "", "", "", "", "", ""});
    for (const motion::Event& event : summary.last) add_event(table, world, event);
    out += "\n" + rows(table, 2);
  }
  const motion::EnergyLedger& ledger = summary.ledger;
  std::vector<std::vector<std::string>> energies{{"energy", "[J]"},
                                                 {"at the start", fmt::format("{:.9g}", ledger.start)},
                                                 {"work of applied forces", fmt::format("{:.9g}", ledger.applied_work)},
                                                 {"kinetic", fmt::format("{:.9g}", ledger.kinetic)},
                                                 {"potential", fmt::format("{:.9g}", ledger.potential)},
                                                 {"lost to impact", fmt::format("{:.9g}", ledger.lost_to_impact)},
                                                 {"lost to friction", fmt::format("{:.9g}", ledger.lost_to_friction)},
                                                 {"imbalance", fmt::format("{:.2g}", ledger.imbalance())}};
  if (ledger.elastic != 0) energies.insert(energies.begin() + 5, {"elastic", fmt::format("{:.9g}", ledger.elastic)});
  out += "\n" + rows(energies, 1);
  return out;
}

}  // namespace ricochet::app
