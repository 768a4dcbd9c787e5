#pragma once
/// Laws judged on impacts that they were not fitted to (docs/fitting.md).

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ricochet/fit/fit_law.hpp"
#include "ricochet/fit/region_place.hpp"

namespace ricochet {

struct RankOptions {
  std::vector<std::string> laws = {};  ///< empty: every law of the table
  LawParameters given = {};            ///< not fitted
  int folds = 5;
  bool grouped = false;  ///< rows of one group are in one fold
  std::uint64_t seed = 1;
  int threads = 1;
  double offset = 0;                    ///< σ_r of contact points, with which laws are fitted [m] (FT16)
  std::function<void()> progress = {};  ///< called once for every fit, from any thread
};

/// The number of fits that `rank_laws` makes.
[[nodiscard]] std::size_t fits_to_rank(const RankOptions& options, bool tested_apart);

struct ErrorSummary {
  double median = 0, mean = 0, p90 = 0;
  double median_low = 0, median_high = 0;  ///< 95 % interval of the median, from the order of the errors
};
[[nodiscard]] ErrorSummary summarize(std::span<const double> errors);

/// Of a fit with offsets.
struct OffsetSummary {
  double rms = 0;       ///< of the most probable offsets [m]
  ErrorSummary errors;  ///< there
};
[[nodiscard]] OffsetSummary summarize_offsets(const LawFit& fit);

struct LawScore {
  std::string_view law;
  std::optional<Error> refused;  ///< why the law could not be fitted
  std::optional<LawFit> fit;     ///< to all rows of training
  ErrorSummary velocity;         ///< relative errors of u⁺ in the mass norm on rows not used in fitting (FT5)
  ErrorSummary unscaled;         ///< the same errors in m/s: the mass norm over √m
  ErrorSummary impulse;          ///< ‖P − P measured‖ / ‖P measured‖ on the same rows
  /// Errors of velocity on the same rows, each at its most probable offset, for which the velocity after is used; no
  /// prediction. Where points are known: nothing.
  std::optional<ErrorSummary> with_offset;
  double criterion = 0;        ///< information criterion of the fit to all rows of training (FT12)
  std::vector<double> errors;  ///< of velocity, by row
};

/// The free-form regression on the same rows: how much of the impulse the state before tells, without a law.
struct RegressionScore {
  ErrorSummary velocity, unscaled, impulse;
  std::vector<double> errors;
};

struct Ranking {
  std::vector<LawScore> laws;  ///< the best median first, those that were refused last
  std::size_t trained = 0, tested = 0;
  ErrorSummary best_impulse;                  ///< what the best impulse at the point misses
  double mu = 0;                              ///< 95 % of the measured impulses have ‖P_t‖ ≤ mu P_n
  double permissible = 0;                     ///< share of the measured impulses that are permissible for that mu
  std::optional<RegressionScore> regression;  ///< nothing with too few rows
  std::optional<double> noise_floor;          ///< median error of an exact law (FT11); nothing where no row tells
  RegionDensity density;                      ///< of the measured impulses for that mu (FT9)
  double restitution_low = 0, restitution_median = 0, restitution_high = 0;  ///< 5 %, 50 %, 95 % of the measured e
};

/// Fits on `training` and scores on `test`; where that is empty, each of `folds` parts of training in turn is scored by
/// what was fitted to the others.
[[nodiscard]] Expected<Ranking> rank_laws(std::span<const ReducedImpact> training, std::span<const ReducedImpact> test,
                                          const RankOptions& options = {});

}  // namespace ricochet
