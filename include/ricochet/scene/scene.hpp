#pragma once
/// A scene: bodies with shapes, their contacts and hinges (docs/simultaneous.md, docs/command-line.md).

#include <string>
#include <vector>

#include "ricochet/geometry/shape.hpp"
#include "ricochet/simultaneous/body_scene.hpp"

namespace ricochet {

struct Scene {
  std::string title;
  std::vector<std::string> names;  ///< of the bodies
  std::vector<Shape> shapes;       ///< as above
  BodyScene arrangement;
  std::vector<std::string> laws;         ///< name of each contact's
  std::vector<LawParameters> settings;   ///< as above: the parameters of its law, possibly with others
  std::vector<long long> hinge_lines;    ///< their lines in the file
  std::vector<long long> contact_lines;  ///< as above
};

}  // namespace ricochet
