#include "ricochet/sweep/sweep_json.hpp"

#include <cmath>
#include <utility>

#include "ricochet/io/collision_toml.hpp"
#include "ricochet/law/outcome.hpp"
#include "ricochet/space/certificate.hpp"
#include "ricochet/sweep/outputs.hpp"

namespace ricochet::sweep {
namespace {

using ricochet::to_json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Json to_json(const Axis& axis, Sampling sampling) {
  const Distribution& d = axis.distribution;
  Json out{{"field", axis.field}, {"distribution", name(d.kind)}};
  switch (d.kind) {
    case DistributionKind::uniform:
    case DistributionKind::log_uniform: out["range"] = {d.low, d.high}; break;
    case DistributionKind::normal:
      out["mean"] = d.mean;
      out["deviation"] = d.deviation;
      break;
    case DistributionKind::values:
      for (const double x : d.values) out["values"].push_back(to_json(x));
      break;
  }
  if (sampling == Sampling::grid) out["points"] = axis.points;
  return out;
}

Json moments_json(const Moments& m) {
  Json out{{"count", m.count}};
  if (m.infinite > 0) out["infinite"] = m.infinite;
  if (m.count == 0) return out;
  out["mean"] = to_json(m.mean);
  out["variance"] = to_json(m.variance());
  out["deviation"] = to_json(std::sqrt(m.variance()));
  out["min"] = to_json(m.least);
  out["min_at"] = m.least_at;
  out["max"] = to_json(m.greatest);
  out["max_at"] = m.greatest_at;
  return out;
}

Json law_json(const Sweep& sweep, std::size_t place, const LawStatistics& law) {
  const SweepSpec& spec = sweep.spec();
  Json refused = Json::object(), modes = Json::object(), violated = Json::object(), outputs = Json::object();
  for (std::size_t k = 0; k < law.refused.size(); ++k)
    if (law.refused[k] > 0) refused[std::string(name(static_cast<ErrorCode>(k)))] = law.refused[k];
  for (std::size_t k = 0; k < law.modes.size(); ++k)
    if (law.modes[k] > 0) modes[std::string(name(static_cast<Mode>(k)))] = law.modes[k];
  for (const Condition c : conditions)
    if (const std::uint64_t n = law.violated[static_cast<std::size_t>(c)]; n > 0) violated[std::string(name(c))] = n;
  for (std::size_t k = 0; k < spec.outputs.size(); ++k) {
    const OutputStatistics& output = law.outputs[k];
    Json one = moments_json(output.moments);
    const Bins& bins = sweep.bins()[place][k];
    one["histogram"] = {{"low", bins.low},
                        {"high", bins.high},
                        {"below", output.histogram.below},
                        {"above", output.histogram.above},
                        {"counts", output.histogram.counts}};
    if (spec.indices) {
      Json axes = Json::array();
      for (std::size_t a = 0; a < spec.axes.size(); ++a) {
        const SensitivityIndex index = sensitivity_index(output.indices, a);
        axes.push_back({{"field", spec.axes[a].field},
                        {"first", to_json(index.first)},
                        {"first_error", to_json(index.first_error)},
                        {"total", to_json(index.total)},
                        {"total_error", to_json(index.total_error)}});
      }
      one["indices"] = {{"samples", output.indices.both.count / 2}, {"axes", std::move(axes)}};
    }
    outputs[std::string(output_names[spec.outputs[k]])] = std::move(one);
  }
  return {{"law", spec.laws[place]},        {"answered", law.answered},        {"refused", std::move(refused)},
          {"permissible", law.permissible}, {"violated", std::move(violated)}, {"modes", std::move(modes)},
          {"outputs", std::move(outputs)}};
}

/// What is kept is kept as a list, shorter than an object.
Json kept(const Moments& m) {
  return Json::array({m.count, m.infinite, to_json(m.mean), to_json(m.squares), to_json(m.least), to_json(m.greatest),
                      m.least_at, m.greatest_at});
}
Json kept(const std::vector<Moments>& list) {
  Json out = Json::array();
  for (const Moments& m : list) out.push_back(kept(m));
  return out;
}
Json kept(const LawStatistics& law) {
  Json outputs = Json::array();
  for (const OutputStatistics& o : law.outputs)
    outputs.push_back({{"moments", kept(o.moments)},
                       {"below", o.histogram.below},
                       {"above", o.histogram.above},
                       {"counts", o.histogram.counts},
                       {"both", kept(o.indices.both)},
                       {"first", kept(o.indices.first)},
                       {"total", kept(o.indices.total)}});
  return {{"answered", law.answered}, {"permissible", law.permissible}, {"refused", law.refused},
          {"modes", law.modes},       {"violated", law.violated},       {"outputs", std::move(outputs)}};
}

/// Reads what `kept` wrote; once something is not so, all that follows is not read.
class KeptReader {
 public:
  [[nodiscard]] bool good() const { return good_; }

  const Json& at(const Json& json, const char* key) {
    static const Json null;
    good_ = good_ && json.is_object() && json.contains(key);
    return good_ ? json[key] : null;
  }
  void read(const Json& json, std::uint64_t& out) {
    good_ = good_ && json.is_number_unsigned();
    if (good_) out = json.get<std::uint64_t>();
  }
  void read(const Json& json, double& out) {
    if (json.is_string()) {
      const std::string word = json.get<std::string>();
      good_ = good_ && (word == "inf" || word == "-inf" || word == "nan");
      out = word == "nan" ? nan : word == "inf" ? infinity : -infinity;
      return;
    }
    good_ = good_ && json.is_number();
    if (good_) out = json.get<double>();
  }
  void read(const Json& json, Moments& m) {
    good_ = good_ && json.is_array() && json.size() == 8;
    if (!good_) return;
    read(json[0], m.count);
    read(json[1], m.infinite);
    read(json[2], m.mean);
    read(json[3], m.squares);
    read(json[4], m.least);
    read(json[5], m.greatest);
    read(json[6], m.least_at);
    read(json[7], m.greatest_at);
  }
  /// A list as long as the one that is there.
  template <class List>
  void read_list(const Json& json, List& out) {
    good_ = good_ && json.is_array() && json.size() == out.size();
    for (std::size_t k = 0; good_ && k < out.size(); ++k) read(json[k], out[k]);
  }
  void read(const Json& json, OutputStatistics& o) {
    read(at(json, "moments"), o.moments);
    read(at(json, "below"), o.histogram.below);
    read(at(json, "above"), o.histogram.above);
    read_list(at(json, "counts"), o.histogram.counts);
    read(at(json, "both"), o.indices.both);
    read_list(at(json, "first"), o.indices.first);
    read_list(at(json, "total"), o.indices.total);
  }
  void read(const Json& json, LawStatistics& law) {
    read(at(json, "answered"), law.answered);
    read(at(json, "permissible"), law.permissible);
    read_list(at(json, "refused"), law.refused);
    read_list(at(json, "modes"), law.modes);
    read_list(at(json, "violated"), law.violated);
    read_list(at(json, "outputs"), law.outputs);
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  bool good_ = true;
};

}  // namespace

Json to_json(const SweepSpec& spec) {
  Json out = Json::object();
  if (!spec.title.empty()) out["title"] = spec.title;
  out["laws"] = spec.laws;
  out["sampling"] = name(spec.sampling);
  out["samples"] = spec.count;
  if (spec.sampling != Sampling::grid) out["seed"] = spec.seed;
  out["indices"] = spec.indices;
  out["columns"] = name(spec.columns);
  for (const HistogramSpec& h : spec.histograms) {
    Json one{{"output", output_names[h.output]}, {"bins", h.bins}};
    if (h.range) one["range"] = {h.range->first, h.range->second};
    out["histograms"].push_back(std::move(one));
  }
  for (const Axis& axis : spec.axes) out["axes"].push_back(to_json(axis, spec.sampling));
  out["base"] = write_toml(spec.base);
  return out;
}

Json to_json(const Sweep& sweep, const Statistics& total) {
  Json laws = Json::array();
  for (std::size_t k = 0; k < total.laws.size(); ++k) laws.push_back(law_json(sweep, k, total.laws[k]));
  return {{"collisions", sweep.spec().count * sweep.collisions_of_sample() * sweep.spec().laws.size()},
          {"laws", std::move(laws)}};
}

Json tree_json(const Tree& tree) {
  Json out = Json::array();
  for (const auto& [first, node] : tree.nodes()) {
    Json laws = Json::array();
    for (const LawStatistics& law : node.result.laws) laws.push_back(kept(law));
    out.push_back({{"first", first}, {"level", node.level}, {"laws", std::move(laws)}});
  }
  return out;
}

Expected<Tree> tree_from_json(const Sweep& sweep, const Json& json) {
  Tree out;
  KeptReader reader;
  const auto wrong = [] {
    return fail(ErrorCode::malformed, "", "", "the statistics that it keeps are not those of this sweep");
  };
  if (!json.is_array()) return wrong();
  std::uint64_t end = 0;
  for (const Json& one : json) {
    std::uint64_t first = 0, level = 0;
    Tree::Node node{0, sweep.nothing()};
    reader.read(reader.at(one, "first"), first);
    reader.read(reader.at(one, "level"), level);
    reader.read_list(reader.at(one, "laws"), node.result.laws);
    if (!reader.good() || level > 60 || first < end || first % (std::uint64_t{1} << level) != 0) return wrong();
    end = first + (std::uint64_t{1} << level);
    if (end > sweep.blocks()) return wrong();
    node.level = static_cast<unsigned>(level);
    out.add(first, std::move(node));
  }
  return out;
}

SensitivityIndex sensitivity_index(const IndexTerms& terms, std::size_t axis) {
  const double variance = terms.both.variance();
  const Moments &first = terms.first[axis], &total = terms.total[axis];
  if (!(variance > 0)) return {nan, nan, nan, nan};
  const double root = std::sqrt(static_cast<double>(first.count));
  return {first.mean / variance, std::sqrt(first.variance()) / root / variance, total.mean / variance,
          std::sqrt(total.variance()) / root / variance};
}

}  // namespace ricochet::sweep
