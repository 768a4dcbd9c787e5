#pragma once
/// An impact as a process, for a cursor that runs along it: impulse, velocity and work step by step, with the events on
/// the way. Rigid laws advance with the normal impulse, the compliant contact with time.

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/answers.hpp"

namespace ricochet {

struct CourseStep {
  double at = 0;  ///< how far the impact is, not decreasing, in the unit of `over`
  TrajectoryPoint state;
};

struct CourseEvent {
  std::string name;
  std::size_t step = 0;
};

struct ImpactCourse {
  enum class Over {
    impulse,  ///< normal impulse so far [N s]
    length,   ///< length of the path of P [N s]: where friction acts without normal impulse, as with μ = ∞
    time,     ///< as compliant::Process measures it
  };
  Over over = Over::impulse;
  bool seconds = false;  ///< of time: in s and not dimensionless
  std::vector<CourseStep> steps = {};
  std::vector<CourseEvent> events =
      {};  ///< in the order of their steps, the first at the start and the last at the end
};

/// Straight pieces are divided evenly, so that works, which are quadratic on them, can be interpolated. Fails where the
/// law has no answer.
[[nodiscard]] Expected<ImpactCourse> impact_course(Answers& answers, std::string_view law);

}  // namespace ricochet
