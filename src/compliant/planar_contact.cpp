#include "ricochet/compliant/planar_contact.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace ricochet::compliant {

Expected<PlanarContact> planar_contact(const Contact& contact) {
  const Vec3& n = contact.n;
  const double approach = contact.approach_speed();
  if (!(approach > 0)) return fail(ErrorCode::invalid, "V", to_text(-approach), "must approach: n·V < 0");
  const auto tangent = [&](const Vec3& x) -> Vec3 { return x - n.dot(x) * n; };
  Vec3 t = tangent(contact.V);
  if (!(t.norm() > 1e-12 * contact.V.norm())) t = tangent(contact.W * n);
  if (!(t.norm() > 1e-12 * (contact.W * n).norm())) t = tangent(Vec3::Unit((std::abs(n.x()) < 0.6) ? 0 : 1));
  t.normalize();
  const Vec3 across = n.cross(t);
  const Vec3 Wa = contact.W * across;
  const double largest = contact.W.cwiseAbs().maxCoeff();
  const double coupling = std::max(std::abs(n.dot(Wa)), std::abs(t.dot(Wa)));
  if (coupling > 1e-9 * largest)
    return fail(ErrorCode::invalid, "W", "",
                fmt::format("must be planar: it couples the plane of n and of the slip to the direction across it with "
                            "{:.3g} of its largest entry, where 1e-09 is allowed",
                            coupling / largest));
  const Vec3 Wn = contact.W * n, Wt = contact.W * t;
  return PlanarContact{.n = n,
                       .t = t,
                       .w_nn = n.dot(Wn),
                       .w_nt = n.dot(Wt),
                       .w_tt = t.dot(Wt),
                       .v_n = -approach,
                       .v_t = std::max(0.0, t.dot(contact.V))};
}

}  // namespace ricochet::compliant
