#pragma once
/// MuJoCo ends the process on an internal error and writes a log file on a warning. Within `guarded` both are returned
/// as values; outside, the previous handler or MuJoCo's default remains active.

#include <mujoco/mujoco.h>

#include <csetjmp>
#include <string>

#include "ricochet/base/error.hpp"

namespace ricochet::mujoco {

/// Where an error on this thread jumps to; null outside `guarded`.
extern thread_local std::jmp_buf* landing;

void install_handlers();
/// The message of the error that jumped, cleared.
std::string take_error();
/// Warnings on this thread since the last call.
std::string take_warnings();

/// Runs f, which must own no resources: an error inside jumps over destructors.
template <class F>
[[nodiscard]] Expected<void> guarded(const F& f) {
  install_handlers();
  std::jmp_buf here;
  std::jmp_buf* volatile outer = landing;
  if (setjmp(here) != 0) {
    landing = outer;
    return fail(ErrorCode::malformed, "model", "", "MuJoCo says: " + take_error());
  }
  landing = &here;
  f();
  landing = outer;
  return {};
}

}  // namespace ricochet::mujoco
