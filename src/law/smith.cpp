#include "ricochet/law/smith.hpp"

#include "ricochet/law/widen.hpp"

namespace ricochet {

Expected<Outcome> collide(const Smith& law, const Contact& contact) {
  return collide_widening(law, contact, law.mu, [](const Smith& l) -> Expected<void> {
    return in_range("e", l.e, 0, 1).and_then([&] {
      return in_range("mu", l.mu, 0, std::numeric_limits<double>::infinity());
    });
  });
}

}  // namespace ricochet
