#include "ricochet/report/solids_picture.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "ricochet/report/hull.hpp"

namespace ricochet {
namespace {

constexpr double margin = 62;   ///< around everything, room for arrows
constexpr double caption = 42;  ///< below, for the legend
constexpr double longest = 52;  ///< arrow
constexpr std::size_t few = 7;  ///< solids that are named on the page
constexpr double large = 4;     ///< sizes of what moves: a fixed body that need not be seen whole

class Projection {
 public:
  explicit Projection(const SolidsView& view) : view_(view) {}
  [[nodiscard]] Vec2 operator()(const Vec3& x) const {
    const Vec3 r = x - view_.centre;
    return {0.5 * view_.width + view_.scale * view_.right.dot(r),
            0.5 * (view_.height - caption) - view_.scale * view_.up.dot(r)};
  }
  [[nodiscard]] Vec2 along(const Vec3& v) const { return {view_.right.dot(v), -view_.up.dot(v)}; }

 private:
  const SolidsView& view_;
};

Vec3 middle(const DrawnSolid& solid) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& corner : solid.corners) sum += corner;
  return sum / static_cast<double>(solid.corners.size());
}

void add_solid(Drawing& drawing, const Projection& page, const SolidsView& view, const DrawnSolid& solid) {
  const std::string fill = solid.fixed ? "#d5d8dc" : solid.struck ? "#f5c99b" : "#aed6f1";
  const std::string edge = solid.fixed ? "#7f8c8d" : solid.struck ? "#b45f06" : "#21618c";
  const double radius = view.scale * solid.radius;
  if (solid.corners.size() == 1) {
    drawing.elements.emplace_back(Dot{.at = page(solid.corners[0]),
                                      .radius = std::max(radius, 1.0),
                                      .colour = fill,
                                      .edge = edge,
                                      .title = solid.name});
    return;
  }
  std::vector<Vec2> points;
  for (const Vec3& corner : solid.corners) {
    const Vec2 at = page(corner);
    if (radius < 1) {
      points.push_back(at);
      continue;
    }
    constexpr int around = 32;
    for (int k = 0; k < around; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      points.emplace_back(at + radius * Vec2(std::cos(angle), std::sin(angle)));
    }
  }
  const std::vector<Vec2> outline = convex_hull(points);
  // A rod without a radius, or a plate seen edge-on.
  const bool thin = outline.size() < 3;
  drawing.elements.emplace_back(Line{.points = outline,
                                     .closed = !thin,
                                     .stroke = {.colour = edge, .width = thin ? 4.0 : 1.2},
                                     .fill = thin ? "" : fill,
                                     .opacity = 0.85,
                                     .title = solid.name});
}

void add_ground(Drawing& drawing, const Projection& page, const SolidsView& view, const Ground& ground) {
  const Vec2 n = page.along(ground.n.normalized());
  if (n.norm() < 0.99) return;
  const Vec2 t(-n.y(), n.x());
  const Vec2 at = page(ground.point);
  // Clipped to the page.
  const double reach = std::hypot(view.width, view.height);
  const Vec2 low(6, 6);
  const Vec2 high(view.width - 6, view.height - caption - 6);
  double from = -reach;
  double to = reach;
  for (int k = 0; k < 2; ++k) {
    if (std::abs(t(k)) < 1e-9) continue;
    const double a = (low(k) - at(k)) / t(k);
    const double b = (high(k) - at(k)) / t(k);
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  if (!(from < to)) return;
  drawing.elements.emplace_back(Line{
      .points = {at + from * t, at + to * t}, .stroke = {.colour = "#555555", .width = 1.6}, .title = ground.name});
  constexpr double apart = 12;
  const int strokes = static_cast<int>((to - from) / apart);
  for (int k = 0; k < strokes; ++k) {
    const double s = from + (k + 0.5) * apart;
    const Vec2 p = at + s * t;
    drawing.elements.emplace_back(
        Line{.points = {p, p - 7 * n - 4 * t}, .stroke = {.colour = "#999999", .width = 0.7}});
  }
}

}  // namespace

SolidsView view_of(const SolidsPicture& picture, const Vec3& right, const Vec3& up) {
  SolidsView view;
  view.right = right;
  view.up = up;
  Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity());
  Vec2 high = -low;
  const auto hold = [&](const Vec3& x, double radius) {
    const Vec2 p(right.dot(x), up.dot(x));
    low = low.cwiseMin(p - Vec2::Constant(radius));
    high = high.cwiseMax(p + Vec2::Constant(radius));
  };
  const auto hold_solid = [&](const DrawnSolid& solid) {
    for (const Vec3& corner : solid.corners) hold(corner, solid.radius);
  };
  for (const DrawnSolid& solid : picture.solids)
    if (!solid.fixed) hold_solid(solid);
  for (const SolidTouch& touch : picture.touches) hold(touch.point, 0);
  for (const Vec3& hinge : picture.hinges) hold(hinge, 0);
  // A floor that is much larger than what moves on it is seen in part.
  const double moving = low.x() <= high.x() ? (high - low).maxCoeff() : 0;
  for (const DrawnSolid& solid : picture.solids) {
    if (!solid.fixed) continue;
    double size = 0;
    for (const Vec3& corner : solid.corners)
      size = std::max(size, (corner - solid.corners.front()).norm() + 2 * solid.radius);
    if (!(moving > 0) || size <= large * moving) hold_solid(solid);
  }
  if (!(low.x() <= high.x())) low = high = Vec2::Zero();
  const Vec2 extent = high - low;
  view.centre = 0.5 * (low + high).x() * right + 0.5 * (low + high).y() * up;
  // The aspect ratio of the scene, within bounds.
  const double room = view.width - 2 * margin;
  const double tallest = 420;
  view.scale = extent.maxCoeff() > 0 ? std::min(room / std::max(extent.x(), 1e-300),
                                                (tallest - 2 * margin) / std::max(extent.y(), 1e-300))
                                     : 1;
  view.height = std::clamp(view.scale * extent.y() + 2 * margin, 150.0, tallest) + caption;
  for (const SolidArrow& arrow : picture.arrows) view.fastest = std::max(view.fastest, arrow.velocity.norm());
  return view;
}

Drawing draw_solids(const SolidsPicture& picture, const SolidsView& view) {
  Drawing drawing;
  drawing.width = view.width;
  drawing.height = view.height;
  drawing.clip_high = {view.width, view.height};
  drawing.title = picture.title;
  const Projection page(view);
  for (const Ground& ground : picture.grounds) add_ground(drawing, page, view, ground);

  // The farthest first, so that nearer solids cover it.
  const Vec3 towards = view.right.cross(view.up);  // the reader
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < picture.solids.size(); ++i)
    if (!picture.solids[i].corners.empty()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return towards.dot(middle(picture.solids[a])) < towards.dot(middle(picture.solids[b]));
  });
  for (const std::size_t i : order) add_solid(drawing, page, view, picture.solids[i]);
  if (order.size() <= few) {
    for (const std::size_t i : order) {
      const DrawnSolid& solid = picture.solids[i];
      // Below the centre, where the arrow begins; beside a thin solid.
      const bool thin = solid.corners.size() == 2 && view.scale * solid.radius < 8;
      drawing.elements.emplace_back(Text{.at = page(middle(solid)) + (thin ? Vec2(9, 14) : Vec2(0, 15)),
                                         .text = solid.name,
                                         .size = 9,
                                         .anchor = thin ? Text::Anchor::start : Text::Anchor::middle,
                                         .colour = "#1b2631"});
    }
  }

  const double dot = picture.touches.size() > 200 ? 1 : 2.2;
  for (const SolidTouch& touch : picture.touches)
    drawing.elements.emplace_back(Dot{.at = page(touch.point),
                                      .radius = dot * (1 + 1.5 * std::sqrt(touch.share)),
                                      .colour = "#2c3e50",
                                      .title = touch.title});
  for (const Vec3& hinge : picture.hinges)
    drawing.elements.emplace_back(Dot{.at = page(hinge), .radius = 4, .colour = "#2c3e50", .form = Dot::Form::ring});

  bool centres = false;
  bool points = false;
  for (const SolidArrow& arrow : picture.arrows) {
    if (!(view.fastest > 0)) break;
    const Vec2 d = longest / view.fastest * page.along(arrow.velocity);
    if (d.norm() < 1) continue;
    const Vec2 from = page(arrow.from);
    drawing.elements.emplace_back(Line{.points = {from, from + d},
                                       .stroke = {.colour = arrow.contact ? "#d55e00" : "#000000", .width = 1.6},
                                       .arrow = true});
    (arrow.contact ? points : centres) = true;
  }
  drawing.elements.emplace_back(
      Text{.at = {0.5 * view.width, 20}, .text = picture.title, .size = 12, .anchor = Text::Anchor::middle});
  const double y = view.height - 26;
  double x = 12;
  const auto legend = [&](const char* colour, const char* what) {
    drawing.elements.emplace_back(
        Line{.points = {{x, y}, {x + 22, y}}, .stroke = {.colour = colour, .width = 1.6}, .arrow = true});
    drawing.elements.emplace_back(Text{.at = {x + 28, y + 3}, .text = what, .size = 9, .colour = "#444444"});
    x += 40 + 1.2 * text_width(what, 9);  // typefaces that stand in for Helvetica are up to a fifth wider
  };
  if (centres) legend("#000000", "velocity of a body");
  if (points) legend("#d55e00", "velocity of the contact point");
  std::string rest;
  if (centres || points) rest = fmt::format("longest arrow of both pictures: {:.3g} m/s", view.fastest);
  if (!picture.touches.empty()) rest += fmt::format("{}dots: contacts", rest.empty() ? "" : "; ");
  if (!picture.hinges.empty()) rest += "; rings: hinges";
  drawing.elements.emplace_back(Text{.at = {12, view.height - 8}, .text = rest, .size = 9, .colour = "#444444"});
  return drawing;
}

}  // namespace ricochet
