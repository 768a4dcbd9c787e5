#include "ricochet/base/error.hpp"

#include <fmt/format.h>

#include "ricochet/base/printable.hpp"

namespace ricochet {

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::missing: return "missing";
    case ErrorCode::unknown_name: return "unknown-name";
    case ErrorCode::wrong_type: return "wrong-type";
    case ErrorCode::out_of_range: return "out-of-range";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::malformed: return "malformed";
    case ErrorCode::file_access: return "file-access";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::invalid: return "invalid";
    case ErrorCode::open_loop: return "open-loop";
    case ErrorCode::no_solution: return "no-solution";
    case ErrorCode::not_converged: return "not-converged";
    case ErrorCode::overflow: return "overflow";
  }
  return "unknown";
}

std::string Error::message() const {
  const std::string reason = printable(allowed, 600);
  if (path.empty() && value.empty()) return reason;
  if (path.empty() || value.empty()) return fmt::format("{}: {}", printable(path.empty() ? value : path), reason);
  return fmt::format("{} = {}: {}", printable(path), printable(value), reason);
}

std::string to_text(double x) { return fmt::format("{}", x); }

}  // namespace ricochet
