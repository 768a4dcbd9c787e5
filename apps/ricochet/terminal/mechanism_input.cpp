#include "terminal/mechanism_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/io/state_toml.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {

void add_mechanism_options(const CommandLine& command, MechanismOptions& options) {
  const auto repeated = [&](const char* name, std::vector<std::string>& where, const char* help, const char* type) {
    command.add_option(name, where, help).type_name(type).repeated();
  };
  command.add_option("--state", options.state, "TOML: positions, speeds, law, parameters; - is standard input")
      .type_name("FILE");
  repeated("--q", options.q, "positions of joints, override the state; may be repeated", "JOINT=VALUE,...");
  repeated("--u", options.u, "speeds of joints, as in hip=1,knee=-2, override the state; may be repeated",
           "JOINT=VALUE,...");
  repeated("--size", options.sizes, "a size of a bundled system, overrides the state", "NAME=VALUE");
  command
      .add_option("--contact", options.contact,
                  "which contact: its number in the list, FIRST:SECOND, or a user-defined one between two bodies, "
                  "FIRST:SECOND@x,y,z/nx,ny,nz with n from first to second")
      .type_name("CONTACT");
  command.add_option("--reach", options.reach, "gap up to which a contact is listed [m], 0.001 by default")
      .type_name("LENGTH");
  command.add_flag("--assemble", options.assemble, "move the state to the nearest one that closes all loops");
  command
      .add_option("--key", options.key,
                  "keyframe of a robot file, by name or number from 0; home or the first by default")
      .type_name("NAME");
  repeated("--package", options.packages, "folder of a ROS package, for meshes of URDF; may be repeated",
           "NAME=FOLDER");
  command
      .add_option("--base", options.base,
                  "whether the root of URDF is free or fixed; by default docs/robots.md says which")
      .among({"free", "fixed"})
      .type_name("WAY");
  command.add_option("--drop", options.drop, "set a robot on the floor, landing at this speed [m/s]; 1 by default")
      .type_name("SPEED");
  command.add_option("--height", options.height, "the same at the speed of a fall from this height [m]")
      .type_name("LENGTH");
  command
      .add_option("--floor", options.floor,
                  "none: add no floor below a robot; or the height of one that is added whatever the file has [m]")
      .type_name("none|HEIGHT");
}

namespace {

/// "hip=1,knee=-2" as "hip=1" and "knee=-2"; a comma between numbers stays.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
    const std::size_t end = std::min(text.find(',', comma + 1), text.size());
    if (text.substr(comma + 1, end - comma - 1).find('=') == std::string::npos) continue;
    out.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  out.push_back(text.substr(begin));
  return out;
}

/// The entries of q or u that belong to the joint, or all of them without a name.
void mark(const Machine& machine, const std::string& name, bool position, std::vector<bool>& given) {
  for (const Coordinate& c : machine.coordinates()) {
    if (!name.empty() && c.name != name) continue;
    const auto first = static_cast<std::size_t>(position ? c.position : c.speed);
    const auto count = static_cast<std::size_t>(position ? c.positions : c.speeds);
    for (std::size_t i = first; i < first + count; ++i) given[i] = true;
  }
}

/// Joints of which any entry was given.
HeldJoints held_joints(const Machine& machine, const std::vector<bool>& given_q, const std::vector<bool>& given_u) {
  HeldJoints held{.q = std::vector<bool>(given_u.size(), false), .u = given_u};
  for (const Coordinate& c : machine.coordinates()) {
    const auto first = given_q.begin() + c.position;
    if (std::find(first, first + c.positions, true) == first + c.positions) continue;
    std::fill_n(held.q.begin() + c.speed, c.speeds, true);
  }
  return held;
}

}  // namespace

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

/// A scene takes the place of the robot file and of the state.
int MechanismInput::read_scene_file() {
  scene_ = options_.scene;
  if (!scene_ && !options_.model.ends_with(".toml")) return 0;
  for (const auto& [option, given] :
       {std::pair("--state", !options_.state.empty()), std::pair("--key", !options_.key.empty()),
        std::pair("--base", !options_.base.empty()), std::pair("--package", !options_.packages.empty()),
        std::pair("--size", !options_.sizes.empty())})
    if (given)
      return refuse(option, 0, Error{ErrorCode::conflict, "", "", "goes with a single mechanism; a scene states it"});
  if (!scene_) {
    auto scene = open_robot_scene(options_.model);
    if (!scene) return refuse(scene.error());
    scene_ = std::make_shared<const RobotScene>(*std::move(scene));
  }
  state_.title = scene_->title;
  state_.law = scene_->law;
  state_.settings = scene_->settings;
  state_.lines = scene_->lines;
  auto machine = make_machine(*scene_);
  if (!machine) return refuse_scene(machine.error());
  impact_.machine = *std::move(machine);
  return 0;
}

/// At the line of the table that the path names.
int MechanismInput::refuse_scene(const Error& error) const {
  const auto steps = path_steps(error.path);
  long long line = 0;
  if (!steps.empty() && steps[0].entry > 0) {
    const std::size_t i = steps[0].entry - 1;
    if (steps[0].name == "robot" && i < scene_->robots.size()) line = scene_->robots[i].line;
    if (steps[0].name == "body" && i < scene_->bodies.size()) line = scene_->bodies[i].line;
    if (steps[0].name == "contact" && i < scene_->contacts.size()) line = scene_->contacts[i].at.line;
  }
  return refuse(options_.model, line, error);
}

int MechanismInput::read_model() {
  if (const int status = read_scene_file(); status != 0 || scene_) return status;
  if (const int status = read_state_file(); status != 0) return status;
  return open();
}

int MechanismInput::read() {
  if (const int status = read_model(); status != 0) return status;
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
    return refuse(!options_.law.empty() ? "--law" : scene_ ? options_.model : options_.state, 0, error);
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
  RobotOptions robot;
  for (const std::string& text : options_.packages) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse("--package", 0, Error{ErrorCode::malformed, "", text, "must be NAME=FOLDER"});
    robot.packages[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (!options_.base.empty()) robot.free_base = options_.base == "free";
  auto machine = open_machine(options_.model, sizes, robot);
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

/// Where positions and speeds start: a keyframe of the file, or its own pose.
int MechanismInput::start(VecX& q, VecX& u) {
  const Machine& machine = *impact_.machine;
  q = machine.default_q();
  u = machine.default_u();
  const RobotDescription* robot = machine.description();
  std::string key = options_.key;
  if (key.empty() && robot != nullptr && options_.state.empty()) {
    for (const std::string& name : robot->keyframes)
      if (name == "home") key = name;
    if (key.empty() && !robot->keyframes.empty()) key = "0";
    pose_ = scene_ ? "that of the scene" : "as drawn";
  }
  if (key.empty()) return 0;
  auto keyframe = machine.keyframe(key);
  if (!keyframe) return refuse("--key", 0, keyframe.error());
  q = keyframe->q;
  if (!options_.key.empty()) u = keyframe->u;
  pose_ = fmt::format("keyframe {}", keyframe->name);
  return 0;
}

int MechanismInput::place() {
  VecX q, u;
  if (const int status = start(q, u); status != 0) return status;
  std::vector<bool> given_q(static_cast<std::size_t>(q.size()), false);
  std::vector<bool> given_u(static_cast<std::size_t>(u.size()), false);
  for (const bool position : {true, false}) {
    std::vector<bool>& given = position ? given_q : given_u;
    for (const NamedNumbers& numbers : position ? state_.q : state_.u)
      if (const auto fine = put(*impact_.machine, numbers, position, position ? q : u); !fine)
        return refuse(options_.state, numbers.line, fine.error());
    for (const std::string& texts : position ? options_.q : options_.u) {
      const std::string_view where = position ? "--q" : "--u";
      for (const std::string& text : split(texts)) {
        const auto numbers = read_named_numbers(text);
        if (!numbers) return refuse(where, 0, numbers.error());
        if (const auto fine = put(*impact_.machine, *numbers, position, position ? q : u); !fine)
          return refuse(where, 0, fine.error());
        mark(*impact_.machine, numbers->name, position, given);
      }
    }
  }
  const bool robot = impact_.machine->description() != nullptr;
  const bool asked = options_.drop || options_.height || !options_.floor.empty();
  if (asked && !robot)
    return refuse("--drop", 0, Error{ErrorCode::conflict, "", "", "--drop, --height and --floor go with robot files"});
  const bool stated = options_.contact.find('@') != std::string::npos || state_.contact ||
                      (scene_ && !(scene_->contacts.empty() && u.isZero(0)));
  if (robot && (asked || (options_.state.empty() && !stated && !options_.assemble)))
    return land(std::move(q), std::move(u), std::move(given_q), std::move(given_u));
  const auto placed = ricochet::place(impact_, std::move(q), std::move(u), options_.assemble,
                                      held_joints(*impact_.machine, given_q, given_u));
  return placed ? 0 : refuse(options_.state.empty() ? options_.model : options_.state, 0, placed.error());
}

int MechanismInput::land(VecX q, VecX u, std::vector<bool> given_q, std::vector<bool> given_u) {
  LandingOptions options;
  const auto positive = [](const std::optional<double>& x) { return !x || (std::isfinite(*x) && *x > 0); };
  for (const auto& [option, value] : {std::pair("--drop", options_.drop), std::pair("--height", options_.height)})
    if (!positive(value))
      return refuse(option, 0,
                    Error{ErrorCode::out_of_range, "", fmt::format("{}", *value), "must be positive and finite"});
  if (options_.drop && options_.height)
    return refuse("--height", 0, Error{ErrorCode::conflict, "", "", "says the same as --drop; give one of them"});
  if (options_.drop) options.speed = *options_.drop;
  if (options_.height) options.speed = speed_of_fall(*impact_.machine, *options_.height);
  options.may_add_floor = options_.floor != "none";
  if (!options_.floor.empty() && options.may_add_floor) {
    const auto height = read_number(options_.floor);
    if (!height || !std::isfinite(*height))
      return refuse("--floor", 0,
                    Error{ErrorCode::wrong_type, "", options_.floor, "must be none or a height in metres"});
    options.floor = *height;
  }
  options.given_q = std::move(given_q);
  options.given_u = std::move(given_u);
  auto landing = ricochet::land(impact_, std::move(q), std::move(u), options);
  if (!landing) return refuse(landing.error().path == "floor" ? "--floor" : options_.model, 0, landing.error());
  landing_ = *std::move(landing);
  return 0;
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
  if (scene_ && !scene_->contacts.empty()) {
    const auto found = find_contacts(impact_, std::span(scene_->contacts));
    return found ? 0 : refuse_scene(found.error());
  }
  auto found = find_contacts(impact_, options_.reach, landing_.has_value());
  if (found && landing_ && options_.everything) {
    // Those that can close keep their numbers; the others follow.
    std::vector<CandidateContact> first;
    first.swap(impact_.contacts);
    found = find_contacts(impact_, options_.reach);
    for (const CandidateContact& other : impact_.contacts) {
      const auto same = [&](const CandidateContact& c) {
        return c.pair() == other.pair() && c.at.point == other.at.point;
      };
      if (std::none_of(first.begin(), first.end(), same)) first.push_back(other);
    }
    impact_.contacts.swap(first);
  }
  if (found) return 0;
  static constexpr std::array<OptionOf, 1> options_of{{{"reach", "--reach"}}};
  const std::string_view option = option_of(found.error(), options_of);
  return refuse(option.empty() ? options_.model : option, found.error());
}

/// Those of the state and of --set; a landing has e and mu, said to the user, where neither gives them.
void MechanismInput::set_parameters() {
  impact_.collision.settings = state_.settings;
  impact_.collision.lines = state_.lines;
  impact_.collision.title = state_.title;
  override_parameters(assignments_, impact_.collision);
  if (!landing_) return;
  LawParameters& settings = impact_.collision.settings;
  for (const std::string_view name : {"e", "mu"}) {
    if (get(settings, name)) continue;
    (void)set(settings, name, 0.5);
    assumed_ += fmt::format("{}{} = 0.5", assumed_.empty() ? "" : ", ", name);
  }
}

int MechanismInput::strike() {
  const auto struck = ricochet::strike(impact_, stated_ ? "1" : options_.contact);
  if (!struck) return refuse(options_.model, 0, struck.error());
  set_parameters();
  const CandidateContact& hit = impact_.contacts[impact_.chosen];
  impact_.collision.settings = parameters_of(impact_, impact_.chosen);
  if (options_.law.empty() && !hit.law.empty()) law_ = hit.law;
  return 0;
}

int MechanismInput::strike_all() {
  if (closing(impact_).empty()) return refuse(options_.model, 0, nothing_closes(impact_));
  set_parameters();
  return 0;
}

int MechanismInput::report_parameter_error(const Error& error) const {
  const bool in_state = !scene_ && impact_.collision.line_of(error.path) > 0;
  return app::report_parameter_error(in_state ? options_.state : options_.model, impact_.collision, assignments_,
                                     error);
}

}  // namespace ricochet::app
