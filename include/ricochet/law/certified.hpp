#pragma once
/// A law's answer in the coordinates of the contact, with its margins: the numbers of an outcome, for one contact or a
/// pack of them.

#include "ricochet/contact/contact_view.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/space/certificate.hpp"

namespace ricochet {

template <class S>
struct Certified {
  Vec3T<S> P, V;
  S normal_work, friction_work;
  S energy_change;  ///< computed from the reported works, so that they sum exactly
  JudgedMargins<S> judged;
};

/// From the solution of a kernel in local axes. `mu` is the friction of the certificate's cone.
template <class T, class S = JudgedIn<T>>
[[nodiscard]] RICOCHET_HD Certified<S> certified(const Local<T>& local, const Solution<T>& solution, const S& mu) {
  const auto to_input = [&](const Vec3T<T>& v) {
    const Vec3T<T> x = times3<T>(local.R, v);
    return Vec3T<S>(S(x(0)), S(x(1)), S(x(2)));
  };
  Certified<S> out;
  out.P = to_input(solution.P);
  out.V = to_input(solution.V);
  out.normal_work = S(solution.normal_work);
  out.friction_work = S(solution.friction_work);
  out.energy_change = out.normal_work + out.friction_work;
  out.judged = judged_margins<T>(local.W, local.V, solution.P, mu, LaneNumber<S>(judgement_rounding<LaneNumber<T>>));
  return out;
}

namespace certified_detail {

/// P, V⁺ and n·V⁺ of an impulse.
template <class T>
struct Effect {
  Vec3T<T> P, V;
  T V_n;
};
template <class T>
[[nodiscard]] RICOCHET_HD Effect<T> effect(const ContactView<T>& c, const Impulse<T>& i) {
  const auto part = [&](int k) { return T(i.P_n * c.n(k) + i.P_t(k)); };
  Effect<T> out;
  out.P = Vec3T<T>(part(0), part(1), part(2));
  out.V = velocity_after<T>(c.V, c.W, out.P);
  out.V_n = dot3<T>(c.n, out.V);
  return out;
}

template <class T>
[[nodiscard]] RICOCHET_HD Certified<T> certified(const ContactView<T>& c, const Impulse<T>& i, const Effect<T>& effect,
                                                 const Works<T>& works, const T& mu) {
  Certified<T> out;
  out.P = effect.P;
  out.V = effect.V;
  out.normal_work = works.normal;
  out.friction_work = works.friction;
  out.energy_change = works.normal + works.friction;
  out.judged = judged_margins<T>(T(-out.energy_change), effect.V_n, i.P_n, i.size_t, mu,
                                 LaneNumber<T>(judgement_rounding<LaneNumber<T>>),
                                 [&](const T& size) { return T(norm3<T>(c.V) + norm3<T>(c.W) * size); });
  return out;
}

}  // namespace certified_detail

/// From the impulse of an algebraic law, with the works of (C2).
template <class T>
[[nodiscard]] RICOCHET_HD Certified<T> certified(const ContactView<T>& c, const Impulse<T>& i, const T& mu) {
  const certified_detail::Effect<T> effect = certified_detail::effect(c, i);
  const Vec3T<T> twice(c.V(0) + effect.V(0), c.V(1) + effect.V(1), c.V(2) + effect.V(2));
  const Works<T> works{i.P_n * (c.V_n + effect.V_n) / T(2), dot3<T>(i.P_t, twice) / T(2)};
  return certified_detail::certified(c, i, effect, works, mu);
}

/// The same of two phases, each with its works.
template <class T>
[[nodiscard]] RICOCHET_HD Works<T> work_of_compression(const ContactView<T>& c, const TwoPhaseImpulse<T>& i) {
  return {i.P_cn * (c.V_n + i.V_c(0)) / T(2), i.P_ct * (i.V_t + i.V_c(1)) / T(2)};
}
template <class T>
[[nodiscard]] RICOCHET_HD Certified<T> certified(const ContactView<T>& c, const TwoPhaseImpulse<T>& i, const T& mu) {
  const certified_detail::Effect<T> effect = certified_detail::effect<T>(c, i);
  const Works<T> compression = work_of_compression(c, i);
  const Works<T> expansion{i.P_en * (i.V_c(0) + effect.V_n) / T(2), i.P_et * (i.V_c(1) + i.V_t_after) / T(2)};
  const Works<T> works{compression.normal + expansion.normal, compression.friction + expansion.friction};
  return certified_detail::certified<T>(c, i, effect, works, mu);
}

/// Whether every number of the answer is finite.
template <class S>
[[nodiscard]] RICOCHET_HD MaskOf<S> finite(const Certified<S>& a) {
  const auto is_finite = [](const S& x) { return x - x == S(0); };  // NOLINT(misc-redundant-expression)
  // A sum is finite only if its terms are; where it is not, they are looked at one by one.
  MaskOf<S> verdict =
      is_finite((a.P(0) + a.P(1)) + (a.P(2) + a.V(0)) + (a.V(1) + a.V(2)) + (a.normal_work + a.friction_work));
  if (!all(verdict)) {
    verdict = is_finite(a.normal_work) && is_finite(a.friction_work);
    for (int i = 0; i < 3; ++i) verdict = verdict && is_finite(a.P(i)) && is_finite(a.V(i));
  }
  return verdict;
}

}  // namespace ricochet
