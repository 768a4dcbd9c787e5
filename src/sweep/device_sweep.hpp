#pragma once
/// Samples drawn, answered and counted on a CUDA device, which only statistics leave. A program that was built without
/// CUDA has this too, and it says so.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "batch/pack_job.hpp"
#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"
#include "ricochet/sweep/distribution_kernel.hpp"
#include "ricochet/sweep/moments.hpp"

namespace ricochet::sweep {

/// Where the numbers of an axis come from.
enum class DeviceSampling : std::uint8_t { grid, random, sobol };

struct DeviceAxis {
  DistributionNumbers distribution;  ///< without its values
  std::vector<double> values;
  std::uint64_t offset = 0;              ///< random: of its stream; sobol: its digital shift
  std::uint64_t stride = 1, points = 1;  ///< of a grid
  std::vector<std::uint64_t> steps;      ///< sobol: what bit b of an index adds to the point, v_b ⊕ v_{b−1}
};

/// Entries of the matrix by rows, V, n and the parameters of the law in the order of its row.
inline constexpr std::size_t device_inputs = 15 + batch_detail::most_parameters;
inline constexpr std::size_t most_device_axes = 12;
/// Bins of all histograms that are counted at once.
inline constexpr std::size_t most_device_bins = 12'000;

/// One law of a sweep.
struct DeviceSpec {
  batch_detail::PackLaw law = batch_detail::PackLaw::frictionless;
  DeviceSampling sampling = DeviceSampling::random;
  std::vector<DeviceAxis> axes;
  std::array<int, device_inputs> axis_of{};  ///< −1: the number of `base`
  std::array<double, device_inputs> base{};
  std::array<Interval, batch_detail::most_parameters> bounds;
  bool may_leave_bounds = false;  ///< some samples have parameters out of range
  bool mass_given = true;
  std::uint64_t count = 0;  ///< samples of the sweep
  std::uint64_t block_size = 0;
  std::vector<std::uint32_t> outputs;  ///< of which every one has bins and a number near its mean
  std::vector<Bins> bins;
  std::vector<double> centres;
};

struct DeviceCounts {
  std::array<std::uint64_t, 96> answered{};      ///< by 16 mode + violated conditions
  std::array<std::uint64_t, 16> refused{};       ///< by ErrorCode
  std::vector<std::vector<std::uint64_t>> bins;  ///< for each output: below, each bin, above
  std::vector<std::uint64_t> open;  ///< indices of samples that are for the processor to decide, in no other number
  bool too_many_open = false;       ///< `open` does not have all of them
};

/// 2^level blocks.
class DeviceNode {
 public:
  /// Computes all but the moments of the whole.
  [[nodiscard]] static Expected<DeviceNode> compute(const DeviceSpec& spec, std::uint64_t first_block, unsigned level);

  [[nodiscard]] const DeviceCounts& counts() const { return counts_; }
  /// Replaces those of a block, one for each output.
  [[nodiscard]] Expected<void> replace(std::uint64_t block, const std::vector<Moments>& moments);
  /// Of the whole, for each output, merged as a tree.
  [[nodiscard]] Expected<std::vector<Moments>> merge();

 private:
  struct Memory;
  DeviceCounts counts_;
  std::shared_ptr<Memory> memory_;
};

}  // namespace ricochet::sweep
