#include "ricochet/law/law.hpp"

namespace ricochet {

Expected<Outcome> collide(const Law& law, const Contact& contact) {
  return std::visit([&](const auto& l) { return collide(l, contact); }, law);
}

}  // namespace ricochet
