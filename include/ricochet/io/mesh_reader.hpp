#pragma once
/// Convex hulls of mesh files, for shapes of scenes.

#include <functional>
#include <string>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/geometry/hull.hpp"

namespace ricochet {

/// The hull of the file that a scene names. Readers of text are given one, so that they open no file themselves.
using MeshReader = std::function<Expected<Hull>(const std::string& file)>;

/// The hull of corners that a scene lists. Without Qhull it has no faces, so that only its contacts with planes are
/// known, and the points are taken for corners of it as they are.
[[nodiscard]] Expected<Hull> hull_of(const std::vector<Vec3>& points);

/// Looks for the file in `folder`. Fails where this was built without Assimp and Qhull.
[[nodiscard]] MeshReader meshes_in(const std::string& folder);

}  // namespace ricochet
