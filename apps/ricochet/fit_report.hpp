#pragma once
/// A fit as text for people and as a document.

#include <fmt/format.h>

#include <string>

#include "ricochet/law/fit.hpp"
#include "to_json.hpp"

namespace ricochet::app {

/// What the fit was made over, for both.
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

template <class Law>
[[nodiscard]] std::string fit_text(const Fit<Law>& fit, const FitRange& range) {
  std::string out;
  for (const FittedParameter& p : fit.parameters)
    out += fmt::format("  {:<6} {:<10.5g} {:.4g} to {:.4g} do as well to 1 %{}\n", p.name, p.value, p.low, p.high,
                       p.at_bound ? "; at the end of its range" : "");
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
