#include "ricochet/fit/region_place.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {

RegionPlace region_place(const ReducedImpact& row, double mu) {
  const Contact& c = row.contact;
  const Vec3 slip = c.V - c.n * c.n.dot(c.V);
  const Vec3 t = slip.norm() > 0 ? Vec3(slip.normalized()) : Vec3(c.n.unitOrthogonal());
  const double P_n = c.n.dot(row.P);
  // a P has n·V⁺ = 0 at a = separates, and keeps the energy at a = keeps; P itself is a = 1.
  const double separates = -c.n.dot(c.V) / c.n.dot(c.W * row.P);
  const double keeps = -2 * row.P.dot(c.V) / row.P.dot(c.W * row.P);
  return {-t.dot(row.P) / (mu * P_n), (1 - separates) / (keeps - separates)};
}

void RegionDensity::add(const RegionPlace& place) {
  const double x = (place.friction + 1) / 2 * across, y = place.rebound * up;
  if (!(x >= 0 && x <= across && y >= 0 && y <= up)) {
    ++outside;
    return;
  }
  const int i = std::min(across - 1, static_cast<int>(x)), j = std::min(up - 1, static_cast<int>(y));
  ++count[cell(i, j)];
}

}  // namespace ricochet
