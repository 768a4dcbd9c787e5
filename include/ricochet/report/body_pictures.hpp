#pragma once
/// The bodies of a collision before and after the impact by one law.

#include "ricochet/report/body_picture.hpp"
#include "ricochet/scene/answer.hpp"

namespace ricochet {

struct BodyPictures {
  Plot before, after;         ///< with the same scales of length and speed
  Plot during;                ///< likewise, when an impulse has acted
  bool contact_only = false;  ///< the file gives M or W instead of bodies: the contact is drawn alone
};

/// `P` is the impulse of the picture `during`. `answer` must have an outcome.
[[nodiscard]] Expected<BodyPictures> body_pictures(const Collision& collision, const Answer& answer,
                                                   const Vec3& P = Vec3::Zero());

}  // namespace ricochet
