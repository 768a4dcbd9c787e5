#pragma once
/// A law fitted to tosses, and judged on tosses that it was not fitted to (docs/fitting.md, Tosses).

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ricochet/fit/predict_toss.hpp"

namespace ricochet {

struct TossRankOptions {
  /// What is fitted: numbers of the law, mu_lasting, and numbers of the body (`toss_numbers`). Empty: nothing.
  std::vector<std::string> fit;
  int folds = 5;
  std::uint64_t seed = 1;
  std::size_t fit_tosses = 60;  ///< tosses that a fit uses, drawn from those of training
  int evaluations = 80;         ///< of all these tosses, in a fit at most
  int threads = 1;
  std::function<void()> progress = {};  ///< called once for every predicted toss, from any thread
};

struct NamedNumber {
  std::string name;
  double value = 0;
};

struct TossFit {
  TossModel model;
  std::vector<NamedNumber> numbers;  ///< those that were fitted
  double cost = 0;                   ///< mean of position error [%] plus angle [°] over the tosses of the fit (FT15)
  int evaluations = 0;
  bool converged = false;
  std::size_t tosses = 0;
};

struct TossScore {
  long number = 0;
  std::size_t fold = 0;
  std::optional<TossPrediction> prediction;
  std::optional<Error> failed;  ///< why there is no prediction
  TossError error;
};

struct MeanAndDeviation {
  double mean = 0, deviation = 0;  ///< deviation of the sample
};

struct TossRanking {
  std::vector<TossScore> tosses;  ///< in the order of the file
  std::vector<TossFit> fits;      ///< one for each fold, or the one for the test
  std::size_t failed = 0, stepped = 0;
  MeanAndDeviation position, angle;  ///< over the tosses that have a prediction [%, °]
};

/// What can be fitted beside the numbers of the law.
[[nodiscard]] std::vector<std::string_view> toss_numbers();
/// What is fitted unless told otherwise: the numbers of the law that are not given, and mu_lasting.
[[nodiscard]] Expected<std::vector<std::string>> default_toss_fit(const TossModel& model);

/// How often `progress` is called at most.
[[nodiscard]] std::size_t tosses_to_rank(std::size_t training, std::size_t test, const TossRankOptions& options);

/// Fits to `training` from the numbers of `start` and predicts `test`; where that is empty, each of `folds` parts of
/// training in turn is predicted by what was fitted to the others.
[[nodiscard]] Expected<TossRanking> rank_tosses(std::span<const Toss> training, std::span<const Toss> test,
                                                const TossModel& start, const TossRankOptions& options = {});

}  // namespace ricochet
