#include "ricochet/fit/fit_law.hpp"

#include <ceres/ceres.h>
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "ricochet/law/derivatives.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// A number without an upper bound, as μ or κ, is searched up to here.
constexpr double most_searched = 10;
/// Cauchy's loss keeps 95 % of the efficiency of least squares for normal noise at this multiple of the deviation.
constexpr double cauchy_width = 2.3849;
constexpr double ninety_five = 1.959964;

struct FittedRange {
  std::string name;
  double low = 0, high = 1;
  bool zero_by_default = false;
};

/// One law on all rows as a function of its fitted parameters.
class LawModel {
 public:
  LawModel(const LawInfo& law, LawParameters given, std::vector<FittedRange> ranges)
      : law_(&law), given_(std::move(given)), ranges_(std::move(ranges)) {}

  [[nodiscard]] const std::vector<FittedRange>& ranges() const { return ranges_; }
  [[nodiscard]] LawParameters settings(const double* x) const {
    LawParameters out = given_;
    for (std::size_t i = 0; i < ranges_.size(); ++i) (void)set(out, ranges_[i].name, Value(x[i]));
    return out;
  }
  [[nodiscard]] Expected<Law> law(const double* x) const { return make_law(law_->name, settings(x)); }

  /// The impulse of a contact; nothing where the law refuses.
  [[nodiscard]] std::optional<Vec3> impulse(const Contact& contact, const double* x) const {
    const auto made = law(x);
    if (!made) return std::nullopt;
    const auto outcome = collide(*made, contact);
    if (!outcome) return std::nullopt;
    return outcome->P;
  }

  /// The impulse and its derivatives by the fitted parameters: the law's own, or differences where it has none.
  [[nodiscard]] std::optional<Vec3> impulse(const Contact& contact, const double* x,
                                            Eigen::Matrix<double, 3, Eigen::Dynamic>& by) const {
    const auto made = law(x);
    if (!made) return std::nullopt;
    const auto count = static_cast<Eigen::Index>(ranges_.size());
    by.setConstant(3, count, std::numeric_limits<double>::quiet_NaN());
    std::optional<Vec3> P;
    // The law's own derivatives are by W and V, too. Through the centroid of the region those cost as much as ten
    // collisions, four of which are enough here; the compliant contacts in a plane cost hundreds.
    const bool dear = std::holds_alternative<PermissiblePoint>(*made) || std::holds_alternative<SpringSledge>(*made) ||
                      std::holds_alternative<GradedSledge>(*made);
    const auto exact =
        dear ? Expected<DifferentiatedOutcome>(tl::unexpected(Error{})) : collide_with_derivatives(*made, contact);
    if (exact) {
      P = exact->outcome.P;
      if (exact->kink.empty())
        for (Eigen::Index i = 0; i < count; ++i)
          if (const DerivativeInput* input = exact->derivatives.find(ranges_[static_cast<std::size_t>(i)].name)) {
            by.col(i) = exact->derivatives.P(*input);
            // A parameter that another one defaults to moves that one, too.
            for (const ParameterInfo& info : law_->parameters)
              if (info.default_value.kind == ParameterDefault::Kind::parameter &&
                  info.default_value.text == input->name && !get(given_, info.name))
                if (const DerivativeInput* tied = exact->derivatives.find(info.name))
                  by.col(i) += exact->derivatives.P(*tied);
          }
    } else {
      const auto outcome = collide(*made, contact);
      if (!outcome) return std::nullopt;
      P = outcome->P;
    }
    for (Eigen::Index i = 0; i < count; ++i)
      if (!by.col(i).allFinite()) by.col(i) = difference(contact, x, static_cast<std::size_t>(i), *P);
    return P;
  }

 private:
  /// To one side, where P is known already; a law that is not smooth everywhere is no better known from two.
  [[nodiscard]] Vec3 difference(const Contact& contact, const double* x, std::size_t i, const Vec3& P) const {
    std::vector<double> moved(x, x + ranges_.size());
    const double h = 1e-6 * std::max(1.0, std::abs(x[i]));
    moved[i] = x[i] + h <= ranges_[i].high ? x[i] + h : x[i] - h;
    const auto there = impulse(contact, moved.data());
    return there ? Vec3((*there - P) / (moved[i] - x[i])) : Vec3::Zero();
  }

  const LawInfo* law_;
  LawParameters given_;
  std::vector<FittedRange> ranges_;
};

class RowCost : public ceres::CostFunction {
 public:
  RowCost(const LawModel& model, const ReducedImpact& row, const OffsetPrior& prior)
      : model_(&model), row_(&row), prior_(prior) {
    set_num_residuals(prior.deviation > 0 ? 8 : 6);
    mutable_parameter_block_sizes()->push_back(static_cast<std::int32_t>(model.ranges().size()));
  }
  bool Evaluate(double const* const* parameters, double* residuals, double** jacobians) const override {
    const bool wanted = jacobians != nullptr && jacobians[0] != nullptr;
    return prior_.deviation > 0 ? at_offset(parameters[0], residuals, wanted ? jacobians[0] : nullptr)
                                : as_stated(parameters[0], residuals, wanted ? jacobians[0] : nullptr);
  }

 private:
  template <int rows>
  using JacobianMap = Eigen::Map<Eigen::Matrix<double, rows, Eigen::Dynamic, Eigen::RowMajor>>;

  [[nodiscard]] Eigen::Index count() const { return static_cast<Eigen::Index>(model_->ranges().size()); }

  [[nodiscard]] bool as_stated(const double* x, double* residuals, double* jacobian) const {
    Eigen::Map<ReducedImpact::Vec6> r(residuals);
    Eigen::Matrix<double, 3, Eigen::Dynamic> by;
    const auto P = jacobian != nullptr ? model_->impulse(row_->contact, x, by) : model_->impulse(row_->contact, x);
    r = row_->A * P.value_or(Vec3::Zero()) - row_->b;
    if (jacobian != nullptr) {
      JacobianMap<6> J(jacobian, 6, count());
      if (P) {
        J = row_->A * by;
      } else {
        J.setZero();
      }
    }
    return r.allFinite();
  }

  [[nodiscard]] bool at_offset(const double* x, double* residuals, double* jacobian) const {
    Eigen::Map<OffsetRow::Residual> r(residuals);
    const auto law = model_->law(x);
    if (!law) return false;
    const OffsetRow row = offset_row(*law, *row_, prior_);
    r = row.residual;
    if (jacobian != nullptr) {
      JacobianMap<8> J(jacobian, 8, count());
      Eigen::Matrix<double, 3, Eigen::Dynamic> by;
      if (!row.refused && model_->impulse(row.contact, x, by)) {
        J = row.project(row.A * by);
      } else {
        J.setZero();
      }
    }
    return r.allFinite();
  }

  const LawModel* model_;
  const ReducedImpact* row_;
  OffsetPrior prior_;
};

struct Minimum {
  std::vector<double> x;
  double cost = infinity;
  bool converged = false;
  std::string report;
};

class Fitter {
 public:
  Fitter(const LawModel& model, std::span<const ReducedImpact> rows, const FitOptions& options)
      : model_(&model), rows_(rows), options_(&options) {
    prior_.deviation = options.offset;
  }

  [[nodiscard]] const OffsetPrior& prior() const { return prior_; }

  [[nodiscard]] double robust_cost(const std::vector<double>& x, double width, std::size_t stride,
                                   const OffsetPrior& prior) const {
    double sum = 0;
    const auto law = model_->law(x.data());
    if (!law) return infinity;
    for (std::size_t i = 0; i < rows_.size(); i += stride) {
      const double r = offset_row(*law, rows_[i], prior).residual.norm();
      sum += std::log1p(r * r / (width * width));
    }
    return sum;
  }

  /// A scan of the ranges with the points as stated, from which descents start: from the least of its local minima, for
  /// the best two values of the whole scan mostly lie in one valley.
  [[nodiscard]] std::vector<std::vector<double>> starts(double width) const {
    const std::size_t count = model_->ranges().size();
    // Of many numbers, those that are zero by default begin there.
    const auto held = [&](std::size_t i) { return count > 4 && model_->ranges()[i].zero_by_default; };
    std::size_t scanned = 0;
    for (std::size_t i = 0; i < count; ++i) scanned += held(i) ? 0 : 1;
    const std::size_t each = scanned <= 1 ? 9 : scanned == 2 ? 6 : scanned == 3 ? 4 : 3;
    const std::size_t stride = std::max<std::size_t>(1, rows_.size() / 120);
    std::vector<std::pair<double, std::vector<double>>> found;
    std::vector<std::size_t> at(count, 0);
    while (true) {
      std::vector<double> x(count);
      for (std::size_t i = 0; i < count; ++i) {
        if (held(i)) continue;
        const FittedRange& range = model_->ranges()[i];
        const double share = (static_cast<double>(at[i]) + 0.5) / static_cast<double>(each);
        // Numbers without an end matter most near their beginning.
        if (range.high < most_searched) {
          x[i] = range.low + share * (range.high - range.low);
        } else {
          x[i] = range.low <= -most_searched ? 2 * share - 1 : range.low + share * share * 1.5;
        }
      }
      const double cost = robust_cost(x, width, stride, {});
      found.emplace_back(cost, std::move(x));
      std::size_t i = 0;
      while (i < count && (held(i) || ++at[i] == each)) at[i++] = 0;
      if (i == count) break;
    }
    std::vector<std::size_t> valleys;
    for (std::size_t k = 0; k < found.size(); ++k) {
      bool lowest = true;
      for (std::size_t step = 1; step < found.size(); step *= each) {
        const std::size_t place = k / step % each;
        lowest = lowest && !(place > 0 && found[k - step].first < found[k].first) &&
                 !(place + 1 < each && found[k + step].first < found[k].first);
      }
      if (lowest) valleys.push_back(k);
    }
    std::stable_sort(valleys.begin(), valleys.end(),
                     [&](std::size_t a, std::size_t b) { return found[a].first < found[b].first; });
    constexpr std::size_t most = 3;
    std::vector<std::vector<double>> out;
    for (std::size_t k = 0; k < std::min(most, valleys.size()); ++k) out.push_back(found[valleys[k]].second);
    return out;
  }

  /// Stops where a step gains less than this share of the loss.
  static constexpr double rough = 1e-3, fine = 1e-7;

  /// Over every stride-th row.
  [[nodiscard]] Minimum descend(std::vector<double> x, double width, double tolerance, std::size_t stride = 1,
                                std::span<const double> weights = {}) const {
    ceres::Problem::Options keep;
    keep.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    ceres::Problem problem(keep);
    ceres::CauchyLoss loss(width);
    std::vector<std::unique_ptr<ceres::LossFunction>> scaled;
    problem.AddParameterBlock(x.data(), static_cast<int>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      problem.SetParameterLowerBound(x.data(), static_cast<int>(i), model_->ranges()[i].low);
      problem.SetParameterUpperBound(x.data(), static_cast<int>(i), model_->ranges()[i].high);
    }
    for (std::size_t i = 0; i < rows_.size(); i += stride) {
      if (!weights.empty() && weights[i] == 0) continue;
      ceres::LossFunction* of_row = &loss;
      if (!weights.empty() && weights[i] != 1) {
        scaled.push_back(std::make_unique<ceres::ScaledLoss>(&loss, weights[i], ceres::DO_NOT_TAKE_OWNERSHIP));
        of_row = scaled.back().get();
      }
      problem.AddResidualBlock(new RowCost(*model_, rows_[i], prior_), of_row, x.data());
    }
    ceres::Solver::Options how;
    how.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
    how.num_threads = std::max(1, options_->threads);
    how.max_num_iterations = tolerance > fine ? 20 : 60;
    how.function_tolerance = tolerance;
    how.parameter_tolerance = 1e-8;
    how.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(how, &problem, &summary);
    if (options_->progress) options_->progress();
    return {std::move(x), summary.final_cost, summary.termination_type == ceres::CONVERGENCE, summary.BriefReport()};
  }

  /// σ of a component of the residual: the median of the norms of rows, as if their components were normal in two or
  /// three directions, which an impulse leaves free.
  [[nodiscard]] double scale_at(const std::vector<double>& x, std::size_t stride = 1) const {
    std::vector<double> norms;
    norms.reserve(rows_.size());
    const auto law = model_->law(x.data());
    for (std::size_t i = 0; i < rows_.size(); i += stride)
      norms.push_back(law ? offset_row(*law, rows_[i], prior_).residual.norm() : rows_[i].b.norm());
    // The median of the norm of three normal components is 1.538 σ.
    return std::max(quantile(std::move(norms), 0.5) / 1.538, 1e-12);
  }

  [[nodiscard]] Minimum minimum(double& scale) {
    double width = 0.1;
    Minimum best;
    // Some hundred rows show which valley is the right one.
    const std::size_t stride = std::max<std::size_t>(1, rows_.size() / 250);
    for (std::vector<double>& start : starts(width)) {
      find_noise(start, stride);
      width = cauchy_width * scale_at(start, stride);
      Minimum here = descend(std::move(start), width, rough, stride);
      const double cost = robust_cost(here.x, 0.1, 1, prior_);
      if (best.x.empty() || cost < best.cost) {
        best = std::move(here);
        best.cost = cost;
      }
    }
    for (const double tolerance : {rough, fine}) {
      find_noise(best.x, stride);
      width = cauchy_width * scale_at(best.x);
      best = descend(std::move(best.x), width, tolerance);
    }
    scale = scale_at(best.x);
    return best;
  }

  /// H and the spread of the gradients, of the robust loss (FT8).
  void curvature(const std::vector<double>& x, double width, MatX& H, MatX& S) const {
    const auto count = static_cast<Eigen::Index>(x.size());
    H = MatX::Zero(count, count);
    S = MatX::Zero(count, count);
    MatX plain = H;
    const double c = width * width;
    const auto law = model_->law(x.data());
    if (!law) return;
    for (const ReducedImpact& row : rows_) {
      const OffsetRow at = offset_row(*law, row, prior_);
      Eigen::Matrix<double, 3, Eigen::Dynamic> by;
      if (at.refused || !model_->impulse(at.contact, x.data(), by)) continue;
      const OffsetRow::Residual& r = at.residual;
      const MatX J = at.project(at.A * by);
      const double s = r.squaredNorm(), first = 1 / (1 + s / c), second = -first * first / c;
      const VecX gradient = J.transpose() * r;
      H += first * J.transpose() * J + 2 * second * gradient * gradient.transpose();
      plain += first * J.transpose() * J;
      S += first * first * gradient * gradient.transpose();
    }
    if (Eigen::SelfAdjointEigenSolver<MatX>(H).eigenvalues()(0) <= 0) H = plain;
  }

 private:
  void find_noise(const std::vector<double>& x, std::size_t stride) {
    if (!(prior_.deviation > 0)) return;
    if (const auto law = model_->law(x.data())) prior_.noise = offset_noise(*law, rows_, prior_, stride);
  }

  const LawModel* model_;
  std::span<const ReducedImpact> rows_;
  const FitOptions* options_;
  OffsetPrior prior_;
};

/// Parameters that the data determine only together, or not at all, are named; the others get their intervals.
void judge_curvature(const MatX& H, const MatX& S, std::vector<EstimatedParameter>& out,
                     const std::vector<FittedRange>& ranges) {
  const auto count = static_cast<Eigen::Index>(out.size());
  VecX root(count);
  const double largest = H.diagonal().maxCoeff();
  std::vector<Eigen::Index> known;
  for (Eigen::Index i = 0; i < count; ++i) {
    EstimatedParameter& p = out[static_cast<std::size_t>(i)];
    if (H(i, i) > 1e-12 * largest && H(i, i) > 0) {
      known.push_back(i);
    } else {
      p.identifiable = false;
      p.remark = "not identifiable: no row depends on it";
      p.deviation = infinity;
      p.low = ranges[static_cast<std::size_t>(i)].low;
      p.high = ranges[static_cast<std::size_t>(i)].high;
    }
  }
  if (known.empty()) return;
  const auto size = static_cast<Eigen::Index>(known.size());
  MatX h(size, size), s(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j) {
      const double d = std::sqrt(H(known[static_cast<std::size_t>(i)], known[static_cast<std::size_t>(i)]) *
                                 H(known[static_cast<std::size_t>(j)], known[static_cast<std::size_t>(j)]));
      h(i, j) = H(known[static_cast<std::size_t>(i)], known[static_cast<std::size_t>(j)]) / d;
      s(i, j) = S(known[static_cast<std::size_t>(i)], known[static_cast<std::size_t>(j)]) / d;
    }
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(h);
  constexpr double least = 1e-7;
  for (Eigen::Index k = 0; k < size; ++k) {
    if (eigen.eigenvalues()(k) > least) continue;
    std::string names;
    for (Eigen::Index i = 0; i < size; ++i)
      if (std::abs(eigen.eigenvectors()(i, k)) > 0.1)
        names +=
            (names.empty() ? "" : " and ") + out[static_cast<std::size_t>(known[static_cast<std::size_t>(i)])].name;
    for (Eigen::Index i = 0; i < size; ++i) {
      if (std::abs(eigen.eigenvectors()(i, k)) <= 0.1) continue;
      EstimatedParameter& p = out[static_cast<std::size_t>(known[static_cast<std::size_t>(i)])];
      p.identifiable = false;
      p.remark = "not identifiable: the data determine " + names + " only together";
    }
  }
  VecX inverse = eigen.eigenvalues();
  for (double& x : inverse) x = x > least ? 1 / x : 1 / least;
  const MatX h_inverse = eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  const MatX covariance = h_inverse * s * h_inverse;
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::Index at = known[static_cast<std::size_t>(i)];
    EstimatedParameter& p = out[static_cast<std::size_t>(at)];
    const FittedRange& range = ranges[static_cast<std::size_t>(at)];
    p.deviation = p.identifiable ? std::sqrt(std::max(0.0, covariance(i, i)) / H(at, at)) : infinity;
    p.low = std::max(range.low, p.value - ninety_five * p.deviation);
    p.high = std::min(range.high, p.value + ninety_five * p.deviation);
    if (p.deviation == 0 && S(at, at) == 0) p.remark = "fixed by symmetry: no row has a residual in its direction";
    const bool wide = p.high - p.low > 0.9 * (range.high - range.low) || p.deviation > 1 + std::abs(p.value);
    if (p.identifiable && wide) {
      p.identifiable = false;
      p.remark = "not identifiable: its interval is as wide as its range";
    }
  }
}

/// The curvature knows nothing of what is level farther away: where every contact sticks, noise ends μ at what one of
/// them needs, with a sharp minimum there, and any larger μ is as likely. The loss at an end of the range tells, with
/// the other parameters held. Ends that twice the interval would reach are left to the curvature.
void judge_ends(const Fitter& fitter, const std::vector<double>& x, double width, std::vector<EstimatedParameter>& out,
                const std::vector<FittedRange>& ranges) {
  constexpr double level = ninety_five * ninety_five / (cauchy_width * cauchy_width);
  const double least = fitter.robust_cost(x, width, 1, fitter.prior());
  for (std::size_t i = 0; i < out.size(); ++i) {
    EstimatedParameter& p = out[i];
    if (!p.identifiable) continue;
    const auto is_level = [&](double value) {
      std::vector<double> moved = x;
      moved[i] = value;
      return fitter.robust_cost(moved, width, 1, fitter.prior()) - least < level;
    };
    const auto far_and_level = [&](double end) {
      return std::abs(end - p.value) > 2 * ninety_five * p.deviation && is_level(end);
    };
    /// How far the loss is level from p towards an end.
    const auto reach = [&](double end) {
      if (is_level(end)) return end;
      double inside = p.value, outside = end;
      for (int k = 0; k < 30; ++k) {
        const double middle = (inside + outside) / 2;
        (is_level(middle) ? inside : outside) = middle;
      }
      return inside;
    };
    const FittedRange& range = ranges[i];
    const bool up = far_and_level(range.high), down = far_and_level(range.low);
    if (!up && !down) continue;
    p.identifiable = false;
    p.deviation = infinity;
    p.low = std::min(p.low, reach(range.low));
    p.high = std::max(p.high, reach(range.high));
    p.remark = fmt::format("not identifiable: the {} of its range {} as likely",
                           up && down ? "ends"
                           : up       ? "upper end"
                                      : "lower end",
                           up && down ? "are" : "is");
  }
}

/// The numbers of a law, and of the laws that its words name, that do not default to another one of them.
std::vector<const ParameterInfo*> numbers_of(const LawInfo& law, const LawParameters& given) {
  std::vector<const ParameterInfo*> out;
  const auto add = [&](const LawInfo& from) {
    for (const ParameterInfo& info : from.parameters) {
      const auto named = [&](std::string_view name) {
        return std::any_of(from.parameters.begin(), from.parameters.end(),
                           [&](const ParameterInfo& other) { return other.name == name; });
      };
      const bool tied = info.default_value.kind == ParameterDefault::Kind::parameter && named(info.default_value.text);
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const ParameterInfo* other) { return other->name == info.name; });
      if (info.kind == ParameterKind::number && !tied && !known) out.push_back(&info);
    }
  };
  add(law);
  for (const ParameterInfo& info : law.parameters) {
    if (info.kind != ParameterKind::word) continue;
    const auto word = get(given, info.name);
    const auto* text = word ? std::get_if<std::string>(&*word) : nullptr;
    if (const LawInfo* part = find_law(text != nullptr ? std::string_view(*text) : info.default_value.text)) add(*part);
  }
  return out;
}

Expected<std::vector<FittedRange>> ranges_of(const LawInfo& law, const FitOptions& options) {
  const std::vector<const ParameterInfo*> all = numbers_of(law, options.given);
  std::vector<std::string> names = options.parameters;
  if (names.empty())
    for (const ParameterInfo* info : all)
      if (!get(options.given, info->name)) names.emplace_back(info->name);
  std::vector<FittedRange> out;
  for (const std::string& name : names) {
    // A parameter that defaults to another one can still be fitted by its name.
    const ParameterInfo* found = nullptr;
    for (const ParameterInfo* info : all)
      if (info->name == name) found = info;
    for (const ParameterInfo& info : law.parameters)
      if (info.name == name && info.kind == ParameterKind::number) found = &info;
    if (found == nullptr)
      return fail(ErrorCode::unknown_name, "fit", name, fmt::format("{} has no such number to fit", law.name));
    FittedRange range{name, found->bounds.low, found->bounds.high};
    range.zero_by_default =
        found->default_value.kind == ParameterDefault::Kind::number && found->default_value.number == 0;
    if (found->stricter_low) range.low = std::max(range.low, found->stricter_low->low);
    if (found->bounds.low_open && std::isfinite(range.low)) range.low += 1e-6;
    if (!std::isfinite(range.low)) range.low = -most_searched;
    if (!std::isfinite(range.high)) range.high = most_searched;
    out.push_back(std::move(range));
  }
  for (const ParameterInfo& info : law.parameters)
    if (info.needed() && info.kind != ParameterKind::number && !get(options.given, info.name))
      return fail(ErrorCode::missing, std::string(info.name), "",
                  fmt::format("needed by {}, and not a number that can be fitted", law.name));
  if (out.empty()) return fail(ErrorCode::missing, "fit", "", fmt::format("{} has nothing left to fit", law.name));
  return out;
}

/// Deviations of components and parameters in turn (FT19), from where the relative errors are least.
struct WeightedFit {
  Minimum minimum;
  ComponentNoise noise;
  std::vector<ReducedImpact> rows;  ///< in units of the noise
};

WeightedFit fit_by_component(const LawModel& model, std::span<const ReducedImpact> rows, const FitOptions& options,
                             Minimum start) {
  constexpr int most_turns = 30;
  constexpr double enough = 1e-3;
  WeightedFit out{std::move(start), {}, {}};
  std::vector<ReducedImpact::Vec6> residuals(rows.size());
  for (int turn = 0;; ++turn) {
    const auto law = model.law(out.minimum.x.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto outcome = law ? collide(*law, rows[i].contact) : Expected<Outcome>(tl::unexpected(Error{}));
      residuals[i] = (outcome ? ReducedImpact::Vec6(rows[i].A * outcome->P) : ReducedImpact::Vec6::Zero()) - rows[i].b;
    }
    const ComponentNoise before = out.noise;
    out.noise = component_noise(rows, residuals);
    const auto settled = [&](double ComponentNoise::*one) {
      return std::abs(out.noise.*one - before.*one) <= enough * out.noise.*one;
    };
    if (settled(&ComponentNoise::normal) && settled(&ComponentNoise::tangential) && settled(&ComponentNoise::spin))
      return out;
    if (turn == most_turns) {
      out.minimum.converged = false;
      out.minimum.report = fmt::format("the noise by component did not settle in {} turns", most_turns);
      return out;
    }
    out.rows.clear();
    for (const ReducedImpact& row : rows) out.rows.push_back(in_units_of(out.noise, row));
    const Fitter fitter(model, out.rows, options);
    const double scale = fitter.scale_at(out.minimum.x);
    out.minimum = fitter.descend(std::move(out.minimum.x), cauchy_width * scale, Fitter::fine);
  }
}

/// Rows drawn with replacement, as weights.
std::vector<double> drawn_weights(std::size_t rows, std::mt19937_64& random) {
  std::vector<double> out(rows, 0);
  std::uniform_int_distribution<std::size_t> row(0, rows - 1);
  for (std::size_t i = 0; i < rows; ++i) out[row(random)] += 1;
  return out;
}

}  // namespace

double quantile(std::vector<double> numbers, double q) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(numbers.begin(), numbers.end());
  const double at = q * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return numbers[below] + (at - static_cast<double>(below)) * (numbers[above] - numbers[below]);
}

std::vector<std::string> fittable_parameters(const LawInfo& law) {
  std::vector<std::string> out;
  for (const ParameterInfo* info : numbers_of(law, {})) out.emplace_back(info->name);
  return out;
}

std::vector<double> errors_of(const Law& law, std::span<const ReducedImpact> rows) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const ReducedImpact& row : rows) {
    const auto outcome = collide(law, row.contact);
    out.push_back(row.error_of(outcome ? outcome->P : Vec3::Zero()));
  }
  return out;
}

Expected<LawFit> fit_law(std::string_view law, std::span<const ReducedImpact> rows, const FitOptions& options) {
  const LawInfo* info = find_law(law);
  if (info == nullptr) return tl::unexpected(unknown_law(law));
  auto ranges = ranges_of(*info, options);
  if (!ranges) return tl::unexpected(ranges.error());
  if (rows.size() <= ranges->size())
    return fail(ErrorCode::missing, "rows", std::to_string(rows.size()),
                fmt::format("must be more than the {} parameters", ranges->size()));
  if (!(options.offset >= 0 && std::isfinite(options.offset)))
    return fail(ErrorCode::out_of_range, "offset", to_text(options.offset), "must be zero or more, finite");
  if (options.offset > 0 && options.noise_by_component)
    return fail(ErrorCode::conflict, "offset", to_text(options.offset), "goes without noise by component");
  const LawModel model(*info, options.given, *ranges);
  Fitter relative(model, rows, options);
  LawFit out;
  out.law = info->name;
  out.rows = rows.size();
  Minimum best = relative.minimum(out.scale);
  std::optional<WeightedFit> weighted;
  if (options.noise_by_component) {
    weighted = fit_by_component(model, rows, options, std::move(best));
    best = weighted->minimum;
    out.noise = weighted->noise;
    out.scale = relative.scale_at(best.x);
  }
  const Fitter fitter = weighted ? Fitter(model, weighted->rows, options) : relative;
  const double width = cauchy_width * (weighted ? fitter.scale_at(best.x) : out.scale);
  const auto made = model.law(best.x.data());
  if (!made) return tl::unexpected(made.error());
  for (const ReducedImpact& row : rows) out.refused += collide(*made, row.contact) ? 0 : 1;
  if (out.refused == rows.size()) {
    const auto why = collide(*made, rows[0].contact);
    return tl::unexpected(why.error());
  }
  out.settings = model.settings(best.x.data());
  out.converged = best.converged;
  out.report = best.report;
  out.cost = best.cost;
  out.errors = errors_of(*made, rows);
  out.prior = fitter.prior();
  if (out.prior.deviation > 0)
    for (const ReducedImpact& row : rows) {
      const OffsetRow at = offset_row(*made, row, out.prior);
      out.at_offset.push_back({at.offset, at.error()});
    }
  out.median = quantile(out.errors, 0.5);
  out.rms = std::sqrt(std::inner_product(out.errors.begin(), out.errors.end(), out.errors.begin(), 0.0) /
                      static_cast<double>(rows.size()));
  out.outliers = static_cast<std::size_t>(
      std::count_if(out.errors.begin(), out.errors.end(), [&](double e) { return e > 4 * 1.538 * out.scale; }));
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    const FittedRange& range = (*ranges)[i];
    EstimatedParameter p;
    p.name = range.name;
    p.value = best.x[i];
    const double close = 1e-6 * (range.high - range.low);
    p.at_bound = p.value - range.low < close || range.high - p.value < close;
    if (p.at_bound) p.remark = "at an end of its range";
    out.parameters.push_back(std::move(p));
  }
  MatX H, S;
  fitter.curvature(best.x, width, H, S);
  judge_curvature(H, S, out.parameters, *ranges);
  judge_ends(fitter, best.x, width, out.parameters, *ranges);
  if (options.bootstrap > 0) {
    std::mt19937_64 random(options.seed);
    std::vector<std::vector<double>> values(ranges->size());
    for (int k = 0; k < options.bootstrap; ++k) {
      const std::vector<double> weights = drawn_weights(rows.size(), random);
      const Minimum again = fitter.descend(best.x, width, Fitter::fine, 1, weights);
      for (std::size_t i = 0; i < values.size(); ++i) values[i].push_back(again.x[i]);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      out.parameters[i].bootstrap_low = quantile(values[i], 0.025);
      out.parameters[i].bootstrap_high = quantile(values[i], 0.975);
    }
  }
  return out;
}

}  // namespace ricochet
