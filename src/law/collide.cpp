#include "ricochet/law/collide.hpp"

#include <fmt/format.h>

#include <limits>

namespace ricochet {

Expected<void> in_range(const char* field, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  if (high == std::numeric_limits<double>::max())
    return fail(field, to_text(value), fmt::format("must be finite and at least {}", low));
  if (high == std::numeric_limits<double>::infinity())
    return fail(field, to_text(value), fmt::format("must be at least {}, or inf", low));
  return fail(field, to_text(value), fmt::format("must be between {} and {}", low, high));
}

}  // namespace ricochet
