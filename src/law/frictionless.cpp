#include "ricochet/law/frictionless.hpp"

#include "ricochet/law/collide.hpp"
#include "ricochet/law/frictionless_kernel.hpp"

namespace ricochet {

Expected<Outcome> collide(const Frictionless& law, const Contact& contact) { return collide_by(law, contact, 0.0); }

}  // namespace ricochet
