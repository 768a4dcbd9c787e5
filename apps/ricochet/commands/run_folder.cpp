#include "commands/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "ricochet/io/input.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view checkpoint_name = "checkpoint", partial = ".partial";
constexpr std::string_view magic = "ricochet checkpoint 1\n";
constexpr std::size_t largest = std::size_t{1} << 34U;

tl::unexpected<Error> cannot(const std::string& path, const char* what) {
  return fail(ErrorCode::file_access, "", "", fmt::format("{}: cannot be {}: {}", path, what, std::strerror(errno)));
}

Expected<void> write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot(path, "written");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

/// Of text, to tell whether it is whole (FNV-1a).
std::uint64_t sum_of(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

Expected<std::string> read_whole(const std::string& path) {
  auto input = Input::open(path);
  if (!input) return tl::unexpected(input.error());
  return input->rest(largest);
}

}  // namespace

RunFolder::RunFolder(RunFolder&& other) noexcept
    : names_(std::move(other.names_)),
      path_(std::move(other.path_)),
      identity_(std::move(other.identity_)),
      found_(std::move(other.found_)),
      state_(other.state_),
      lock_(std::exchange(other.lock_, -1)),
      files_(std::exchange(other.files_, {})),
      lengths_(std::move(other.lengths_)),
      waiting_(std::move(other.waiting_)),
      pieces_(other.pieces_),
      checkpoint_(std::move(other.checkpoint_)) {}

RunFolder::~RunFolder() {
  for (const int fd : files_)
    if (fd >= 0) close(fd);
  if (lock_ >= 0) close(lock_);
}

bool RunFolder::is_ours(const std::string& name) const {
  const auto known = [&](std::string_view one) {
    return name == one || name == std::string(one) + std::string(partial);
  };
  return known(names_.summary) || known(checkpoint_name) ||
         std::any_of(names_.growing.begin(), names_.growing.end(), known) ||
         std::any_of(names_.others.begin(), names_.others.end(), known);
}

std::string RunFolder::path_of(std::string_view name) const { return (fs::path(path_) / name).string(); }

/// Held until the process ends, however it ends.
Expected<void> RunFolder::lock() {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return cannot(path_, "opened");
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0)
    return fail(ErrorCode::unavailable, "", "", "another run is writing to this folder");
  return {};
}

Expected<RunFolder> RunFolder::look(RunFiles files, std::string path, Json identity, bool replace) {
  RunFolder out(std::move(files), std::move(path), std::move(identity));
  std::error_code problem;
  if (!fs::exists(out.path_, problem)) return out;
  if (!fs::is_directory(out.path_, problem)) return fail(ErrorCode::file_access, "", "", "is not a folder");
  if (const auto locked = out.lock(); !locked) return tl::unexpected(locked.error());
  if (replace) {
    out.state_ = State::occupied;
    return out;
  }
  bool checkpoint = false, summary = false, others = false;
  for (fs::directory_iterator at(out.path_, problem), end; !problem && at != end; at.increment(problem)) {
    const std::string name = at->path().filename().string();
    checkpoint |= name == checkpoint_name;
    summary |= name == out.names_.summary;
    others |= !out.is_ours(name) || (!name.ends_with(partial));
  }
  if (problem) return fail(ErrorCode::file_access, "", "", "cannot be read: " + problem.message());
  if (checkpoint) {
    out.state_ = State::unfinished;
    if (const auto fine = out.read_checkpoint(); !fine) return tl::unexpected(fine.error());
  } else if (summary) {
    out.state_ = State::occupied;
    const auto text = read_whole(out.path_of(out.names_.summary));
    if (!text) return tl::unexpected(text.error());
    const Json json = Json::parse(*text, nullptr, false);
    if (json.is_object() && json.contains("run")) {
      out.found_ = json["run"];
      out.state_ = State::finished;
    }
  } else if (others) {
    out.state_ = State::occupied;
  }
  return out;
}

Expected<void> RunFolder::read_checkpoint() {
  const std::string name = path_of(checkpoint_name);
  const auto text = read_whole(name);
  if (!text) return tl::unexpected(text.error());
  const auto wrong = [&] {
    return fail(ErrorCode::malformed, "", "",
                fmt::format("{} is not a checkpoint of {}; --force begins anew", name, names_.command));
  };
  if (!text->starts_with(magic)) return wrong();
  const std::size_t end = text->find('\n', magic.size());
  if (end == std::string::npos) return wrong();
  const Json head =
      Json::parse(text->begin() + magic.size(), text->begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
  if (!head.is_object() || !head.contains("run") || !head.contains("pieces") || !head.contains("lengths") ||
      !head.contains("sum") || !head["pieces"].is_number_unsigned() || !head["lengths"].is_array() ||
      head["lengths"].size() != lengths_.size() || !head["sum"].is_number_unsigned())
    return wrong();
  checkpoint_ = text->substr(end + 1);
  if (sum_of(checkpoint_) != head["sum"].get<std::uint64_t>()) return wrong();
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    if (!head["lengths"][i].is_number_unsigned()) return wrong();
    lengths_[i] = head["lengths"][i].get<std::uint64_t>();
  }
  found_ = head["run"];
  pieces_ = head["pieces"].get<std::uint64_t>();
  return {};
}

Expected<void> RunFolder::same_run() const {
  for (const auto& item : identity_.items()) {
    const Json other = found_.is_object() && found_.contains(item.key()) ? found_[item.key()] : Json();
    if (other == item.value()) continue;
    return fail(ErrorCode::conflict, item.key(), item.value().dump(),
                fmt::format("the run in this folder has {}; --force replaces it", other.dump()));
  }
  return {};
}

Expected<void> RunFolder::open_files(const std::vector<std::uint64_t>& lengths) {
  for (std::size_t i = 0; i < names_.growing.size(); ++i) {
    const std::string name = path_of(names_.growing[i]);
    files_[i] = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (files_[i] < 0) return cannot(name, "written");
    struct stat status {};
    if (fstat(files_[i], &status) != 0) return cannot(name, "read");
    if (static_cast<std::uint64_t>(status.st_size) < lengths[i])
      return fail(ErrorCode::file_access, "", "",
                  fmt::format("{}: is shorter than its checkpoint says; --force begins anew", name));
    const auto length = static_cast<off_t>(lengths[i]);
    if (ftruncate(files_[i], length) != 0 || lseek(files_[i], length, SEEK_SET) != length)
      return cannot(name, "written");
  }
  lengths_ = lengths;
  return {};
}

Expected<void> RunFolder::begin(std::string_view checkpoint) {
  std::error_code problem;
  fs::create_directories(path_, problem);
  if (problem)
    return fail(ErrorCode::file_access, "", "", fmt::format("{}: cannot be made: {}", path_, problem.message()));
  if (lock_ < 0)
    if (const auto locked = lock(); !locked) return locked;
  // From here on the folder holds this run, whatever it held before.
  lengths_.assign(lengths_.size(), 0);
  if (const auto saved = save(0, checkpoint); !saved) return saved;
  fs::remove(path_of(names_.summary), problem);
  for (const std::string_view name : names_.others) fs::remove(path_of(name), problem);
  return open_files(std::vector<std::uint64_t>(lengths_.size()));
}

Expected<void> RunFolder::resume() {
  std::error_code problem;
  fs::remove(path_of(names_.summary), problem);
  return open_files(lengths_);
}

Expected<void> RunFolder::flush() {
  for (std::size_t i = 0; i < names_.growing.size(); ++i) {
    if (waiting_[i].empty()) continue;
    if (const auto written = write_all(files_[i], waiting_[i], path_of(names_.growing[i])); !written) return written;
    lengths_[i] += waiting_[i].size();
    waiting_[i].clear();
  }
  return {};
}

Expected<void> RunFolder::save(std::uint64_t pieces, std::string_view checkpoint) {
  if (const auto flushed = flush(); !flushed) return flushed;
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (files_[i] >= 0 && fsync(files_[i]) != 0) return cannot(path_of(names_.growing[i]), "written");
  const Json head{{"run", identity_}, {"pieces", pieces}, {"lengths", lengths_}, {"sum", sum_of(checkpoint)}};
  std::string text(magic);
  text += head.dump() + "\n";
  text += checkpoint;
  return write(checkpoint_name, text);
}

Expected<void> RunFolder::write(std::string_view name, std::string_view text) const {
  const std::string target = path_of(name), temporary = target + std::string(partial);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return cannot(temporary, "written");
  const auto written = write_all(fd, text, temporary);
  const bool synced = fsync(fd) == 0;
  if (close(fd) != 0 || !synced) return cannot(temporary, "written");
  if (!written) return written;
  if (rename(temporary.c_str(), target.c_str()) != 0) return cannot(target, "written");
  (void)fsync(lock_);  // the name; a file system that cannot do this has nothing better
  return {};
}

Expected<void> RunFolder::finish(Json summary) {
  if (const auto flushed = flush(); !flushed) return flushed;
  Json whole{{"run", identity_}};
  whole.update(summary);
  if (const auto written = write(names_.summary, pretty(whole) + "\n"); !written) return written;
  std::error_code problem;
  fs::remove(path_of(checkpoint_name), problem);
  // Of a run that was killed while it wrote one.
  fs::remove(path_of(checkpoint_name) + std::string(partial), problem);
  return {};
}

}  // namespace ricochet::app
