#include "ricochet/base/error.hpp"

#include <fmt/format.h>

namespace ricochet {

std::string Error::message() const {
  if (value.empty()) return fmt::format("{}: {}", field, allowed);
  return fmt::format("{} = {}: {}", field, value, allowed);
}

std::string to_text(double x) { return fmt::format("{}", x); }

}  // namespace ricochet
