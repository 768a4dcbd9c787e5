#pragma once
/// Samples of a sweep by their index alone (docs/sweep.md).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ricochet/sweep/sobol.hpp"
#include "ricochet/sweep/spec.hpp"

namespace ricochet::sweep {

struct DeviceAxis;

class Sampler {
 public:
  /// `copies` of all axes, independent of each other. Fails where Sobol's sequence cannot be had.
  [[nodiscard]] static Expected<Sampler> make(const SweepSpec& spec, std::size_t copies);

  /// Axes times copies.
  [[nodiscard]] std::size_t dimensions() const { return axes_.size() * copies_; }
  /// Number of the dimension in sample `index`.
  [[nodiscard]] double at(std::uint64_t index, std::size_t dimension) const;
  /// The same for a kernel on a device.
  [[nodiscard]] DeviceAxis device_axis(std::size_t dimension) const;

 private:
  std::vector<Axis> axes_;
  std::size_t copies_ = 1;
  Sampling sampling_ = Sampling::random;
  std::uint64_t seed_ = 1;
  std::vector<std::uint64_t> strides_;  ///< of a grid: samples after which an axis takes its next point
  std::optional<Sobol> sobol_;
  std::vector<std::uint64_t> shifts_;  ///< of Sobol's sequence
};

}  // namespace ricochet::sweep
