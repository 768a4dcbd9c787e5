#include "commands/impact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/impact_together.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/mechanism_csv.hpp"
#include "ricochet/io/mechanism_json.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/scene/answer.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "ricochet/scene/hints.hpp"
#include "ricochet/scene/mechanism_derivatives.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "terminal/common_options.hpp"
#include "terminal/mechanism_input.hpp"
#include "terminal/output_file.hpp"
#include "terminal/planar_table.hpp"
#include "terminal/refuse.hpp"
#include "terminal/scene_options.hpp"
#include "terminal/table.hpp"
#include "terminal/write_table.hpp"

namespace ricochet::app {
namespace {

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

/// "armature, 2 loops"; "nothing" where the list is empty.
std::string listed(const std::vector<std::string>& words) {
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

/// Pose, floor and fall of a robot, and what its dynamics takes into account.
std::string landing_text(const MechanismInput& input, const std::string& model) {
  const RobotDescription* robot = input.impact().machine->description();
  const auto& landing = input.landing();
  if (robot == nullptr || !landing) return "";
  std::string out = fmt::format("{} ({}): {}, {}, {}\n", printable(model), robot->format,
                                counted(robot->bodies.size(), "body", "bodies"), counted(robot->joints.size(), "joint"),
                                counted(static_cast<std::size_t>(input.impact().u.size()), "speed"));
  if (!robot->honoured.empty()) out += fmt::format("honours: {}\n", listed(robot->honoured));
  std::vector<std::string> ignored = robot->ignored;
  ignored.insert(ignored.end(), robot->left_out.begin(), robot->left_out.end());
  if (!ignored.empty())
    for (const std::string& line : wrap("leaves out: " + printable(listed(ignored)), 120)) out += line + "\n";
  out += fmt::format("pose: {}", printable(input.pose()));
  if (landing->loops_closed) out += ", moved so that its loops close";
  if (!landing->floating.empty()) {
    out += fmt::format("; floats by {}, {} by {:.4g} m\n", printable(listed(landing->floating)),
                       landing->lowered < 0 ? "raised" : "lowered", std::abs(landing->lowered));
    out += fmt::format("lands at {:.4g} m/s; ", landing->speed);
  } else {
    out += "; nothing floats\n";
    out += landing->swings
               ? fmt::format("taps at {:.4g} m/s, moving with the least energy, on a surface put at height {:.4g} m\n",
                             landing->speed, *landing->floor_added)
               : "moves as --u says\n";
  }
  if (!landing->swings)
    out += landing->floor_added ? fmt::format("a floor was added at height {:.4g} m\n", *landing->floor_added)
                                : "on what the file has below it\n";
  if (!input.assumed().empty())
    out += fmt::format("assumed: {}; --set changes it. --u JOINT=SPEED gives speeds, --describe lists joints.\n",
                       input.assumed());
  return out + "\n";
}

std::string warnings_text(const MechanismImpact& impact, bool stated) {
  std::string out;
  for (const Error& error : impact.uncertain) out += fmt::format("warning: {}\n", error.message());
  const std::vector<std::string> remarks = hints(impact, stated);
  for (std::size_t i = 0; i < std::min<std::size_t>(remarks.size(), 5); ++i)
    out += fmt::format("hint: {}\n", remarks[i]);
  if (remarks.size() > 5) out += fmt::format("hint: ... and {} more (--format json has all)\n", remarks.size() - 5);
  return out;
}

std::string describe_text(const RobotDescription& robot) {
  std::string out;
  std::vector<std::vector<std::string>> bodies{{"body", "parent", "mass [kg]"}};
  for (const auto& b : robot.bodies)
    bodies.push_back({printable(b.name), printable(b.parent), fmt::format("{:.6g}", b.mass)});
  out += rows(bodies, 2) + "\n";
  std::vector<std::vector<std::string>> joints{{"joint", "type", "body", "q", "u", "range"}};
  const auto span = [](int first, int count) {
    return count == 1 ? fmt::format("{}", first) : fmt::format("{} to {}", first, first + count - 1);
  };
  for (const auto& j : robot.joints)
    joints.push_back({printable(j.name), j.type, printable(j.body), span(j.position, j.positions),
                      span(j.speed, j.speeds),
                      j.range ? fmt::format("{:.4g} to {:.4g}", j.range->first, j.range->second) : ""});
  out += rows(joints, 3) + "\n";
  std::vector<std::vector<std::string>> shapes{{"shape", "of body", "kind", "collides"}};
  for (const auto& s : robot.shapes)
    shapes.push_back({printable(s.name.empty() ? "-" : s.name), printable(s.body), s.kind, s.collides ? "yes" : "no"});
  out += rows(shapes, 4) + "\n";
  out += fmt::format("keyframes: {}\n", printable(listed(robot.keyframes)));
  std::vector<std::string> loops;
  loops.reserve(robot.loops.size());
  for (const auto& l : robot.loops) loops.push_back(fmt::format("{} ({})", l.name, l.kind));
  out += fmt::format("loops: {}\n", printable(listed(loops)));
  out += fmt::format("honours: {}\n", listed(robot.honoured));
  out += fmt::format("ignores in an impact: {}\n", listed(robot.ignored));
  out += fmt::format("left out while reading: {}\n", printable(listed(robot.left_out)));
  return out;
}

/// Reads the input, finds the contacts, evaluates the laws.
class Impact {
 public:
  explicit Impact(const ImpactOptions& options) : options_(options), input_(options.mechanism) {}

  int run() {
    if (options_.describe) return describe();
    if (const int status = input_.read(); status != 0) return status;
    return options_.list ? print_list() : answer();
  }

 private:
  int describe() {
    if (const int status = input_.read_model(); status != 0) return status;
    const RobotDescription* robot = impact().machine->description();
    if (robot == nullptr)
      return refuse("--describe", 0, Error{ErrorCode::conflict, "", "", "is for robot files; see impact --systems"});
    return write_out(options_.out, options_.format == "json" ? pretty(to_json(*robot)) + "\n" : describe_text(*robot));
  }

  [[nodiscard]] bool picked() const { return !options_.mechanism.contact.empty() || input_.contact_stated(); }

  /// Whether --method or --ensemble asks for more than a law's answer to one contact.
  [[nodiscard]] std::string_view option_of_many() const {
    return options_.method != "sequence" ? "--method" : options_.sequence.ensemble > 0 ? "--ensemble" : "";
  }

  /// Several contacts close, or all are wanted.
  [[nodiscard]] bool together() const {
    if (options_.contacts == "all" || !option_of_many().empty()) return true;
    return options_.contacts.empty() && !picked() && several_take_part(impact());
  }

  int answer_together() {
    if (options_.derivatives)
      return refuse("--derivatives", 0,
                    Error{ErrorCode::conflict, "", "", "is of one contact; choose it with --contact"});
    const std::string_view option = options_.contacts == "all" ? "--contacts" : option_of_many();
    if (!option.empty() && (picked() || (options_.contacts == "one")))
      return refuse(option, 0, Error{ErrorCode::conflict, "", "", "goes with all contacts, and one was picked"});
    if (const int status = input_.strike_all(); status != 0) return status;
    if (find_planar_closed_form(input_.law()) != nullptr)
      return refuse("--law", 0,
                    Error{ErrorCode::conflict, "", input_.law(),
                          "is for a single contact in the plane; choose one with --contact, or a law of contacts"});
    Together result;
    result.struck = taking_part(impact());
    result.method = options_.method;
    const SequenceOptions sequence = sequence_options(options_.sequence);
    const bool all = input_.law() == "all";
    if (all && options_.sequence.ensemble > 0)
      return refuse("--ensemble", 0, Error{ErrorCode::conflict, "", "", "goes with one law; choose it with --law"});
    if (all) {
      for (const LawInfo& law : laws())
        result.answers.push_back(
            strike_together(impact(), result.struck, input_.asked(law.name), options_.method, sequence));
    } else {
      result.answers.push_back(
          strike_together(impact(), result.struck, input_.asked(input_.law()), options_.method, sequence));
    }
    if (const auto refusal = refusal_of(result.answers)) return report_error(*refusal);
    if (options_.sequence.ensemble > 0) {
      const auto problem = problem_of(impact(), result.struck, input_.asked(input_.law()));
      if (!problem) return report_error(problem.error());
      auto ensemble = resolve_ensemble(*problem, ensemble_options(options_.sequence));
      if (!ensemble) return report_error(ensemble.error());
      result.ensemble = *std::move(ensemble);
    }
    if (options_.format == "json") {
      Json document = head_json();
      document.update(to_json(impact(), result));
      return write_out(options_.out, pretty(document) + "\n");
    }
    if (options_.format == "csv") return write_out(options_.out, write_csv(impact(), result));
    std::string out = head_text() + together_table(impact(), result);
    if (!all && result.answers[0].result->settled())
      out += speeds_text(*impact().machine, impact().u, result.answers[0].result->resolution.u);
    return write_out(options_.out, out);
  }

  [[nodiscard]] int report_error(const Error& error) const {
    if (const std::string_view option = option_of(error); !option.empty()) return refuse(option, 0, error);
    return input_.report_parameter_error(error);
  }

  [[nodiscard]] std::string head_text() const {
    return landing_text(input_, options_.mechanism.model) + warnings_text(impact(), input_.contact_stated()) +
           contacts_text(impact().contacts);
  }

  int print_list() const {
    if (options_.format == "table") return write_out(options_.out, head_text());
    return write_out(options_.out, pretty(head_json()) + "\n");
  }

  int answer() {
    if (together()) return answer_together();
    if (const int status = input_.strike(); status != 0) return status;
    const Response& response = impact().response;
    const Collision& collision = impact().collision;
    if (const LawInfo* form = find_planar_closed_form(input_.law())) {
      if (options_.derivatives)
        return refuse("--derivatives", 0,
                      Error{ErrorCode::conflict, "", input_.law(), "has none; choose a law of contacts"});
      return answer_planar(*form, response, collision);
    }
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
    if (options_.format == "csv") return write_out(options_.out, write_csv(impact(), answers, planar));
    return options_.format == "json" ? print_json(response, answers, planar)
                                     : print_table(response, collision, answers, planar);
  }

  int answer_planar(const LawInfo& form, const Response& response, const Collision& collision) const {
    const auto problem = in_its_plane(response);
    if (!problem) return refuse(options_.mechanism.model, 0, problem.error());
    const PlanarAnswer planar = ask_planar(form, collision.settings, *problem);
    if (!planar.outcome) return input_.report_parameter_error(planar.outcome.error());
    if (options_.format == "json") return print_json(response, {}, {planar});
    if (options_.format == "csv") return write_out(options_.out, write_csv(impact(), {}, {&planar, 1}));
    const PlanarOutcome& o = *planar.outcome;
    std::string out = head_text();
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
    append(out, head_text());
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

  /// What does not depend on the laws.
  [[nodiscard]] Json head_json() const {
    Json joints = Json::array();
    for (const Coordinate& c : impact().machine->coordinates())
      joints.push_back({{"name", printable(c.name)}, {"q", c.position}, {"u", c.speed}, {"speeds", c.speeds}});
    Json document{{"model", printable(options_.mechanism.model)},
                  {"joints", std::move(joints)},
                  {"q", to_json(impact().q)},
                  {"u", to_json(impact().u)},
                  {"energy", impact().energy(impact().u)},
                  {"contacts", to_json(impact().contacts)}};
    if (options_.shapes) document["shapes"] = to_json(impact().machine->link_shapes());
    if (const auto& landing = input_.landing()) {
      document["landing"] = to_json(*landing);
      document["landing"].update({{"pose", printable(input_.pose())}, {"assumed", input_.assumed()}});
    }
    if (!impact().uncertain.empty()) {
      Json warnings = Json::array();
      for (const Error& error : impact().uncertain) warnings.push_back(to_json(error));
      document["warnings"] = std::move(warnings);
    }
    if (const auto remarks = hints(impact(), input_.contact_stated()); !remarks.empty()) document["hints"] = remarks;
    return document;
  }

  /// Of u after the impact. Derivatives by q take differences of the configuration, and say so.
  [[nodiscard]] Json derivatives_json(const Law& law) const {
    const bool with_q = moves_with_q(impact()) && !input_.contact_stated();
    const auto found = differentiate(impact(), law, with_q);
    if (!found) return {{"derivatives", nullptr}, {"derivatives_error", to_json(found.error())}};
    return to_json(*found);
  }

  int print_json(const Response& response, const std::vector<Answer>& answers,
                 const std::vector<PlanarAnswer>& planar) const {
    Json document = head_json();
    document["chosen"] = impact().chosen + 1;
    document["W"] = to_json(response.W);
    Json all = Json::array();
    for (const Answer& answer : answers) {
      Json one = to_json(answer);
      if (answer.outcome) {
        const VecX after = response.after(answer.outcome->P);
        one["u"] = to_json(after);
        one["energy"] = impact().energy(after);
        if (options_.derivatives) one.update(derivatives_json(*answer.made));
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

}  // namespace

int run_impact(const ImpactOptions& options) {
  if (options.format == "csv" && (options.systems || options.list || options.describe || options.sequence.ensemble > 0))
    return refuse("--format", 0,
                  Error{ErrorCode::conflict, "", "csv", "is of answers, without ensembles; take table or json"});
  if (options.systems) return write_systems(options);
  if (options.mechanism.model.empty())
    return refuse(
        "impact", 0,
        Error{ErrorCode::missing, "MODEL", "", "must be a URDF, MJCF or TOML file, or one of impact --systems"});
  if (options.derivatives && (options.format != "json" || options.list || options.describe))
    return refuse("--derivatives", 0,
                  Error{ErrorCode::conflict, "", "", "goes with --format json, without --list and --describe"});
  if (options.shapes && (options.format != "json" || options.describe))
    return refuse("--shapes", 0, Error{ErrorCode::conflict, "", "", "goes with --format json, without --describe"});
  ImpactOptions all = options;
  all.mechanism.everything = options.list;
  return Impact(all).run();
}

void add_impact(Program& program, int& status) {
  const CommandLine command = add_command(program, "impact");
  auto options = std::make_shared<ImpactOptions>();
  command.add_option("MODEL", options->mechanism.model,
                     "URDF or MJCF file, a TOML scene with robots or bodies, or a bundled system by name");
  command.add_flag("--systems", options->systems, "list the bundled systems with their coordinates and sizes");
  add_mechanism_options(command, options->mechanism);
  command.add_flag("--list", options->list, "only list the contacts");
  command.add_flag("--describe", options->describe,
                   "only list the robot's bodies, joints with their entries in q and u, shapes, keyframes and loops");
  command.add_flag("--shapes", options->shapes, "with --format json: add every shape of the robot, where it is");
  command
      .add_option("--contacts", options->contacts,
                  "all: resolve every contact that closes together, the default where several do; one: the only one")
      .among({"all", "one"})
      .type_name("WHICH");
  command
      .add_option("--method", options->method,
                  "of several contacts: sequence (default), or all at once: lcp, pfeiffer-glocker, anitescu-potra, "
                  "weighted")
      .among({"sequence", "lcp", "pfeiffer-glocker", "anitescu-potra", "weighted"})
      .type_name("NAME");
  add_sequence_options(command, options->sequence);
  command.add_flag("--derivatives", options->derivatives,
                   "with --format json: of the speeds after the impact at one contact, by the speeds and positions "
                   "before it and by the parameters of the law");
  command
      .add_option("--law", options->mechanism.law,
                  "a law by name, or all; in the plane also morgan, shen-townsend, conventional and "
                  "conventional-reversed; overrides "
                  "the state")
      .type_name("NAME|all");
  add_set_option(command, options->mechanism.sets, "a law parameter, overrides the state; may be repeated");
  add_format_option(command, options->format, {"table", "json", "csv"});
  add_output_option(command, options->out);
  command.footer(
      "A robot file without a state is set on the floor and lands at 1 m/s (docs/robots.md).\n"
      "An impulse P acts on the second body of its contact, towards which the normal points.\n"
      "\n"
      "Examples:\n"
      "  ricochet impact models/quadruped.xml\n"
      "  ricochet impact models/quadruped.xml --height 0.5 --law routh --set mu=0.8 --ensemble 100\n"
      "  ricochet impact double-pendulum --set e=0.5 --set mu=0.4\n"
      "  ricochet impact models/quadruped.xml --state models/landing.toml\n"
      "  ricochet impact models/quadruped.xml --state models/landing.toml --law routh --set mu=0.5 --format json\n"
      "  ricochet impact models/double_pendulum.xml --q shoulder=0.5 --q elbow=-0.8 --u shoulder=-1 \\\n"
      "    --contact world:lower@0.1839,0,-1.8329/0,0,1 --set e=0.5 --set mu=0.3");
  command.callback([options, &status] { status = run_impact(*options); });
}

}  // namespace ricochet::app
