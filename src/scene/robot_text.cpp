#include "robot_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "ricochet/base/outermost_element.hpp"

extern char** environ;  // NOLINT: of the process, by POSIX

namespace ricochet {
namespace {

tl::unexpected<Error> refuse(ErrorCode code, std::string allowed) {
  return fail(code, "model", "", std::move(allowed));
}

/// What the program xacro makes of the file.
Expected<std::string> run_xacro(const std::string& file) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return refuse(ErrorCode::unavailable, "cannot be read: no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string program = "xacro";
  std::string given = file;
  std::array<char*, 3> arguments{program.data(), given.data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, "xacro", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  while (failed == 0) {
    const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (failed != 0)
    return refuse(ErrorCode::unavailable,
                  "is for the program xacro, which is not installed; run it where it is: xacro FILE > robot.urdf");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return refuse(ErrorCode::malformed, "xacro could not process it; what it says is above");
  return text;
}

}  // namespace

Expected<RobotText> read_robot_text(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    return refuse(ErrorCode::file_access, "is a folder; give the robot file in it");
  std::ifstream in(file, std::ios::binary);
  if (!in) return refuse(ErrorCode::file_access, "cannot be opened");
  RobotText out;
  out.file = file;
  if (file.ends_with(".xacro")) {
    auto text = run_xacro(file);
    if (!text) return tl::unexpected(text.error());
    out.text = *std::move(text);
  } else {
    std::ostringstream text;
    text << in.rdbuf();
    out.text = text.str();
  }
  const std::size_t first = out.text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string::npos) return refuse(ErrorCode::malformed, "is empty");
  const std::string_view name = out.text[first] == '<' ? outermost_element(out.text) : "";
  if (name == "robot" || name == "mujoco") {
    out.urdf = name == "robot";
    return out;
  }
  std::string what = "is no robot file: its outermost element must be <robot> (URDF) or <mujoco> (MJCF)";
  if (name.empty()) {
    what = "is no robot file, which is XML: URDF (<robot>) or MJCF (<mujoco>)";
    for (const std::string_view mesh : {".stl", ".STL", ".obj", ".dae", ".ply"})
      if (file.ends_with(mesh)) what = "is a mesh; give the robot file that uses it, URDF or MJCF";
    if (file.ends_with(".toml"))
      what = "is no robot file; a state goes with --state, scenes are for ricochet simultaneous and ricochet collide";
  } else {
    what += fmt::format(", not <{}>", name.substr(0, 40));
  }
  return refuse(ErrorCode::malformed, what);
}

}  // namespace ricochet
