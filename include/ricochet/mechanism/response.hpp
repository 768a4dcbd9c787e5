#pragma once
/// Response of a mechanism to an impulse at one of its contacts, docs/mechanisms.md. With generalised speeds u, mass
/// matrix 𝓜 and contact Jacobian J (V = J u, world axes), M11 Eq. 2.5:
///   L = 𝓜⁻¹ Jᵀ,   W = J L,   Δu = L P.                                                                  (G1)
/// W is singular where the mechanism cannot move its contact point (a planar linkage, a hinge): the W form of a
/// contact.

#include <functional>
#include <string>
#include <vector>

#include "ricochet/base/linear.hpp"
#include "ricochet/contact/contact.hpp"

namespace ricochet {

using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

/// A possible contact of two bodies of the same or of different systems. Both are struck at one point, so that neither
/// a gap nor an overlap changes momentum or slip.
struct ContactPoint {
  std::string first, second;            ///< names of the bodies or geometries; "world" for the fixed world
  std::string first_body, second_body;  ///< of the bodies, where the above are shapes; may be empty
  Vec3 point = Vec3::Zero();            ///< world [m]
  Vec3 on_first = Vec3::Zero(), on_second = Vec3::Zero();  ///< nearest points of the surfaces, where they are known [m]
  Vec3 n = Vec3::UnitZ();                                  ///< unit, world, from first to second
  double gap = 0;                                          ///< distance along n [m]; negative: they overlap
  MatX J;               ///< 3 × dof, world axes: velocity of second at `point` relative to first's = J u
  bool patch = false;   ///< face on face: `point` is one of many equally near points
  bool within = false;  ///< both bodies move and belong to one mechanism
};

/// The contacts within reach, and the pairs of which that is not known.
struct FoundContacts {
  std::vector<ContactPoint> points;
  std::vector<Error> uncertain;  ///< each names its pair
};

/// X ↦ 𝓜⁻¹ X, by a dense factor or by a sweep over the tree.
using MassSolver = std::function<MatX(const MatX&)>;

struct Response {
  MatX L;           ///< dof × 3
  Mat3 W;           ///< world axes [1/kg]
  Vec3 V;           ///< V⁻, world axes [m/s]
  VecX u;           ///< before
  Contact contact;  ///< the local problem, ready for any law

  /// Speeds after the impulse P (world axes, on the second body).
  [[nodiscard]] VecX after(const Vec3& P) const { return u + L * P; }
};

/// Fails on inconsistent sizes, on W = 0 and where contact_from_mobility fails.
[[nodiscard]] Expected<Response> respond(const MassSolver& solve, const ContactPoint& at, const VecX& u);

}  // namespace ricochet
