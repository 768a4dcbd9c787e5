#include "ricochet/scene/scene_answer.hpp"

namespace ricochet {

Expected<SceneAnswer> answer_scene(const BodyScene& scene, Hinges hinges, std::string_view method,
                                   const SequenceOptions& options, const SequenceObserver& observer) {
  auto assembled = assemble(scene, hinges);
  if (!assembled) return tl::unexpected(assembled.error());
  auto answer = answer_problem(assembled->problem, method, options, observer);
  if (!answer) return tl::unexpected(answer.error());
  SceneAnswer out;
  static_cast<ProblemAnswer&>(out) = *std::move(answer);
  out.bodies = moved(scene, *assembled, out.resolution.u);
  out.assembled = *std::move(assembled);
  return out;
}

}  // namespace ricochet
