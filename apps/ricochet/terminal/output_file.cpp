#include "terminal/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

/// Only async-signal-safe calls are allowed in a handler, so the name is kept in plain memory.
std::array<char, 4096> doomed{};
volatile std::sig_atomic_t armed = 0;

extern "C" void on_signal(int) {
  if (armed != 0) unlink(doomed.data());
  _exit(130);
}

Expected<void> trouble(const std::string& path) {
  return fail(ErrorCode::file_access, "", "",
              (path.empty() ? "standard output" : path) + ": cannot be written: " + std::strerror(errno));
}

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

mode_t permissions(const struct stat* existing) {
  if (existing != nullptr) return existing->st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    // Signals that the parent ignored (`nohup`, background jobs) stay ignored.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

int write_out(const std::string& path, std::string_view text) {
  Expected<OutputFile> file = OutputFile::open(path);
  if (!file) return refuse_output(file.error());
  const Expected<void> fine = file->write(text).and_then([&] { return file->commit(); });
  return fine ? 0 : refuse_output(fine.error());
}

int write_and_name(const std::string& path, std::string_view text) {
  if (const int status = write_out(path, text); status != 0) return status;
  return is_standard_output(path) ? 0 : print_out(path + "\n");
}

Expected<OutputFile> OutputFile::open(const std::string& path) {
  OutputFile file;
  if (is_standard_output(path)) {
    file.fd_ = STDOUT_FILENO;
    return file;
  }
  file.target_ = path;
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return fail(ErrorCode::file_access, "", "", path + ": cannot be written: it is a directory");
  if (exists && !S_ISREG(status.st_mode)) {
    file.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.fd_ < 0) return tl::unexpected(trouble(path).error());
    return file;
  }
  if (exists) {
    // Resolves a symbolic link, so that the link is kept.
    char* real = realpath(path.c_str(), nullptr);
    if (real != nullptr) file.target_ = real;
    std::free(real);
  }
  std::string name = file.target_ + ".partial-XXXXXX";
  if (name.size() >= doomed.size())
    return fail(ErrorCode::file_access, "", "", path + ": cannot be written: the name is too long");
  sigset_t both, before;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigprocmask(SIG_BLOCK, &both, &before);
  file.fd_ = mkostemp(name.data(), O_CLOEXEC);
  if (file.fd_ >= 0) {
    file.temporary_ = name;
    std::copy_n(name.c_str(), name.size() + 1, doomed.data());
    armed = 1;
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (file.fd_ < 0) return tl::unexpected(trouble(path).error());
  if (fchmod(file.fd_, permissions(exists ? &status : nullptr)) != 0) return tl::unexpected(trouble(path).error());
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})) {}

OutputFile::~OutputFile() {
  if (fd_ > STDERR_FILENO) close(fd_);
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
    armed = 0;
  }
}

Expected<void> OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE && target_.empty()) throw OutputClosed{};
    if (n < 0) return trouble(target_);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Expected<void> OutputFile::commit() {
  if (fd_ <= STDERR_FILENO) return {};
  // Some file systems report a full disk only here.
  if (close(std::exchange(fd_, -1)) != 0) return trouble(target_);
  if (temporary_.empty()) return {};
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return trouble(target_);
  temporary_.clear();
  armed = 0;
  return {};
}

}  // namespace ricochet::app
