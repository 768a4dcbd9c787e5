#include "ricochet/fit/rank_laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <thread>

#include "fit/shuffled.hpp"
#include "ricochet/fit/impulse_regression.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

std::vector<std::string_view> laws_to_rank(const RankOptions& options) {
  std::vector<std::string_view> out(options.laws.begin(), options.laws.end());
  if (out.empty())
    for (const LawInfo& law : laws()) out.push_back(law.name);
  return out;
}

/// Errors of the impulses of one model on rows.
struct Errors {
  std::vector<double> velocity, impulse;

  explicit Errors(std::size_t rows) : velocity(rows, 0), impulse(rows, 0) {}
  void set(std::size_t i, const ReducedImpact& row, const Vec3& P) {
    velocity[i] = row.error_of(P);
    impulse[i] = (P - row.P).norm() / row.P.norm();
  }
};

ErrorSummary summarize_unscaled(std::span<const double> errors, std::span<const ReducedImpact> rows) {
  std::vector<double> out(errors.begin(), errors.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] *= rows[i].speed;
  return summarize(out);
}

/// `held(i)` is scored by what was made of `others(i)`; i counts the folds, or is the one test.
struct Division {
  std::vector<std::vector<ReducedImpact>> others, held;
  std::vector<std::vector<std::size_t>> places;  ///< of the rows that are held, among those scored
};

/// The rows that stay together: each by itself, or those of a group.
std::vector<std::vector<std::size_t>> units_of(std::span<const ReducedImpact> rows, bool grouped) {
  std::vector<std::vector<std::size_t>> out;
  std::map<double, std::size_t> place;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto known = grouped ? place.find(rows[i].measured.group) : place.end();
    if (known != place.end()) {
      out[known->second].push_back(i);
      continue;
    }
    if (grouped) place.emplace(rows[i].measured.group, out.size());
    out.push_back({i});
  }
  return out;
}

Division divide(std::span<const ReducedImpact> training, std::span<const ReducedImpact> test,
                const RankOptions& options) {
  Division out;
  if (!test.empty()) {
    out.others.emplace_back(training.begin(), training.end());
    out.held.emplace_back(test.begin(), test.end());
    out.places.emplace_back(test.size());
    std::iota(out.places[0].begin(), out.places[0].end(), std::size_t{0});
    return out;
  }
  const auto folds = static_cast<std::size_t>(options.folds);
  const std::vector<std::vector<std::size_t>> units = units_of(training, options.grouped);
  const std::vector<std::size_t> order = shuffled(units.size(), options.seed);
  out.others.resize(folds);
  out.held.resize(folds);
  out.places.resize(folds);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t fold = 0; fold < folds; ++fold)
      for (const std::size_t row : units[order[i]]) {
        const bool mine = i % folds == fold;
        (mine ? out.held : out.others)[fold].push_back(training[row]);
        if (mine) out.places[fold].push_back(row);
      }
  return out;
}

/// Components of the velocity that were measured, and of the impulse that acts: three and two in a plane.
struct Dimensions {
  int measured = 0, impulse = 0;
};
Dimensions dimensions_of(std::span<const ReducedImpact> rows) {
  Dimensions out;
  for (int k = 0; k < 6; ++k)
    out.measured += std::any_of(rows.begin(), rows.end(),
                                [&](const ReducedImpact& row) { return row.b(k) != 0 || row.before(k) != 0; })
                        ? 1
                        : 0;
  for (int k = 0; k < 3; ++k)
    out.impulse +=
        std::any_of(rows.begin(), rows.end(), [&](const ReducedImpact& row) { return row.P(k) != 0; }) ? 1 : 0;
  return out;
}

/// (FT12)
double information_criterion(const LawFit& fit, int measured) {
  const auto values = static_cast<double>(measured) * static_cast<double>(fit.rows);
  const auto numbers = static_cast<double>(fit.parameters.size());
  return values * std::log(fit.rms * fit.rms / measured) + 2 * numbers;
}

LawScore score_of(std::string_view law, std::span<const ReducedImpact> training, std::span<const ReducedImpact> test,
                  const Division& division, const RankOptions& options) {
  LawScore out;
  out.law = law;
  FitOptions how;
  how.given = options.given;
  how.offset = options.offset;
  const auto refuse = [&](const Error& error) {
    out.refused = error;
    return out;
  };
  const std::span<const ReducedImpact> scored = test.empty() ? training : test;
  Errors errors(scored.size());
  std::vector<double> at_offset(scored.size(), 0);
  for (std::size_t fold = 0; fold < division.held.size(); ++fold) {
    auto fitted = fit_law(law, division.others[fold], how);
    if (!fitted) return refuse(fitted.error());
    const auto made = make_law(law, fitted->settings);
    if (!made) return refuse(made.error());
    for (std::size_t i = 0; i < division.held[fold].size(); ++i) {
      const ReducedImpact& row = division.held[fold][i];
      const auto outcome = collide(*made, row.contact);
      errors.set(division.places[fold][i], row, outcome ? outcome->P : Vec3::Zero());
      if (options.offset > 0) at_offset[division.places[fold][i]] = offset_row(*made, row, fitted->prior).error();
    }
    if (options.progress) options.progress();
    if (!test.empty()) out.fit = *std::move(fitted);
  }
  if (test.empty()) {
    auto whole = fit_law(law, training, how);
    if (!whole) return refuse(whole.error());
    out.fit = *std::move(whole);
    if (options.progress) options.progress();
  }
  out.criterion = information_criterion(*out.fit, dimensions_of(training).measured);
  out.velocity = summarize(errors.velocity);
  out.unscaled = summarize_unscaled(errors.velocity, scored);
  out.impulse = summarize(errors.impulse);
  if (options.offset > 0) out.with_offset = summarize(at_offset);
  out.errors = std::move(errors.velocity);
  return out;
}

std::optional<RegressionScore> regression_score(std::span<const ReducedImpact> scored, const Division& division) {
  Errors errors(scored.size());
  for (std::size_t fold = 0; fold < division.held.size(); ++fold) {
    const auto regression = ImpulseRegression::fit(division.others[fold]);
    if (!regression) return std::nullopt;
    for (std::size_t i = 0; i < division.held[fold].size(); ++i)
      errors.set(division.places[fold][i], division.held[fold][i], regression->impulse(division.held[fold][i]));
  }
  RegressionScore out;
  out.velocity = summarize(errors.velocity);
  out.unscaled = summarize_unscaled(errors.velocity, scored);
  out.impulse = summarize(errors.impulse);
  out.errors = std::move(errors.velocity);
  return out;
}

}  // namespace

std::size_t fits_to_rank(const RankOptions& options, bool tested_apart) {
  return laws_to_rank(options).size() * (tested_apart ? 1 : static_cast<std::size_t>(options.folds) + 1);
}

ErrorSummary summarize(std::span<const double> errors) {
  ErrorSummary out;
  std::vector<double> sorted(errors.begin(), errors.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty()) return out;
  out.median = quantile(sorted, 0.5);
  out.p90 = quantile(sorted, 0.9);
  const auto count = static_cast<double>(sorted.size());
  out.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  // The number of errors below the true median is binomial: ½ N ± 0.98 √N.
  const double half = 0.98 / std::sqrt(count);
  out.median_low = quantile(sorted, std::max(0.0, 0.5 - half));
  out.median_high = quantile(sorted, std::min(1.0, 0.5 + half));
  return out;
}

OffsetSummary summarize_offsets(const LawFit& fit) {
  OffsetSummary out;
  std::vector<double> errors;
  errors.reserve(fit.at_offset.size());
  for (const LawFit::AtOffset& at : fit.at_offset) {
    out.rms += at.offset.squaredNorm() / static_cast<double>(fit.at_offset.size());
    errors.push_back(at.error);
  }
  out.rms = std::sqrt(out.rms);
  out.errors = summarize(errors);
  return out;
}

Expected<Ranking> rank_laws(std::span<const ReducedImpact> training, std::span<const ReducedImpact> test,
                            const RankOptions& options) {
  if (const std::size_t units = test.empty() ? units_of(training, options.grouped).size() : 0;
      test.empty() && (options.folds < 2 || static_cast<std::size_t>(options.folds) > units))
    return fail(ErrorCode::out_of_range, "folds", std::to_string(options.folds),
                fmt::format("must be from 2 to the number of {} that are used, {}", options.grouped ? "groups" : "rows",
                            units));
  const std::vector<std::string_view> names = laws_to_rank(options);
  for (const std::string_view name : names)
    if (find_law(name) == nullptr) return tl::unexpected(unknown_law(name));
  Ranking out;
  out.laws.resize(names.size());
  const Division division = divide(training, test, options);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    // Those at the end of the table take longest, and begin.
    for (std::size_t k = next++; k < names.size(); k = next++) {
      const std::size_t i = names.size() - 1 - k;
      out.laws[i] = score_of(names[i], training, test, division, options);
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(std::max(1, options.threads)));
  for (int i = 1; i < options.threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  std::stable_sort(out.laws.begin(), out.laws.end(), [](const LawScore& a, const LawScore& b) {
    if (a.refused.has_value() != b.refused.has_value()) return !a.refused;
    return !a.refused && a.velocity.median < b.velocity.median;
  });
  const std::span<const ReducedImpact> scored = test.empty() ? training : test;
  out.trained = training.size();
  out.tested = scored.size();
  std::vector<double> best, ratio, e;
  best.reserve(scored.size());
  ratio.reserve(scored.size());
  e.reserve(scored.size());
  for (const ReducedImpact& row : scored) {
    best.push_back(row.best_error);
    ratio.push_back(row.impulse_ratio);
    e.push_back(row.restitution);
  }
  out.best_impulse = summarize(best);
  out.mu = quantile(ratio, 0.95);
  out.restitution_low = quantile(e, 0.05);
  out.restitution_median = quantile(e, 0.5);
  out.restitution_high = quantile(e, 0.95);
  const auto inside = std::count_if(scored.begin(), scored.end(), [&](const ReducedImpact& row) {
    return certify(row.contact, row.P, out.mu).permissible;
  });
  out.permissible = static_cast<double>(inside) / static_cast<double>(scored.size());
  for (const ReducedImpact& row : scored) out.density.add(region_place(row, out.mu));
  const Dimensions dimensions = dimensions_of(scored);
  // What no impulse explains is noise in as many directions; an exact law meets it in all that were measured.
  if (const int free = dimensions.measured - dimensions.impulse; free > 0)
    out.noise_floor = out.best_impulse.median / median_norm(free) * median_norm(dimensions.measured);
  out.regression = regression_score(scored, division);
  return out;
}

}  // namespace ricochet
