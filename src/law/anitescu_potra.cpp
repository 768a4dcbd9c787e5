#include "ricochet/law/anitescu_potra.hpp"

#include "ricochet/law/anitescu_potra_kernel.hpp"
#include "ricochet/law/retry_extended.hpp"

namespace ricochet {

Expected<Outcome> collide(const AnitescuPotra& law, const Contact& contact) {
  return collide_retrying(law, contact, law.mu);
}

}  // namespace ricochet
