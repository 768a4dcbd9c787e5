#include "ricochet/geometry/convex_hull.hpp"

#include <libqhull_r/qhull_ra.h>

#include <cstdio>
#include <limits>
#include <map>
#include <memory>

namespace ricochet {
namespace {

/// Qhull, which keeps its state and its memory here; its words go nowhere.
class Qhull {
 public:
  Qhull() : nowhere_(std::fopen("/dev/null", "w")), qh_(std::make_unique<qhT>()) { qh_zero(qh_.get(), nowhere_); }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  ~Qhull() {
    qh_freeqhull(qh_.get(), !qh_ALL);
    int pieces = 0;
    int bytes = 0;
    qh_memfreeshort(qh_.get(), &pieces, &bytes);
    if (nowhere_ != nullptr) std::fclose(nowhere_);
  }

  /// Whether there is a hull. Qt: of triangles; Pp: no word on precision.
  [[nodiscard]] bool run(std::vector<double>& coordinates) {
    std::string command = "qhull Qt Pp";
    return qh_new_qhull(qh_.get(), 3, static_cast<int>(coordinates.size() / 3), coordinates.data(), 0, command.data(),
                        nowhere_, nowhere_) == 0;
  }
  [[nodiscard]] qhT* get() const { return qh_.get(); }

 private:
  FILE* nowhere_;
  std::unique_ptr<qhT> qh_;
};

}  // namespace

Expected<Hull> convex_hull(const std::vector<Vec3>& points) {
  if (points.size() < 4) return fail(ErrorCode::invalid, "points", "", "must be at least four");
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 3)
    return fail(ErrorCode::out_of_range, "points", "", "are too many");
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points) {
    if (!p.allFinite()) return fail(ErrorCode::out_of_range, "points", "", "must be finite");
    for (const double x : p) coordinates.push_back(x);
  }
  Qhull qhull;
  if (!qhull.run(coordinates)) return fail(ErrorCode::invalid, "points", "", "must not lie in one plane");
  Hull hull;
  std::map<int, int> place;
  const auto vertex = [&](int id) {
    const auto [at, is_new] = place.emplace(id, static_cast<int>(hull.vertices.size()));
    if (is_new) hull.vertices.push_back(points[static_cast<std::size_t>(id)]);
    return at->second;
  };
  const qhT* qh = qhull.get();
  for (const facetT* facet = qh->facet_list; facet != nullptr && facet->next != nullptr; facet = facet->next) {
    const int size = qh_setsize(qhull.get(), facet->vertices);
    if (size != 3) continue;
    std::array<int, 3> face{};
    for (int k = 0; k < 3; ++k) {
      const auto* v = static_cast<const vertexT*>(facet->vertices->e[k].p);
      face[static_cast<std::size_t>(k)] = vertex(qh_pointid(qhull.get(), v->point));
    }
    hull.faces.push_back(face);
  }
  if (hull.faces.empty()) return fail(ErrorCode::invalid, "points", "", "must not lie in one plane");
  index_vertices(hull);
  return hull;
}

}  // namespace ricochet
