#include "ricochet/law/chatterjee_ruina.hpp"

#include "answer.hpp"
#include "ricochet/contact/localize_kernel.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/check_parameters.hpp"

namespace ricochet {

// What collide_by does, in one piece: as calls, its parts pass their numbers on through memory, which would take as
// long as half of this law's kernel.
[[gnu::flatten]] Expected<Outcome> collide(const ChatterjeeRuina& law, const Contact& contact) {
  if (const Expected<void> fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize_contact<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  return answer_detail::answer(local, solve(law, local), Path<double>(), law.mu);
}

}  // namespace ricochet
