#include "ricochet/report/body_picture.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ricochet/report/hull.hpp"

namespace ricochet {
namespace {

struct Page {
  Vec3 right, up;
  [[nodiscard]] Vec2 operator()(const Vec3& x) const { return {right.dot(x), up.dot(x)}; }
};

bool reaches(const RigidBody& body, const EquivalentBox& box, const Vec3& point) {
  const Vec3 local = box.axes.transpose() * (body.orientation.conjugate() * (point - body.position));
  const double size = std::max(box.half.maxCoeff(), local.norm());
  if (box.ball) return local.norm() <= box.half(0) + 1e-6 * size;
  return (local.cwiseAbs().array() <= box.half.array() + 1e-6 * size).all();
}

void add_body(Plot& plot, const Page& page, const RigidBody& body, const Vec3& point, const std::string& name,
              const std::string& colour) {
  const EquivalentBox box = equivalent_box(body);
  if (!reaches(body, box, point))
    plot.curves.push_back(
        {.points = {page(body.position), page(point)}, .stroke = {.colour = colour, .width = 1.2, .dash = {4, 3}}});
  const Vec2 centre = page(body.position);
  if (box.ball) {
    PlotCurve circle{.name = name,
                     .points = {},
                     .stroke = {.colour = colour, .width = 1.4},
                     .closed = true,
                     .fill = colour,
                     .opacity = 0.12};
    for (int i = 0; i < 96; ++i) {
      const double a = 2 * std::numbers::pi * i / 96;
      circle.points.emplace_back(centre + box.half(0) * Vec2(std::cos(a), std::sin(a)));
    }
    plot.curves.push_back(std::move(circle));
  } else {
    std::array<Vec2, 8> corners;
    for (unsigned i = 0; i < 8; ++i) {
      const Vec3 signs(i & 1U ? 1 : -1, i & 2U ? 1 : -1, i & 4U ? 1 : -1);
      corners[i] = page(body.position + body.orientation * (box.axes * box.half.cwiseProduct(signs)));
    }
    plot.curves.push_back({.name = name,
                           .points = convex_hull({corners.begin(), corners.end()}),
                           .stroke = {.colour = colour, .width = 1.4},
                           .closed = true,
                           .fill = colour,
                           .opacity = 0.12});
    for (unsigned i = 0; i < 8; ++i)
      for (const unsigned bit : {1U, 2U, 4U})
        if ((i & bit) == 0)
          plot.curves.push_back({.points = {corners[i], corners[i | bit]}, .stroke = {.colour = colour, .width = 0.5}});
  }
  plot.points.push_back({.at = centre, .colour = colour, .form = Dot::Form::cross});
}

/// A turn about the line of sight, as an arc around the centre: longer where it is faster.
void add_spin(Plot& plot, const Page& page, const RigidBody& body, double most, const std::string& colour) {
  const double spin = page.right.cross(page.up).dot(body.angular_velocity);
  if (!(std::abs(spin) > 1e-9 * most)) return;
  const double radius = 0.6 * equivalent_box(body).half.maxCoeff();
  const double sweep = 1.6 * std::numbers::pi * spin / most;
  const Vec2 centre = page(body.position);
  PlotCurve arc{.points = {}, .stroke = {.colour = colour, .width = 1.6}, .arrow = true, .counts = false};
  constexpr int pieces = 40;
  for (int i = 0; i <= pieces; ++i) {
    const double a = std::numbers::pi / 2 + sweep * i / pieces;
    arc.points.emplace_back(centre + radius * Vec2(std::cos(a), std::sin(a)));
  }
  plot.curves.push_back(std::move(arc));
}

/// The part of a fixed body around the contact: a line with hatching on the side of `inside`.
void add_fixed(Plot& plot, const Vec2& at, double side, double size, const std::string& name) {
  plot.curves.push_back({.name = name,
                         .points = {{at.x() - size, at.y()}, {at.x() + size, at.y()}},
                         .stroke = {.colour = "#555555", .width = 1.6}});
  constexpr int strokes = 24;
  for (int i = 0; i < strokes; ++i) {
    const double x = at.x() + size * (2.0 * i / strokes - 1);
    plot.curves.push_back({.points = {{x, at.y()}, {x - 0.05 * size, at.y() + 0.08 * side * size}},
                           .stroke = {.colour = "#999999", .width = 0.7}});
  }
}

}  // namespace

EquivalentBox equivalent_box(const RigidBody& body) {
  EquivalentBox out;
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(body.inertia);
  const Vec3 J = principal.eigenvalues();
  out.axes = principal.eigenvectors();
  out.ball = J(2) - J(0) <= 1e-6 * J(2);
  if (out.ball) {
    out.half.setConstant(std::sqrt(2.5 * J.mean() / body.mass));
    return out;
  }
  // Zero for a flat plate or a rod, possibly negative through rounding.
  for (int i = 0; i < 3; ++i) out.half(i) = std::sqrt(std::max(0.0, 1.5 / body.mass * (J.sum() - 2 * J(i))));
  return out;
}

Vec3 slip_direction(const Contact& contact) {
  const Vec3 slip = contact.V - contact.n * contact.n.dot(contact.V);
  if (slip.norm() > 1e-12 * contact.V.norm()) return slip.normalized();
  return localize<double>(contact).R.col(1);
}

double fastest(const BodyPicture& p) {
  double out = 0;
  for (const RigidBody* body : {&p.bodies.A, &p.bodies.B})
    out = std::max({out, body->velocity.norm(), velocity_at(*body, p.point).norm()});
  return out;
}

double fastest_spin(const BodyPicture& p) {
  double out = 0;
  for (const RigidBody* body : {&p.bodies.A, &p.bodies.B})
    if (!body->fixed) out = std::max(out, std::abs(p.right.cross(p.n).dot(body->angular_velocity)));
  return out;
}

Plot draw_contact(const ContactPicture& p) {
  const Page page{p.right, p.n};
  Plot plot{.title = p.title, .width = 420, .height = 330, .equal_scales = true, .bare = true, .legend_below = true};
  // A tensile impulse or a velocity deeper into A points down.
  const bool down = p.n.dot(p.P) < 0;
  plot.low = Vec2(-1.15, down ? -1.1 : -0.3);
  plot.high = Vec2(1.15, 1.1);
  plot.curves.push_back(
      {.name = "common tangent plane", .points = {{-1.1, 0}, {1.1, 0}}, .stroke = {.colour = "#555555"}});
  const auto arrow = [&](const Vec2& from, const Vec2& to, std::string name, const std::string& colour, double width) {
    PlotCurve curve{.name = std::move(name), .points = {}, .stroke = {.colour = colour, .width = width}, .arrow = true};
    if ((to - from).norm() > 1e-6) curve.points = {from, to};
    plot.curves.push_back(std::move(curve));
  };
  arrow(Vec2::Zero(), {0, 0.35}, "normal $n$", "#8a8a8a", 1);
  const auto scaled = [&](const Vec3& v, double most) {
    return Vec2(most > 0 ? Vec2(0.95 / most * page(v)) : Vec2::Zero());
  };
  // What approaches comes from the side of B, what separates leaves to it.
  const Vec2 V = scaled(p.V, p.longest > 0 ? p.longest : p.V.norm());
  const bool arrives = V.y() < 0;
  arrow(arrives ? Vec2(-V) : Vec2::Zero(), arrives ? Vec2::Zero() : V, "velocity $V$ of B relative to A", "#d55e00",
        1.8);
  if (p.largest_impulse > 0)
    arrow(Vec2::Zero(), scaled(p.P, p.largest_impulse), "impulse $P$ on B so far", "#0072b2", 1.8);
  plot.points.push_back({.at = {0, 0}, .colour = "#d55e00"});
  plot.points.push_back({.name = "B", .at = {-1, 0.15}, .dot = false});
  plot.points.push_back({.name = "A", .at = {-1, -0.15}, .dot = false});
  plot.notes.emplace_back("given by its matrix: the bodies are not known");
  return plot;
}

Expected<Plot> draw_bodies(const BodyPicture& p) {
  for (const auto& [body, prefix] : {std::pair{&p.bodies.A, "A"}, std::pair{&p.bodies.B, "B"}})
    if (const auto fine = check(*body, prefix); !fine) return tl::unexpected(fine.error());
  const Page page{p.right, p.n};
  Plot plot{.title = p.title, .width = 420, .height = 330, .equal_scales = true, .bare = true, .legend_below = true};
  double size = 0;
  for (const RigidBody* body : {&p.bodies.A, &p.bodies.B})
    if (!body->fixed) size = std::max(size, (body->position - p.point).norm() + equivalent_box(*body).half.maxCoeff());
  if (size == 0) size = 1;
  const double longest = p.longest > 0 ? p.longest : fastest(p);
  const double scale = longest > 0 ? 0.8 * size / longest : 0;
  const auto arrow = [&](const Vec3& from, const Vec3& velocity, const std::string& colour) {
    if (velocity.norm() <= 1e-9 * longest) return;
    plot.curves.push_back({.points = {page(from), page(from + scale * velocity)},
                           .stroke = {.colour = colour, .width = 1.6},
                           .arrow = true});
  };
  const std::array<std::string, 2> colours{"#7f5f2e", "#0072b2"};
  const std::string centre_colour = "#000000", point_colour = "#d55e00", spin_colour = "#009e73";
  const std::array<const RigidBody*, 2> bodies{&p.bodies.A, &p.bodies.B};
  const std::array<const std::string*, 2> names{&p.name_A, &p.name_B};
  for (std::size_t i = 0; i < 2; ++i) {
    if (bodies[i]->fixed) {
      add_fixed(plot, page(p.point), i == 0 ? -1 : 1, 0.8 * size, *names[i]);
    } else {
      add_body(plot, page, *bodies[i], p.point, *names[i], colours[i]);
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (bodies[i]->fixed && bodies[i]->velocity.norm() == 0) continue;
    arrow(bodies[i]->position, bodies[i]->velocity, centre_colour);
    arrow(p.point, velocity_at(*bodies[i], p.point), point_colour);
  }
  const double most_spin = p.most_spin > 0 ? p.most_spin : fastest_spin(p);
  for (const RigidBody* body : bodies)
    if (!body->fixed) add_spin(plot, page, *body, most_spin, spin_colour);
  // Both pictures of a pair explain the same arrows, including those that only one of them shows.
  for (const auto& [name, colour] :
       {std::pair{"velocity of the centre", &centre_colour}, std::pair{"velocity of the contact point", &point_colour}})
    plot.curves.push_back({.name = name, .points = {}, .stroke = {.colour = *colour, .width = 1.6}, .arrow = true});
  if (most_spin > 0)
    plot.curves.push_back(
        {.name = "spin", .points = {}, .stroke = {.colour = spin_colour, .width = 1.6}, .arrow = true});
  plot.points.push_back({.at = page(p.point), .colour = point_colour});
  return plot;
}

}  // namespace ricochet
