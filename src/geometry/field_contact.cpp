#include "ricochet/geometry/field_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "ricochet/geometry/flat_corners.hpp"
#include "ricochet/geometry/shape_contact.hpp"

namespace ricochet {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Heights are single precision numbers, of which a plane is made only so well: slopes that count as none.
constexpr double flat = 1e-6;
/// Normals and points of one contact, as parts of 1 and of the size of the shape.
constexpr double same = 1e-5;
constexpr std::size_t most_corners = 8;

double size_of(const ConvexShape& shape) { return core_radius(shape) + shape.margin; }

/// The box about a shape in the field's axes.
struct Box {
  Vec3 low, high;
};

Box box_of(const PlacedField& at, const ConvexShape& shape) {
  Box out;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = at.rotation.col(k);
    out.low(k) = axis.dot(core_support(shape, -axis) - at.position) - shape.margin;
    out.high(k) = axis.dot(core_support(shape, axis) - at.position) + shape.margin;
  }
  return out;
}

/// A triangle of the surface in world axes.
struct Face {
  std::array<Vec3, 3> corner;
  Vec3 n;

  Face(const PlacedField& at, const FieldTriangle& triangle) {
    for (std::size_t k = 0; k < 3; ++k) corner[k] = at.position + at.rotation * grid_point(*at.field, triangle[k]);
    n = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalized();
  }

  /// All that is below its plane.
  [[nodiscard]] ConvexShape below() const {
    ConvexShape out;
    out.core = ConvexShape::Core::half_space;
    out.position = corner[0];
    out.rotation.col(2) = n;
    out.rotation.col(0) = (corner[1] - corner[0]).normalized();
    out.rotation.col(1) = n.cross(out.rotation.col(0));
    return out;
  }

  /// Whether a point of the plane is in the triangle, or outside by no more than the slack.
  [[nodiscard]] bool holds(const Vec3& x, double slack) const {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 edge = corner[(k + 1) % 3] - corner[k];
      if (n.cross(edge).dot(x - corner[k]) < -slack * edge.norm()) return false;
    }
    return true;
  }
};

/// A sphere and a prism, in closed form: nearest to its centre is a point of a face, and from inside the nearest face
/// is the way out.
std::vector<Touch> sphere_contact(const ConvexShape& prism, const ConvexShape& sphere, double reach) {
  const Hull& hull = *prism.hull;
  const Vec3 x = prism.rotation.transpose() * (sphere.position - prism.position);
  Vec3 nearest = Vec3::Zero();
  Vec3 way_out = Vec3::UnitZ();
  double distance = never;
  double depth = never;
  for (const auto& face : hull.faces) {
    std::array<Vec3, 3> v;
    for (std::size_t k = 0; k < 3; ++k) v[k] = hull.vertices[static_cast<std::size_t>(face[k])];
    Vec3 n = (v[1] - v[0]).cross(v[2] - v[0]);
    if (!(n.norm() > 0)) continue;
    n *= (n.dot(v[0]) < 0 ? -1 : 1) / n.norm();  // outwards: its middle is the origin
    const double above = n.dot(x - v[0]);
    if (-above < depth) {
      depth = -above;
      way_out = n;
    }
    const auto offer = [&](const Vec3& y) {
      if ((x - y).norm() >= distance) return;
      distance = (x - y).norm();
      nearest = y;
    };
    const Vec3 y = x - above * n;
    bool inside = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 edge = v[(k + 1) % 3] - v[k];
      const Vec3 inwards = v[(k + 2) % 3] - v[k];
      inside = inside && n.cross(edge).dot(y - v[k]) * n.cross(edge).dot(inwards) >= 0;
      offer(v[k] + std::clamp((x - v[k]).dot(edge) / edge.squaredNorm(), 0.0, 1.0) * edge);
    }
    if (inside) offer(y);
  }
  Touch touch;
  const bool outside = depth < 0;
  if (outside && distance > 0) way_out = (x - nearest) / distance;
  touch.n = prism.rotation * way_out;
  touch.gap = (outside ? distance : -depth) - sphere.margin;
  touch.on_B = sphere.position - sphere.margin * touch.n;
  touch.on_A = touch.on_B - touch.gap * touch.n;
  if (touch.gap > reach) return {};
  return {touch};
}

template <class Visit>
void for_each_triangle(const CellRange& cells, const Visit& visit) {
  for (int r = cells.row_begin; r < cells.row_end; ++r)
    for (int c = cells.column_begin; c < cells.column_end; ++c)
      for (const FieldTriangle& triangle : triangles({r, c})) visit(triangle);
}

class Search {
 public:
  Search(const PlacedField& at, const ConvexShape& shape, double reach)
      : at_(at), shape_(shape), reach_(reach), size_(size_of(shape)) {}

  Expected<std::vector<Touch>> run() {
    Box box = box_of(at_, shape_);
    box.low.array() -= reach_;
    box.high.array() += reach_;
    for_each_triangle(cells_near(*at_.field, box.low, box.high), [&](const FieldTriangle& t) { look(t, box); });
    if (failure_) return tl::unexpected(*failure_);
    std::vector<Touch> out = merged();
    if (!out.empty()) return out;
    // Nothing stands on it: either the shape is out of reach, or below the surface.
    for (const FieldTriangle& t : passed_) nearest(t);
    if (failure_) return tl::unexpected(*failure_);
    out = merged();
    if (out.empty() && overlaps_)
      return fail(ErrorCode::no_solution, "shape", "",
                  "it is so deep in the height field that the shortest way out of it is not known");
    return out;
  }

 private:
  [[nodiscard]] Vec3 local(const Vec3& x) const { return at_.rotation.transpose() * (x - at_.position); }

  void look(const FieldTriangle& triangle, const Box& box) {
    double top = -never;
    for (const GridPoint& corner : triangle) top = std::max(top, grid_point(*at_.field, corner).z());
    if (box.low.z() > top || box.high.z() < -at_.field->base) return;
    const Face face(at_, triangle);
    const ConvexShape below = face.below();
    const double height = height_above(below, shape_);
    if (height > reach_) return;
    const bool hollow = nothing_falls_away(triangle, face);
    bool stands = false;
    for (const Touch& touch : half_space_contacts(below, shape_, reach_)) {
      // A plane is wider than its triangle, and deeper than its prism.
      if (!face.holds(touch.on_A, (hollow ? 2 * flat : 1e-9) * size_)) continue;
      if (touch.gap < -1e-9 * size_ && !holds(*at_.field, local(touch.on_B))) continue;
      standing_.push_back(touch);
      stands = true;
    }
    if (!hollow) {
      nearest(triangle);
    } else if (!stands && height < -1e-9 * size_) {
      passed_.push_back(triangle);
    }
  }

  /// Whether all that surrounds the triangle is in its plane or above it: then a shape touches no edge or corner of it
  /// that it does not stand on.
  [[nodiscard]] bool nothing_falls_away(const FieldTriangle& triangle, const Face& face) const {
    for (const GridPoint& corner : triangle) {
      if (on_border(*at_.field, corner)) return false;
      for (const GridPoint& next : neighbours(*at_.field, corner)) {
        const Vec3 from = at_.position + at_.rotation * grid_point(*at_.field, next) - face.corner[0];
        if (face.n.dot(from) < -flat * from.norm()) return false;
      }
    }
    return true;
  }

  void nearest(const FieldTriangle& triangle) {
    if (failure_) return;
    const ConvexShape below = prism(at_, triangle);
    const Expected<std::vector<Touch>> found = shape_.core == ConvexShape::Core::point
                                                   ? sphere_contact(below, shape_, reach_)
                                                   : shape_contacts(below, shape_, reach_);
    if (!found) {
      failure_ = found.error();
      return;
    }
    for (const Touch& touch : *found) {
      overlaps_ = overlaps_ || touch.gap < -1e-9 * size_;
      if (is_minimum(touch)) touching_.push_back(touch);
    }
  }

  /// (LD8): no prism that meets the point reaches beyond the plane across n through it.
  [[nodiscard]] bool is_minimum(const Touch& touch) const {
    const HeightField& field = *at_.field;
    const Vec3 p = local(touch.on_A);
    const Vec3 n = at_.rotation.transpose() * touch.n;
    const double slack = 1e-7 * (field.half_x / field.columns + field.half_y / field.rows);
    bool least = true;
    const Vec3 about = Vec3::Constant(slack);
    for_each_triangle(cells_near(field, p - about, p + about), [&](const FieldTriangle& triangle) {
      if (!least) return;
      std::array<Vec3, 3> corner;
      for (std::size_t k = 0; k < 3; ++k) corner[k] = grid_point(field, triangle[k]);
      for (std::size_t k = 0; k < 3; ++k) {  // seen from above
        const Vec3 edge = corner[(k + 1) % 3] - corner[k];
        const Vec3 from = p - corner[k];
        if (edge.x() * from.y() - edge.y() * from.x() < -slack * std::hypot(edge.x(), edge.y())) return;
      }
      const auto beyond = [&](const Vec3& x) { return n.dot(x - p) > flat * (x - p).norm() + 1e-9 * size_; };
      for (const Vec3& x : corner) least = least && !beyond(x) && !beyond({x.x(), x.y(), -field.base});
    });
    return least;
  }

  /// One contact of those that coincide, and of contacts in one plane the corners.
  [[nodiscard]] std::vector<Touch> merged() const {
    std::vector<Touch> all = standing_;
    all.insert(all.end(), touching_.begin(), touching_.end());
    std::vector<bool> taken(all.size(), false);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (taken[i]) continue;
      std::vector<std::size_t> group;
      for (std::size_t j = i; j < all.size(); ++j) {
        if (taken[j] || (all[j].n - all[i].n).norm() > same) continue;
        if (std::abs(all[i].n.dot(all[j].on_A - all[i].on_A)) > same * size_) continue;
        taken[j] = true;
        const auto coincides = [&](std::size_t k) { return (all[k].on_A - all[j].on_A).norm() <= same * size_; };
        if (std::none_of(group.begin(), group.end(), coincides)) group.push_back(j);
      }
      // A point that stands for a whole patch says nothing where corners of the patch are known.
      const auto is_patch = [&](std::size_t k) { return all[k].patch; };
      if (!std::all_of(group.begin(), group.end(), is_patch)) std::erase_if(group, is_patch);
      const Vec3 s = all[i].n.unitOrthogonal();
      const Vec3 t = all[i].n.cross(s);
      std::vector<Eigen::Vector2d> at;
      at.reserve(group.size());
      for (const std::size_t k : group)
        at.emplace_back(s.dot(all[k].on_A - all[i].on_A), t.dot(all[k].on_A - all[i].on_A));
      for (const std::size_t k : few_corners(at, flat_corners(at, 1e-6), most_corners)) kept.push_back(group[k]);
    }
    std::sort(kept.begin(), kept.end());
    std::vector<Touch> out;
    out.reserve(kept.size());
    for (const std::size_t k : kept) out.push_back(all[k]);
    return out;
  }

  const PlacedField& at_;
  const ConvexShape& shape_;
  double reach_, size_;
  std::vector<Touch> standing_;  ///< on single triangles
  std::vector<Touch> touching_;  ///< nearest to single prisms
  std::vector<FieldTriangle> passed_;
  std::optional<Error> failure_;
  bool overlaps_ = false;
};

/// The stretch of the way on which the box meets the field's; empty: first > second.
std::pair<double, double> meets(const Box& box, const Box& of_field, const Vec3& way) {
  double first = -never;
  double last = never;
  for (int k = 0; k < 3; ++k) {
    const double near = of_field.low(k) - box.high(k);
    const double far = of_field.high(k) - box.low(k);
    if (std::abs(way(k)) < 1e-12) {
      if (near > 0 || far < 0) return {1, 0};
      continue;
    }
    first = std::max(first, std::min(near / way(k), far / way(k)));
    last = std::min(last, std::max(near / way(k), far / way(k)));
  }
  return {first, last};
}

/// A prism, and a way before which it cannot be touched.
struct Candidate {
  FieldTriangle triangle;
  double at_least = 0;
};

/// The widest of a few slabs between the two closes no earlier.
double least_way(const ConvexShape& prism, const Face& face, const ConvexShape& moving, const Vec3& way) {
  double out = -never;
  for (const Vec3& n : {face.n, Vec3(-way), Vec3(prism.rotation.col(0)), Vec3(-prism.rotation.col(0)),
                        Vec3(prism.rotation.col(1)), Vec3(-prism.rotation.col(1))}) {
    const double closing = -n.dot(way);
    if (closing > 1e-9) out = std::max(out, slab(prism, moving, n) / closing);
  }
  return out;
}

}  // namespace

Expected<std::vector<Touch>> field_contacts(const PlacedField& field, const ConvexShape& shape, double reach) {
  return Search(field, shape, reach).run();
}

Expected<double> way_to_touch(const ConvexShape& moving, const PlacedField& at_rest, const Vec3& way) {
  const HeightField& field = *at_rest.field;
  const double size = size_of(moving);
  Box box = box_of(at_rest, moving);
  // A little larger, so that what it only grazes is not missed.
  box.low.array() -= 1e-9 * size;
  box.high.array() += 1e-9 * size;
  const auto [lowest, highest] = std::minmax_element(field.heights.begin(), field.heights.end());
  if (lowest == field.heights.end()) return never;
  const Box whole{.low = {-field.half_x, -field.half_y, -field.base}, .high = {field.half_x, field.half_y, *highest}};
  const Vec3 local_way = at_rest.rotation.transpose() * way;
  const auto [first, last] = meets(box, whole, local_way);
  if (!(first <= last)) return never;
  const Vec3 from = first * local_way;
  const Vec3 to = last * local_way;
  double best = never;
  std::vector<Candidate> candidates;
  const CellRange cells = cells_near(field, box.low + from.cwiseMin(to), box.high + from.cwiseMax(to));
  for_each_triangle(cells, [&](const FieldTriangle& triangle) {
    const Face face(at_rest, triangle);
    // Where the lowest point of the shape comes down in the triangle, that is the way.
    const double closing = -face.n.dot(way);
    if (closing > 1e-9) {
      const double down = height_above(face.below(), moving) / closing;
      const Vec3 foot = core_support(moving, -face.n) - moving.margin * face.n;
      const Vec3 here = at_rest.rotation.transpose() * (foot - at_rest.position);
      const bool above = down >= -1e-9 * size || holds(field, here);  // and not below the whole field
      if (above && face.holds(foot + down * way, 0)) {
        best = std::min(best, down);
        return;
      }
    }
    candidates.push_back({.triangle = triangle, .at_least = least_way(prism(at_rest, triangle), face, moving, way)});
  });
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.at_least < b.at_least; });
  for (const Candidate& one : candidates) {
    if (one.at_least >= best - 1e-12 * size) break;
    const auto found = way_to_touch(moving, prism(at_rest, one.triangle), way);
    if (!found) return found;
    best = std::min(best, *found);
  }
  return best;
}

namespace {

bool is_field(const Solid& one, const Solid& other) {
  return one.field != nullptr && other.shape.core != ConvexShape::Core::half_space;
}

PlacedField placed(const Solid& one) { return {one.field, one.shape.position, one.shape.rotation}; }

tl::unexpected<Error> two_fields() {
  return fail(ErrorCode::unavailable, "shape", "", "two height fields are not compared");
}

}  // namespace

Expected<std::vector<Touch>> solid_contacts(const Solid& A, const Solid& B, double reach) {
  if (A.field && B.field) return two_fields();
  if (is_field(A, B)) return field_contacts(placed(A), B.shape, reach);
  if (!is_field(B, A)) return shape_contacts(A.shape, B.shape, reach);
  auto found = field_contacts(placed(B), A.shape, reach);
  if (found) {
    for (Touch& touch : *found) {
      std::swap(touch.on_A, touch.on_B);
      touch.n = -touch.n;
    }
  }
  return found;
}

Expected<double> way_between(const Solid& moving, const Solid& at_rest, const Vec3& way) {
  if (moving.field && at_rest.field) return two_fields();
  if (is_field(at_rest, moving)) return way_to_touch(moving.shape, placed(at_rest), way);
  if (is_field(moving, at_rest)) return way_to_touch(at_rest.shape, placed(moving), -way);
  return way_to_touch(moving.shape, at_rest.shape, way);
}

}  // namespace ricochet
