#include "ricochet/law/brach.hpp"

#include <algorithm>

#include "answer.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/law/brach_kernel.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

[[gnu::flatten]] Expected<Outcome> collide(const Brach& law, const Contact& contact) {
  if (const Expected<void> fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  if (contact.immovable) return answer_detail::collide_immovable(law, contact, law.mu);
  return answer_detail::collide_in_vectors(law, contact, law.mu);
}

Expected<BrachBounds> brach_bounds(const Contact& contact, double e, double angle, double mu) {
  const Expected<void> fine =
      check_parameters(Brach{.e = e, .mu = mu}).and_then([&] { return in_range("angle", angle, any_finite()); });
  if (!fine) return tl::unexpected(fine.error());
  const Local<double> c = localize<double>(contact);
  if (!(c.V(0) < 0)) return fail(ErrorCode::invalid, "V", to_text(c.V(0)), "must approach: n·V < 0");
  const double t_2 = std::cos(angle);
  const double t_3 = std::sin(angle);
  const double k = -c.V(0);
  const double slip = -c.V(1) * t_2;  // how fast the contact slides against the direction
  const double W_nn = c.W(0, 0);
  const double w = c.W(0, 1) * t_2 + c.W(0, 2) * t_3;
  const double W_t = c.W(1, 1) * t_2 * t_2 + 2 * c.W(1, 2) * t_2 * t_3 + c.W(2, 2) * t_3 * t_3;

  // With u = (1, r t) and N = (1+e) k / a, a = W_nn + r w > 0, energy is not gained where 2 V·u + N uᵀWu ≤ 0, that is
  //   F(r) = F_0 + 2 F_1 r + F_2 r² ≤ 0                                                                 (BR2)
  // On the line { n·V⁺ = e k } of the plane (n, t) the ellipse leaves a segment, and r is monotone along it: the answer
  // is one interval. Roots beyond a = 0 belong to N < 0; at a = 0 itself F = (1+e) k uᵀWu, so no interval crosses it.
  const double F_0 = (e - 1) * k * W_nn;
  const double F_1 = e * k * w - slip * W_nn;
  const double F_2 = (1 + e) * k * W_t - 2 * slip * w;
  const double last = w < 0 ? -W_nn / w : infinity;
  BrachBounds bounds;
  bounds.friction = {0, mu, false};
  auto& energy = bounds.energy;
  const double D = F_1 * F_1 - F_2 * F_0;
  const auto roots = [&](double& small, double& great) {
    const double root = std::sqrt(std::max(D, 0.0));
    const double q = F_1 > 0 ? -(F_1 + root) : root - F_1;
    const double one = F_2 != 0 ? q / F_2 : std::copysign(infinity, q);
    const double other = q != 0 ? F_0 / q : 0;
    small = std::min(one, other);
    great = std::max(one, other);
  };
  if (F_0 <= 0) {
    // r = 0 is in; the interval ends at the first root above it.
    double small = 0, great = 0;
    roots(small, great);
    if (F_2 > 0) {
      energy.high = great;
    } else if (F_1 > 0) {
      energy.high = F_0 == 0 ? 0 : (D >= 0 ? (F_2 == 0 ? -F_0 / (2 * F_1) : small) : infinity);
    } else {
      energy.high = infinity;
    }
    energy.low = 0;
    energy.high = std::max(energy.high, 0.0);
  } else if (D < 0 || (F_1 >= 0 && F_2 >= 0)) {
    energy.empty = true;
  } else {
    double small = 0, great = 0;
    roots(small, great);
    energy.low = F_2 > 0 ? small : great;
    energy.high = F_2 > 0 ? great : infinity;
    energy.empty = !(energy.low >= 0) || !(energy.low < last);
  }
  if (energy.empty) energy.low = energy.high = 0;
  bounds.permissible = {std::max(energy.low, 0.0), std::min(energy.high, mu), false};
  bounds.permissible.empty = energy.empty || !(bounds.permissible.low <= bounds.permissible.high);
  if (bounds.permissible.empty) bounds.permissible.low = bounds.permissible.high = 0;

  // Along t the slip ends at −slip + N (w + r W_t) = 0:  r ((1+e) k W_t − slip w) = slip W_nn − (1+e) k w.      (BR3)
  const double rise = (1 + e) * k * W_t - slip * w;
  const double reach = slip * W_nn - (1 + e) * k * w;
  if (rise != 0) {
    const double r = reach / rise;
    if (r >= 0 && r < last) bounds.critical = r;
  }
  return bounds;
}

}  // namespace ricochet
