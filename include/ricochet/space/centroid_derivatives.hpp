#pragma once
/// How the centroid of the permissible region changes with W and V, docs/impulse-space.md (S28 to S30).
///
/// The cone of rays does not depend on W and V, only their ends q̂ and h on them do, and where the section ends these
/// two meet. So the derivative goes under the integral: with ū = (1 − w·Z, Z), P = q ū, in the units of RegionSection,
///   δq̂ = −(2 δV·ū + q̂ ū·δW ū)/(1 + u),   δh = −δV_n − h n·δW ū                                                (S28)
///   δvolume = ∫dZ (q̂² δq̂ − h² δh),   δmoment = ∫dZ ū (q̂³ δq̂ − h³ δh)                                          (S29)
/// which are moments of Z up to the third over the same panels, again sums of E_km in every half plane. Volume and
/// moment follow from them, as they are homogeneous in V.                                                      (S30)

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ricochet/space/centroid.hpp"

namespace ricochet {

/// The centroid in local axes with its derivatives by W (11, 12, 13, 22, 23, 33; an off-diagonal entry stands for both
/// of its places) and V.
template <class T>
struct CentroidDerivatives {
  Vec3T<T> P = Vec3T<T>::Zero();
  Eigen::Matrix<T, 3, 9> J = Eigen::Matrix<T, 3, 9>::Zero();
  RegionStatus status = RegionStatus::ok;
};

/// Moments of Z with weights 2 q̂²/(1 + u), q̂³/(1 + u), q̂⁴/(1 + u) and 1, each a form of its order in the direction.
template <class T>
struct MomentIntegrand {
  enum Place : int {
    first,                    ///< weight 2 q̂²/(1 + u): 1, Z_1, Z_2
    second = first + 3,       ///< q̂³/(1 + u): 1, Z_1, Z_2, Z_11, Z_12, Z_22
    third = second + 6,       ///< q̂⁴/(1 + u): to Z_222
    floor = third + 10,       ///< 1: to Z_22
    third_radial = floor + 6  ///< Z³ of the third as a length
  };
  static constexpr int size = third_radial + 1;
  T h;

  RICOCHET_HD void operator()(const HalfPlanes<T>& here, Lanes<T> (&f)[size]) const {
    using A = Lanes<T>;
    const RadialIntegrals<T, true> E(here.u, here.y);
    const A q = here.p * here.X, x = here.X * here.t_1, y = here.X * here.t_2;
    const T h_2 = h * h, h_3 = h_2 * h, h_4 = h_2 * h_2;
    const auto square = [&](const A& a, const A& b, const A& c) -> A {
      return ((q * c + T(2) * h * b) * q + h_2 * a) * T(8);
    };
    const auto cube = [&](const A& a, const A& b, const A& c, const A& d) -> A {
      return (((q * d + T(3) * h * c) * q + T(3) * h_2 * b) * q + h_3 * a) * T(8);
    };
    const auto fourth = [&](const A& a, const A& b, const A& c, const A& d, const A& e) -> A {
      return ((((q * e + T(4) * h * d) * q + T(6) * h_2 * c) * q + T(4) * h_3 * b) * q + h_4 * a) * T(16);
    };
    const A xx = x * x, xy = x * y, yy = y * y;
    f[first] = square(E.E13, E.E23, E.E33);
    put_1(f, first + 1, square(E.E23, E.E33, E.E43), x, y);
    f[second] = cube(E.E14, E.E24, E.E34, E.E44);
    put_1(f, second + 1, cube(E.E24, E.E34, E.E44, E.E54), x, y);
    put_2(f, second + 3, cube(E.E34, E.E44, E.E54, E.E64), xx, xy, yy);
    f[third] = fourth(E.E15, E.E25, E.E35, E.E45, E.E55);
    put_1(f, third + 1, fourth(E.E25, E.E35, E.E45, E.E55, E.E65), x, y);
    put_2(f, third + 3, fourth(E.E35, E.E45, E.E55, E.E65, E.E75), xx, xy, yy);
    const A last = fourth(E.E45, E.E55, E.E65, E.E75, E.E85);
    put_2(f, third + 6, A(last * x), xx, xy, yy);
    f[third + 9] = last * y * yy;
    f[floor] = A::Constant(T(0.5));
    put_1(f, floor + 1, A::Constant(T(1.0L / 3)), x, y);
    put_2(f, floor + 3, A::Constant(T(0.25)), xx, xy, yy);
    const A length = here.X * here.length;
    f[third_radial] = last * length * length * length;
  }

 private:
  static RICOCHET_HD void put_1(Lanes<T> (&f)[size], int at, const Lanes<T>& weight, const Lanes<T>& x,
                                const Lanes<T>& y) {
    f[at] = weight * x;
    f[at + 1] = weight * y;
  }
  static RICOCHET_HD void put_2(Lanes<T> (&f)[size], int at, const Lanes<T>& weight, const Lanes<T>& xx,
                                const Lanes<T>& xy, const Lanes<T>& yy) {
    f[at] = weight * xx;
    f[at + 1] = weight * xy;
    f[at + 2] = weight * yy;
  }
};

/// Forms of order 0 to 3 in Z as symmetric tensors in ū.
template <class T>
struct SectionMoments {
  T one = T(0);
  Vec2T<T> Z = Vec2T<T>::Zero();
  Mat2T<T> ZZ = Mat2T<T>::Zero();
  T ZZZ[4] = {T(0), T(0), T(0), T(0)};  ///< 111, 112, 122, 222

  RICOCHET_HD SectionMoments() = default;
  RICOCHET_HD SectionMoments(const T* f, int order) {
    one = f[0];
    Z = Vec2T<T>(f[1], f[2]);
    if (order > 1) ZZ << f[3], f[4], f[4], f[5];
    for (int i = 0; order > 2 && i < 4; ++i) ZZZ[i] = f[6 + i];
  }
  /// Adds those of directions A t in place of t.
  RICOCHET_HD void add(const SectionMoments& m, const Mat2T<T>& A, T weight) {
    one += weight * m.one;
    Z += weight * (A * m.Z);
    ZZ += weight * (A * m.ZZ * A.transpose());
    for (int n = 0; n < 4; ++n) {
      const int i = n > 2 ? 1 : 0, j = n > 1 ? 1 : 0, k = n > 0 ? 1 : 0;
      T sum(0);
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          for (int c = 0; c < 2; ++c) sum += A(i, a) * A(j, b) * A(k, c) * m.ZZZ[a + b + c];
      ZZZ[n] += weight * sum;
    }
  }
  /// ∫ ū, ∫ ū ū and ∫ ū ū ū.
  [[nodiscard]] RICOCHET_HD Vec3T<T> rank_1(const Vec2T<T>& w) const { return Vec3T<T>(one - w.dot(Z), Z(0), Z(1)); }
  [[nodiscard]] RICOCHET_HD Mat3T<T> rank_2(const Vec2T<T>& w) const {
    const Vec2T<T> mixed = Z - ZZ * w;
    Mat3T<T> out;
    out << one - w.dot(Z) - w.dot(mixed), mixed(0), mixed(1), mixed(0), ZZ(0, 0), ZZ(0, 1), mixed(1), ZZ(1, 0),
        ZZ(1, 1);
    return out;
  }
  RICOCHET_HD void rank_3(const Vec2T<T>& w, Mat3T<T> (&out)[3]) const {
    for (int i = 0; i < 2; ++i) {
      SectionMoments along;  // those of Z_i Z…
      along.one = Z(i);
      along.Z = Vec2T<T>(ZZ(i, 0), ZZ(i, 1));
      along.ZZ << ZZZ[i], ZZZ[i + 1], ZZZ[i + 1], ZZZ[i + 2];
      out[i + 1] = along.rank_2(w);
    }
    out[0] = rank_2(w) - w(0) * out[1] - w(1) * out[2];
  }
};

/// Kernel in local axes: μ > 0, and the contact approaches. No allocation, no exception.
template <class T>
RICOCHET_HD CentroidDerivatives<T> centroid_derivatives(const Local<T>& c, double mu, T tolerance = T(1e-12)) {
  using Integrand = MomentIntegrand<T>;
  constexpr int n = Integrand::size;
  CentroidDerivatives<T> result;
  const Region<T> g = region_of(c, mu);
  if (!g.bounded) {
    result.status = RegionStatus::unbounded;
    return result;
  }
  const SectionScale<T> scale(g);
  const RegionSection<T> section(g, scale.r_0, scale.X_0);
  const SectionPanels<T> panels(section);
  const Integrand integrand{section.h};
  T total[section_ends][n];
  for (auto& part : total)
    for (T& sum : part) sum = T(0);
  const bool resolved = panels.for_each([&](const SectionPanel<T>& panel) {
    const PanelIntegral<T, n> part =
        integrate_panel<T, n>(panels.section(panel.end), panel, integrand,
                              Judged<Integrand::first, Integrand::second, Integrand::third, Integrand::third_radial>{});
    if (!(part.error <= tolerance)) return false;
    for (std::size_t j = 0; j < n; ++j) total[static_cast<std::size_t>(panel.end)][j] += part.value[j];
    return true;
  });
  SectionMoments<T> first, second, third, floor;
  for (int end = 0; end < section_ends; ++end) {
    const Mat2T<T>& A = panels.chart(static_cast<SectionEnd>(end));
    const T area = A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0);
    first.add({total[end] + Integrand::first, 1}, A, area);
    second.add({total[end] + Integrand::second, 2}, A, area);
    third.add({total[end] + Integrand::third, 3}, A, area);
    floor.add({total[end] + Integrand::floor, 2}, A, area);
  }
  const T h = section.h, h_2 = h * h, h_3 = h_2 * h, h_4 = h_2 * h_2;
  const Vec2T<T>& w = section.w;
  const Vec3T<T> R_1 = first.rank_1(w), F_1 = floor.rank_1(w);
  const Mat3T<T> R_2 = second.rank_2(w), F_2 = floor.rank_2(w);
  Mat3T<T> R_3[3];
  third.rank_3(w, R_3);
  // 3 volume = δvolume and 4 moment = δmoment for δV = V = (−h, −p − h w).
  const Vec3T<T> V(-h, -section.p(0) - h * w(0), -section.p(1) - h * w(1));
  const T volume = -(R_1.dot(V) + h_3 * floor.one) / T(3);
  Vec3T<T> centre = (T(-2) * (R_2 * V) - h_4 * F_1) / (T(4) * volume);
  for (int i = 0; i < 2; ++i)
    if (w(i) == T(0) && section.p(i) == T(0)) centre(1 + i) = T(0);  // the region is its own image in this plane
  // To local axes: P = B × that in these units.
  Mat3T<T> B = Mat3T<T>::Zero();
  B(0, 0) = section.r_0 / section.root;
  for (int i = 0; i < 2; ++i) {
    B(1 + i, 1) = section.r_0 * section.X_0 * g.axis_1(i);
    B(1 + i, 2) = section.r_0 * section.X_0 * g.axis_2(i);
  }
  const T unit = T(1) / (section.r_0 * section.r_0 * volume);
  Mat3T<T> by_V = T(-2) * R_2 + centre * R_1.transpose();
  by_V.col(0) += h_3 * F_1 - h_2 * floor.one * centre;
  result.P = B * centre;
  result.J.template rightCols<3>() = (B * by_V * B.transpose()) * unit;
  Mat3T<T> by_W[3];
  for (int k = 0; k < 3; ++k) {
    Mat3T<T>& D = by_W[k];
    D = centre(k) * R_2 - R_3[k];
    for (int j = 0; j < 3; ++j) {
      const T change = (h_4 * F_2(k, j) - h_3 * centre(k) * F_1(j)) / T(2);
      D(0, j) += change;
      D(j, 0) += change;
    }
    D = (B * D * B.transpose() * unit).eval();
  }
  for (int a = 0; a < 3; ++a) {
    const Mat3T<T> D = B(a, 0) * by_W[0] + B(a, 1) * by_W[1] + B(a, 2) * by_W[2];
    int k = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) result.J(a, k++) = i == j ? D(i, i) : T(2) * D(i, j);
  }
  bool sound = resolved && volume > T(0);
  for (int i = 0; i < 27; ++i) sound = sound && result.J(i / 9, i % 9) * T(0) == T(0);
  if (!sound) result.status = RegionStatus::not_converged;
  return result;
}

}  // namespace ricochet
