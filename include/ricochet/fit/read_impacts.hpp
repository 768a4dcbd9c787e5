#pragma once
/// Measured impacts from CSV, by a mapping of its columns to quantities (docs/fitting.md).

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/fit/measured_impact.hpp"
#include "ricochet/io/fault.hpp"

namespace ricochet {

/// A quantity is a number for all rows, or a column times a number.
struct MappedQuantity {
  std::string column = {};  ///< empty: the number
  double number = 0;
  double times = 1;
};

struct ImpactMapping {
  int dimension = 2;                                            ///< 2: x along the ground, y up; 3: z up
  std::map<std::string, MappedQuantity, std::less<>> quantity;  ///< one that is absent is the column of its name
  struct Range {
    std::string column;
    double low, high;
  };
  std::vector<Range> keep;  ///< rows that are read
  bool spin_after = true;   ///< whether it was measured
  std::string group = {};   ///< column that numbers the groups of rows; empty: none
};

/// The layouts of the published sets: "planar-ellipse", "planar-square", "cube-impacts", "sphere", "table-tennis".
[[nodiscard]] std::vector<std::string_view> impact_datasets();
[[nodiscard]] Expected<ImpactMapping> dataset_mapping(std::string_view name);

[[nodiscard]] Read<ImpactMapping> read_impact_mapping(std::string_view text);

/// The rows that the mapping keeps. An error has the line of the file, and path "row 12, column vx_pre".
[[nodiscard]] Read<std::vector<MeasuredImpact>> read_impacts(const std::string& path, const ImpactMapping& mapping);

}  // namespace ricochet
