#pragma once
/// The scalar in which constants of a kernel are tabulated at compile time.

#include <type_traits>

namespace ricochet {

/// T itself where it is a floating-point number, else double: a table needs no derivatives, and a dual number may not
/// be constructible at compile time.
template <class T>
using TableScalar = std::conditional_t<std::is_floating_point_v<T>, T, double>;

}  // namespace ricochet
