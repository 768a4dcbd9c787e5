#pragma once
/// The four conditions of CR98 section 3.2 on an impulse, each with a signed margin: positive inside, zero on the
/// boundary, negative outside; and the one judgement of what counts as negative.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/product3.hpp"
#include "ricochet/base/select.hpp"

namespace ricochet {

template <class S>
struct MarginsT {
  S energy = S(0);       ///< kinetic energy lost, −ΔE [J]
  S separation = S(0);   ///< n·V⁺ [m/s]
  S compression = S(0);  ///< n·P [N s]
  S friction = S(0);     ///< μ n·P − ‖P_t‖ [N s]; +inf or −inf by the sign of n·P where μ is infinite
};
using Margins = MarginsT<double>;

enum class Condition : std::uint8_t { energy, separation, compression, friction };
inline constexpr std::array conditions{Condition::energy, Condition::separation, Condition::compression,
                                       Condition::friction};
[[nodiscard]] std::string_view name(Condition condition);

class ConditionSet {
 public:
  RICOCHET_HD constexpr void insert(Condition c) { bits_ = static_cast<std::uint8_t>(bits_ | bit(c)); }
  [[nodiscard]] RICOCHET_HD constexpr bool contains(Condition c) const { return (bits_ & bit(c)) != 0; }
  [[nodiscard]] RICOCHET_HD constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const ConditionSet&) const = default;

 private:
  [[nodiscard]] RICOCHET_HD static constexpr unsigned bit(Condition c) { return 1U << static_cast<unsigned>(c); }
  std::uint8_t bits_ = 0;
};
/// "energy", "separation", "compression", "friction", in this order.
[[nodiscard]] std::vector<std::string_view> condition_names(ConditionSet set);

struct Certificate {
  Margins margins;
  ConditionSet violated;     ///< conditions whose margin is negative beyond rounding
  bool permissible = false;  ///< `violated` is empty, and the margins are those of an answer
};

/// Magnitudes of the terms that each margin is a sum of: what its rounding is proportional to.
struct MarginScale {
  double energy = 0;   ///< [J]
  double speed = 0;    ///< [m/s]
  double impulse = 0;  ///< [N s], of compression and, times 1 + μ, of friction
};

/// Rounding that the judgement allows, relative to these magnitudes. A law's answer passes through a few hundred
/// operations (Routh's integrator changes to extended precision at 4e-13), each of which rounds to ε/2; 4096 ε
/// = 9.1e-13 covers them, and is far below every effect of physics. `ε` is never less than that of double precision, in
/// which inputs and answers are stated.
template <class T>
inline constexpr double judgement_rounding = 4096 *
                                             (std::numeric_limits<T>::epsilon() > std::numeric_limits<double>::epsilon()
                                                  ? static_cast<double>(std::numeric_limits<T>::epsilon())
                                                  : std::numeric_limits<double>::epsilon());

/// Which conditions are violated; a verdict for each lane of a pack.
template <class S>
struct Violations {
  MaskOf<S> energy, separation, compression, friction;
  [[nodiscard]] RICOCHET_HD MaskOf<S> any_of_them() const { return energy || separation || compression || friction; }
};

/// The one judgement of an answer, of a single contact and of many. NaN violates.
template <class S>
[[nodiscard]] RICOCHET_HD MaskOf<S> negative(const S& margin, const S& scale, LaneNumber<S> rounding) {
  return !(margin >= S(-rounding) * scale);
}
/// That of compression and friction, by the magnitude of the impulse.
template <class S>
RICOCHET_HD void judge_impulse(const MarginsT<S>& m, const S& scale, const S& mu, LaneNumber<S> rounding,
                               Violations<S>& violated) {
  violated.compression = negative(m.compression, scale, rounding);
  // An endless cone is the half space of compression.
  const MaskOf<S> unlimited = mu == S(std::numeric_limits<LaneNumber<S>>::infinity());
  violated.friction =
      (unlimited && violated.compression) || (!unlimited && negative(m.friction, S((S(1) + mu) * scale), rounding));
}

template <class S>
[[nodiscard]] RICOCHET_HD ConditionSet set_of(const Violations<S>& found) {
  ConditionSet violated;
  if (found.energy) violated.insert(Condition::energy);
  if (found.separation) violated.insert(Condition::separation);
  if (found.compression) violated.insert(Condition::compression);
  if (found.friction) violated.insert(Condition::friction);
  return violated;
}

/// The same as a set. `rounding` is larger than the default only for an answer that states a larger error of its own
/// (simultaneous/certificate.hpp).
RICOCHET_HD inline ConditionSet judge(const Margins& m, const MarginScale& scale, double mu,
                                      double rounding = judgement_rounding<double>) {
  Violations<double> found;
  found.energy = negative(m.energy, scale.energy, rounding);
  found.separation = negative(m.separation, scale.speed, rounding);
  judge_impulse(m, scale.impulse, mu, rounding, found);
  return set_of(found);
}

/// Change of kinetic energy under P, exact for any W:  ΔE = P·V + ½ PᵀWP.                              (S1)
template <class T>
RICOCHET_HD T energy_change(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P) {
  return P.dot(V + (W * P) / T(2));
}

/// Friction margin of an impulse with parts P_n and ‖P_t‖.
template <class T>
[[nodiscard]] RICOCHET_HD T friction_margin(const T& mu, const T& P_n, const T& P_t) {
  const MaskOf<T> unlimited = mu == T(std::numeric_limits<LaneNumber<T>>::infinity());
  return select(unlimited, select(P_n < T(0), T(-mu), mu), T(mu * P_n - P_t));
}

/// The scalar in which an answer of T is judged: that of its own, but not wider than the margins are stated in.
template <class T>
using JudgedIn =
    std::conditional_t<std::is_floating_point_v<LaneNumber<T>> &&
                           (std::numeric_limits<LaneNumber<T>>::digits <= std::numeric_limits<double>::digits),
                       T, double>;

/// Margins of an impulse and what they violate.
template <class S>
struct JudgedMargins {
  MarginsT<S> margins;
  Violations<S> violated;
};

/// Margins of an impulse with parts P_n and ‖P_t‖, judged; |P_n| + ‖P_t‖ is the magnitude of its terms, `speed` of that
/// the one of velocities. It is asked for only where it matters: a margin that is not negative is judged alike by every
/// scale.
template <class T, class S = JudgedIn<T>, class Speed>
[[nodiscard]] RICOCHET_HD JudgedMargins<S> judged_margins(const T& energy, const T& separation, const T& P_n,
                                                          const T& P_t, const S& mu, LaneNumber<S> rounding,
                                                          const Speed& speed) {
  using std::abs;
  JudgedMargins<S> out;
  MarginsT<S>& m = out.margins;
  m.energy = S(energy);
  m.separation = S(separation);
  m.compression = S(P_n);
  m.friction = S(friction_margin<T>(T(mu), P_n, P_t));
  const S size = S(abs(P_n) + P_t);
  judge_impulse(m, size, mu, rounding, out.violated);
  out.violated.energy = !(m.energy >= S(0));
  out.violated.separation = !(m.separation >= S(0));
  if (any(out.violated.energy || out.violated.separation)) {
    const S fast = speed(size);
    out.violated.energy = out.violated.energy && negative(m.energy, S(size * fast), rounding);
    out.violated.separation = out.violated.separation && negative(m.separation, fast, rounding);
  }
  // An n·P that is negative by rounding only is inside the endless cone.
  const MaskOf<S> endless = mu == S(std::numeric_limits<LaneNumber<S>>::infinity()) && !out.violated.friction;
  m.friction = select(endless, mu, m.friction);
  return out;
}

/// Everything in local axes. Components of P, V and W are known to rounding of their norms, since the axes they were
/// given in are not these; margins are judged by those norms.
template <class T, class S = JudgedIn<T>>
[[nodiscard]] RICOCHET_HD JudgedMargins<S> judged_margins(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P,
                                                          const S& mu, LaneNumber<S> rounding) {
  using std::sqrt;
  const Vec3T<T> WP = times3<T>(W, P);
  const T energy = -dot3<T>(P, Vec3T<T>(V(0) + WP(0) / T(2), V(1) + WP(1) / T(2), V(2) + WP(2) / T(2)));
  return judged_margins<T>(energy, T(V(0) + WP(0)), P(0), T(sqrt(P(1) * P(1) + P(2) * P(2))), mu, rounding,
                           [&](const S& size) { return S(S(norm3<T>(V)) + S(norm3<T>(W)) * size); });
}

/// The same as a certificate.
template <class T>
RICOCHET_HD Certificate certify(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P, double mu,
                                double rounding = judgement_rounding<T>) {
  using S = JudgedIn<T>;
  const JudgedMargins<S> judged = judged_margins<T>(W, V, P, S(mu), S(rounding));
  const MarginsT<S>& m = judged.margins;
  Certificate c;
  c.margins = {double(m.energy), double(m.separation), double(m.compression), double(m.friction)};
  c.violated = set_of(judged.violated);
  c.permissible = c.violated.empty();
  return c;
}

}  // namespace ricochet
