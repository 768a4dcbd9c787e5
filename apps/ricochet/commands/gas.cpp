#include "ricochet/granular/gas.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"
#include "terminal/common_options.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

struct GasOptions {
  GasSpec spec;
  std::size_t spheres = 1000, seed = 1;
  double collisions = 50;
  int rows = 20;
  std::string law = "chatterjee-ruina", format = "table", out;
  std::vector<std::string> sets;
};

constexpr std::array<std::string_view, 8> state_columns{"time",  "collisions", "T",        "T_r",
                                                        "ratio", "energy",     "residual", "not_permissible"};
constexpr std::array<std::string_view, 8> state_units{"s", "1", "J", "J", "1", "J", "J", "1"};

/// In the order of `state_columns`; collisions of each sphere.
std::array<double, 8> numbers(const GasState& s, const GasState& start, std::uint32_t spheres) {
  return {s.time,
          2.0 * static_cast<double>(s.collisions) / spheres,
          s.translational_temperature,
          s.rotational_temperature,
          s.rotational_temperature / s.translational_temperature,
          s.energy,
          s.energy - start.energy - s.work,
          static_cast<double>(s.not_permissible)};
}

Json gas_json(const GasOptions& options, const Law& law, const Gas& gas, const std::vector<GasState>& states,
              const std::string& stopped) {
  Json parameters = Json::object();
  for (const auto& [name, value] : parameters_of(law)) parameters[std::string(name)] = to_json(value);
  Json out{{"law", options.law},
           {"parameters", std::move(parameters)},
           {"spheres", gas.spec().spheres},
           {"fraction", gas.spec().fraction},
           {"radius", gas.spec().radius},
           {"mass", gas.spec().mass},
           {"inertia_ratio", gas.spec().inertia_ratio},
           {"settle", gas.spec().settle},
           {"seed", gas.spec().seed},
           {"edge", gas.edge()},
           {"complete", stopped.empty()}};
  if (!stopped.empty()) out["stopped"] = stopped;
  for (std::size_t c = 0; c < state_columns.size(); ++c) {
    Json values = Json::array();
    for (const GasState& s : states) values.push_back(numbers(s, states[0], gas.spec().spheres)[c]);
    out["columns"][std::string(state_columns[c])] = std::move(values);
    out["units"][std::string(state_columns[c])] = state_units[c];
  }
  return out;
}

std::string gas_table(const GasOptions& options, const Gas& gas, const std::vector<GasState>& states) {
  std::string out = fmt::format("{} spheres by {}, volume fraction {}, box of {:.4g} m\n\n", gas.spec().spheres,
                                options.law, gas.spec().fraction, gas.edge());
  std::vector<std::vector<std::string>> table(1);
  for (std::size_t c = 0; c < state_columns.size(); ++c)
    table[0].push_back(state_units[c] == "1" ? std::string(state_columns[c])
                                             : fmt::format("{} [{}]", state_columns[c], state_units[c]));
  for (const GasState& s : states) {
    std::vector<std::string> row;
    for (const double x : numbers(s, states[0], gas.spec().spheres)) row.push_back(compact(x, 10));
    table.push_back(std::move(row));
  }
  return out + rows(table, 0) +
         "\ncollisions  of each sphere\nT, T_r      temperature of translation and of rotation; ratio: T_r/T\n"
         "residual    energy, less what it was and the work that the law reports\n";
}

std::string gas_csv(const Gas& gas, const std::vector<GasState>& states) {
  std::string out = fmt::format("{}\n", fmt::join(state_columns, ","));
  for (const GasState& s : states)
    out += fmt::format("{}\n", fmt::join(numbers(s, states[0], gas.spec().spheres), ","));
  return out;
}

int run_gas(const GasOptions& options) {
  const auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", assignments.error());
  Collision collision;
  override_parameters(*assignments, collision);
  const auto law = make_law(options.law, collision.settings);
  if (!law) return refuse(find_law(options.law) == nullptr ? "--law" : "--set", law.error());
  GasSpec spec = options.spec;
  spec.spheres = static_cast<std::uint32_t>(options.spheres);
  spec.seed = options.seed;
  if (!(std::isfinite(options.collisions) && options.collisions > 0))
    return refuse("--collisions",
                  {ErrorCode::out_of_range, "", fmt::format("{}", options.collisions), "must be positive"});
  auto gas = Gas::make(spec, *law);
  if (!gas) {
    static constexpr std::array<OptionOf, 8> options_of{{{"spheres", "--spheres"},
                                                         {"fraction", "--fraction"},
                                                         {"radius", "--radius"},
                                                         {"mass", "--mass"},
                                                         {"inertia_ratio", "--inertia-ratio"},
                                                         {"speed", "--speed"},
                                                         {"spin", "--spin"},
                                                         {"settle", "--settle"}}};
    return refuse(option_of(gas.error(), options_of), gas.error());
  }
  const double total = options.collisions * spec.spheres / 2;
  std::vector<GasState> states{gas->state()};
  std::string stopped;
  {
    CountProgress progress("rows", static_cast<std::size_t>(options.rows));
    for (int k = 1; k <= options.rows && stopped.empty(); ++k) {
      const auto until = static_cast<std::uint64_t>(std::llround(total * k / options.rows));
      const std::uint64_t done = gas->state().collisions;
      if (until > done)
        if (const auto went = gas->advance(until - done); !went) stopped = went.error().message();
      states.push_back(gas->state());
      progress.step();
    }
  }
  const std::string text = options.format == "json"  ? pretty(gas_json(options, *law, *gas, states, stopped)) + "\n"
                           : options.format == "csv" ? gas_csv(*gas, states)
                                                     : gas_table(options, *gas, states);
  const int status = write_out(options.out, text);
  if (!stopped.empty()) fmt::print(stderr, "not complete: {}\n", stopped);
  return status == 0 && !stopped.empty() ? 1 : status;
}

}  // namespace

void add_gas(Program& program, int& status) {
  const CommandLine command = add_command(program, "gas");
  auto options = std::make_shared<GasOptions>();
  command.add_option("--spheres", options->spheres, "1000 by default")
      .between(std::size_t{2}, std::size_t{100'000'000})
      .type_name("N");
  command.add_option("--fraction", options->spec.fraction, "of the volume, 0.1 by default, at most 0.5").type_name("X");
  command.add_option("--law", options->law, "chatterjee-ruina by default").type_name("NAME");
  add_set_option(command, options->sets, "a parameter of the law; may be repeated");
  command.add_option("--collisions", options->collisions, "of each sphere, 50 by default").type_name("X");
  command.add_option("--rows", options->rows, "of the table, 20 by default").between(1, 1'000'000).type_name("N");
  command.add_option("--radius", options->spec.radius, "[m], 0.5 by default").type_name("X");
  command.add_option("--mass", options->spec.mass, "[kg], 1 by default").type_name("X");
  command.add_option("--inertia-ratio", options->spec.inertia_ratio, "I/(m r^2), 0.4 by default: solid spheres")
      .type_name("X");
  command.add_option("--speed", options->spec.speed, "rms of each component of velocity [m/s], 1 by default")
      .type_name("X");
  command.add_option("--spin", options->spec.spin, "the same of angular velocity [rad/s], 0 by default").type_name("X");
  command
      .add_option("--settle", options->spec.settle, "elastic collisions of each sphere before the start, 10 by default")
      .type_name("X");
  command.add_option("--seed", options->seed, "of the velocities, 1 by default").type_name("N");
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer(
      "Examples:\n"
      "  ricochet gas --law frictionless --set e=0.9\n"
      "  ricochet gas --spheres 10000 --set e=0.9 --set e_t=0.5 --set mu=inf --collisions 100");
  command.callback([options, &status] { status = run_gas(*options); });
}

}  // namespace ricochet::app
