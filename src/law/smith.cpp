#include "ricochet/law/smith.hpp"

#include "ricochet/law/retry_extended.hpp"
#include "ricochet/law/smith_kernel.hpp"

namespace ricochet {

Expected<Outcome> collide(const Smith& law, const Contact& contact) { return collide_retrying(law, contact, law.mu); }

}  // namespace ricochet
