#pragma once
/// The two bodies at the moment of contact, with velocities: what hit what.
///
/// A body is known by its mass and inertia, not by its shape, so it is drawn as the ball (equal moments) or else the
/// box of uniform density that has them:  half length aᵢ² = 3/(2m) (Jⱼ + Jₖ − Jᵢ). (R1) Seen in parallel projection
/// from the side: n is up, the initial slip goes to the right.

#include <string>

#include "ricochet/contact/between.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

struct BodyPicture {
  BodyPair bodies;  ///< as they move in this picture
  Vec3 point = Vec3::Zero();
  Vec3 n = Vec3::UnitZ();
  Vec3 right = Vec3::UnitX();  ///< across n; the page's axis to the right
  std::string name_A = "A", name_B = "B";
  std::string title = {};
  double longest = 0;  ///< speed of the longest arrow in both pictures of a pair [m/s]; 0: of this one
};

/// The page's axis to the right for this contact: along the slip, or any tangent where there is none.
[[nodiscard]] Vec3 slip_direction(const Contact& contact);

/// The fastest of the speeds that a picture shows.
[[nodiscard]] double fastest(const BodyPicture& picture);

/// Fails on bodies that cannot exist.
[[nodiscard]] Expected<Plot> draw_bodies(const BodyPicture& picture);

/// Half lengths along the principal axes (R1), and the axes as columns, in body axes.
struct EquivalentBox {
  Vec3 half;
  Mat3 axes;
  bool ball = false;  ///< then `half` holds its radius three times
};
[[nodiscard]] EquivalentBox equivalent_box(const RigidBody& body);

}  // namespace ricochet
