#pragma once
/// A fit as text and as a JSON document.

#include <fmt/format.h>

#include <string>

#include "ricochet/io/json.hpp"
#include "ricochet/law/fit.hpp"

namespace ricochet::app {

/// The range of the fit.
struct FitRange {
  double from = 0, to = 0;  ///< degrees
  int count = 0;
};

template <class Law>
[[nodiscard]] Json fit_json(const Fit<Law>& fit, const FitRange& range) {
  Json parameters = Json::object();
  for (const FittedParameter& p : fit.parameters)
    parameters[std::string(p.name)] = {
        {"value", to_json(p.value)}, {"low", to_json(p.low)}, {"high", to_json(p.high)}, {"at_bound", p.at_bound}};
  return {{"incidence_degrees", {range.from, range.to}},
          {"incidences", range.count},
          {"parameters", std::move(parameters)},
          {"rms", fit.rms},
          {"worst", fit.worst},
          {"residuals", fit.residuals},
          {"converged", fit.converged},
          {"agreeing", fit.agreeing},
          {"evaluations", fit.evaluations}};
}

/// One line for each fitted parameter.
template <class Law>
[[nodiscard]] std::string fit_csv(const Fit<Law>& fit) {
  std::string out = "parameter,value,low,high,at_bound,rms,worst,converged\n";
  for (const FittedParameter& p : fit.parameters)
    out += fmt::format("{},{},{},{},{},{},{},{}\n", p.name, p.value, p.low, p.high, p.at_bound, fit.rms, fit.worst,
                       fit.converged);
  return out;
}

template <class Law>
[[nodiscard]] std::string fit_text(const Fit<Law>& fit, const FitRange& range) {
  std::string out;
  for (const FittedParameter& p : fit.parameters)
    out += fmt::format("  {:<6} {:<10.5g} {:.4g} to {:.4g} within 1 % of the best residual{}\n", p.name, p.value, p.low,
                       p.high, p.at_bound ? "; at the end of its range" : "");
  out +=
      fmt::format("  residual {:.3g} rms, {:.3g} at worst: ‖ΔV⁺‖/‖V⁻‖ over {} incidences from {:g} to {:g} degrees\n",
                  fit.rms, fit.worst, range.count, range.from, range.to);
  if (!fit.converged)
    out += fmt::format(
        "  not converged: {} descents came to this residual, where two or more should; the parameters may not be the "
        "best\n",
        fit.agreeing);
  return out;
}

}  // namespace ricochet::app
