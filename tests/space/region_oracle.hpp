#pragma once
/// The permissible region from its four defining inequalities, in extended precision and nothing else: no angles, no
/// Schur complement, no roots. Every closed form of space/ is measured against it.

#include <cmath>
#include <limits>

#include "ricochet/contact/contact.hpp"

namespace ricochet::testing {

using Real = long double;
using RVec3 = Vec3T<Real>;

struct RegionOracle {
  Mat3T<Real> W;
  RVec3 V;
  Mat3 R;  ///< local to input
  Real mu;

  RegionOracle(const Contact& contact, double friction) : mu(friction) {
    const Local<double> local = localize<double>(contact);
    W = local.W.cast<Real>();
    V = local.V.cast<Real>();
    R = local.R;
  }
  [[nodiscard]] Real gain(const RVec3& P) const { return P.dot(V) + P.dot(W * P) / 2; }
  [[nodiscard]] Real rebound(const RVec3& P) const { return V(0) + W.row(0).dot(P); }
  [[nodiscard]] bool energy(const RVec3& P) const { return gain(P) <= 0; }
  [[nodiscard]] bool separation(const RVec3& P) const { return rebound(P) >= 0; }
  [[nodiscard]] bool compression(const RVec3& P) const { return P(0) >= 0; }
  [[nodiscard]] bool friction(const RVec3& P) const {
    if (std::isinf(mu)) return true;
    return std::sqrt(P(1) * P(1) + P(2) * P(2)) <= mu * P(0);
  }
  [[nodiscard]] bool contains(const RVec3& P) const {
    return energy(P) && separation(P) && compression(P) && friction(P);
  }
  [[nodiscard]] RVec3 to_local(const Vec3& P) const { return R.cast<Real>().transpose() * P.cast<Real>(); }
};

}  // namespace ricochet::testing
