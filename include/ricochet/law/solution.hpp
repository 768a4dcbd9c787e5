#pragma once
/// What a law kernel returns, in local axes, and how it becomes an outcome.

#include <type_traits>

#include "ricochet/base/product3.hpp"
#include "ricochet/base/select.hpp"
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

/// What an algebraic law answers: an impulse P_n n + P_t in the axes of its contact.
template <class T>
struct Impulse {
  T P_n;
  Vec3T<T> P_t;  ///< tangential
  T size_t;      ///< ‖P_t‖
  PerLane<T, Mode> mode = Mode::slip;
  PerLane<T, Termination> termination = Termination::closed_form;
  MaskOf<T> served = true;  ///< the contact is one that the law is made for
};

/// The same in two straight lines, first that of compression, in the plane of n and a tangent t.
template <class T>
struct TwoPhaseImpulse : Impulse<T> {
  Vec3T<T> t;
  T P_cn, P_ct;      ///< of compression
  T P_en, P_et;      ///< of expansion
  Vec2T<T> V_c;      ///< along n and t where compression ends
  T V_t, V_t_after;  ///< along t before and after
};

template <class T>
struct Works {
  T normal, friction;
};

/// Work along a straight line in impulse space, on which V moves linearly:
///   W_n = ½ P_n (V⁻ + V⁺)_n,  W_t = ½ P_t·(V⁻ + V⁺)_t.                                               (C2)
template <class T>
[[nodiscard]] RICOCHET_HD Works<T> work_of_line(const Vec3T<T>& P, const Vec3T<T>& before, const Vec3T<T>& after) {
  const auto part = [&](int i) { return T(P(i) * ((before(i) + after(i)) / T(2))); };
  return {part(0), part(1) + part(2)};
}

/// V + W P.
template <class T>
[[nodiscard]] RICOCHET_HD Vec3T<T> velocity_after(const Vec3T<T>& V, const Mat3T<T>& W, const Vec3T<T>& P) {
  const Vec3T<T> WP = times3<T>(W, P);
  return Vec3T<T>(V(0) + WP(0), V(1) + WP(1), V(2) + WP(2));
}

/// An algebraic law says nothing of the way, so its work is that of the straight line from 0 to P.
template <class T>
RICOCHET_HD Solution<T> straight(const Local<T>& c, const Vec3T<T>& P, Mode mode,
                                 Termination termination = Termination::closed_form) {
  Solution<T> s;
  s.P = P;
  s.V = velocity_after<T>(c.V, c.W, P);
  const Works<T> works = work_of_line<T>(P, c.V, s.V);
  s.normal_work = works.normal;
  s.friction_work = works.friction;
  s.mode = mode;
  s.termination = termination;
  return s;
}
template <class T>
RICOCHET_HD Solution<T> straight(const Local<T>& c, const Impulse<T>& i) {
  return straight<T>(c, Vec3T<T>(i.P_n, i.P_t(1), i.P_t(2)), i.mode, i.termination);
}

/// An impact in two straight lines, 0 to P_c (compression) and P_c to P_c + P_e (expansion): velocities, the works of
/// both lines by (C2), and the path.
template <class T, class Observer>
RICOCHET_HD Solution<T> two_lines(const Local<T>& c, const Vec3T<T>& P_c, const Vec3T<T>& P_e, Observer& observer) {
  Solution<T> s;
  const Vec3T<T> V_c = velocity_after<T>(c.V, c.W, P_c);
  s.P = Vec3T<T>(P_c(0) + P_e(0), P_c(1) + P_e(1), P_c(2) + P_e(2));
  s.V = velocity_after<T>(c.V, c.W, s.P);
  const Works<T> compression = work_of_line<T>(P_c, c.V, V_c), expansion = work_of_line<T>(P_e, V_c, s.V);
  s.normal_work = compression.normal + expansion.normal;
  s.friction_work = compression.friction + expansion.friction;
  if constexpr (std::remove_reference_t<Observer>::enabled) {
    observer(PathPoint<T>{Event::start, Vec3T<T>::Zero(), c.V, T(0), T(0)});
    observer(PathPoint<T>{Event::compression_ends, P_c, V_c, compression.normal, compression.friction});
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
