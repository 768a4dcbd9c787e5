#pragma once
/// Centroid and volume of the permissible region, docs/impulse-space.md (S17 to S20).
///
/// In the coordinates of region.hpp a volume element is r² (sin α / ε) / √W_nn dr dχ dφ with χ = α / ε, so that
///   volume = 1/√W_nn ∫dφ { ∫₀^χ̂ ⅓ r̂³ (sin α / ε) dχ − h³ X² / 6 },    r̂ = 2 (h cos α + p sin α / ε)    (S17)
///   axis   =         ∫dφ { ∫₀^χ̂ ¼ r̂⁴ cos α (sin α / ε) dχ − h⁴ X² / 8 }                               (S18)
///   radial =         ∫dφ { ∫₀^χ̂ ¼ r̂⁴ (sin α / ε)² dχ − h⁴ X³ / 12 } t                                 (S19)
/// and P_n = axis/√W_nn − w·radial/W_nn, P_t = radial give the moment, all over the common 1/√W_nn. The inner integrand
/// is a trigonometric polynomial of degree six at most on less than a quarter turn: sixteen Gauss points leave less
/// than 1e-20. What is taken off is at most half of what it is taken from, in every half plane: nothing cancels. The
/// outer integral is smooth between the angles where cone and energy change places, and is done by globally adaptive
/// Gauss-Kronrod quadrature.

#include <array>
#include <cmath>
#include <cstddef>

#include "ricochet/base/gauss_kronrod.hpp"
#include "ricochet/base/gauss_legendre.hpp"
#include "ricochet/space/region.hpp"

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

/// Angles φ at which the integrand may turn sharply, ascending in [0, 2π).
template <class T>
class RegionCorners {
 public:
  /// The axes of S, the directions ±w towards which the cone opens, those across which the slip after P_I changes sign
  /// (a jump as V_n → 0), and where cone and energy change places. Changes that the search misses are left to the
  /// bisection of the quadrature.
  RICOCHET_HD explicit RegionCorners(const Region<T>& g) {
    using std::atan2;
    const T turn = T(2) * ricochet::pi<T>();
    const T first = atan2(g.axis_1(1), g.axis_1(0));
    for (int i = 0; i < 4; ++i) add(first + turn * T(i) / T(4));
    if (g.w(0) != T(0) || g.w(1) != T(0))
      for (int i = 0; i < 2; ++i) add(atan2(g.w(1), g.w(0)) + turn * T(i) / T(2));
    if (g.p(0) != T(0) || g.p(1) != T(0))
      for (int i = 0; i < 4; ++i) add(atan2(g.p(1), g.p(0)) + turn * T(i) / T(4));
    sort();
    find_reach(g);
    add_changes(g);
    sort();
    angles_[static_cast<std::size_t>(count_)] = angles_[0] + turn;
  }

  /// Breakpoints of a whole turn, the first repeated at the end.
  template <class U>
  [[nodiscard]] RICOCHET_HD auto breakpoints_as() const {
    std::array<U, capacity + 1> out{};
    for (int i = 0; i <= count_; ++i) out[static_cast<std::size_t>(i)] = U(angles_[static_cast<std::size_t>(i)]);
    return out;
  }
  [[nodiscard]] RICOCHET_HD int size() const { return count_ + 1; }
  /// The largest X among the corners: a scale that keeps X² and X³ in range at any μ.
  [[nodiscard]] RICOCHET_HD T reach() const { return reach_; }

 private:
  static constexpr int capacity = 24;

  RICOCHET_HD void add(T phi) {
    const T turn = T(2) * ricochet::pi<T>();
    while (phi < T(0)) phi += turn;
    while (phi >= turn) phi -= turn;
    if (count_ < capacity) angles_[static_cast<std::size_t>(count_++)] = phi;
  }

  RICOCHET_HD void sort() {
    for (std::size_t i = 1; i < static_cast<std::size_t>(count_); ++i)
      for (std::size_t j = i; j > 0 && angles_[j] < angles_[j - 1]; --j) {
        const T lower = angles_[j];
        angles_[j] = angles_[j - 1];
        angles_[j - 1] = lower;
      }
  }

  RICOCHET_HD void find_reach(const Region<T>& g) {
    for (int i = 0; i < count_; ++i) {
      const T X = ray_at_angle(g, angles_[static_cast<std::size_t>(i)]).X();
      if (X > reach_ && X < std::numeric_limits<T>::max()) reach_ = X;
    }
  }

  RICOCHET_HD void add_changes(const Region<T>& g) {
    const auto cone_first = [&](T phi) {
      const Ray<T> here = ray_at_angle(g, phi);
      return here.X_E < here.X_D;
    };
    const T turn = T(2) * ricochet::pi<T>();
    const int known = count_;
    constexpr int samples = 8;
    for (int i = 0; i < known; ++i) {
      const T a = angles_[static_cast<std::size_t>(i)];
      const T b = i + 1 < known ? angles_[static_cast<std::size_t>(i) + 1] : angles_[0] + turn;
      T from = a;
      bool before = cone_first(from);
      for (int j = 1; j <= samples; ++j) {
        const T to = a + (b - a) * T(j) / T(samples);
        const bool after = cone_first(to);
        if (after != before) {
          T low = from, high = to;
          for (int k = 0; k < 80; ++k) {
            const T middle = low + (high - low) / T(2);
            if (!(middle > low && middle < high)) break;
            (cone_first(middle) == before ? low : high) = middle;
          }
          add(low);
        }
        from = to;
        before = after;
      }
    }
  }

  std::array<T, capacity + 1> angles_{};
  int count_ = 0;
  T reach_ = T(0);
};

/// The inner integrals of (S17) to (S19) at the angle φ, lengths over r_0, X over X_0.
template <class T>
struct CentroidIntegrand {
  /// Volume, P_n, P_2, P_3, and ‖(P_2, P_3)‖, against which the errors of P_2 and P_3 are judged.
  using Vector = Eigen::Matrix<T, 5, 1>;
  Region<T> g;
  T X_0, r_0;

  RICOCHET_HD CentroidIntegrand(const Region<T>& region, T reach) : g(region), X_0(reach) {
    using std::sqrt;
    r_0 = g.h * g.h;
    for (int i = 0; i < 2; ++i) {
      const T sigma = i == 0 ? g.sigma_1 : g.sigma_2;
      const T part = (i == 0 ? g.axis_1 : g.axis_2).dot(g.p);
      if (sigma > T(0)) r_0 += part * part / sigma;
    }
    r_0 = sqrt(r_0);
    if constexpr (is_dual<T>) r_0 = T(value_of(r_0));  // a scale
  }

  [[nodiscard]] RICOCHET_HD Vector operator()(T phi) const {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const auto& gauss = gauss_legendre<T>();
    const T h = g.h / r_0, root = sqrt(g.W_nn);
    const Ray<T> here = ray_at_angle(g, phi);
    const T X = here.X();
    const T chi_end = here.chi(X);
    const T p = here.p / r_0;
    T volume(0), axis(0), radial(0);
    for (std::size_t i = 0; i < gauss.size; ++i) {
      const T chi = chi_end * (i % 2 == 0 ? T(1) + gauss.x[i / 2] : T(1) - gauss.x[i / 2]) / T(2);
      const T alpha = here.eps * chi;
      const T sine = here.eps > T(0) ? T(sin(alpha) / here.eps) : chi;
      const T cosine = cos(alpha);
      const T r = T(2) * (h * cosine + p * sine);
      const T weight = gauss.w[i / 2] / T(2) * (chi_end / X_0) * (sine / X_0) * r * r * r;
      volume += weight / T(3);
      axis += weight * r / T(4) * cosine;
      radial += weight * r / T(4) * (sine / X_0);
    }
    const T x = X / X_0;
    const T h_3 = h * h * h;
    volume -= h_3 * x * x / T(6);
    axis -= h_3 * h * x * x / T(8);
    radial -= h_3 * h * x * x * x / T(12);
    const T P_2 = radial * here.t(0), P_3 = radial * here.t(1);
    Vector f;
    f << volume, axis / root - here.w * radial * X_0 / g.W_nn, P_2, P_3, sqrt(P_2 * P_2 + P_3 * P_3);
    return f;
  }
};

/// Kernel in local axes. No allocation, no exception.
template <class T, class S = double>
RICOCHET_HD CentroidResult<T> centroid(const Local<T>& c, S mu, T tolerance = T(1e-11)) {
  using std::abs;
  using std::sqrt;
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
  using Vector = typename CentroidIntegrand<T>::Vector;
  // Corners divide the integral and scale it, and change nothing: with derivatives they are those of the values.
  const RegionCorners<ValueScalar<T>> corners(values_of_region(g));
  const CentroidIntegrand<T> integrand(g, T(corners.reach()));
  const auto counted = [&](T phi) {
    result.evaluations += 1;
    return integrand(phi);
  };
  const auto scale = [](const Vector& total) {
    Vector s;
    s << abs(total(0)), abs(total(1)), total(4), total(4), std::numeric_limits<T>::infinity();
    return s;
  };
  constexpr int most_intervals = 192;
  const auto breakpoints = corners.template breakpoints_as<T>();
  const Quadrature<T, 5> integral =
      integrate<T, 5, most_intervals>(counted, breakpoints.data(), corners.size(), scale, tolerance);
  const Vector& total = integral.value;
  result.error = integral.error;
  if (!integral.converged) result.status = RegionStatus::not_converged;
  const T r_0 = integrand.r_0, X_0 = integrand.X_0;
  const T size = r_0 / total(0);
  result.P = Vec3T<T>(size * total(1), size * (X_0 * total(2)), size * (X_0 * total(3)));
  result.volume = r_0 * r_0 * r_0 * total(0) * X_0 * X_0 / sqrt(g.W_nn);
  const bool sound = total(0) > T(0) && abs(result.P(0)) < std::numeric_limits<T>::max() &&
                     abs(result.P(1)) < std::numeric_limits<T>::max() &&
                     abs(result.P(2)) < std::numeric_limits<T>::max();
  if (!sound && result.status == RegionStatus::ok) result.status = RegionStatus::not_converged;
  return result;
}

/// In the coordinates of the contact. Fails when the contact separates (field V), when the region is unbounded (W) and
/// when the quadrature does not converge (mu).
[[nodiscard]] Expected<CentroidResult<double>> centroid(const Contact& contact, double mu);

}  // namespace ricochet
