#pragma once
/// The result of a scene of many contacts by one method.

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/problem_answer.hpp"

namespace ricochet {

struct SceneAnswer : ProblemAnswer {
  Assembled assembled;
  std::vector<RigidBody> bodies;     ///< after
  std::vector<HingeImpulse> hinges;  ///< of each hinge of the scene, in sequence or intact

  /// That contacts were chosen among equally fast ones, in a line for people; empty where none was.
  [[nodiscard]] std::string ties_remark() const { return ricochet::ties_remark(assembled.problem, resolution); }
};

/// `method`: "sequence", or one of resolve_jointly; then the options of a sequence are not read, and nothing is
/// observed.
[[nodiscard]] Expected<SceneAnswer> answer_scene(const BodyScene& scene, Hinges hinges, std::string_view method,
                                                 const SequenceOptions& options, const SequenceObserver& observer = {});

}  // namespace ricochet
