#include "report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/motion_toml.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

enum class ReportKind { collision, mechanism, scene };

constexpr std::array<std::string_view, 13> state_options{"--state", "--q",        "--u",   "--size", "--contact",
                                                         "--reach", "--assemble", "--key", "--drop", "--height",
                                                         "--floor", "--package",  "--base"};

/// Options for one kind of input only, and which of them were given.
struct GivenOptions {
  std::string mechanism, scene;  ///< the first that was given; empty: none
};

/// Reports a kind-specific option given with another kind.
int check_options(const GivenOptions& given, ReportKind kind) {
  if (kind != ReportKind::mechanism && !given.mechanism.empty())
    return refuse(given.mechanism, 0, Error{ErrorCode::conflict, "", "", "goes with a mechanism"});
  if (kind != ReportKind::scene && !given.scene.empty())
    return refuse(given.scene, 0, Error{ErrorCode::conflict, "", "", "goes with a scene of many contacts"});
  return 0;
}

/// A name that is neither a file nor anything bundled.
int refuse_name(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Bundled& system : bundled_systems()) names.push_back(system.name);
  for (const NamedScene& scene : named_scenes()) names.push_back(scene.name);
  return refuse(
      name, 0,
      Error{ErrorCode::unknown_name, "", "",
            with_suggestion("neither a file nor a bundled mechanism or scene", name.substr(0, name.find(':')), names)});
}

/// A file by what it holds; the state of a mechanism says nothing by itself.
int report_file(const ReportOptions& options, const GivenOptions& given, Page& page) {
  Read<CollisionFile> file = open_collision_file(options.file, scene_limit);
  if (!file) return refuse(file.error());
  const auto as = [&](ReportKind kind) { return check_options(given, kind); };
  if (file->collision) {
    if (const int status = as(ReportKind::collision); status != 0) return status;
    return report_collision(options, file->name, *std::move(file->collision), page);
  }
  // Without a contact there is no impact to report on.
  if (is_motion_scene(file->toml) && toml_content(file->toml).key != "robot")
    return refuse(file->name,
                  Error{ErrorCode::conflict, "", "",
                        "states no contact: it is for ricochet simulate, whose --motion FILE goes into a report"});
  const TomlContentKey holds = toml_content(file->toml);
  if (holds.content == TomlContent::mechanism_state)
    return refuse(file->name, holds.line,
                  Error{ErrorCode::conflict, holds.key, "",
                        "is part of a mechanism's state; name the mechanism, and this file with --state"});
  if (holds.content == TomlContent::scene && holds.key == "robot" && options.file != "-") {
    if (const int status = as(ReportKind::mechanism); status != 0) return status;
    return report_mechanism(options, page);
  }
  if (holds.content == TomlContent::scene) {
    if (const int status = as(ReportKind::scene); status != 0) return status;
    auto scene = read_scene(file->toml);
    if (!scene) return refuse(file->name, scene.error().line, scene.error().error);
    return report_scene(options, *std::move(scene), page);
  }
  if (const int status = as(ReportKind::collision); status != 0) return status;
  auto collision = read_toml(file->toml);
  if (!collision) return refuse(file->name, collision.error().line, collision.error().error);
  return report_collision(options, file->name, *std::move(collision), page);
}

int make_page(const ReportOptions& options, const GivenOptions& given, Page& page) {
  const std::string& name = options.file;
  const bool exists = name.empty() || name == "-" || access(name.c_str(), F_OK) == 0;
  const bool robot = find_bundled(name) == nullptr && is_mechanism(name);
  if (robot || (!exists && is_mechanism(name))) {
    if (const int status = check_options(given, ReportKind::mechanism); status != 0) return status;
    return report_mechanism(options, page);
  }
  if (is_bundled_scene(name)) {
    if (const int status = check_options(given, ReportKind::scene); status != 0) return status;
    auto scene = open_scene(name);
    return scene ? report_scene(options, *std::move(scene), page) : refuse(scene.error());
  }
  if (!exists && name.find_first_of("./") == std::string::npos) return refuse_name(name);
  return report_file(options, given, page);
}

int run(const ReportOptions& options, const GivenOptions& given) {
  Page page;
  if (const int status = make_page(options, given, page); status != 0) return status;
  if (!options.motion.empty())
    if (const int status = report_motion(options.motion, page); status != 0) return status;
  return write_and_name(options.output, to_html(page));
}

}  // namespace

void add_report(Program& program, int& status) {
  const CommandLine command = add_command(program, "report");
  auto options = std::make_shared<ReportOptions>();
  command.add_option("FILE", options->file,
                     "a collision (TOML or one JSON line), a scene (TOML, or bundled, see simultaneous), or a "
                     "mechanism (URDF, MJCF, or bundled, see impact --systems); without it the built-in collision");
  command
      .add_option("--law", options->mechanism.law,
                  "the law whose answer is pictured; default: that of the file, or routh")
      .type_name("NAME");
  add_set_option(command, options->mechanism.sets, "overrides a parameter of the file");
  command.add_option("-o,--output", options->output, "report.html by default").type_name("FILE");
  command.add_option("--motion", options->motion, "adds a motion that simulate --motion wrote (JSON), to be played")
      .type_name("FILE");
  add_mechanism_options(command, options->mechanism);
  for (const std::string_view name : state_options) command.group(std::string(name), "Of a mechanism");
  add_scene_options(command, options->scene);
  command.add_flag("--all-at-once", options->all_at_once,
                   "require the methods that solve all contacts at once, which need Siconos; default: if available");
  const auto scene_names = [] {
    std::vector<std::string> out{"--hinges", "--all-at-once"};
    for (const std::string_view name : sequence_option_names()) out.emplace_back(name);
    return out;
  };
  for (const std::string& name : scene_names()) command.group(name, "Of a scene");
  command.footer(
      "Examples:\n"
      "  ricochet report scenes/rod.toml -o rod.html\n"
      "  ricochet report double-pendulum --set e=0.5 --set mu=0.4\n"
      "  ricochet report models/quadruped.xml --state models/landing.toml\n"
      "  ricochet report pool-break --ensemble 500\n\n"
      "An impulse P acts on the second body of its contact (B of a collision), towards which n points.");
  command.callback([options, command, scene_names, &status] {
    GivenOptions given;
    for (const std::string_view name : state_options)
      if (given.mechanism.empty() && command.count(std::string(name)) > 0) given.mechanism = name;
    for (const std::string& name : scene_names())
      if (given.scene.empty() && command.count(name) > 0) given.scene = name;
    options->mechanism.model = options->file;
    status = run(*options, given);
  });
}

}  // namespace ricochet::app
