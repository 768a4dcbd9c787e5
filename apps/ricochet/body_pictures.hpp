#pragma once
/// What hit what: the bodies of a collision before and after one law's answer.

#include "answer.hpp"
#include "ricochet/report/body_picture.hpp"

namespace ricochet::app {

struct BodyPictures {
  Plot before, after;     ///< to one scale of lengths and one of speeds
  bool realized = false;  ///< the file gives M and no bodies; these are two that have it
};

/// Fails where no two bodies of finite mass and inertia have this contact (field W or M). `answer` must have an
/// outcome.
[[nodiscard]] Expected<BodyPictures> body_pictures(const Collision& collision, const Answer& answer);

}  // namespace ricochet::app
