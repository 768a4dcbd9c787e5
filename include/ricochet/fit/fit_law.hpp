#pragma once
/// Parameters of any law from measured impacts, with intervals (docs/fitting.md).

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/fit/component_noise.hpp"
#include "ricochet/fit/contact_offset.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {

struct FitOptions {
  std::vector<std::string> parameters = {};  ///< empty: every number of the law that is not given and not tied
  LawParameters given = {};                  ///< these keep their values
  int bootstrap = 0;                         ///< samples of rows; 0: intervals by curvature only
  std::uint64_t seed = 1;
  int threads = 1;
  double offset = 0;  ///< σ_r, deviation of the contact points along the ground [m] (FT16); 0: they are known
  bool noise_by_component = false;  ///< deviations of components are estimated (FT19); else errors are relative (FT5)
  std::function<void()> progress = {};  ///< called once for every evaluation of all rows
};

struct EstimatedParameter {
  std::string name;
  double value = 0;
  double deviation = 0;      ///< by curvature (FT8); infinite where the data do not determine it
  double low = 0, high = 0;  ///< 95 % interval by curvature, cut at the bounds
  std::optional<double> bootstrap_low, bootstrap_high;  ///< 95 % by resampling rows
  bool at_bound = false;
  bool identifiable = true;
  std::string remark;  ///< why not, for people; empty: nothing to say
};

struct LawFit {
  std::string_view law;
  LawParameters settings;  ///< with the estimates, from which make_law makes the law
  std::vector<EstimatedParameter> parameters;
  double scale = 0;            ///< σ of a component of the residual, robust
  double median = 0, rms = 0;  ///< of the relative errors in the mass norm (FT5)
  double cost = 0;             ///< of the robust loss, ½ Σ ρ
  std::size_t rows = 0;
  std::size_t refused = 0;   ///< rows that the law has no answer for; they count with P = 0
  std::size_t outliers = 0;  ///< rows beyond four scales
  bool converged = false;
  std::string report;          ///< of the solver, in a line
  std::vector<double> errors;  ///< of each row, at the stated point
  OffsetPrior prior;           ///< of contact points; deviation 0: they are known
  struct AtOffset {
    Vec3 offset;   ///< the most probable one [m]
    double error;  ///< there (FT5)
  };
  std::vector<AtOffset> at_offset;      ///< of each row; empty where points are known
  std::optional<ComponentNoise> noise;  ///< where it was estimated
};

/// The numbers of a law, and of the laws that it is made of, that are fitted: all but those that default to another one
/// of the same law.
[[nodiscard]] std::vector<std::string> fittable_parameters(const LawInfo& law);

/// Robust least squares (FT7). Fails for an unknown law or parameter, a law that needs a parameter that is no number,
/// fewer rows than parameters, a law that refuses every row, and noise by component together with offsets.
[[nodiscard]] Expected<LawFit> fit_law(std::string_view law, std::span<const ReducedImpact> rows,
                                       const FitOptions& options = {});

/// Relative errors in the mass norm of a law on rows (FT5); a row that is refused counts with P = 0.
[[nodiscard]] std::vector<double> errors_of(const Law& law, std::span<const ReducedImpact> rows);

/// The quantile q of a copy of the numbers, between neighbours linear.
[[nodiscard]] double quantile(std::vector<double> numbers, double q);

}  // namespace ricochet
