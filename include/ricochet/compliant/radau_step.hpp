#pragma once
/// One step of implicit collocation at the eight right Radau points (order 15, stiffly accurate), for small systems
/// in which at most the first component is stiff. No allocation.

#include <array>
#include <cmath>
#include <limits>

#include "ricochet/base/linear.hpp"
#include "ricochet/base/table_scalar.hpp"
#include "ricochet/compliant/radau_table.hpp"

namespace ricochet::compliant {

/// The table, and the polynomials themselves.
template <class T, int s>
struct RadauPolynomials : RadauTable<T, s> {
  std::array<std::array<T, s>, s> antiderivative{};  ///< of ℓ_j in powers 1 to s of x = 2c − 1, lowest first
  std::array<T, s> at_start{};                       ///< its value at x = −1

  constexpr RadauPolynomials() {
    const auto x = radau::nodes<s>();
    for (std::size_t j = 0; j < s; ++j) {
      std::array<long double, s + 1> p{};
      p[0] = 1;
      long double scale = 1;
      std::size_t degree = 0;
      for (std::size_t k = 0; k < s; ++k) {
        if (k == j) continue;
        for (std::size_t m = ++degree; m > 0; --m) p[m] = p[m - 1] - x[k] * p[m];
        p[0] *= -x[k];
        scale *= x[j] - x[k];
      }
      long double start = 0;
      for (std::size_t m = 0; m < s; ++m) {
        const long double q = p[m] / scale / static_cast<long double>(m + 1) / 2;
        antiderivative[j][m] = T(q);
        start += m % 2 == 0 ? -q : q;
      }
      at_start[j] = T(start);
    }
  }
};

template <class T, int n>
class RadauStep {
 public:
  static constexpr int s = 8;
  using Table = RadauPolynomials<TableScalar<T>, s>;
  using State = std::array<T, n>;

  /// Local to a function: a static member would not be reachable in device code.
  [[nodiscard]] RICOCHET_HD static const Table& table() {
    static constexpr Table made{};
    return made;
  }

  /// Solves x' = f(x) over the length h from x0; `stiff` is ∂f₀/∂x₀ at x0. `size` is what errors of each component are
  /// measured by. False where the iteration does not converge.
  template <class F>
  RICOCHET_HD bool solve(const F& f, const State& x0, T h, T stiff, const State& size) {
    using std::abs;
    guess(f, x0, h);
    start_ = x0;
    length_ = h;
    const bool implicit = abs(h * stiff) > T(0.05);
    if (implicit) factorise(h * stiff);
    T last = std::numeric_limits<T>::infinity();
    for (int iteration = 0; iteration < 60; ++iteration) {
      iterations = iteration + 1;
      T moved = T(0);
      std::array<T, s> defect{};
      place_stages();
      for (std::size_t i = 0; i < s; ++i) {
        State k{};
        f(stage_[i], k);
        ++evaluations;
        defect[i] = k[0] - rate_[i][0];
        for (std::size_t m = 1; m < n; ++m) {
          const T change = abs(h * (k[m] - rate_[i][m])) / size[m];
          if (!(change <= moved)) moved = change;
          rate_[i][m] = k[m];
        }
      }
      if (implicit) substitute(defect);
      for (std::size_t i = 0; i < s; ++i) {
        rate_[i][0] += defect[i];
        const T change = abs(h * defect[i]) / size[0];
        if (!(change <= moved)) moved = change;
      }
      if (!(moved < std::numeric_limits<T>::max())) return false;
      // Converged, or as far as rounding allows.
      if (moved <= T(4) * std::numeric_limits<T>::epsilon() ||
          (moved <= T(200) * std::numeric_limits<T>::epsilon() && moved >= last)) {
        place_stages();
        return true;
      }
      if (iteration > 10 && moved > T(0.8L) * last) return false;
      last = moved;
    }
    return false;
  }

  /// Largest share of the highest polynomial in the step.
  [[nodiscard]] RICOCHET_HD T unresolved(const State& size) const {
    using std::abs;
    T worst = T(0);
    for (std::size_t k = 0; k < n; ++k) {
      T sum = T(0);
      for (std::size_t j = 0; j < s; ++j) sum += table().tail[j] * rate_[j][k];
      const T share = abs(length_ * sum) / size[k];
      if (!(share <= worst)) worst = share;
    }
    return worst;
  }

  [[nodiscard]] RICOCHET_HD const State& stage(int i) const { return stage_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] RICOCHET_HD const State& end() const { return stage_[s - 1]; }
  [[nodiscard]] RICOCHET_HD T node(int i) const { return table().c[static_cast<std::size_t>(i)]; }

  /// On the polynomial of the step, at the fraction `where` of its length.
  [[nodiscard]] RICOCHET_HD State at(T where) const {
    const T x = T(2) * where - T(1);
    State out = start_;
    for (std::size_t j = 0; j < s; ++j) {
      T sum = T(0);
      for (std::size_t m = s; m-- > 0;) sum = (sum + table().antiderivative[j][m]) * x;
      const T weight = length_ * (sum - table().at_start[j]);
      for (std::size_t k = 0; k < n; ++k) out[k] += weight * rate_[j][k];
    }
    return out;
  }

  int evaluations = 0;
  int iterations = 0;  ///< of the last step

 private:
  /// The polynomial of the step before, where this one continues it; else the slope at the start.
  template <class F>
  RICOCHET_HD void guess(const F& f, const State& x0, T h) {
    if (length_ > T(0) && h <= T(2) * length_ && same(x0, stage_[s - 1])) {
      std::array<State, s> next{};
      for (std::size_t i = 0; i < s; ++i) {
        const T x = T(1) + T(2) * table().c[i] * h / length_;
        for (std::size_t j = 0; j < s; ++j) {
          T sum = T(0);
          for (std::size_t m = s; m-- > 0;) sum = sum * x + table().antiderivative[j][m] * T(2 * (m + 1));
          for (std::size_t k = 0; k < n; ++k) next[i][k] += sum * rate_[j][k];
        }
      }
      rate_ = next;
      return;
    }
    State first{};
    f(x0, first);
    ++evaluations;
    for (auto& k : rate_) k = first;
  }

  RICOCHET_HD void place_stages() {
    for (std::size_t i = 0; i < s; ++i) {
      State x = start_;
      for (std::size_t j = 0; j < s; ++j) {
        const T weight = length_ * table().a[i][j];
        for (std::size_t k = 0; k < n; ++k) x[k] += weight * rate_[j][k];
      }
      stage_[i] = x;
    }
  }

  RICOCHET_HD static bool same(const State& a, const State& b) {
    for (std::size_t k = 0; k < n; ++k)
      if (!(a[k] == b[k])) return false;
    return true;
  }

  RICOCHET_HD static void exchange(T& a, T& b) {
    const T before = a;
    a = b;
    b = before;
  }

  /// I − z A with partial pivoting.
  RICOCHET_HD void factorise(T z) {
    using std::abs;
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t j = 0; j < s; ++j) lu_[i][j] = (i == j ? T(1) : T(0)) - z * table().a[i][j];
    for (std::size_t k = 0; k < s; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < s; ++i)
        if (abs(lu_[i][k]) > abs(lu_[best][k])) best = i;
      pivot_[k] = best;
      if (best != k)
        for (std::size_t j = 0; j < s; ++j) exchange(lu_[best][j], lu_[k][j]);
      for (std::size_t i = k + 1; i < s; ++i) {
        lu_[i][k] /= lu_[k][k];
        for (std::size_t j = k + 1; j < s; ++j) lu_[i][j] -= lu_[i][k] * lu_[k][j];
      }
    }
  }
  RICOCHET_HD void substitute(std::array<T, s>& b) const {
    for (std::size_t k = 0; k < s; ++k)
      if (pivot_[k] != k) exchange(b[k], b[pivot_[k]]);
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t j = 0; j < i; ++j) b[i] -= lu_[i][j] * b[j];
    for (std::size_t i = s; i-- > 0;) {
      for (std::size_t j = i + 1; j < s; ++j) b[i] -= lu_[i][j] * b[j];
      b[i] /= lu_[i][i];
    }
  }

  State start_{};
  T length_ = T(0);
  std::array<State, s> stage_{}, rate_{};
  std::array<std::array<T, s>, s> lu_{};
  std::array<std::size_t, s> pivot_{};
};

}  // namespace ricochet::compliant
