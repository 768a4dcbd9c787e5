#include "ricochet/geometry/shape_contact.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "ricochet/geometry/face_contact.hpp"

#ifdef RICOCHET_HAVE_FCL
#include "ricochet/geometry/signed_distance.hpp"
#endif

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
constexpr double never = std::numeric_limits<double>::infinity();

Touch reversed(Touch touch) {
  std::swap(touch.on_A, touch.on_B);
  touch.n = -touch.n;
  return touch;
}

/// The nearest points of two shapes of finite size. Out of reach by its lower bound a distance may be uncertain.
Expected<Touch> nearest(const ConvexShape& A, const ConvexShape& B, double reach) {
  if (A.core == Core::point && B.core == Core::point) {
    const Vec3 between = B.position - A.position;
    const double distance = between.norm();
    Touch touch;
    if (distance > 0) touch.n = between / distance;
    touch.gap = distance - A.margin - B.margin;
    touch.on_A = A.position + A.margin * touch.n;
    touch.on_B = B.position - B.margin * touch.n;
    return touch;
  }
#ifdef RICOCHET_HAVE_FCL
  const auto found = estimate_distance(A, B);
  if (!found) return tl::unexpected(found.error());
  // A millionth of the reach is exact enough to tell what is within it.
  if (found->gap <= reach && !(found->uncertainty <= 1e-6 * reach))
    if (const auto fine = check_certain(*found, A, B); !fine) return tl::unexpected(fine.error());
  return Touch{.on_A = found->on_A, .on_B = found->on_B, .n = found->n, .gap = found->gap, .patch = found->patch};
#else
  (void)reach;
  return fail(ErrorCode::unavailable, "shape", "", "it needs FCL (libfcl-dev), without which this was built");
#endif
}

}  // namespace

#ifdef RICOCHET_HAVE_FCL
bool have_every_distance() { return true; }
#else
bool have_every_distance() { return false; }
#endif

Expected<std::vector<Touch>> shape_contacts(const ConvexShape& A, const ConvexShape& B, double reach) {
  if (A.core == Core::half_space) return half_space_contacts(A, B, reach);
  if (B.core == Core::half_space) {
    std::vector<Touch> out = half_space_contacts(B, A, reach);
    for (Touch& touch : out) touch = reversed(touch);
    return out;
  }
  std::vector<Touch> out;
  if (best_own_slab(A, B).width > reach) return out;
  const auto found = nearest(A, B, reach);
  if (!found) return tl::unexpected(found.error());
  if (found->gap > reach) return out;
  if (found->patch) return patch_corners(A, B, *found);
  out.push_back(*found);
  return out;
}

Expected<double> way_to_touch(const ConvexShape& moving, const ConvexShape& at_rest, const Vec3& way) {
  if (at_rest.core == Core::half_space) {
    const double closing = -way.dot(at_rest.rotation.col(2));
    const double height = height_above(at_rest, moving);
    if (closing > 1e-9) return height / closing;
    return height >= 0 ? never : 0;
  }
  ConvexShape at = moving;
  double travelled = 0;
  const double size = core_radius(moving) + core_radius(at_rest) + moving.margin + at_rest.margin;
  // Far away, and moving past it: the widest slab across the way tells it without a distance.
  for (int i = 0; i < 100; ++i) {
    at.position = moving.position + travelled * way;
    const Slab bound = best_own_slab(at, at_rest);
    if (bound.width > 0 && bound.n.dot(way) <= 0) return never;
    const auto found = nearest(at, at_rest, -never);  // a lower bound will do: it cannot pass the root either
    if (!found) return tl::unexpected(found.error());
    if (found->gap < -1e-9 * size && i == 0) {
      // Overlapping: from beyond it, where the slab across the way separates them, and towards it again.
      travelled = slab(at, at_rest, way) - 1e-3 * size;
      continue;
    }
    if (std::abs(found->gap) <= 1e-12 * size) return travelled;
    // The gap is a convex function of the way, so that its tangent never passes its root.
    const double closing = found->n.dot(way);
    if (!(closing > 1e-12)) return never;
    const double step = found->gap / closing;
    travelled += step;
    if (std::abs(step) <= 1e-14 * size) return travelled;
  }
  return fail(ErrorCode::not_converged, "shape", "", "the way to where it touches was not found in 100 steps");
}

}  // namespace ricochet
