#pragma once
/// How many of a known number of steps are done, as a bar on stderr with rate and time left, if it is a terminal.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>

namespace ricochet::app {

class CountProgress {
 public:
  /// `done` of them were done before.
  CountProgress(std::string what, std::size_t total, std::size_t done = 0)
      : what_(std::move(what)), total_(total), before_(done), done_(done), shown_(isatty(STDERR_FILENO) == 1) {}
  ~CountProgress() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
  }
  CountProgress(const CountProgress&) = delete;
  CountProgress& operator=(const CountProgress&) = delete;

  /// So many more are done; from any thread.
  void step(std::size_t count = 1) {
    const std::lock_guard lock(mutex_);
    done_ += count;
    if (!shown_) return;
    const auto now = Clock::now();
    if (drawn_ && done_ < total_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    constexpr std::size_t width = 30;
    const double share = total_ == 0 ? 1 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    const auto full = static_cast<std::size_t>(share * width);
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = static_cast<double>(done_ - before_) / std::max(seconds, 1e-9);
    fmt::print(stderr, "\r[{:#<{}}{: <{}}] {} of {} {}, {:.3g} a second, {} left\033[K", "", full, "", width - full,
               done_, total_, what_, rate, time_text(static_cast<double>(total_ - std::min(done_, total_)) / rate));
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::string time_text(double seconds) {
    if (seconds < 60) return fmt::format("{:.0f} s", seconds);
    if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
  }

  std::string what_;
  std::size_t total_, before_, done_;
  bool shown_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  std::mutex mutex_;
};

}  // namespace ricochet::app
