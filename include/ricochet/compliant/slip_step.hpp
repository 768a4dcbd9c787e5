#pragma once
/// One step of a sledge that slides in space on undamped springs, docs/laws/spring-sledge.md (L20, L21). Over the
/// normal impulse J all but the direction of slip follows by integration: collocation in that one unknown, at twelve
/// Radau nodes, which lie along J as the contact would go if the direction stayed.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ricochet/base/dual.hpp"
#include "ricochet/base/table_scalar.hpp"
#include "ricochet/compliant/radau_table.hpp"
#include "ricochet/compliant/slip_plane.hpp"

namespace ricochet::compliant {

/// Integration and differentiation at the nodes, by columns, and interpolation.
template <class T, int s>
struct SlipTable : RadauTable<T, s> {
  std::array<std::array<T, s>, s> integral{};    ///< [j][i] = ∫₀^{c_i} ℓ_j
  std::array<std::array<T, s>, s> derivative{};  ///< [j][i]: of the polynomial through 0 at the start, at c_i
  std::array<T, s + 1> weight{};                 ///< of barycentric interpolation, at the start and at the nodes
  // Points of Gauss over √c: ∫₀¹ f(c)/√c dc = Σ share_g f(c_g), and f(c_g) = Σ between_gj c_j f(c_j).
  static constexpr int points = 20;
  std::array<std::array<T, s>, points> between{};
  std::array<T, points> share{};

  constexpr SlipTable() {
    const auto x = radau::nodes<s>();
    std::array<long double, s + 1> at{}, w{};
    for (std::size_t j = 0; j < s; ++j) at[j + 1] = (1 + x[j]) / 2;
    for (std::size_t j = 0; j <= s; ++j) {
      w[j] = 1;
      for (std::size_t k = 0; k <= s; ++k)
        if (k != j) w[j] /= at[j] - at[k];
      weight[j] = T(w[j]);
    }
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t i = 0; i < s; ++i) {
        integral[j][i] = this->a[i][j];
        long double d = 0;
        if (i != j) {
          d = w[j + 1] / w[i + 1] / (at[i + 1] - at[j + 1]);
        } else {
          for (std::size_t k = 0; k <= s; ++k)
            if (k != i + 1) d += 1 / (at[i + 1] - at[k]);
        }
        derivative[j][i] = T(d);
      }
    }
    const auto gauss = radau::gauss<points>();
    for (std::size_t g = 0; g < points; ++g) {
      const long double root = (1 + gauss.at[g]) / 2, place = root * root;
      share[g] = T(gauss.weight[g]);
      for (std::size_t j = 0; j < s; ++j) {
        long double basis = 1 / at[j + 1];
        for (std::size_t k = 0; k < s; ++k)
          if (k != j) basis *= (place - at[k + 1]) / (at[j + 1] - at[k + 1]);
        between[g][j] = T(basis);
      }
    }
  }
};

/// A plane from which the direction turns.
template <class T>
class SlipStep : public SlipPlane<T> {
  using Plane = SlipPlane<T>;

 public:
  using Plane::across;
  using Plane::along;
  using Plane::b1;
  using Plane::b2;
  using Plane::c11;
  using Plane::c12;
  using Plane::c22;
  using Plane::drag1;
  using Plane::drag2;
  using Plane::end;
  using Plane::from;
  using Plane::lift;
  using Plane::other;
  using Plane::straight;
  using Plane::swing;

  static constexpr int s = 12;
  using Nodes = std::array<T, s>;
  using Table = SlipTable<TableScalar<T>, s>;

  enum class Event : std::uint8_t {
    none,
    stop,  ///< of the sledge
    turn,  ///< of the bodies
    peak,  ///< the force is back at its peak
  };

  [[nodiscard]] RICOCHET_HD static const Table& table() {
    static constexpr Table made{};
    return made;
  }

  RICOCHET_HD explicit SlipStep(const SpatialSledge<T>& problem) : p_(problem) {}

  /// To where the step starts.
  RICOCHET_HD void begin(const SlipStart<T>& start) { static_cast<Plane&>(*this) = Plane(p_, start); }

  /// Solves for a step of the given length, to the given accuracy of the direction. False where the iteration does not
  /// converge.
  RICOCHET_HD bool solve(T length, T accuracy) {
    accuracy_ = accuracy;
    length_ = length;
    place();
    first_guess();
    return iterate();
  }
  /// A step of the given length along which the direction stays.
  RICOCHET_HD void lay(T length) {
    length_ = length;
    place();
    Q_ = flat_;
  }
  /// Changes the length of the solved step by a factor of not much more than 1.
  RICOCHET_HD bool rescale(T by) {
    length_ *= by;
    place();
    rescale_guess(by);
    return iterate();
  }
  /// Share of the highest polynomial in the turn of the direction.
  [[nodiscard]] RICOCHET_HD T unresolved() const {
    using std::abs;
    T sum = T(0);
    for (std::size_t i = 0; i < s; ++i) sum += table().tail[i] * turn_[i];
    return abs(sum);
  }
  /// The same in the impulse across the slip.
  [[nodiscard]] RICOCHET_HD T unresolved_impulse() const {
    using std::abs;
    T sum = T(0);
    for (std::size_t i = 0; i < s; ++i) sum += table().tail[i] * (w_[i] * S_[i]);
    return abs(sum);
  }

  [[nodiscard]] RICOCHET_HD T length() const { return length_; }
  /// Node evaluations since this object was made.
  [[nodiscard]] RICOCHET_HD int evaluations() const { return evaluations_; }

  /// What falls through zero at an event, at the start.
  [[nodiscard]] RICOCHET_HD T before(Event event) const { return distance(event, along, from.v(0), from.Q); }
  /// The same at a node.
  [[nodiscard]] RICOCHET_HD T at_node(Event event, std::size_t i) const {
    return distance(event, v1_[i] * C_[i] + v2_[i] * S_[i], v_n_[i], Q_[i]);
  }
  /// On the polynomial through the start and the nodes, at the fraction x of the step.
  [[nodiscard]] RICOCHET_HD T between(Event event, T x) const {
    T sum = T(0), weights = T(0);
    for (std::size_t i = 0; i <= s; ++i) {
      const T value = i == 0 ? before(event) : at_node(event, i - 1);
      const T gap = i == 0 ? x : x - T(table().c[i - 1]);
      if (gap == T(0)) return value;
      const T w = table().weight[i] / gap;
      sum += w * value;
      weights += w;
    }
    return sum / weights;
  }

  /// dg/dJ at the end, of what falls through zero.
  [[nodiscard]] RICOCHET_HD T slope(Event event) const {
    constexpr std::size_t e = s - 1;
    const T mu = p_.mu, n = p_.A(0, 0) - mu * (b1 * C_[e] + b2 * S_[e]);
    if (event == Event::turn) return -n;
    if (event == Event::peak) return T(2) * from.k_n * v_n_[e];
    const T g1 = b1 - mu * (c11 * C_[e] + c12 * S_[e]), g2 = b2 - mu * (c12 * C_[e] + c22 * S_[e]);
    return p_.kappa * (g1 * C_[e] + g2 * S_[e] + spin() * (v2_[e] * C_[e] - v1_[e] * S_[e])) + mu * from.k_n * n;
  }
  /// dφ/dJ at the end, on the polynomial: what follows from the velocity is lost in rounding where the direction is
  /// stiff.
  [[nodiscard]] RICOCHET_HD T spin() const { return T(2) * scale_[s - 1] * turn_[s - 1] / w_[s - 1]; }

  // ---- at the end ----------------------------------------------------------------------------------------------

  [[nodiscard]] RICOCHET_HD T pressure() const { return Q_[s - 1]; }
  [[nodiscard]] RICOCHET_HD Vec2T<T> direction() const {
    using std::sqrt;
    const T e1 = from.eta(0), e2 = from.eta(1), C = C_[s - 1], S = S_[s - 1];
    const Vec2T<T> out(e1 * C - e2 * S, e2 * C + e1 * S);
    return out / sqrt(out(0) * out(0) + out(1) * out(1));
  }
  [[nodiscard]] RICOCHET_HD Vec3T<T> impulse() const {
    const T e1 = from.eta(0), e2 = from.eta(1), X = p_.mu * X_[s - 1], Y = p_.mu * Y_[s - 1];
    return {J_[s - 1], -(e1 * X - e2 * Y), -(e2 * X + e1 * Y)};
  }
  /// Work lost to friction: μ∫ s dJ with the speed s of the sledge, whose part in N' is one of Q. Here and below the
  /// plane is exact, and what differs from it summed.
  [[nodiscard]] RICOCHET_HD T friction_loss() const {
    if (!(p_.mu > T(0))) return T(0);
    const T J = J_[s - 1];
    T sum = J * (along + drag1 * J / T(2));
    for (std::size_t j = 0; j < s; ++j)
      sum += table().integral[j][s - 1] * w_[j] * (v1_[j] * C_[j] + v2_[j] * S_[j] - (along + drag1 * J_[j]));
    return p_.mu * (sum - p_.mu / p_.kappa * (Q_[s - 1] - from.Q) / T(2));
  }
  [[nodiscard]] RICOCHET_HD T time() const {
    using std::exp;
    using std::sqrt;
    T sum = T(0);
    if (from.Q > T(0)) {
      sum = straight ? this->time_jammed(J_[s - 1], flat_[s - 1])
                     : this->time_left() - this->time_left(flat_[s - 1], other * exp(T(-2) * length_));
      for (std::size_t j = 0; j < s; ++j)
        sum += table().integral[j][s - 1] * w_[j] * (T(1) / sqrt(Q_[j]) - T(1) / sqrt(flat_[j]));
      return sum;
    }
    // From no force on N grows as √c: Q/c has a polynomial.
    for (std::size_t g = 0; g < Table::points; ++g) {
      T slope = T(0);
      for (std::size_t j = 0; j < s; ++j) slope += table().between[g][j] * Q_[j];
      sum += table().share[g] / sqrt(slope);
    }
    return length_ * sum;
  }

  // ---- the nodes, for those who follow the step to first order -------------------------------------------------

  [[nodiscard]] RICOCHET_HD const Nodes& J() const { return J_; }        ///< normal impulse
  [[nodiscard]] RICOCHET_HD const Nodes& weights() const { return w_; }  ///< dJ/dc
  [[nodiscard]] RICOCHET_HD const Nodes& tangent() const { return T_; }  ///< of half the angle turned
  [[nodiscard]] RICOCHET_HD const Nodes& cosine() const { return C_; }
  [[nodiscard]] RICOCHET_HD const Nodes& sine() const { return S_; }
  [[nodiscard]] RICOCHET_HD const Nodes& X() const { return X_; }  ///< ∫ cos dJ
  [[nodiscard]] RICOCHET_HD const Nodes& Y() const { return Y_; }  ///< ∫ sin dJ
  [[nodiscard]] RICOCHET_HD const Nodes& v_n() const { return v_n_; }
  [[nodiscard]] RICOCHET_HD const Nodes& v_1() const { return v1_; }
  [[nodiscard]] RICOCHET_HD const Nodes& v_2() const { return v2_; }
  [[nodiscard]] RICOCHET_HD const Nodes& Q() const { return Q_; }
  [[nodiscard]] RICOCHET_HD const Nodes& rate() const { return rate_; }  ///< of the tangent
  [[nodiscard]] RICOCHET_HD const Nodes& pull() const { return pull_; }  ///< κ dJ/dc/(2μQ)

 private:
  using Columns = std::array<Nodes, s>;

  /// J at the nodes, and N² as it would be there in the plane.
  RICOCHET_HD void place() {
    using std::exp;
    for (std::size_t i = 0; i < s; ++i) {
      if (straight) {
        J_[i] = length_ * table().c[i];
        w_[i] = length_;
        flat_[i] = from.Q - from.k_n * J_[i] * (T(2) * from.v(0) + lift * J_[i]);
      } else {
        const T grown = exp(T(2) * length_ * table().c[i]), below = T(1) / (grown + other);
        const T rest = end * (T(1) + other) * below;
        J_[i] = end * (grown - T(1)) * below;
        flat_[i] = from.k_n * rest * (T(2) * swing - lift * rest);
        w_[i] = length_ * end * T(2) * grown * (T(1) + other) * below * below;
      }
    }
  }

  /// The direction relaxes towards that of the velocity, which is the one of the plane for a start.
  RICOCHET_HD void first_guess() {
    using std::abs;
    using std::sqrt;
    T before = T(0), target_before = T(0), J_before = T(0);
    for (std::size_t i = 0; i < s; ++i) {
      const T J = J_[i], v1 = along + drag1 * J, v2 = across + drag2 * J;
      const T Q = flat_[i], speed = sqrt(v1 * v1 + v2 * v2);
      T target = T(0), z = T(0);
      if (p_.mu > T(0) && Q > T(0) && speed + v1 > abs(v2)) {
        target = v2 / (speed + v1);
        z = p_.kappa / p_.mu * speed * (J - J_before) / Q;
      }
      const T left = T(1) / (T(1) + z * (T(1) + z * (T(0.5L) + z / T(6))));
      const T mean = z > T(1e-6L) ? (T(1) - left) / z : T(1);
      T_[i] = target + (before - target_before) * left - (target - target_before) * mean;
      before = T_[i];
      target_before = target;
      J_before = J;
    }
  }

  /// The last solution, at other places on its polynomial.
  RICOCHET_HD void rescale_guess(T by) {
    const Nodes old = T_;
    for (std::size_t i = 0; i < s; ++i) {
      const T x = by * table().c[i];
      T sum = T(0), weights = table().weight[0] / x;
      T_[i] = T(0);
      bool hit = false;
      for (std::size_t k = 0; k < s && !hit; ++k) {
        const T gap = x - T(table().c[k]);
        if (gap == T(0)) {
          T_[i] = old[k];
          hit = true;
        } else {
          const T w = table().weight[k + 1] / gap;
          sum += w * old[k];
          weights += w;
        }
      }
      if (!hit) T_[i] = sum / weights;
    }
  }

  RICOCHET_HD bool iterate() {
    using std::abs;
    bool factorised = false;
    T last = std::numeric_limits<T>::infinity();
    int extra = is_dual<T> ? 2 : 0;  // derivatives converge behind the values
    for (int iteration = 0; iteration < 30; ++iteration) {
      if (!evaluate()) return false;
      T moved = T(0);
      Nodes defect;
      for (std::size_t i = 0; i < s; ++i) defect[i] = rate_[i] - turn_[i];
      if (!factorised) factorise();
      factorised = true;
      substitute(defect);
      for (std::size_t i = 0; i < s; ++i) {
        T_[i] += defect[i];
        const T size = abs(defect[i]);
        if (!(size <= moved)) moved = size;
      }
      if (!(moved < T(1))) return false;
      const T ratio = moved / last;
      const bool settled = moved <= T(2) * accuracy_ ||
                           (iteration > 0 && ratio < T(0.5L) && moved * ratio <= accuracy_) ||
                           (moved <= T(200) * accuracy_ && ratio > T(0.5L));
      if (settled && extra-- == 0) return evaluate();
      if (!settled && iteration > 3 && ratio > T(0.9L)) return false;
      if (ratio > T(0.1L)) factorised = false;
      last = moved;
    }
    return false;
  }

  /// All that follows from the direction at the nodes. False where the force would end within the step.
  RICOCHET_HD bool evaluate() {
    const Table& t = table();
    evaluations_ += s;
    // What the turn of the direction changes: the plane is exact, however far the step.
    Nodes wX, wY, X{}, Y{};
    for (std::size_t i = 0; i < s; ++i) {
      const T square = T_[i] * T_[i], scale = T(1) / (T(1) + square);
      scale_[i] = scale;
      C_[i] = (T(1) - square) * scale;
      S_[i] = T(2) * T_[i] * scale;
      wY[i] = w_[i] * S_[i];
      wX[i] = wY[i] * T_[i];
    }
    for (std::size_t j = 0; j < s; ++j)
      for (std::size_t i = 0; i < s; ++i) {
        X[i] += t.integral[j][i] * wX[j];
        Y[i] += t.integral[j][i] * wY[j];
      }
    Nodes depth{}, turn{}, wv;
    const T mu = p_.mu;
    for (std::size_t i = 0; i < s; ++i) {
      const T dv = mu * (b1 * X[i] - b2 * Y[i]);
      v_n_[i] = from.v(0) + lift * J_[i] + dv;
      v1_[i] = along + drag1 * J_[i] + mu * (c11 * X[i] - c12 * Y[i]);
      v2_[i] = across + drag2 * J_[i] + mu * (c12 * X[i] - c22 * Y[i]);
      wv[i] = w_[i] * dv;
      X_[i] = J_[i] - X[i];
      Y_[i] = Y[i];
    }
    for (std::size_t j = 0; j < s; ++j)
      for (std::size_t i = 0; i < s; ++i) {
        depth[i] += t.integral[j][i] * wv[j];
        turn[i] += t.derivative[j][i] * T_[j];
      }
    turn_ = turn;
    const T half = mu > T(0) ? p_.kappa / (T(2) * mu) : T(0);
    bool presses = true;
    for (std::size_t i = 0; i < s; ++i) {
      Q_[i] = flat_[i] - T(2) * from.k_n * depth[i];
      if (!(Q_[i] > T(0))) presses = false;
      pull_[i] = half * w_[i] / Q_[i];
      rate_[i] = pull_[i] * (v2_[i] * (T(1) - T_[i] * T_[i]) - T(2) * v1_[i] * T_[i]);
    }
    return presses;
  }

  [[nodiscard]] RICOCHET_HD T distance(Event event, T speed, T v_n, T Q) const {
    if (event == Event::stop) return p_.kappa * speed + p_.mu * from.k_n * v_n;
    return event == Event::turn ? -v_n : from.peak * from.peak - Q;
  }

  /// The Jacobian of the equations at the nodes, less what the force changes with the direction, in its factors L and
  /// U: no pivots, since the derivative of the table keeps the diagonal large; what does not converge for that is tried
  /// in shorter steps.
  RICOCHET_HD void factorise() {
    const Table& t = table();
    const T mu = p_.mu;
    Nodes by1, by2;
    for (std::size_t k = 0; k < s; ++k) {
      by1[k] = T(2) * pull_[k] * T_[k];
      by2[k] = pull_[k] * (T(1) - T_[k] * T_[k]);
    }
    for (std::size_t k = 0; k < s; ++k) {
      const T C1 = T(-2) * S_[k] * scale_[k], S1 = T(2) * C_[k] * scale_[k], f = mu * w_[k];
      const T g1 = f * (c11 * C1 + c12 * S1), g2 = f * (c12 * C1 + c22 * S1);
      for (std::size_t i = 0; i < s; ++i)
        lu_[k][i] = t.derivative[k][i] + t.integral[k][i] * (by2[i] * g2 - by1[i] * g1);
      lu_[k][k] += T(2) * pull_[k] * (v2_[k] * T_[k] + v1_[k]);
    }
    for (std::size_t k = 0; k < s; ++k) {
      inverse_[k] = T(1) / lu_[k][k];
      // From an even place on, for the sake of wide registers: a zero on the diagonal leaves what lies above it.
      for (std::size_t i = k + 1; i < s; ++i) lu_[k][i] *= inverse_[k];
      lu_[k][k] = T(0);
      for (std::size_t j = k + 1; j < s; ++j) {
        const T u = lu_[j][k];
        for (std::size_t i = k + 1 - (k + 1) % 2; i < s; ++i) lu_[j][i] -= lu_[k][i] * u;
      }
    }
  }
  RICOCHET_HD void substitute(Nodes& b) const {
    for (std::size_t j = 0; j < s; ++j) {
      const T x = b[j];
      for (std::size_t i = j + 1 - (j + 1) % 2; i < s; ++i) b[i] -= lu_[j][i] * x;
    }
    for (std::size_t j = s; j-- > 0;) {
      const T x = b[j] *= inverse_[j];
      for (std::size_t i = 0; i < j; ++i) b[i] -= lu_[j][i] * x;
    }
  }

  SpatialSledge<T> p_;
  T length_ = T(0), accuracy_ = T(0);
  int evaluations_ = 0;
  Nodes J_, w_, flat_, T_, C_, S_, scale_, X_, Y_, v_n_, v1_, v2_, Q_, pull_, rate_, turn_, inverse_;
  Columns lu_;
};

}  // namespace ricochet::compliant
