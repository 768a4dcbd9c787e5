#pragma once
/// Measured impacts as `fit` and `rank` take them from the command line.

#include <string>
#include <vector>

#include "ricochet/fit/read_impacts.hpp"
#include "terminal/command_line.hpp"

namespace ricochet::app {

struct ImpactsOptions {
  std::string dataset, mapping;
  std::string group = {};  ///< column of groups, of `rank`
  double offset = 0;       ///< deviation of contact points [m]
};

void add_impacts_options(const CommandLine& command, ImpactsOptions& options);

/// The rows of a file that are single-point impacts.
struct ReducedRows {
  std::vector<ReducedImpact> rows;
  std::size_t read = 0, separating = 0, approaching = 0, gaining = 0, unbalanced = 0;
  [[nodiscard]] std::string remark() const;  ///< "1184 rows, 3 left out: 2 gain energy, ..."
};

/// Prints what is wrong; the status to exit with.
[[nodiscard]] int read_rows(const std::string& file, const ImpactsOptions& options, ReducedRows& out);

}  // namespace ricochet::app
