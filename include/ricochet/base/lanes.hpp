#pragma once
/// Several numbers that pass through the same formula at once. Plain scalars fill the registers of the processor; a
/// number with derivatives is an array already, and a device has lanes of its own.

#include <type_traits>

#include "ricochet/base/linear.hpp"

namespace ricochet {

#if defined(__CUDACC__)
template <class T>
inline constexpr int lane_count = 1;
#else
template <class T>
inline constexpr int lane_count = std::is_same_v<T, double> || std::is_same_v<T, float> ? 4 : 1;
#endif

template <class T>
using Lanes = Eigen::Array<T, lane_count<T>, 1>;

}  // namespace ricochet
