#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "explore/page_server.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
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
  std::string query;   ///< of the address, with its "#"
  std::string motion;  ///< the document that is served beside the page; empty: none
};

constexpr std::string_view motion_name = "motion.json";
constexpr std::size_t motion_limit = std::size_t{1} << 30;

/// A motion document begins so (docs/motion-document.md).
bool begins_motion(std::string_view line) { return line.starts_with(R"({"ricochet":"motion")"); }

tl::expected<Opening, int> read_opening(const std::string& file) {
  Expected<Input> input = Input::open(file);
  if (!input) return tl::unexpected(refuse(file, input.error()));
  const Expected<std::string_view> first = input->peek_line();
  if (!first) return tl::unexpected(refuse(file, first.error()));
  const bool motion = begins_motion(*first);
  // Checked here, so that an error is reported with its line before a browser opens. The viewer checks a motion itself.
  if (!motion)
    if (const auto collision = open_collision(file); !collision) return tl::unexpected(refuse(collision.error()));
  Expected<std::string> text = input->rest(motion ? motion_limit : toml_limit);
  if (!text) return tl::unexpected(refuse(file, text.error()));
  if (motion) return Opening{fmt::format("#motion={}", motion_name), std::move(*text)};
  return Opening{"#toml=" + percent(*text), {}};
}

int run_explore(const ExploreOptions& options) {
  Opening opening;
  if (!options.file.empty()) {
    if (options.file == "-")
      return refuse("explore", Error{ErrorCode::invalid, "FILE", "-", "must be a file that can be read again"});
    auto read = read_opening(options.file);
    if (!read) return read.error();
    opening = std::move(*read);
  }
  // Blocked before the server's thread starts, so that both leave the signals to sigwait.
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  Expected<PageServer> server =
      PageServer::open(options.page.empty() ? page_folder() : std::filesystem::path(options.page));
  if (!server) return refuse_output(server.error());
  if (!opening.motion.empty()) server->add(std::string(motion_name), std::move(opening.motion));
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
  int signal = 0;
  sigwait(&ending, &signal);
  server->stop();
  return 0;
}

}  // namespace

void add_explore(Program& program, int& status) {
  const CommandLine command = add_command(program, "explore");
  auto options = std::make_shared<ExploreOptions>();
  command.add_option("FILE", options->file, "initial collision, TOML or one JSON line; or a motion document");
  command.add_option("--port", options->port, "port on the loopback address; by default any free one")
      .between(0, 65535)
      .type_name("N");
  command.add_flag("--no-open", options->no_open, "print the address without opening a browser");
  command.add_option("--page", options->page, "folder of the built page; by default the one beside the program")
      .type_name("FOLDER");
  command.footer(
      "Example:\n  ricochet explore scenes/rod.toml\n"
      "The first line on standard output is the address. It cannot be reached from other machines.");
  command.callback([options, &status] { status = run_explore(*options); });
}

}  // namespace ricochet::app
