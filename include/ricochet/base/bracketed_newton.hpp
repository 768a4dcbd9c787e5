#pragma once
/// Newton's iteration kept inside a bracket. A step that would leave the bracket, or is no number, is replaced by
/// bisection, so that the iteration converges for every continuous function with a change of sign.

#include <cmath>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// A function and its derivative at one point.
template <class T>
struct ValueAndSlope {
  T f, f1;
};

template <class T>
struct NewtonRoot {
  T x;     ///< the last point at which the function was evaluated
  T next;  ///< where the step from it leads
  int evaluations = 0;
};

/// `function(x)` gives f and f' as members f and f1; f(negative) ≤ 0 ≤ f(positive), in either order on the line. Ends
/// when a step is at most `tolerance` of the point it starts from, or the bracket is that short.
template <class T, class Function>
[[nodiscard]] RICOCHET_HD NewtonRoot<T> bracketed_newton(const Function& function, T negative, T positive, T start,
                                                         T tolerance) {
  using std::abs;
  constexpr int most = 1000, patience = 16;
  NewtonRoot<T> root{start, start};
  for (int i = 0; i < most; ++i) {
    const T x = root.x = root.next;
    ++root.evaluations;
    const auto v = function(x);
    if (v.f == T(0)) break;
    (v.f < T(0) ? negative : positive) = x;
    root.next = x - v.f / v.f1;
    if (abs(root.next - x) <= tolerance * abs(x)) break;
    const T low = negative < positive ? negative : positive, high = negative < positive ? positive : negative;
    // Where Newton's iteration is slow, as far from a zero that is tiny beside the others, every other step halves.
    if (!(root.next > low && root.next < high) || (i > patience && i % 2 == 0)) {
      root.next = low + (high - low) / T(2);
      if (abs(root.next - x) <= tolerance * abs(x)) break;
    }
  }
  return root;
}

}  // namespace ricochet
