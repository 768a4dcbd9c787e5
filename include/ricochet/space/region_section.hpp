#pragma once
/// The permissible region seen from the origin: a cone of rays over a section of the plane of maximum compression, and
/// quadrature over the directions of that section, docs/impulse-space.md (S17 to S27).
///
/// A ray meets the plane q = r cos α = h at Z = P_t/q, so that P = q (1/√W_nn − w·Z/W_nn, Z), and lies in the region
/// for
///   h ≤ q ≤ q̂ = 2 (h + p·Z)/(1 + Z·SZ),   Z = X t,  X ≤ min(X_D, X_E).                                        (S17)
/// In the direction t everything depends on X analytically. The end of X changes between cone and energy at corners,
/// the zeros of a trigonometric polynomial; elsewhere it is analytic in the direction, too, and its singularities are
/// the zeros of known polynomials. So the circle is divided until no panel has one nearby (S27), and 16 points of Gauss
/// on each panel leave nothing but rounding.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ricochet/base/gauss_legendre.hpp"
#include "ricochet/base/lanes.hpp"
#include "ricochet/base/polynomial.hpp"
#include "ricochet/base/zero_free.hpp"
#include "ricochet/space/region.hpp"

namespace ricochet {

/// In the axes of S, and scaled: q over r_0, the radius of the energy ball, and Z over X_0, the end of one direction,
/// so that squares and cubes stay in range at any μ. In these units W_nn = 1, and P_n = q (1 − w·Z), P_t = q Z.
template <class T>
struct RegionSection {
  T r_0, X_0, root;    ///< root = √W_nn: P is (P_n/root, X_0 P_t) r_0 in the units of the contact
  T h;                 ///< height of the plane, h ≤ 1
  T S_11, S_12, S_22;  ///< S_12 = 0; it carries derivatives, though, because the axes are those of the values
  Vec2T<T> p, w;       ///< of (S12) and (S14)
  T mu_c, mu_s;        ///< X_E = mu_s/(mu_c + mu_s w·t), mu_c + mu_s = 1
  T least_closing;     ///< below mu_s/X_D in every direction

  RegionSection() = default;
  RICOCHET_HD RegionSection(const Region<T>& g, T radius, T reach) : r_0(radius), X_0(reach) {
    using std::sqrt;
    root = sqrt(g.W_nn);
    h = g.h / r_0;
    S_11 = g.sigma_1;
    S_12 = T(0);
    S_22 = g.sigma_2;
    if constexpr (is_dual<T>) {
      const T a = g.axis_1(0), b = g.axis_1(1);
      S_11 = a * a * g.S_22 + T(2) * a * b * g.S_23 + b * b * g.S_33;
      S_12 = a * b * (g.S_33 - g.S_22) + (a * a - b * b) * g.S_23;
      S_22 = b * b * g.S_22 - T(2) * a * b * g.S_23 + a * a * g.S_33;
    }
    const T square = X_0 * X_0;
    S_11 *= square;
    S_12 *= square;
    S_22 *= square;
    p = Vec2T<T>(g.axis_1.dot(g.p), g.axis_2.dot(g.p)) * (X_0 / r_0);
    w = Vec2T<T>(g.axis_1.dot(g.w), g.axis_2.dot(g.w)) * (X_0 / root);
    mu_c = g.mu_c * root * X_0;
    const T sum = g.mu_s + mu_c;
    mu_s = g.mu_s / sum;
    mu_c /= sum;
    const T size = sqrt(p(0) * p(0) + p(1) * p(1));
    least_closing = mu_s * S_22 * h / (size + sqrt(size * size + S_22 * h * h));
  }

  /// mu_c + mu_s w·t, positive where the half plane leaves the cone.
  [[nodiscard]] RICOCHET_HD T closing(const Vec2T<T>& t) const { return mu_c + mu_s * (w(0) * t(0) + w(1) * t(1)); }

  /// The same with directions A⁻¹t in place of t; not for the cone, which is round in t alone. S must stay diagonal.
  [[nodiscard]] RICOCHET_HD RegionSection in_chart(const Mat2T<T>& A) const {
    RegionSection out = *this;
    const auto form = [&](int i, int j) {
      return S_11 * A(0, i) * A(0, j) + S_12 * (A(0, i) * A(1, j) + A(1, i) * A(0, j)) + S_22 * A(1, i) * A(1, j);
    };
    out.S_11 = form(0, 0);
    out.S_12 = form(0, 1);
    out.S_22 = form(1, 1);
    out.p = Vec2T<T>(A(0, 0) * p(0) + A(1, 0) * p(1), A(0, 1) * p(0) + A(1, 1) * p(1));
    out.w = Vec2T<T>(A(0, 0) * w(0) + A(1, 0) * w(1), A(0, 1) * w(0) + A(1, 1) * w(1));
    return out;
  }
};

/// Scales of a section, from values alone.
template <class T>
struct SectionScale {
  T r_0, X_0;

  RICOCHET_HD explicit SectionScale(const Region<T>& g) {
    using std::sqrt;
    T square = g.h * g.h;
    const T along = g.axis_1.dot(g.p), across = g.axis_2.dot(g.p);
    if (g.sigma_1 > T(0)) square += along * along / g.sigma_1;
    if (g.sigma_2 > T(0)) square += across * across / g.sigma_2;
    r_0 = sqrt(square);
    X_0 = ray_at(g, across < T(0) ? Vec2T<T>(-g.axis_2) : g.axis_2).X();
  }
};

/// What ends the rays of a half plane: the cone, or energy and separation with p·t > 0 (ahead) or not (behind).
enum class SectionEnd : std::uint8_t { cone, energy_ahead, energy_behind };
inline constexpr int section_ends = 3;

/// Directions between two of the circle, t = (1 − τ², 2τ)/(1 + τ²) from the one in the middle, |τ| ≤ reach.
template <class T>
struct SectionPanel {
  Vec2T<T> middle;
  T reach;
  SectionEnd end;
};

/// Half planes at several directions at once, which need not be unit vectors: X is that over their length.
template <class T>
struct HalfPlanes {
  Lanes<T> t_1, t_2, length;
  Lanes<T> p, w;  ///< p·t, w·t
  Lanes<T> X;
  Lanes<T> u, y;  ///< Z·SZ = ε²X² and 1/(1 + u) at the end

  RICOCHET_HD HalfPlanes(const RegionSection<T>& s, const Lanes<T>& a, const Lanes<T>& b, const Lanes<T>& size,
                         SectionEnd end)
      : t_1(a), t_2(b), length(size) {
    using A = Lanes<T>;
    p = s.p(0) * t_1 + s.p(1) * t_2;
    w = s.w(0) * t_1 + s.w(1) * t_2;
    A S = s.S_11 * t_1 * t_1 + s.S_22 * t_2 * t_2;
    if constexpr (is_dual<T>) S += T(2) * s.S_12 * t_1 * t_2;
    if (end == SectionEnd::cone) {
      // Where the cone hardly closes the sum may be rounding, but energy ends all rays.
      const A closing = (s.mu_c * length + s.mu_s * w).max(s.least_closing * length);
      const A square = closing * closing, sum = square + (s.mu_s * s.mu_s) * S;
      const A inverse = T(1) / (closing * sum);
      X = s.mu_s * sum * inverse;
      y = square * closing * inverse;
      u = S * X * X;
      return;
    }
    const A root = (p * p + S * (s.h * s.h)).sqrt();
    if (end == SectionEnd::energy_ahead)
      X = (p + root) / (S * s.h);
    else
      X = s.h / (root - p);
    u = S * X * X;
    y = T(1) / (T(1) + u);
  }
};

/// Divides the circle of directions into panels, each of which `visit(panel)` resolves or not; it is halved if not. The
/// directions of a panel are those of the chart of its end: ahead one in which S is round, so that only p² + h²S has
/// zeros nearby, and behind one in which p² + h²S is round.
template <class T>
class SectionPanels {
 public:
  RICOCHET_HD explicit SectionPanels(const RegionSection<T>& section) {
    for (Mat2T<T>& chart : chart_) chart = Mat2T<T>::Identity();
    section_[0] = section;
    if (section.S_22 > T(0))
      add_corners();
    else
      add_corners_if_immovable();
    if (count_ > 0 || !cone_ends(Vec2T<T>(T(1), T(0)))) make_charts();
    if (count_ == 0) add(Vec2T<T>(T(1), T(0)));
  }

  /// The section as it is integrated over a panel with this end, and directions of the section from those of its chart.
  [[nodiscard]] RICOCHET_HD const RegionSection<T>& section(SectionEnd end) const {
    return section_[static_cast<std::size_t>(end)];
  }
  [[nodiscard]] RICOCHET_HD const Mat2T<T>& chart(SectionEnd end) const {
    return chart_[static_cast<std::size_t>(end)];
  }

  /// Returns false where a panel cannot be halved any further, or there would be too many. What is behind comes last:
  /// at grazing it is next to nothing, which a visitor can tell from what it has seen before.
  template <class Visit>
  [[nodiscard]] RICOCHET_HD bool for_each(const Visit& visit) const {
    int left = 4096;
    for (const bool behind : {false, true})
      for (int i = 0; i < count_; ++i) {
        T from = at_[static_cast<std::size_t>(i)];
        T to = i + 1 < count_ ? at_[static_cast<std::size_t>(i) + 1] : at_[0] + T(4);
        const SectionEnd end = end_at(direction(from + (to - from) / T(2)));
        if ((end == SectionEnd::energy_behind) != behind) continue;
        if (end != SectionEnd::cone) {
          const bool whole = !(to - from < T(4));
          from = chart_angle(end, direction(from));
          to = whole ? from + T(4) : chart_angle(end, direction(to));
          if (to < from) to += T(4);
        }
        if (!divide(from, to, end, visit, left)) return false;
      }
    return true;
  }

 private:
  /// An angle that needs no trigonometry, four to the turn, in [−2, 2], and its direction. Small ones have all digits.
  [[nodiscard]] static RICOCHET_HD T angle(const Vec2T<T>& t) {
    using std::abs;
    const T share = t(1) / (abs(t(0)) + abs(t(1)));
    if (!(t(0) < T(0))) return share;
    return share < T(0) ? T(-2) - share : T(2) - share;
  }
  [[nodiscard]] static RICOCHET_HD Vec2T<T> direction(T angle) {
    using std::abs;
    using std::sqrt;
    while (angle > T(2)) angle -= T(4);
    const T size = abs(angle), x = T(1) - size;
    const T y = size > T(1) ? (angle < T(0) ? size - T(2) : T(2) - size) : angle;
    const T length = sqrt(x * x + y * y);
    return Vec2T<T>(x / length, y / length);
  }
  /// The angle in a chart of a direction of the section.
  [[nodiscard]] RICOCHET_HD T chart_angle(SectionEnd end, const Vec2T<T>& t) const {
    const Mat2T<T>& A = chart(end);
    return angle(Vec2T<T>(A(1, 1) * t(0) - A(0, 1) * t(1), A(0, 0) * t(1) - A(1, 0) * t(0)));
  }

  /// Charts and sections where energy ends the rays, and the directions across p, in which the one way to compute X_D
  /// passes into the other. Where p is small the first serves all around.
  RICOCHET_HD void make_charts() {
    using std::sqrt;
    const RegionSection<T>& s = section_[0];
    const T stretch = s.S_22 > T(0) ? sqrt(s.S_22 / s.S_11) : T(1);
    const Vec2T<T> p(stretch * s.p(0), s.p(1));
    const T size = sqrt(p.dot(p));
    Vec2T<T> along(T(1), T(0));
    if (size > T(0)) along = p / size;
    Mat2T<T>&ahead = chart_[1], &behind = chart_[2];
    ahead << stretch * along(0), -stretch * along(1), along(1), along(0);
    // p² + h²S is round where the direction across p is stretched by this. An immovable axis leaves nothing to stretch.
    const T least = s.h * s.h * s.S_22, most = size * size;
    const T round = least > T(0) ? T(sqrt(T(1) + most / least)) : T(1);
    // Most of what is behind is close to −p in its chart, where the angle is small.
    behind << -ahead(0, 0), -round * ahead(0, 1), -ahead(1, 0), -round * ahead(1, 1);
    section_[1] = s.in_chart(ahead);
    section_[2] = s.in_chart(behind);
    split_ = most > least;
    if (!split_) return;
    Vec2T<T> across(-s.p(1), s.p(0));
    across /= sqrt(across.dot(across));
    if (!cone_ends(across)) add(across);
    if (!cone_ends(-across)) add(-across);
  }

  RICOCHET_HD void add(const Vec2T<T>& t) {
    const T here = angle(t);
    int i = count_++;
    for (; i > 0 && here < at_[static_cast<std::size_t>(i) - 1]; --i)
      at_[static_cast<std::size_t>(i)] = at_[static_cast<std::size_t>(i) - 1];
    at_[static_cast<std::size_t>(i)] = here;
  }

  /// X_E < X_D where h (1 + u) < 2 (h + p·Z) at X_E, that is, where this polynomial is negative.
  ///   mu_s² h S − 2 mu_s p closing − h closing²                                                              (S26)
  RICOCHET_HD void add_corners() {
    const RegionSection<T>& s = section_[0];
    const Vec2T<T>&p = s.p, &w = s.w;
    const T h = s.h, m = s.mu_s, c = s.mu_c;
    const T xx = h * (s.S_11 - w(0) * w(0)) - T(2) * p(0) * w(0);
    const T yy = h * (s.S_22 - w(1) * w(1)) - T(2) * p(1) * w(1);
    const T xy = -h * w(0) * w(1) - (p(0) * w(1) + p(1) * w(0));
    const T linear = T(-2) * m * c;
    const CircleZeros<T> zeros = zeros_on_circle<T>({m * m * (xx + yy) / T(2) - h * c * c, linear * (p(0) + h * w(0)),
                                                     linear * (p(1) + h * w(1)), m * m * (xx - yy) / T(2), m * m * xy});
    for (int i = 0; i < zeros.count; ++i) {
      const Vec2T<T>& t = zeros.at[static_cast<std::size_t>(i)];
      if (in_nappe(t)) add(sharpened(t));
    }
  }
  /// With S_22 = 0 and p_2 = 0 the polynomial is a product of two linear ones, closing = mu_s g t_1 with
  /// g = (±√(p_1² + h² S_11) − p_1)/h for ± t_1 > 0, so that even a needle along the immovable axis keeps all digits.
  RICOCHET_HD void add_corners_if_immovable() {
    using std::sqrt;
    const RegionSection<T>& s = section_[0];
    const T root = sqrt(s.p(0) * s.p(0) + s.h * s.h * s.S_11), share = s.mu_c / s.mu_s;
    for (const T side : {T(1), T(-1)}) {
      const T g = side * s.p(0) > T(0) ? side * s.h * s.S_11 / (root + side * s.p(0)) : (side * root - s.p(0)) / s.h;
      // v·t = −share, a line that meets the circle in two points or not at all.
      const Vec2T<T> v(s.w(0) - g, s.w(1));
      const T square = v(0) * v(0) + v(1) * v(1), half = sqrt(square) - share;
      if (!(half > T(0))) continue;
      const T along = -share / square, across = sqrt(half * (half + T(2) * share)) / square;
      for (const T sign : {across, -across}) {
        const Vec2T<T> t(along * v(0) - sign * v(1), along * v(1) + sign * v(0));
        if (side * t(0) > T(0)) add(t);
      }
    }
  }

  /// A change has closing = mu_s (±√(p² + h²S) − p)/h, and the one with the lower sign belongs to the other nappe of
  /// the cone. The closing itself may be rounding.
  [[nodiscard]] RICOCHET_HD bool in_nappe(const Vec2T<T>& t) const {
    const RegionSection<T>& s = section_[0];
    return s.h * s.closing(t) + s.mu_s * (s.p(0) * t(0) + s.p(1) * t(1)) > T(0);
  }
  /// (S26) in its factors, which keep the digits that its coefficients lose; the size of its terms, and its derivative
  /// by the angle.
  struct Change {
    T f, terms, f1;
  };
  [[nodiscard]] RICOCHET_HD Change change(const Vec2T<T>& t) const {
    using std::abs;
    const RegionSection<T>& s = section_[0];
    const T m = s.mu_s, S = m * m * s.h * (s.S_11 * t(0) * t(0) + s.S_22 * t(1) * t(1));
    const T S_1 = m * m * s.h * (s.S_22 - s.S_11) * t(0) * t(1);
    const T p = m * (s.p(0) * t(0) + s.p(1) * t(1)), p_1 = m * (s.p(1) * t(0) - s.p(0) * t(1));
    const T B = s.closing(t), B_1 = m * (s.w(1) * t(0) - s.w(0) * t(1));
    return {S - B * (T(2) * p + s.h * B), S + abs(B) * (T(2) * abs(p) + s.h * abs(B)),
            T(2) * (S_1 - p_1 * B - (p + s.h * B) * B_1)};
  }
  [[nodiscard]] RICOCHET_HD Vec2T<T> sharpened(Vec2T<T> t) const {
    using std::abs;
    using std::sqrt;
    Change here = change(t);
    for (int i = 0; i < 40; ++i) {
      const T turn = -here.f / here.f1;
      if (!(abs(turn) < T(0.1))) break;
      Vec2T<T> next(t(0) - turn * t(1), t(1) + turn * t(0));
      next /= sqrt(next.dot(next));
      const Change there = change(next);
      if (!(abs(there.f) < abs(here.f) / T(2))) break;
      t = next;
      here = there;
    }
    return t;
  }
  [[nodiscard]] RICOCHET_HD bool cone_ends(const Vec2T<T>& t) const { return in_nappe(t) && change(t).f < T(0); }

  [[nodiscard]] RICOCHET_HD SectionEnd end_at(const Vec2T<T>& t) const {
    if (cone_ends(t)) return SectionEnd::cone;
    return !split_ || section_[0].p.dot(t) > T(0) ? SectionEnd::energy_ahead : SectionEnd::energy_behind;
  }

  /// Whether the end of a panel is that of its middle, as it is unless rounding has hidden a pair of corners. An error
  /// of X next to the corner has an effect of second order, so that some of it does not matter.
  [[nodiscard]] RICOCHET_HD bool ends_as_said(const SectionPanel<T>& panel) const {
    const Mat2T<T>& A = chart(panel.end);
    Vec2T<T> t(A(0, 0) * panel.middle(0) + A(0, 1) * panel.middle(1),
               A(1, 0) * panel.middle(0) + A(1, 1) * panel.middle(1));
    using std::sqrt;
    t /= sqrt(t.dot(t));
    const Change here = change(t);
    const T slack = T(1e-7) * here.terms;
    return panel.end == SectionEnd::cone ? slack > here.f : here.f > -slack || !in_nappe(t);
  }

  template <class Visit>
  [[nodiscard]] RICOCHET_HD bool divide(T from, T to, SectionEnd end, const Visit& visit, int& left) const {
    constexpr int most = 72;
    std::array<T, most> ends;
    int waiting = 0;
    ends[static_cast<std::size_t>(waiting++)] = to;
    while (waiting > 0) {
      if (left-- == 0) return false;
      const T here = ends[static_cast<std::size_t>(waiting) - 1];
      const T middle = from + (here - from) / T(2);
      if (here - from <= T(1.5)) {
        const SectionPanel<T> panel = between(direction(from), direction(here), end);
        // Next to nothing is left where directions cannot be told apart.
        const bool last = !(middle > from && middle < here) || !(panel.reach > T(0));
        if (last || (resolves(panel) && ends_as_said(panel) && visit(panel))) {
          if (last && panel.reach > T(0) && !visit(panel)) return false;
          from = here;
          --waiting;
          continue;
        }
      }
      if (waiting == most) return false;
      ends[static_cast<std::size_t>(waiting++)] = middle;
    }
    return true;
  }

  [[nodiscard]] static RICOCHET_HD SectionPanel<T> between(const Vec2T<T>& a, const Vec2T<T>& b, SectionEnd end) {
    using std::sqrt;
    const T x = a(0) + b(0), y = a(1) + b(1), d_x = b(0) - a(0), d_y = b(1) - a(1);
    const T sum = sqrt(x * x + y * y), difference = sqrt(d_x * d_x + d_y * d_y);
    return {Vec2T<T>(x / sum, y / sum), difference / (T(2) + sum), end};
  }

  /// Whether the integrands are analytic in a disc of τ about the panel: no zero there of the closing of the cone and
  /// of closing² + mu_s² S (the rays along which P·WP = 0), or of p² + h² S and, ahead, of S. (S27)
  [[nodiscard]] RICOCHET_HD bool resolves(const SectionPanel<T>& panel) const {
    const T c = panel.middle(0), s = panel.middle(1), radius = T(1.6) * panel.reach;
    const RegionSection<T>& g = section(panel.end);
    const T S_xx = g.S_11 * c * c + g.S_22 * s * s, S_yy = g.S_11 * s * s + g.S_22 * c * c;
    const T S_xy = (g.S_22 - g.S_11) * c * s;
    // xx (1 − τ²)² + 4 xy τ (1 − τ²) + 4 yy τ².
    const auto form = [](T xx, T xy, T yy) {
      return Coefficients<T, 4>{xx, T(4) * xy, T(4) * yy - T(2) * xx, T(-4) * xy, xx};
    };
    if (panel.end == SectionEnd::cone) {
      const T w_x = g.w(0) * c + g.w(1) * s, w_y = g.w(1) * c - g.w(0) * s, m = g.mu_s * g.mu_s;
      const T b_0 = g.mu_c + g.mu_s * w_x, b_1 = T(2) * g.mu_s * w_y, b_2 = g.mu_c - g.mu_s * w_x;
      if (!zero_free<T>({b_0, b_1, b_2, T(0), T(0)}, radius)) return false;
      Coefficients<T, 4> Q = form(m * S_xx, m * S_xy, m * S_yy);
      Q[0] += b_0 * b_0;
      Q[1] += T(2) * b_0 * b_1;
      Q[2] += b_1 * b_1 + T(2) * b_0 * b_2;
      Q[3] += T(2) * b_1 * b_2;
      Q[4] += b_2 * b_2;
      return zero_free<T>(Q, radius);
    }
    const T p_x = g.p(0) * c + g.p(1) * s, p_y = g.p(1) * c - g.p(0) * s, h = g.h * g.h;
    if (!zero_free<T>(form(p_x * p_x + h * S_xx, p_x * p_y + h * S_xy, p_y * p_y + h * S_yy), radius)) return false;
    return panel.end == SectionEnd::energy_behind || zero_free<T>(form(S_xx, S_xy, S_yy), radius);
  }

  std::array<RegionSection<T>, section_ends> section_;
  std::array<Mat2T<T>, section_ends> chart_;
  std::array<T, 7> at_{};
  int count_ = 0;
  bool split_ = false;
};

/// The section with derivatives in the chart of the values.
template <class T>
[[nodiscard]] RICOCHET_HD decltype(auto) in_chart(const RegionSection<T>& section,
                                                  const SectionPanels<ValueScalar<T>>& panels, SectionEnd end) {
  if constexpr (is_dual<T>) {
    if (end == SectionEnd::cone) return RegionSection<T>(section);
    const auto& A = panels.chart(end);
    Mat2T<T> chart;
    chart << T(A(0, 0)), T(A(0, 1)), T(A(1, 0)), T(A(1, 1));
    return section.in_chart(chart);
  } else {
    return panels.section(end);
  }
}

/// ∫ over one panel of n functions of the direction, with X² dφ.
template <class T, int n>
struct PanelIntegral {
  std::array<T, static_cast<std::size_t>(n)> value;
  ValueScalar<T> error;  ///< estimated, relative to the panel's own value, the largest over the judged functions
};

/// Functions, all positive, by which it is judged how well the points resolve a panel.
template <int... places>
struct Judged {};

/// `integrand(half_planes, f)` writes n arrays.
template <class T, int n, class Integrand, int... places>
[[nodiscard]] RICOCHET_HD PanelIntegral<T, n> integrate_panel(const RegionSection<T>& section,
                                                              const SectionPanel<ValueScalar<T>>& panel,
                                                              const Integrand& integrand, Judged<places...>) {
  using A = Lanes<T>;
  using V = ValueScalar<T>;
  constexpr int lanes = lane_count<T>, judged = sizeof...(places);
  constexpr int place[judged] = {places...};
  using Map = Eigen::Map<const Eigen::Array<TableScalar<T>, lanes, 1>>;
  const auto& gauss = gauss_panel<T>();
  const T c(panel.middle(0)), s(panel.middle(1)), reach(panel.reach);
  // Four partial sums in every case, so that the result does not depend on the number of lanes.
  T sum[n][4], tail[judged][2][4];
  for (int lane = 0; lane < 4; lane += lanes) {
    A total[n], last[judged], last_but_one[judged];
    for (int j = 0; j < n; ++j) total[j] = A::Zero();
    for (int j = 0; j < judged; ++j) last[j] = last_but_one[j] = A::Zero();
    for (int i = lane; i < 16; i += 4) {
      const A tau = Map(gauss.x + i).template cast<T>() * reach;
      const A square = tau * tau, x = T(1) - square, y = T(2) * tau, length = T(1) + square;
      const HalfPlanes<T> here(section, c * x - s * y, s * x + c * y, length, panel.end);
      A f[n];
      integrand(here, f);
      // X² dφ = X² length 2 dτ.
      const A element = here.X * here.X * length;
      const A w = Map(gauss.w + i).template cast<T>() * element;
      for (int j = 0; j < n; ++j) total[j] += w * f[j];
      const A w_14 = Map(gauss.c_14 + i).template cast<T>() * element;
      const A w_15 = Map(gauss.c_15 + i).template cast<T>() * element;
      for (int j = 0; j < judged; ++j) {
        last[j] += w_15 * f[place[j]];
        last_but_one[j] += w_14 * f[place[j]];
      }
    }
    for (int k = 0; k < lanes; ++k) {
      for (int j = 0; j < n; ++j) sum[j][lane + k] = total[j](k);
      for (int j = 0; j < judged; ++j) {
        tail[j][0][lane + k] = last[j](k);
        tail[j][1][lane + k] = last_but_one[j](k);
      }
    }
  }
  const auto of = [](const T(&part)[4]) { return T((part[0] + part[1]) + (part[2] + part[3])); };
  PanelIntegral<T, n> out;
  for (int j = 0; j < n; ++j) out.value[static_cast<std::size_t>(j)] = of(sum[j]) * (T(2) * reach);
  out.error = V(0);
  for (int j = 0; j < judged; ++j) {
    const V mean = value_of(of(sum[place[j]])) / V(2);
    for (int k = 0; k < 2; ++k) {
      const V share = value_of(of(tail[j][k])) / mean;
      if (!(share * share <= out.error)) out.error = share * share;  // a NaN stays one
    }
  }
  return out;
}

}  // namespace ricochet
