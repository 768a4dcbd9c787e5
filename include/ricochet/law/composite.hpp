#pragma once
/// Weighted sum of two permissible answers, CR98 5.3, docs/laws/composite.md.

#include <variant>

#include "ricochet/law/anitescu_potra.hpp"
#include "ricochet/law/bilinear.hpp"
#include "ricochet/law/brach.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/frictionless.hpp"
#include "ricochet/law/permissible_point.hpp"
#include "ricochet/law/pfeiffer_glocker.hpp"
#include "ricochet/law/projected.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/law/smith.hpp"
#include "ricochet/law/spring_sledge.hpp"
#include "ricochet/law/whittaker.hpp"

namespace ricochet {

/// Every law but the composite one.
using BaseLaw = std::variant<Frictionless, ChatterjeeRuina, Bilinear, Routh, Whittaker, Smith, Brach, PfeifferGlocker,
                             AnitescuPotra, PermissiblePoint, Projected, SpringSledge>;

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
