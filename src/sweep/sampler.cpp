#include "ricochet/sweep/sampler.hpp"

#include <utility>

#include "device_sweep.hpp"
#include "ricochet/batch/indexed_random.hpp"

namespace ricochet::sweep {
namespace {

/// A stream of its own for each dimension.
std::uint64_t seed_of(std::uint64_t seed, std::size_t dimension) { return IndexedRandom(seed, dimension).bits(); }

}  // namespace

Expected<Sampler> Sampler::make(const SweepSpec& spec, std::size_t copies) {
  Sampler out;
  out.axes_ = spec.axes;
  out.copies_ = copies;
  out.sampling_ = spec.sampling;
  out.seed_ = spec.seed;
  if (spec.sampling == Sampling::grid) {
    out.strides_.resize(spec.axes.size());
    std::uint64_t stride = 1;
    for (std::size_t k = spec.axes.size(); k-- > 0;) {
      out.strides_[k] = stride;
      stride *= spec.axes[k].points;
    }
    return out;
  }
  for (std::size_t d = 0; d < out.dimensions(); ++d) out.shifts_.push_back(seed_of(spec.seed, d));
  if (spec.sampling == Sampling::sobol) {
    Expected<Sobol> sobol = Sobol::make(out.dimensions());
    if (!sobol) return tl::unexpected(std::move(sobol.error()));
    out.sobol_ = *std::move(sobol);
  }
  return out;
}

double Sampler::at(std::uint64_t index, std::size_t dimension) const {
  const Axis& axis = axes_[dimension % axes_.size()];
  switch (sampling_) {
    case Sampling::grid: return axis.distribution.grid_point(index / strides_[dimension] % axis.points, axis.points);
    case Sampling::random:
      return axis.distribution.quantile(open_unit(IndexedRandom(shifts_[dimension], index).bits()));
    case Sampling::sobol: break;
  }
  return axis.distribution.quantile(open_unit(sobol_->bits(index, dimension) ^ shifts_[dimension]));
}

DeviceAxis Sampler::device_axis(std::size_t dimension) const {
  const Axis& axis = axes_[dimension % axes_.size()];
  DeviceAxis out;
  out.distribution = axis.distribution.numbers();
  out.distribution.values = nullptr;
  out.values = axis.distribution.values;
  switch (sampling_) {
    case Sampling::grid:
      out.stride = strides_[dimension];
      out.points = axis.points;
      break;
    case Sampling::random: out.offset = IndexedRandom::first_offset(shifts_[dimension]); break;
    case Sampling::sobol:
      out.offset = shifts_[dimension];
      // i ⊕ ⌊i/2⌋ is linear: bit b of i sets the digits b and b − 1 of the Gray code.
      for (std::size_t b = 0; b < Sobol::digits; ++b)
        out.steps.push_back(sobol_->bits(std::uint64_t{1} << b, dimension));
      break;
  }
  return out;
}

}  // namespace ricochet::sweep
