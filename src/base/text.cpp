#include "ricochet/base/text.hpp"

#include <fmt/format.h>

namespace ricochet {

std::string to_text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }

std::string to_text(const Mat3& A) {
  return fmt::format("[{}, {}, {}]", to_text(Vec3(A.row(0))), to_text(Vec3(A.row(1))), to_text(Vec3(A.row(2))));
}

}  // namespace ricochet
