#pragma once
/// Modes of a contact that sticks on undamped springs, in space, docs/laws/spring-sledge.md (L6, L15). With
/// z = (−N/√k_n, √κ ξ), z'' = −S z, S = √K A √K: the eigenvectors of S swing independently.

#include <cmath>
#include <limits>

#include "ricochet/base/jacobi.hpp"
#include "ricochet/compliant/spatial_state.hpp"
#include "ricochet/compliant/stick_margin.hpp"

namespace ricochet::compliant {

template <class T>
class StickModes {
 public:
  StickModes() = default;
  RICOCHET_HD StickModes(const Mat3T<T>& A, T k_n, T kappa) : A_(A) {
    using std::sqrt;
    root_ = Vec3T<T>(sqrt(k_n), sqrt(kappa), sqrt(kappa));
    Mat3T<T> S;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) S(i, j) = root_(i) * A(i, j) * root_(j);
    const Eigen3<T> eigen = symmetric_eigen<T>(S);
    const Vec3T<T>& lambda = eigen.values;
    axes_ = eigen.vectors;
    // As many modes stand still as the contact has immovable directions, and those are the slowest. How small an
    // eigenvalue is does not tell: stiffnesses that are orders apart make small ones of their own.
    bool still[3] = {false, false, false};
    for (int count = immovable(A); count > 0; --count) {
      int slowest = -1;
      for (int i = 0; i < 3; ++i)
        if (!still[i] && (slowest < 0 || lambda(i) < lambda(slowest))) slowest = i;
      still[slowest] = true;
    }
    for (int i = 0; i < 3; ++i) omega_(i) = !still[i] && lambda(i) > T(0) ? sqrt(lambda(i)) : T(0);
  }

  /// The eigenvectors, as columns.
  [[nodiscard]] RICOCHET_HD const Mat3T<T>& axes() const { return axes_; }
  /// Frequencies; zero for a direction in which nothing moves.
  [[nodiscard]] RICOCHET_HD const Vec3T<T>& frequencies() const { return omega_; }

  [[nodiscard]] RICOCHET_HD Sinusoids<T, 3> force(const SpatialState<T>& s) const {
    return component(s, 0, -root_(0), false);
  }
  /// v_n, rising: −v_n falls through zero at the turn.
  [[nodiscard]] RICOCHET_HD Sinusoids<T, 3> approach(const SpatialState<T>& s) const {
    return component(s, 0, T(-1) / root_(0), true);
  }
  /// peak − N.
  [[nodiscard]] RICOCHET_HD Sinusoids<T, 3> below(const SpatialState<T>& s, T peak) const {
    Sinusoids<T, 3> f = component(s, 0, root_(0), false);
    f.shift = peak;
    return f;
  }
  [[nodiscard]] RICOCHET_HD StickMargin<T> margin(const SpatialState<T>& s, T mu, T kappa) const {
    StickMargin<T> margin;
    margin.N = force(s);
    margin.x1 = component(s, 1, T(1) / root_(1), false);
    margin.x2 = component(s, 2, T(1) / root_(2), false);
    margin.mu = mu;
    margin.kappa = kappa;
    return margin;
  }

  /// The state after sticking from s for the time t.
  [[nodiscard]] RICOCHET_HD SpatialState<T> after(const SpatialState<T>& from, T t) const {
    using std::cos;
    using std::sin;
    const Vec3T<T> z0 = scaled(from), d0 = root_.cwiseProduct(from.v);
    Vec3T<T> z = Vec3T<T>::Zero(), d = Vec3T<T>::Zero(), sum = Vec3T<T>::Zero();
    for (int i = 0; i < 3; ++i) {
      const Vec3T<T> axis = axes_.col(i);
      const T w = omega_(i), q = axis.dot(z0), r = w > T(0) ? axis.dot(d0) : T(0);
      T C = T(1), S = t, C2 = t * t / T(2), pull = T(0);
      if (w > T(0)) {
        const T half = sin(w * t / T(2));
        C = cos(w * t);
        S = sin(w * t) / w;
        C2 = T(2) * half * half / (w * w);
        pull = w * w * S;
      }
      z += axis * (q * C + r * S);
      d += axis * (r * C - q * pull);
      sum += axis * (q * S + r * C2);
    }
    SpatialState<T> s = from;
    s.time += t;
    s.N = -root_(0) * z(0);
    s.xi = Vec2T<T>(z(1) / root_(1), z(2) / root_(2));
    s.v = d.cwiseQuotient(root_);
    s.P -= root_.cwiseProduct(sum);
    return s;
  }

 private:
  /// The number of directions along which nothing moves: A scaled to ones on its diagonal has there an eigenvalue that
  /// is nothing but rounding.
  [[nodiscard]] RICOCHET_HD static int immovable(const Mat3T<T>& A) {
    using std::sqrt;
    Mat3T<T> S = Mat3T<T>::Zero();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (A(i, i) > T(0) && A(j, j) > T(0)) S(i, j) = i == j ? T(1) : A(i, j) / sqrt(A(i, i) * A(j, j));
    const Vec3T<T> lambda = symmetric_eigen<T>(S).values;
    int count = 0;
    for (int i = 0; i < 3; ++i) count += lambda(i) > T(16) * std::numeric_limits<T>::epsilon() ? 0 : 1;
    return count;
  }

  /// z.
  [[nodiscard]] RICOCHET_HD Vec3T<T> scaled(const SpatialState<T>& s) const {
    return {-s.N / root_(0), root_(1) * s.xi(0), root_(2) * s.xi(1)};
  }

  /// Row `which` of weight · z(τ), or of its rate.
  [[nodiscard]] RICOCHET_HD Sinusoids<T, 3> component(const SpatialState<T>& s, int which, T weight,
                                                      bool rate_wanted) const {
    using std::abs;
    const Vec3T<T> z = scaled(s), d = root_.cwiseProduct(s.v);
    Sinusoids<T, 3> f;
    for (int i = 0; i < 3; ++i) {
      T q = T(0), r = T(0), q_size = T(0), r_size = T(0);
      for (int k = 0; k < 3; ++k) {
        q += axes_(k, i) * z(k);
        r += axes_(k, i) * d(k);
        q_size += abs(axes_(k, i) * z(k));
        r_size += abs(axes_(k, i) * d(k));
      }
      const T w = omega_(i), share = weight * axes_(which, i);
      if (!(w > T(0))) r = r_size = T(0);
      const auto at = static_cast<std::size_t>(i);
      f.omega[at] = w;
      f.a[at] = share * (rate_wanted ? r : q);
      f.b[at] = share * (rate_wanted ? -w * w * q : r);
      const T rounding = T(32) * std::numeric_limits<T>::epsilon() * abs(share);
      f.a_noise[at] = rounding * (rate_wanted ? r_size : q_size);
      f.b_noise[at] = rounding * (rate_wanted ? w * w * q_size : r_size);
    }
    // z'' = −S z, row by row.
    T pull = T(0), pull_size = T(0);
    for (int k = 0; k < 3; ++k) {
      const T term = root_(which) * A_(which, k) * root_(k) * z(k);
      pull -= term;
      pull_size += abs(term);
    }
    f.start = weight * (rate_wanted ? d(which) : z(which));
    f.rate = weight * (rate_wanted ? pull : d(which));
    f.start_noise = T(8) * std::numeric_limits<T>::epsilon() * abs(f.start);
    f.rate_noise = T(8) * std::numeric_limits<T>::epsilon() * abs(weight) * (rate_wanted ? pull_size : abs(d(which)));
    f.prepare();
    return f;
  }

  Mat3T<T> A_ = Mat3T<T>::Identity();
  Vec3T<T> root_ = Vec3T<T>::Ones(), omega_ = Vec3T<T>::Zero();
  Mat3T<T> axes_ = Mat3T<T>::Identity();
};

}  // namespace ricochet::compliant
