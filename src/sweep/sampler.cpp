#include "ricochet/sweep/sampler.hpp"

#include <utility>

#include "ricochet/batch/indexed_random.hpp"

namespace ricochet::sweep {
namespace {

/// The middle of one of 2^52 parts of (0, 1), so that neither end is met.                               (SW1)
double open_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52; }

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

}  // namespace ricochet::sweep
