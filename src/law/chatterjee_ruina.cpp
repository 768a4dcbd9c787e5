#include "ricochet/law/chatterjee_ruina.hpp"

#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/collide.hpp"

namespace ricochet {

Expected<Outcome> collide(const ChatterjeeRuina& law, const Contact& contact) {
  return collide_by(law, contact, law.mu);
}

}  // namespace ricochet
