#pragma once
/// The spring-sledge contact in space, and with viscous dampers also in a plane, docs/laws/spring-sledge.md (L15 to
/// L17). Sticking on an undamped spring is solved by its modes, everything else by implicit collocation.

#include <array>
#include <cmath>
#include <limits>

#include "ricochet/compliant/damper.hpp"
#include "ricochet/compliant/planar_sledge.hpp"
#include "ricochet/compliant/radau_step.hpp"
#include "ricochet/compliant/sinusoid_roots.hpp"

namespace ricochet::compliant {

/// Dimensionless (L3), n first: approach speed 1, W_nn = 1.
template <class T>
struct SpatialSledge {
  Mat3T<T> A = Mat3T<T>::Identity();  ///< W / W_nn
  Vec2T<T> v_t = Vec2T<T>::Zero();    ///< V_t⁻ / |V_n⁻|
  T kappa = T(1);
  T mu = T(0);
  T e = T(1);
  Damper damper = Damper::hysteretic;
};

template <class T>
struct SpatialState {
  T time = T(0);
  T N = T(0);
  T depth = T(0);                  ///< compression of the normal spring beside a viscous damper; zero without one
  Vec2T<T> xi = Vec2T<T>::Zero();  ///< deflection of the tangential spring
  Vec3T<T> v = Vec3T<T>::Zero();
  Vec3T<T> P = Vec3T<T>::Zero();
  T friction_loss = T(0), normal_loss = T(0);
  Vec2T<T> eta = Vec2T<T>::Zero();  ///< direction in which the sledge slides; zero while it sticks
  bool sticks = true, loading = true;
  int phase = 0;
};

template <class T>
struct SpatialOutcome {
  SpatialState<T> state;
  Stop stop = Stop::separated;
  bool jammed = false;
  int phases = 0;
  int evaluations = 0;
};

/// Looks at nothing, and asks for nothing between the ends of a phase.
struct UnobservedSpace {
  static constexpr bool inside = false;
  template <class State>
  RICOCHET_HD void operator()(const State&) const {}
};

namespace spatial {

/// Eigenvalues and orthonormal eigenvectors (columns) of a symmetric 3×3 matrix by Jacobi's rotations, which keep the
/// small eigenvalues of a graded matrix.
template <class T>
RICOCHET_HD void eigen3(Mat3T<T> S, Vec3T<T>& lambda, Mat3T<T>& Q) {
  using std::abs;
  using std::sqrt;
  Q = Mat3T<T>::Identity();
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool small = true;
    for (int i = 0; i < 2; ++i) {
      for (int j = i + 1; j < 3; ++j) {
        const T off = S(i, j);
        if (abs(off) <= std::numeric_limits<T>::epsilon() / T(4) * sqrt(abs(S(i, i) * S(j, j))) || off == T(0))
          continue;
        small = false;
        const T zeta = (S(j, j) - S(i, i)) / (T(2) * off);
        const T t = (zeta < T(0) ? T(-1) : T(1)) / (abs(zeta) + sqrt(T(1) + zeta * zeta));
        const T cs = T(1) / sqrt(T(1) + t * t), sn = t * cs;
        const int k = 3 - i - j;
        S(i, i) -= t * off;
        S(j, j) += t * off;
        S(i, j) = S(j, i) = T(0);
        const T ki = S(k, i), kj = S(k, j);
        S(k, i) = S(i, k) = cs * ki - sn * kj;
        S(k, j) = S(j, k) = sn * ki + cs * kj;
        for (int r = 0; r < 3; ++r) {
          const T qi = Q(r, i), qj = Q(r, j);
          Q(r, i) = cs * qi - sn * qj;
          Q(r, j) = sn * qi + cs * qj;
        }
      }
    }
    if (small) break;
  }
  for (int i = 0; i < 3; ++i) lambda(i) = S(i, i);
}

/// μN − κ‖ξ‖ of a sticking contact, for `first_fall`.
template <class T>
struct Cone {
  Sinusoids<T, 3> N, x1, x2;
  T mu = T(0), kappa = T(0), shift = T(0);

  [[nodiscard]] RICOCHET_HD Value<T> at(T t) const {
    using std::sqrt;
    const Value<T> n = N.at(t), a = x1.at(t), b = x2.at(t);
    const T r = sqrt(a.f * a.f + b.f * b.f);
    const T r1 = r > T(0) ? (a.f * a.f1 + b.f * b.f1) / r : sqrt(a.f1 * a.f1 + b.f1 * b.f1);
    return {mu * n.f - kappa * r + shift, mu * n.f1 - kappa * r1};
  }

  [[nodiscard]] RICOCHET_HD Enclosure<T> enclose(T m, T h) const {
    using std::sqrt;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const Enclosure<T> n = N.enclose(m, h), a = x1.enclose(m, h), b = x2.enclose(m, h);
    Range<T> square_r = square(a.f);
    square_r += square(b.f);
    const Range<T> r{sqrt(square_r.lo), sqrt(square_r.hi)};
    Range<T> square_speed = square(a.f1);
    square_speed += square(b.f1);
    const T fastest = sqrt(square_speed.hi);
    Range<T> r1{-fastest, fastest}, r2{-infinity, infinity};
    if (r.lo > T(0)) {
      Range<T> dot = product(a.f, a.f1);
      dot += product(b.f, b.f1);
      const Range<T> slope = over(dot, r);
      if (slope.lo > r1.lo) r1.lo = slope.lo;
      if (slope.hi < r1.hi) r1.hi = slope.hi;
      Range<T> bend = product(a.f, a.f2);
      bend += product(b.f, b.f2);
      bend += square_speed;
      bend += scaled(T(-1), square(r1));
      r2 = over(bend, r);
    }
    Enclosure<T> out;
    out.f = scaled(mu, n.f);
    out.f += scaled(-kappa, r);
    out.f += Range<T>{shift, shift};
    out.f1 = scaled(mu, n.f1);
    out.f1 += scaled(-kappa, r1);
    out.f2 = scaled(mu, n.f2);
    out.f2 += scaled(-kappa, r2);
    return out;
  }

  RICOCHET_HD static Range<T> over(const Range<T>& a, const Range<T>& positive) {
    return {a.lo < T(0) ? a.lo / positive.lo : a.lo / positive.hi,
            a.hi > T(0) ? a.hi / positive.lo : a.hi / positive.hi};
  }
};

template <class T, class Observer>
class Run {
 public:
  RICOCHET_HD Run(const SpatialSledge<T>& problem, Observer& see) : p_(problem), see_(see) {}

  RICOCHET_HD SpatialOutcome<T> run() {
    s_.v = Vec3T<T>(T(-1), p_.v_t(0), p_.v_t(1));
    start_v_ = s_.v;
    const bool viscous = p_.damper != Damper::hysteretic && p_.e < T(1);
    if (!viscous) {
      law_ = Damper::hysteretic;
    } else {
      law_ = p_.damper;
      coefficient_ = law_ == Damper::linear ? linear_coefficient(p_.e) : hunt_crossley_coefficient(p_.e);
    }
    if (law_ == Damper::linear) s_.N = q_ = coefficient_;
    const T slope = first_slope();
    // Forces that start from zero do so in this ratio (L5).
    Vec2T<T> along = p_.v_t;
    bool slides = p_.mu == T(0) || (s_.N == T(0) && p_.kappa * along.norm() > p_.mu * slope);
    if (!slides && law_ == Damper::hunt_crossley) {
      along = first_deflection(slope);
      slides = p_.kappa * along.norm() > p_.mu * slope;
    }
    s_.sticks = !slides;
    if (slides && along.norm() > T(0)) s_.eta = along / along.norm();
    see_(s_);
    if (slides && s_.N == T(0)) start_sliding(slope, along);
    if (!slides && law_ == Damper::hunt_crossley) start_sticking(slope, along);
    while (!done_) {
      ++out_.phases;
      s_.phase = out_.phases - 1;
      if (out_.phases > limit || out_.evaluations > budget) {
        out_.stop = Stop::rings;
        break;
      }
      if (!s_.sticks) {
        slide();
      } else if (law_ == Damper::hysteretic) {
        stick();
      } else {
        stick_damped();
      }
    }
    out_.state = s_;
    return out_;
  }

 private:
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T eps = std::numeric_limits<T>::epsilon();
  static constexpr int limit = 20000;
  static constexpr int budget = 3000000;
  static constexpr T resolution = T(1e-10L);  ///< share of the highest polynomial; the step's end is far better

  // ---- the normal spring ---------------------------------------------------------------------------------------

  /// dN/dτ at first touch.
  [[nodiscard]] RICOCHET_HD T first_slope() const { return law_ == Damper::hunt_crossley ? T(1) + coefficient_ : T(1); }
  // Its state q is the force, or for Hunt-Crossley the penetration, whose force may vanish before it does.
  [[nodiscard]] RICOCHET_HD T force(T q, T v_n) const {
    return law_ == Damper::hunt_crossley ? q * (T(1) - coefficient_ * v_n) : q;
  }
  [[nodiscard]] RICOCHET_HD T q_of(T N, T v_n) const {
    return law_ == Damper::hunt_crossley ? N / (T(1) - coefficient_ * v_n) : N;
  }
  [[nodiscard]] RICOCHET_HD T q_rate(T v_n, T a_n) const {
    if (law_ == Damper::hunt_crossley) return -v_n;
    return law_ == Damper::linear ? -v_n - coefficient_ * a_n : -k_n_ * v_n;
  }
  [[nodiscard]] RICOCHET_HD T force_rate(T q, T v_n, T a_n) const {
    if (law_ == Damper::hunt_crossley) return -v_n * (T(1) - coefficient_ * v_n) - coefficient_ * q * a_n;
    return q_rate(v_n, a_n);
  }
  [[nodiscard]] RICOCHET_HD T depth(T q, T v_n) const {
    if (law_ == Damper::hunt_crossley) return q;
    return law_ == Damper::linear ? q + coefficient_ * v_n : T(0);
  }
  /// Power that the damper takes.
  [[nodiscard]] RICOCHET_HD T damping(T q, T v_n) const {
    if (law_ == Damper::hysteretic) return T(0);
    return coefficient_ * v_n * v_n * (law_ == Damper::linear ? T(1) : q);
  }

  RICOCHET_HD void turn_over() {
    s_.loading = false;
    if (law_ != Damper::hysteretic || p_.e == T(1)) return;
    s_.v(0) = T(0);
    peak_ = s_.N;
    s_.normal_loss = s_.N * s_.N * (T(1) - p_.e * p_.e) / T(2);
    if (p_.e == T(0)) {
      release();
      return;
    }
    k_n_ = T(1) / (p_.e * p_.e);
    modes_known_ = false;
  }

  RICOCHET_HD void load_again() {
    s_.loading = true;
    k_n_ = T(1);
    modes_known_ = false;
    s_.normal_loss = T(0);
  }

  RICOCHET_HD void release() {
    s_.friction_loss += p_.kappa * s_.xi.squaredNorm() / T(2);
    if (law_ == Damper::linear) {  // the spring creeps back behind the body
      const T dent = coefficient_ * s_.v(0);
      s_.normal_loss += dent * dent / T(2);
    }
    // At v_n = 1/α Hunt and Crossley's force is gone before the penetration is.
    if (law_ == Damper::hunt_crossley && q_ > T(0)) s_.normal_loss += q_ * q_ / T(2);
    s_.N = s_.depth = T(0);
    s_.xi.setZero();
    done_ = true;
    see_(s_);
  }

  RICOCHET_HD void give_up(Stop why) {
    out_.stop = why;
    done_ = true;
  }

  // ---- sticking, undamped: modes -------------------------------------------------------------------------------

  RICOCHET_HD void find_modes() {
    using std::sqrt;
    if (modes_known_) return;
    root_ = Vec3T<T>(sqrt(k_n_), sqrt(p_.kappa), sqrt(p_.kappa));
    Mat3T<T> S;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) S(i, j) = root_(i) * p_.A(i, j) * root_(j);
    Vec3T<T> lambda;
    eigen3<T>(S, lambda, axes_);
    // As many modes stand still as the contact has immovable directions, and those are the slowest. How small an
    // eigenvalue is does not tell: stiffnesses that are orders apart make small ones of their own.
    bool still[3] = {false, false, false};
    for (int count = immovable(); count > 0; --count) {
      int slowest = -1;
      for (int i = 0; i < 3; ++i)
        if (!still[i] && (slowest < 0 || lambda(i) < lambda(slowest))) slowest = i;
      still[slowest] = true;
    }
    for (int i = 0; i < 3; ++i) omega_(i) = !still[i] && lambda(i) > T(0) ? sqrt(lambda(i)) : T(0);
    modes_known_ = true;
  }

  /// The number of directions along which nothing moves: W scaled to ones on its diagonal has there an eigenvalue that
  /// is nothing but rounding.
  [[nodiscard]] RICOCHET_HD int immovable() const {
    using std::sqrt;
    Mat3T<T> S = Mat3T<T>::Zero(), Q;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (p_.A(i, i) > T(0) && p_.A(j, j) > T(0))
          S(i, j) = i == j ? T(1) : p_.A(i, j) / sqrt(p_.A(i, i) * p_.A(j, j));
    Vec3T<T> lambda;
    eigen3<T>(S, lambda, Q);
    int count = 0;
    for (int i = 0; i < 3; ++i) count += lambda(i) > T(16) * eps ? 0 : 1;
    return count;
  }

  /// z of (L6).
  [[nodiscard]] RICOCHET_HD Vec3T<T> scaled_deflection() const {
    return {-s_.N / root_(0), root_(1) * s_.xi(0), root_(2) * s_.xi(1)};
  }

  /// Row `which` of weight · z(τ), or of its rate.
  [[nodiscard]] RICOCHET_HD Sinusoids<T, 3> component(int which, T weight, bool rate_wanted) const {
    using std::abs;
    const Vec3T<T> z = scaled_deflection(), d = root_.cwiseProduct(s_.v);
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
      f.noise +=
          T(32) * eps * abs(share) * (rate_wanted ? r_size + w * q_size : q_size + (w > T(0) ? r_size / w : T(0)));
    }
    f.prepare();
    return f;
  }

  /// The state after sticking for the time t.
  [[nodiscard]] RICOCHET_HD SpatialState<T> stuck_at(T t) const {
    using std::cos;
    using std::sin;
    const Vec3T<T> z0 = scaled_deflection(), d0 = root_.cwiseProduct(s_.v);
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
    SpatialState<T> s = s_;
    s.time += t;
    s.N = -root_(0) * z(0);
    s.xi = Vec2T<T>(z(1) / root_(1), z(2) / root_(2));
    s.v = d.cwiseQuotient(root_);
    s.P -= root_.cwiseProduct(sum);
    return s;
  }

  RICOCHET_HD void stick() {
    using std::sqrt;
    find_modes();
    const T pi = T(3.141592653589793238462643383279502884L);
    T slow = infinity;
    bool bound = true;
    for (int i = 0; i < 3; ++i) {
      if (omega_(i) > T(0)) {
        slow = omega_(i) < slow ? omega_(i) : slow;
      } else if (p_.A.col(i).squaredNorm() > T(0)) {
        bound = false;
      }
    }
    // As in the plane (L7); with an immovable direction the motion is looked at for a good while.
    T end = bound ? pi / slow * (T(1) + T(1e-6)) : T(40) * pi / slow;
    int way = 0;
    bool lost = false;
    const auto look = [&](const auto& f, T noise, int code) {
      const Crossing<T> hit = first_sure_fall<T>(f, noise, T(0), end);
      out_.evaluations += hit.evaluations;
      lost = lost || hit.gave_up;
      if (!hit.found) return;
      end = hit.t;
      way = code;
    };
    const Sinusoids<T, 3> N = component(0, -root_(0), false);
    if (p_.mu == infinity) {
      look(N, N.noise, 3);
    } else {
      Cone<T> cone;
      cone.N = N;
      cone.x1 = component(1, T(1) / root_(1), false);
      cone.x2 = component(2, T(1) / root_(2), false);
      cone.mu = p_.mu;
      cone.kappa = p_.kappa;
      const T noise = p_.mu * N.noise + p_.kappa * (cone.x1.noise + cone.x2.noise);
      look(cone, noise, 1);
      // Springs that swing in step keep the force on the edge of the cone until there is none, as in the plane.
      if (lost) {
        const Crossing<T> gone = first_sure_fall<T>(N, N.noise, T(0), end);
        out_.evaluations += gone.evaluations;
        cone.shift += noise;
        if (gone.found && is_nothing<T>(cone, noise, T(0), gone.t)) {
          lost = false;
          end = gone.t;
          way = 3;
        }
      }
    }
    if (s_.loading) {
      const Sinusoids<T, 3> rate = component(0, T(-1) / root_(0), true);
      look(rate, rate.noise, 2);
    } else if (p_.e < T(1)) {
      Sinusoids<T, 3> f = component(0, root_(0), false);
      f.shift = peak_;
      look(f, f.noise, 4);
    }
    if (lost || way == 0) {
      give_up(lost || bound ? Stop::gave_up : Stop::never);
      return;
    }
    if constexpr (Observer::inside) {
      constexpr int looks = 16;
      for (int i = 1; i < looks; ++i) see_(stuck_at(end * T(i) / T(looks)));
    }
    s_ = stuck_at(end);
    q_ = s_.N;
    if (way == 1) {
      leave_stick();
    } else if (way == 3) {
      s_.N = T(0);
      see_(s_);
      release();
    } else {
      see_(s_);
      if (way == 2) {
        turn_over();
      } else {
        s_.N = peak_;
        load_again();
      }
    }
  }

  /// On the cone to the last bit, then sliding.
  RICOCHET_HD void leave_stick() {
    using std::atan2;
    using std::sqrt;
    const T r = s_.xi.norm();
    phi_ = atan2(s_.xi(1), s_.xi(0));
    if (p_.mu * sqrt(k_n_) < sqrt(p_.kappa) && r > T(0)) {
      s_.xi *= p_.mu * s_.N / p_.kappa / r;
    } else {
      s_.N = p_.kappa * r / p_.mu;
      q_ = q_of(s_.N, s_.v(0));
    }
    see_(s_);
    if (!(q_ > T(0))) {  // stuck to the very end, the spring across as slack as the other
      release();
      return;
    }
    s_.sticks = false;
  }

  // ---- sliding (L16) -------------------------------------------------------------------------------------------

  enum : std::size_t { PHI, LOG, PN, P1, P2, TIME, FRICTION, NORMAL, SLIP_SIZE };
  using Slip = RadauStep<T, SLIP_SIZE>;
  using SlipState = typename Slip::State;

  struct Sliding {
    Vec3T<T> v;
    Vec2T<T> eta;
    T q, N, lift, rate, speed;  ///< rate: dN/dτ; speed: of the sledge
  };
  [[nodiscard]] RICOCHET_HD Sliding sliding(const SlipState& x) const {
    using std::cos;
    using std::exp;
    using std::sin;
    Sliding m;
    m.eta = Vec2T<T>(cos(x[PHI]), sin(x[PHI]));
    // Offsets from the start of the phase: what is gathered before is in v already.
    m.v = phase_v_ + p_.A * Vec3T<T>(x[PN], x[P1], x[P2]);
    m.lift = p_.A(0, 0) - p_.mu * (p_.A(0, 1) * m.eta(0) + p_.A(0, 2) * m.eta(1));
    m.q = exp(x[LOG]);
    m.N = force(m.q, m.v(0));
    m.rate = force_rate(m.q, m.v(0), m.N * m.lift);
    m.speed = m.v(1) * m.eta(0) + m.v(2) * m.eta(1) - p_.mu / p_.kappa * m.rate;
    return m;
  }
  RICOCHET_HD void slip_slope(const SlipState& x, SlipState& d) const {
    const Sliding m = sliding(x);
    const T N = m.N, push = N * N;
    d[PHI] = p_.mu > T(0) ? p_.kappa / p_.mu * (m.v(2) * m.eta(0) - m.v(1) * m.eta(1)) : T(0);
    d[LOG] = q_rate(m.v(0), N * m.lift) * (law_ == Damper::hunt_crossley ? T(1) - coefficient_ * m.v(0) : T(1));
    d[PN] = push;
    d[P1] = -p_.mu * m.eta(0) * push;
    d[P2] = -p_.mu * m.eta(1) * push;
    d[TIME] = N;
    d[FRICTION] = p_.mu * push * m.speed;
    d[NORMAL] = N * damping(m.q, m.v(0));
  }

  /// A time so short that series of three terms hold, where `rate` is that of what moves fastest but the damper.
  [[nodiscard]] RICOCHET_HD T instant(T rate, T slope) const {
    using std::sqrt;
    return T(1e-5L) / sqrt(T(1) + coefficient_ * slope + (T(1) + rate) * (p_.A(1, 1) + p_.A(2, 2)));
  }

  /// `along` is the way of the sledge over its time.
  RICOCHET_HD void start_sliding(T slope, const Vec2T<T>& along) {
    using std::atan2;
    phi_ = along.norm() > T(0) ? atan2(along(1), along(0)) : T(0);
    const T t = instant(p_.mu, slope);
    const T s0 = along.norm(), c = s0 > T(0) ? along(0) / s0 : T(1), n = s0 > T(0) ? along(1) / s0 : T(0);
    if (p_.mu > T(0)) {
      const Vec2T<T> r = slope * Vec2T<T>(p_.A(1, 0) - p_.mu * (p_.A(1, 1) * c + p_.A(1, 2) * n),
                                          p_.A(2, 0) - p_.mu * (p_.A(2, 1) * c + p_.A(2, 2) * n));
      // ρ/(2 + ρ) of (L17), where ρ may be beyond all bounds.
      const T share = p_.kappa * s0 / (p_.kappa * s0 + T(2) * p_.mu * slope);
      phi_ += share * (r(1) * c - r(0) * n) / (T(2) * s0) * t * t;
    }
    const T J = slope * t * t / T(2);
    s_.time = t;
    s_.N = slope * t;
    q_ = law_ == Damper::hunt_crossley ? t : s_.N;
    const Vec3T<T> P(J, -p_.mu * c * J, -p_.mu * n * J);
    s_.P = P;
    s_.v = start_v_ + p_.A * P;
    if (p_.mu > T(0)) s_.xi = p_.mu * s_.N / p_.kappa * Vec2T<T>(c, n);
    s_.friction_loss = p_.mu * J * (s0 - p_.mu * slope / p_.kappa);
    s_.normal_loss = T(0);
    if (law_ == Damper::hunt_crossley) s_.normal_loss = coefficient_ * t * t / T(2);
  }

  /// Deflection over time in the first instant of sticking. Where there is hardly any slip or friction, coupling drives
  /// it over the cone before that is past, and the contact is as good as sliding from the start.
  [[nodiscard]] RICOCHET_HD Vec2T<T> first_deflection(T slope) const {
    const T t = instant(p_.kappa, slope);
    const Vec3T<T> push = p_.A * Vec3T<T>(slope, -p_.kappa * p_.v_t(0), -p_.kappa * p_.v_t(1));
    return p_.v_t + t * t / T(6) * Vec2T<T>(push(1), push(2));
  }

  /// Past first touch, where the force and the room in the cone are both zero.
  RICOCHET_HD void start_sticking(T slope, const Vec2T<T>& along) {
    const T t = instant(p_.kappa, slope), half = t * t / T(2);
    s_.time = t;
    q_ = s_.depth = t;
    s_.N = slope * t;
    s_.xi = along * t;
    s_.P = half * Vec3T<T>(slope, -p_.kappa * p_.v_t(0), -p_.kappa * p_.v_t(1));
    s_.v = start_v_ + p_.A * s_.P;
    s_.normal_loss = coefficient_ * half;
    stick_step_ = t;  // longer by and by: the cone may be near
  }

  [[nodiscard]] RICOCHET_HD SpatialState<T> from_slip(const SlipState& x) const {
    const Sliding m = sliding(x);
    SpatialState<T> s = s_;
    s.time += x[TIME];
    s.N = m.N;
    s.depth = depth(m.q, m.v(0));
    s.eta = m.eta;
    s.xi = p_.mu > T(0) ? Vec2T<T>(p_.mu * m.N / p_.kappa * m.eta) : Vec2T<T>(Vec2T<T>::Zero());
    s.v = m.v;
    s.P += Vec3T<T>(x[PN], x[P1], x[P2]);
    s.friction_loss += x[FRICTION];
    s.normal_loss += x[NORMAL];
    return s;
  }

  RICOCHET_HD void slide() {
    using std::abs;
    using std::log;
    SlipState x{};
    x[PHI] = phi_;
    x[LOG] = log(q_);
    phase_v_ = s_.v;
    Slip step;
    const auto slope = [this](const SlipState& y, SlipState& d) { slip_slope(y, d); };
    const auto stops = [this](const SlipState& y) { return p_.mu > T(0) ? sliding(y).speed : T(1); };
    const auto turns = [this](const SlipState& y) {
      if (s_.loading) return -sliding(y).v(0);
      return law_ == Damper::hysteretic && p_.e < T(1) ? peak_ - sliding(y).N : T(1);
    };
    T h = slip_step_;
    int way = 0;
    for (int count = 0; way == 0; ++count) {
      const Sliding m = sliding(x);
      if (m.lift < T(0)) out_.jammed = true;
      // What is left of a force that falls to zero: a triangle, small enough that its curvature is below rounding.
      if (m.rate < T(0) && m.v(0) > T(0) &&
          (T(1) + p_.mu) * m.N * m.N <= -m.rate * T(1e-15L) * (T(1) + s_.P(0) + x[PN])) {
        close_triangle(x, m);
        return;
      }
      // Held at v_n = 1/α the force dies away exponentially, and 1 − α v_n runs out of digits: N²/|N'| is what is left.
      if (law_ == Damper::hunt_crossley && m.rate < T(0) && T(1) - coefficient_ * m.v(0) < T(1e-8L) &&
          (T(1) + p_.mu) * m.N * m.N <= -m.rate * T(1e-9L)) {
        close_tail(x, m, m.N * m.N / -m.rate, m.q / m.v(0));
        return;
      }
      if (count > 4000 || out_.evaluations > budget) {
        give_up(Stop::gave_up);
        return;
      }
      SlipState size;
      size.fill(T(1) + s_.P(0) + x[PN]);
      size[PHI] = size[LOG] = T(1);
      size[P1] = size[P2] = (T(1) + (p_.mu < T(1) ? p_.mu : T(1))) * size[PN];
      size[TIME] = T(1) + s_.time + x[TIME];
      size[FRICTION] = size[PN] * (T(1) + abs(m.v(1)) + abs(m.v(2)));
      // A force that falls away between two nodes would be taken for none: by at most e³ in a step.
      SlipState first{};
      slip_slope(x, first);
      if (h * abs(first[LOG]) > T(3)) h = T(3) / abs(first[LOG]);
      const T stiff = p_.mu > T(0) ? -p_.kappa / p_.mu * (m.v(1) * m.eta(0) + m.v(2) * m.eta(1)) : T(0);
      T length = T(0);
      const Trip trip = advance(step, slope, x, h, stiff, size, stops, turns, length);
      if (trip == Trip::lost) return;
      if (trip == Trip::retry) continue;
      if (length > T(0)) {
        if constexpr (Observer::inside) show(step);
        x = step.end();
      }
      slip_step_ = h;
      if (trip != Trip::on) way = trip == Trip::first ? 1 : 2;
    }
    phi_ = x[PHI];
    q_ = sliding(x).q;
    s_ = from_slip(x);
    see_(s_);
    if (way == 1) {
      s_.sticks = true;
      s_.eta.setZero();
    } else if (s_.loading) {
      turn_over();
    } else {
      s_.N = q_ = peak_;
      load_again();
    }
  }

  // ---- collocation, sliding or sticking ------------------------------------------------------------------------

  enum class Trip : std::uint8_t {
    on,      ///< a step further, nothing happened
    retry,   ///< not resolved: h is shorter now
    first,   ///< to where the first of two functions falls through zero
    second,  ///< to where the second does
    lost,    ///< steps fell below rounding
  };

  /// From x by h, or to the first event before. `length` is how far it went, and `step` holds where that led.
  template <class Step, class State, class Slope, class First, class Second>
  RICOCHET_HD Trip advance(Step& step, const Slope& slope, const State& x, T& h, T stiff, const State& size,
                           const First& first, const Second& second, T& length) {
    using std::abs;
    step.evaluations = 0;
    const bool settled = step.solve(slope, x, h, stiff, size);
    out_.evaluations += step.evaluations;
    const T share = settled ? step.unresolved(size) : infinity;
    if (!(share <= resolution)) {
      h *= share < T(1e3) ? shrink(share) : T(0.4L);
      if (h > T(1e-30L)) return Trip::retry;
      give_up(Stop::gave_up);
      return Trip::lost;
    }
    const T first_at = first_event(step, x, first), second_at = first_event(step, x, second);
    if (first_at > T(1) && !(second_at < T(1))) {
      length = h;
      h = next_step(h, share, step.iterations);
      return Trip::on;
    }
    const bool is_first = first_at <= T(1) && !(second_at < first_at);
    const auto event = [&](const State& y) { return is_first ? first(y) : second(y); };
    // A step of its own to the event: the polynomial in between is less exact than its end.
    length = h * (is_first ? first_at : second_at);
    for (int i = 0; i < 6 && length > T(0); ++i) {
      step.evaluations = 0;
      if (!step.solve(slope, x, length, stiff, size)) break;
      out_.evaluations += step.evaluations;
      const State& y = step.end();
      State d{}, nudged = y;
      slope(y, d);
      const T g = event(y), small = T(1e-6L) * length;
      for (std::size_t k = 0; k < y.size(); ++k) nudged[k] += small * d[k];
      const T slope_g = (event(nudged) - g) / small;
      const T move = slope_g < T(0) ? -g / slope_g : T(0);
      if (abs(move) <= T(4) * eps * length || !(length + move > T(0)) || abs(move) > T(0.1L) * length) break;
      length += move;
    }
    return is_first ? Trip::first : Trip::second;
  }

  RICOCHET_HD static T shrink(T share) {
    using std::pow;
    const T least = T(1e-20L);
    return T(0.9L) * pow(resolution / (share > least ? share : least), T(1) / T(Slip::s));
  }

  /// As long as the resolution allows, but not so long that the iteration drags.
  RICOCHET_HD static T next_step(T h, T share, int iterations) {
    const T resolved = shrink(share), easy = T(12) / T(iterations);
    const T factor = resolved < easy ? resolved : easy;
    return h * (factor < T(4) ? factor : T(4));
  }

  template <class Step>
  RICOCHET_HD void show(const Step& step) {
    for (int i = 1; i + 1 < Step::s; i += 2) see_(from_slip(step.stage(i)));
  }

  RICOCHET_HD void close_triangle(const SlipState& x, const Sliding& m) {
    const T rest = m.N / -m.rate;
    close_tail(x, m, m.N * rest / T(2), rest);
  }

  /// The last impulse J, in the time `rest`.
  RICOCHET_HD void close_tail(const SlipState& x, const Sliding& m, T J, T rest) {
    s_ = from_slip(x);
    q_ = m.q;
    s_.time += rest;
    const Vec3T<T> P(J, -p_.mu * m.eta(0) * J, -p_.mu * m.eta(1) * J);
    s_.P += P;
    s_.v += p_.A * P;
    s_.friction_loss += p_.mu * J * m.speed;
    // A linear damper goes on to the end; what the other's spring still holds goes into its damper.
    if (law_ == Damper::linear) s_.normal_loss += rest * damping(m.q, m.v(0));
    if (law_ == Damper::hunt_crossley) q_ = m.q - J * m.v(0) / m.q;
    s_.N = T(0);
    s_.xi.setZero();
    release();
  }

  /// Fraction of the step at which g first falls through zero, or 2. Looks at the nodes, and between them wherever
  /// three of them show a valley.
  template <class Step, class State, class G>
  RICOCHET_HD T first_event(const Step& step, const State& x0, const G& g) const {
    constexpr int s = Step::s;
    T where[s + 1], value[s + 1];
    where[0] = T(0);
    value[0] = g(x0);
    for (int i = 0; i < s; ++i) {
      where[i + 1] = step.node(i);
      value[i + 1] = g(step.stage(i));
    }
    for (int i = 1; i <= s; ++i) {
      if (value[i] <= T(0) && value[i - 1] > T(0)) return refine(step, g, where[i - 1], where[i]);
      // Began on the border by rounding, and falls.
      if (i == s && value[s] < T(0) && value[0] <= T(0)) {
        bool ever = false;
        for (int k = 0; k < s; ++k) ever = ever || value[k] > T(0);
        if (!ever) return T(0);
      }
      if (i < s && value[i] > T(0) && value[i] < value[i - 1] && value[i] < value[i + 1]) {
        const T a = where[i - 1] - where[i], b = where[i + 1] - where[i];
        const T p = (value[i - 1] - value[i]) / a, q = (value[i + 1] - value[i]) / b;
        const T curve = (q - p) / (b - a), slope = p - curve * a;
        if (!(curve > T(0))) continue;
        const T lowest = where[i] - slope / (T(2) * curve);
        if (!(lowest > where[i - 1] && lowest < where[i + 1])) continue;
        if (g(step.at(lowest)) <= T(0)) return refine(step, g, lowest > where[i] ? where[i] : where[i - 1], lowest);
      }
    }
    return T(2);
  }

  template <class Step, class G>
  RICOCHET_HD T refine(const Step& step, const G& g, T lo, T hi) const {
    T g_lo = g(step.at(lo)), g_hi = g(step.at(hi));
    for (int i = 0; i < 60 && hi - lo > T(1e-14L) * hi; ++i) {
      T mid = i % 3 == 2 ? (lo + hi) / T(2) : lo + (hi - lo) * (g_lo / (g_lo - g_hi));
      if (!(mid > lo && mid < hi)) mid = (lo + hi) / T(2);
      const T value = g(step.at(mid));
      if (value > T(0)) {
        lo = mid;
        g_lo = value;
      } else {
        hi = mid;
        g_hi = value;
      }
    }
    return hi;
  }

  // ---- sticking on a viscous damper ----------------------------------------------------------------------------

  enum : std::size_t { X1, X2, SPRING, I_N, I_1, I_2, DAMPED, STICK_SIZE };
  using Stick = RadauStep<T, STICK_SIZE>;
  using StickState = typename Stick::State;

  RICOCHET_HD void stick_slope(const StickState& x, StickState& d) const {
    const Vec3T<T> v = phase_v_ + p_.A * Vec3T<T>(x[I_N], x[I_1], x[I_2]);
    const Vec3T<T> F(force(x[SPRING], v(0)), -p_.kappa * x[X1], -p_.kappa * x[X2]);
    d[X1] = v(1);
    d[X2] = v(2);
    d[SPRING] = q_rate(v(0), p_.A.row(0).dot(F));
    d[I_N] = F(0);
    d[I_1] = F(1);
    d[I_2] = F(2);
    d[DAMPED] = damping(x[SPRING], v(0));
  }
  [[nodiscard]] RICOCHET_HD SpatialState<T> from_stick(const StickState& x, T t) const {
    SpatialState<T> s = s_;
    s.time += t;
    s.xi = Vec2T<T>(x[X1], x[X2]);
    s.P += Vec3T<T>(x[I_N], x[I_1], x[I_2]);
    s.v = phase_v_ + p_.A * Vec3T<T>(x[I_N], x[I_1], x[I_2]);
    s.N = force(x[SPRING], s.v(0));
    s.depth = depth(x[SPRING], s.v(0));
    s.normal_loss += x[DAMPED];
    return s;
  }

  RICOCHET_HD void stick_damped() {
    using std::abs;
    using std::sqrt;
    StickState x{};
    x[X1] = s_.xi(0);
    x[X2] = s_.xi(1);
    x[SPRING] = q_;
    phase_v_ = s_.v;
    Stick step;
    const auto slope = [this](const StickState& y, StickState& d) { stick_slope(y, d); };
    const auto leaves = [this](const StickState& y) {
      const T N = force(y[SPRING], phase_v_(0) + p_.A.row(0).dot(Vec3T<T>(y[I_N], y[I_1], y[I_2])));
      if (p_.mu == infinity) return N;
      return p_.mu * N - p_.kappa * sqrt(y[X1] * y[X1] + y[X2] * y[X2]);
    };
    const auto turns = [this](const StickState& y) {
      if (!s_.loading) return T(1);
      return -(phase_v_(0) + p_.A.row(0).dot(Vec3T<T>(y[I_N], y[I_1], y[I_2])));
    };
    T h = stick_step_, t = T(0);
    int way = 0;
    for (int count = 0; way == 0; ++count) {
      if (count > 100000 || out_.evaluations > budget) {
        give_up(Stop::gave_up);
        return;
      }
      const T room = T(1) + s_.P(0) + x[I_N];
      StickState size;
      size.fill(room);
      size[X1] = size[X2] = room / sqrt(T(1) + p_.kappa);
      T length = T(0);
      const Trip trip = advance(step, slope, x, h, T(0), size, leaves, turns, length);
      if (trip == Trip::lost) return;
      if (trip == Trip::retry) continue;
      if (length > T(0)) {
        if constexpr (Observer::inside)
          for (int i = 1; i + 1 < Stick::s; i += 2) see_(from_stick(step.stage(i), t + step.node(i) * length));
        x = step.end();
        t += length;
      }
      stick_step_ = h;
      if (trip != Trip::on) way = trip == Trip::first ? 1 : 2;
    }
    s_ = from_stick(x, t);
    q_ = x[SPRING];
    if (way == 2) {
      see_(s_);
      turn_over();
    } else if (p_.mu == infinity) {
      s_.N = T(0);
      see_(s_);
      release();
    } else {
      leave_stick();
    }
  }

  SpatialSledge<T> p_;
  SpatialState<T> s_;
  SpatialOutcome<T> out_;
  Vec3T<T> start_v_ = Vec3T<T>::Zero(), phase_v_ = Vec3T<T>::Zero();
  Vec3T<T> root_ = Vec3T<T>::Ones(), omega_ = Vec3T<T>::Zero();
  Mat3T<T> axes_ = Mat3T<T>::Identity();
  T coefficient_ = T(0), k_n_ = T(1), peak_ = T(0), phi_ = T(0), q_ = T(0);
  T slip_step_ = T(2), stick_step_ = T(0.1L);
  Observer& see_;
  Damper law_ = Damper::hysteretic;
  bool modes_known_ = false, done_ = false;
};

}  // namespace spatial

/// From first touch to separation. `see` is shown the state at both ends of every phase, and in between where it asks.
template <class T, class Observer = UnobservedSpace>
RICOCHET_HD SpatialOutcome<T> run_spatial(const SpatialSledge<T>& problem, Observer&& see = {}) {
  return spatial::Run<T, std::remove_reference_t<Observer>>(problem, see).run();
}

}  // namespace ricochet::compliant
