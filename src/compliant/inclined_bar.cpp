#include "ricochet/compliant/inclined_bar.hpp"

#include <cmath>
#include <numbers>

namespace ricochet::compliant {

Expected<Contact> inclined_bar(double mass, double slenderness, double angle, const Vec2& V) {
  if (!(mass > 0) || !std::isfinite(mass))
    return fail(ErrorCode::out_of_range, "mass", to_text(mass), "must be above 0 and finite");
  if (!(slenderness >= 0) || !std::isfinite(slenderness))
    return fail(ErrorCode::out_of_range, "slenderness", to_text(slenderness), "must be finite and at least 0");
  if (!(std::abs(angle) <= std::numbers::pi / 2))
    return fail(ErrorCode::out_of_range, "angle", to_text(angle), "must be between -pi/2 and pi/2 from the normal");
  const double lambda_x = slenderness * std::sin(angle), lambda_y = slenderness * std::cos(angle);
  Mat3 W = Mat3::Zero();
  W(0, 0) = 1 + lambda_x * lambda_x;
  W(1, 1) = 1 + lambda_y * lambda_y;
  W(0, 1) = W(1, 0) = -lambda_x * lambda_y;
  W(2, 2) = 1;  // out of the plane nothing happens
  return contact_from_mobility(W / mass, Vec3(V(0), V(1), 0), Vec3::UnitX());
}

}  // namespace ricochet::compliant
