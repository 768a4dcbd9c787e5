#pragma once
/// How a member of an ensemble of sequences is written.

#include "commands/members_run.hpp"
#include "ricochet/simultaneous/ensemble.hpp"

namespace ricochet::app {

[[nodiscard]] MemberFormat<EnsembleMember> sequence_member_format();

}  // namespace ricochet::app
