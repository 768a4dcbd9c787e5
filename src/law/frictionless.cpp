#include "ricochet/law/frictionless.hpp"

#include "answer.hpp"
#include "ricochet/law/frictionless_kernel.hpp"

namespace ricochet {

[[gnu::flatten]] Expected<Outcome> collide(const Frictionless& law, const Contact& contact) {
  if (const Expected<void> fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  if (contact.immovable) return answer_detail::collide_immovable(law, contact, 0.0);
  return answer_detail::collide_in_vectors(law, contact, 0.0);
}

}  // namespace ricochet
