#pragma once
/// Fits and rankings as JSON (docs/fitting.md).

#include "ricochet/fit/rank_laws.hpp"
#include "ricochet/io/json.hpp"

namespace ricochet {

/// A row of `ricochet reduce`.
[[nodiscard]] Json to_json(const ReducedImpact& row);
/// How many rows have each flag, by its name.
[[nodiscard]] Json flag_counts(std::span<const ReducedImpact> rows);
[[nodiscard]] Json to_json(const LawFit& fit);
/// {"laws": [{"law", "median", "mean", "p90", "parameters": {…}, …}, …], …}, errors relative in the mass norm.
[[nodiscard]] Json to_json(const Ranking& ranking);
[[nodiscard]] Json to_json(const ErrorSummary& summary);

}  // namespace ricochet
