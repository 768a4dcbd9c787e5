#include "ricochet/geometry/signed_distance.hpp"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/distance.h>
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

#include "ricochet/base/text.hpp"

namespace ricochet {
namespace {

using Core = ConvexShape::Core;
using Geometry = std::unique_ptr<fcl::CollisionGeometryd>;

Geometry convex(const Hull& hull, double scale) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  vertices->reserve(hull.vertices.size());
  for (const Vec3& v : hull.vertices) vertices->emplace_back(v / scale);
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& face : hull.faces) faces->insert(faces->end(), {3, face[0], face[1], face[2]});
  return std::make_unique<fcl::Convexd>(vertices, static_cast<int>(hull.faces.size()), faces);
}

/// The core in units of `scale`, so that FCL's absolute tolerances act as relative ones.
Geometry geometry(const ConvexShape& shape, double scale) {
  const Vec3 s = shape.size / scale;
  switch (shape.core) {
    case Core::half_space: return nullptr;
    case Core::point: return std::make_unique<fcl::Sphered>(0);
    case Core::segment: return std::make_unique<fcl::Capsuled>(0, 2 * s.z());
    case Core::ellipsoid: return std::make_unique<fcl::Ellipsoidd>(s.x(), s.y(), s.z());
    case Core::cylinder: return std::make_unique<fcl::Cylinderd>(s.x(), 2 * s.z());
    case Core::box: return std::make_unique<fcl::Boxd>(2 * s.x(), 2 * s.y(), 2 * s.z());
    case Core::hull: return convex(*shape.hull, scale);
  }
  return nullptr;
}

struct Nearest {
  Vec3 on_A, on_B;
  double drawn_back = 0;  ///< B was moved this far along `along` first; on_B is where it was before
  Vec3 along = Vec3::UnitZ();
};

/// FCL's nearest points of the two cores, B drawn back. A is at the origin.
class Query {
 public:
  Query(const ConvexShape& A, const ConvexShape& B, double scale)
      : a_(geometry(A, scale)), b_(geometry(B, scale)), scale_(scale) {
    at_A_ = fcl::Transform3d::Identity();
    at_A_.linear() = A.rotation;
    at_B_ = fcl::Transform3d::Identity();
    at_B_.linear() = B.rotation;
    at_B_.translation() = B.position / scale;
  }

  [[nodiscard]] std::optional<Nearest> drawn_back(double back, const Vec3& n) const {
    fcl::Transform3d moved = at_B_;
    moved.translation() += back / scale_ * n;
    fcl::DistanceRequestd request(true);
    // FCL's default of 1e-6 stops at the sixth digit; this stops when the distance no longer changes.
    request.distance_tolerance = 1e-15;
    fcl::DistanceResultd result;
    try {
      fcl::distance(a_.get(), at_A_, b_.get(), moved, request, result);
    } catch (const std::exception&) {  // FCL throws where its polytope degenerates
      return std::nullopt;
    }
    // FCL returns −1 for overlapping shapes and for failure.
    if (!(result.min_distance > 0) || !result.nearest_points[0].allFinite() || !result.nearest_points[1].allFinite())
      return std::nullopt;
    return Nearest{scale_ * result.nearest_points[0], scale_ * result.nearest_points[1] - back * n, back, n};
  }

 private:
  Geometry a_, b_;
  fcl::Transform3d at_A_, at_B_;
  double scale_;
};

/// Maximises (G11). The width of the slab is concave with kinks at the normals of faces and across edges, which
/// iteration only approaches; each direction is therefore also tried at the nearby kinks.
class Climb {
 public:
  Climb(const ConvexShape& A, const ConvexShape& B, const Vec3& n)
      : A_(A),
        B_(B),
        size_(core_radius(A) + core_radius(B) + (B.position - A.position).norm()),
        best_{slab(A, B, n), n} {}

  [[nodiscard]] const Slab& best() const { return best_; }

  /// Whether n, or a kink near it, is better than all before.
  bool offer(const Vec3& n) {
    const double before = best_.width;
    for (const Vec3& m : with_kinks(n)) {
      const double width = slab(A_, B_, m);
      if (width > best_.width) best_ = {width, m};
    }
    return best_.width > before;
  }

  /// Newton's method on (G11), along the kink that n is on: FCL stops after about five digits on curved surfaces.
  void polish() {
    for (int i = 0; i < 30; ++i) {
      const auto next = newton();
      if (!next || !offer(next->n)) break;
    }
    // Where corners touch, all n of a cone are equally good, and its rim is a kink: prefer the rim.
    for (const Vec3& m : with_kinks(best_.n)) {
      const double width = slab(A_, B_, m);
      if (width < best_.width - 1e-15 * size_) continue;
      best_ = {width, m};
      break;
    }
    // The width is flat at its maximum; the gradient is more accurate.
    for (int i = 0; i < 5; ++i) {
      const auto next = newton();
      if (!next) return;
      const Slab before = best_;
      best_ = {slab(A_, B_, next->n), next->n};
      const auto there = newton();
      if (there && there->slope < next->slope && best_.width >= before.width - 1e-14 * size_) continue;
      best_ = before;
      return;
    }
  }

 private:
  struct Step {
    Vec3 n;
    double slope;  ///< before the step
  };

  /// With p from A's farthest point to B's, the slope of the width is p across n, and its second derivative −Hσ_A −
  /// Hσ_B − n·p. None where kinks fix n.
  [[nodiscard]] std::optional<Step> newton() const {
    const Vec3 n = best_.n;
    const SupportFace face_A = support_face(A_, n);
    const SupportFace face_B = support_face(B_, -n);
    if (face_A.dimension == 2 || face_B.dimension == 2) return std::nullopt;
    const Vec3 p = core_support(B_, -n) - core_support(A_, n);
    // Directions in which n can turn.
    Vec3 s = n.unitOrthogonal();
    Vec3 t = n.cross(s);
    const bool on_edge = face_A.dimension + face_B.dimension > 0;
    if (on_edge) {
      const Vec3 e = face_A.dimension > 0 ? face_A.edge : face_B.edge;
      if (face_A.dimension > 0 && face_B.dimension > 0 && e.cross(face_B.edge).norm() > 1e-9) return std::nullopt;
      s = e.cross(n).normalized();
      t.setZero();
    }
    const Mat3 H = support_curvature(A_, n) + support_curvature(B_, -n);
    Mat2 down;
    down << s.dot(H * s), s.dot(H * t), t.dot(H * s), t.dot(H * t);
    down.diagonal().array() += n.dot(p);
    if (on_edge) down(1, 1) = 1;
    const Eigen::SelfAdjointEigenSolver<Mat2> axes(down);
    const double least = std::max(1e-14 * size_, 1e-12 * axes.eigenvalues().cwiseAbs().maxCoeff());
    Vec3 next = n;
    double slope = 0;
    for (int k = 0; k < 2; ++k) {
      // Not where corners touch, because every n of a cone is equally good, nor where the overlap exceeds the radius of
      // curvature.
      const double curvature = axes.eigenvalues()(k);
      if (!(curvature > least)) continue;
      const Vec3 along = axes.eigenvectors()(0, k) * s + axes.eigenvectors()(1, k) * t;
      slope = std::hypot(slope, along.dot(p));
      next += along.dot(p) / curvature * along;
    }
    return Step{next.normalized(), slope};
  }

  /// The kinks near n, those with the least freedom first, and n itself.
  [[nodiscard]] std::vector<Vec3> with_kinks(const Vec3& n) const {
    const Kinks of_A = kinks_near(A_, n);
    const Kinks of_B = kinks_near(B_, -n);
    std::vector<Vec3> out = of_A.normals;
    for (const Vec3& m : of_B.normals) out.emplace_back(-m);
    for (const Vec3& e : of_A.edges) {
      for (const Vec3& f : of_B.edges) {
        const Vec3 across = e.cross(f);
        if (across.norm() > 1e-6) out.emplace_back((across.dot(n) < 0 ? -1 : 1) * across.normalized());
      }
    }
    for (const auto* edges : {&of_A.edges, &of_B.edges})
      for (const Vec3& e : *edges) out.emplace_back((n - n.dot(e) * e).normalized());
    out.push_back(n);
    return out;
  }

  const ConvexShape& A_;
  const ConvexShape& B_;
  double size_;
  Slab best_;
};

struct Summit {
  Slab best;
  Nearest found;
};

/// From n to the maximum of (G11) above it.
std::optional<Summit> ascend(const ConvexShape& A, const ConvexShape& B, const Query& query, const Vec3& n) {
  const double radius_A = core_radius(A);
  const double radius_B = core_radius(B);
  const double larger = std::max(radius_A, radius_B);
  const double smaller = std::min(radius_A, radius_B) > 0 ? std::min(radius_A, radius_B) : larger;
  Climb climb(A, B, n);
  // Where the shapes nearly touch, the line between the nearest points does not determine n. B is therefore moved back
  // along the best n so far to a distance at which it does: a proximal step on (G11), which n at the maximum
  // reproduces. Each iteration starts closer and converges faster.
  std::optional<Nearest> found;
  double away = 0.1 * smaller;
  for (int round = 0; round < 14; ++round, away /= 4) {
    for (int i = 0; i < 4; ++i) {
      const Slab before = climb.best();
      const auto nearest = query.drawn_back(std::max(0.0, away - before.width), before.n);
      if (!nearest) break;
      const Vec3 between = nearest->on_B + nearest->drawn_back * nearest->along - nearest->on_A;
      const bool better = climb.offer(between.normalized());
      if (better || !found) found = nearest;
      if (climb.best().width - before.width <= 1e-15 * larger) break;
    }
    if (found && found->drawn_back == 0) break;
  }
  if (!found) return std::nullopt;
  climb.polish();
  return Summit{climb.best(), *found};
}

/// Overlapping shapes can be separated in several directions: where to start the search for the shortest.
std::vector<Vec3> all_round(const ConvexShape& A, const ConvexShape& B) {
  std::vector<Vec3> out;
  for (const Mat3& axes : {A.rotation, B.rotation}) {
    for (int k = 0; k < 3; ++k)
      for (const double sense : {-1.0, 1.0}) out.emplace_back(sense * axes.col(k));
    for (int corner = 0; corner < 8; ++corner)
      out.emplace_back(axes * Vec3((corner & 1) - 0.5, (corner >> 1 & 1) - 0.5, (corner >> 2 & 1) - 0.5).normalized());
  }
  return out;
}

}  // namespace

Expected<void> check_certain(const SignedDistance& found, const ConvexShape& A, const ConvexShape& B) {
  if (found.uncertainty <= 1e-9 * std::max(core_radius(A), core_radius(B))) return {};
  return fail(ErrorCode::not_converged, "shape", "",
              fmt::format("FCL's distance is not certain: it lies between {} and {}", to_text(found.gap),
                          to_text(found.gap + found.uncertainty)));
}

Expected<SignedDistance> signed_distance(const ConvexShape& A, const ConvexShape& B) {
  auto found = estimate_distance(A, B);
  if (found)
    if (const auto fine = check_certain(*found, A, B); !fine) return tl::unexpected(fine.error());
  return found;
}

Expected<SignedDistance> estimate_distance(const ConvexShape& whole_A, const ConvexShape& whole_B) {
  // Cores relative to A: far from the origin the widths would suffer from rounding.
  ConvexShape A = whole_A;
  ConvexShape B = whole_B;
  A.margin = B.margin = 0;
  A.position.setZero();
  B.position -= whole_A.position;
  const double scale = std::max(core_radius(A), core_radius(B));
  if (!std::isfinite(scale) || !(scale > 0))
    return fail(ErrorCode::invalid, "shape", "", "two shapes of finite size are needed");
  const Query query(A, B, scale);
  std::optional<Summit> summit = ascend(A, B, query, best_own_slab(A, B).n);
  if (!summit || summit->best.width < -1e-9 * scale) {
    for (const Vec3& n : all_round(A, B)) {
      auto other = ascend(A, B, query, n);
      if (other && (!summit || other->best.width > summit->best.width)) summit = other;
    }
  }
  if (!summit) return fail(ErrorCode::no_solution, "shape", "", "FCL gives no distance for it");

  const Slab& best = summit->best;
  SignedDistance out;
  out.n = best.n;
  out.gap = best.width - whole_A.margin - whole_B.margin;
  // A corner or a curved side has one support point along n, which is more accurate than FCL's nearest point.
  const SupportFace face_A = support_face(A, out.n);
  const SupportFace face_B = support_face(B, -out.n);
  const bool crossed = face_A.dimension == 1 && face_B.dimension == 1 && face_A.edge.cross(face_B.edge).norm() > 1e-9;
  Vec3 on_A = summit->found.on_A;
  Vec3 on_B = summit->found.on_B;
  if (face_A.dimension == 0) on_A = core_support(A, out.n);
  if (face_B.dimension == 0) on_B = core_support(B, -out.n);
  if (crossed) {  // two lines: their closest points
    const Vec3 a = core_support(A, out.n);
    const Vec3 between_lines = core_support(B, -out.n) - a;
    const double c = face_A.edge.dot(face_B.edge);
    const double along = (between_lines.dot(face_A.edge) - c * between_lines.dot(face_B.edge)) / (1 - c * c);
    on_A = a + along * face_A.edge;
  }
  if (face_B.dimension > 0) {
    on_B = on_A + best.width * out.n;
  } else if (face_A.dimension > 0) {
    on_A = on_B - best.width * out.n;
  }
  out.patch = face_A.dimension > 0 && face_B.dimension > 0 && !crossed;

  // (G11) has bounded the gap from below; two points that belong to the shapes bound it from above.
  const Vec3 between = on_B - on_A;
  out.uncertainty = (between - best.width * out.n).norm() + outside(A, on_A) + outside(B, on_B);
  out.on_A = whole_A.position + on_A + whole_A.margin * out.n;
  out.on_B = whole_A.position + on_B - whole_B.margin * out.n;
  return out;
}

}  // namespace ricochet
