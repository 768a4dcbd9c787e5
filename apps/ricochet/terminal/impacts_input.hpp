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

/// --dataset and --mapping.
void add_layout_options(const CommandLine& command, ImpactsOptions& options);
/// These and --offset.
void add_impacts_options(const CommandLine& command, ImpactsOptions& options);

/// The rows of a file, and those among them that are single-point impacts.
struct ReducedRows {
  std::vector<ReducedImpact> all, rows;
  [[nodiscard]] std::string remark() const;  ///< "1184 rows, 3 left out: 2 gain energy, ..."
};

/// Prints what is wrong; the status to exit with. A file without a row that has no flag is not wrong here.
[[nodiscard]] int read_all_rows(const std::string& file, const ImpactsOptions& options, ReducedRows& out);
/// But here.
[[nodiscard]] int read_rows(const std::string& file, const ImpactsOptions& options, ReducedRows& out);

}  // namespace ricochet::app
