#include "ricochet/law/pfeiffer_glocker.hpp"

#include <fmt/format.h>

#include "ricochet/base/parameter.hpp"
#include "ricochet/law/collide.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"

namespace ricochet {
namespace {

/// Without slip the tangential axes are arbitrary; turn axis 2 to where the normal impulse drives the contact, if it
/// does. The law does not depend on the sign of axis 2.
void turn_to_coupling(Local<double>& local, double tolerance) {
  const Vec2 w(local.W(1, 0), local.W(2, 0));
  if (!(w.norm() > tolerance * local.W.cwiseAbs().maxCoeff())) return;
  const Vec2 axis = w.normalized();
  Mat3 Q = Mat3::Identity();
  Q(1, 1) = Q(2, 2) = axis(0);
  Q(2, 1) = axis(1);
  Q(1, 2) = -axis(1);
  const auto turned = [&](const Mat3& A) {
    const Mat3 B = Q.transpose() * A * Q;
    return Mat3(0.5 * (B + B.transpose()));
  };
  local.M = turned(local.M);
  local.W = turned(local.W);
  local.R = Mat3(local.R * Q);
}

}  // namespace

Expected<Outcome> collide(const PfeifferGlocker& law, const Contact& contact) {
  const Expected<void> fine =
      check_parameters(law).and_then([&] { return in_range("tolerance", law.tolerance, between(0, 1)); });
  if (!fine) return tl::unexpected(fine.error());
  Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const bool slips = local.V(1) != 0;
  if (!slips) turn_to_coupling(local, law.tolerance);
  // Without slip and without coupling there is no tangential motion for any W_tt.
  const bool driven = slips || std::abs(local.W(1, 0)) > law.tolerance * local.W.cwiseAbs().maxCoeff();
  const double out = std::max(std::abs(local.W(0, 2)), driven ? std::abs(local.W(1, 2)) : 0.0);
  const double ratio = out / local.W.cwiseAbs().maxCoeff();
  // Rounding of V turns the direction of a slip s by ε‖V‖/s, and the plane with it.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const double turned = slips ? 8 * eps * contact.V.norm() / std::abs(local.V(1)) : 0;
  if (ratio > law.tolerance + turned) {
    return fail(ErrorCode::invalid, "M", "",
                fmt::format("must be planar for this law: the inverse of M couples the plane of n and {} to the "
                            "direction across it with {:.3g} of its largest entry, where {} is allowed",
                            slips ? "V" : "the driven tangent", ratio, law.tolerance));
  }
  return solve_and_certify(law, local, law.mu);
}

}  // namespace ricochet
