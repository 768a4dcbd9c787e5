#pragma once
/// Numbers that many tests use.

#include <limits>

namespace ricochet::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace ricochet::testing
