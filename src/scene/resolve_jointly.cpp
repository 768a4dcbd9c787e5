#include "ricochet/scene/resolve_jointly.hpp"

#include <fmt/format.h>

#include <array>

#ifdef RICOCHET_HAVE_COMPLEMENTARITY
#include "ricochet/complementarity/anitescu_potra.hpp"
#include "ricochet/complementarity/pfeiffer_glocker.hpp"
#include "ricochet/complementarity/plastic.hpp"
#include "ricochet/complementarity/weighted.hpp"
#endif

namespace ricochet {

namespace {
constexpr std::array<std::string_view, 4> methods{"lcp", "pfeiffer-glocker", "anitescu-potra", "weighted"};
}  // namespace

std::span<const std::string_view> joint_methods() { return methods; }

#ifdef RICOCHET_HAVE_COMPLEMENTARITY

bool have_joint_methods() { return true; }

namespace {

Expected<JointOutcome> by(std::string_view method, const Problem& problem) {
  if (method == "lcp") return resolve_plastic(problem);
  if (method == "pfeiffer-glocker") return resolve_pfeiffer_glocker(problem);
  if (method == "anitescu-potra") return resolve_anitescu_potra(problem);
  return resolve_weighted(problem);
}

}  // namespace

Expected<Joint> resolve_jointly(std::string_view method, const Problem& problem) {
  auto found = by(method, problem);
  if (!found) return tl::unexpected(found.error());
  Joint out;
  out.verdict = fmt::format("{}, all contacts at once: residual {:.2g}{}; {}{}", method, found->residual,
                            found->solver.empty() ? "" : fmt::format(" by {}", found->solver), describe(found->chosen),
                            found->gains_energy() ? "; IT GAINS ENERGY" : "");
  out.solver = found->solver;
  out.chosen = name(found->chosen);
  out.residual = found->residual;
  out.singular = found->singular;
  out.kappa = std::move(found->kappa);
  out.impact = *std::move(found);
  return out;
}

#else

bool have_joint_methods() { return false; }

Expected<Joint> resolve_jointly(std::string_view method, const Problem&) {
  return fail(
      ErrorCode::unavailable, "method", std::string(method),
      "needs Siconos (libsiconos-numerics-dev), which was not available when this program was built; sequence does "
      "without");
}

#endif

}  // namespace ricochet
