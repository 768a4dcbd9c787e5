#pragma once
/// Whether one answer keeps what its law promises (docs/batch.md), as a kernel.

#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/product3.hpp"
#include "ricochet/space/certificate.hpp"

namespace ricochet {

/// What is checked of every answer. The first four are the conditions of the certificate (space/certificate.hpp), where
/// the law guarantees them; the others hold for every law.
enum class Promise : std::uint8_t {
  energy,       ///< no gain of kinetic energy
  separation,   ///< n·V⁺ ≥ 0
  compression,  ///< n·P ≥ 0
  friction,     ///< P in the cone
  finite,       ///< no number is infinite or NaN
  equation,     ///< V⁺ = V + W P
  work,         ///< the energy change is P·(V + ½ W P)
};
inline constexpr std::size_t promises = 7;

/// The numbers of an answer that promises are about.
struct AnswerNumbers {
  Vec3 P, V;  ///< V⁺
  double energy_change = 0, normal_work = 0, friction_work = 0;
  Margins margins;
  unsigned violated = 0;  ///< a bit for each condition, 1 << Condition
};

/// Which of the conditions of the certificate the law guarantees.
struct PromisedConditions {
  bool energy = false, separation = false;
  bool friction = false;  ///< cone and n·P ≥ 0
};

struct PromiseVerdicts {
  bool checked[promises], kept[promises];  // NOLINT(modernize-avoid-c-arrays): for a device too
  double margin[promises];                 // NOLINT(modernize-avoid-c-arrays)
};

/// `mu` is the friction of the cone.
[[nodiscard]] RICOCHET_HD inline PromiseVerdicts judge_promises(const Mat3& W, const Vec3& V, const AnswerNumbers& o,
                                                                const PromisedConditions& promised, double mu) {
  const double infinity = std::numeric_limits<double>::infinity();
  PromiseVerdicts out{};
  const auto note = [&](Promise promise, double margin, bool kept) {
    const auto k = static_cast<std::size_t>(promise);
    out.checked[k] = true;
    out.kept[k] = kept;
    out.margin[k] = margin;
  };
  const auto finite = [&](double x) { return x - x == 0; };  // NOLINT(misc-redundant-expression)
  const auto finite_vector = [&](const Vec3& v) { return finite(v(0)) && finite(v(1)) && finite(v(2)); };
  const Margins& m = o.margins;
  // Friction margins are infinite where friction is.
  const bool fine = finite(W(0, 0)) && finite_vector(o.P) && finite_vector(o.V) && finite(o.energy_change) &&
                    finite(o.normal_work) && finite(o.friction_work) && finite(m.energy) && finite(m.separation) &&
                    finite(m.compression) && m.friction == m.friction;  // NOLINT(misc-redundant-expression)
  note(Promise::finite, fine ? 0 : -infinity, fine);
  if (!fine) return out;

  const double size = norm3<double>(o.P), speed = norm3<double>(V) + norm3<double>(W) * size;
  const auto condition = [&](Promise promise, Condition c, double margin, double scale) {
    note(promise, scale > 0 ? margin / scale : 0, (o.violated >> static_cast<unsigned>(c) & 1U) == 0);
  };
  if (promised.energy) condition(Promise::energy, Condition::energy, m.energy, size * speed);
  if (promised.separation) condition(Promise::separation, Condition::separation, m.separation, speed);
  if (promised.friction) {
    condition(Promise::compression, Condition::compression, m.compression, size);
    condition(Promise::friction, Condition::friction, mu < infinity ? m.friction : m.compression,
              mu < infinity ? (1 + mu) * size : size);
  }
  constexpr double rounding = judgement_rounding<double>;
  const Vec3 WP = times3<double>(W, o.P);
  const Vec3 off(V(0) + WP(0) - o.V(0), V(1) + WP(1) - o.V(1), V(2) + WP(2) - o.V(2));
  const double error = speed > 0 ? norm3<double>(off) / speed : 0;
  note(Promise::equation, -error, error <= rounding);
  const Vec3 mean(V(0) + 0.5 * WP(0), V(1) + 0.5 * WP(1), V(2) + 0.5 * WP(2));
  const double energy = dot3<double>(o.P, mean), terms = size * speed;
  const double gap = std::abs(o.normal_work + o.friction_work - o.energy_change) + std::abs(energy - o.energy_change);
  note(Promise::work, terms > 0 ? -gap / terms : 0, gap <= rounding * terms);
  return out;
}

}  // namespace ricochet
