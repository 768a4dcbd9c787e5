#include "ricochet/law/anitescu_potra.hpp"

#include "ricochet/law/widen.hpp"

namespace ricochet {

Expected<Outcome> collide(const AnitescuPotra& law, const Contact& contact) {
  return collide_widening(law, contact, law.mu, [](const AnitescuPotra& l) -> Expected<void> {
    return in_range("e_k", l.e_k, 0, 1).and_then([&] {
      return in_range("mu", l.mu, 0, std::numeric_limits<double>::infinity());
    });
  });
}

}  // namespace ricochet
