#include "ricochet/fit/rank_tosses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#include "fit/shuffled.hpp"
#include "fit/simplex_search.hpp"
#include "ricochet/fit/fit_law.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {
namespace {

/// What a toss without a prediction costs in a fit: a side, and a quarter turn.
constexpr double cost_of_failure = 100 + 90;

/// A number that is not of the law.
struct BodyNumber {
  std::string_view name;
  double& (*place)(TossModel&);
  double step, low, high;
};
constexpr std::array<BodyNumber, 6> body_numbers{{
    {"mu_lasting", [](TossModel& m) -> double& { return m.body.mu_lasting; }, 0.03, 0, 10},
    {"corner_radius", [](TossModel& m) -> double& { return m.body.corner_radius; }, 0.002, 0, 0.02},
    {"inertia", [](TossModel& m) -> double& { return m.body.inertia; }, 5e-5, 1e-5, 1e-2},
    {"centre_z", [](TossModel& m) -> double& { return m.body.centre.z(); }, 0.001, -0.02, 0.02},
    {"gravity", [](TossModel& m) -> double& { return m.body.gravity; }, 0.1, 8, 11},
    {"ground", [](TossModel& m) -> double& { return m.body.ground; }, 0.0005, -0.1, 0.1},
}};

const BodyNumber* find_body_number(std::string_view name) {
  for (const BodyNumber& number : body_numbers)
    if (number.name == name) return &number;
  return nullptr;
}

/// Where a law's number is sought from when nothing is given: friction and restitution of a hard plastic on another.
double usual(std::string_view name, const ParameterInfo& info) {
  if (name == "e" || name == "e_k") return 0.3;
  if (name == "mu") return 0.2;
  return info.default_value.kind == ParameterDefault::Kind::number ? info.default_value.number
         : std::isfinite(info.bounds.low)                          ? std::max(0.0, info.bounds.low)
                                                                   : 0.0;
}

void set_number(TossModel& model, const std::string& name, double value) {
  if (const BodyNumber* number = find_body_number(name))
    number->place(model) = value;
  else
    (void)set(model.settings, name, value);
}

Expected<std::vector<SearchedNumber>> searched(const TossModel& start, std::span<const std::string> names) {
  const LawInfo* law = find_law(start.law);
  if (law == nullptr) return tl::unexpected(unknown_law(start.law));
  std::vector<SearchedNumber> out;
  for (const std::string& name : names) {
    if (const BodyNumber* number = find_body_number(name)) {
      TossModel copy = start;
      out.push_back({number->place(copy), number->step, number->low, number->high});
      continue;
    }
    const auto info = std::find_if(law->parameters.begin(), law->parameters.end(), [&](const ParameterInfo& p) {
      return p.name == name && p.kind == ParameterKind::number;
    });
    if (info == law->parameters.end())
      return fail(ErrorCode::unknown_name, "fit", name,
                  fmt::format("must be a number of {}, or {}", law->name, either(toss_numbers())));
    const auto given = get(start.settings, name);
    const double from = given ? std::get<double>(*given) : usual(name, *info);
    const double margin = info->bounds.low_open ? 1e-6 : 0;
    out.push_back({from, name == "mu" ? 0.03 : 0.06, info->bounds.low + margin, std::min(info->bounds.high, 10.0)});
  }
  return out;
}

/// Predicts tosses with several threads; what each gives does not depend on their number.
template <class Each>
void for_each_toss(std::size_t count, int threads, const std::function<void()>& progress, Each each) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      each(i);
      if (progress) progress();
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

/// (FT15)
double cost_of(std::span<const Toss* const> tosses, const TossModel& model, const TossRankOptions& options) {
  std::vector<double> costs(tosses.size(), cost_of_failure);
  for_each_toss(tosses.size(), options.threads, options.progress, [&](std::size_t i) {
    const auto prediction = predict(*tosses[i], model);
    if (!prediction) return;
    const TossError error = error_of(*tosses[i], prediction->poses, model.body.side);
    costs[i] = error.position + error.angle;
  });
  double sum = 0;
  for (const double cost : costs) sum += cost;
  return sum / static_cast<double>(costs.size());
}

Expected<TossFit> fit_to(std::span<const Toss* const> training, const TossModel& start,
                         const TossRankOptions& options) {
  TossFit out;
  out.model = start;
  const auto numbers = searched(start, options.fit);
  if (!numbers) return tl::unexpected(numbers.error());
  const auto used = training.first(std::min(training.size(), options.fit_tosses));
  out.tosses = used.size();
  if (numbers->empty()) {
    out.converged = true;
    return out;
  }
  const auto model_at = [&](const std::vector<double>& x) {
    TossModel model = start;
    for (std::size_t i = 0; i < x.size(); ++i) set_number(model, options.fit[i], x[i]);
    return model;
  };
  const SimplexResult found = simplex_search(
      [&](const std::vector<double>& x) { return cost_of(used, model_at(x), options); }, *numbers, options.evaluations);
  out.model = model_at(found.x);
  for (std::size_t i = 0; i < found.x.size(); ++i) out.numbers.push_back({options.fit[i], found.x[i]});
  out.cost = found.f;
  out.evaluations = found.evaluations;
  out.converged = found.converged;
  return out;
}

template <class Part>
MeanAndDeviation spread(std::span<const TossScore> scores, Part part) {
  MeanAndDeviation out;
  double count = 0, squares = 0;
  for (const TossScore& score : scores)
    if (score.prediction) {
      count += 1;
      out.mean += part(score.error);
    }
  if (count == 0) return out;
  out.mean /= count;
  for (const TossScore& score : scores)
    if (score.prediction) squares += std::pow(part(score.error) - out.mean, 2);
  out.deviation = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return out;
}

}  // namespace

std::vector<std::string_view> toss_numbers() {
  std::vector<std::string_view> out;
  out.reserve(body_numbers.size());
  for (const BodyNumber& number : body_numbers) out.push_back(number.name);
  return out;
}

Expected<std::vector<std::string>> default_toss_fit(const TossModel& model) {
  const LawInfo* law = find_law(model.law);
  if (law == nullptr) return tl::unexpected(unknown_law(model.law));
  std::vector<std::string> out;
  for (const std::string& name : fittable_parameters(*law))
    if (!get(model.settings, name)) out.push_back(name);
  out.emplace_back("mu_lasting");
  return out;
}

std::size_t tosses_to_rank(std::size_t training, std::size_t test, const TossRankOptions& options) {
  const std::size_t fits = test > 0 ? 1 : static_cast<std::size_t>(std::max(options.folds, 0));
  // The simplex may end its last move some evaluations after the limit.
  const std::size_t evaluations =
      options.fit.empty() ? 0 : static_cast<std::size_t>(options.evaluations) + options.fit.size() + 2;
  return fits * evaluations * std::min(options.fit_tosses, training) + (test > 0 ? test : training);
}

Expected<TossRanking> rank_tosses(std::span<const Toss> training, std::span<const Toss> test, const TossModel& start,
                                  const TossRankOptions& options) {
  const bool apart = !test.empty();
  const auto folds = static_cast<std::size_t>(std::max(options.folds, 0));
  if (!apart && (folds < 2 || folds > training.size()))
    return fail(ErrorCode::out_of_range, "folds", std::to_string(options.folds),
                fmt::format("must be from 2 to the number of tosses, {}", training.size()));
  const std::span<const Toss> scored = apart ? test : training;
  const std::vector<std::size_t> order = shuffled(training.size(), options.seed);
  TossRanking out;
  out.tosses.resize(scored.size());
  for (std::size_t fold = 0; fold < (apart ? 1 : folds); ++fold) {
    std::vector<const Toss*> others;
    std::vector<std::size_t> held;
    for (std::size_t i = 0; i < order.size(); ++i)
      if (apart || i % folds != fold)
        others.push_back(&training[order[i]]);
      else
        held.push_back(order[i]);
    for (std::size_t i = 0; apart && i < test.size(); ++i) held.push_back(i);
    auto fit = fit_to(others, start, options);
    if (!fit) return tl::unexpected(fit.error());
    if (const auto law = make_law(fit->model.law, fit->model.settings); !law) return tl::unexpected(law.error());
    for_each_toss(held.size(), options.threads, options.progress, [&](std::size_t i) {
      const Toss& toss = scored[held[i]];
      TossScore& score = out.tosses[held[i]];
      score.number = toss.number;
      score.fold = fold;
      auto prediction = predict(toss, fit->model);
      if (!prediction) {
        score.failed = prediction.error();
        return;
      }
      score.error = error_of(toss, prediction->poses, fit->model.body.side);
      score.prediction = *std::move(prediction);
    });
    out.fits.push_back(*std::move(fit));
  }
  for (const TossScore& score : out.tosses) {
    out.failed += score.failed ? 1 : 0;
    out.stepped += score.prediction && score.prediction->stepped ? 1 : 0;
  }
  out.position = spread(out.tosses, [](const TossError& e) { return e.position; });
  out.angle = spread(out.tosses, [](const TossError& e) { return e.angle; });
  return out;
}

}  // namespace ricochet
