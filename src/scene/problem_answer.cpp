#include "ricochet/scene/problem_answer.hpp"

#include <fmt/format.h>

#include "ricochet/base/counted.hpp"

namespace ricochet {

std::string ProblemAnswer::verdict() const {
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

std::string ProblemAnswer::permissible() const {
  if (!settled()) return "";
  const SystemCertificate& c = resolution.certificate;
  return c.permissible ? "yes" : fmt::format("no: {}", fmt::join(condition_names(c.violated), ", "));
}

std::string ties_remark(const Problem& problem, const Resolution& resolution) {
  if (!resolution.first_tie) return "";
  const Tie& first = *resolution.first_tie;
  const std::size_t contacts = problem.contacts().size();
  const auto contact = [&](std::uint32_t i) {
    // Hinges follow the contacts of the scene.
    const bool hinge = i < contacts && problem.contacts()[i].hinge;
    if (!hinge) return fmt::format("contact {}", i + 1);
    std::size_t first_hinge = 0;
    while (!problem.contacts()[first_hinge].hinge) ++first_hinge;
    return fmt::format("hinge {}", i + 1 - first_hinge);
  };
  return fmt::format("{} broken, the first at collision {}: {} before {}, equally fast",
                     counted(resolution.ties, "tie"), first.collision, contact(first.chosen), contact(first.other));
}

Expected<ProblemAnswer> answer_problem(const Problem& problem, std::string_view method, const SequenceOptions& options,
                                       const SequenceObserver& observer) {
  ProblemAnswer out;
  if (method == "sequence") {
    auto found = resolve(problem, options, observer);
    if (!found) return tl::unexpected(found.error());
    out.resolution = *std::move(found);
  } else {
    auto found = resolve_jointly(method, problem);
    if (!found) return tl::unexpected(found.error());
    static_cast<SystemImpact&>(out.resolution) = found->impact;
    out.joint = *std::move(found);
  }
  return out;
}

}  // namespace ricochet
