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

void add_body(Plot& plot, const Page& page, const RigidBody& body, const std::string& name, const std::string& colour) {
  const EquivalentBox box = equivalent_box(body);
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
  const std::string centre_colour = "#000000", point_colour = "#d55e00";
  const std::array<const RigidBody*, 2> bodies{&p.bodies.A, &p.bodies.B};
  const std::array<const std::string*, 2> names{&p.name_A, &p.name_B};
  for (std::size_t i = 0; i < 2; ++i) {
    if (bodies[i]->fixed) {
      add_fixed(plot, page(p.point), i == 0 ? -1 : 1, 0.8 * size, *names[i]);
    } else {
      add_body(plot, page, *bodies[i], *names[i], colours[i]);
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (bodies[i]->fixed && bodies[i]->velocity.norm() == 0) continue;
    arrow(bodies[i]->position, bodies[i]->velocity, centre_colour);
    arrow(p.point, velocity_at(*bodies[i], p.point), point_colour);
  }
  // Both pictures of a pair explain the same arrows, including those that only one of them shows.
  for (const auto& [name, colour] :
       {std::pair{"velocity of the centre", &centre_colour}, std::pair{"velocity of the contact point", &point_colour}})
    plot.curves.push_back({.name = name, .points = {}, .stroke = {.colour = *colour, .width = 1.6}, .arrow = true});
  plot.points.push_back({.at = page(p.point), .colour = point_colour});
  return plot;
}

}  // namespace ricochet
