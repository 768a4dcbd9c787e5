#include <fmt/format.h>

#include "ricochet/base/error_path.hpp"
#include "ricochet/scene/contact_answers.hpp"
#include "ricochet/scene/strike_together.hpp"
#include "scene/contact_recorder.hpp"

namespace ricochet {
namespace {

/// The links that can move, at speeds u.
std::vector<BodySpeeds> speeds_at(const std::vector<MachinePart>& parts, const VecX& u) {
  std::vector<BodySpeeds> out;
  for (const MachinePart& part : parts)
    if (!part.bone) out.push_back({part.fixed ? Vec3(Vec3::Zero()) : Vec3(part.J * u), std::nullopt});
  return out;
}

ContactAnswer together(const MechanismImpact& impact, std::span<const std::size_t> struck,
                       const std::vector<MachinePart>& parts, std::string_view law) {
  ContactAnswer out{.law = std::string(law)};
  const auto problem = problem_of(impact, struck, AskedLaw{law, false});
  if (!problem) {
    out.error = problem.error();
    return out;
  }
  ContactRecorder recorder(
      *problem, [](std::uint32_t, const VecX&) -> std::optional<std::array<BodySpeeds, 2>> { return std::nullopt; });
  auto answer = answer_problem(*problem, "sequence", {.max_collisions = most_answered_collisions},
                               [&](const SequenceStep& step) { recorder.observe(step); });
  if (!answer) {
    out.error = answer.error();
    return out;
  }
  out.verdict = answer->verdict();
  out.ties = ties_remark(*problem, answer->resolution);
  out.settled = answer->settled();
  out.resolution = std::move(answer->resolution);
  out.steps = std::move(recorder).steps();
  out.after = speeds_at(parts, out.resolution.u);
  return out;
}

}  // namespace

Expected<ContactAnswers> contact_answers(const MechanismImpact& impact, std::span<const std::size_t> struck,
                                         std::string title) {
  ContactAnswers out;
  out.title = std::move(title);
  // W, V and n of a contact are the same for every law, and a law without friction has no parameters that it needs.
  const auto problem = problem_of(impact, struck, AskedLaw{"frictionless", true});
  if (!problem) return tl::unexpected(problem.error());
  const std::vector<MachinePart> parts = impact.machine->parts();
  const std::vector<BodySpeeds> before = speeds_at(parts, impact.u);
  for (const MachinePart& part : parts)
    if (!part.bone) out.bodies.push_back({part.name, part.fixed, before[out.bodies.size()]});
  for (std::size_t k = 0; k < struck.size(); ++k) {
    const CandidateContact& candidate = impact.contacts[struck[k]];
    Collision alone;
    alone.contact = problem->contacts()[k].contact;
    alone.settings = parameters_of(impact, struck[k]);
    if (!candidate.law.empty())
      alone.law = candidate.law;
    else
      alone.law = impact.collision.law;
    alone.body_a = candidate.at.first;
    alone.body_b = candidate.at.second;
    alone.title = fmt::format("{}: {} – {}", out.title, alone.body_a, alone.body_b);
    out.points.push_back(candidate.at.point);
    out.collisions.push_back(std::move(alone));
  }
  for (const LawInfo& law : laws()) out.answers.push_back(together(impact, struck, parts, law.name));
  return out;
}

}  // namespace ricochet
