#pragma once
/// Landmarks of impulse space and the permissible region of one contact, CR98 sections 3.1, 3.2 and 3.5,
/// docs/impulse-space.md. All in the coordinates of the contact.

#include <array>
#include <optional>
#include <string_view>

#include "ricochet/contact/contact.hpp"
#include "ricochet/space/centroid.hpp"
#include "ricochet/space/certificate.hpp"
#include "ricochet/space/region.hpp"

namespace ricochet {

/// { P : normal·P = offset }.
struct Plane {
  Vec3 point;
  Vec3 normal;  ///< unit; points to the side of separation
  double offset;
};

/// The surface of constant contact energy (P − centre)ᵀ W (P − centre) = 2 energy.                     (S4)
struct Ellipsoid {
  struct HalfAxis {
    Vec3 direction;  ///< unit eigenvector of M
    double length;   ///< √(2 energy · eigenvalue of M); infinite where the contact cannot move
  };
  Vec3 centre;
  std::array<HalfAxis, 3> half_axes;  ///< the longest first
};

/// Impulses that leave V⁺ along n. For regular W the line through P_II along M n. Where W is singular its null
/// directions are added; and where n is not in the range of W, no impulse gives a nonzero V⁺ along n, so `direction` is
/// empty and only the null directions remain.
struct StickingLine {
  Vec3 point;
  std::optional<Vec3> direction;  ///< unit
  std::array<Vec3, 2> null{};     ///< unit null vectors of W, the first null_count of them
  int null_count = 0;
};

struct FrictionCone {
  Vec3 axis;  ///< n
  double mu;
  double half_angle;  ///< atan μ
};

struct ImpulseSpace {
  Contact contact;
  double mu = 0;
  double energy = 0;  ///< ½ VᵀMV [J]
  Vec3 P_I;           ///< frictionless, no rebound: CR98 Eq. 3
  Vec3 P_II;          ///< no slip, no rebound: CR98 Eq. 4
  Ellipsoid ellipsoid;
  Plane maximum_compression;
  StickingLine sticking;
  FrictionCone cone;

  /// Impulses after which n·V⁺ = −e n·V⁻; e = 0 is the plane of maximum compression.
  [[nodiscard]] Plane restitution_plane(double e) const;
};

/// Fails on a contact that does not approach (field V) and on μ out of range (mu).
[[nodiscard]] Expected<ImpulseSpace> impulse_space(const Contact& contact, double mu);

/// The four conditions on P.
[[nodiscard]] Certificate certify(const Contact& contact, const Vec3& P, double mu);

struct BoundaryHit {
  double distance = 0;  ///< in units of the direction given; infinite if the region is unbounded there
  Boundary boundary = Boundary::none;
  Vec3 P = Vec3::Zero();  ///< the boundary point; `from` where there is none
};

[[nodiscard]] std::string_view name(Boundary boundary);

/// From a point of the region along a direction to the boundary. At μ = 0 the region is a segment of the normal, and
/// every other direction ends at distance 0 (friction).
[[nodiscard]] Expected<BoundaryHit> boundary_along(const Contact& contact, double mu, const Vec3& from,
                                                   const Vec3& direction);

struct Rebound {
  double e = 0;
  Vec3 P = Vec3::Zero();
  Boundary boundary = Boundary::energy;
};

/// The greatest kinematic restitution in the permissible region, and the impulse that attains it (CR98 3.5, Fig. 9).
/// Never below 1, which 2 P_I attains.
[[nodiscard]] Expected<Rebound> highest_rebound(const Contact& contact, double mu);

}  // namespace ricochet
