#pragma once
/// The refused lines of a stream: the first few are shown as they come, all of them counted by reason.

#include <cstddef>
#include <map>
#include <string>

#include "ricochet/base/error.hpp"

namespace ricochet::app {

class Refusals {
 public:
  static constexpr std::size_t shown = 5;

  /// Counts one; true where it is among those to be shown.
  [[nodiscard]] bool add(const Error& error);
  [[nodiscard]] std::size_t count() const { return count_; }
  /// "700 lines refused: 650 e out-of-range, 50 malformed", the most frequent first; empty where all were shown.
  [[nodiscard]] std::string summary() const;

 private:
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> reasons_;
};

}  // namespace ricochet::app
