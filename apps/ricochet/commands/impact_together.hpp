#pragma once
/// Contacts of a mechanism that were resolved together, for display and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "ricochet/io/json.hpp"
#include "ricochet/scene/strike_together.hpp"
#include "ricochet/simultaneous/ensemble.hpp"

namespace ricochet::app {

struct Together {
  std::vector<std::size_t> struck;  ///< contacts of the list
  std::string method;
  std::vector<TogetherAnswer> answers;  ///< of one law, or of all
  std::optional<Ensemble> ensemble;     ///< of the only law
};

[[nodiscard]] std::string together_table(const MechanismImpact& impact, const Together& together);
/// "struck", "method", "answers", "ensemble".
void add_together(const MechanismImpact& impact, const Together& together, Json& document);

}  // namespace ricochet::app
