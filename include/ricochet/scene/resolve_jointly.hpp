#pragma once
/// All contacts at once (docs/complementarity.md), if the program was built with the solvers.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ricochet/simultaneous/system_impact.hpp"

namespace ricochet {

struct Joint {
  SystemImpact impact;
  std::string verdict;  ///< one line for people
  std::string_view solver, chosen;
  double residual = 0;
  std::optional<bool> singular;
  std::vector<double> kappa;
};

/// lcp, pfeiffer-glocker, anitescu-potra, weighted.
[[nodiscard]] std::span<const std::string_view> joint_methods();
/// Whether the program was built with them.
[[nodiscard]] bool have_joint_methods();

/// `method`: one of joint_methods. Fails with ErrorCode::unavailable where Siconos was absent when the program was
/// built.
[[nodiscard]] Expected<Joint> resolve_jointly(std::string_view method, const Problem& problem);

}  // namespace ricochet
