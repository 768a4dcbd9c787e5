#pragma once
/// Regula falsi with every third step a bisection, for functions whose derivative is not at hand.

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// An interval at whose ends a function has opposite signs.
template <class T>
struct Bracket {
  T lo, hi;
  int evaluations = 0;
  [[nodiscard]] RICOCHET_HD T middle() const { return lo + (hi - lo) / T(2); }
};

/// Shortens [lo, hi], where f has the signs of f_lo and f_hi, until it is at most `tolerance` of hi, or to rounding. A
/// value of zero counts with the sign of f_hi.
template <class T, class Function>
[[nodiscard]] RICOCHET_HD Bracket<T> bracketed_secant(const Function& function, T lo, T f_lo, T hi, T f_hi,
                                                      T tolerance) {
  constexpr int most = 300;
  Bracket<T> bracket{lo, hi};
  const bool rising = f_lo < T(0);
  for (int i = 0; i < most && bracket.hi - bracket.lo > tolerance * bracket.hi; ++i) {
    T mid = i % 3 == 2 ? bracket.middle() : bracket.lo + (bracket.hi - bracket.lo) * (f_lo / (f_lo - f_hi));
    if (!(mid > bracket.lo && mid < bracket.hi)) mid = bracket.middle();
    if (!(mid > bracket.lo && mid < bracket.hi)) break;
    ++bracket.evaluations;
    const T f = function(mid);
    if (rising ? f < T(0) : f > T(0)) {
      bracket.lo = mid;
      f_lo = f;
    } else {
      bracket.hi = mid;
      f_hi = f;
    }
  }
  return bracket;
}

}  // namespace ricochet
