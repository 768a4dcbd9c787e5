#pragma once
/// The bodies of a collision before and after the impact by one law.

#include "ricochet/report/body_picture.hpp"
#include "ricochet/scene/answer.hpp"

namespace ricochet {

struct BodyPictures {
  Plot before, after;     ///< with the same scales of length and speed
  bool realized = false;  ///< the file gives M instead of bodies; these two bodies have that M
};

/// Fails where no two bodies of finite mass and inertia have this contact (field W or M). `answer` must have an
/// outcome.
[[nodiscard]] Expected<BodyPictures> body_pictures(const Collision& collision, const Answer& answer);

}  // namespace ricochet
