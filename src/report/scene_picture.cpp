#include "ricochet/report/scene_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/geometry/convex_shape.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

/// The outline of a body: the corners of its shape or, without one, its centre and contact points.
DrawnSolid solid_of(const RigidBody& body, const Shape& shape, const std::string& name,
                    const std::vector<Vec3>& touching) {
  DrawnSolid out{.name = printable(name), .corners = {}, .radius = 0, .fixed = body.fixed};
  const Mat3 R = body.orientation.toRotationMatrix();
  switch (shape.kind) {
    case Shape::Kind::sphere:
      out.corners = {body.position};
      out.radius = shape.radius;
      break;
    case Shape::Kind::box:
      for (const double x : {-0.5, 0.5})
        for (const double y : {-0.5, 0.5})
          for (const double z : {-0.5, 0.5})
            out.corners.emplace_back(body.position + R * shape.size.cwiseProduct(Vec3(x, y, z)));
      break;
    case Shape::Kind::capsule:
    case Shape::Kind::rod:
      for (const double s : {-0.5, 0.5})
        out.corners.emplace_back(body.position + R * (s * shape.length * Vec3::UnitX()));
      out.radius = shape.radius;
      break;
    case Shape::Kind::cylinder:
    case Shape::Kind::disc:
    case Shape::Kind::wheel:
    case Shape::Kind::ellipsoid:
    case Shape::Kind::height_field:
    case Shape::Kind::mesh: out.corners = outline(place(shape, body.position, R)); break;
    case Shape::Kind::plane: break;
    case Shape::Kind::none:
      if (body.fixed) break;
      out.corners = touching;
      out.corners.push_back(body.position);
      break;
  }
  return out;
}

/// A fixed body without a shape is drawn as a face at each contact; a plane as one face.
void add_grounds(SolidsPicture& picture, const Scene& scene) {
  std::vector<bool> shown(scene.names.size());
  for (const ContactSpec& touch : scene.arrangement.contacts) {
    for (const auto& [body, side] : {std::pair{touch.first, 1.0}, std::pair{touch.second, -1.0}}) {
      const Shape::Kind kind = scene.shapes[body].kind;
      if (!scene.arrangement.bodies[body].fixed || shown[body]) continue;
      if (kind != Shape::Kind::plane && kind != Shape::Kind::none) continue;
      if (kind == Shape::Kind::plane) shown[body] = true;
      const Ground ground{printable(scene.names[body]), touch.point, side * touch.n.normalized()};
      const bool again = std::any_of(picture.grounds.begin(), picture.grounds.end(), [&](const Ground& g) {
        return g.n.dot(ground.n) > 1 - 1e-9 && std::abs(g.n.dot(g.point - ground.point)) < 1e-9;
      });
      if (!again) picture.grounds.push_back(ground);
    }
  }
}

SolidsPicture picture_of(const Scene& scene, const std::vector<RigidBody>& bodies, const std::vector<Vec3>& impulses,
                         std::string title) {
  SolidsPicture out{.title = std::move(title), .solids = {}};
  std::vector<std::vector<Vec3>> touching(scene.names.size());
  const auto touch = [&](std::size_t first, std::size_t second, const Vec3& point) {
    touching[first].push_back(point);
    touching[second].push_back(point);
  };
  for (const ContactSpec& t : scene.arrangement.contacts) touch(t.first, t.second, t.point);
  for (const Hinge& h : scene.arrangement.hinges) touch(h.first, h.second, h.point);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    out.solids.push_back(solid_of(bodies[i], scene.shapes[i], scene.names[i], touching[i]));
    if (bodies[i].velocity != Vec3::Zero()) out.arrows.push_back({bodies[i].position, bodies[i].velocity});
  }
  add_grounds(out, scene);
  double hardest = 0;
  for (const Vec3& P : impulses) hardest = std::max(hardest, P.norm());
  for (std::size_t i = 0; i < scene.arrangement.contacts.size(); ++i) {
    const ContactSpec& contact = scene.arrangement.contacts[i];
    out.touches.push_back({contact.point, i < impulses.size() && hardest > 0 ? impulses[i].norm() / hardest : 0,
                           fmt::format("contact {}: {} – {}", i + 1, printable(scene.names[contact.first]),
                                       printable(scene.names[contact.second]))});
  }
  for (const Hinge& h : scene.arrangement.hinges) out.hinges.push_back(h.point);
  return out;
}

/// Two of the world's axes to draw along.
std::pair<Vec3, Vec3> axes_of(const SolidsPicture& picture) {
  Vec3 low = Vec3::Constant(1e300);
  Vec3 high = -low;
  const auto hold = [&](const Vec3& x, double radius) {
    low = low.cwiseMin(x - Vec3::Constant(radius));
    high = high.cwiseMax(x + Vec3::Constant(radius));
  };
  for (const DrawnSolid& solid : picture.solids)
    for (const Vec3& corner : solid.corners) hold(corner, solid.radius);
  for (const SolidTouch& touch : picture.touches) hold(touch.point, 0);
  if (low.x() > high.x()) low = high = Vec3::Zero();
  const Vec3 extent = high - low;
  // If two extents are equal, look along y.
  int along = 1;
  for (const int k : {2, 0})
    if (extent(k) < 0.999 * extent(along)) along = k;
  return {Vec3::Unit(along == 0 ? 1 : 0), Vec3::Unit(along == 2 ? 1 : 2)};
}

void append(Drawing& all, const Drawing& part, const Vec2& by) {
  for (DrawingElement element : part.elements) {
    if (auto* line = std::get_if<Line>(&element))
      for (Vec2& p : line->points) p += by;
    if (auto* dot = std::get_if<Dot>(&element)) dot->at += by;
    if (auto* text = std::get_if<Text>(&element)) text->at += by;
    all.elements.push_back(std::move(element));
  }
}

}  // namespace

ScenePictures picture_scene(const Scene& scene, const std::optional<std::vector<RigidBody>>& after,
                            const std::vector<Vec3>& impulses) {
  const SolidsPicture first = picture_of(scene, scene.arrangement.bodies, {}, "before");
  const auto [right, up] = axes_of(first);
  SolidsView view = view_of(first, right, up);
  ScenePictures out;
  if (after) {
    const SolidsPicture second = picture_of(scene, *after, impulses, "after");
    view.fastest = std::max(view.fastest, view_of(second, right, up).fastest);
    out.after = draw_solids(second, view);
  }
  out.before = draw_solids(first, view);
  return out;
}

std::string draw_scene(const Scene& scene, const std::optional<std::vector<RigidBody>>& after,
                       const std::vector<Vec3>& impulses, std::string_view verdict) {
  const ScenePictures pictures = picture_scene(scene, after, impulses);
  const double head = 50;
  const double width = pictures.before.width;
  Drawing both{.width = 2 * width, .height = pictures.before.height + head};
  both.id = "scene";
  both.clip_high = {both.width, both.height};
  both.title = printable(scene.title.empty() ? "scene" : scene.title);
  both.elements.emplace_back(Line{.points = {{0, 0}, {both.width, 0}, {both.width, both.height}, {0, both.height}},
                                  .closed = true,
                                  .stroke = {.colour = ""},
                                  .fill = "#ffffff"});
  both.elements.emplace_back(Text{.at = {16, 22}, .text = both.title, .size = 15, .bold = true});
  both.elements.emplace_back(
      Text{.at = {16, 40}, .text = printable(std::string(verdict)), .size = 11, .colour = "#555555"});
  append(both, pictures.before, {0, head});
  if (pictures.after) {
    append(both, *pictures.after, {width, head});
  } else {
    both.elements.emplace_back(
        Text{.at = {1.5 * width, 0.5 * both.height}, .text = "no outcome", .size = 13, .anchor = Text::Anchor::middle});
  }
  return to_svg(both);
}

}  // namespace ricochet
