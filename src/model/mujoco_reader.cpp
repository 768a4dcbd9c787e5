#include "mujoco_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "mjcf_source.hpp"
#include "mujoco_guard.hpp"
#include "ricochet/base/outermost_element.hpp"

namespace ricochet {
namespace {

/// Files in memory for MuJoCo.
class Files {
 public:
  Files() : files_(new mjVFS) { mj_defaultVFS(files_.get()); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() { mj_deleteVFS(files_.get()); }

  [[nodiscard]] bool add(const char* name, std::string_view data) {
    if (data.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
    if (mj_makeEmptyFileVFS(files_.get(), name, static_cast<int>(data.size())) != 0) return false;
    std::memcpy(files_->filedata[files_->nfile - 1], data.data(), data.size());
    return true;
  }
  [[nodiscard]] const mjVFS* get() const { return files_.get(); }

 private:
  std::unique_ptr<mjVFS> files_;
};

/// What the child tells: a letter, then a message or the model in MuJoCo's binary form.
constexpr char read_well = 'm';
constexpr char read_badly = 'e';
constexpr int message_size = 1024;

bool write_all(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(file, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

/// In the child: reads, writes what came of it, and ends. MuJoCo's own words go nowhere.
[[noreturn]] void read_and_tell(int to, const std::string& name, const mjVFS* files) {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
  std::array<char, message_size> message{};
  mjModel* m = nullptr;
  const auto fine = mujoco::guarded([&] { m = mj_loadXML(name.c_str(), files, message.data(), message_size); });
  if (!fine || m == nullptr) {
    const std::string why = fine ? message.data() : fine.error().allowed;
    write_all(to, &read_badly, 1);
    write_all(to, why.data(), why.size());
    ::_exit(0);
  }
  const int size = mj_sizeModel(m);
  std::vector<char> binary(static_cast<std::size_t>(size));
  const auto saved = mujoco::guarded([&] { mj_saveModel(m, nullptr, binary.data(), size); });
  if (!saved) ::_exit(1);
  write_all(to, &read_well, 1);
  write_all(to, message.data(), message.size());
  write_all(to, binary.data(), binary.size());
  ::_exit(0);
}

struct Told {
  std::string text;
  int status = 0;  ///< of waitpid
};

Expected<Told> tell(const std::string& name, const mjVFS* files) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorCode::unavailable, "model", "", fmt::format("cannot be read: no pipe ({})", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) read_and_tell(ends[1], name, files);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return fail(ErrorCode::unavailable, "model", "",
                fmt::format("cannot be read: no process ({})", std::strerror(errno)));
  }
  Told out;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    out.text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  while (::waitpid(child, &out.status, 0) < 0 && errno == EINTR) {
  }
  return out;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Expected<MujocoRead> read_apart(const std::string& name, const mjVFS* files) {
  const auto told = tell(name, files);
  if (!told) return tl::unexpected(told.error());
  if (WIFSIGNALED(told->status))
    return fail(ErrorCode::malformed, "model", "",
                fmt::format("ends MuJoCo, which reads it in a process of its own, by signal {} ({})",
                            WTERMSIG(told->status), strsignal(WTERMSIG(told->status))));
  const std::string& text = told->text;
  if (!text.empty() && text[0] == read_badly)
    return fail(ErrorCode::malformed, "model", "", "MuJoCo says: " + one_line(text.substr(1)));
  if (text.size() <= 1 + message_size || text[0] != read_well)
    return fail(ErrorCode::malformed, "model", "", "MuJoCo, which reads it in a process of its own, gave no answer");
  Files binary;
  if (!binary.add("model.mjb", std::string_view(text).substr(1 + message_size)))
    return fail(ErrorCode::out_of_range, "model", "", "is too large");
  mjModel* m = nullptr;
  if (const auto fine = mujoco::guarded([&] { m = mj_loadModel("model.mjb", binary.get()); }); !fine)
    return tl::unexpected(fine.error());
  if (m == nullptr) return fail(ErrorCode::malformed, "model", "", "MuJoCo's binary form of it cannot be read");
  MujocoRead out;
  out.model.reset(m);
  out.remark = one_line(std::string(text.c_str() + 1));
  return out;
}

/// MuJoCo keeps the point of a connection in the frames of both bodies.
Expected<void> join_sites(mjModel& m, const std::vector<SiteConnection>& joined) {
  for (const SiteConnection& one : joined) {
    const int equality = mj_name2id(&m, mjOBJ_EQUALITY, one.name.c_str());
    for (int k = 0; k < 2; ++k) {
      const int site = mj_name2id(&m, mjOBJ_SITE, one.sites[static_cast<std::size_t>(k)].c_str());
      if (equality < 0 || site < 0)
        return fail(ErrorCode::malformed, "model", one.name, "connects sites that MuJoCo has not kept");
      std::copy_n(m.site_pos + 3 * static_cast<std::ptrdiff_t>(site), 3,
                  m.eq_data + mjNEQDATA * static_cast<std::ptrdiff_t>(equality) + 3 * static_cast<std::ptrdiff_t>(k));
    }
  }
  return {};
}

}  // namespace

Expected<MujocoRead> read_by_mujoco(std::string_view text, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos) return fail(ErrorCode::malformed, "model", "", "must not be empty");
  if (text[first] != '<' || text.find('\0') != std::string_view::npos)
    return fail(ErrorCode::malformed, "model", "",
                "must be a robot file, which is XML: URDF (<robot>) or MJCF (<mujoco>)");
  if (outermost_element(text) == "robot") {
    auto read = read_apart(file, nullptr);
    if (read) read->format = "URDF";
    return read;
  }
  auto source = prepare_mjcf(text, file);
  if (!source) return tl::unexpected(source.error());
  Files files;
  if (!files.add("model.xml", source->xml)) return fail(ErrorCode::out_of_range, "model", "", "is too large");
  for (const MjcfFile& one : source->files)
    if (!files.add(one.name.c_str(), one.data)) return fail(ErrorCode::out_of_range, "model", one.name, "is too large");
  auto read = read_apart("model.xml", files.get());
  if (!read) return read;
  read->format = "MJCF";
  if (const auto fine = join_sites(*read->model, source->joined); !fine) return tl::unexpected(fine.error());
  read->left_out = std::move(source->left_out);
  return read;
}

}  // namespace ricochet
