#pragma once
/// Bodies A and B touch at one point, reduced to contact space (docs/notation.md):
///   V⁺ = V⁻ + W P,  W = M⁻¹                                                                            (C1)
/// V is B's contact-point velocity relative to A's, P acts on B, n points from A to B: n·V > 0 separates.

#include <string_view>

#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet {

/// A validated contact problem. Construct it with `contact_from_mass`, `contact_from_mobility` or `contact_between`
/// (contact/between.hpp); the laws rely on what those establish: finite entries, M and W symmetric, W positive
/// semidefinite, n a unit vector, V in the range of W.
struct Contact {
  Mat3 M = Mat3::Identity();  ///< local mass matrix [kg]; the pseudo-inverse of W where W is singular
  Mat3 W = Mat3::Identity();  ///< local mobility [1/kg]
  Vec3 V = Vec3::Zero();      ///< V⁻ [m/s]
  Vec3 n = Vec3::UnitX();     ///< unit normal, from A to B
  Vec3 spin = Vec3::Zero();   ///< angular velocity of B minus A's [rad/s]; zero where it is not known
  bool mass_given = true;     ///< M was the input and W follows from it; otherwise vice versa
  bool immovable = false;     ///< W is singular: the contact cannot move in some direction (CR98 footnote 2, Fig. 8)

  /// Not defaulted: `Contact()` would then first clear all of it.
  Contact() {}  // NOLINT(modernize-use-equals-default)

  [[nodiscard]] double approach_speed() const { return -n.dot(V); }
};

/// Finite and not zero, of any length; `path` names it in errors.
[[nodiscard]] Expected<void> check_normal(const Vec3& n, std::string_view path = "n");

/// M must be symmetric positive definite to working precision: reciprocal condition above 1e-14. A singular M (all mass
/// of a body on a line through the contact) leaves ΔV undetermined by P, which is an error.
[[nodiscard]] Expected<Contact> contact_from_mass(const Mat3& M, const Vec3& V, const Vec3& n);

/// W must be symmetric positive semidefinite. Singular W (hinges, immovable directions) is accepted when V lies in its
/// range, that is, if the approach does not violate the constraint.
[[nodiscard]] Expected<Contact> contact_from_mobility(const Mat3& W, const Vec3& V, const Vec3& n);

/// The contact seen from its own axes, CR98 section 2: 1 along n, 2 against the tangential part of V, 3 = 1 × 2.
/// V = (V_n, −s, 0) with slip speed s ≥ 0. A slip within rounding of zero is zero, and direction 2 then arbitrary.
template <class T>
struct Local {
  using Number = T;
  Mat3T<T> M, W;
  Vec3T<T> V;
  Mat3T<T> R;  ///< columns are the axes: x_input = R x_local
};

/// T wider than double repeats the inversion and the rotation in T from the doubles that were given, so that the
/// conditioning of M costs no accuracy.
template <class T>
[[nodiscard]] Local<T> localize(const Contact& contact);

extern template Local<double> localize<double>(const Contact&);
extern template Local<long double> localize<long double>(const Contact&);

}  // namespace ricochet
