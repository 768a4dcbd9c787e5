#include "motion/field_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "motion/feature_list.hpp"
#include "motion/surface_contact.hpp"

namespace ricochet::motion {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

struct FieldBox {
  Vec3 low, high;

  void grow(double by) {
    low.array() -= by;
    high.array() += by;
  }
};

/// Of a shape, in the axes of the field.
FieldBox box_in_field(const BodyField& a, const BodyShape& b) {
  const ConvexShape shape = placed(*b.part, b.pose);
  const PlacedField& field = a.field->at();
  const Mat3 axes = a.pose.orientation.toRotationMatrix() * field.rotation;
  const Vec3 origin = a.pose.position + a.pose.orientation * field.position;
  FieldBox out;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = axes.col(k);
    out.low(k) = axis.dot(core_support(shape, -axis) - origin) - shape.margin;
    out.high(k) = axis.dot(core_support(shape, axis) - origin) + shape.margin;
  }
  return out;
}

/// The features of one polyhedral shape, triangle after triangle.
class FieldFeatures {
 public:
  FieldFeatures(const BodyField& a, const BodyShape& b, const FieldReach& reach)
      : a_(a),
        b_(b),
        reach_(reach),
        at_(relative_pose(a.pose, b.pose)),
        B_(*b.part->polytope),
        margin_(b.part->shape.margin),
        list_(reach.reach, FieldPart::flat) {
    for (const Vec3& v : B_.vertices) of_b_.push_back(at_(v));
  }

  std::vector<FoundFeature> run(const std::vector<std::uint32_t>& near) {
    for (const std::uint32_t k : near) faces(k);
    for (const std::uint32_t k : near) {
      const FieldTriangleParts& parts = a_.field->triangle(k);
      for (int e = 0; e < 9; ++e) {
        if (!parts.edges[static_cast<std::size_t>(e)]) continue;
        const FieldPart::Owned owner = a_.field->owner_of_edge(k, e);
        if (owner.triangle != k && std::binary_search(near.begin(), near.end(), owner.triangle)) continue;
        edges_.push_back(owner);
      }
      for (int v = 0; v < 6; ++v) {
        if (!parts.vertices[static_cast<std::size_t>(v)]) continue;
        const FieldPart::Owned owner = a_.field->owner_of_vertex(k, v);
        if (owner.triangle != k && std::binary_search(near.begin(), near.end(), owner.triangle)) continue;
        vertices_.push_back(owner);
      }
    }
    for (const FieldPart::Owned& v : vertices_) vertex_on_faces(v);
    // Edges that are nearly parallel have an uncertain normal: only where they close, or where nothing else touches.
    for (const FieldPart::Owned& e : edges_) across_edges(e, 1e-2, 2, false);
    const bool more = list_.found.empty();
    for (const FieldPart::Owned& e : edges_) across_edges(e, 1e-9, 1e-2, !more);
    if (margin_ > 0) round();
    std::erase_if(list_.found, [&](const FoundFeature& f) { return f.touch.gap < -reach_.depth; });
    return std::move(list_.found);
  }

 private:
  [[nodiscard]] BodyShape surface(std::uint32_t k) const {
    return {a_.body, a_.first + k, &a_.field->triangle(k).surface, a_.pose};
  }
  [[nodiscard]] double cone() const { return 1e-9 * b_.part->radius; }

  /// Corners of the shape on the faces of a triangle.
  void faces(std::uint32_t k) {
    const FieldTriangleParts& parts = a_.field->triangle(k);
    const Polytope& P = *parts.surface.polytope;
    for (int f = 0; f < 5; ++f) {
      if (!parts.faces[static_cast<std::size_t>(f)]) continue;
      const Vec3 &n = P.face(f).n, &p = P.vertex(P.face(f).loop[0]);
      for (std::size_t v = 0; v < of_b_.size(); ++v) {
        const double gap = n.dot(of_b_[v] - p) - margin_;
        if (gap > reach_.reach || gap < -reach_.depth || B_.idle(static_cast<int>(v))) continue;
        const auto& others = B_.neighbours[v];
        const bool carries = std::all_of(others.begin(), others.end(), [&](int w) {
          const Vec3 way = of_b_[static_cast<std::size_t>(w)] - of_b_[v];
          return n.dot(way) >= -cone() - reach_.tilt * way.norm();
        });
        if (carries) list_.vertex_on_face(surface(k), f, b_, static_cast<int>(v));
      }
    }
  }

  void vertex_on_faces(const FieldPart::Owned& v) {
    const BodyShape of = surface(v.triangle);
    const Polytope& P = *of.part->polytope;
    const Vec3 x = at_.R.transpose() * (P.vertex(v.part) - at_.x);
    for (std::size_t f = 0; f < B_.faces.size(); ++f) {
      const PolytopeFace& face = B_.faces[f];
      const double gap = face.n.dot(x - B_.vertex(face.loop[0])) - margin_;
      if (gap > reach_.reach || gap < -reach_.depth) continue;
      if (vertex_cone(P, v.part, -(at_.R * face.n)) < -cone()) continue;
      list_.vertex_on_face(b_, static_cast<int>(f), of, v.part);
    }
  }

  void across_edges(const FieldPart::Owned& e, double least_sine, double most_sine, bool closing) {
    const BodyShape of = surface(e.triangle);
    const Polytope& P = *of.part->polytope;
    const PolytopeEdge& own = P.edge(e.part);
    const Vec3 &p = P.vertex(own.first), &q = P.vertex(own.second);
    const double wide = std::max(reach_.reach, reach_.depth) + margin_;
    for (std::size_t g = 0; g < B_.edges.size(); ++g) {
      const PolytopeEdge& other = B_.edges[g];
      const Vec3 &x = of_b_[static_cast<std::size_t>(other.first)], &y = of_b_[static_cast<std::size_t>(other.second)];
      if (((x.cwiseMin(y) - p.cwiseMax(q)).array() > wide).any() ||
          ((p.cwiseMin(q) - x.cwiseMax(y)).array() > wide).any())
        continue;
      const double sine = own.d.cross(at_.R * other.d).norm();
      if (!(sine > least_sine && sine <= most_sine)) continue;
      const Vec3 n = edge_normal(P, e.part, B_, static_cast<int>(g), at_, 1e-7, least_sine);
      if (!n.isZero(0)) list_.edges(of, e.part, b_, static_cast<int>(g), n, at_, closing);
    }
  }

  void round() {
    for (const FieldPart::Owned& e : edges_)
      for (std::size_t v = 0; v < B_.vertices.size(); ++v)
        if (!B_.idle(static_cast<int>(v))) list_.vertex_on_edge(surface(e.triangle), e.part, b_, static_cast<int>(v));
    for (const FieldPart::Owned& v : vertices_) {
      for (std::size_t e = 0; e < B_.edges.size(); ++e)
        list_.vertex_on_edge(b_, static_cast<int>(e), surface(v.triangle), v.part);
      for (std::size_t w = 0; w < B_.vertices.size(); ++w)
        if (!B_.idle(static_cast<int>(w))) list_.vertices(surface(v.triangle), v.part, b_, static_cast<int>(w));
    }
  }

  const BodyField& a_;
  const BodyShape& b_;
  FieldReach reach_;
  RelativePose at_;
  const Polytope& B_;
  double margin_;
  FeatureList list_;
  std::vector<Vec3> of_b_;  ///< vertices of b, axes of a
  std::vector<FieldPart::Owned> edges_, vertices_;
};

/// Whether the feature is of parts that are on the surface of the field.
bool on_surface(const FieldTriangleParts& parts, const Feature& f, bool field_first) {
  const auto face = [&](int k) { return parts.faces[static_cast<std::size_t>(k)]; };
  const auto edge = [&](int k) { return parts.edges[static_cast<std::size_t>(k)]; };
  const auto vertex = [&](int k) { return k < 6 && parts.vertices[static_cast<std::size_t>(k)]; };
  const int own = field_first ? f.part_a : f.part_b;
  switch (f.kind) {
    case Feature::Kind::surfaces: return own % 2 == 0 ? vertex(own / 2) : edge(own / 2);
    case Feature::Kind::chord: return edge(own);
    case Feature::Kind::plane_point: return field_first ? face(own) : vertex(own);
    default: return face(own);
  }
}

/// Features of an ellipsoid or a cylinder and one prism.
Expected<void> curved_on_triangle(const BodyField& a, std::uint32_t k, const BodyShape& b, const FieldReach& reach,
                                  std::vector<FoundFeature>& out) {
  const FieldTriangleParts& parts = a.field->triangle(k);
  const BodyShape surface{a.body, a.first + k, &parts.surface, a.pose};
  const double wider = std::max(reach.reach, 1e-6 * b.part->radius);
  const auto touch = nearest(parts.surface, a.pose, *b.part, b.pose);
  if (!touch) return tl::unexpected(touch.error());
  if (touch->gap > wider || touch->gap < -reach.depth) return {};
  for (const FoundFeature& f : curved_features(surface, b, *touch, wider)) {
    if (f.touch.gap > reach.reach || f.touch.gap < -reach.depth) continue;
    if (!on_surface(parts, f.feature, f.feature.a == a.body)) continue;
    const auto same = [&](const FoundFeature& o) {
      return (o.touch.on_A - f.touch.on_A).norm() <= 1e-8 * b.part->radius &&
             o.touch.n.cross(f.touch.n).norm() <= FieldPart::flat;
    };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(f);
  }
  return {};
}

/// Prisms behind the planes that limit the normals of a lasting contact are not reached while it lasts, (MO39).
class BehindContacts {
 public:
  BehindContacts(const BodyField& a, const std::vector<Feature>& lasting) : field_(*a.field) {
    for (const Feature& f : lasting) {
      const bool first = f.a == a.body;
      const std::uint32_t k = (first ? f.shape_a : f.shape_b) - a.first;
      const int own = first ? f.part_a : f.part_b;
      switch (f.kind) {
        case Feature::Kind::plane_point:
          sets_.push_back(first ? field_.planes_at_face(k, own) : field_.planes_at_vertex(k, own));
          break;
        case Feature::Kind::plane_round:
        case Feature::Kind::plane_rim: sets_.push_back(field_.planes_at_face(k, own)); break;
        case Feature::Kind::edges:
        case Feature::Kind::chord: sets_.push_back(field_.planes_at_edge(k, own)); break;
        case Feature::Kind::line_point:
          sets_.push_back(first ? field_.planes_at_edge(k, own) : field_.planes_at_vertex(k, own));
          break;
        case Feature::Kind::centres: sets_.push_back(field_.planes_at_vertex(k, own)); break;
        case Feature::Kind::surfaces:
          sets_.push_back(own % 2 == 0 ? field_.planes_at_vertex(k, own / 2) : field_.planes_at_edge(k, own / 2));
          break;
        case Feature::Kind::lens: break;
      }
    }
  }

  [[nodiscard]] bool holds(std::uint32_t k) const {
    if (sets_.empty()) return false;
    const Polytope& P = *field_.triangle(k).surface.polytope;
    return std::any_of(sets_.begin(), sets_.end(), [&](const std::vector<FieldPart::Plane>& planes) {
      return std::all_of(planes.begin(), planes.end(), [&](const FieldPart::Plane& plane) {
        for (int v = 0; v < 6; ++v) {
          const Vec3 way = P.vertex(v) - plane.p;
          if (plane.n.dot(way) > FieldPart::flat * way.norm()) return false;
        }
        return true;
      });
    });
  }

 private:
  const FieldPart& field_;
  std::vector<std::vector<FieldPart::Plane>> sets_;
};

}  // namespace

Expected<std::vector<FoundFeature>> field_features(const BodyField& a, const BodyShape& b, const FieldReach& reach) {
  FieldBox box = box_in_field(a, b);
  box.grow(reach.reach + 1e-9 * b.part->radius);
  const std::vector<std::uint32_t> near = a.field->near(box.low, box.high);
  std::vector<FoundFeature> out;
  if (near.empty()) return out;
  if (b.part->polytope) return FieldFeatures(a, b, reach).run(near);
  for (const std::uint32_t k : near)
    if (const auto fine = curved_on_triangle(a, k, b, reach, out); !fine) return tl::unexpected(fine.error());
  return out;
}

Expected<double> field_gap(const BodyField& a, const BodyShape& b, double reach) {
  FieldBox box = box_in_field(a, b);
  box.grow(reach);
  double out = unlimited;
  for (const std::uint32_t k : a.field->near(box.low, box.high)) {
    const FieldTriangleParts& parts = a.field->triangle(k);
    Pose pose = a.pose;
    pose.position += a.pose.orientation * parts.middle;
    const auto touch = nearest(parts.prism, pose, *b.part, b.pose);
    if (!touch) return tl::unexpected(touch.error());
    out = std::min(out, touch->gap);
  }
  return out;
}

Expected<GapFound> first_field_contact(const BodyField& a, const MovingShape& B, const GapSearch& search,
                                       const std::vector<Feature>& lasting) {
  const HeightField& field = *a.field->at().field;
  const Mat3 axes = a.pose.orientation.toRotationMatrix() * a.field->at().rotation;
  const Vec3 origin = a.pose.position + a.pose.orientation * a.field->at().position;
  const double highest = *std::max_element(field.heights.begin(), field.heights.end());
  const Vec3 low(-field.half_x, -field.half_y, -field.base), high(field.half_x, field.half_y, highest);
  const double cell = std::max(2 * field.half_x / (field.columns - 1), 2 * field.half_y / (field.rows - 1));
  const double r = B.part->radius;
  const Piece& b = *B.piece;
  RigidBody still;
  still.fixed = true;
  const BehindContacts behind(a, lasting);
  std::vector<int> rims;
  for (const Feature& f : lasting)
    if (f.kind == Feature::Kind::plane_rim) rims.push_back(rim_corner(f.part_b));
  double t = search.from;
  while (t < search.to) {
    // As far as the body travels by a part of its size, or to the box of the field.
    const Vec3 x = axes.transpose() * (b.position(t) - origin);
    const double far = (x - x.cwiseMax(low).cwiseMin(high)).norm() - r;
    const double travel = std::max(far, 0.5 * std::max(r, cell));
    const double speed = b.degree > 2 ? b.speed : b.velocity(t).norm(), pull = b.acceleration;
    const double h = pull > 0 ? 2 * travel / (speed + std::sqrt(speed * speed + 2 * pull * travel))
                              : (speed > 0 ? travel / speed : unlimited);
    GapSearch part = search;
    part.from = t;
    part.to = std::min(search.to, t + h);
    if (!(part.to > t)) part.to = search.to;
    t = part.to;
    if (far > 0 && travel == far) continue;
    const double reach = r + travel;
    GapFound first;
    for (const std::uint32_t k : a.field->near(x.array() - reach, x.array() + reach)) {
      part.lasting.clear();
      part.skipped_corners.clear();
      for (const Feature& f : lasting)
        if ((f.a == a.body ? f.shape_a : f.shape_b) == a.first + k) part.lasting.push_back({f, f.a != a.body});
      const FieldTriangleParts& parts = a.field->triangle(k);
      Expected<GapFound> found = GapFound{};
      if (!part.lasting.empty()) {
        const Piece piece = fly(still, a.pose, Vec3::Zero(), part.from, unlimited);
        part.skipped_corners = rims;
        found = first_contact({&parts.surface, &piece}, B, part);
      } else {
        if (behind.holds(k)) continue;
        Pose pose = a.pose;
        pose.position += a.pose.orientation * parts.middle;
        const Piece piece = fly(still, pose, Vec3::Zero(), part.from, unlimited);
        found = first_contact({&parts.prism, &piece}, B, part);
      }
      if (!found) return found;
      if (!found->closes) continue;
      first = *found;
      part.to = first.time;
      if (!(part.to > part.from)) break;
    }
    if (first.closes) return first;
  }
  return GapFound{};
}

}  // namespace ricochet::motion
