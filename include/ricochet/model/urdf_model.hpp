#pragma once
/// Mechanisms from URDF files, read by urdfdom into a `Tree`, their meshes by Assimp. Target ricochet_urdf;
/// docs/robots.md.

#include <Eigen/Geometry>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/mechanism/articulated.hpp"
#include "ricochet/mechanism/robot_description.hpp"

namespace ricochet {

enum class UrdfBase : std::uint8_t {
  by_rule,  ///< free, unless the root is called world, or neither it nor what is fixed to it has mass
  free,
  fixed,
};

struct UrdfOptions {
  std::map<std::string, std::string> packages;  ///< folders of ROS packages, before all others
  UrdfBase base = UrdfBase::by_rule;
};

/// A joint of the file, or the floating root.
struct UrdfJoint {
  std::string name;
  JointType type = JointType::fixed;  ///< of a planar joint the last of its three, revolute
  int link = -1;                      ///< the link that it carries
  Vec3 origin = Vec3::Zero();         ///< of a free one: its place as drawn, in the parent\'s frame
  Eigen::Quaterniond attitude = Eigen::Quaterniond::Identity();
  int position = 0, positions = 0;  ///< first entry in q, and how many
  int speed = 0, speeds = 0;        ///< as above in u
};

/// q and u of one joint follow another's: q = multiplier q_of + offset. Without another, −1, it stays at the offset.
struct UrdfMimic {
  int position = 0, speed = 0;
  int position_of = 0, speed_of = 0;
  double multiplier = 1, offset = 0;
};

/// A collision shape, in the frame of its link.
struct UrdfShape {
  std::string name;
  int link = 0;
  ConvexShape shape;
};

struct UrdfModel {
  Tree tree;
  std::vector<UrdfJoint> joints;  ///< those that move
  std::vector<UrdfMimic> mimics;
  std::vector<UrdfShape> shapes;
  std::vector<int>
      rigid;          ///< of each link: the first of the links that are fixed to each other; −1: fixed to the world
  VecX damping;       ///< of each speed
  VecX dry_friction;  ///< as above
  RobotDescription description;

  /// All joints at zero, free ones as drawn, mimics as they follow.
  [[nodiscard]] VecX reference() const;
  /// q with mimics as they follow.
  [[nodiscard]] VecX follow(VecX q) const;
  /// u with mimics as they follow.
  [[nodiscard]] VecX follow_speeds(VecX u) const;
  /// G u = 0: one row for each mimic.
  [[nodiscard]] MatX constraints() const;
  /// Shapes of one rigid piece, and of pieces that a joint other than a floating one connects, do not collide.
  [[nodiscard]] bool may_collide(std::size_t shape_a, std::size_t shape_b) const;
};

/// `file` is where the text comes from: paths of meshes start at its folder.
[[nodiscard]] Expected<UrdfModel> read_urdf(std::string_view text, const std::string& file,
                                            const UrdfOptions& options = {});

}  // namespace ricochet
