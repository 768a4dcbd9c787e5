#include "ricochet/report/impulse_solid.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace ricochet {
namespace {

constexpr int samples = 128;
constexpr double degree = std::numbers::pi / 180;

/// Rows: to the right and up on the page, in the axes of the contact.
Eigen::Matrix<double, 2, 3> projection(const Mat3& axes, const View& view) {
  const Vec3 n = axes.col(0), t = axes.col(1), s = axes.col(2);
  const Vec3 right = std::cos(view.turn * degree) * t + std::sin(view.turn * degree) * s;
  const Vec3 away = std::cos(view.turn * degree) * s - std::sin(view.turn * degree) * t;
  Eigen::Matrix<double, 2, 3> B;
  B.row(0) = right.transpose();
  B.row(1) = (std::cos(view.tilt * degree) * n + std::sin(view.tilt * degree) * away).transpose();
  return B;
}

}  // namespace

Expected<Plot> impulse_solid(const ImpulseSpace& space, const ImpulseSolidOptions& options) {
  if (space.contact.immovable)
    return fail(ErrorCode::invalid, "W", "", "must be regular: the energy ellipsoid has no end to draw");
  if (!std::isfinite(space.mu))
    return fail(ErrorCode::out_of_range, "mu", to_text(space.mu), "must be finite: the cone is drawn");
  const Local<double> local = localize<double>(space.contact);
  if (!(space.energy > 0 && std::isfinite(space.energy)))
    return fail(ErrorCode::overflow, "V", to_text(local.V.cwiseAbs().maxCoeff()),
                "is too small or too large for double precision; use other units");
  const Eigen::Matrix<double, 2, 3> B = projection(local.R, options.view);
  const auto page = [&](const Vec3& P) { return Vec2(B * P); };

  Plot plot{.x_label = "", .y_label = "", .width = 560, .height = 440, .equal_scales = true, .bare = true};
  // The shadow of { (P − c)ᵀ W (P − c) ≤ 2E } is { (x − Bc)ᵀ (B M Bᵀ)⁻¹ (x − Bc) ≤ 2E }.
  const Mat2 S = 2 * space.energy * (B * space.contact.M * B.transpose());
  Mat2 L = Mat2::Zero();
  L(0, 0) = std::sqrt(S(0, 0));
  L(1, 0) = S(1, 0) / L(0, 0);
  L(1, 1) = std::sqrt(std::max(0.0, S(1, 1) - L(1, 0) * L(1, 0)));
  const Vec2 centre = page(space.ellipsoid.centre);
  PlotCurve outline{.name = "energy ellipsoid",
                    .points = {},
                    .stroke = {.width = 1.4},
                    .closed = true,
                    .fill = "#9ecae1",
                    .opacity = 0.2};
  for (int i = 0; i < samples; ++i) {
    const double a = 2 * std::numbers::pi * i / samples;
    outline.points.emplace_back(centre + L * Vec2(std::cos(a), std::sin(a)));
  }
  plot.curves.push_back(std::move(outline));

  // The cone up to the height of 2 P_I, or of the ellipsoid's centre where that is higher.
  const Vec3 n = local.R.col(0);
  const double height = 1.15 * std::max(2 * n.dot(space.P_I), n.dot(space.ellipsoid.centre));
  std::vector<Vec2> ring;
  for (int i = 0; i < samples; ++i) {
    const double a = 2 * std::numbers::pi * i / samples;
    ring.push_back(
        page(height * n + height * space.mu * (std::cos(a) * local.R.col(1) + std::sin(a) * local.R.col(2))));
  }
  const auto lean = [](const Vec2& p) { return std::atan2(p.x(), p.y()); };
  const auto [left, right] =
      std::minmax_element(ring.begin(), ring.end(), [&](const Vec2& a, const Vec2& b) { return lean(a) < lean(b); });
  const Stroke brown{.colour = "#8c510a", .width = 1.2};
  plot.curves.push_back({.name = "friction cone", .points = {*left, Vec2::Zero(), *right}, .stroke = brown});
  plot.curves.push_back({.points = ring, .stroke = brown, .closed = true});

  // A piece of the plane of maximum compression, about the foot of P_I.
  const Plane& plane = space.maximum_compression;
  const Vec3 a = (local.R.col(1) - plane.normal * plane.normal.dot(local.R.col(1))).normalized();
  const Vec3 b = plane.normal.cross(a);
  const double size = 0.9 * height;
  PlotCurve sheet{.name = "maximum compression",
                  .points = {},
                  .stroke = {.colour = "#888888", .width = 0.8, .dash = {6, 3}},
                  .closed = true,
                  .fill = "#cccccc",
                  .opacity = 0.2};
  for (const Vec2& c : {Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)})
    sheet.points.push_back(page(plane.point + size * (c.x() * a + c.y() * b)));
  plot.curves.push_back(std::move(sheet));
  if (space.sticking.direction)
    plot.curves.push_back({.name = "sticking line",
                           .points = {page(space.sticking.point - height * *space.sticking.direction),
                                      page(space.sticking.point + height * *space.sticking.direction)},
                           .stroke = {.colour = "#444444", .dash = {1.5, 2.5}},
                           .counts = false});
  std::size_t colour = 0;
  for (const Reach& r : options.reaches) {
    const std::string c = look_of(r.name, colour++).first;
    PlotCurve curve{.name = r.name + (r.closed ? ": any $e$, $e_t$" : ": any $e$"),
                    .points = {},
                    .stroke = {.colour = c, .width = 1.6},
                    .closed = r.closed,
                    .fill = r.closed ? c : std::string(),
                    .opacity = 0.3,
                    .law = r.name};
    for (const Vec3& P : r.points) curve.points.push_back(page(P));
    plot.curves.push_back(std::move(curve));
  }
  plot.curves.push_back(
      {.points = {Vec2::Zero(), page(1.2 * height * n)}, .stroke = {.colour = "#555555", .width = 0.8}, .arrow = true});
  const Vec3 t = local.R.col(1);
  plot.curves.push_back(
      {.points = {Vec2::Zero(), page(0.6 * height * t)}, .stroke = {.colour = "#555555", .width = 0.8}, .arrow = true});
  plot.points.push_back({.name = "$n$", .at = page(1.2 * height * n), .angle = 0, .dot = false});
  plot.points.push_back({.name = "against the slip", .at = page(0.6 * height * t), .angle = -45, .dot = false});
  plot.points.push_back({.name = "$O$", .at = Vec2::Zero(), .angle = 225});
  plot.points.push_back({.name = "$P_I$", .at = page(space.P_I), .angle = 150});
  plot.points.push_back({.name = "$P_{II}$", .at = page(space.P_II), .angle = 0});
  for (const auto& [name, P] : options.answers) {
    const auto [shade, form] = look_of(name, colour++);
    plot.points.push_back({.name = name, .at = page(P), .colour = shade, .form = form, .in_legend = true, .law = name});
  }
  return plot;
}

}  // namespace ricochet
