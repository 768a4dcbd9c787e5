#include "ricochet/fit/fit_json.hpp"

#include <algorithm>

namespace ricochet {
namespace {

Json estimates_json(const LawFit& fit) {
  Json out = Json::object();
  for (const EstimatedParameter& p : fit.parameters) out[p.name] = to_json(p.value);
  return out;
}

}  // namespace

Json flag_counts(std::span<const ReducedImpact> rows) {
  Json out = Json::object();
  for (const ReducedImpact::Flag& flag : ReducedImpact::flags)
    out[std::string(flag.name)] =
        std::count_if(rows.begin(), rows.end(), [&](const ReducedImpact& row) { return row.*flag.raised; });
  return out;
}

Json to_json(const LawFit& fit) {
  Json parameters = Json::array();
  for (const EstimatedParameter& p : fit.parameters) {
    Json one{{"name", p.name},
             {"value", to_json(p.value)},
             {"deviation", to_json(p.deviation)},
             {"interval", {to_json(p.low), to_json(p.high)}}};
    if (p.bootstrap_low) one["bootstrap_interval"] = {to_json(*p.bootstrap_low), to_json(*p.bootstrap_high)};
    one["at_bound"] = p.at_bound;
    one["identifiable"] = p.identifiable;
    if (!p.remark.empty()) one["remark"] = p.remark;
    parameters.push_back(std::move(one));
  }
  Json out{{"law", fit.law},           {"rows", fit.rows},           {"refused", fit.refused},
           {"outliers", fit.outliers}, {"converged", fit.converged}, {"median", fit.median},
           {"rms", fit.rms},           {"scale", fit.scale},         {"parameters", std::move(parameters)},
           {"solver", fit.report}};
  if (!fit.at_offset.empty()) {
    const OffsetSummary at = summarize_offsets(fit);
    out["offset"] = {{"deviation", to_json(fit.prior.deviation)},
                     {"noise", to_json(fit.prior.noise)},
                     {"rms", to_json(at.rms)},
                     {"errors", to_json(at.errors)}};
  }
  if (fit.noise) {
    out["noise"] = {{"normal", to_json(fit.noise->normal)}, {"tangential", to_json(fit.noise->tangential)}};
    if (fit.noise->spin > 0) out["noise"]["spin"] = to_json(fit.noise->spin);
  }
  return out;
}

Json to_json(const ReducedImpact& row) {
  Json out{{"row", row.measured.row}};
  out.update(to_json(row.contact));
  out["P"] = to_json(row.P);
  out["margins"] = to_json(row.margins);
  out["restitution"] = to_json(row.restitution);
  out["impulse_ratio"] = to_json(row.impulse_ratio);
  out["best_error"] = to_json(row.best_error);
  out["energy_ratio"] = to_json(row.energy_ratio);
  Json flags = Json::array();
  for (const ReducedImpact::Flag& flag : ReducedImpact::flags)
    if (row.*flag.raised) flags.push_back(flag.name);
  out["flags"] = std::move(flags);
  return out;
}

Json to_json(const ErrorSummary& summary) {
  return {{"median", summary.median},
          {"mean", summary.mean},
          {"p90", summary.p90},
          {"median_interval", {summary.median_low, summary.median_high}}};
}

Json to_json(const Ranking& ranking) {
  Json laws = Json::array();
  for (const LawScore& score : ranking.laws) {
    Json one{{"law", score.law}};
    if (score.refused) {
      one["error"] = to_json(*score.refused);
      laws.push_back(std::move(one));
      continue;
    }
    one.update(to_json(score.velocity));
    one["unscaled"] = to_json(score.unscaled);
    one["impulse"] = to_json(score.impulse);
    if (score.with_offset) one["with_offset"] = to_json(*score.with_offset);
    one["information_criterion"] = to_json(score.criterion);
    one["parameters"] = estimates_json(*score.fit);
    one["fit"] = to_json(*score.fit);
    laws.push_back(std::move(one));
  }
  Json regression = nullptr;
  if (ranking.regression) {
    regression = to_json(ranking.regression->velocity);
    regression["unscaled"] = to_json(ranking.regression->unscaled);
    regression["impulse"] = to_json(ranking.regression->impulse);
  }
  Json density = Json::array();
  for (int j = 0; j < RegionDensity::up; ++j) {
    Json row = Json::array();
    for (int i = 0; i < RegionDensity::across; ++i) row.push_back(ranking.density.at(i, j));
    density.push_back(std::move(row));
  }
  return {{"laws", std::move(laws)},
          {"rows", {{"trained", ranking.trained}, {"tested", ranking.tested}}},
          {"best_impulse", to_json(ranking.best_impulse)},
          {"regression", std::move(regression)},
          {"noise_floor", ranking.noise_floor ? to_json(*ranking.noise_floor) : Json(nullptr)},
          {"density", {{"count", std::move(density)}, {"outside", ranking.density.outside}}},
          {"measured",
           {{"mu", ranking.mu},
            {"permissible", ranking.permissible},
            {"restitution", {ranking.restitution_low, ranking.restitution_median, ranking.restitution_high}}}}};
}

}  // namespace ricochet
