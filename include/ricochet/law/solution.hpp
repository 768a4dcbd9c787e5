#pragma once
/// What a law kernel returns, in local axes, and how it becomes an outcome.

#include <type_traits>

#include "ricochet/base/product3.hpp"
#include "ricochet/law/outcome.hpp"

namespace ricochet {

/// What a law kernel hands back, in local axes.
template <class T>
struct Solution {
  Vec3T<T> P;
  Vec3T<T> V;       ///< V⁺
  T normal_work;    ///< ∫ V_n dP_n along the law's path
  T friction_work;  ///< ∫ V_t·dP_t along the law's path
  Mode mode = Mode::slip;
  Termination termination = Termination::closed_form;
  bool jammed = false;  ///< friction drove the contact deeper: dV_n/dP_n < 0 somewhere on the path
  int evaluations = 1;
  T rounding = T(1);  ///< amplification of rounding errors that the law met on its way
};

/// An algebraic law says nothing of the way, so its work is that of the straight line from 0 to P, on which V moves
/// linearly:  W_n = ½ P_n (V⁻ + V⁺)_n,  W_t = ½ P_t·(V⁻ + V⁺)_t.                                       (C2)
template <class T>
RICOCHET_HD Solution<T> straight(const Local<T>& c, const Vec3T<T>& P, Mode mode,
                                 Termination termination = Termination::closed_form) {
  Solution<T> s;
  s.P = P;
  const Vec3T<T> WP = times3<T>(c.W, P);
  s.V = Vec3T<T>(c.V(0) + WP(0), c.V(1) + WP(1), c.V(2) + WP(2));
  const Vec3T<T> mean((c.V(0) + s.V(0)) / T(2), (c.V(1) + s.V(1)) / T(2), (c.V(2) + s.V(2)) / T(2));
  s.normal_work = P(0) * mean(0);
  s.friction_work = P(1) * mean(1) + P(2) * mean(2);
  s.mode = mode;
  s.termination = termination;
  return s;
}

/// An impact in two straight lines, 0 to P_c (compression) and P_c to P_c + P_e (expansion): velocities, the works of
/// both lines by (C2), and the path.
template <class T, class Observer>
RICOCHET_HD Solution<T> two_lines(const Local<T>& c, const Vec3T<T>& P_c, const Vec3T<T>& P_e, Observer& observer) {
  Solution<T> s;
  const Vec3T<T> V_c = c.V + c.W * P_c;
  s.P = P_c + P_e;
  s.V = c.V + c.W * s.P;
  const Vec3T<T> mean_c = (c.V + V_c) / T(2);
  const Vec3T<T> mean_e = (V_c + s.V) / T(2);
  const T normal_c = P_c(0) * mean_c(0);
  const T friction_c = P_c(1) * mean_c(1) + P_c(2) * mean_c(2);
  s.normal_work = normal_c + P_e(0) * mean_e(0);
  s.friction_work = friction_c + P_e(1) * mean_e(1) + P_e(2) * mean_e(2);
  if constexpr (std::remove_reference_t<Observer>::enabled) {
    observer(PathPoint<T>{Event::start, Vec3T<T>::Zero(), c.V, T(0), T(0)});
    observer(PathPoint<T>{Event::compression_ends, P_c, V_c, normal_c, friction_c});
    observer(PathPoint<T>{Event::end, s.P, s.V, s.normal_work, s.friction_work});
  }
  return s;
}

/// Back to input coordinates, with the certificate for friction coefficient mu. An empty path is the straight line.
template <class T>
void finish(const Local<T>& local, const Solution<T>& solution, const Path<T>& path, double mu, Outcome& out);

extern template void finish<double>(const Local<double>&, const Solution<double>&, const Path<double>&, double,
                                    Outcome&);
extern template void finish<long double>(const Local<long double>&, const Solution<long double>&,
                                         const Path<long double>&, double, Outcome&);

}  // namespace ricochet
