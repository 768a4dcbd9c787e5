#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "answer.hpp"
#include "bundled.hpp"
#include "commands.hpp"
#include "output_file.hpp"
#include "struck.hpp"
#include "table.hpp"
#include "text.hpp"
#include "to_json.hpp"
#include "writer.hpp"

namespace ricochet::app {
namespace {

struct Options {
  StruckOptions struck;
  bool list = false, systems = false;
  std::string format = "table";
};

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return 2;
}

std::string contacts_text(const std::vector<Found>& found) {
  if (found.empty()) return "No contact within reach.\n";
  std::size_t wide = 4;
  for (const Found& f : found) wide = std::max(wide, columns(printable(f.pair())));
  std::string out = fmt::format("{:>3}  {:<{}}  {:>11}  {:>11}  {:>11}  {:<24}  {}\n", "", "pair", wide, "gap [m]",
                                "approach", "slip [m/s]", "n", "point [m]");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& f = found[i];
    out += fmt::format("{:>3}  {:<{}}  {:>11.4g}  {:>11.4g}  {:>11.4g}  {:<24}  {}{}\n", i + 1, printable(f.pair()),
                       wide, f.at.gap, f.approach(), (f.V + f.approach() * f.at.n).norm(), brief(f.at.n),
                       brief(f.at.point), f.at.patch ? "  one of a patch" : "");
  }
  return out;
}

Json contacts_json(const std::vector<Found>& found) {
  Json out = Json::array();
  for (const Found& f : found)
    out.push_back({{"first", printable(f.at.first)},
                   {"second", printable(f.at.second)},
                   {"gap", f.at.gap},
                   {"patch", f.at.patch},
                   {"point", to_json(f.at.point)},
                   {"n", to_json(f.at.n)},
                   {"V", to_json(f.V)},
                   {"approach_speed", f.approach()}});
  return out;
}

Json list_json(const VecX& x) {
  Json out = Json::array();
  for (const double value : x) out.push_back(to_json(value));
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

/// The sizes, coordinates and states of the bundled systems, which none of them refuses.
int print_systems(bool json) {
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
      coordinates.push_back({{"name", c.name}, {"meaning", c.meaning}, {"q", list_json(q_i)}, {"u", list_json(u_i)}});
    }
    Json sizes = Json::array();
    for (const SizeInfo& size : system.sizes) {
      out += fmt::format("  --size {}={}  {}\n", size.name, size.fallback ? fmt::format("{}", *size.fallback) : "Z",
                         size.meaning);
      sizes.push_back({{"name", size.name},
                       {"default", size.fallback ? Json(*size.fallback) : Json(nullptr)},
                       {"meaning", size.meaning}});
    }
    out += fmt::format("  ricochet impact {} {}\n", system.name, system.example);
    all.push_back({{"name", system.name},
                   {"what", system.what},
                   {"coordinates", std::move(coordinates)},
                   {"sizes", std::move(sizes)},
                   {"example", fmt::format("ricochet impact {} {}", system.name, system.example)}});
  }
  return print_out(json ? pretty(Json{{"systems", std::move(all)}}) + "\n" : out);
}

/// Reads everything, finds the contacts, asks the laws.
class Impact {
 public:
  explicit Impact(const Options& options) : options_(options), struck_(options.struck) {}

  int run() {
    if (const int status = struck_.read(); status != 0) return status;
    return options_.list ? print_list() : answer();
  }

 private:
  int print_list() const {
    if (options_.format == "table") return print_out(contacts_text(struck_.found()));
    return print_out(pretty(Json{{"model", printable(options_.struck.model)},
                                 {"q", list_json(struck_.q())},
                                 {"u", list_json(struck_.u())},
                                 {"contacts", contacts_json(struck_.found())}}) +
                     "\n");
  }

  int answer() {
    if (const int status = struck_.strike(); status != 0) return status;
    const Response& response = struck_.response();
    const Collision& collision = struck_.collision();
    if (is_planar_law(struck_.law())) return answer_planar(response, collision);
    std::vector<Answer> answers;
    std::vector<PlanarAnswer> planar;
    if (struck_.law() == "all") {
      answers = struck_.ask_laws();
      planar = struck_.ask_planar_laws();
    } else {
      answers.push_back(ask(struck_.law(), collision));
    }
    const bool none =
        std::none_of(answers.begin(), answers.end(), [](const Answer& a) { return a.outcome.has_value(); });
    int status = 0;
    for (const Answer& a : answers) {
      if (!a.bad_value() && !(none && !a.outcome)) continue;
      status = struck_.blame(a.outcome.error());
      break;
    }
    if (none) return status;
    const int printed = options_.format == "json" ? print_json(response, answers, planar)
                                                  : print_table(response, collision, answers, planar);
    return printed != 0 ? printed : status;
  }

  int answer_planar(const Response& response, const Collision& collision) const {
    const auto problem = in_its_plane(response);
    if (!problem) return refuse(options_.struck.model, 0, problem.error());
    const PlanarAnswer planar = ask_planar(struck_.law(), collision.settings, *problem);
    if (!planar.outcome) return struck_.blame(planar.outcome.error());
    if (options_.format == "json") return print_json(response, {}, {planar});
    const PlanarOutcome& o = *planar.outcome;
    std::string out = contacts_text(struck_.found());
    out += fmt::format("\nImpact {} by {}, in the plane of n = {} and t = {}\n\n", struck_.chosen() + 1, struck_.law(),
                       brief(problem->n), brief(problem->t));
    out += planar_table({&planar, 1}) + "\n" + planar_states(o);
    out += speeds_text(struck_.machine(), struck_.u(), o.u) + energy_text(o.u, o.normal_work, o.friction_work);
    return print_out(out);
  }

  [[nodiscard]] std::string energy_text(const VecX& after, double normal_work, double friction_work) const {
    return fmt::format("\nkinetic energy {:.6g} J before, {:.6g} J after: normal work {:.6g} J, friction {:.6g} J\n",
                       struck_.energy(struck_.u()), struck_.energy(after), normal_work, friction_work);
  }

  int print_table(const Response& response, const Collision& collision, const std::vector<Answer>& answers,
                  const std::vector<PlanarAnswer>& planar) const {
    const Source source{
        .name = options_.struck.model, .many = false, .every_law = answers.size() > 1, .colour = colour_wanted()};
    fmt::memory_buffer out;
    append(out, contacts_text(struck_.found()));
    fmt::format_to(fmt::appender(out), "\nImpact {}. ", struck_.chosen() + 1);
    make_writer(Format::table, source)->collision(out, 1, collision, answers);
    if (answers.size() == 1) {
      const Outcome& o = *answers[0].outcome;
      const VecX after = response.after(o.P);
      append(out, speeds_text(struck_.machine(), struck_.u(), after));
      append(out, energy_text(after, o.normal_work, o.friction_work));
    }
    if (!planar.empty()) {
      append(out, "\nIn closed form in the plane (p_t and v_t along the surface, signed):\n\n");
      append(out, planar_table(planar));
    }
    return print_out({out.data(), out.size()});
  }

  int print_json(const Response& response, const std::vector<Answer>& answers,
                 const std::vector<PlanarAnswer>& planar) const {
    Json joints = Json::array();
    for (const Coordinate& c : struck_.machine().coordinates())
      joints.push_back({{"name", printable(c.name)}, {"q", c.position}, {"u", c.speed}, {"speeds", c.speeds}});
    Json document{{"model", printable(options_.struck.model)},
                  {"joints", std::move(joints)},
                  {"q", list_json(struck_.q())},
                  {"u", list_json(struck_.u())},
                  {"energy", struck_.energy(struck_.u())},
                  {"contacts", contacts_json(struck_.found())},
                  {"chosen", struck_.chosen() + 1},
                  {"W", to_json(response.W)}};
    Json all = Json::array();
    for (const Answer& answer : answers) {
      Json one = to_json(answer);
      if (answer.outcome) {
        const VecX after = response.after(answer.outcome->P);
        one["u"] = list_json(after);
        one["energy"] = struck_.energy(after);
      }
      all.push_back(std::move(one));
    }
    Json in_plane = Json::array();
    for (const PlanarAnswer& answer : planar) {
      Json one = to_json(answer);
      if (answer.outcome) {
        one["u"] = list_json(answer.outcome->u);
        one["energy"] = struck_.energy(answer.outcome->u);
      }
      in_plane.push_back(std::move(one));
    }
    // A single law is the only answer, whichever kind it is of.
    if (answers.empty()) {
      document["answers"] = std::move(in_plane);
    } else {
      document["answers"] = std::move(all);
      if (!in_plane.empty()) document["planar"] = std::move(in_plane);
    }
    return print_out(pretty(document) + "\n");
  }

  const Options& options_;
  Struck struck_;
};

int run(const Options& options) {
  if (options.systems) return print_systems(options.format == "json");
  if (options.struck.model.empty())
    return refuse("impact", 0, Error{"MODEL", "", "must be a URDF or MJCF file, or one of impact --systems"});
  return Impact(options).run();
}

}  // namespace

void add_impact(CLI::App& program, int& status) {
  auto* command =
      program.add_subcommand("impact", "an impact of a mechanism: a URDF or MJCF file, or a bundled system");
  auto options = std::make_shared<Options>();
  command->add_option("MODEL", options->struck.model, "URDF or MJCF file, or a bundled system by name");
  command->add_flag("--systems", options->systems, "list the bundled systems with their coordinates and sizes");
  add_state_options(*command, options->struck);
  command->add_flag("--list", options->list, "only list the contacts");
  command
      ->add_option("--law", options->struck.law,
                   "a law by name, or all; in the plane also morgan, shen-townsend, conventional and "
                   "conventional-reversed; overrides "
                   "the state")
      ->type_name("NAME|all");
  command->add_option("--set", options->struck.sets, "a law parameter, overrides the state; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--format", options->format, "table by default")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("FORMAT");
  command->footer(
      "Examples:\n"
      "  ricochet impact double-pendulum --set e=0.5 --set mu=0.4\n"
      "  ricochet impact models/quadruped.xml --state models/landing.toml\n"
      "  ricochet impact models/quadruped.xml --state models/landing.toml --law routh --set mu=0.5 --format json\n"
      "  ricochet impact models/double_pendulum.xml --q shoulder=0.5 --q elbow=-0.8 --u shoulder=-1 \\\n"
      "    --contact world:lower@0.1839,0,-1.8329/0,0,1 --set e=0.5 --set mu=0.3");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace ricochet::app
