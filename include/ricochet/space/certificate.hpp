#pragma once
/// The four conditions of CR98 section 3.2 on an impulse, each with a signed margin: positive inside, zero on the
/// boundary, negative outside; and the one judgement of what counts as negative.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/product3.hpp"

namespace ricochet {

struct Margins {
  double energy = 0;       ///< kinetic energy lost, −ΔE [J]
  double separation = 0;   ///< n·V⁺ [m/s]
  double compression = 0;  ///< n·P [N s]
  double friction = 0;     ///< μ n·P − ‖P_t‖ [N s]; +inf or −inf by the sign of n·P where μ is infinite
};

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

/// The one judgement of an answer, of a single contact and of many. NaN violates. `rounding` is larger than the default
/// only for an answer that states a larger error of its own (simultaneous/certificate.hpp).
RICOCHET_HD inline ConditionSet judge(const Margins& m, const MarginScale& scale, double mu,
                                      double rounding = judgement_rounding<double>) {
  ConditionSet violated;
  if (!(m.energy >= -rounding * scale.energy)) violated.insert(Condition::energy);
  if (!(m.separation >= -rounding * scale.speed)) violated.insert(Condition::separation);
  if (!(m.compression >= -rounding * scale.impulse)) violated.insert(Condition::compression);
  // An endless cone is the half space of compression.
  const bool unlimited = mu == std::numeric_limits<double>::infinity();
  if (unlimited ? violated.contains(Condition::compression) : !(m.friction >= -rounding * (1 + mu) * scale.impulse))
    violated.insert(Condition::friction);
  return violated;
}

/// Change of kinetic energy under P, exact for any W:  ΔE = P·V + ½ PᵀWP.                              (S1)
template <class T>
RICOCHET_HD T energy_change(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P) {
  return P.dot(V + (W * P) / T(2));
}

/// Friction margin of an impulse with parts P_n and ‖P_t‖.
template <class T>
RICOCHET_HD double friction_margin(double mu, T P_n, T P_t) {
  if (mu == std::numeric_limits<double>::infinity()) return P_n < T(0) ? -mu : mu;
  return double(T(mu) * P_n - P_t);
}

/// In local axes (n = e₁). Components of P, V and W are known to rounding of their norms, since the axes they were
/// given in are not these; margins are judged by those norms.
template <class T>
RICOCHET_HD Certificate certify(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P, double mu,
                                double rounding = judgement_rounding<T>) {
  using std::sqrt;
  const Vec3T<T> WP = times3<T>(W, P);
  const T P_t = sqrt(P(1) * P(1) + P(2) * P(2));
  const double size = double(norm3<T>(P));
  const double speed = double(norm3<T>(V)) + double(norm3<T>(W)) * size;
  Certificate c;
  c.margins.energy = double(-dot3<T>(P, Vec3T<T>(V(0) + WP(0) / T(2), V(1) + WP(1) / T(2), V(2) + WP(2) / T(2))));
  c.margins.separation = double(V(0) + WP(0));
  c.margins.compression = double(P(0));
  c.margins.friction = friction_margin(mu, P(0), P_t);
  c.violated = judge(c.margins, {size * speed, speed, size}, mu, rounding);
  c.permissible = c.violated.empty();
  // An n·P that is negative by rounding only is inside the endless cone.
  if (mu == std::numeric_limits<double>::infinity() && !c.violated.contains(Condition::friction))
    c.margins.friction = mu;
  return c;
}

}  // namespace ricochet
