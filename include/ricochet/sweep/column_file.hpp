#pragma once
/// Rows of a sweep as CSV or HDF5, from files of plain doubles.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/sweep/spec.hpp"

namespace ricochet::sweep {

/// Whether this was built with HDF5.
[[nodiscard]] bool have_hdf5();

/// Overwrites `path` with the rows of `parts` one after another. The same rows give the same bytes. Memory does not
/// depend on their number.
[[nodiscard]] Expected<void> write_columns(const std::string& path, ColumnFormat format,
                                           const std::vector<std::string>& names,
                                           const std::vector<std::string>& parts);

}  // namespace ricochet::sweep
