#pragma once
/// The two bodies at the moment of contact, with velocities.
///
/// A body is known by its mass and inertia, not by its shape, so it is drawn as the ball (equal moments) or else the
/// box of uniform density that has them, with half lengths aᵢ² = 3/(2m) (Jⱼ + Jₖ − Jᵢ). Where the contact is outside of
/// it, an arm leads there. The view is a parallel projection from the side: n is up, the initial slip goes to the
/// right.

#include <string>

#include "ricochet/contact/between.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

struct BodyPicture {
  BodyPair bodies;  ///< with the velocities of this picture
  Vec3 point = Vec3::Zero();
  Vec3 n = Vec3::UnitZ();
  Vec3 right = Vec3::UnitX();  ///< perpendicular to n; points right on the page
  std::string name_A = "A", name_B = "B";
  std::string title = {};
  double longest = 0;    ///< speed of the longest arrow in both pictures of a pair [m/s]; 0: of this one
  double most_spin = 0;  ///< seen from the side, in both pictures of a pair [rad/s]; 0: of this one
};

/// The contact alone, where the bodies are not known: V of B relative to A, and the impulse on B so far.
struct ContactPicture {
  Vec3 V = Vec3::Zero(), P = Vec3::Zero();
  Vec3 n = Vec3::UnitZ(), right = Vec3::UnitX();
  std::string title = {};
  double longest = 0;          ///< as above [m/s]
  double largest_impulse = 0;  ///< [N s]; 0: no impulse is drawn
};

/// The direction that points right on the page: along the slip, or an arbitrary tangent without slip.
[[nodiscard]] Vec3 slip_direction(const Contact& contact);

/// The largest speed shown in a picture.
[[nodiscard]] double fastest(const BodyPicture& picture);

/// The largest spin about the line of sight [rad/s].
[[nodiscard]] double fastest_spin(const BodyPicture& picture);

/// Fails on invalid bodies.
[[nodiscard]] Expected<Plot> draw_bodies(const BodyPicture& picture);

[[nodiscard]] Plot draw_contact(const ContactPicture& picture);

/// Half lengths along the principal axes, and the axes as columns, in body axes.
struct EquivalentBox {
  Vec3 half;
  Mat3 axes;
  bool ball = false;  ///< `half` then contains the radius three times
};
[[nodiscard]] EquivalentBox equivalent_box(const RigidBody& body);

}  // namespace ricochet
