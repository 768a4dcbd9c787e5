#include "ricochet/io/mesh_reader.hpp"

#include <filesystem>
#include <system_error>

#ifdef RICOCHET_HAVE_URDF
#include "model/mesh_file.hpp"
#include "ricochet/geometry/convex_hull.hpp"
#endif

namespace ricochet {

Expected<Hull> hull_of(const std::vector<Vec3>& points) {
#ifdef RICOCHET_HAVE_URDF
  return convex_hull(points);
#else
  if (points.empty()) return fail(ErrorCode::invalid, "points", "", "must be at least four");
  Hull hull;
  hull.vertices = points;
  index_vertices(hull);
  return hull;
#endif
}

MeshReader meshes_in(const std::string& folder) {
  return [folder](const std::string& file) -> Expected<Hull> {
    const std::string path = (std::filesystem::path(folder) / file).string();
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem))
      return fail(ErrorCode::file_access, "file", path, "there is no such file");
#ifdef RICOCHET_HAVE_URDF
    const auto points = read_mesh(path);
    if (!points) return tl::unexpected(points.error());
    return convex_hull(*points);
#else
    return fail(ErrorCode::unavailable, "file", path,
                "cannot be read: this program was built without liburdfdom-dev, libassimp-dev and libqhull-dev");
#endif
  };
}

}  // namespace ricochet
