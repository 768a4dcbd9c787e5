#include "ricochet/law/chatterjee_ruina.hpp"

#include "answer.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"

namespace ricochet {

[[gnu::flatten]] Expected<Outcome> collide(const ChatterjeeRuina& law, const Contact& contact) {
  if (const Expected<void> fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  if (contact.immovable) return answer_detail::collide_immovable(law, contact, law.mu);
  return answer_detail::collide_in_vectors(law, contact, law.mu);
}

}  // namespace ricochet
