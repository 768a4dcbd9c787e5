#include <fmt/format.h>

#include <memory>
#include <numbers>

#include "answer.hpp"
#include "assignments.hpp"
#include "commands.hpp"
#include "fit_report.hpp"
#include "output_file.hpp"
#include "scene.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

constexpr double degree = std::numbers::pi / 180;

struct Options {
  std::string file;
  std::string law = "spring-sledge";
  std::string to = "chatterjee-ruina";
  std::vector<std::string> sets;
  std::vector<double> angles = {0, 80};
  int count = 33;
  std::string format = "table";
};

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return 2;
}

template <class Law>
int show(const Options& options, const std::string& title, const Expected<Fit<Law>>& fit) {
  if (!fit) return refuse("--to", 0, fit.error());
  const FitRange range{options.angles[0], options.angles[1], options.count};
  if (options.format == "json") {
    Json out{{"source", options.file.empty() ? std::string(default_scene_name) : options.file},
             {"law", options.law},
             {"to", options.to}};
    out.update(fit_json(*fit, range));
    return print_out(pretty(out) + "\n");
  }
  return print_out(fmt::format("{}: {} as {}\n{}", title, options.law, options.to, fit_text(*fit, range)));
}

int run(const Options& options) {
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  std::optional<Collision> collision = read_scene(options.file);
  if (!collision) return 2;
  apply(*assignments, *collision);
  const std::string where = options.file.empty() ? std::string(default_scene_name) : options.file;
  const auto law = make_law(options.law, collision->settings);
  if (!law) {
    if (law.error().field == "law") return refuse("--law", 0, law.error());
    return blame(where, *collision, *assignments, law.error());
  }
  const auto contacts =
      incidences(collision->contact, options.angles[0] * degree, options.angles[1] * degree, options.count);
  if (!contacts) {
    const std::string& field = contacts.error().field;
    return refuse(field == "from" || field == "to" ? "--angles"
                  : field == "count"               ? "--count"
                                                   : where,
                  0, contacts.error());
  }
  std::vector<Bounce> bounces;
  for (const Contact& contact : *contacts) {
    const auto hit = collide(*law, contact);
    if (!hit) return blame(where, *collision, *assignments, hit.error());
    bounces.push_back({contact, hit->V});
  }
  const std::string title = collision->title.empty() ? "collision" : collision->title;
  if (options.to == "chatterjee-ruina") return show(options, title, fit_chatterjee_ruina(bounces));
  return show(options, title, fit_spring_sledge(bounces));
}

}  // namespace

void add_equivalent(CLI::App& program, int& status) {
  auto* command = program.add_subcommand("equivalent",
                                         "parameters of one law that reproduce another best over a range of incidence");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a collision; without it the built-in one");
  command->add_option("--law", options->law, "the law to be reproduced, spring-sledge by default")->type_name("NAME");
  command->add_option("--to", options->to, "the law that is to do it: chatterjee-ruina (default) or spring-sledge")
      ->check(CLI::IsMember({"chatterjee-ruina", "spring-sledge"}))
      ->type_name("NAME");
  command->add_option("--set", options->sets, "overrides a parameter of the file, for --law")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--angles", options->angles, "incidence in degrees from the normal, 0 to 80 by default")
      ->type_name("FROM TO")
      ->expected(2);
  command->add_option("--count", options->count, "incidences, 33 by default")->type_name("N");
  command->add_option("--format", options->format, "table by default")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
  command->footer(
      "Examples:\n  ricochet equivalent scenes/diagonal.toml --set kappa=0.82 --set mu=0.3 --set e=0.9\n"
      "  ricochet equivalent scenes/diagonal.toml --law chatterjee-ruina --to spring-sledge");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace ricochet::app
