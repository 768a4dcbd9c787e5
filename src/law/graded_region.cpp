#include "ricochet/law/graded_region.hpp"

#include "ricochet/law/collide.hpp"
#include "ricochet/law/graded_region_kernel.hpp"

namespace ricochet {

Expected<Outcome> collide(const GradedRegion& law, const Contact& contact) {
  if (const Expected<void> fine = check_parameters(law); !fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const Vec3 spin = local.R.transpose() * contact.spin;
  return answer(local, solve<double>(law, local, spin), Path<double>(), law.mu);
}

}  // namespace ricochet
