#include "ricochet/simultaneous/sequence_status.hpp"

namespace ricochet {

std::string_view name(SequenceStatus status) {
  switch (status) {
    case SequenceStatus::settled: return "settled";
    case SequenceStatus::extrapolated: return "extrapolated";
    case SequenceStatus::truncated: return "truncated";
    case SequenceStatus::does_not_settle: return "does-not-settle";
  }
  return "unknown";
}

std::string_view describe(SequenceEnd end) {
  switch (end) {
    case SequenceEnd::rest: return "no contact approaches";
    case SequenceEnd::tolerance: return "no contact approaches by more than the tolerance";
    case SequenceEnd::limit: return "an infinite sequence, summed to its limit";
    case SequenceEnd::cycle: return "a cycle of collisions repeats without losing energy";
    case SequenceEnd::collision_limit: return "contacts still approach after the maximum number of collisions";
    case SequenceEnd::overflow: return "speeds grow without bound: a law gains energy";
  }
  return "unknown";
}

}  // namespace ricochet
