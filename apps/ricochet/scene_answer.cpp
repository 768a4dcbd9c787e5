#include "scene_answer.hpp"

#include <fmt/format.h>

namespace ricochet::app {

std::string SceneAnswer::verdict() const {
  if (joint) return joint->verdict;
  const Resolution& r = resolution;
  std::string out = fmt::format("{} after {} collision{}: {}", name(r.status), r.collisions,
                                r.collisions == 1 ? "" : "s", describe(r.end));
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

Expected<SceneAnswer> answer_scene(const Arrangement& arrangement, Hinges hinges, std::string_view method,
                                   const SequenceOptions& options) {
  auto assembled = assemble(arrangement, hinges);
  if (!assembled) return tl::unexpected(assembled.error());
  SceneAnswer out{*std::move(assembled), {}, {}, {}};
  if (method == "sequence") {
    auto found = resolve(out.assembled.problem, options);
    if (!found) return tl::unexpected(found.error());
    out.resolution = *std::move(found);
  } else {
    auto found = resolve_jointly(method, out.assembled.problem);
    if (!found) return tl::unexpected(found.error());
    out.resolution = found->resolution;
    out.joint = *std::move(found);
  }
  out.bodies = moved(arrangement, out.assembled, out.resolution.u);
  return out;
}

}  // namespace ricochet::app
