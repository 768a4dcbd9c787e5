#pragma once
/// What a sweep varies, how it draws and what it records (docs/sweep.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/collision.hpp"
#include "ricochet/sweep/distribution.hpp"
#include "ricochet/sweep/statistics.hpp"

namespace ricochet::sweep {

enum class Sampling : std::uint8_t { grid, random, sobol };
[[nodiscard]] std::string_view name(Sampling sampling);

enum class ColumnFormat : std::uint8_t { none, csv, hdf5 };
[[nodiscard]] std::string_view name(ColumnFormat format);

struct Axis {
  std::string field;
  Distribution distribution;
  std::uint64_t points = 0;  ///< of a grid; of `values` their number
};

struct HistogramSpec {
  std::size_t output = 0;                          ///< place in `output_names`
  std::optional<std::pair<double, double>> range;  ///< found from a pilot unless given
  std::uint32_t bins = 50;
};

struct SweepSpec {
  std::string title;
  std::vector<std::string> laws;
  Sampling sampling = Sampling::random;
  std::uint64_t count = 0;  ///< samples; of a grid the product of its points
  std::uint64_t seed = 1;
  bool indices = false;
  ColumnFormat columns = ColumnFormat::none;
  std::vector<std::size_t> outputs;       ///< places in `output_names`
  std::vector<HistogramSpec> histograms;  ///< one for each output, in their order
  Collision base;
  std::vector<Axis> axes;
};

/// More samples than these are refused.
inline constexpr std::uint64_t most_samples = std::uint64_t{1} << 50U;
inline constexpr std::uint32_t most_bins = 10'000;

/// What the reader of a document cannot see key by key: fields that are not inputs, ranges that no law admits, inputs
/// that exclude each other. The path is that in the document. Sets the count of a grid.
[[nodiscard]] Expected<void> check(SweepSpec& spec);

}  // namespace ricochet::sweep
