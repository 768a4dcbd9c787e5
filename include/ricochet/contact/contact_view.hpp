#pragma once
/// A contact in any axes, for laws that are written in vectors: matrices are not turned, and tangents are found only
/// where a law asks for them. One contact or a pack of them; none immovable but in local axes.

#include "ricochet/contact/localize_kernel.hpp"

namespace ricochet {

template <class T>
struct ContactView {
  const Mat3T<T>& M;
  const Mat3T<T>& W;
  const Vec3T<T>& V;
  Vec3T<T> n;
  T V_n;

  RICOCHET_HD ContactView(const Mat3T<T>& M_, const Mat3T<T>& W_, const Vec3T<T>& V_, const Vec3T<T>& normal)
      : M(M_), W(W_), V(V_), n(unit_normal<T>(normal)), V_n(dot3<T>(n, V_)) {}
  RICOCHET_HD explicit ContactView(const Local<T>& c) : M(c.M), W(c.W), V(c.V), n(T(1), T(0), T(0)), V_n(c.V(0)) {}

  [[nodiscard]] RICOCHET_HD LocalTangents<T> tangents() const { return local_tangents<T>(V, n, V_n, nullptr); }
};

}  // namespace ricochet
