#pragma once
/// Vectors and matrices as text, for error messages.

#include <string>

#include "ricochet/base/linear.hpp"

namespace ricochet {

[[nodiscard]] std::string to_text(const Vec3& v);
[[nodiscard]] std::string to_text(const Mat3& A);

}  // namespace ricochet
