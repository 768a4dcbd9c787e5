#pragma once
/// `ricochet rank --tosses`: whole tosses predicted from their first row.

#include <cstdint>
#include <string>
#include <vector>

namespace ricochet::app {

struct TossCommandOptions {
  std::string tosses;  ///< file or folder; empty: not asked for
  std::string test, body, out = "predicted_tosses", format, output;
  std::vector<std::string> laws, sets, fit;
  bool flight = false;
  int folds = 5, threads = 0;
  std::size_t fit_tosses = 60;
  std::uint64_t seed = 1;
};

/// The status to exit with.
[[nodiscard]] int run_rank_tosses(const TossCommandOptions& options);

}  // namespace ricochet::app
