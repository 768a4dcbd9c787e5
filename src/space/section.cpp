#include "ricochet/space/section.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/space/region.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The part of a line, or of a ray from `at`, that lies in the frame; empty when there is none.
std::vector<Vec2> clip(const Vec2& low, const Vec2& high, const Vec2& at, const Vec2& along, bool ray) {
  double from = ray ? 0 : -infinity;
  double to = infinity;
  for (int i = 0; i < 2; ++i) {
    if (along(i) == 0) {
      if (at(i) < low(i) || at(i) > high(i)) return {};
      continue;
    }
    const double a = (low(i) - at(i)) / along(i);
    const double b = (high(i) - at(i)) / along(i);
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  if (!(from < to)) return {};
  return {at + from * along, at + to * along};
}

}  // namespace

const NamedPoint* Section::point(std::string_view wanted) const {
  const auto at = std::find_if(points.begin(), points.end(), [&](const NamedPoint& p) { return p.name == wanted; });
  return at == points.end() ? nullptr : &*at;
}

const NamedCurve* Section::curve(std::string_view wanted) const {
  const auto at = std::find_if(curves.begin(), curves.end(), [&](const NamedCurve& c) { return c.name == wanted; });
  return at == curves.end() ? nullptr : &*at;
}

Expected<Section> section(const Contact& contact, double mu, const SectionOptions& options) {
  if (!(mu >= 0)) return fail(ErrorCode::out_of_range, "mu", to_text(mu), "must be at least 0, or inf");
  if (options.samples < 8)
    return fail(ErrorCode::out_of_range, "samples", std::to_string(options.samples), "must be at least 8");
  for (const double e : options.e_lines)
    if (!(std::isfinite(e) && e >= 0))
      return fail(ErrorCode::out_of_range, "e_lines", to_text(e), "must be finite and at least 0");
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return fail(ErrorCode::invalid, "V", to_text(local.V(0)), "must approach: n·V < 0");

  Section out;
  out.mu = mu;
  out.axes = local.R;
  const double k = -local.V(0);
  const double s = -local.V(1);
  const double W_nn = local.W(0, 0);
  out.W << local.W(1, 1), local.W(0, 1), local.W(0, 1), W_nn;
  out.V = Vec2(-s, -k);
  const double size = local.W.cwiseAbs().maxCoeff();
  out.planar = std::abs(local.W(0, 2)) <= 1e-12 * size && std::abs(local.W(1, 2)) <= 1e-12 * size;

  // The planar problem as a contact with an uncoupled third axis, so that region.hpp applies.
  Local<double> plane = local;
  plane.W(0, 2) = plane.W(2, 0) = plane.W(1, 2) = plane.W(2, 1) = 0;
  plane.W(2, 2) = std::max(local.W(1, 1), W_nn);
  const Region<double> region = region_of(plane, mu);
  const Ray<double> right = ray_at(region, Vec2(1, 0));
  const Ray<double> left = ray_at(region, Vec2(-1, 0));
  const bool singular = right.eps == 0;
  const double P_I = k / W_nn;

  // Centre: V + W C = 0. By (S10) its x is p/ε², and its y puts it on the line of maximum compression.
  const double C_x = singular ? 0 : right.p / (right.eps * right.eps);
  const Vec2 centre(C_x, P_I - C_x * right.w / W_nn);
  out.energy = -0.5 * (out.V.x() * centre.x() + out.V.y() * centre.y());
  if (!std::isfinite(out.energy))
    return fail(ErrorCode::overflow, "V", to_text(local.V.cwiseAbs().maxCoeff()),
                "is too large for double precision; use other units");
  const Eigen::SelfAdjointEigenSolver<Mat2> eigen(out.W);
  auto& ellipse = out.ellipse;
  ellipse.centre = centre;
  ellipse.axis_1 = eigen.eigenvectors().col(0);
  ellipse.axis_2 = eigen.eigenvectors().col(1);
  ellipse.half_2 = std::sqrt(2 * out.energy / eigen.eigenvalues()(1));
  ellipse.half_1 = singular ? infinity : std::sqrt(2 * out.energy / eigen.eigenvalues()(0));

  const Vec2 E(0, 2 * P_I);
  const auto mark = [&](const char* name, const Vec2& P) { out.points.push_back({name, P}); };
  mark("O", Vec2::Zero());
  mark("P_I", Vec2(0, P_I));
  mark("centre", centre);
  mark("E", E);
  if (!singular) {
    // V⁺ = W (P − C). Along x the ellipse reaches √(2E)/ε, with V⁺ = ∓x there and P on the line of maximum compression;
    // along n it reaches √(2E M_nn), with V⁺ = ±n.
    const double reach_x = std::sqrt(2 * out.energy) / right.eps;
    const Vec2 B_from_centre(reach_x, -reach_x * right.w / W_nn);
    const double det = W_nn * right.eps * right.eps;
    const double v = std::sqrt(2 * out.energy * det / out.W(0, 0));  // speed at the summit
    const Vec2 C_from_centre(-out.W(0, 1) / det * v, out.W(0, 0) / det * v);
    mark("A", centre - B_from_centre);
    mark("B", centre + B_from_centre);
    mark("C", centre + C_from_centre);
    mark("D", centre - C_from_centre);
    mark("F", 2 * centre);
    const Vec2 extent(std::abs(B_from_centre.x()), std::abs(C_from_centre.y()));
    out.frame_low = (centre - extent).cwiseMin(Vec2::Zero()) - 0.1 * extent;
    out.frame_high = (centre + extent).cwiseMax(E) + 0.1 * extent;
  } else {
    const double extent = 3 * std::max({2 * P_I, centre.norm(), ellipse.half_2});
    out.frame_low = Vec2(-extent, -extent);
    out.frame_high = Vec2(extent, extent);
    out.bounded = region.bounded;
  }

  const auto draw = [&](std::string name, std::vector<Vec2> points, bool closed = false) {
    out.curves.push_back({std::move(name), std::move(points), closed});
  };
  const auto line = [&](std::string name, const Vec2& at, const Vec2& along, bool ray = false) {
    auto ends = clip(out.frame_low, out.frame_high, at, along, ray);
    if (!ends.empty()) draw(std::move(name), std::move(ends));
  };
  if (!singular) {
    std::vector<Vec2> points;
    points.reserve(static_cast<std::size_t>(options.samples));
    for (int i = 0; i < options.samples; ++i) {
      const double a = 2 * std::numbers::pi * i / options.samples;
      points.emplace_back(centre + ellipse.half_1 * std::cos(a) * ellipse.axis_1 +
                          ellipse.half_2 * std::sin(a) * ellipse.axis_2);
    }
    draw("energy", std::move(points), true);
  } else {
    line("energy", centre - ellipse.half_2 * ellipse.axis_2, ellipse.axis_1);
    line("energy", centre + ellipse.half_2 * ellipse.axis_2, ellipse.axis_1);
  }
  const Vec2 compression(W_nn, -right.w);
  const double length = compression.norm();
  line("maximum compression", Vec2(0, P_I), compression / length);
  // Sticking: V_2⁺ = 0, a line unless the contact cannot move along x at all.
  if (const double norm = std::hypot(out.W(0, 0), out.W(0, 1)); norm > 0)
    line("sticking", centre, Vec2(-out.W(0, 1), out.W(0, 0)) / norm);
  const Vec2 edge(region.mu_s, region.mu_c);
  line("friction right", Vec2::Zero(), edge, true);
  line("friction left", Vec2::Zero(), Vec2(-edge.x(), edge.y()), true);
  for (const double e : options.e_lines) line(fmt::format("e = {}", e), Vec2(0, (1 + e) * P_I), compression / length);

  // The region in polar form (S12): outer side sampled from the left end to the right, then back along the straight
  // side.
  {
    const double frame = (out.frame_high - out.frame_low).norm();
    const auto X_of = [&](const Ray<double>& ray) {
      const double X = ray.X();
      return std::isfinite(X) ? X : frame / region.h;
    };
    const auto outer = [&](const Ray<double>& ray, double chi) {
      const double alpha = ray.eps * chi;
      const double sine = ray.eps > 0 ? std::sin(alpha) / ray.eps : chi;
      const Vec3 P = impulse_at(region, ray, chi, 2 * (region.h * std::cos(alpha) + ray.p * sine));
      return Vec2(P(1), P(0));
    };
    // r cos α = h on the straight side, so its points need no angle, which would lose accuracy near a right angle.
    const auto inner = [&](const Ray<double>& ray, double X) {
      const double x = region.h * X;
      return Vec2(x * ray.t(0), P_I - x * ray.w / W_nn);
    };
    const double X_left = X_of(left);
    const double X_right = X_of(right);
    const double from = left.chi(X_left);
    const double to = right.chi(X_right);
    std::vector<Vec2> points;
    points.reserve(static_cast<std::size_t>(options.samples) + 2);
    for (int i = 0; i < options.samples; ++i) {
      const double at = -from + (from + to) * i / (options.samples - 1);
      points.push_back(at < 0 ? outer(left, -at) : outer(right, at));
    }
    // Where energy ends the half plane before the cone does, both sides meet in one corner.
    if (left.X_D <= left.X_E) points.front() = inner(left, X_left);
    if (right.X_D <= right.X_E) points.back() = inner(right, X_right);
    points.push_back(inner(right, X_right));
    points.push_back(inner(left, X_left));
    draw("permissible", std::move(points), true);
  }
  return out;
}

}  // namespace ricochet
