#include "ricochet/law/chatterjee_ruina.hpp"

#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const ChatterjeeRuina& law, const Contact& contact) {
  return collide_by(law, contact, law.mu, [](const ChatterjeeRuina& l) -> Expected<void> {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return in_range("e", l.e, 0, 1)
        .and_then([&] { return in_range("e_t", l.e_t, -1, 1); })
        .and_then([&] { return in_range("mu", l.mu, 0, infinity); })
        .and_then([&] { return in_range("smooth", l.smooth, 0, 1); });
  });
}

}  // namespace ricochet
