#include "ricochet/law/frictionless.hpp"

#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const Frictionless& law, const Contact& contact) {
  return collide_by(law, contact, 0.0, [](const Frictionless& l) { return in_range("e", l.e, 0, 1); });
}

}  // namespace ricochet
