#pragma once
/// Bilinear law for spheres and disks, CR98 Eq. 9, docs/laws/bilinear.md.

#include <limits>

#include "ricochet/contact/contact_view.hpp"
#include "ricochet/law/bilinear.hpp"
#include "ricochet/law/solution.hpp"

namespace ricochet {

/// P_n = −(1+e) M_11 V_n and, against the slip, P_t = min(μ P_n, (1+e_t) M_22 s).                  CR98 Eq. 9
/// The law does not serve an M that couples the normal with a tangent, M_12² + M_13², or the direction of the slip with
/// the one across it, M_23², by more than `tolerance` of its largest diagonal entry. Without slip axes 2 and 3 are
/// arbitrary, and only the coupling with n counts.
template <class S, class T>
[[nodiscard]] RICOCHET_HD Impulse<T> impulse(const BilinearT<S>& law, const ContactView<T>& c) {
  using Number = LaneNumber<T>;
  const auto tangential = [&](const Vec3T<T>& v, const T& v_n) {
    return Vec3T<T>(v(0) - v_n * c.n(0), v(1) - v_n * c.n(1), v(2) - v_n * c.n(2));
  };
  const auto larger = [](const T& x, const T& y) { return select(x > y, x, y); };
  const Vec3T<T> Mn = times3<T>(c.M, c.n);
  const T M_nn = dot3<T>(c.n, Mn);
  Vec3T<T> V_t = tangential(c.V, c.V_n);
  V_t = tangential(V_t, dot3<T>(c.n, V_t));
  const T square = dot3<T>(V_t, V_t);
  const Number eps = std::numeric_limits<Number>::epsilon();
  const MaskOf<T> slips = square > T(Number(16) * eps * eps) * (c.V_n * c.V_n + square);
  const Vec3T<T> MV_t = times3<T>(c.M, V_t);
  const T rest = c.M(0, 0) + c.M(1, 1) + c.M(2, 2) - M_nn;
  const T M_tt = select(slips, T(dot3<T>(V_t, MV_t) / square), T(rest / T(2)));

  const T tolerance = larger(T(law.tolerance), T(Number(64) * eps));
  const T limit = tolerance * larger(M_nn, larger(M_tt, rest - M_tt));
  const Vec3T<T> across_n = tangential(Mn, M_nn);
  const Vec3T<T> of_t = tangential(MV_t, dot3<T>(c.n, MV_t));
  const Vec3T<T> across_t(of_t(0) - M_tt * V_t(0), of_t(1) - M_tt * V_t(1), of_t(2) - M_tt * V_t(2));
  Impulse<T> out;
  out.served =
      dot3<T>(across_n, across_n) <= limit * limit && (!slips || dot3<T>(across_t, across_t) <= limit * limit * square);

  out.P_n = -(T(1) + T(law.e)) * M_nn * c.V_n;
  // P_t is this factor times −V_t.
  const T sticking = (T(1) + T(law.e_t)) * M_tt;
  const T s = norm3<T>(V_t);
  // Avoids 0·∞ where P_n underflows.
  const auto limited = law.mu != S(std::numeric_limits<LaneNumber<S>>::infinity());
  const T sliding = T(law.mu) * out.P_n;
  const MaskOf<T> slides = limited && slips && sliding < sticking * s;
  const T factor = select(slips, select(slides, T(sliding / s), sticking), T(0));
  out.P_t = Vec3T<T>(-factor * V_t(0), -factor * V_t(1), -factor * V_t(2));
  out.size_t = factor * s;
  out.mode = select(slides, Mode::slip, Mode::stick);
  return out;
}

template <class S, class T>
RICOCHET_HD Solution<T> solve(const BilinearT<S>& law, const Local<T>& c) {
  const Impulse<T> answer = impulse(law, ContactView<T>(c));
  if (!answer.served) return straight<T>(c, Vec3T<T>(T(0), T(0), T(0)), Mode::slip, Termination::no_solution);
  return straight<T>(c, answer);
}

}  // namespace ricochet
