#pragma once
/// Fits and rankings as JSON (docs/fitting.md).

#include "ricochet/fit/rank_laws.hpp"
#include "ricochet/io/json.hpp"

namespace ricochet {

[[nodiscard]] Json to_json(const LawFit& fit);
/// {"laws": [{"law", "median", "mean", "p90", "parameters": {…}, …}, …], …}, errors relative in the mass norm.
[[nodiscard]] Json to_json(const Ranking& ranking);
[[nodiscard]] Json to_json(const ErrorSummary& summary);

}  // namespace ricochet
