#include "ricochet/law/spring_sledge.hpp"

#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const SpringSledge& law, const Contact& contact) {
  return collide_by(law, contact, law.mu, [](const SpringSledge& l) { return check(l); });
}

}  // namespace ricochet
