#include "ricochet/contact/contact.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "ricochet/base/text.hpp"

namespace ricochet {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Inverse of a symmetric positive definite matrix by Cholesky (LDLᵀ without pivoting), in the scalar's own precision.
/// Backward stable, which the adjugate formula is not.
template <class T>
Mat3T<T> inverse_spd(const Mat3T<T>& A) {
  const T d0 = A(0, 0);
  const T l10 = A(1, 0) / d0;
  const T l20 = A(2, 0) / d0;
  const T d1 = A(1, 1) - l10 * A(1, 0);
  const T u21 = A(2, 1) - l20 * A(1, 0);
  const T l21 = u21 / d1;
  const T d2 = A(2, 2) - l20 * A(2, 0) - l21 * u21;
  // A⁻¹ = L⁻ᵀ D⁻¹ L⁻¹ with L⁻¹ = [[1,0,0],[−l10,1,0],[c,−l21,1]].
  const T c = l10 * l21 - l20;
  Mat3T<T> X;
  X(2, 2) = T(1) / d2;
  X(1, 2) = X(2, 1) = -l21 / d2;
  X(0, 2) = X(2, 0) = c / d2;
  X(1, 1) = T(1) / d1 + l21 * l21 / d2;
  X(0, 1) = X(1, 0) = -l10 / d1 - c * l21 / d2;
  X(0, 0) = T(1) / d0 + l10 * l10 / d1 + c * c / d2;
  return X;
}

struct Checked {
  Mat3 A;
  Vec3 V, n;
};

Expected<Checked> check(const char* name, const Mat3& A, const Vec3& V, const Vec3& n) {
  if (!A.allFinite()) return fail(name, to_text(A), "every entry must be finite");
  if (!V.allFinite()) return fail("V", to_text(V), "every component must be finite");
  if (!n.allFinite()) return fail("n", to_text(n), "every component must be finite");
  const double length = n.stableNorm();
  if (!(length > std::numeric_limits<double>::min())) return fail("n", to_text(n), "must not be the zero vector");
  const double size = A.cwiseAbs().maxCoeff();
  if ((A - A.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size) return fail(name, to_text(A), "must be symmetric");
  Checked c{0.5 * (A + A.transpose()), V, n};
  if (std::abs(length - 1) > 2 * eps) c.n = (n / length).normalized();
  return c;
}

}  // namespace

Expected<Contact> contact_from_mass(const Mat3& M, const Vec3& V, const Vec3& n) {
  const auto checked = check("M", M, V, n);
  if (!checked) return tl::unexpected(checked.error());
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(checked->A, Eigen::EigenvaluesOnly);
  const Vec3 lambda = eigen.eigenvalues();
  if (!lambda.allFinite()) return fail("M", to_text(M), "is too large for double precision; use other units");
  if (!(lambda(0) > 0)) {
    return fail(
        "M", to_text(M),
        fmt::format("must be symmetric positive definite, but its smallest eigenvalue is {}; where all mass lies "
                    "on a line through the contact no M determines the outcome",
                    lambda(0)));
  }
  if (lambda(0) < 1e-14 * lambda(2)) {
    return fail("M", to_text(M),
                fmt::format("is singular to working precision (condition number {:.3g}); give W, the inverse, instead",
                            lambda(2) / lambda(0)));
  }
  Contact contact;
  contact.M = checked->A;
  contact.W = inverse_spd<long double>(checked->A.cast<long double>()).cast<double>();
  contact.V = checked->V;
  contact.n = checked->n;
  contact.mass_given = true;
  if (!contact.W.allFinite()) return fail("M", to_text(M), "has no finite inverse in double precision");
  return contact;
}

Expected<Contact> contact_from_mobility(const Mat3& W, const Vec3& V, const Vec3& n) {
  const auto checked = check("W", W, V, n);
  if (!checked) return tl::unexpected(checked.error());
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(checked->A);
  const Vec3 lambda = eigen.eigenvalues();
  const double floor = 1e-14 * lambda(2);
  if (!(lambda(2) > 0)) return fail("W", to_text(W), "must have at least one direction in which the contact can move");
  if (lambda(0) < -floor)
    return fail("W", to_text(W),
                fmt::format("must be positive semidefinite, but its smallest eigenvalue is {}", lambda(0)));
  Contact contact;
  contact.W = checked->A;
  contact.V = checked->V;
  contact.n = checked->n;
  contact.mass_given = false;
  if (lambda(0) > floor) {
    contact.M = inverse_spd<long double>(checked->A.cast<long double>()).cast<double>();
    if (!contact.M.allFinite()) return fail("W", to_text(W), "has no finite inverse in double precision");
    return contact;
  }
  contact.immovable = true;
  Vec3 mass = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = eigen.eigenvectors().col(i);
    if (lambda(i) > floor) {
      mass(i) = 1 / lambda(i);
    } else if (std::abs(axis.dot(V)) > 1e-9 * V.norm()) {
      return fail("V", to_text(V),
                  fmt::format("must not move along {}, where W says that the contact is immovable", to_text(axis)));
    }
  }
  contact.M = eigen.eigenvectors() * mass.asDiagonal() * eigen.eigenvectors().transpose();
  return contact;
}

namespace {

/// A tangent along which nothing moves (a planar linkage has one, across its plane), or zero. Found from W itself: slip
/// says little of it where slip is small.
template <class T>
Vec3T<T> immovable_tangent(const Mat3T<T>& W, const Vec3T<T>& n) {
  using std::abs;
  using std::sqrt;
  Eigen::Index k = 0;
  n.cwiseAbs().minCoeff(&k);
  const Vec3T<T> t1 = (Vec3T<T>::Unit(k) - n(k) * n).normalized();
  const Vec3T<T> t2 = n.cross(t1);
  const T a = t1.dot(W * t1), b = t2.dot(W * t2), c = t1.dot(W * t2);
  T cs = T(1), sn = T(0);  // b cos² + a sin² − 2 c sin cos is an extreme
  if (c != T(0)) {
    const T zeta = (b - a) / (T(2) * c);
    const T slope = (zeta < T(0) ? T(-1) : T(1)) / (abs(zeta) + sqrt(T(1) + zeta * zeta));
    cs = T(1) / sqrt(T(1) + slope * slope);
    sn = slope * cs;
  }
  const Vec3T<T> e1 = cs * t1 - sn * t2, e2 = sn * t1 + cs * t2;
  const T w1 = e1.dot(W * e1), w2 = e2.dot(W * e2);
  const Vec3T<T> least = w1 < w2 ? e1 : e2;
  return (W * least).norm() <= T(1e-14) * W.norm() ? least : Vec3T<T>(Vec3T<T>::Zero());
}

}  // namespace

template <class T>
Local<T> localize(const Contact& contact) {
  using std::abs;
  using std::sqrt;
  Local<T> local;
  const Vec3T<T> V = contact.V.cast<T>();
  const Vec3T<T> n = contact.n.cast<T>().normalized();
  const T V_n = n.dot(V);
  Vec3T<T> V_t = V - V_n * n;
  V_t -= n * n.dot(V_t);
  // Left to rounding, a slip that stops would instead turn about through the immovable direction, and never be seen to
  // stop. So that direction becomes axis 3, exactly.
  Vec3T<T> still = Vec3T<T>::Zero();
  if (contact.immovable) still = immovable_tangent<T>(contact.W.cast<T>(), n);
  const bool planar = still.squaredNorm() > T(0);
  if (planar) V_t -= still * still.dot(V_t);
  const T speed = V.norm();
  T s = V_t.norm();
  Vec3T<T> t;
  if (s > T(4 * eps) * speed) {
    t = -V_t / s;
  } else if (planar) {
    s = T(0);
    t = still.cross(n);
  } else {
    s = T(0);
    Eigen::Index k = 0;
    n.cwiseAbs().minCoeff(&k);
    t = Vec3T<T>::Unit(k) - n(k) * n;
  }
  t -= n * n.dot(t);
  t.normalize();
  local.R.col(0) = n;
  local.R.col(1) = t;
  local.R.col(2) = n.cross(t);
  local.V = Vec3T<T>(V_n, -s, T(0));
  Mat3T<T> M = contact.M.cast<T>();
  Mat3T<T> W = contact.W.cast<T>();
  if constexpr (std::numeric_limits<T>::digits > std::numeric_limits<double>::digits) {
    if (contact.mass_given) {
      W = inverse_spd<T>(M);
    } else if (!contact.immovable) {
      M = inverse_spd<T>(W);
    }
  }
  const auto rotate = [&](const Mat3T<T>& A) {
    const Mat3T<T> AR = A * local.R;
    Mat3T<T> B;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i <= j; ++i) B(i, j) = B(j, i) = local.R.col(i).dot(AR.col(j));
    return B;
  };
  local.M = rotate(M);
  local.W = rotate(W);
  if (planar) {
    for (Mat3T<T>* A : {&local.M, &local.W}) {
      A->row(2).setZero();
      A->col(2).setZero();
    }
  }
  return local;
}

template Local<double> localize<double>(const Contact&);
template Local<long double> localize<long double>(const Contact&);

}  // namespace ricochet
