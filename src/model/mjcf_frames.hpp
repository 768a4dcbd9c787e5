#pragma once
/// Poses in MJCF, and frames, which older versions of MuJoCo do not have: what a frame holds is moved and turned by it.

#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <functional>
#include <numbers>
#include <string>

#include "mjcf_document.hpp"
#include "ricochet/base/linear.hpp"

namespace ricochet {

/// How the compiler reads angles.
struct MjcfAngles {
  double unit = std::numbers::pi / 180;  ///< [rad]
  std::string sequence = "xyz";
};
/// Fails on a sequence that is none.
[[nodiscard]] Expected<MjcfAngles> angles_of(const tinyxml2::XMLElement& top);

struct MjcfPose {
  Vec3 position = Vec3::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();

  [[nodiscard]] MjcfPose of(const MjcfPose& inner) const {
    return {position + rotation * inner.position, rotation * inner.rotation};
  }
};

/// An attribute by its name; empty where there is none.
using MjcfAttribute = std::function<std::string(const char*)>;

[[nodiscard]] Eigen::Quaterniond turn_of(const MjcfAngles& angles, const Vec3& euler);

/// The pose that pos and one of quat, axisangle, xyaxes, zaxis and euler give. `at` is named in errors.
[[nodiscard]] Expected<MjcfPose> pose_of(const tinyxml2::XMLElement& at, const MjcfAttribute& find,
                                         const MjcfAngles& angles);
/// As pos and quat, instead of what it has.
void set_pose(tinyxml2::XMLElement& at, const MjcfPose& pose);

/// Applies all frames of the bodies of the world to what they hold.
[[nodiscard]] Expected<void> dissolve_frames(tinyxml2::XMLElement& top, MjcfRemarks& remarks);

}  // namespace ricochet
