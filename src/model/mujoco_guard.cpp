#include "mujoco_guard.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace ricochet::mujoco {

thread_local std::jmp_buf* landing = nullptr;

namespace {

// Plain storage: the handlers run between C frames, where an exception must not be thrown.
thread_local std::array<char, 1024> error_text{};
thread_local std::array<char, 1024> warning_text{};

void (*previous_error)(const char*) = nullptr;
void (*previous_warning)(const char*) = nullptr;

void on_error(const char* message) {
  if (landing != nullptr) {
    std::snprintf(error_text.data(), error_text.size(), "%s", message);
    std::longjmp(*landing, 1);
  }
  if (previous_error != nullptr) {
    previous_error(message);
    return;
  }
  std::fprintf(stderr, "ERROR: %s\n", message);
  std::exit(EXIT_FAILURE);
}

void on_warning(const char* message) {
  if (landing != nullptr) {
    std::snprintf(warning_text.data(), warning_text.size(), "%s", message);
  } else if (previous_warning != nullptr) {
    previous_warning(message);
  } else {
    mju_writeLog("WARNING", message);
    std::fprintf(stderr, "WARNING: %s\n", message);
  }
}

std::string take(std::array<char, 1024>& text) {
  std::string out(text.data());
  text[0] = '\0';
  return out;
}

}  // namespace

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    previous_error = std::exchange(mju_user_error, on_error);
    previous_warning = std::exchange(mju_user_warning, on_warning);
  });
}

std::string take_error() { return take(error_text); }
std::string take_warnings() { return take(warning_text); }

}  // namespace ricochet::mujoco
