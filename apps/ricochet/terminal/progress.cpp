#include "terminal/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ricochet::app {

Progress::Progress(long long size) : shown_(isatty(STDERR_FILENO) == 1), size_(size) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::draw(long long lines, long long bytes) {
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(lines) / seconds;
  if (size_ > 0) {
    const double share = static_cast<double>(bytes) / static_cast<double>(size_);
    const auto full = static_cast<std::size_t>(30 * (share < 1 ? share : 1));
    fmt::print(stderr, "\r[{}{}] {:3.0f} %  {} lines, {:.0f} a second\033[K", std::string(full, '#'),
               std::string(30 - full, '.'), 100 * share, lines, rate);
  } else {
    fmt::print(stderr, "\r{} lines, {:.0f} a second\033[K", lines, rate);
  }
  drawn_ = true;
}

}  // namespace ricochet::app
