#include "ricochet/motion/event.hpp"

namespace ricochet::motion {

std::string_view name(EventKind kind) {
  switch (kind) {
    case EventKind::impact: return "impact";
    case EventKind::stick: return "stick";
    case EventKind::slip: return "slip";
    case EventKind::roll: return "roll";
    case EventKind::lift_off: return "lift-off";
    case EventKind::rest: return "rest";
  }
  return "";
}

}  // namespace ricochet::motion
