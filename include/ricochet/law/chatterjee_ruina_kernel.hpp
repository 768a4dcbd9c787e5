#pragma once
/// Two-parameter algebraic law of Chatterjee & Ruina 1998, docs/laws/chatterjee-ruina.md.

#include <cmath>
#include <limits>

#include "ricochet/base/twofold.hpp"
#include "ricochet/contact/contact_view.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

namespace chatterjee_ruina_detail {

/// M u, refined against W: M has the rounding of its norm in all directions, and along those in which W is large that
/// is far above what M u should be there. What is left, u − W M u, does work: at most M u times it. It is found in
/// twofold arithmetic, but only where it exceeds 256 roundings of u.
template <class T>
[[nodiscard]] RICOCHET_HD Vec3T<T> refined_times(const Mat3T<T>& M, const Mat3T<T>& W, const Vec3T<T>& u) {
  using std::abs;
  using Number = LaneNumber<T>;
  const auto size = [](const Vec3T<T>& v) { return T(abs(v(0)) + abs(v(1)) + abs(v(2))); };
  const Vec3T<T> p = times3<T>(M, u), back = times3<T>(W, p);
  const MaskOf<T> coarse = size(Vec3T<T>(u(0) - back(0), u(1) - back(1), u(2) - back(2))) >
                           T(Number(256) * std::numeric_limits<Number>::epsilon()) * size(u);
  if (!any(coarse)) return p;
  Vec3T<T> rest;
  for (int i = 0; i < 3; ++i) {
    Twofold<T> sum{u(i), T(0)};
    for (int k = 0; k < 3; ++k) sum += Twofold<T>::product(W(i, k), T(-p(k)));
    rest(i) = sum.hi + sum.lo;
  }
  const MaskOf<T> helps = coarse && size(rest) < size(u);  // not where products leave the range of twofold arithmetic
  const Vec3T<T> more = times3<T>(M, rest);
  return select3(helps, Vec3T<T>(p(0) + more(0), p(1) + more(1), p(2) + more(2)), p);
}

}  // namespace chatterjee_ruina_detail

/// P = (1+e) P_I + κ (P_II − P_I).                                                                CR98 Eq. 11
/// The ray starts inside the cone and leaves it at most once, at κ_slip, so Eqs. 12 to 14 are equivalent to κ
/// = min(1 + e_t, κ_slip); μ = ∞ is the limit in which the cone is the half space n·P ≥ 0. `smooth` replaces
/// the minimum by (a^−m + b^−m)^−1/m, m = 1/smooth, which is below both: P stays on the same permissible
/// segment.
template <class S, class T>
[[nodiscard]] RICOCHET_HD Impulse<T> impulse(const ChatterjeeRuinaT<S>& law, const ContactView<T>& c) {
  using std::pow;
  const T infinity(std::numeric_limits<LaneNumber<T>>::infinity());
  const T mu(law.mu);
  const Vec3T<T> Wn = times3<T>(c.W, c.n);
  const T P_I = -c.V_n / dot3<T>(c.n, Wn);
  // P_II − P_I n = −M (V + P_I W n): of the velocity after P_I, not of V. M V alone has the rounding of ‖M‖ ‖V‖, which
  // is far above a P_II whose direction is light. MV_n and MV_t are the parts of its opposite; tangentially it is P_II.
  const Vec3T<T> U(c.V(0) + P_I * Wn(0), c.V(1) + P_I * Wn(1), c.V(2) + P_I * Wn(2));
  const Vec3T<T> MV = chatterjee_ruina_detail::refined_times<T>(c.M, c.W, U);
  const T MV_n = dot3<T>(c.n, MV), beyond = -MV_n;
  const Vec3T<T> MV_t(MV(0) - MV_n * c.n(0), MV(1) - MV_n * c.n(1), MV(2) - MV_n * c.n(2));
  const T size_t = norm3<T>(MV_t);
  const T reach = (T(1) + T(law.e)) * P_I;
  const auto unlimited = law.mu == S(std::numeric_limits<LaneNumber<S>>::infinity());
  const T leaving = select(unlimited, MV_n, T(size_t - mu * beyond));
  const MaskOf<T> leaves = leaving > T(0);
  const T kappa_slip = select(leaves, T(select(unlimited, reach, T(mu * reach)) / leaving), infinity);
  const T kappa_stick = T(1) + T(law.e_t);
  const MaskOf<T> slips = kappa_slip < kappa_stick;
  T kappa = select(slips, kappa_slip, kappa_stick);
  if (any(law.smooth > S(0))) {
    const MaskOf<T> smooth = law.smooth > S(0) && kappa > T(0);
    const T width = select(smooth, T(law.smooth), T(1));
    const T ratio = select(smooth, T(kappa / select(slips, kappa_stick, kappa_slip)), T(0));
    kappa = select(smooth, T(kappa * pow(T(T(1) + pow(ratio, T(T(1) / width))), T(-width))), kappa);
  }
  T P_n = reach + kappa * beyond;
  // Towards the cone of a large μ, P_n is a small difference. In the form P_n = P_t/μ + reach (1 − κ/κ_slip), which the
  // definition of κ_slip gives, it is a sum of nonnegative terms.
  if (any(law.mu > S(1))) {
    const MaskOf<T> steep = leaves && law.mu > S(1);
    const T from_cone = select(unlimited, T(0), T(kappa * size_t / mu));
    P_n = select(steep, T(from_cone + reach * (T(1) - kappa / kappa_slip)), P_n);
  }
  return {P_n, Vec3T<T>(-kappa * MV_t(0), -kappa * MV_t(1), -kappa * MV_t(2)), kappa * size_t,
          select(slips, Mode::slip, Mode::stick)};
}

template <class S, class T>
RICOCHET_HD Solution<T> solve(const ChatterjeeRuinaT<S>& law, const Local<T>& c) {
  return straight<T>(c, impulse(law, ContactView<T>(c)));
}

}  // namespace ricochet
