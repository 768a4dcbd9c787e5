#pragma once
/// What a robot file holds, for people and for whoever moves the robot.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/geometry/convex_shape.hpp"
#include "ricochet/geometry/field_contact.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

struct RobotDescription {
  struct Body {
    std::string name, parent;
    double mass = 0;  ///< [kg]
  };
  struct Joint {
    std::string name, type, body;
    int position = 0, positions = 0;                 ///< first entry of q, and how many
    int speed = 0, speeds = 0;                       ///< as above of u
    std::optional<std::pair<double, double>> range;  ///< of q; not enforced
  };
  struct ShapeName {
    std::string name, body, kind;
    bool collides = true;
  };
  struct Loop {
    std::string name, kind;
  };
  std::string format;  ///< "MJCF" or "URDF"
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<ShapeName> shapes;
  std::vector<Loop> loops;
  std::vector<std::string> keyframes;
  std::vector<std::string> honoured;  ///< what the dynamics of an impact takes into account
  std::vector<std::string> ignored;   ///< what it does not, though the file has it
  std::vector<std::string> left_out;  ///< while reading
};

/// A joint by which a root moves along gravity.
struct FloatingRoot {
  std::string name;
  int position = 0, speed = 0;  ///< first entries in q and u: three of a free joint, one of a slide
  bool free = true;
  Vec3 axis = Vec3::UnitZ();     ///< of a slide, world
  Mat3 axes = Mat3::Identity();  ///< of the three of a free joint: columns, world
};

/// A shape of a robot in its present state.
struct LinkShape {
  std::string name, body;
  int shape_id = 0, link = 0;                          ///< as the robot numbers them
  bool fixed = false;                                  ///< to the world
  bool collides = true;                                ///< with anything that the file has
  ConvexShape shape;                                   ///< of a height field its convex hull
  std::shared_ptr<const HeightField> field = nullptr;  ///< where it is one, fixed to the world

  [[nodiscard]] Solid solid() const { return {shape, field}; }
};

/// A state that the file names.
struct Keyframe {
  std::string name;
  VecX q, u;
};

}  // namespace ricochet
