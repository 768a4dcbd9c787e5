#include "terminal/mechanism_input.hpp"

#include <fmt/format.h>

#include <array>

#include "ricochet/base/error_path.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/state_toml.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {

void add_mechanism_options(const CommandLine& command, MechanismOptions& options) {
  const auto repeated = [&](const char* name, std::vector<std::string>& where, const char* help, const char* type) {
    command.add_option(name, where, help).type_name(type).repeated();
  };
  command.add_option("--state", options.state, "TOML: positions, speeds, law, parameters; - is standard input")
      .type_name("FILE");
  repeated("--q", options.q, "position of a joint, overrides the state; may be repeated", "JOINT=VALUE,...");
  repeated("--u", options.u, "speed of a joint, overrides the state; may be repeated", "JOINT=VALUE,...");
  repeated("--size", options.sizes, "a size of a bundled system, overrides the state", "NAME=VALUE");
  command
      .add_option("--contact", options.contact,
                  "which contact: its number in the list, FIRST:SECOND, or a user-defined one between two bodies, "
                  "FIRST:SECOND@x,y,z/nx,ny,nz with n from first to second")
      .type_name("CONTACT");
  command.add_option("--reach", options.reach, "gap up to which a contact is listed [m], 0.001 by default")
      .type_name("LENGTH");
  command.add_flag("--assemble", options.assemble, "move the state to the nearest one that closes all loops");
}

int MechanismInput::read_state_file() {
  if (options_.state.empty()) return 0;
  Expected<Input> input = Input::open(options_.state);
  if (!input) return refuse(options_.state, 0, input.error());
  const Expected<std::string> text = input->rest(toml_limit);
  if (!text) return refuse(input->name(), 0, text.error());
  auto state = read_state(*text);
  if (!state) return refuse(input->name(), state.error().line, state.error().error);
  state_ = *std::move(state);
  return 0;
}

int MechanismInput::read() {
  if (const int status = read_state_file(); status != 0) return status;
  if (const int status = open(); status != 0) return status;
  const auto assignments = read_assignments(options_.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  assignments_ = *assignments;
  law_ = !options_.law.empty() ? options_.law : state_.law.value_or("all");
  if (law_ != "all" && find_law(law_) == nullptr && find_planar_closed_form(law_) == nullptr) {
    Error error = unknown_law(law_);
    std::string_view between = "; or in the plane ";
    for (const LawInfo& form : planar_closed_forms()) {
      error.allowed += fmt::format("{}{}", between, form.name);
      between = ", ";
    }
    return refuse(options_.law.empty() ? options_.state : "--law", 0, error);
  }
  if (const int status = place(); status != 0) return status;
  return find();
}

int MechanismInput::open() {
  std::vector<NamedNumbers> sizes = state_.sizes;
  for (const std::string& text : options_.sizes) {
    auto size = read_named_numbers(text);
    if (!size) return refuse("--size", 0, size.error());
    sizes.push_back(*std::move(size));
  }
  auto machine = open_machine(options_.model, sizes);
  if (machine) {
    impact_.machine = *std::move(machine);
    return 0;
  }
  const Error& error = machine.error();
  for (const NamedNumbers& size : state_.sizes)
    if (join_path("size", size.name) == error.path) return refuse(options_.state, size.line, error);
  const auto steps = path_steps(error.path);
  if (steps.empty() || steps[0].name != "size") return refuse(options_.model, 0, error);
  return refuse(options_.sizes.empty() ? options_.state : "--size", 0, error);
}

int MechanismInput::place() {
  VecX q = impact_.machine->default_q();
  VecX u = impact_.machine->default_u();
  for (const bool position : {true, false}) {
    for (const NamedNumbers& numbers : position ? state_.q : state_.u)
      if (const auto fine = put(*impact_.machine, numbers, position, position ? q : u); !fine)
        return refuse(options_.state, numbers.line, fine.error());
    for (const std::string& text : position ? options_.q : options_.u) {
      const std::string_view where = position ? "--q" : "--u";
      const auto numbers = read_named_numbers(text);
      if (!numbers) return refuse(where, 0, numbers.error());
      if (const auto fine = put(*impact_.machine, *numbers, position, position ? q : u); !fine)
        return refuse(where, 0, fine.error());
    }
  }
  const auto placed = ricochet::place(impact_, std::move(q), std::move(u), options_.assemble);
  return placed ? 0 : refuse(options_.state.empty() ? options_.model : options_.state, 0, placed.error());
}

int MechanismInput::find() {
  if (options_.contact.find('@') != std::string::npos) {
    const auto stated = read_contact(options_.contact);
    if (!stated) return refuse("--contact", 0, stated.error());
    stated_ = true;
    const auto found = find_contacts(impact_, *stated);
    return found ? 0 : refuse("--contact", 0, found.error());
  }
  if (options_.contact.empty() && state_.contact) {
    stated_ = true;
    const auto found = find_contacts(impact_, *state_.contact);
    return found ? 0 : refuse(options_.state, state_.contact->line, found.error());
  }
  const auto found = find_contacts(impact_, options_.reach);
  if (found) return 0;
  static constexpr std::array<OptionOf, 1> options_of{{{"reach", "--reach"}}};
  const std::string_view option = option_of(found.error(), options_of);
  return refuse(option.empty() ? options_.model : option, found.error());
}

int MechanismInput::strike() {
  const auto struck = ricochet::strike(impact_, stated_ ? "1" : options_.contact);
  if (!struck) return refuse(options_.model, 0, struck.error());
  impact_.collision.settings = state_.settings;
  impact_.collision.lines = state_.lines;
  impact_.collision.title = state_.title;
  override_parameters(assignments_, impact_.collision);
  return 0;
}

int MechanismInput::report_parameter_error(const Error& error) const {
  const bool in_file = impact_.collision.line_of(error.path) > 0;
  return app::report_parameter_error(in_file ? options_.state : options_.model, impact_.collision, assignments_, error);
}

}  // namespace ricochet::app
