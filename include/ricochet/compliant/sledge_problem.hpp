#pragma once
/// A local contact as the dimensionless problem of the spring-sledge kernels, docs/laws/spring-sledge.md.

#include <cmath>
#include <limits>

#include "ricochet/compliant/planar_sledge.hpp"
#include "ricochet/compliant/spatial_sledge.hpp"
#include "ricochet/compliant/spring_sledge.hpp"
#include "ricochet/contact/contact.hpp"

namespace ricochet {

namespace sledge {

/// Units of a local contact (L3).
template <class T>
struct Units {
  T speed, mobility;
  [[nodiscard]] RICOCHET_HD T impulse() const { return speed / mobility; }
  [[nodiscard]] RICOCHET_HD T energy() const { return speed * speed / mobility; }
};
template <class T>
RICOCHET_HD Units<T> units(const Local<T>& c) {
  return {-c.V(0), c.W(0, 0)};
}

/// Axis 3 is coupled to nothing and nothing moves along it, to rounding.
template <class T>
RICOCHET_HD bool is_planar(const Local<T>& c) {
  using std::abs;
  using std::sqrt;
  const T eps = T(4) * std::numeric_limits<T>::epsilon();
  return c.V(2) == T(0) && abs(c.W(0, 2)) <= eps * sqrt(c.W(0, 0) * c.W(2, 2)) &&
         abs(c.W(1, 2)) <= eps * sqrt(c.W(1, 1) * c.W(2, 2));
}

/// Parameters in the scalar type of the contact, where they depend on it.
template <class T>
struct Coefficients {
  T kappa, mu, e;
  compliant::Damper damper = compliant::Damper::hysteretic;
};

// `Parameters` is SpringSledge or Coefficients.

/// Viscous dampers have no closed form.
template <class Parameters, class T>
RICOCHET_HD bool in_closed_form(const Parameters& law, const Local<T>& c) {
  return is_planar(c) && (law.damper == compliant::Damper::hysteretic || law.e == T(1));
}

template <class Parameters, class T>
RICOCHET_HD compliant::PlanarSledge<T> planar_problem(const Parameters& law, const Local<T>& c) {
  const Units<T> u = units(c);
  return {c.W(0, 1) / u.mobility, c.W(1, 1) / u.mobility, c.V(1) / u.speed, T(law.kappa), T(law.mu), T(law.e)};
}

template <class Parameters, class T>
RICOCHET_HD compliant::SpatialSledge<T> spatial_problem(const Parameters& law, const Local<T>& c) {
  const Units<T> u = units(c);
  compliant::SpatialSledge<T> p;
  p.A = c.W / u.mobility;
  p.v_t = Vec2T<T>(c.V(1) / u.speed, c.V(2) / u.speed);
  p.kappa = T(law.kappa);
  p.mu = T(law.mu);
  p.e = T(law.e);
  p.damper = law.damper;
  return p;
}

}  // namespace sledge

}  // namespace ricochet
