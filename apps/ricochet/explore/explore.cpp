#include <fcntl.h>
#include <fmt/format.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "explore/page_server.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/motion_toml.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/report/contacts_document.hpp"
#include "ricochet/scene/bundled_scenes.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/page_simulation.hpp"
#include "terminal/mechanism_input.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

struct ExploreOptions {
  std::string file;
  std::string page;
  int port = 0;
  bool no_open = false;
};

/// Relative to the program, for the installed and for the build tree.
std::filesystem::path page_folder() {
  std::error_code problem;
  return std::filesystem::read_symlink("/proc/self/exe", problem).parent_path().parent_path() / "share" / "ricochet" /
         "explorer";
}

std::string percent(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// False without a desktop.
bool open_browser(const std::string& address) {
  std::string program = "xdg-open", argument = address;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// What the page is opened with.
struct Opening {
  std::string query;          ///< of the address, with its "#"
  std::string document = {};  ///< that is served beside the page; empty: none
  std::string name = {};      ///< under which it is
};

constexpr std::string_view motion_name = "motion.json", contacts_name = "contacts.json";
constexpr std::size_t motion_limit = std::size_t{1} << 30;

bool has_robots(const std::string& text) { return toml_content(text).key == "robot"; }

/// A motion document begins so (docs/motion-document.md).
bool begins_motion(std::string_view line) { return line.starts_with(R"({"ricochet":"motion")"); }

/// The text of a bundled scene for motion; nothing where there is a file of this name, or no such scene.
std::optional<std::string> bundled_motion(const std::string& name) {
  if (access(name.c_str(), F_OK) == 0) return std::nullopt;
  for (const BundledScene& motion : bundled_motions())
    if (motion.name == name) return std::string(motion.text);
  return std::nullopt;
}

/// A name that is neither a file nor a bundled scene.
int refuse_name(const std::string& name) {
  std::vector<std::string_view> names;
  for (const BundledScene& motion : bundled_motions()) names.push_back(motion.name);
  for (const NamedScene& scene : named_scenes()) names.push_back(scene.name);
  return refuse(
      name, Error{ErrorCode::unknown_name, "", "", with_suggestion("neither a file nor a bundled scene", name, names)});
}

/// The contacts of a robot, or of a scene with robots, that `ricochet impact` strikes without options. The page cannot
/// open such files, and gets the answers.
tl::expected<Opening, int> read_robot_opening(const std::string& file, std::shared_ptr<const RobotScene> scene) {
  MechanismOptions options;
  options.model = file;
  options.scene = std::move(scene);
  MechanismInput input(options);
  if (const int status = input.read(); status != 0) return tl::unexpected(status);
  if (const int status = input.strike_all(); status != 0) return tl::unexpected(status);
  const MechanismImpact& impact = input.impact();
  const std::vector<std::size_t> struck = taking_part(impact);
  const std::string& title = impact.collision.title;
  auto answers =
      contact_answers(impact, struck, title.empty() ? std::filesystem::path(file).filename().string() : title);
  if (!answers) return tl::unexpected(refuse(file, answers.error()));
  answers->remark = input.assumed();
  return Opening{fmt::format("#contacts={}", contacts_name), contacts_document(impact, struck, *answers),
                 std::string(contacts_name)};
}

/// A scene of many contacts, with the text of its file; empty: a bundled one. The page resolves it by itself, unless it
/// needs files.
tl::expected<Opening, int> read_contacts_opening(const std::string& name, std::string text) {
  auto opened = open_any_scene(name);
  if (!opened) return tl::unexpected(refuse(opened.error()));
  if (auto* robots = std::get_if<RobotScene>(&*opened))
    return read_robot_opening(name, std::make_shared<const RobotScene>(std::move(*robots)));
  const Scene& scene = std::get<Scene>(*opened);
  const std::size_t count = scene.arrangement.contacts.size();
  if (count == 0 || count > most_page_contacts)
    return tl::unexpected(
        refuse(name, Error{ErrorCode::unavailable, "contact", fmt::format("{} contacts", count),
                           fmt::format("the page shows 1 to {}; ricochet simultaneous {} resolves them",
                                       most_page_contacts, printable(name))}));
  if (text.empty()) text = write_toml(scene);
  if (read_scene(text)) return Opening{"#many=" + percent(text)};
  const auto answers = contact_answers(scene);
  if (!answers) return tl::unexpected(refuse(name, line_of(scene, answers.error()), answers.error()));
  return Opening{fmt::format("#contacts={}", contacts_name), contacts_document(scene, *answers),
                 std::string(contacts_name)};
}

/// Opened with a scene that the page simulates. What the page cannot do goes to `simulate`.
tl::expected<Opening, int> read_scene_opening(const std::string& name, const std::string& text) {
  const auto instead = [&](const Error& error, long long line) {
    Error out = error;
    out.allowed += fmt::format("; ricochet simulate {} --motion motion.html does it", printable(name));
    return tl::unexpected(refuse(name, line, out));
  };
  const auto scene = open_motion_scene(name);
  if (!scene) return tl::unexpected(refuse(scene.error()));
  // The page opens no files, and so reads it without the meshes that lie beside it.
  if (const auto alone = read_motion_scene(text); !alone) return instead(alone.error().error, alone.error().line);
  if (const auto fine = check_for_page(*scene); !fine) return instead(fine.error(), line_of(*scene, fine.error()));
  return Opening{"#scene=" + percent(text)};
}

tl::expected<Opening, int> read_opening(const std::string& file) {
  if (const auto bundled = bundled_motion(file)) return read_scene_opening(file, *bundled);
  if (find_bundled(file) == nullptr && is_mechanism(file)) return read_robot_opening(file, nullptr);
  if (is_bundled_scene(file)) return read_contacts_opening(file, "");
  if (file.find_first_of("./") == std::string::npos && access(file.c_str(), F_OK) != 0)
    return tl::unexpected(refuse_name(file));
  Expected<Input> input = Input::open(file);
  if (!input) return tl::unexpected(refuse(file, input.error()));
  const Expected<std::string_view> first = input->peek_line();
  if (!first) return tl::unexpected(refuse(file, first.error()));
  const bool motion = begins_motion(*first);
  Expected<std::string> text = input->rest(motion ? motion_limit : toml_limit);
  if (!text) return tl::unexpected(refuse(file, text.error()));
  // The viewer checks a motion itself.
  if (motion) return Opening{fmt::format("#motion={}", motion_name), std::move(*text), std::string(motion_name)};
  if (toml_content(*text).key == "contact" || has_robots(*text)) return read_contacts_opening(file, *text);
  if (is_motion_scene(*text)) return read_scene_opening(file, *text);
  // Checked here, so that an error is reported with its line before a browser opens.
  if (const auto collision = open_collision(file); !collision) return tl::unexpected(refuse(collision.error()));
  return Opening{"#toml=" + percent(*text)};
}

sem_t ended;
extern "C" void on_ending(int) { sem_post(&ended); }

int run_explore(const ExploreOptions& options) {
  Opening opening;
  if (!options.file.empty()) {
    if (options.file == "-")
      return refuse("explore", Error{ErrorCode::invalid, "FILE", "-", "must be a file that can be read again"});
    auto read = read_opening(options.file);
    if (!read) return read.error();
    opening = std::move(*read);
  }
  // Whichever thread gets the signal: libraries may have started some before.
  sem_init(&ended, 0, 0);
  struct sigaction action {};
  action.sa_handler = on_ending;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);

  Expected<PageServer> server =
      PageServer::open(options.page.empty() ? page_folder() : std::filesystem::path(options.page));
  if (!server) return refuse_output(server.error());
  if (!opening.document.empty()) server->add(opening.name, std::move(opening.document));
  const Expected<int> port = server->start(options.port);
  if (!port) return refuse_output(port.error());
  const std::string address = fmt::format("http://127.0.0.1:{}/{}", *port, opening.query);
  if (const int status = print_out(address + "\n"); status != 0) {
    server->stop();
    return status;
  }
  const bool opened = !options.no_open && open_browser(address);
  fmt::print(stderr, "{} Ctrl-C ends it.\n",
             opened ? "The explorer is open in the browser."
                    : "The explorer is served at the address above; open it in a browser.");
  while (sem_wait(&ended) != 0 && errno == EINTR) {
  }
  server->stop();
  return 0;
}

}  // namespace

void add_explore(Program& program, int& status) {
  const CommandLine command = add_command(program, "explore");
  auto options = std::make_shared<ExploreOptions>();
  command.add_option("FILE", options->file,
                     "initial collision, TOML or one JSON line; a scene in motion or of many contacts, TOML or bundled "
                     "(see simulate and simultaneous); a robot file; or a motion document");
  command.add_option("--port", options->port, "port on the loopback address; by default any free one")
      .between(0, 65535)
      .type_name("N");
  command.add_flag("--no-open", options->no_open, "print the address without opening a browser");
  command.add_option("--page", options->page, "folder of the built page; by default the one beside the program")
      .type_name("FOLDER");
  command.footer(
      "Examples:\n  ricochet explore scenes/rod.toml\n  ricochet explore double-pendulum\n"
      "  ricochet explore pool-break\n  ricochet explore models/quadruped.urdf\n"
      "The first line on standard output is the address. It cannot be reached from other machines.");
  command.callback([options, &status] { status = run_explore(*options); });
}

}  // namespace ricochet::app
