#pragma once
/// How many of a known number of steps are done, as a bar on stderr, if it is a terminal.

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>

namespace ricochet::app {

class CountProgress {
 public:
  CountProgress(std::string what, std::size_t total)
      : what_(std::move(what)), total_(total), shown_(isatty(STDERR_FILENO) == 1) {}
  ~CountProgress() {
    if (shown_ && done_ > 0) fmt::print(stderr, "\r\033[K");
  }
  CountProgress(const CountProgress&) = delete;
  CountProgress& operator=(const CountProgress&) = delete;

  /// One more is done; from any thread.
  void step() {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (!shown_) return;
    constexpr std::size_t width = 30;
    const std::size_t full = total_ == 0 ? width : std::min(width, width * done_ / total_);
    fmt::print(stderr, "\r[{:#<{}}{: <{}}] {} of {} {}", "", full, "", width - full, done_, total_, what_);
    std::fflush(stderr);
  }

 private:
  std::string what_;
  std::size_t total_, done_ = 0;
  bool shown_;
  std::mutex mutex_;
};

}  // namespace ricochet::app
