#pragma once
/// The graded spring-sledge, docs/laws/graded-sledge.md.

#include "ricochet/law/graded_sledge.hpp"
#include "ricochet/law/spring_sledge_kernel.hpp"

namespace ricochet {

/// What restitution and friction vary with (GS1).
template <class T>
struct Grading {
  T s, w;  ///< of the speed, of the incidence
};
/// V in m/s, not zero.
template <class T>
RICOCHET_HD Grading<T> grading(const Vec3T<T>& V) {
  using std::sqrt;
  // Squares of velocities over their largest part, which neither overflow nor vanish.
  const T largest = V.cwiseAbs().maxCoeff();
  const Vec3T<T> u = V / largest;
  const T square = u.squaredNorm();
  const T v = largest * sqrt(square);
  return {T(2) * (v - T(1)) / (v + T(1)), (u(1) * u(1) + u(2) * u(2)) / square};
}

/// The coefficients of one collision (GS2).
template <class T>
RICOCHET_HD sledge::Coefficients<T> grade(const GradedSledge& law, const Vec3T<T>& V) {
  const Grading<T> g = grading<T>(V);
  T mu = T(law.mu) + T(law.mu_v) * g.s + T(law.mu_i) * g.w;
  T e = T(law.e) + T(law.e_v) * g.s + T(law.e_i) * g.w;
  if (mu < T(0)) mu = T(0);
  if (e < T(0)) e = T(0);
  if (e > T(1)) e = T(1);
  return {T(law.kappa), mu, e};
}

template <class T, class Observer = NullObserver>
RICOCHET_HD Solution<T> solve(const GradedSledge& law, const Local<T>& c, Observer&& observer = Observer{}) {
  return sledge::run(grade(law, c.V), c, observer);
}

}  // namespace ricochet
