#pragma once
/// The error of a reader of files, with its location in the input.

#include <string>
#include <utility>

#include "ricochet/base/error.hpp"

namespace ricochet {

struct Fault {
  Error error;
  long long line = 0;     ///< 0 where it belongs to no line, as something missing does
  std::string file = {};  ///< as messages call it; empty where the reader was given text
};

[[nodiscard]] inline tl::unexpected<Fault> fault(ErrorCode code, std::string path, std::string value,
                                                 std::string allowed, long long line) {
  return tl::unexpected(Fault{Error{code, std::move(path), std::move(value), std::move(allowed)}, line});
}

template <class T>
using Read = tl::expected<T, Fault>;

}  // namespace ricochet
