#include "terminal/simulation_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace ricochet::app {

SimulationProgress::SimulationProgress(double begin, double until)
    : shown_(isatty(STDERR_FILENO) == 1), begin_(begin), until_(until) {}

SimulationProgress::~SimulationProgress() { clear(); }

void SimulationProgress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void SimulationProgress::draw(double time, std::uint64_t events) {
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double share = std::clamp(time / until_, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(30 * share);
  const double left = time > begin_ ? seconds * (until_ - time) / (time - begin_) : 0;
  fmt::print(stderr, "\r[{}{}] {:.4g} of {:.4g} s  {} events, {:.0f} a second, {:.0f} s left\033[K",
             std::string(full, '#'), std::string(30 - full, '.'), time, until_, events,
             static_cast<double>(events) / seconds, left);
  drawn_ = true;
}

}  // namespace ricochet::app
