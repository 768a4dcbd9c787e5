#include "ricochet/law/whittaker.hpp"

#include "ricochet/law/retry_extended.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet {

Expected<Outcome> collide(const Whittaker& law, const Contact& contact) {
  return collide_retrying(law, contact, law.mu);
}

}  // namespace ricochet
