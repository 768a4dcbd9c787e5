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

namespace quadrature {

/// Gauss-Legendre, 16 points, positive half.
template <class T>
inline constexpr std::array<T, 8> gauss_x{T(0.0950125098376374401741L), T(0.281603550779258913231L),
                                          T(0.458016777657227386350L),  T(0.617876244402643748452L),
                                          T(0.755404408355003033891L),  T(0.865631202387831743866L),
                                          T(0.944575023073232576090L),  T(0.989400934991649932601L)};
template <class T>
inline constexpr std::array<T, 8> gauss_w{T(0.189450610455068496247L),  T(0.182603415044923588872L),
                                          T(0.169156519395002538278L),  T(0.149595988816576732093L),
                                          T(0.124628971255533872008L),  T(0.0951585116824927848073L),
                                          T(0.0622535239386478927781L), T(0.0271524594117540947735L)};

/// Kronrod, 15 points, positive half with the centre first; the even entries are the 7 Gauss points.
template <class T>
inline constexpr std::array<T, 8> kronrod_x{T(0.0L),
                                            T(0.2077849550078984676007L),
                                            T(0.4058451513773971669066L),
                                            T(0.5860872354676911302941L),
                                            T(0.7415311855993944398639L),
                                            T(0.8648644233597690727897L),
                                            T(0.9491079123427585245262L),
                                            T(0.9914553711208126392069L)};
template <class T>
inline constexpr std::array<T, 8> kronrod_w{T(0.2094821410847278280130L), T(0.2044329400752988924142L),
                                            T(0.1903505780647854099133L), T(0.1690047266392679028266L),
                                            T(0.1406532597155259187452L), T(0.1047900103222501838399L),
                                            T(0.0630920926299785532907L), T(0.0229353220105292249637L)};
template <class T>
inline constexpr std::array<T, 4> kronrod_gauss_w{T(0.4179591836734693877551L), T(0.3818300505051189449504L),
                                                  T(0.2797053914892766679015L), T(0.1294849661688696932706L)};

}  // namespace quadrature

/// Kernel in local axes. No allocation, no exception.
template <class T>
RICOCHET_HD CentroidResult<T> centroid(const Local<T>& c, double mu, T tolerance = T(1e-11)) {
  using std::abs;
  using std::atan2;
  using std::cos;
  using std::pow;
  using std::sin;
  using std::sqrt;
  CentroidResult<T> result;
  if (!(c.V(0) < T(0))) {
    result.status = RegionStatus::separating;
    return result;
  }
  if (mu == 0) {
    result.P = Vec3T<T>(T(1.5) * (-c.V(0) / c.W(0, 0)), T(0), T(0));
    return result;
  }
  const Region<T> g = region_of(c, mu);
  if (!g.bounded) {
    result.status = RegionStatus::unbounded;
    return result;
  }
  constexpr T turn = T(6.28318530717958647692528676655900577L);
  const auto ray = [&](T phi) { return ray_at(g, Vec2T<T>(cos(phi), sin(phi))); };

  // Where the integrand may turn sharply: the axes of S, the directions ±w towards which the cone opens, those across
  // which the slip after P_I changes sign (a jump as V_n → 0).
  constexpr int corners_capacity = 24;
  std::array<T, corners_capacity> corners;
  int corner_count = 0;
  const auto add_corner = [&](T phi) {
    while (phi < T(0)) phi += turn;
    while (phi >= turn) phi -= turn;
    if (corner_count < corners_capacity) corners[std::size_t(corner_count++)] = phi;
  };
  const T first = atan2(g.axis_1(1), g.axis_1(0));
  for (int i = 0; i < 4; ++i) add_corner(first + turn * T(i) / T(4));
  if (g.w(0) != T(0) || g.w(1) != T(0))
    for (int i = 0; i < 2; ++i) add_corner(atan2(g.w(1), g.w(0)) + turn * T(i) / T(2));
  if (g.p(0) != T(0) || g.p(1) != T(0))
    for (int i = 0; i < 4; ++i) add_corner(atan2(g.p(1), g.p(0)) + turn * T(i) / T(4));
  const auto sort = [&] {
    for (int i = 1; i < corner_count; ++i)
      for (int j = i; j > 0 && corners[std::size_t(j)] < corners[std::size_t(j - 1)]; --j) {
        const T swap = corners[std::size_t(j)];
        corners[std::size_t(j)] = corners[std::size_t(j - 1)];
        corners[std::size_t(j - 1)] = swap;
      }
  };
  sort();
  // The scale of X keeps X² and X³ in range at any μ.
  T X_0 = T(0);
  for (int i = 0; i < corner_count; ++i) {
    const T X = ray(corners[std::size_t(i)]).X();
    if (X > X_0 && X < std::numeric_limits<T>::max()) X_0 = X;
  }
  // Where cone and energy change places; those that this misses are left to the bisection of the quadrature.
  {
    const auto cone_first = [&](T phi) {
      const Ray<T> here = ray(phi);
      return here.X_E < here.X_D;
    };
    const int known = corner_count;
    constexpr int samples = 8;
    for (int i = 0; i < known; ++i) {
      const T a = corners[std::size_t(i)];
      const T b = i + 1 < known ? corners[std::size_t(i) + 1] : corners[0] + turn;
      T from = a;
      bool before = cone_first(from);
      for (int j = 1; j <= samples; ++j) {
        const T to = a + (b - a) * T(j) / T(samples);
        const bool after = cone_first(to);
        if (after != before) {
          T low = from, high = to;
          for (int n = 0; n < 80; ++n) {
            const T middle = low + (high - low) / T(2);
            if (!(middle > low && middle < high)) break;
            (cone_first(middle) == before ? low : high) = middle;
          }
          add_corner(low);
        }
        from = to;
        before = after;
      }
    }
  }
  sort();

  T r_0 = g.h * g.h;
  for (int i = 0; i < 2; ++i) {
    const T sigma = i == 0 ? g.sigma_1 : g.sigma_2;
    const T part = (i == 0 ? g.axis_1 : g.axis_2).dot(g.p);
    if (sigma > T(0)) r_0 += part * part / sigma;
  }
  r_0 = sqrt(r_0);
  const T h = g.h / r_0;
  const T root = sqrt(g.W_nn);

  using Four = Eigen::Matrix<T, 4, 1>;  // volume, P_n, P_2, P_3; P_2 and P_3 over X_0
  const auto section = [&](T phi) {
    const Ray<T> here = ray(phi);
    const T X = here.X();
    const T chi_end = here.chi(X);
    const T p = here.p / r_0;
    T volume(0), axis(0), radial(0);
    for (std::size_t i = 0; i < 16; ++i) {
      const T node = quadrature::gauss_x<T>[i / 2];
      const T chi = chi_end * (i % 2 == 0 ? T(1) + node : T(1) - node) / T(2);
      const T alpha = here.eps * chi;
      const T sine = here.eps > T(0) ? sin(alpha) / here.eps : chi;
      const T cosine = cos(alpha);
      const T r = T(2) * (h * cosine + p * sine);
      const T weight = quadrature::gauss_w<T>[i / 2] / T(2) * (chi_end / X_0) * (sine / X_0) * r * r * r;
      volume += weight / T(3);
      axis += weight * r / T(4) * cosine;
      radial += weight * r / T(4) * (sine / X_0);
    }
    const T x = X / X_0;
    const T h_3 = h * h * h;
    volume -= h_3 * x * x / T(6);
    axis -= h_3 * h * x * x / T(8);
    radial -= h_3 * h * x * x * x / T(12);
    Four f;
    f << volume, axis / root - here.w * radial * X_0 / g.W_nn, radial * here.t(0), radial * here.t(1);
    result.evaluations += 1;
    return f;
  };

  struct Piece {
    T a, b;
    Four value, error;
    T radial;  // ∫ ‖moment_t‖, against which P_2 and P_3 are judged
  };
  const auto measure = [&](T a, T b) {
    Piece piece{a, b, Four::Zero(), Four::Zero(), T(0)};
    Four gauss = Four::Zero();
    std::array<Four, 15> f;
    const T half = (b - a) / T(2);
    const T centre = a + half;
    for (std::size_t i = 0; i < 15; ++i) {
      const std::size_t node = (i + 1) / 2;
      const T x = quadrature::kronrod_x<T>[node] * (i % 2 == 0 ? T(1) : T(-1));
      f[i] = section(centre + half * x);
      const T weight = half * quadrature::kronrod_w<T>[node];
      piece.value += weight * f[i];
      piece.radial += weight * sqrt(f[i](2) * f[i](2) + f[i](3) * f[i](3));
      if (node % 2 == 0) gauss += half * quadrature::kronrod_gauss_w<T>[node / 2] * f[i];
    }
    // The usual estimate of Gauss-Kronrod pairs: the difference, sharpened where it is already small against the
    // variation of the integrand.
    const Four mean = piece.value / (b - a);
    Four variation = Four::Zero();
    for (std::size_t i = 0; i < 15; ++i)
      variation += half * quadrature::kronrod_w<T>[(i + 1) / 2] * (f[i] - mean).cwiseAbs();
    for (int j = 0; j < 4; ++j) {
      const T difference = abs(piece.value(j) - gauss(j));
      piece.error(j) = difference;
      if (variation(j) > T(0) && difference > T(0)) {
        const T sharp = variation(j) * pow(T(200) * difference / variation(j), T(1.5));
        if (sharp < difference) piece.error(j) = sharp;
      }
    }
    return piece;
  };

  constexpr int capacity = 192;
  std::array<Piece, capacity> pieces;
  int count = 0;
  for (int i = 0; i < corner_count; ++i) {
    const T a = corners[std::size_t(i)];
    const T b = i + 1 < corner_count ? corners[std::size_t(i) + 1] : corners[0] + turn;
    if (b > a) pieces[std::size_t(count++)] = measure(a, b);
  }
  Four total;
  for (;;) {
    total = Four::Zero();
    Four error = Four::Zero();
    T radial(0);
    for (int i = 0; i < count; ++i) {
      total += pieces[std::size_t(i)].value;
      error += pieces[std::size_t(i)].error;
      radial += pieces[std::size_t(i)].radial;
    }
    Four scale;
    scale << abs(total(0)), abs(total(1)), radial, radial;
    const auto relative = [&](const Four& e) {
      T worst(0);
      for (int j = 0; j < 4; ++j) {
        const T share = e(j) > T(0) ? e(j) / scale(j) : T(0);
        if (!(share <= worst)) worst = share;
      }
      return worst;
    };
    result.error = relative(error);
    if (result.error <= tolerance) break;
    int worst = 0;
    T worst_error = T(-1);
    for (int i = 0; i < count; ++i) {
      const T e = relative(pieces[std::size_t(i)].error);
      if (!(e <= worst_error)) {
        worst = i;
        worst_error = e;
      }
    }
    const Piece piece = pieces[std::size_t(worst)];
    const T middle = piece.a + (piece.b - piece.a) / T(2);
    if (count == capacity || !(middle > piece.a && middle < piece.b) ||
        !(result.error < std::numeric_limits<T>::max())) {
      result.status = RegionStatus::not_converged;
      break;
    }
    pieces[std::size_t(worst)] = measure(piece.a, middle);
    pieces[std::size_t(count++)] = measure(middle, piece.b);
  }
  const T size = r_0 / total(0);
  result.P = Vec3T<T>(size * total(1), size * (X_0 * total(2)), size * (X_0 * total(3)));
  result.volume = r_0 * r_0 * r_0 * total(0) * X_0 * X_0 / root;
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
