#include "ricochet/contact/contact.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "ricochet/base/constants.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/contact/check_kernel.hpp"
#include "ricochet/contact/localize_kernel.hpp"

namespace ricochet {
namespace {

tl::unexpected<Error> refused_normal(ContactFault fault, const Vec3& n, std::string_view path) {
  if (fault == ContactFault::normal_not_finite)
    return fail(ErrorCode::out_of_range, std::string(path), to_text(n), "every component must be finite");
  return fail(ErrorCode::invalid, std::string(path), to_text(n), "must not be the zero vector");
}

tl::unexpected<Error> refused(ContactFault fault, const char* name, const Mat3& A, const Vec3& V, const Vec3& n) {
  switch (fault) {
    case ContactFault::matrix_not_finite:
      return fail(ErrorCode::out_of_range, name, to_text(A), "every entry must be finite");
    case ContactFault::velocity_not_finite:
      return fail(ErrorCode::out_of_range, "V", to_text(V), "every component must be finite");
    case ContactFault::normal_not_finite:
    case ContactFault::normal_zero: return refused_normal(fault, n, "n");
    case ContactFault::not_symmetric:
    case ContactFault::none: break;
  }
  return fail(ErrorCode::invalid, name, to_text(A), "must be symmetric");
}

/// Checks A, V and n and inverts A. The processor's fused multiply-add changes no bit of the inverse.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
[[gnu::target("fma"), gnu::flatten]] CheckedNumbers<double> check_fused(Mat3& A, Mat3& X, const Vec3& V, Vec3& n) {
  return check_and_invert<ProductFused>(A, X, V, n);
}
const bool fused = __builtin_cpu_supports("fma") != 0;
CheckedNumbers<double> check(Mat3& A, Mat3& X, const Vec3& V, Vec3& n) {
  return fused ? check_fused(A, X, V, n) : check_and_invert(A, X, V, n);
}
#else
CheckedNumbers<double> check(Mat3& A, Mat3& X, const Vec3& V, Vec3& n) { return check_and_invert(A, X, V, n); }
#endif

/// The inverse of a matrix of which `check` is not sure. Extended precision has a larger range of exponents.
void invert_doubtful(const Mat3& A, Mat3& X) {
  if (!in_twofold_reach(A.trace()) || !X.allFinite()) inverse_spd<long double>(A, X);
}

/// Decides by the eigenvalues what `invert_if_clear` leaves open; W is its inverse of M.
Expected<void> check_conditioning_of_mass(const Mat3& M, const Mat3& W) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(0.5 * (M + M.transpose()), Eigen::EigenvaluesOnly);
  const Vec3 lambda = eigen.eigenvalues();
  if (!lambda.allFinite())
    return fail(ErrorCode::overflow, "M", to_text(M), "is too large for double precision; use other units");
  if (!(lambda(0) > 0)) {
    return fail(
        ErrorCode::invalid, "M", to_text(M),
        fmt::format("must be symmetric positive definite, but its smallest eigenvalue is {}; where all mass lies "
                    "on a line through the contact no M determines the outcome",
                    lambda(0)));
  }
  if (lambda(0) < singular_floor * lambda(2)) {
    return fail(ErrorCode::invalid, "M", to_text(M),
                fmt::format("is singular to working precision (condition number {:.3g}); give W, the inverse, instead",
                            lambda(2) / lambda(0)));
  }
  if (!W.allFinite()) return fail(ErrorCode::overflow, "M", to_text(M), "has no finite inverse in double precision");
  return {};
}

/// The same for a mobility, of which `contact` holds W and, from `invert_if_clear`, a tentative M. Where W is singular
/// M becomes its pseudo-inverse.
Expected<void> complete_from_eigenvalues(const Mat3& W, const Vec3& V, Contact& contact) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(0.5 * (W + W.transpose()));
  const Vec3 lambda = eigen.eigenvalues();
  const double floor = singular_floor * lambda(2);
  if (!(lambda(2) > 0))
    return fail(ErrorCode::invalid, "W", to_text(W), "must have at least one direction in which the contact can move");
  if (lambda(0) < -floor)
    return fail(ErrorCode::invalid, "W", to_text(W),
                fmt::format("must be positive semidefinite, but its smallest eigenvalue is {}", lambda(0)));
  if (lambda(0) > floor) {
    if (!contact.M.allFinite())
      return fail(ErrorCode::overflow, "W", to_text(W), "has no finite inverse in double precision");
    return {};
  }
  contact.immovable = true;
  Vec3 mass = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = eigen.eigenvectors().col(i);
    if (lambda(i) > floor) {
      mass(i) = 1 / lambda(i);
    } else if (std::abs(axis.dot(V)) > 1e-9 * V.norm()) {
      return fail(ErrorCode::invalid, "V", to_text(V),
                  fmt::format("must not move along {}, where W says that the contact is immovable", to_text(axis)));
    }
  }
  contact.M = eigen.eigenvectors() * mass.asDiagonal() * eigen.eigenvectors().transpose();
  return {};
}

}  // namespace

Expected<void> check_normal(const Vec3& n, std::string_view path) {
  const ContactFault fault = normal_fault(n);
  if (fault != ContactFault::none) return refused_normal(fault, n, path);
  return {};
}

Expected<Contact> contact_from_mass(const Mat3& M, const Vec3& V, const Vec3& n) {
  Expected<Contact> made(tl::in_place);
  Contact& contact = *made;
  contact.M = M;
  contact.V = V;
  contact.n = n;
  contact.mass_given = true;
  const CheckedNumbers<double> checked = check(contact.M, contact.W, V, contact.n);
  if (checked.fault != ContactFault::none) {
    made = refused(checked.fault, "M", M, V, n);
  } else if (!checked.clear) {
    invert_doubtful(contact.M, contact.W);
    if (const auto fine = check_conditioning_of_mass(M, contact.W); !fine) made = tl::unexpected(fine.error());
  }
  return made;
}

Expected<Contact> contact_from_mobility(const Mat3& W, const Vec3& V, const Vec3& n) {
  Expected<Contact> made(tl::in_place);
  Contact& contact = *made;
  contact.W = W;
  contact.V = V;
  contact.n = n;
  contact.mass_given = false;
  const CheckedNumbers<double> checked = check(contact.W, contact.M, V, contact.n);
  if (checked.fault != ContactFault::none) {
    made = refused(checked.fault, "W", W, V, n);
  } else if (!checked.clear) {
    invert_doubtful(contact.W, contact.M);
    if (const auto fine = complete_from_eigenvalues(W, V, contact); !fine) made = tl::unexpected(fine.error());
  }
  return made;
}

template <class T>
Local<T> localize(const Contact& contact) {
  return localize_contact<T>(contact);
}

template Local<double> localize<double>(const Contact&);
template Local<long double> localize<long double>(const Contact&);

}  // namespace ricochet
