#include "ricochet/scene/collision.hpp"

#include "ricochet/base/text.hpp"

namespace ricochet {

Expected<Contact> make_contact(const Given& given) {
  if (given.M && given.W)
    return fail(ErrorCode::conflict, "W", "", "must not be given beside M, of which it is the inverse");
  if (!given.M && !given.W)
    return fail(ErrorCode::missing, "M", "", "missing; a collision needs M, a 3 x 3 matrix [kg], or W, its inverse");
  if (!given.V) return fail(ErrorCode::missing, "V", "", "missing; a collision needs V, three numbers [m/s]");
  if (!given.n) return fail(ErrorCode::missing, "n", "", "missing; a collision needs n, three numbers");
  if (given.spin && !given.spin->allFinite())
    return fail(ErrorCode::out_of_range, "spin", to_text(*given.spin), "every component must be finite");
  auto contact =
      given.M ? contact_from_mass(*given.M, *given.V, *given.n) : contact_from_mobility(*given.W, *given.V, *given.n);
  if (contact && given.spin) contact->spin = *given.spin;
  return contact;
}

}  // namespace ricochet
