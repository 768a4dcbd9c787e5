#include "ricochet/scene/collision.hpp"

namespace ricochet {

Expected<Contact> make_contact(const Given& given) {
  if (given.M && given.W)
    return fail(ErrorCode::conflict, "W", "", "must not be given beside M, of which it is the inverse");
  if (!given.M && !given.W)
    return fail(ErrorCode::missing, "M", "", "missing; a collision needs M, a 3 x 3 matrix [kg], or W, its inverse");
  if (!given.V) return fail(ErrorCode::missing, "V", "", "missing; a collision needs V, three numbers [m/s]");
  if (!given.n) return fail(ErrorCode::missing, "n", "", "missing; a collision needs n, three numbers");
  return given.M ? contact_from_mass(*given.M, *given.V, *given.n)
                 : contact_from_mobility(*given.W, *given.V, *given.n);
}

}  // namespace ricochet
