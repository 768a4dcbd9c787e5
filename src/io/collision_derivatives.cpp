#include "ricochet/io/collision_derivatives.hpp"

#include <cmath>

namespace ricochet {
namespace {

Json number_or_null(double x) { return std::isnan(x) ? Json(nullptr) : to_json(x); }

template <class Row>
Json row_json(const Row& row) {
  Json out = Json::array();
  for (int j = 0; j < row.cols(); ++j) out.push_back(number_or_null(row(0, j)));
  return out;
}

/// Of a number a list of components, of a vector or matrix a list of rows.
template <class Block>
Json block_json(const Block& block, bool number) {
  Json out = Json::array();
  for (int i = 0; i < block.rows(); ++i) out.push_back(number ? number_or_null(block(i, 0)) : row_json(block.row(i)));
  return out;
}

void add_changes(const Derivatives& d, Json& out) {
  if (const ModeChange* nearest = d.nearest())
    out["mode_change"] = {{"what", nearest->what}, {"distance", to_json(nearest->distance)}};
}

Json side_json(const DifferentiatedOutcome& side) {
  Json out;
  if (side.kink.empty()) {
    out["derivatives"] = to_json(side.derivatives);
    if (side.projected) out["projected"] = true;
  } else {
    out["derivatives"] = nullptr;
    out["kink"] = side.kink;
  }
  return out;
}

Json spread_json(const OutcomeSpread& spread, bool with_mean) {
  const auto vector = [](const auto& seven, int first) {
    return Json::array({to_json(seven(first)), to_json(seven(first + 1)), to_json(seven(first + 2))});
  };
  Json out;
  const Eigen::Matrix<double, 7, 1> deviation = spread.covariance.diagonal().cwiseSqrt();
  if (with_mean)
    out["mean"] = {
        {"P", vector(spread.mean, 0)}, {"V", vector(spread.mean, 3)}, {"energy_change", to_json(spread.mean(6))}};
  out["deviation"] = {
      {"P", vector(deviation, 0)}, {"V", vector(deviation, 3)}, {"energy_change", to_json(deviation(6))}};
  return out;
}

Json uncertainty_json(const UncertainOutcome& u, const std::vector<InputDeviation>& deviations) {
  Json out;
  for (const InputDeviation& one : deviations)
    out["inputs"][one.name] = one.sigma.size() == 1 ? Json(one.sigma[0]) : Json(one.sigma);
  if (u.kink.empty()) {
    out["first_order"] = spread_json(u.first_order, false);
    Json rows = Json::array();
    for (int i = 0; i < 7; ++i) rows.push_back(row_json(u.first_order.covariance.row(i)));
    out["first_order"]["covariance"] = rows;
  } else {
    out["first_order"] = nullptr;
    out["kink"] = u.kink;
  }
  out["monte_carlo"] = spread_json(u.sampled, true);
  out["monte_carlo"]["samples"] = u.samples;
  out["monte_carlo"]["redrawn"] = u.redrawn;
  Json nearby = Json::array();
  for (const NearbyChange& one : u.nearby) nearby.push_back({{"what", one.what}, {"sigmas", to_json(one.sigmas)}});
  out["kinks_within_two_sigma"] = nearby;
  return out;
}

}  // namespace

Json to_json(const Derivatives& d) {
  Json P = Json::object(), V = Json::object(), energy = Json::object();
  for (int i = 0; i < d.inputs; ++i) {
    const DerivativeInput& input = d.input[static_cast<std::size_t>(i)];
    const std::string name(input.name);
    const bool number = input.count == 1;
    P[name] = block_json(d.P(input), number);
    V[name] = block_json(d.V(input), number);
    energy[name] = number ? number_or_null(d.energy_change(input)(0, 0)) : row_json(d.energy_change(input));
  }
  return {{"P", P}, {"V", V}, {"energy_change", energy}};
}

Json to_json(const DerivativeAnswer& answer) {
  Json out = Json::object();
  if (const auto& asked = answer.derivatives) {
    if (*asked) {
      const DifferentiatedOutcome& one = **asked;
      out.update(side_json(one));
      add_changes(one.derivatives, out);
    } else {
      out["derivatives"] = nullptr;
      out["derivatives_error"] = to_json(asked->error());
    }
  }
  if (const auto& asked = answer.one_sided) {
    if (*asked) {
      out["one_sided"] = {
          {"what", (*asked)->what}, {"below", side_json((*asked)->below)}, {"above", side_json((*asked)->above)}};
    } else {
      out["one_sided"] = nullptr;
      out["one_sided_error"] = to_json(asked->error());
    }
  }
  if (const auto& asked = answer.uncertain) {
    if (*asked) {
      out["uncertainty"] = uncertainty_json(**asked, answer.deviations);
    } else {
      out["uncertainty"] = nullptr;
      out["uncertainty_error"] = to_json(asked->error());
    }
  }
  return out;
}

}  // namespace ricochet
