#include "ricochet/law/whittaker.hpp"

#include "ricochet/law/widen.hpp"

namespace ricochet {

Expected<Outcome> collide(const Whittaker& law, const Contact& contact) {
  return collide_widening(law, contact, law.mu, [](const Whittaker& l) -> Expected<void> {
    return in_range("e", l.e, 0, 1).and_then([&] {
      return in_range("mu", l.mu, 0, std::numeric_limits<double>::infinity());
    });
  });
}

}  // namespace ricochet
