#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "answer.hpp"
#include "assignments.hpp"
#include "bundled.hpp"
#include "commands.hpp"
#include "input.hpp"
#include "machine.hpp"
#include "output_file.hpp"
#include "planar_answer.hpp"
#include "read_state.hpp"
#include "ricochet/base/suggest.hpp"
#include "scene.hpp"
#include "table.hpp"
#include "text.hpp"
#include "to_json.hpp"
#include "writer.hpp"

namespace ricochet::app {
namespace {

struct Options {
  std::string model, state, contact, law;
  std::vector<std::string> q, u, sizes, sets;
  double reach = 1e-3;
  bool assemble = false, list = false, systems = false;
  std::string format = "table";
};

int refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return 2;
}

/// "knee=0.3" or "root=0,0,1,1,0,0,0", with or without brackets.
Expected<NamedNumbers> read_named(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return fail("", std::string(text), "must be NAME=NUMBER or NAME=NUMBER,NUMBER,...");
  NamedNumbers out;
  out.name = text.substr(0, equals);
  std::string_view rest = text.substr(equals + 1);
  if (rest.size() >= 2 && rest.front() == '[' && rest.back() == ']') rest = rest.substr(1, rest.size() - 2);
  for (;;) {
    const std::size_t comma = rest.find(',');
    const auto x = read_number(rest.substr(0, comma));
    if (!x) return fail(out.name, std::string(rest.substr(0, comma)), "must be a number");
    out.values.push_back(*x);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

struct Found {
  ContactPoint at;
  Vec3 V;                                                            ///< of second's point relative to first's
  [[nodiscard]] double approach() const { return 0 - at.n.dot(V); }  // 0, not −0, at rest
  [[nodiscard]] std::string pair() const { return fmt::format("{}:{}", at.first, at.second); }
};

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

/// Which of the contacts is meant: a number from the list, a pair of names, or, unasked, the only one that closes.
Expected<std::size_t> choose(const std::vector<Found>& found, const std::string& wanted) {
  std::vector<std::size_t> fitting;
  if (wanted.empty()) {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].approach() > 0) fitting.push_back(i);
    if (fitting.empty())
      return fail("contact", "", "none that closes is within reach; see --reach, --list and --contact");
  } else if (const auto number = read_number(wanted)) {
    const double i = *number;
    if (!(i >= 1 && i <= static_cast<double>(found.size())) || i != std::floor(i))
      return fail("contact", wanted, fmt::format("must be from 1 to {}, the contacts within reach", found.size()));
    return static_cast<std::size_t>(i) - 1;
  } else {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].pair() == wanted || fmt::format("{}:{}", found[i].at.second, found[i].at.first) == wanted)
        fitting.push_back(i);
    if (fitting.empty())
      return fail("contact", wanted, "is not among the contacts within reach; see --list and --reach");
  }
  if (fitting.size() == 1) return fitting[0];
  std::string names;
  for (const std::size_t i : fitting)
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", i + 1, found[i].pair());
  return fail("contact", wanted, fmt::format("several fit: {}; choose one by its number with --contact", names));
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
  explicit Impact(const Options& options) : options_(options) {}

  int run() {
    if (const int status = read(); status != 0) return status;
    if (const int status = find(); status != 0) return status;
    return options_.list ? print_list() : answer();
  }

 private:
  int read() {
    if (!options_.state.empty()) {
      Expected<Input> input = Input::open(options_.state);
      if (!input) return refuse(options_.state, 0, input.error());
      const Expected<std::string> text = input->rest(toml_limit);
      if (!text) return refuse(input->name(), 0, text.error());
      auto state = read_state(*text);
      if (!state) return refuse(input->name(), state.error().line, state.error().error);
      given_ = *std::move(state);
    }
    if (const int status = open(); status != 0) return status;
    const auto assignments = read_assignments(options_.sets);
    if (!assignments) return refuse("--set", 0, assignments.error());
    assignments_ = *assignments;
    law_ = !options_.law.empty() ? options_.law : given_.law.value_or("all");
    if (law_ != "all" && find_law(law_) == nullptr && !is_planar_law(law_)) {
      Error error = make_law(law_, {}).error();
      error.allowed += fmt::format("; or in the plane {}", fmt::join(planar_laws(), ", "));
      return refuse(options_.law.empty() ? options_.state : "--law", 0, error);
    }
    return place();
  }

  int open() {
    const Bundled* bundled = find_bundled(options_.model);
    if (bundled == nullptr) {
      if (!options_.sizes.empty() || !given_.sizes.empty())
        return refuse(options_.sizes.empty() ? options_.state : "--size", 0,
                      Error{"size", "", "only a bundled system has sizes; see impact --systems"});
      if (options_.model.find_first_of("./") == std::string::npos && !Input::open(options_.model))
        return refuse(options_.model, 0, Error{"model", "", no_such_system()});
      auto robot = open_robot(options_.model);
      if (!robot) return refuse(options_.model, 0, robot.error());
      machine_ = *std::move(robot);
      return 0;
    }
    std::vector<NamedNumbers> sizes = given_.sizes;
    for (const std::string& text : options_.sizes) {
      auto size = read_named(text);
      if (!size) return refuse("--size", 0, size.error());
      sizes.push_back(*std::move(size));
    }
    auto made = make_bundled(*bundled, sizes);
    if (!made) {
      for (const NamedNumbers& size : given_.sizes)
        if (size.name == made.error().field || size.name == made.error().value)
          return refuse(options_.state, size.line, made.error());
      return refuse("--size", 0, made.error());
    }
    machine_ = *std::move(made);
    return 0;
  }

  [[nodiscard]] std::string no_such_system() const {
    std::vector<std::string_view> names;
    for (const Bundled& system : bundled_systems()) names.push_back(system.name);
    const std::string_view near = closest(options_.model, names);
    return near.empty() ? "is neither a file nor a bundled system; see impact --systems"
                        : fmt::format("is neither a file nor a bundled system; did you mean {}?", near);
  }

  int place() {
    VecX q = machine_->default_q();
    VecX u = machine_->default_u();
    for (const bool position : {true, false}) {
      for (const NamedNumbers& numbers : position ? given_.q : given_.u)
        if (const auto fine = put(*machine_, numbers, position, position ? q : u); !fine)
          return refuse(options_.state, numbers.line, fine.error());
      for (const std::string& text : position ? options_.q : options_.u) {
        const std::string_view where = position ? "--q" : "--u";
        const auto numbers = read_named(text);
        if (!numbers) return refuse(where, 0, numbers.error());
        if (const auto fine = put(*machine_, *numbers, position, position ? q : u); !fine)
          return refuse(where, 0, fine.error());
      }
    }
    const std::string& where = options_.state.empty() ? options_.model : options_.state;
    if (options_.assemble) {
      const auto closed = machine_->close_loops(q);
      if (!closed) return refuse(where, 0, closed.error());
      q = *closed;
      const auto admissible = machine_->admissible_speeds(q, u);
      if (!admissible) return refuse(where, 0, admissible.error());
      u = *admissible;
    }
    if (const auto fine = machine_->place(q, u); !fine) return refuse(where, 0, fine.error());
    q_ = q;
    u_ = u;
    return 0;
  }

  int find() {
    std::optional<StatedContact> stated;
    if (options_.contact.find('@') != std::string::npos) {
      auto read_one = read_contact(options_.contact);
      if (!read_one) return refuse("--contact", 0, read_one.error());
      stated = *std::move(read_one);
    } else if (options_.contact.empty()) {
      stated = given_.contact;
    }
    if (stated) {
      auto at = machine_->contact_point(*stated);
      if (!at) return refuse(options_.contact.empty() ? options_.state : "--contact", stated->line, at.error());
      found_.push_back({*at, at->J * u_});
      return 0;
    }
    const auto contacts = machine_->contacts(options_.reach);
    if (!contacts) return refuse(contacts.error().field == "reach" ? "--reach" : options_.model, 0, contacts.error());
    for (const ContactPoint& at : *contacts) found_.push_back({at, at.J * u_});
    return 0;
  }

  int print_list() const {
    if (options_.format == "table") return print_out(contacts_text(found_));
    return print_out(pretty(Json{{"model", printable(options_.model)},
                                 {"q", list_json(q_)},
                                 {"u", list_json(u_)},
                                 {"contacts", contacts_json(found_)}}) +
                     "\n");
  }

  int answer() {
    // A stated contact is the only one in the list.
    const bool stated = options_.contact.find('@') != std::string::npos || (options_.contact.empty() && given_.contact);
    const auto chosen = stated ? Expected<std::size_t>(0) : choose(found_, options_.contact);
    if (!chosen) return refuse(options_.model, 0, chosen.error());
    const Found& hit = found_[*chosen];
    if (!(hit.approach() > 0))
      return refuse(options_.model, 0,
                    Error{"contact", hit.pair(),
                          fmt::format("must close, but its approach speed is {} m/s", to_text(hit.approach()))});
    const auto response = respond(machine_->solver(), hit.at, u_);
    if (!response) return refuse(options_.model, 0, response.error());
    chosen_ = *chosen;

    Collision collision;
    collision.contact = response->contact;
    collision.settings = given_.settings;
    collision.lines = given_.lines;
    collision.title = given_.title;
    collision.body_a = hit.at.first;
    collision.body_b = hit.at.second;
    app::apply(assignments_, collision);
    if (is_planar_law(law_)) return answer_planar(*response, collision);
    std::vector<Answer> answers;
    std::vector<PlanarAnswer> planar;
    if (law_ == "all") {
      answers = ask_all(collision);
      if (const auto problem = in_its_plane(*response))
        for (const std::string_view law : planar_laws())
          planar.push_back(ask_planar(law, collision.settings, *problem));
    } else {
      answers.push_back(ask(law_, collision));
    }
    const bool none =
        std::none_of(answers.begin(), answers.end(), [](const Answer& a) { return a.outcome.has_value(); });
    int status = 0;
    for (const Answer& a : answers) {
      if (!a.bad_value() && !(none && !a.outcome)) continue;
      status = blame(collision, a.outcome.error());
      break;
    }
    if (none) return status;
    const int printed = options_.format == "json" ? print_json(*response, answers, planar)
                                                  : print_table(*response, collision, answers, planar);
    return printed != 0 ? printed : status;
  }

  int answer_planar(const Response& response, const Collision& collision) const {
    const auto problem = in_its_plane(response);
    if (!problem) return refuse(options_.model, 0, problem.error());
    const PlanarAnswer planar = ask_planar(law_, collision.settings, *problem);
    if (!planar.outcome) return blame(collision, planar.outcome.error());
    if (options_.format == "json") return print_json(response, {}, {planar});
    const PlanarOutcome& o = *planar.outcome;
    std::string out = contacts_text(found_);
    out += fmt::format("\nImpact {} by {}, in the plane of n = {} and t = {}\n\n", chosen_ + 1, law_, brief(problem->n),
                       brief(problem->t));
    out += planar_table({&planar, 1}) + "\n" + planar_states(o);
    out += speeds_text(*machine_, u_, o.u) + energy_text(o.u, o.normal_work, o.friction_work);
    return print_out(out);
  }

  int blame(const Collision& collision, const Error& error) const {
    for (const auto& [name, value] : assignments_)
      if (name == error.field) return refuse("--set", 0, error);
    const long long line = collision.line_of(error.field);
    return refuse(line > 0 ? options_.state : options_.model, line, error);
  }

  [[nodiscard]] double energy(const VecX& u) const { return 0.5 * u.dot(machine_->mass_matrix() * u); }

  [[nodiscard]] std::string energy_text(const VecX& after, double normal_work, double friction_work) const {
    return fmt::format("\nkinetic energy {:.6g} J before, {:.6g} J after: normal work {:.6g} J, friction {:.6g} J\n",
                       energy(u_), energy(after), normal_work, friction_work);
  }

  int print_table(const Response& response, const Collision& collision, const std::vector<Answer>& answers,
                  const std::vector<PlanarAnswer>& planar) const {
    const Source source{
        .name = options_.model, .many = false, .every_law = answers.size() > 1, .colour = colour_wanted()};
    fmt::memory_buffer out;
    append(out, contacts_text(found_));
    fmt::format_to(fmt::appender(out), "\nImpact {}. ", chosen_ + 1);
    make_writer(Format::table, source)->collision(out, 1, collision, answers);
    if (answers.size() == 1) {
      const Outcome& o = *answers[0].outcome;
      const VecX after = response.after(o.P);
      append(out, speeds_text(*machine_, u_, after));
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
    for (const Coordinate& c : machine_->coordinates())
      joints.push_back({{"name", printable(c.name)}, {"q", c.position}, {"u", c.speed}, {"speeds", c.speeds}});
    Json document{{"model", printable(options_.model)},
                  {"joints", std::move(joints)},
                  {"q", list_json(q_)},
                  {"u", list_json(u_)},
                  {"energy", energy(u_)},
                  {"contacts", contacts_json(found_)},
                  {"chosen", chosen_ + 1},
                  {"W", to_json(response.W)}};
    Json all = Json::array();
    for (const Answer& answer : answers) {
      Json one = to_json(answer);
      if (answer.outcome) {
        const VecX after = response.after(answer.outcome->P);
        one["u"] = list_json(after);
        one["energy"] = energy(after);
      }
      all.push_back(std::move(one));
    }
    Json in_plane = Json::array();
    for (const PlanarAnswer& answer : planar) {
      Json one = to_json(answer);
      if (answer.outcome) {
        one["u"] = list_json(answer.outcome->u);
        one["energy"] = energy(answer.outcome->u);
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
  std::unique_ptr<Machine> machine_;
  VecX q_, u_;
  GivenState given_;
  Assignments assignments_;
  std::string law_;
  std::vector<Found> found_;
  std::size_t chosen_ = 0;
};

int run(const Options& options) {
  if (options.systems) return print_systems(options.format == "json");
  if (options.model.empty())
    return refuse("impact", 0, Error{"MODEL", "", "must be a URDF or MJCF file, or one of impact --systems"});
  return Impact(options).run();
}

}  // namespace

void add_impact(CLI::App& program, int& status) {
  auto* command =
      program.add_subcommand("impact", "an impact of a mechanism: a URDF or MJCF file, or a bundled system");
  auto options = std::make_shared<Options>();
  const auto repeated = [&](const char* name, std::vector<std::string>& where, const char* help, const char* type) {
    command->add_option(name, where, help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  command->add_option("MODEL", options->model, "URDF or MJCF file, or a bundled system by name");
  command->add_flag("--systems", options->systems, "list the bundled systems with their coordinates and sizes");
  command->add_option("--state", options->state, "TOML: positions, speeds, law, parameters; - is standard input")
      ->type_name("FILE");
  repeated("--q", options->q, "position of a joint, overrides the state; may be repeated", "JOINT=VALUE,...");
  repeated("--u", options->u, "speed of a joint, likewise", "JOINT=VALUE,...");
  repeated("--size", options->sizes, "a size of a bundled system, overrides the state", "NAME=VALUE");
  command
      ->add_option("--contact", options->contact,
                   "which contact: its number in the list, FIRST:SECOND, or one of your own between two bodies, "
                   "FIRST:SECOND@x,y,z/nx,ny,nz with n from first to second")
      ->type_name("CONTACT");
  command->add_option("--reach", options->reach, "gap up to which a contact is listed [m], 0.001 by default")
      ->type_name("LENGTH");
  command->add_flag("--list", options->list, "only list the contacts");
  command->add_flag("--assemble", options->assemble, "move the state to the nearest one that closes all loops");
  command
      ->add_option("--law", options->law,
                   "a law by name, or all; in the plane also morgan, shen-townsend, conventional and "
                   "conventional-reversed; overrides "
                   "the state")
      ->type_name("NAME|all");
  repeated("--set", options->sets, "a law parameter, overrides the state; may be repeated", "KEY=VALUE");
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
