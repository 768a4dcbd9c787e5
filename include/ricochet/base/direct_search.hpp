#pragma once
/// Least value of a function of a few bounded parameters that may have kinks and several minima: a scan of the box,
/// then descents from the best points found, which poll around the best point so far in rotating directions, so that a
/// kink cannot hide every descent direction (docs/equivalents.md (EQ12)).

#include <functional>
#include <vector>

namespace ricochet {

struct SearchOptions {
  int scan = 9;              ///< points along each side of the box
  int starts = 4;            ///< descents from the scan
  int checks = 2;            ///< descents from points around the best result
  double least_step = 1e-9;  ///< of the box's side, at which a descent ends
  int budget = 60000;        ///< values in all
};

struct SearchResult {
  std::vector<double> x;
  double f = 0;
  int evaluations = 0;
  bool settled = false;  ///< the best descent reached the smallest step within the budget
  int agreeing = 0;      ///< descents that ended at the same value, including the best one
};

/// Over the box 0 ≤ xᵢ ≤ 1, i < sides; 1 to 4 sides. Deterministic.
[[nodiscard]] SearchResult direct_search(const std::function<double(const std::vector<double>&)>& f, int sides,
                                         const SearchOptions& options = {});

}  // namespace ricochet
