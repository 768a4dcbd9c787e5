#include "ricochet/scene/scene_answer.hpp"

#include <span>

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
  const std::span<const Vec3> G = out.resolution.G;
  const std::size_t contacts = scene.contacts.size();
  if (hinges == Hinges::intact) {
    auto carried = hinge_impulses(scene, G.first(contacts));
    if (!carried) return tl::unexpected(carried.error());
    out.hinges = *std::move(carried);
  } else {
    for (const Vec3& P : G.subspan(contacts)) out.hinges.push_back({P, true});
  }
  out.assembled = *std::move(assembled);
  return out;
}

}  // namespace ricochet
