#include "ricochet/space/region_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

/// A point of (S22) in local axes.
Vec3 at(const Region<double>& g, const Ray<double>& ray, double X, bool roof) {
  const double along = roof ? 2 * (g.h + ray.p * X) / (1 + ray.eps * ray.eps * X * X) : g.h;
  const double P_t = along * X;
  return {along / std::sqrt(g.W_nn) - ray.w * P_t / g.W_nn, P_t * ray.t(0), P_t * ray.t(1)};
}

}  // namespace

Expected<RegionSurface> region_surface(const Contact& contact, double mu, const RegionSurfaceOptions& options) {
  if (options.turns < 3)
    return fail(ErrorCode::out_of_range, "turns", std::to_string(options.turns), "must be at least 3");
  if (options.rings < 1)
    return fail(ErrorCode::out_of_range, "rings", std::to_string(options.rings), "must be at least 1");
  const auto space = impulse_space(contact, mu);
  if (!space) return tl::unexpected(space.error());
  const Local<double> local = localize<double>(contact);
  const Region<double> g = region_of(local, mu);
  RegionSurface out;
  out.bounded = g.bounded;
  out.reach = 8 * (space->P_I.norm() + space->P_II.norm());
  // The last X at which floor and roof are both within reach; the norms grow from some X on, so bisection finds the
  // limit.
  const auto cut = [&](const Ray<double>& ray) {
    const auto inside = [&](double X) {
      return at(g, ray, X, false).norm() <= out.reach && at(g, ray, X, true).norm() <= out.reach;
    };
    double high = 1;
    while (high < ray.X() && inside(high) && high < std::numeric_limits<double>::max() / 4) high *= 2;
    if (high >= ray.X()) {
      if (inside(ray.X())) return ray.X();
      high = ray.X();
    }
    double low = 0;
    for (int i = 0; i < 200 && low < high; ++i) {
      const double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) break;
      (inside(middle) ? low : high) = middle;
    }
    return low;
  };

  const auto turns = static_cast<std::size_t>(options.turns), rings = static_cast<std::size_t>(options.rings);
  const std::size_t side = rings + 1;
  // Point (i, j) of the floor is at (i side + j), that of the roof turns × side later.
  out.points.resize(2 * turns * side);
  for (std::size_t i = 0; i < turns; ++i) {
    const double phi = 2 * std::numbers::pi * double(i) / double(turns);
    const Ray<double> ray = ray_at(g, Vec2(std::cos(phi), std::sin(phi)));
    const double X_max = g.bounded ? ray.X() : cut(ray);
    const double chi_max = ray.chi(X_max);
    for (std::size_t j = 0; j <= rings; ++j) {
      // Equal steps of the angle α along the upper surface; the last is exactly X_max.
      const double chi = chi_max * double(j) / double(rings);
      const double X = j == rings ? X_max : ray.eps > 0 ? std::tan(ray.eps * chi) / ray.eps : chi;
      out.points[i * side + j] = local.R * at(g, ray, X, false);
      out.points[(turns + i) * side + j] = local.R * at(g, ray, X, true);
    }
  }
  const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
    for (const std::size_t k : {a, b, c}) out.triangles.push_back(static_cast<int>(k));
  };
  const auto floor = [&](std::size_t i, std::size_t j) { return i % turns * side + j; };
  const auto roof = [&](std::size_t i, std::size_t j) { return (turns + i % turns) * side + j; };
  for (std::size_t i = 0; i < turns; ++i) {
    for (std::size_t j = 0; j < rings; ++j) {
      triangle(floor(i, j), floor(i + 1, j + 1), floor(i, j + 1));
      triangle(roof(i, j), roof(i, j + 1), roof(i + 1, j + 1));
      if (j == 0) continue;  // at the axis the other half of each square has no area
      triangle(floor(i, j), floor(i + 1, j), floor(i + 1, j + 1));
      triangle(roof(i, j), roof(i + 1, j + 1), roof(i + 1, j));
    }
    triangle(floor(i, rings), floor(i + 1, rings), roof(i + 1, rings));
    triangle(floor(i, rings), roof(i + 1, rings), roof(i, rings));
  }
  return out;
}

}  // namespace ricochet
