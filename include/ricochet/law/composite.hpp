#pragma once
/// Weighted sum of two permissible answers, CR98 5.3, docs/laws/composite.md.

#include "ricochet/law/base_law.hpp"

namespace ricochet {

struct Composite {
  double sigma = 0;  ///< weight of the first law, 0 ≤ σ ≤ 1
  BaseLaw first = ChatterjeeRuina{};
  BaseLaw second = Routh{};
  double mu = 0;  ///< friction of the certificate, 0 ≤ μ ≤ ∞
};

/// P = σ P_first + (1 − σ) P_second. The region is convex, so P is permissible when both are; an answer that is not is
/// an error that names the law.
[[nodiscard]] Expected<Outcome> collide(const Composite& law, const Contact& contact);

}  // namespace ricochet
