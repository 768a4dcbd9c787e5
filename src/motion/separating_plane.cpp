#include "motion/separating_plane.hpp"

#include "ricochet/geometry/shape_contact.hpp"

namespace ricochet::motion {

std::optional<Touch> separating_plane(const ConvexShape& A, const ConvexShape& B) {
  if (A.core == ConvexShape::Core::half_space || B.core == ConvexShape::Core::half_space) return std::nullopt;
  Vec3 n = B.position - A.position;
  if (!(n.norm() > 0)) return std::nullopt;
  n.normalize();
  for (int k = 0; k < 8; ++k) {
    Touch out;
    out.n = n;
    out.on_A = core_support(A, n) + A.margin * n;
    out.on_B = core_support(B, -n) - B.margin * n;
    const Vec3 between = out.on_B - out.on_A;
    out.gap = n.dot(between);
    if (out.gap > 0) return out;
    const double far = between.norm();
    if (!(far > 0)) return std::nullopt;
    n -= 2 * out.gap / (far * far) * between;
    n.normalize();
  }
  return std::nullopt;
}

}  // namespace ricochet::motion
