#pragma once
/// Centroid and volume of the permissible region, docs/impulse-space.md (S17 to S27).
///
/// Over the section of region_section.hpp, with X the end of the direction t and E_km of radial_integrals.hpp at
/// u = ε²X²,
///   volume = 1/√W_nn ∫dφ X² ∫₀¹ s (q̂³ − h³)/3 ds                                                               (S18)
///   axis   =         ∫dφ X² ∫₀¹ s (q̂⁴ − h⁴)/4 ds,   radial = ∫dφ X³ t ∫₀¹ s² (q̂⁴ − h⁴)/4 ds                    (S19)
/// in which q̂ = 2 (h + pXs)/(1 + us²) makes the inner integrals sums of E_km. What is taken off is at most half of what
/// it is taken from, in every half plane: nothing cancels. P_n = axis/√W_nn − w·radial/W_nn and P_t = radial give the
/// moment, over the common 1/√W_nn.                                                                            (S20)

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ricochet/space/radial_integrals.hpp"
#include "ricochet/space/region_section.hpp"

namespace ricochet {

enum class RegionStatus : std::uint8_t {
  ok,
  separating,     ///< V⁻·n ≥ 0: there is nothing to bound
  unbounded,      ///< an immovable direction lies in the friction cone
  not_converged,  ///< quadrature did not reach its tolerance
};

template <class T>
struct CentroidResult {
  Vec3T<T> P = Vec3T<T>::Zero();
  T volume = T(0);  ///< [(N s)³]; 0 at μ = 0, where the region is the segment P_I to 2 P_I
  T error = T(0);   ///< estimated relative error of the quadrature, the largest over volume and moments
  int evaluations = 0;
  RegionStatus status = RegionStatus::ok;
};

template <class T>
[[nodiscard]] RICOCHET_HD Region<ValueScalar<T>> values_of_region(const Region<T>& g) {
  if constexpr (is_dual<T>) {
    Region<double> v;
    v.W_nn = g.W_nn.v;
    v.k = g.k.v;
    v.h = g.h.v;
    v.W = values_of(g.W);
    v.V = values_of(g.V);
    v.w = values_of(g.w);
    v.axis_1 = values_of(g.axis_1);
    v.axis_2 = values_of(g.axis_2);
    v.sigma_1 = g.sigma_1.v;
    v.sigma_2 = g.sigma_2.v;
    v.p = values_of(g.p);
    v.mu_c = g.mu_c.v;
    v.mu_s = g.mu_s.v;
    v.bounded = g.bounded;
    return v;
  } else {
    return g;
  }
}

/// The inner integrals of (S18) and (S19): volume, P_n, radial as a length, and its components.
template <class T>
struct CentroidIntegrand {
  static constexpr int size = 5;
  T h;

  RICOCHET_HD void operator()(const HalfPlanes<T>& here, Lanes<T> (&f)[size]) const {
    using A = Lanes<T>;
    const RadialIntegrals<T> E(here.u, here.y);
    const A q = here.p * here.X;
    const T h_2 = h * h, h_3 = h_2 * h, h_4 = h_2 * h_2;
    f[0] = (((q * E.E43 + T(3) * h * E.E33) * q + T(3) * h_2 * E.E23) * q + h_3 * E.E13) * T(8.0L / 3) - h_3 / T(6);
    const A axis =
        ((((q * E.E54 + T(4) * h * E.E44) * q + T(6) * h_2 * E.E34) * q + T(4) * h_3 * E.E24) * q + h_4 * E.E14) *
            T(4) -
        h_4 / T(8);
    const A radial =
        (((((q * E.E64 + T(4) * h * E.E54) * q + T(6) * h_2 * E.E44) * q + T(4) * h_3 * E.E34) * q + h_4 * E.E24) *
             T(4) -
         h_4 / T(12)) *
        here.X;
    f[1] = axis - here.w * radial;
    f[2] = radial * here.length;
    f[3] = radial * here.t_1;
    f[4] = radial * here.t_2;
  }
};

/// Kernel in local axes. No allocation, no exception. `tolerance` is that of each panel of the quadrature.
template <class T, class S = double>
RICOCHET_HD CentroidResult<T> centroid(const Local<T>& c, S mu, T tolerance = T(1e-12)) {
  using std::abs;
  using V = ValueScalar<T>;
  CentroidResult<T> result;
  if (!(c.V(0) < T(0))) {
    result.status = RegionStatus::separating;
    return result;
  }
  if (mu == S(0)) {
    result.P = Vec3T<T>(T(1.5) * (-c.V(0) / c.W(0, 0)), T(0), T(0));
    return result;
  }
  const Region<T> g = region_of(c, mu);
  if (!g.bounded) {
    result.status = RegionStatus::unbounded;
    return result;
  }
  // Panels and scales change nothing: with derivatives they are those of the values.
  const Region<V> values = values_of_region(g);
  const SectionScale<V> scale(values);
  const SectionPanels<V> panels(RegionSection<V>(values, scale.r_0, scale.X_0));
  const RegionSection<T> section(g, T(scale.r_0), T(scale.X_0));
  const CentroidIntegrand<T> integrand{section.h};
  constexpr int n = CentroidIntegrand<T>::size;
  T total[n];
  for (T& sum : total) sum = T(0);
  V error(0);
  const bool resolved = panels.for_each([&](const SectionPanel<V>& panel) {
    result.evaluations += GaussPanel<V>::size;
    const PanelIntegral<T, n> part =
        integrate_panel<T, n>(in_chart(section, panels, panel.end), panel, integrand, Judged<0, 1, 2>{});
    const auto& A = panels.chart(panel.end);
    const T area(A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0));
    const T added[n] = {area * part.value[0], area * part.value[1], area * part.value[2],
                        area * (T(A(0, 0)) * part.value[3] + T(A(0, 1)) * part.value[4]),
                        area * (T(A(1, 0)) * part.value[3] + T(A(1, 1)) * part.value[4])};
    // What is next to nothing of the whole need not be resolved by itself.
    V share(0);
    for (int j = 0; j < 3; ++j) {
      const V here = value_of(added[j]) / value_of(total[j] + added[j]);
      if (!(here <= share)) share = here;
    }
    const V panel_error = part.error <= value_of(tolerance) ? part.error : share * part.error;
    if (!(panel_error <= value_of(tolerance))) return false;
    for (int j = 0; j < n; ++j) total[j] += added[j];
    if (panel_error > error) error = panel_error;
    return true;
  });
  // Where the region is its own image in a plane the centroid lies in it. Beside an immovable axis the region may be a
  // needle, and rounding of its length large against P.
  for (int i = 0; i < 2; ++i)
    if (section.w(i) == T(0) && section.p(i) == T(0)) total[3 + i] -= T(value_of(total[3 + i]));
  result.error = T(error);
  const T r_0 = section.r_0, X_0 = section.X_0;
  const T size = r_0 / total[0];
  const Vec2T<T> P_t = g.axis_1 * (size * X_0 * total[3]) + g.axis_2 * (size * X_0 * total[4]);
  result.P = Vec3T<T>(size * total[1] / section.root, P_t(0), P_t(1));
  result.volume = r_0 * r_0 * r_0 * total[0] * X_0 * X_0 / section.root;
  const bool sound = total[0] > T(0) && abs(result.P(0)) < std::numeric_limits<T>::max() &&
                     abs(result.P(1)) < std::numeric_limits<T>::max() &&
                     abs(result.P(2)) < std::numeric_limits<T>::max();
  if (!resolved || !sound) result.status = RegionStatus::not_converged;
  return result;
}

/// In the coordinates of the contact. Fails when the contact separates (field V), when the region is unbounded (W) and
/// when the quadrature does not converge (mu).
[[nodiscard]] Expected<CentroidResult<double>> centroid(const Contact& contact, double mu);

}  // namespace ricochet
