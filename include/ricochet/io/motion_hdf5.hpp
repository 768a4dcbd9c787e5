#pragma once
/// A simulated motion as HDF5, from its CSV files. Target ricochet_hdf5; docs/command-line.md lists the datasets.

#include <string>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet {

/// Whether this was built with HDF5.
[[nodiscard]] bool have_hdf5();

struct MotionFiles {
  std::string trajectory, events;  ///< CSV
  std::vector<std::string> names;  ///< of the bodies
};
/// Overwrites `path`. The same input gives the same bytes.
[[nodiscard]] Expected<void> write_motion_hdf5(const std::string& path, const MotionFiles& files);

}  // namespace ricochet
