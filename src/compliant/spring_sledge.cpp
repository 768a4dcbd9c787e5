#include "ricochet/compliant/spring_sledge.hpp"

#include <limits>

#include "ricochet/base/parameter_binding.hpp"
#include "ricochet/compliant/sledge_parameters.hpp"

namespace ricochet {

Expected<void> check(const SpringSledge& law) { return check_members<SpringSledgeParameters>(law); }

}  // namespace ricochet
