#pragma once
/// A sweep ready to be evaluated, block by block, in any order and by any number of threads and processes
/// (docs/sweep.md).

#include <cstdint>
#include <memory>
#include <vector>

#include "ricochet/sweep/inputs.hpp"
#include "ricochet/sweep/merge_tree.hpp"
#include "ricochet/sweep/sampler.hpp"
#include "ricochet/sweep/spec.hpp"
#include "ricochet/sweep/statistics.hpp"

namespace ricochet::sweep {

struct DeviceSpec;

struct BlockResult {
  Statistics statistics;
  std::vector<double> rows;  ///< where the spec asks for columns: all numbers of a row after those of the row before
};

class Sweep {
 public:
  /// Samples of a block, but for the last one.
  static constexpr std::uint64_t block_size = 1024;
  /// Samples of the pilot, spread over all, that ranges of histograms are found from.
  static constexpr std::uint64_t pilot_size = 4096;

  /// Computes the pilot. Fails where a law lacks a parameter.
  [[nodiscard]] static Expected<Sweep> make(SweepSpec spec);

  [[nodiscard]] const SweepSpec& spec() const { return spec_; }
  [[nodiscard]] std::uint64_t blocks() const { return (spec_.count + block_size - 1) / block_size; }
  /// Of each sample: 1, or the number of axes and 2 for sensitivity indices.
  [[nodiscard]] std::uint64_t collisions_of_sample() const { return spec_.indices ? spec_.axes.size() + 2 : 1; }
  [[nodiscard]] const std::vector<std::vector<Bins>>& bins() const { return bins_; }  ///< by law and output
  [[nodiscard]] std::vector<std::string> column_names() const;
  /// Without any number.
  [[nodiscard]] Statistics nothing() const;
  [[nodiscard]] BlockResult evaluate(std::uint64_t block) const;
  /// Blocks `first` to `last`, in their order.
  [[nodiscard]] std::vector<BlockResult> evaluate(std::uint64_t first, std::uint64_t last, unsigned threads) const;

  /// Fails, and says why, where there is no CUDA device or it does not serve this sweep.
  [[nodiscard]] Expected<void> check_device() const;
  /// The statistics of 2^level blocks from `first` on, a multiple of 2^level, on the CUDA device: the bits that the
  /// processor's have when they are merged.
  [[nodiscard]] Expected<Statistics> evaluate_on_device(std::uint64_t first, unsigned level) const;
  /// The largest level that is worth its memory.
  static constexpr unsigned device_level = 20;

 private:
  struct Answers;
  Sweep(SweepSpec spec, Sampler sampler) : spec_(std::move(spec)), sampler_(std::move(sampler)) {}
  [[nodiscard]] Expected<void> pilot();
  [[nodiscard]] DeviceSpec device_spec(std::size_t law) const;
  /// Counts the samples that the device leaves to the processor; returns the blocks in which there are answered ones.
  [[nodiscard]] Expected<std::vector<std::uint64_t>> decide(std::size_t law, const std::vector<std::uint64_t>& open,
                                                            LawStatistics& to) const;
  /// Answers of one law for samples whose numbers are columns, one for each axis.
  [[nodiscard]] Expected<Answers> answers(const std::string& law,
                                          const std::vector<std::vector<double>>& columns) const;

  SweepSpec spec_;
  Sampler sampler_;
  std::vector<Field> fields_;
  std::vector<std::vector<Bins>> bins_;
  std::vector<std::vector<double>> centres_;  ///< by law and output, near the mean: c of (SW7)
};

}  // namespace ricochet::sweep
