#pragma once
/// Progress of a long stream on stderr, if it is a terminal.

#include <chrono>

namespace ricochet::app {

class Progress {
 public:
  /// `size` in bytes, −1 if unknown. Silent if stderr is not a terminal.
  explicit Progress(long long size);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap: looks at the clock every 512 lines and draws at most ten times a second.
  void update(long long lines, long long bytes) {
    if (shown_ && (lines & 511) == 0) draw(lines, bytes);
  }
  /// Takes the bar away so that a message can be printed.
  void clear();

 private:
  void draw(long long lines, long long bytes);

  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  long long size_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace ricochet::app
