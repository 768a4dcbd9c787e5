#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/mechanism_json.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/scene/answer.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "terminal/common_options.hpp"
#include "terminal/mechanism_input.hpp"
#include "terminal/output_file.hpp"
#include "terminal/planar_table.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"
#include "terminal/write_table.hpp"

namespace ricochet::app {
namespace {

struct ImpactOptions {
  MechanismOptions mechanism;
  bool list = false, systems = false;
  std::string format = "table", out;
};

std::string contacts_text(const std::vector<CandidateContact>& found) {
  if (found.empty()) return "No contact within reach.\n";
  std::size_t wide = 4;
  for (const CandidateContact& f : found) wide = std::max(wide, columns(printable(f.pair())));
  std::string out = fmt::format("{:>3}  {:<{}}  {:>11}  {:>11}  {:>11}  {:<24}  {}\n", "", "pair", wide, "gap [m]",
                                "approach", "slip [m/s]", "n", "point [m]");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CandidateContact& f = found[i];
    out += fmt::format("{:>3}  {:<{}}  {:>11.4g}  {:>11.4g}  {:>11.4g}  {:<24}  {}{}\n", i + 1, printable(f.pair()),
                       wide, f.at.gap, f.approach(), (f.V + f.approach() * f.at.n).norm(), brief(f.at.n),
                       brief(f.at.point), f.at.patch ? "  one of a patch" : "");
  }
  return out;
}

std::string speeds_text(const Machine& machine, const VecX& before, const VecX& after) {
  std::vector<double> numbers(before.begin(), before.end());
  numbers.insert(numbers.end(), after.begin(), after.end());
  const std::vector<std::string> texts = align(numbers, 11);
  const auto count = static_cast<std::size_t>(before.size());
  std::size_t wide = 5;
  for (const Coordinate& c : machine.coordinates()) wide = std::max(wide, columns(printable(c.name)) + 3);
  std::string out = fmt::format("\n{:<{}}  {:>11}  {:>11}\n", "speed", wide, "before", "after");
  for (const Coordinate& c : machine.coordinates()) {
    for (int i = 0; i < c.speeds; ++i) {
      const auto k = static_cast<std::size_t>(c.speed) + static_cast<std::size_t>(i);
      const std::string name = c.speeds == 1 ? printable(c.name) : fmt::format("{}[{}]", printable(c.name), i);
      out += fmt::format("{:<{}}  {:>11}  {:>11}\n", name, wide, texts[k], texts[count + k]);
    }
  }
  return out;
}

std::string numbers_text(const VecX& x) {
  std::string out;
  for (const double value : x) out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", value);
  return out;
}

/// The default sizes, coordinates and states of the bundled systems, which are always valid.
int write_systems(const ImpactOptions& options) {
  const bool json = options.format == "json";
  std::string out;
  Json all = Json::array();
  for (const Bundled& system : bundled_systems()) {
    const std::unique_ptr<Machine> machine = make_bundled(system, {}).value();
    const VecX q = machine->default_q();
    const VecX u = machine->default_u();
    out += fmt::format("{}{}: {}\n", out.empty() ? "" : "\n", system.name, system.what);
    Json coordinates = Json::array();
    for (std::size_t i = 0; i < system.coordinates.size(); ++i) {
      const BundledCoordinate& c = system.coordinates[i];
      const Coordinate& at = machine->coordinates()[i];
      const VecX q_i = q.segment(at.position, at.positions);
      const VecX u_i = u.segment(at.speed, at.speeds);
      out += fmt::format("  {:<9} {}; q = {}, u = {}\n", c.name, c.meaning, numbers_text(q_i), numbers_text(u_i));
      coordinates.push_back({{"name", c.name}, {"meaning", c.meaning}, {"q", to_json(q_i)}, {"u", to_json(u_i)}});
    }
    Json sizes = Json::array();
    for (const SizeInfo& size : system.sizes) {
      out += fmt::format("  --size {}={}  {}\n", size.name,
                         size.default_value ? fmt::format("{}", *size.default_value) : "Z", size.meaning);
      sizes.push_back({{"name", size.name},
                       {"default", size.default_value ? Json(*size.default_value) : Json(nullptr)},
                       {"meaning", size.meaning}});
    }
    out += fmt::format("  ricochet impact {} {}\n", system.name, system.example);
    all.push_back({{"name", system.name},
                   {"what", system.what},
                   {"coordinates", std::move(coordinates)},
                   {"sizes", std::move(sizes)},
                   {"example", fmt::format("ricochet impact {} {}", system.name, system.example)}});
  }
  return write_out(options.out, json ? pretty(Json{{"systems", std::move(all)}}) + "\n" : out);
}

/// Reads the input, finds the contacts, evaluates the laws.
class Impact {
 public:
  explicit Impact(const ImpactOptions& options) : options_(options), input_(options.mechanism) {}

  int run() {
    if (const int status = input_.read(); status != 0) return status;
    return options_.list ? print_list() : answer();
  }

 private:
  int print_list() const {
    if (options_.format == "table") return write_out(options_.out, contacts_text(impact().contacts));
    return write_out(options_.out, pretty(Json{{"model", printable(options_.mechanism.model)},
                                               {"q", to_json(impact().q)},
                                               {"u", to_json(impact().u)},
                                               {"contacts", to_json(impact().contacts)}}) +
                                       "\n");
  }

  int answer() {
    if (const int status = input_.strike(); status != 0) return status;
    const Response& response = impact().response;
    const Collision& collision = impact().collision;
    if (const LawInfo* form = find_planar_closed_form(input_.law())) return answer_planar(*form, response, collision);
    std::vector<Answer> answers;
    std::vector<PlanarAnswer> planar;
    if (input_.law() == "all") {
      answers = impact().ask_laws();
      planar = impact().ask_planar_laws();
    } else {
      answers.push_back(ask(input_.law(), collision));
      if (!answers[0].outcome) return input_.report_parameter_error(answers[0].outcome.error());
    }
    if (const auto refusal = refusal_of(answers)) return input_.report_parameter_error(*refusal);
    return options_.format == "json" ? print_json(response, answers, planar)
                                     : print_table(response, collision, answers, planar);
  }

  int answer_planar(const LawInfo& form, const Response& response, const Collision& collision) const {
    const auto problem = in_its_plane(response);
    if (!problem) return refuse(options_.mechanism.model, 0, problem.error());
    const PlanarAnswer planar = ask_planar(form, collision.settings, *problem);
    if (!planar.outcome) return input_.report_parameter_error(planar.outcome.error());
    if (options_.format == "json") return print_json(response, {}, {planar});
    const PlanarOutcome& o = *planar.outcome;
    std::string out = contacts_text(impact().contacts);
    out += fmt::format("\nImpact {} by {}, in the plane of n = {} and t = {}\n\n", impact().chosen + 1, input_.law(),
                       brief(problem->n), brief(problem->t));
    out += planar_table({&planar, 1}) + "\n" + planar_states(o);
    out += speeds_text(*impact().machine, impact().u, o.u) + energy_text(o.u, o.normal_work, o.friction_work);
    return write_out(options_.out, out);
  }

  [[nodiscard]] std::string energy_text(const VecX& after, double normal_work, double friction_work) const {
    return fmt::format("\nkinetic energy {:.6g} J before, {:.6g} J after: normal work {:.6g} J, friction {:.6g} J\n",
                       impact().energy(impact().u), impact().energy(after), normal_work, friction_work);
  }

  int print_table(const Response& response, const Collision& collision, const std::vector<Answer>& answers,
                  const std::vector<PlanarAnswer>& planar) const {
    const Source source{.name = options_.mechanism.model,
                        .many = false,
                        .every_law = answers.size() > 1,
                        .colour = colour_wanted(options_.out)};
    fmt::memory_buffer out;
    append(out, contacts_text(impact().contacts));
    fmt::format_to(fmt::appender(out), "\nImpact {}. ", impact().chosen + 1);
    make_writer(Format::table, source)->collision(out, 1, collision, answers);
    if (answers.size() == 1) {
      const Outcome& o = *answers[0].outcome;
      const VecX after = response.after(o.P);
      append(out, speeds_text(*impact().machine, impact().u, after));
      append(out, energy_text(after, o.normal_work, o.friction_work));
    }
    if (!planar.empty()) {
      append(out, "\nIn closed form in the plane (p_t and v_t along the surface, signed):\n\n");
      append(out, planar_table(planar));
    }
    return write_out(options_.out, {out.data(), out.size()});
  }

  int print_json(const Response& response, const std::vector<Answer>& answers,
                 const std::vector<PlanarAnswer>& planar) const {
    Json joints = Json::array();
    for (const Coordinate& c : impact().machine->coordinates())
      joints.push_back({{"name", printable(c.name)}, {"q", c.position}, {"u", c.speed}, {"speeds", c.speeds}});
    Json document{{"model", printable(options_.mechanism.model)},
                  {"joints", std::move(joints)},
                  {"q", to_json(impact().q)},
                  {"u", to_json(impact().u)},
                  {"energy", impact().energy(impact().u)},
                  {"contacts", to_json(impact().contacts)},
                  {"chosen", impact().chosen + 1},
                  {"W", to_json(response.W)}};
    Json all = Json::array();
    for (const Answer& answer : answers) {
      Json one = to_json(answer);
      if (answer.outcome) {
        const VecX after = response.after(answer.outcome->P);
        one["u"] = to_json(after);
        one["energy"] = impact().energy(after);
      }
      all.push_back(std::move(one));
    }
    Json in_plane = Json::array();
    for (const PlanarAnswer& answer : planar) {
      Json one = to_json(answer);
      if (answer.outcome) {
        one["u"] = to_json(answer.outcome->u);
        one["energy"] = impact().energy(answer.outcome->u);
      }
      in_plane.push_back(std::move(one));
    }
    // A single law gives the only answer, of either kind.
    if (answers.empty()) {
      document["answers"] = std::move(in_plane);
    } else {
      document["answers"] = std::move(all);
      if (!in_plane.empty()) document["planar"] = std::move(in_plane);
    }
    return write_out(options_.out, pretty(document) + "\n");
  }

  [[nodiscard]] const MechanismImpact& impact() const { return input_.impact(); }

  const ImpactOptions& options_;
  MechanismInput input_;
};

int run_impact(const ImpactOptions& options) {
  if (options.systems) return write_systems(options);
  if (options.mechanism.model.empty())
    return refuse("impact", 0,
                  Error{ErrorCode::missing, "MODEL", "", "must be a URDF or MJCF file, or one of impact --systems"});
  return Impact(options).run();
}

}  // namespace

void add_impact(Program& program, int& status) {
  const CommandLine command = add_command(program, "impact");
  auto options = std::make_shared<ImpactOptions>();
  command.add_option("MODEL", options->mechanism.model, "URDF or MJCF file, or a bundled system by name");
  command.add_flag("--systems", options->systems, "list the bundled systems with their coordinates and sizes");
  add_mechanism_options(command, options->mechanism);
  command.add_flag("--list", options->list, "only list the contacts");
  command
      .add_option("--law", options->mechanism.law,
                  "a law by name, or all; in the plane also morgan, shen-townsend, conventional and "
                  "conventional-reversed; overrides "
                  "the state")
      .type_name("NAME|all");
  add_set_option(command, options->mechanism.sets, "a law parameter, overrides the state; may be repeated");
  add_format_option(command, options->format, {"table", "json"});
  add_output_option(command, options->out);
  command.footer(
      "Examples:\n"
      "  ricochet impact double-pendulum --set e=0.5 --set mu=0.4\n"
      "  ricochet impact models/quadruped.xml --state models/landing.toml\n"
      "  ricochet impact models/quadruped.xml --state models/landing.toml --law routh --set mu=0.5 --format json\n"
      "  ricochet impact models/double_pendulum.xml --q shoulder=0.5 --q elbow=-0.8 --u shoulder=-1 \\\n"
      "    --contact world:lower@0.1839,0,-1.8329/0,0,1 --set e=0.5 --set mu=0.3");
  command.callback([options, &status] { status = run_impact(*options); });
}

}  // namespace ricochet::app
