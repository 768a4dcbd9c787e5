#include <fmt/format.h>

#include <array>
#include <memory>
#include <numbers>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/fit_report.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/scene/answer.hpp"
#include "terminal/collision_input.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr double degree = std::numbers::pi / 180;

struct EquivalentOptions {
  std::string file;
  std::string law = "spring-sledge";
  std::string to = "chatterjee-ruina";
  std::vector<std::string> sets;
  std::vector<double> angles = {0, 80};
  int count = 33;
  std::string format = "table", out;
};

/// The parameters that a law has, defaults included.
Json parameters_json(const Law& law) {
  Json out = Json::object();
  for (const auto& [name, value] : parameters_of(law)) out[std::string(name)] = to_json(value);
  return out;
}

template <class Fitted>
int show(const EquivalentOptions& options, const std::string& title, const Law& law, const Expected<Fit<Fitted>>& fit) {
  if (!fit) return refuse("--to", 0, fit.error());
  const FitRange range{options.angles[0], options.angles[1], options.count};
  if (options.format == "csv") return write_out(options.out, fit_csv(*fit));
  if (options.format == "json") {
    Json out{{"source", options.file.empty() ? std::string(default_scene_name) : options.file},
             {"law", options.law},
             {"law_parameters", parameters_json(law)},
             {"to", options.to}};
    out.update(fit_json(*fit, range));
    return write_out(options.out, pretty(out) + "\n");
  }
  return write_out(options.out, fmt::format("{}: {} as {}\n{}", title, options.law, options.to, fit_text(*fit, range)));
}

int run_equivalent(const EquivalentOptions& options) {
  CollisionInput input;
  if (const int status = input.read(options.file, options.sets); status != 0) return status;
  const auto law = make_law(options.law, input.collision.settings);
  if (!law) {
    if (find_law(options.law) == nullptr) return refuse("--law", law.error());
    return input.refuse(law.error());
  }
  const auto contacts =
      incidences(input.collision.contact, options.angles[0] * degree, options.angles[1] * degree, options.count);
  if (!contacts) {
    static constexpr std::array<OptionOf, 3> options_of{
        {{"from", "--angles"}, {"to", "--angles"}, {"count", "--count"}}};
    const std::string_view option = option_of(contacts.error(), options_of);
    return refuse(option.empty() ? input.where : option, contacts.error());
  }
  std::vector<Bounce> bounces;
  for (const Contact& contact : *contacts) {
    const auto hit = collide(*law, contact);
    if (!hit) return input.refuse(hit.error());
    bounces.push_back({contact, hit->V});
  }
  const std::string title = input.collision.title.empty() ? "collision" : input.collision.title;
  if (options.to == "chatterjee-ruina") return show(options, title, *law, fit_chatterjee_ruina(bounces));
  return show(options, title, *law, fit_spring_sledge(bounces));
}

}  // namespace

void add_equivalent(Program& program, int& status) {
  const CommandLine command = add_command(program, "equivalent");
  auto options = std::make_shared<EquivalentOptions>();
  command.add_option("FILE", options->file, "a collision; without it the built-in one");
  command.add_option("--law", options->law, "the law to be reproduced, spring-sledge by default").type_name("NAME");
  command.add_option("--to", options->to, "the law to be fitted: chatterjee-ruina (default) or spring-sledge")
      .among({"chatterjee-ruina", "spring-sledge"})
      .type_name("NAME");
  add_set_option(command, options->sets, "overrides a parameter of the file, for --law");
  add_angles_option(command, options->angles, "incidence in degrees from the normal, 0 to 80 by default");
  command.add_option("--count", options->count, "incidences, 33 by default").type_name("N");
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer(
      "Examples:\n  ricochet equivalent scenes/diagonal.toml --set kappa=0.82 --set mu=0.3 --set e=0.9\n"
      "  ricochet equivalent scenes/diagonal.toml --law chatterjee-ruina --to spring-sledge");
  command.callback([options, &status] { status = run_equivalent(*options); });
}

}  // namespace ricochet::app
