#include "draw_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "text.hpp"

namespace ricochet::app {
namespace {

constexpr double panel = 460;   ///< width of each picture, and its height at most [px]
constexpr double margin = 70;   ///< around the bodies, room for arrows
constexpr double longest = 60;  ///< arrow [px]

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

/// Corners of a shape, or the centre and the contact points of a body that has none, in the world.
std::vector<Vec3> outline(const RigidBody& body, const Shape& shape, const std::vector<Vec3>& touching) {
  const Mat3 R = body.orientation.toRotationMatrix();
  std::vector<Vec3> out;
  switch (shape.kind) {
    case Shape::Kind::sphere:
      for (int k = 0; k < 3; ++k)
        for (const double s : {-1.0, 1.0}) out.emplace_back(body.position + s * shape.radius * Vec3::Unit(k));
      break;
    case Shape::Kind::box:
      for (const double x : {-0.5, 0.5})
        for (const double y : {-0.5, 0.5})
          for (const double z : {-0.5, 0.5})
            out.emplace_back(body.position + R * shape.size.cwiseProduct(Vec3(x, y, z)));
      break;
    case Shape::Kind::rod:
      for (const double s : {-0.5, 0.5}) out.emplace_back(body.position + R * (s * shape.length * Vec3::UnitX()));
      break;
    case Shape::Kind::plane: out = touching; break;
    case Shape::Kind::none:
      out = touching;
      if (!body.fixed) out.push_back(body.position);
      break;
  }
  return out;
}

using Point = Vec2;

/// Convex hull by the monotone chain.
std::vector<Point> hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  if (points.size() < 3) return points;
  const auto turn = [](const Point& o, const Point& a, const Point& b) {
    return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
  };
  std::vector<Point> out;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t start = out.size();
    for (const Point& p : points) {
      while (out.size() >= start + 2 && turn(out[out.size() - 2], out.back(), p) <= 0) out.pop_back();
      out.push_back(p);
    }
    out.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return out;
}

class Picture {
 public:
  explicit Picture(const BodiesScene& scene) : scene_(scene), touching_(scene.names.size()) {
    const auto touch = [&](std::size_t first, std::size_t second, const Vec3& point) {
      touching_[first].push_back(point);
      touching_[second].push_back(point);
    };
    for (const Touch& t : scene.arrangement.contacts) touch(t.first, t.second, t.point);
    for (const Hinge& h : scene.arrangement.hinges) touch(h.first, h.second, h.point);
    choose_view();
  }

  std::string draw(const std::optional<std::vector<RigidBody>>& after, const std::vector<Vec3>& impulses,
                   std::string_view verdict) {
    const std::vector<RigidBody>& before = scene_.arrangement.bodies;
    double fastest = 0;
    for (const RigidBody& b : before) fastest = std::max(fastest, b.velocity.norm());
    if (after)
      for (const RigidBody& b : *after) fastest = std::max(fastest, b.velocity.norm());
    const double width = 2 * panel;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" "
        "orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#c0392b\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text x=\"16\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{2}</text>\n"
        "<text x=\"16\" y=\"44\" fill=\"#555\">{3}</text>\n",
        width, height_ + 80, escaped(scene_.title.empty() ? "scene" : scene_.title), escaped(verdict));
    one(before, 0, "before", fastest, {});
    if (after) {
      one(*after, panel, "after", fastest, impulses);
    } else {
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">no outcome</text>\n", 1.5 * panel,
                          60 + height_ / 2);
    }
    out_ += fmt::format(
        "<text x=\"16\" y=\"{}\" fill=\"#555\">arrows: velocities, the longest {:.3g} m/s; dots: contacts, larger "
        "where "
        "the impulse is; rings: hinges</text>\n</svg>\n",
        height_ + 72, fastest);
    return std::move(out_);
  }

 private:
  /// Two of the world's axes to draw along, and the scale.
  void choose_view() {
    Vec3 low = Vec3::Constant(1e300);
    Vec3 high = -low;
    for (std::size_t i = 0; i < scene_.names.size(); ++i) {
      for (const Vec3& p : outline(scene_.arrangement.bodies[i], scene_.shapes[i], touching_[i])) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
      }
    }
    if (low.x() > high.x()) low = high = Vec3::Zero();
    const Vec3 extent = high - low;
    // Where two are as thin as each other, look along y.
    int along = 1;
    for (const int k : {2, 0})
      if (extent(k) < 0.999 * extent(along)) along = k;
    right_ = along == 0 ? 1 : 0;
    up_ = along == 2 ? 1 : 2;
    const double size = std::max({extent(right_), extent(up_), 1e-300});
    scale_ = (panel - 2 * margin) / size;
    height_ = scale_ * extent(up_) + 2 * margin;
    centre_ = 0.5 * (low + high);
  }

  [[nodiscard]] Point place(const Vec3& p, double shift) const {
    return {shift + panel / 2 + scale_ * (p(right_) - centre_(right_)),
            60 + height_ / 2 - scale_ * (p(up_) - centre_(up_))};
  }

  void one(const std::vector<RigidBody>& bodies, double shift, std::string_view title, double fastest,
           const std::vector<Vec3>& impulses) {
    out_ += fmt::format("<text x=\"{}\" y=\"72\" text-anchor=\"middle\" fill=\"#333\">{}</text>\n", shift + panel / 2,
                        title);
    for (std::size_t i = 0; i < bodies.size(); ++i) shape(bodies[i], i, shift);
    double hardest = 0;
    for (const Vec3& P : impulses) hardest = std::max(hardest, P.norm());
    const double dot = scene_.arrangement.contacts.size() > 200 ? 1 : 2.5;
    for (std::size_t i = 0; i < scene_.arrangement.contacts.size(); ++i) {
      const Point p = place(scene_.arrangement.contacts[i].point, shift);
      const double share = i < impulses.size() && hardest > 0 ? impulses[i].norm() / hardest : 0;
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"#2c3e50\"/>\n", p.x(), p.y(),
                          dot * (1 + 1.5 * std::sqrt(share)));
    }
    for (const Hinge& h : scene_.arrangement.hinges) {
      const Point p = place(h.point, shift);
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"none\" stroke=\"#2c3e50\" stroke-width=\"2\"/>\n", p.x(),
          p.y());
    }
    for (const RigidBody& body : bodies) arrow(body, shift, fastest);
  }

  void shape(const RigidBody& body, std::size_t i, double shift) {
    const Shape& shape = scene_.shapes[i];
    const std::string_view fill = body.fixed ? "#d5d8dc" : "#aed6f1";
    const std::string name = escaped(scene_.names[i]);
    if (shape.kind == Shape::Kind::sphere) {
      const Point c = place(body.position, shift);
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" "
          "stroke=\"#21618c\"><title>{}</title></circle>\n",
          c.x(), c.y(), scale_ * shape.radius, fill, name);
      return;
    }
    if (shape.kind == Shape::Kind::plane && up_ == 2) {
      const Point a = place(body.position, shift);
      out_ += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#7f8c8d\" "
          "stroke-width=\"2\"><title>{}</title></line>\n",
          shift + 10, a.y(), shift + panel - 10, a.y(), name);
      return;
    }
    std::vector<Point> points;
    for (const Vec3& p : outline(body, shape, touching_[i])) points.push_back(place(p, shift));
    if (points.size() < 2 || (body.fixed && shape.kind != Shape::Kind::box && shape.kind != Shape::Kind::rod)) return;
    std::string list;
    for (const Point& p : hull(points)) list += fmt::format("{:.1f},{:.1f} ", p.x(), p.y());
    const bool line = shape.kind == Shape::Kind::rod || shape.kind == Shape::Kind::none;
    const double thick = shape.kind == Shape::Kind::rod ? std::max(4.0, 2 * scale_ * shape.radius) : line ? 3 : 1;
    out_ += fmt::format(
        "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.8\" stroke=\"{}\" stroke-width=\"{:.1f}\" "
        "stroke-linejoin=\"round\"><title>{}</title></polygon>\n",
        list, fill, line ? "#85c1e9" : "#21618c", thick, name);
  }

  void arrow(const RigidBody& body, double shift, double fastest) {
    if (!(fastest > 0)) return;
    const Point a = place(body.position, shift);
    const Point d = longest / fastest * Point(body.velocity(right_), -body.velocity(up_));
    if (d.norm() < 1) return;
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#c0392b\" stroke-width=\"2\" "
        "marker-end=\"url(#tip)\"/>\n",
        a.x(), a.y(), a.x() + d.x(), a.y() + d.y());
  }

  const BodiesScene& scene_;
  std::vector<std::vector<Vec3>> touching_;
  int right_ = 0;
  int up_ = 2;
  double scale_ = 1;
  double height_ = panel;
  Vec3 centre_ = Vec3::Zero();
  std::string out_;
};

}  // namespace

std::string draw_scene(const BodiesScene& scene, const std::optional<std::vector<RigidBody>>& after,
                       const std::vector<Vec3>& impulses, std::string_view verdict) {
  return Picture(scene).draw(after, impulses, verdict);
}

}  // namespace ricochet::app
