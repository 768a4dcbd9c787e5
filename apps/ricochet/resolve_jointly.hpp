#pragma once
/// All contacts at once (docs/complementarity.md), where the program was built with the solvers for it.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ricochet/simultaneous/sequence.hpp"

namespace ricochet::app {

struct Joint {
  Resolution resolution;  ///< in the shape of a sequence's, of no collisions
  std::string verdict;    ///< one line for people
  std::string_view solver, chosen;
  double residual = 0;
  bool gains_energy = false;
  std::optional<bool> singular;
  std::vector<double> kappa;
};

/// lcp, pfeiffer-glocker, anitescu-potra, weighted.
[[nodiscard]] std::span<const std::string_view> joint_methods();
/// Whether this program was built with them.
[[nodiscard]] bool have_joint_methods();

/// `method`: lcp, pfeiffer-glocker, anitescu-potra or weighted. An error with field "method" where Siconos was not
/// there when the program was built.
[[nodiscard]] Expected<Joint> resolve_jointly(std::string_view method, const Problem& problem);

}  // namespace ricochet::app
