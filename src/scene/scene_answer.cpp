#include "ricochet/scene/scene_answer.hpp"

#include <fmt/format.h>

#include "ricochet/base/counted.hpp"

namespace ricochet {

std::string SceneAnswer::verdict() const {
  if (joint) return joint->verdict;
  const Resolution& r = resolution;
  std::string out = fmt::format("{} after {}: {}", name(r.status), counted(r.collisions, "collision"), describe(r.end));
  if (r.end == SequenceEnd::cycle) {
    std::string turns;
    for (const std::uint32_t i : r.cycle) {
      if (turns.size() > 80) {
        turns += " ...";
        break;
      }
      turns += fmt::format("{}{}", turns.empty() ? "" : " ", i + 1);
    }
    out += fmt::format(" (contacts {})", turns);
  }
  return out;
}

std::string SceneAnswer::permissible() const {
  if (!settled()) return "";
  const SystemCertificate& c = resolution.certificate;
  return c.permissible ? "yes" : fmt::format("no: {}", fmt::join(condition_names(c.violated), ", "));
}

std::string SceneAnswer::ties_remark() const {
  if (!resolution.first_tie) return "";
  const Tie& first = *resolution.first_tie;
  const std::size_t contacts = assembled.problem.contacts().size();
  const auto contact = [&](std::uint32_t i) {
    // Hinges follow the contacts of the scene.
    const bool hinge = i < contacts && assembled.problem.contacts()[i].hinge;
    if (!hinge) return fmt::format("contact {}", i + 1);
    std::size_t first_hinge = 0;
    while (!assembled.problem.contacts()[first_hinge].hinge) ++first_hinge;
    return fmt::format("hinge {}", i + 1 - first_hinge);
  };
  return fmt::format("{} broken, the first at collision {}: {} before {}, equally fast",
                     counted(resolution.ties, "tie"), first.collision, contact(first.chosen), contact(first.other));
}

Expected<SceneAnswer> answer_scene(const BodyScene& scene, Hinges hinges, std::string_view method,
                                   const SequenceOptions& options, const SequenceObserver& observer) {
  auto assembled = assemble(scene, hinges);
  if (!assembled) return tl::unexpected(assembled.error());
  SceneAnswer out{*std::move(assembled), {}, {}, {}};
  if (method == "sequence") {
    auto found = resolve(out.assembled.problem, options, observer);
    if (!found) return tl::unexpected(found.error());
    out.resolution = *std::move(found);
  } else {
    auto found = resolve_jointly(method, out.assembled.problem);
    if (!found) return tl::unexpected(found.error());
    static_cast<SystemImpact&>(out.resolution) = found->impact;
    out.joint = *std::move(found);
  }
  out.bodies = moved(scene, out.assembled, out.resolution.u);
  return out;
}

}  // namespace ricochet
