#include "struck.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bundled.hpp"
#include "input.hpp"
#include "ricochet/base/suggest.hpp"
#include "scene.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

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

}  // namespace

void add_state_options(CLI::App& command, StruckOptions& options) {
  const auto repeated = [&](const char* name, std::vector<std::string>& where, const char* help, const char* type) {
    command.add_option(name, where, help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  command.add_option("--state", options.state, "TOML: positions, speeds, law, parameters; - is standard input")
      ->type_name("FILE");
  repeated("--q", options.q, "position of a joint, overrides the state; may be repeated", "JOINT=VALUE,...");
  repeated("--u", options.u, "speed of a joint, likewise", "JOINT=VALUE,...");
  repeated("--size", options.sizes, "a size of a bundled system, overrides the state", "NAME=VALUE");
  command
      .add_option("--contact", options.contact,
                  "which contact: its number in the list, FIRST:SECOND, or one of your own between two bodies, "
                  "FIRST:SECOND@x,y,z/nx,ny,nz with n from first to second")
      ->type_name("CONTACT");
  command.add_option("--reach", options.reach, "gap up to which a contact is listed [m], 0.001 by default")
      ->type_name("LENGTH");
  command.add_flag("--assemble", options.assemble, "move the state to the nearest one that closes all loops");
}

std::string Found::pair() const { return fmt::format("{}:{}", at.first, at.second); }

bool is_mechanism(std::string_view name) {
  if (find_bundled(name) != nullptr) return true;
  return name.ends_with(".xml") || name.ends_with(".mjcf") || name.ends_with(".urdf");
}

std::vector<PlanarAnswer> Struck::ask_planar_laws() const {
  std::vector<PlanarAnswer> out;
  if (const auto problem = in_its_plane(response_))
    for (const std::string_view law : planar_laws()) out.push_back(ask_planar(law, collision_.settings, *problem));
  return out;
}

int Struck::read_state_file() {
  if (!options_.state.empty()) {
    Expected<Input> input = Input::open(options_.state);
    if (!input) return refuse(options_.state, 0, input.error());
    const Expected<std::string> text = input->rest(toml_limit);
    if (!text) return refuse(input->name(), 0, text.error());
    auto state = read_state(*text);
    if (!state) return refuse(input->name(), state.error().line, state.error().error);
    given_ = *std::move(state);
  }
  return 0;
}

int Struck::read() {
  if (const int status = read_state_file(); status != 0) return status;
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
  if (const int status = place(); status != 0) return status;
  return find();
}

int Struck::open() {
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

std::string Struck::no_such_system() const {
  std::vector<std::string_view> names;
  for (const Bundled& system : bundled_systems()) names.push_back(system.name);
  const std::string_view near = closest(options_.model, names);
  return near.empty() ? "is neither a file nor a bundled system; see impact --systems"
                      : fmt::format("is neither a file nor a bundled system; did you mean {}?", near);
}

int Struck::place() {
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

int Struck::find() {
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

int Struck::strike() {
  // A stated contact is the only one in the list.
  const bool stated = options_.contact.find('@') != std::string::npos || (options_.contact.empty() && given_.contact);
  const auto chosen = stated ? Expected<std::size_t>(0) : choose(found_, options_.contact);
  if (!chosen) return refuse(options_.model, 0, chosen.error());
  const Found& hit = found_[*chosen];
  if (!(hit.approach() > 0))
    return refuse(options_.model, 0,
                  Error{"contact", hit.pair(),
                        fmt::format("must close, but its approach speed is {} m/s", to_text(hit.approach()))});
  auto response = respond(machine_->solver(), hit.at, u_);
  if (!response) return refuse(options_.model, 0, response.error());
  chosen_ = *chosen;
  response_ = *std::move(response);
  collision_.contact = response_.contact;
  collision_.settings = given_.settings;
  collision_.lines = given_.lines;
  collision_.title = given_.title;
  collision_.body_a = hit.at.first;
  collision_.body_b = hit.at.second;
  app::apply(assignments_, collision_);
  return 0;
}
int Struck::blame(const Error& error) const {
  for (const auto& [name, value] : assignments_)
    if (name == error.field) return refuse("--set", 0, error);
  const long long line = collision_.line_of(error.field);
  return refuse(line > 0 ? options_.state : options_.model, line, error);
}

}  // namespace ricochet::app
