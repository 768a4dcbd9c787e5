#include "ricochet/sweep/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "batch/packs.hpp"
#include "device_sweep.hpp"
#include "ricochet/batch/answer_kernel.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/threads.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"
#include "ricochet/law/parameter_slots.hpp"
#include "ricochet/sweep/inputs.hpp"
#include "ricochet/sweep/outputs.hpp"

namespace ricochet::sweep {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Columns = std::vector<std::vector<double>>;

/// Of a normal that is not yet of unit length.
void put_outputs(const AnswerNumbers& answer, const Vec3& n, Columns& outputs, std::size_t i) {
  const Vec3 unit = n.normalized();
  for (std::size_t k = 0; k < all_outputs; ++k) outputs[k][i] = output(k, answer, unit);
}

}  // namespace

/// Of one law, for all samples of a block.
struct Sweep::Answers {
  explicit Answers(std::size_t count)
      : outputs(all_outputs, std::vector<double>(count, nan)),
        status(count),
        mode(count, no_answer),
        permissible(count),
        violated(count) {}

  Columns outputs;  ///< NaN without an answer
  std::vector<std::uint8_t> status, mode, permissible, violated;

  /// Adds sample i to what is counted of all.
  void count(std::size_t i, LawStatistics& law) const {
    if (status[i] != 0) {
      ++law.refused[status[i] - static_cast<unsigned>(status_of(ErrorCode{}))];
      return;
    }
    ++law.answered;
    law.permissible += permissible[i];
    ++law.modes[mode[i]];
    for (std::size_t c = 0; c < law.violated.size(); ++c) law.violated[c] += (violated[i] >> c) & 1U;
  }
};

Expected<Sweep> Sweep::make(SweepSpec spec) {
  const std::size_t copies = spec.indices ? 2 : 1;
  Expected<Sampler> sampler = Sampler::make(spec, copies);
  if (!sampler) return tl::unexpected(std::move(sampler.error()));
  Sweep out(std::move(spec), *std::move(sampler));
  for (const Axis& axis : out.spec_.axes) {
    Expected<Field> field = Field::find(axis.field, out.spec_.base);
    if (!field) return tl::unexpected(std::move(field.error()));
    out.fields_.push_back(*field);
  }
  if (const auto fine = out.pilot(); !fine) return tl::unexpected(fine.error());
  return out;
}

Expected<Sweep::Answers> Sweep::answers(const std::string& law_name, const Columns& columns) const {
  const std::size_t count = columns.front().size();
  Answers out(count);
  Inputs inputs(spec_.base);
  const auto refuse = [&](std::size_t i, ErrorCode code) {
    out.status[i] = static_cast<std::uint8_t>(status_of(code));
  };
  const auto set = [&](std::size_t i) {
    for (std::size_t k = 0; k < fields_.size(); ++k) fields_[k].set(inputs, columns[k][i]);
  };
  if (!runs_in_packs(law_name)) {
    const bool same_law =
        std::none_of(fields_.begin(), fields_.end(), [](const Field& field) { return field.is_parameter(); });
    std::optional<Expected<Law>> law;
    for (std::size_t i = 0; i < count; ++i) {
      set(i);
      if (!law || !same_law) law = make_law(law_name, inputs.parameters);
      if (!*law) {
        // A parameter that is missing is missing from all.
        if (law->error().code == ErrorCode::missing) return tl::unexpected(law->error());
        refuse(i, law->error().code);
        continue;
      }
      const Expected<Contact> contact = inputs.contact();
      const Expected<Outcome> o =
          contact ? collide(**law, *contact) : Expected<Outcome>(tl::unexpected(contact.error()));
      if (!o) {
        refuse(i, o.error().code);
        continue;
      }
      put_outputs({o->P, o->V, o->energy_change, o->normal_work, o->friction_work, o->certificate.margins}, contact->n,
                  out.outputs, i);
      out.mode[i] = static_cast<std::uint8_t>(o->mode);
      out.permissible[i] = o->certificate.permissible ? 1 : 0;
      for (const Condition c : conditions)
        if (o->certificate.violated.contains(c)) out.violated[i] |= 1U << static_cast<unsigned>(c);
    }
    return out;
  }

  Columns given(15, std::vector<double>(count)), found(13, std::vector<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    set(i);
    Mat3 A = inputs.A;
    Vec3 V = inputs.V;
    if (inputs.by_bodies) {
      const Expected<Contact> contact = inputs.contact();
      if (contact) {
        A = contact->W;
        V = contact->V;
      } else {
        refuse(i, contact.error().code);  // the law is asked about the base in its place, and its answer not taken
      }
    }
    for (std::size_t k = 0; k < 9; ++k)
      given[k][i] = A(static_cast<Eigen::Index>(k / 3), static_cast<Eigen::Index>(k % 3));
    for (std::size_t k = 0; k < 3; ++k) {
      given[9 + k][i] = V(static_cast<Eigen::Index>(k));
      given[12 + k][i] = inputs.n(static_cast<Eigen::Index>(k));
    }
  }
  const auto input = [](const std::vector<double>& column) { return Column<const double>{column.data(), 1}; };
  const auto output = [](auto& column) { return Column<std::decay_t<decltype(column[0])>>{column.data(), 1}; };
  ContactColumns<double> contacts;
  contacts.count = count;
  contacts.mass_given = inputs.mass_given && !inputs.by_bodies;
  for (std::size_t k = 0; k < 9; ++k) contacts.matrix[k] = input(given[k]);
  for (std::size_t k = 0; k < 3; ++k) {
    contacts.V[k] = input(given[9 + k]);
    contacts.n[k] = input(given[12 + k]);
  }
  LawColumns<double> law{law_name, spec_.base.settings, {}, {}};
  for (std::size_t k = 0; k < fields_.size(); ++k)
    if (fields_[k].is_parameter() && !fields_[k].is_vector_parameter())
      law.numbers.push_back({fields_[k].parameter(), input(columns[k])});
  std::vector<std::uint8_t> status(count);
  OutcomeColumns<double> outcomes;
  for (std::size_t k = 0; k < 3; ++k) {
    outcomes.P[k] = output(found[k]);
    outcomes.V[k] = output(found[3 + k]);
  }
  outcomes.energy_change = output(found[6]);
  outcomes.normal_work = output(found[7]);
  outcomes.friction_work = output(found[8]);
  for (std::size_t k = 0; k < 4; ++k) outcomes.margins[k] = output(found[9 + k]);
  outcomes.permissible = output(out.permissible);
  outcomes.violated = output(out.violated);
  outcomes.mode = output(out.mode);
  outcomes.status = output(status);
  const auto done = collide_batch(law, contacts, outcomes, {.threads = 1, .width = {}});
  if (!done) return tl::unexpected(done.error());
  for (std::size_t i = 0; i < count; ++i) {
    if (out.status[i] == 0) out.status[i] = status[i];
    if (out.status[i] != 0) {
      out.mode[i] = no_answer;
      out.permissible[i] = out.violated[i] = 0;
      continue;
    }
    put_outputs({{found[0][i], found[1][i], found[2][i]},
                 {found[3][i], found[4][i], found[5][i]},
                 found[6][i],
                 found[7][i],
                 found[8][i],
                 {found[9][i], found[10][i], found[11][i], found[12][i]}},
                {given[12][i], given[13][i], given[14][i]}, out.outputs, i);
  }
  return out;
}

Expected<void> Sweep::pilot() {
  const std::uint64_t count = std::min(pilot_size, spec_.count);
  Columns columns(spec_.axes.size(), std::vector<double>(count));
  std::vector<std::uint64_t> index(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    // i · spec_.count may exceed 64 bits.
    index[i] = spec_.count / count * i + spec_.count % count * i / count;
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k][i] = sampler_.at(index[i], k);
  }
  for (const std::string& law : spec_.laws) {
    const Expected<Answers> found = answers(law, columns);
    if (!found) return tl::unexpected(found.error());
    std::vector<Bins> bins;
    std::vector<double> centres;
    for (const HistogramSpec& histogram : spec_.histograms) {
      const Moments m = moments(found->outputs[histogram.output], index);
      Bins one{0, 1, histogram.bins};
      if (histogram.range) {
        std::tie(one.low, one.high) = *histogram.range;
      } else if (m.count > 0) {
        // A tenth more on either side, for what the pilot did not meet; something around a single number.
        const double width = m.greatest - m.least;
        const double margin = width > 0 ? width / 10 : std::max(std::abs(m.least), 1.0) / 2;
        one.low = m.least - margin;
        one.high = m.greatest + margin;
      }
      bins.push_back(one);
      centres.push_back(m.mean);
    }
    bins_.push_back(std::move(bins));
    centres_.push_back(std::move(centres));
  }
  return {};
}

Statistics Sweep::nothing() const {
  Statistics out;
  for (const std::vector<Bins>& bins : bins_) {
    LawStatistics law;
    for (const Bins& one : bins) {
      OutputStatistics output;
      output.histogram.counts.resize(one.count);
      if (spec_.indices) {
        output.indices.first.resize(spec_.axes.size());
        output.indices.total.resize(spec_.axes.size());
      }
      law.outputs.push_back(std::move(output));
    }
    out.laws.push_back(std::move(law));
  }
  return out;
}

std::vector<std::string> Sweep::column_names() const {
  std::vector<std::string> out{"index"};
  if (spec_.indices) out.emplace_back("part");
  for (const Axis& axis : spec_.axes) out.push_back("input/" + axis.field);
  for (const std::string& law : spec_.laws) {
    for (const std::size_t k : spec_.outputs) out.push_back(law + "/" + std::string(output_names[k]));
    for (const char* last : {"permissible", "mode", "status"}) out.push_back(law + "/" + last);
  }
  return out;
}

BlockResult Sweep::evaluate(std::uint64_t block) const {
  BlockResult out{nothing(), {}};
  const std::uint64_t first = block * block_size;
  const auto count = static_cast<std::size_t>(std::min(block_size, spec_.count - first));
  const std::size_t axes = spec_.axes.size(), parts = collisions_of_sample();
  Columns drawn(sampler_.dimensions(), std::vector<double>(count));
  for (std::size_t d = 0; d < drawn.size(); ++d)
    for (std::size_t i = 0; i < count; ++i) drawn[d][i] = sampler_.at(first + i, d);
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), first);
  const std::size_t width = spec_.columns == ColumnFormat::none ? 0 : column_names().size();
  out.rows.resize(width * count * parts);

  // Part 0 is A, part 1 is B, part 2 + k is A with axis k of B.
  for (std::size_t l = 0; l < spec_.laws.size(); ++l) {
    LawStatistics& law = out.statistics.laws[l];
    std::vector<Answers> kept;  // of A and B
    std::vector<bool> complete(count, true);
    Columns of_axes(spec_.indices ? axes * spec_.outputs.size() : 0);
    for (std::size_t part = 0; part < parts; ++part) {
      Columns columns(drawn.begin() + static_cast<std::ptrdiff_t>(part == 1 ? axes : 0),
                      drawn.begin() + static_cast<std::ptrdiff_t>(part == 1 ? 2 * axes : axes));
      if (part > 1) columns[part - 2] = drawn[axes + part - 2];
      // Nothing fails that the pilot has passed.
      Answers found = answers(spec_.laws[l], columns).value();
      for (std::size_t i = 0; i < count; ++i) complete[i] = complete[i] && found.status[i] == 0;
      if (width > 0) {
        const std::size_t own = spec_.outputs.size() + 3, before = width - own * (spec_.laws.size() - l);
        for (std::size_t i = 0; i < count; ++i) {
          double* row = out.rows.data() + (i * parts + part) * width;
          row[0] = static_cast<double>(first + i);
          if (spec_.indices) row[1] = static_cast<double>(part);
          for (std::size_t k = 0; k < axes; ++k) row[(spec_.indices ? 2 : 1) + k] = columns[k][i];
          row += before;
          for (std::size_t k = 0; k < spec_.outputs.size(); ++k) row[k] = found.outputs[spec_.outputs[k]][i];
          row += spec_.outputs.size();
          row[0] = found.permissible[i];
          row[1] = found.mode[i];
          row[2] = found.status[i];
        }
      }
      if (part < 2) {
        for (std::size_t i = 0; i < count; ++i) found.count(i, law);
        for (std::size_t k = 0; k < spec_.outputs.size(); ++k) {
          const std::vector<double>& numbers = found.outputs[spec_.outputs[k]];
          law.outputs[k].moments.merge(moments_of_block(numbers, first, centres_[l][k]));
          for (const double x : numbers) law.outputs[k].histogram.add(bins_[l][k], x);
        }
        kept.push_back(std::move(found));
      } else {
        for (std::size_t k = 0; k < spec_.outputs.size(); ++k)
          of_axes[(part - 2) * spec_.outputs.size() + k] = std::move(found.outputs[spec_.outputs[k]]);
      }
    }
    if (!spec_.indices) continue;
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k) {
      IndexTerms& terms = law.outputs[k].indices;
      const std::vector<double>&f_A = kept[0].outputs[spec_.outputs[k]], &f_B = kept[1].outputs[spec_.outputs[k]];
      for (const auto* f : {&f_A, &f_B}) {
        std::vector<double> numbers = *f;
        for (std::size_t i = 0; i < count; ++i)
          if (!complete[i]) numbers[i] = nan;
        terms.both.merge(moments(numbers, index));
      }
      for (std::size_t a = 0; a < axes; ++a) {
        const std::vector<double>& f_AB = of_axes[a * spec_.outputs.size() + k];
        std::vector<double> of_first(count, nan), of_total(count, nan);
        for (std::size_t i = 0; i < count; ++i) {
          if (!complete[i]) continue;
          of_first[i] = (f_B[i] - centres_[l][k]) * (f_AB[i] - f_A[i]);
          of_total[i] = 0.5 * (f_A[i] - f_AB[i]) * (f_A[i] - f_AB[i]);
        }
        terms.first[a].merge(moments(of_first, index));
        terms.total[a].merge(moments(of_total, index));
      }
    }
  }
  return out;
}

std::vector<BlockResult> Sweep::evaluate(std::uint64_t first, std::uint64_t last, unsigned threads) const {
  std::vector<BlockResult> out(last - first);
  in_ranges(out.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = evaluate(first + i);
  });
  return out;
}

// ---- on a device
// -----------------------------------------------------------------------------------------------------

Expected<void> Sweep::check_device() const {
  if (const auto there = cuda_device(); !there) return tl::unexpected(there.error());
  const auto not_served = [](std::string value, const char* why) {
    return fail(ErrorCode::unavailable, "device", std::move(value), why);
  };
  for (const std::string& law : spec_.laws)
    if (!runs_in_packs(law)) return not_served(law, "a law with a closed form is needed");
  if (spec_.columns != ColumnFormat::none) return not_served("columns", "it keeps statistics only");
  if (spec_.indices) return not_served("indices", "it has no sensitivity indices");
  if (spec_.base.bodies) return not_served("body", "a contact given by its matrix is needed");
  if (spec_.axes.size() > most_device_axes)
    return not_served(std::to_string(spec_.axes.size()), "at most 12 axes are served");
  for (std::size_t k = 0; k < fields_.size(); ++k)
    if (fields_[k].is_vector_parameter() || spec_.axes[k].field.starts_with("spin"))
      return not_served(spec_.axes[k].field, "axes of the matrix, V, n and numbers of the law are served");
  std::size_t bins = 0;
  for (const Bins& one : bins_.front()) bins = std::max<std::size_t>(bins, one.count);
  if (bins > most_device_bins / 6) return not_served(std::to_string(bins), "at most 2000 bins are served");
  return {};
}

DeviceSpec Sweep::device_spec(std::size_t law) const {
  const LawInfo& info = *find_law(spec_.laws[law]);
  DeviceSpec out;
  out.law = *batch_detail::pack_law(info.name);
  out.count = spec_.count;
  out.outputs.assign(spec_.outputs.begin(), spec_.outputs.end());
  out.bins = bins_[law];
  out.centres = centres_[law];
  for (std::size_t a = 0; a < spec_.axes.size(); ++a) out.axes.push_back(sampler_.device_axis(a));
  out.sampling = spec_.sampling == Sampling::grid     ? DeviceSampling::grid
                 : spec_.sampling == Sampling::random ? DeviceSampling::random
                                                      : DeviceSampling::sobol;
  // Which inputs an axis sets is seen by setting them.
  const auto numbers_of = [](const Inputs& inputs) {
    std::array<double, 15> numbers{};
    for (std::size_t k = 0; k < 9; ++k)
      numbers[k] = inputs.A(static_cast<Eigen::Index>(k / 3), static_cast<Eigen::Index>(k % 3));
    for (std::size_t k = 0; k < 3; ++k) {
      numbers[9 + k] = inputs.V(static_cast<Eigen::Index>(k));
      numbers[12 + k] = inputs.n(static_cast<Eigen::Index>(k));
    }
    return numbers;
  };
  const Inputs base(spec_.base);
  out.mass_given = base.mass_given;
  out.axis_of.fill(-1);
  const std::array<double, 15> given = numbers_of(base);
  std::copy(given.begin(), given.end(), out.base.begin());
  for (std::size_t a = 0; a < fields_.size(); ++a) {
    if (fields_[a].is_parameter()) continue;
    Inputs marked = base;
    fields_[a].set(marked, nan);
    const std::array<double, 15> numbers = numbers_of(marked);
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (std::isnan(numbers[k])) out.axis_of[k] = static_cast<int>(a);
  }
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    const ParameterInfo& parameter = info.parameters[k];
    out.bounds[k] = parameter.bounds;
    // Other distributions have no number that the law does not admit.
    for (std::size_t a = 0; a < fields_.size(); ++a)
      out.may_leave_bounds = out.may_leave_bounds ||
                             (fields_[a].is_parameter() && spec_.axes[a].distribution.kind == DistributionKind::normal);
    const auto take = [&](std::string_view name) {
      for (std::size_t a = 0; a < fields_.size(); ++a)
        if (fields_[a].is_parameter() && fields_[a].parameter() == name) {
          out.axis_of[15 + k] = static_cast<int>(a);
          return true;
        }
      const std::optional<double>& same = spec_.base.settings.*slot_of(number_slots, name);
      if (same) out.base[15 + k] = *same;
      return same.has_value();
    };
    if (take(parameter.name)) continue;
    if (parameter.default_value.kind == ParameterDefault::Kind::parameter && take(parameter.default_value.text))
      continue;
    out.base[15 + k] = parameter.default_value.number;
  }
  return out;
}

Expected<std::vector<std::uint64_t>> Sweep::decide(std::size_t law, const std::vector<std::uint64_t>& open,
                                                   LawStatistics& to) const {
  std::vector<std::uint64_t> blocks;
  if (open.empty()) return blocks;
  Columns columns(spec_.axes.size(), std::vector<double>(open.size()));
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (std::size_t i = 0; i < open.size(); ++i) columns[k][i] = sampler_.at(open[i], k);
  const Expected<Answers> found = answers(spec_.laws[law], columns);
  if (!found) return tl::unexpected(found.error());
  for (std::size_t i = 0; i < open.size(); ++i) {
    found->count(i, to);
    if (found->status[i] != 0) continue;
    blocks.push_back(open[i] / block_size);
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k)
      to.outputs[k].histogram.add(bins_[law][k], found->outputs[spec_.outputs[k]][i]);
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

Expected<Statistics> Sweep::evaluate_on_device(std::uint64_t first, unsigned level) const {
  Statistics out = nothing();
  for (std::size_t l = 0; l < spec_.laws.size(); ++l) {
    Expected<DeviceNode> node = DeviceNode::compute(device_spec(l), first, level);
    if (!node) return tl::unexpected(node.error());
    const DeviceCounts& counts = node->counts();
    if (counts.too_many_open) {
      // Matrices that only eigenvalues judge are so frequent that the processor takes the whole.
      MergeTree<Statistics> tree;
      constexpr std::uint64_t piece = 256;
      const std::uint64_t last = first + (std::uint64_t{1} << level);
      for (std::uint64_t begin = first; begin < last; begin += piece) {
        std::uint64_t block = begin;
        for (BlockResult& result : evaluate(begin, std::min(last, begin + piece), 0))
          tree.add(block++, std::move(result.statistics));
      }
      return tree.total(nothing());
    }
    LawStatistics& law = out.laws[l];
    for (std::size_t code = 0; code < counts.answered.size(); ++code) {
      const std::uint64_t n = counts.answered[code];
      law.answered += n;
      law.modes[code / 16] += n;
      if (code % 16 == 0) law.permissible += n;
      for (std::size_t c = 0; c < law.violated.size(); ++c)
        if ((code >> c & 1U) != 0) law.violated[c] += n;
    }
    law.refused = counts.refused;
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k) {
      const std::vector<std::uint64_t>& bins = counts.bins[k];
      Histogram& histogram = law.outputs[k].histogram;
      histogram.below = bins.front();
      histogram.above = bins.back();
      histogram.counts.assign(bins.begin() + 1, bins.end() - 1);
    }
    const auto blocks = decide(l, counts.open, law);
    if (!blocks) return tl::unexpected(blocks.error());
    for (const std::uint64_t block : *blocks) {
      const BlockResult whole = evaluate(block);
      std::vector<Moments> moments;
      for (const OutputStatistics& output : whole.statistics.laws[l].outputs) moments.push_back(output.moments);
      if (const auto done = node->replace(block, moments); !done) return tl::unexpected(done.error());
    }
    const auto merged = node->merge();
    if (!merged) return tl::unexpected(merged.error());
    for (std::size_t k = 0; k < merged->size(); ++k) law.outputs[k].moments = (*merged)[k];
  }
  return out;
}

}  // namespace ricochet::sweep
