#pragma once
/// A contact turned into its own axes, CR98 section 2, as a kernel: no allocation, no exception, any scalar, one
/// contact or a pack of them.

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ricochet/base/constants.hpp"
#include "ricochet/base/jacobi.hpp"
#include "ricochet/base/product3.hpp"
#include "ricochet/base/select.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/contact/inverse_spd.hpp"

namespace ricochet {

namespace localize_detail {

template <class T>
RICOCHET_HD int smallest_component(const Vec3T<T>& v) {
  using std::abs;
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (abs(v(i)) < abs(v(k))) k = i;
  return k;
}

/// A tangent along which the contact is immovable (the normal of a planar linkage's plane), or zero. Computed from W,
/// because a small slip does not determine it.
template <class T>
RICOCHET_HD Vec3T<T> immovable_tangent(const Mat3T<T>& W, const Vec3T<T>& n) {
  const int k = smallest_component(n);
  const Vec3T<T> t1 = (Vec3T<T>::Unit(k) - n(k) * n).normalized();
  const Vec3T<T> t2 = n.cross(t1);
  const T a = t1.dot(W * t1), b = t2.dot(W * t2), c = t1.dot(W * t2);
  JacobiRotation<T> r;
  if (c != T(0)) r = jacobi_rotation<T>(a, b, c);
  const Vec3T<T> e1 = r.cs * t1 - r.sn * t2, e2 = r.sn * t1 + r.cs * t2;
  const T w1 = e1.dot(W * e1), w2 = e2.dot(W * e2);
  const Vec3T<T> least = w1 < w2 ? e1 : e2;
  return (W * least).norm() <= T(singular_floor) * W.norm() ? least : Vec3T<T>(Vec3T<T>::Zero());
}

/// Rᵀ A R, exactly symmetric; R has the columns n, t, b.
template <class T>
RICOCHET_HD void rotate(const Mat3T<T>& A, const Vec3T<T>& n, const Vec3T<T>& t, const Vec3T<T>& b, Mat3T<T>& B) {
  const Vec3T<T> An = times3<T>(A, n), At = times3<T>(A, t), Ab = times3<T>(A, b);
  B(0, 0) = dot3<T>(n, An);
  B(0, 1) = B(1, 0) = dot3<T>(n, At);
  B(1, 1) = dot3<T>(t, At);
  B(0, 2) = B(2, 0) = dot3<T>(n, Ab);
  B(1, 2) = B(2, 1) = dot3<T>(t, Ab);
  B(2, 2) = dot3<T>(b, Ab);
}

#if defined(__SSE2__) && !defined(__CUDACC__)
/// The same of M and W at once, a lane for each: the same products and sums, in half the instructions.
inline void rotate_both(const Mat3& M, const Mat3& W, const Vec3& n, const Vec3& t, const Vec3& b, Mat3& M_out,
                        Mat3& W_out) {
  using Lanes [[gnu::vector_size(16)]] = double;
  const auto times = [&](const Vec3& v, Lanes& x, Lanes& y, Lanes& z) {
    const auto term = [&](int i, int j) { return Lanes{M(i, j), W(i, j)} * v(j); };
    x = (term(0, 0) + term(0, 1)) + term(0, 2);
    y = (term(1, 0) + term(1, 1)) + term(1, 2);
    z = term(2, 0) + (term(2, 1) + term(2, 2));
  };
  const auto put = [&](int i, int j, const Vec3& v, const Lanes& x, const Lanes& y, const Lanes& z) {
    const Lanes dot = (v(0) * x + v(1) * y) + v(2) * z;
    M_out(i, j) = M_out(j, i) = dot[0];
    W_out(i, j) = W_out(j, i) = dot[1];
  };
  Lanes x, y, z;
  times(n, x, y, z);
  put(0, 0, n, x, y, z);
  times(t, x, y, z);
  put(0, 1, n, x, y, z);
  put(1, 1, t, x, y, z);
  times(b, x, y, z);
  put(0, 2, n, x, y, z);
  put(1, 2, t, x, y, z);
  put(2, 2, b, x, y, z);
}
#endif

template <class T>
RICOCHET_HD void rotate_both(const Mat3T<T>& M, const Mat3T<T>& W, const Vec3T<T>& n, const Vec3T<T>& t,
                             const Vec3T<T>& b, Mat3T<T>& M_out, Mat3T<T>& W_out) {
  rotate<T>(M, n, t, b, M_out);
  rotate<T>(W, n, t, b, W_out);
}

}  // namespace localize_detail

/// The normal of a checked contact to rounding of T: a double is of unit length to its own rounding; not to that of a
/// wider type, nor has its derivative.
template <class T>
[[nodiscard]] RICOCHET_HD Vec3T<T> unit_normal(const Vec3T<T>& n) {
  using Number = LaneNumber<T>;
  if constexpr (std::is_floating_point_v<Number> &&
                std::numeric_limits<Number>::digits <= std::numeric_limits<double>::digits) {
    return n;
  } else {
    const T length = norm3<T>(n);
    return Vec3T<T>(n(0) / length, n(1) / length, n(2) / length);
  }
}

/// Axes 2 and 3 of a contact, and its slip speed.
template <class T>
struct LocalTangents {
  Vec3T<T> t, b;
  T s;
};

/// n as `unit_normal` returns it; `still` a tangent along which the contact is immovable, or null.
template <class T>
[[nodiscard]] RICOCHET_HD LocalTangents<T> local_tangents(const Vec3T<T>& V, const Vec3T<T>& n, const T& V_n,
                                                          const Vec3T<T>* still) {
  using std::abs;
  using std::sqrt;
  using S = LaneNumber<T>;
  // The numbers were doubles at best, so that slip is known to their rounding even where T is wider.
  constexpr double coarse = std::numeric_limits<double>::epsilon();
  const T eps = std::numeric_limits<S>::epsilon() > S(coarse) ? T(std::numeric_limits<S>::epsilon()) : T(coarse);
  const auto minus = [](const Vec3T<T>& a, const T& f, const Vec3T<T>& b) {
    return Vec3T<T>(a(0) - f * b(0), a(1) - f * b(1), a(2) - f * b(2));
  };
  const auto times = [](const Vec3T<T>& a, const T& f) { return Vec3T<T>(a(0) * f, a(1) * f, a(2) * f); };
  Vec3T<T> V_t = minus(V, V_n, n);
  V_t = minus(V_t, dot3<T>(n, V_t), n);
  if (still != nullptr) V_t = minus(V_t, dot3<T>(*still, V_t), *still);
  const T square = dot3<T>(V_t, V_t);
  LocalTangents<T> out;
  out.s = sqrt(square);
  const MaskOf<T> slips = square > T(16) * eps * eps * (V_n * V_n + square);
  if (any(slips)) out.t = times(V_t, T(-1) / out.s);  // orthogonal to n to rounding: V_t was made so twice
  if (!all(slips)) {
    // Any tangent, from the axis that is farthest from n.
    Vec3T<T> other;
    if (still != nullptr) {
      other = cross3<T>(*still, n);
    } else {
      const MaskOf<T> y = abs(n(1)) < abs(n(0));
      const MaskOf<T> z = abs(n(2)) < select(y, T(abs(n(1))), T(abs(n(0))));
      const T n_k = select(z, n(2), select(y, n(1), n(0)));
      other = minus(Vec3T<T>(select(y || z, T(0), T(1)), select(y && !z, T(1), T(0)), select(z, T(1), T(0))), n_k, n);
      other = minus(other, dot3<T>(n, other), n);
      other = times(other, T(1) / norm3<T>(other));
    }
    out.s = select(slips, out.s, T(0));
    out.t = select3(slips, out.t, other);
  }
  out.b = cross3<T>(n, out.t);
  return out;
}

/// M and W symmetric and inverse to each other (pseudo-inverse where `immovable`), n of unit length to rounding.
template <class T>
[[nodiscard]] RICOCHET_HD Local<T> localize(const Mat3T<T>& M, const Mat3T<T>& W, const Vec3T<T>& V,
                                            const Vec3T<T>& normal, bool immovable) {
  const Vec3T<T> n = unit_normal<T>(normal);
  const T V_n = dot3<T>(n, V);
  // With rounding errors, a slip that stops would turn through the immovable direction and never be detected as
  // stopped. This direction therefore becomes axis 3 exactly.
  Vec3T<T> still;
  if (immovable) still = localize_detail::immovable_tangent<T>(W, n);
  const bool planar = immovable && dot3<T>(still, still) > T(0);
  const LocalTangents<T> tangents = local_tangents<T>(V, n, V_n, planar ? &still : nullptr);
  const Vec3T<T>&t = tangents.t, &b = tangents.b;
  Local<T> local;
  for (int i = 0; i < 3; ++i) {
    local.R(i, 0) = n(i);
    local.R(i, 1) = t(i);
    local.R(i, 2) = b(i);
  }
  local.V = Vec3T<T>(V_n, -tangents.s, T(0));
  localize_detail::rotate_both(M, W, n, t, b, local.M, local.W);
  if (planar) {
    for (int i = 0; i < 3; ++i) local.M(i, 2) = local.M(2, i) = local.W(i, 2) = local.W(2, i) = T(0);
  }
  return local;
}

/// The same from a checked contact. T wider than double repeats the inversion in T from the doubles that were given, so
/// that the conditioning of M costs no accuracy.
template <class T>
[[nodiscard]] RICOCHET_HD Local<T> localize_contact(const Contact& contact) {
  if constexpr (std::is_same_v<T, double>) {
    return localize<double>(contact.M, contact.W, contact.V, contact.n, contact.immovable);
  } else {
    Mat3T<T> M = contact.M.cast<T>();
    Mat3T<T> W = contact.W.cast<T>();
    if constexpr (std::numeric_limits<T>::digits > std::numeric_limits<double>::digits) {
      if (contact.mass_given) {
        inverse_spd_twofold<ProductByHalves>(M, W);
      } else if (!contact.immovable) {
        inverse_spd_twofold<ProductByHalves>(W, M);
      }
    }
    return localize<T>(M, W, contact.V.cast<T>(), contact.n.cast<T>(), contact.immovable);
  }
}

}  // namespace ricochet
