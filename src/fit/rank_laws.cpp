#include "ricochet/fit/rank_laws.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

std::vector<std::string_view> laws_to_rank(const RankOptions& options) {
  std::vector<std::string_view> out(options.laws.begin(), options.laws.end());
  if (out.empty())
    for (const LawInfo& law : laws()) out.push_back(law.name);
  return out;
}

std::vector<double> impulse_errors(const Law& law, std::span<const ReducedImpact> rows) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const ReducedImpact& row : rows) {
    const auto outcome = collide(law, row.contact);
    out.push_back(((outcome ? outcome->P : Vec3::Zero()) - row.P).norm() / row.P.norm());
  }
  return out;
}

/// Errors on the rows of `test` of the law fitted to `training`.
Expected<void> score(std::string_view law, std::span<const ReducedImpact> training, std::span<const ReducedImpact> test,
                     const FitOptions& options, std::vector<double>& velocity, std::vector<double>& impulse,
                     std::optional<LawFit>& fit) {
  auto fitted = fit_law(law, training, options);
  if (!fitted) return tl::unexpected(fitted.error());
  const auto made = make_law(law, fitted->settings);
  if (!made) return tl::unexpected(made.error());
  velocity = errors_of(*made, test);
  impulse = impulse_errors(*made, test);
  fit = *std::move(fitted);
  return {};
}

LawScore score_of(std::string_view law, std::span<const ReducedImpact> training, std::span<const ReducedImpact> test,
                  const RankOptions& options) {
  LawScore out;
  out.law = law;
  FitOptions how;
  how.given = options.given;
  const auto refuse = [&](const Error& error) {
    out.refused = error;
    return out;
  };
  std::vector<double> impulse;
  if (!test.empty()) {
    if (const auto fine = score(law, training, test, how, out.errors, impulse, out.fit); !fine)
      return refuse(fine.error());
    if (options.progress) options.progress();
  } else {
    std::vector<std::size_t> order(training.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(options.seed);
    // Not std::shuffle, whose order depends on the library.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    out.errors.assign(training.size(), 0);
    impulse.assign(training.size(), 0);
    for (int fold = 0; fold < options.folds; ++fold) {
      std::vector<ReducedImpact> others, held;
      std::vector<std::size_t> at;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const bool mine = i % static_cast<std::size_t>(options.folds) == static_cast<std::size_t>(fold);
        (mine ? held : others).push_back(training[order[i]]);
        if (mine) at.push_back(order[i]);
      }
      std::vector<double> velocity, of_impulse;
      std::optional<LawFit> unused;
      if (const auto fine = score(law, others, held, how, velocity, of_impulse, unused); !fine)
        return refuse(fine.error());
      for (std::size_t i = 0; i < at.size(); ++i) {
        out.errors[at[i]] = velocity[i];
        impulse[at[i]] = of_impulse[i];
      }
      if (options.progress) options.progress();
    }
    auto whole = fit_law(law, training, how);
    if (!whole) return refuse(whole.error());
    out.fit = *std::move(whole);
    if (options.progress) options.progress();
  }
  out.velocity = summarize(out.errors);
  out.impulse = summarize(impulse);
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

Expected<Ranking> rank_laws(std::span<const ReducedImpact> training, std::span<const ReducedImpact> test,
                            const RankOptions& options) {
  if (test.empty() && (options.folds < 2 || static_cast<std::size_t>(options.folds) > training.size()))
    return fail(ErrorCode::out_of_range, "folds", std::to_string(options.folds),
                "must be from 2 to the number of rows");
  const std::vector<std::string_view> names = laws_to_rank(options);
  for (const std::string_view name : names)
    if (find_law(name) == nullptr) return tl::unexpected(unknown_law(name));
  Ranking out;
  out.laws.resize(names.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < names.size(); i = next++)
      out.laws[i] = score_of(names[i], training, test, options);
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
  return out;
}

}  // namespace ricochet
