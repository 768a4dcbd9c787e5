#pragma once
/// Routh's law: slip integrated through the impact, docs/laws/routh.md (equations R1 to R14).

#include <cstdint>

#include "ricochet/law/outcome.hpp"

namespace ricochet {

/// What e means: a ratio of impulses, of works, or of speeds.
enum class Restitution : std::uint8_t { poisson, stronge, newton };

struct Routh {
  double e = 0;      ///< restitution, 0 ≤ e ≤ 1, in the sense of `restitution`
  double mu = 0;     ///< sliding friction, 0 ≤ μ ≤ ∞
  double mu_s = -1;  ///< sticking friction, μ ≤ μ_s ≤ ∞; negative: equal to μ
  Restitution restitution = Restitution::poisson;
};

/// The same answer in every coordinate system, to 1e-12 of ‖M V‖ up to cond(M) = 1e4: solved in double, and again in
/// extended precision where the conditioning asks for it.
[[nodiscard]] Expected<Outcome> collide(const Routh& law, const Contact& contact);

}  // namespace ricochet
