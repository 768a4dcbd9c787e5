#pragma once
/// Specs and statistics of sweeps as JSON: what people read, and what is read back to merge.

#include "ricochet/io/json.hpp"
#include "ricochet/sweep/sweep.hpp"

namespace ricochet::sweep {

/// What determines the numbers of a sweep.
[[nodiscard]] Json to_json(const SweepSpec& spec);

/// `statistics.json` but for what the run adds.
[[nodiscard]] Json to_json(const Sweep& sweep, const Statistics& total);

using Tree = MergeTree<Statistics>;
/// Every number as it is, so that merging goes on with the same bits.
[[nodiscard]] Json tree_json(const Tree& tree);
/// Fails on anything that `tree_json` of this sweep does not write.
[[nodiscard]] Expected<Tree> tree_from_json(const Sweep& sweep, const Json& json);

/// First-order and total index of one axis, and their standard errors (SW7), (SW8).
struct SensitivityIndex {
  double first = 0, first_error = 0, total = 0, total_error = 0;
};
/// Not a number where the output does not vary.
[[nodiscard]] SensitivityIndex sensitivity_index(const IndexTerms& terms, std::size_t axis);

}  // namespace ricochet::sweep
