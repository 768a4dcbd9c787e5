#pragma once
/// Routh's law: slip integrated through the impact, docs/laws/routh.md (equations R1 to R14).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/base/chebyshev.hpp"
#include "ricochet/law/outcome.hpp"

namespace ricochet {

/// What e means: a ratio of impulses, of works, or of speeds.
enum class Restitution : std::uint8_t { poisson, stronge, newton };

struct Routh {
  double e = 0;      ///< restitution, 0 ≤ e ≤ 1, in the sense of `restitution`
  double mu = 0;     ///< sliding friction, 0 ≤ μ ≤ ∞
  double mu_s = -1;  ///< sticking friction, μ ≤ μ_s ≤ ∞; negative: equal to μ
  Restitution restitution = Restitution::poisson;
};

/// The same answer in every coordinate system, to 1e-12 of ‖M V‖ up to cond(M) = 1e4: solved in double, and again in
/// extended precision where the conditioning asks for it.
[[nodiscard]] Expected<Outcome> collide(const Routh& law, const Contact& contact);

namespace routh {

/// Progress of the normal direction, common to all kinds of motion. `m` measures normal impulse (in units of dP_n/dm,
/// see Integrator::weight_), F = ∫ V_n dm the normal work in the same units, kept where Stronge's rule asks for it.
/// Restitution is counted from zero, so that a small one is not the difference of large numbers.
template <class T>
struct Progress {
  T m = T(0), F = T(0), v_n = T(0);
  T m_back = T(0), F_back = T(0);                 ///< since compression ended
  T m_stop = T(0), F_stop = T(0), v_stop = T(0);  ///< where restitution ends
  bool compressing = true;
};

/// Walks the impulse from 0 to its end. All vectors tangential to the surface are in principal axes of W_tt, reflected
/// so that the coupling w has no negative component.
template <class T>
class Integrator {
 public:
  RICOCHET_HD Integrator(const Routh& law, const Local<T>& contact) : law_(law), c_(contact) {}

  RICOCHET_HD Solution<T> run() {
    set_up();
    mark(Event::start);
    if (s_ > T(0)) {
      slide();
      if (!done_ && s_ == T(0)) mark(Event::slip_stops);
      slid_ = true;
    }
    if (!done_ && out_.why != Why::not_converged) hold_or_resume();
    return finish();
  }

 private:
  using Nodes = Chebyshev<T, 20>;
  using Samples = std::array<T, Nodes::size>;
  static constexpr Nodes nodes{};
  static constexpr T eps = std::numeric_limits<T>::epsilon();
  static constexpr T singular = T(2e-15L);  ///< below what contact.hpp accepts as a regular W

  // ---- set-up --------------------------------------------------------------------------------------------------

  RICOCHET_HD void set_up() {
    using std::abs;
    using std::sqrt;
    const bool unlimited = law_.mu == std::numeric_limits<double>::infinity();
    mu_ = T(law_.mu);
    alpha_ = unlimited ? T(0) : T(1) / (T(1) + mu_);
    beta_ = unlimited ? T(1) : mu_ / (T(1) + mu_);

    // Principal axes of W_tt by one Jacobi rotation, the smaller mobility first.
    const T A11 = c_.W(1, 1), A22 = c_.W(2, 2), A12 = c_.W(1, 2);
    T cs = T(1), sn = T(0);
    a_ = A11;
    b_ = A22;
    if (A12 != T(0)) {
      const T zeta = (A22 - A11) / (T(2) * A12);
      const T t = (zeta < T(0) ? T(-1) : T(1)) / (abs(zeta) + sqrt(T(1) + zeta * zeta));
      cs = T(1) / sqrt(T(1) + t * t);
      sn = t * cs;
      a_ = A11 - t * A12;
      b_ = A22 + t * A12;
    }
    axis1_ = Vec2T<T>(cs, -sn);
    axis2_ = Vec2T<T>(sn, cs);
    if (a_ > b_) {
      std::swap(a_, b_);
      std::swap(axis1_, axis2_);
    }
    if (a_ < T(0)) a_ = T(0);  // rounding of a singular W
    const Vec2T<T> w_local(c_.W(1, 0), c_.W(2, 0));
    w1_ = axis1_.dot(w_local);
    w2_ = axis2_.dot(w_local);
    if (w1_ < T(0)) {
      w1_ = -w1_;
      axis1_ = -axis1_;
    }
    if (w2_ < T(0)) {
      w2_ = -w2_;
      axis2_ = -axis2_;
    }
    w_nn_ = c_.W(0, 0);
    const Vec2T<T> V_t(c_.V(1), c_.V(2));
    s_ = V_t.norm();
    s_start_ = s_;
    if (s_ > T(0)) dir_ = Vec2T<T>(axis1_.dot(V_t), axis2_.dot(V_t)) / s_;
    n_.v_n = c_.V(0);
    n_.v_stop = -T(law_.e) * c_.V(0);
    weight_ = alpha_;
  }

  // ---- bookkeeping ---------------------------------------------------------------------------------------------

  RICOCHET_HD Vec3T<T> to_local(T normal, const Vec2T<T>& v) const {
    const Vec2T<T> t = axis1_ * v(0) + axis2_ * v(1);
    return Vec3T<T>(normal, t(0), t(1));
  }

  RICOCHET_HD void mark(Event event) {
    const Vec3T<T> P = to_local(P_n_ + weight_ * (n_.m - m_base_), P_t_);
    out_.path.add({event, P, c_.V + c_.W * P, energy_change(c_.W, c_.V, P) - E_t_, E_t_});
  }

  /// Normal impulse and work gathered in units of the present motion become absolute, and the next motion counts
  /// normal impulse itself.
  RICOCHET_HD void settle(T next_weight) {
    P_n_ += weight_ * (n_.m - m_base_);
    const T scale = next_weight > T(0) ? weight_ / next_weight : T(0);
    n_.m *= scale;
    n_.F *= scale;
    n_.m_back *= scale;
    n_.F_back *= scale;
    n_.m_stop *= scale;
    n_.F_stop *= scale;
    m_base_ = n_.m;
    weight_ = next_weight;
  }

  RICOCHET_HD void advance(T m, T F) {
    n_.m += m;
    n_.F += F;
    if (n_.compressing) return;
    n_.m_back += m;
    n_.F_back += F;
  }

  /// V_n reaches its mark at the rate k, which is a difference of these terms: where they nearly cancel, the place is
  /// uncertain by as much.
  RICOCHET_HD void note_rate(T k) {
    using std::abs;
    const T loss = (alpha_ * w_nn_ + beta_ * (w1_ + w2_)) / abs(k);
    if (loss > out_.rounding) out_.rounding = loss;
  }

  RICOCHET_HD void end_compression() {
    mark(Event::compression_ends);
    n_.compressing = false;
    n_.m_back = n_.F_back = T(0);
    n_.m_stop = T(law_.e) * n_.m;
    n_.F_stop = -T(law_.e) * T(law_.e) * n_.F;
    if (law_.e == 0) conclude();
  }

  RICOCHET_HD void resume_compression() {
    mark(Event::compression_resumes);
    n_.compressing = true;
  }

  RICOCHET_HD void conclude() {
    done_ = true;
    out_.why = law_.restitution == Restitution::poisson   ? Why::impulse_ratio_reached
               : law_.restitution == Restitution::stronge ? Why::work_ratio_reached
                                                          : Why::rebound_speed_reached;
  }

  RICOCHET_HD Solution<T> finish() {
    settle(T(1));
    m_base_ = n_.m;
    out_.P = to_local(P_n_, P_t_);
    out_.V = to_local(n_.v_n, dir_ * s_);
    // Velocity and impulse were gathered separately; an answer in which they disagree is none.
    const T scale = c_.V.norm() + c_.W.norm() * out_.P.norm();
    if (!((c_.V + c_.W * out_.P - out_.V).norm() <= T(1e-10L) * scale)) out_.why = Why::not_converged;
    out_.normal_work = energy_change(c_.W, c_.V, out_.P) - E_t_;
    out_.friction_work = E_t_;
    out_.mode = !slid_     ? (sticks_ ? Mode::stick : Mode::slip)
                : sticks_  ? Mode::slip_stick
                : resumed_ ? Mode::slip_reversal
                           : Mode::slip;
    mark(Event::end);
    return out_;
  }

  // ---- straight motions: closed form (R11) ---------------------------------------------------------------------

  /// Motion in which V_n changes at the constant rate k and the slip speed at the constant rate g along `dir_`, until
  /// the impact ends or `length` is used up. P_t changes at the rate `pull`.
  RICOCHET_HD void straight_on(T k, T g, const Vec2T<T>& pull, T length) {
    using std::sqrt;
    const T infinity = std::numeric_limits<T>::infinity();
    if (k < T(0)) out_.jammed = true;
    for (int guard = 0; guard < 4 && !done_; ++guard) {
      T step = infinity;
      bool ends = false;
      if (n_.compressing) {
        if (k > T(0)) step = n_.v_n < T(0) ? -n_.v_n / k : T(0);
      } else {
        ends = true;
        if (law_.restitution == Restitution::poisson) {
          step = n_.m_stop - n_.m_back;
        } else if (law_.restitution == Restitution::newton) {
          if (k > T(0)) step = (n_.v_stop - n_.v_n) / k;
        } else {
          // ½ k x² + v_n x = R, the first root, in the form without cancellation.
          const T R = n_.F_stop - n_.F_back;
          const T disc = n_.v_n * n_.v_n + T(2) * k * R;
          if (disc >= T(0)) {
            const T den = n_.v_n + sqrt(disc);
            step = R <= T(0) ? T(0) : den > T(0) ? T(2) * R / den : infinity;
          }
        }
        if (k < T(0) && n_.v_n > T(0) && -n_.v_n / k < step) {
          step = -n_.v_n / k;
          ends = false;
        }
        if (step < T(0)) step = T(0);
      }
      const bool used_up = length <= step;
      const T x = used_up ? length : step;
      if (!(x < infinity)) {  // V_n cannot reach what the law asks of it
        out_.why = Why::no_solution;
        done_ = true;
        return;
      }
      advance(x, x * (n_.v_n + k * x / T(2)));
      E_t_ += pull.dot(dir_) * x * (s_ + g * x / T(2));
      P_t_ += pull * x;
      n_.v_n += k * x;
      s_ += g * x;
      length -= x;
      if (used_up) return;
      if (ends) {
        if (law_.restitution == Restitution::newton) n_.v_n = n_.v_stop;
        conclude();
      } else if (n_.compressing) {
        n_.v_n = T(0);
        end_compression();
      } else {
        n_.v_n = T(0);
        resume_compression();
      }
    }
  }

  RICOCHET_HD void slide_straight() {
    const T g = alpha_ * (w1_ * dir_(0) + w2_ * dir_(1)) - beta_ * (a_ * dir_(0) * dir_(0) + b_ * dir_(1) * dir_(1));
    const T k = alpha_ * w_nn_ - beta_ * (w1_ * dir_(0) + w2_ * dir_(1));
    const T length = g < T(0) ? -s_ / g : std::numeric_limits<T>::infinity();
    note_rate(k);
    straight_on(k, g, -beta_ * dir_, length);
    if (!done_) s_ = T(0);
  }

  // ---- after the slip has stopped (R12, R13) -------------------------------------------------------------------

  RICOCHET_HD void hold_or_resume() {
    using std::sqrt;
    s_ = T(0);
    settle(T(1));
    // Sticking needs dP_t = −W_tt⁻¹ w dP_n.
    const T hold1 = a_ > singular * b_ ? w1_ / a_ : T(0);
    const T hold2 = b_ > T(0) ? w2_ / b_ : T(0);
    const T need = sqrt(hold1 * hold1 + hold2 * hold2);
    const double mu_s = law_.mu_s < 0 ? law_.mu : law_.mu_s;
    if (need <= T(mu_s)) {
      sticks_ = true;
      dir_ = Vec2T<T>::Zero();
      const T k = w_nn_ - (w1_ * hold1 + w2_ * hold2);
      if (k <= singular * w_nn_) {  // nothing left to move: an immovable direction takes what comes
        conclude_at_rest();
        return;
      }
      straight_on(k, T(0), Vec2T<T>(-hold1, -hold2), std::numeric_limits<T>::infinity());
      return;
    }
    // (μ W_tt + g) v̂ = w with |v̂| = 1 has one root g > 0; 1/|v| is concave and increasing in g, so that Newton from
    // the left cannot overshoot.
    resumed_ = true;
    T g = T(0);
    Vec2T<T> v(T(0), T(0));
    for (int i = 0; i < 100; ++i) {
      ++out_.evaluations;
      const T d1 = mu_ * a_ + g, d2 = mu_ * b_ + g;
      v(0) = w1_ > T(0) ? w1_ / d1 : T(0);
      v(1) = w2_ > T(0) ? w2_ / d2 : T(0);
      T length = v.norm();
      if (!(length < std::numeric_limits<T>::infinity())) {  // d = 0 at g = 0: start from a lower bound of the root
        const T w = sqrt(w1_ * w1_ + w2_ * w2_);
        g = w > mu_ * b_ ? w - mu_ * b_ : eps * w;
        continue;
      }
      const T slope = (v(0) != T(0) ? v(0) * v(0) / d1 : T(0)) + (v(1) != T(0) ? v(1) * v(1) / d2 : T(0));
      const T step = (length - T(1)) * length * length / slope;
      g += step;
      if (!(step > T(2) * eps * g)) break;
    }
    dir_ = v / v.norm();
    if (slid_) mark(Event::slip_resumes);
    const T k = w_nn_ - mu_ * (w1_ * dir_(0) + w2_ * dir_(1));
    straight_on(k, g, -mu_ * dir_, std::numeric_limits<T>::infinity());
  }

  RICOCHET_HD void conclude_at_rest() {
    using std::abs;
    const T speed = c_.V.norm();
    if (law_.restitution == Restitution::newton && law_.e > 0) {
      out_.why = Why::no_solution;
      done_ = true;
      return;
    }
    if (abs(n_.v_n) > T(1e-9) * speed) {
      out_.why = Why::no_solution;
      done_ = true;
      return;
    }
    if (n_.compressing) {
      n_.v_n = T(0);
      mark(Event::compression_ends);
    }
    n_.v_n = T(0);
    conclude();
  }

  // ---- slip along a curve (R4 to R10) --------------------------------------------------------------------------

  RICOCHET_HD T turn(T cs, T sn) const { return alpha_ * (w2_ * cs - w1_ * sn) - B_ * sn * cs; }

  RICOCHET_HD void slide() {
    using std::abs;
    B_ = beta_ * (b_ - a_);
    const T scale = alpha_ * (w1_ + w2_) + beta_ * b_;
    if (beta_ == T(0)) {  // no friction: V_t drifts, P has no tangential part
      const Vec2T<T> start = dir_ * s_;
      const T m0 = n_.m;
      straight_on(alpha_ * w_nn_, T(0), Vec2T<T>::Zero(), std::numeric_limits<T>::infinity());
      const Vec2T<T> v = start + Vec2T<T>(w1_, w2_) * (alpha_ * (n_.m - m0));
      s_ = v.norm();
      if (s_ > T(0)) dir_ = v / s_;
      return;
    }
    const T h = turn(dir_(0), dir_(1));
    if (abs(h) <= T(4) * eps * scale || !bracket(h)) {
      slide_straight();
      return;
    }
    slide_curved();
  }

  /// Root of p cos ψ + q sin ψ + r sin ψ cos ψ between lo and hi, at whose ends it has opposite signs. ψ is counted
  /// from the nearest axis, so that a root next to it is not lost in the rounding of π.
  RICOCHET_HD T root(T p, T q, T r, T lo, T hi) {
    using std::abs;
    using std::cos;
    using std::sin;
    const auto value = [&](T cs, T sn) { return p * cs + q * sn + r * sn * cs; };
    const bool rising = value(cos(lo), sin(lo)) < T(0);
    T x = (lo + hi) / T(2);
    for (int i = 0; i < 200; ++i) {
      ++out_.evaluations;
      const T cs = cos(x), sn = sin(x);
      const T f = value(cs, sn);
      if ((f < T(0)) == rising) {
        lo = x;
      } else {
        hi = x;
      }
      T next = x - f / (q * cs - p * sn + r * (cs * cs - sn * sn));
      if (!(next >= lo && next <= hi)) next = (lo + hi) / T(2);
      const T moved = abs(next - x);
      x = next;
      if (moved <= T(2) * eps * x || f == T(0)) break;
    }
    return x;
  }

  /// Finds the invariant directions (R5) on both sides of the initial slip: behind (repelling) and ahead (attracting).
  /// With w₁, w₂ ≥ 0 and mobility larger along axis 2 there is one attractor in the first quadrant, one repeller in the
  /// third, and, where w lies inside an astroid, a repeller and an attractor in the second.
  RICOCHET_HD bool bracket(T h) {
    using std::acos;
    using std::asin;
    using std::atan2;
    using std::cbrt;
    using std::cos;
    using std::log;
    using std::sin;
    using std::sqrt;
    const T pi = T(detail::pi);
    const T half = pi / T(2);
    const T w1 = alpha_ * w1_, w2 = alpha_ * w2_;
    // h in each quadrant, by the angle ψ from its horizontal axis, and its roots; where a component of w vanishes they
    // are on an axis or have a closed form, and must not be confused with each other.
    //   I   (φ = ψ)      w₂ cos ψ − w₁ sin ψ − B sin ψ cos ψ
    //   II  (φ = π − ψ) −w₂ cos ψ − w₁ sin ψ + B sin ψ cos ψ,  highest at tan ψ = (w₂/w₁)^⅓
    //   III (φ = π + ψ) −w₂ cos ψ + w₁ sin ψ − B sin ψ cos ψ
    const T r1 = cbrt(w1), r2 = cbrt(w2);
    const T crest = w1 > T(0) || w2 > T(0) ? atan2(r2, r1) : half / T(2);
    const auto second = [&](T psi) { return B_ * sin(psi) * cos(psi) - w2 * cos(psi) - w1 * sin(psi); };
    const bool second_pair = w1 == T(0) || w2 == T(0) ? w1 + w2 < B_ : second(crest) > T(0);
    const auto attract1 = [&] {
      if (B_ == T(0)) return T(atan2(w2, w1));
      if (w2 == T(0)) return T(0);
      if (w1 == T(0)) return w2 < B_ ? T(asin(w2 / B_)) : half;
      return root(w2, -w1, -B_, T(0), half);
    };
    const auto repel1 = [&] {
      if (B_ == T(0)) return T(atan2(w2, w1)) + pi;
      if (w2 == T(0)) return pi + (w1 < B_ ? T(acos(w1 / B_)) : T(0));
      if (w1 == T(0)) return pi + half;
      return pi + root(-w2, w1, -B_, T(0), half);
    };
    const auto repel2 = [&] {
      if (w2 == T(0)) return pi - T(acos(w1 / B_));
      if (w1 == T(0)) return half;
      return pi - root(-w2, -w1, B_, crest, half);
    };
    const auto attract2 = [&] {
      if (w2 == T(0)) return pi;
      if (w1 == T(0)) return pi - T(asin(w2 / B_));
      return pi - root(-w2, -w1, B_, T(0), crest);
    };
    T phi = atan2(dir_(1), dir_(0));  // from −π to π
    T behind, ahead;
    if (h > T(0)) {
      sense_ = T(1);
      if (second_pair && phi >= half) {  // above zero in the second quadrant: between its two roots
        behind = repel2();
        ahead = attract2();
      } else {
        ahead = attract1();
        behind = repel1() - T(2) * pi;
        if (phi > ahead) phi -= T(2) * pi;
      }
    } else {
      sense_ = T(-1);
      if (phi < T(0)) phi += T(2) * pi;
      if (second_pair && phi > pi - crest) {
        behind = repel1();
        ahead = attract2();
      } else {
        behind = second_pair ? repel2() : repel1();
        ahead = attract1();
      }
    }
    const T A = sense_ * (ahead - behind) / T(2);
    const T theta = sense_ * (phi - behind) / T(2);
    if (!(theta > T(0) && theta < A)) return false;  // on an invariant direction to rounding
    const T middle = (ahead + behind) / T(2);
    cosA_ = cos(A);
    sinA_ = sin(A);
    cosM_ = cos(middle);
    sinM_ = sin(middle);
    cosBehind_ = cos(behind);
    sinBehind_ = sin(behind);
    cosAhead_ = cos(ahead);
    sinAhead_ = sin(ahead);
    gap_ = T(2) * A;
    behind_ = behind;
    phi_ = phi;
    K0_ = T(2) * (w2 * cosM_ - w1 * sinM_) - T(4) * B_ * sinM_ * cosM_ * cosA_;
    y_ = log(sin(theta) / sin(A - theta));
    out_.rounding =
        T(1) / theta;  // a slip that starts next to the repelling direction carries its rounding error along
    return sinA_ > T(0);
  }

  /// What the flow is made of, at y.
  struct Sample {
    T cs, sn, rate, g, k;  ///< direction, dτ/dy, (ln s)', dV_n/dλ
  };

  RICOCHET_HD Sample sample(T y) const {
    using std::abs;
    using std::exp;
    return sample(y, exp(-abs(y)));
  }

  /// The same with e^{−|y|} known.
  RICOCHET_HD Sample sample(T y, T decay) const {
    // e^{i(φ − φ_behind)} = (1 + E e^{iA})²/|1 + E e^{iA}|², E = e^y, written in 1/E where E is large.
    const T zr = y > T(0) ? decay + cosA_ : T(1) + decay * cosA_;
    const T zi = sense_ * (y > T(0) ? sinA_ : decay * sinA_);
    const T scale = T(1) / (zr * zr + zi * zi);
    const T dr = (zr * zr - zi * zi) * scale;
    const T di = T(2) * zr * zi * scale;
    Sample p;
    p.cs = cosBehind_ * dr - sinBehind_ * di;
    p.sn = sinBehind_ * dr + cosBehind_ * di;
    const T K = sense_ * (K0_ - T(2) * B_ * (p.sn * cosM_ + p.cs * sinM_));
    p.rate = T(2) / (sinA_ * K);
    const T coupling = w1_ * p.cs + w2_ * p.sn;
    p.g = alpha_ * coupling - beta_ * (a_ * p.cs * p.cs + b_ * p.sn * p.sn);
    p.k = alpha_ * w_nn_ - beta_ * coupling;
    return p;
  }

  /// One stretch of the curve: the flow at the nodes and its integrals from the left end.
  struct Panel {
    T y0, half;
    Samples s, k, cs, sn, flow;  ///< flow = dλ/dy
    Samples v_n, phi;
    bool has_v_n, by_slip;
  };

  RICOCHET_HD bool fill(Panel& panel, T y0, T width) {
    using std::abs;
    using std::exp;
    panel.y0 = y0;
    panel.half = width / T(2);
    panel.has_v_n = panel.by_slip = false;
    Samples growth, rate;
    T biggest = T(0), most_rate = T(0);
    // The nodes lie symmetrically: one exponential serves two. Far from zero a common factor would overflow.
    const T middle = y0 + panel.half;
    Samples decay;
    const bool common = abs(middle) < T(300);
    const T centre = common ? exp(-abs(middle)) : T(0), inverse = common ? T(1) / centre : T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      const std::size_t mirror = Nodes::size - 1 - j;
      const T y = middle + panel.half * nodes.x[j];
      if (!common) {
        decay[j] = exp(-abs(y));
        continue;
      }
      if (mirror < j) continue;
      const T away = exp(panel.half * nodes.x[j]), back = T(1) / away;  // away ≤ 1 on the left half
      const auto at = [&](T place, T factor, T other) {
        const T lower = middle > T(0) ? inverse : centre;  // e^{middle}
        const T upper = middle > T(0) ? centre : inverse;  // e^{−middle}
        return place > T(0) ? upper * other : lower * factor;
      };
      decay[j] = at(y, away, back);
      decay[mirror] = at(middle + panel.half * nodes.x[mirror], back, away);
    }
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      const Sample p = sample(middle + panel.half * nodes.x[j], decay[j]);
      panel.cs[j] = p.cs;
      panel.sn[j] = p.sn;
      panel.k[j] = p.k;
      rate[j] = p.rate;
      growth[j] = p.g * p.rate;
      biggest = std::max<T>(biggest, abs(growth[j]));
      most_rate = std::max<T>(most_rate, p.rate);
      if (!(p.rate > T(0))) return false;
    }
    out_.evaluations += Nodes::size;
    if (!(biggest * panel.half <= T(5))) return false;
    // K is a difference: `noise` is its rounding error relative to its smallest value here, and no panel resolves more.
    const T loss = T(1) + (abs(K0_) + T(2) * B_) * most_rate * sinA_ / T(2);
    if (loss > out_.rounding) out_.rounding = loss;
    const T noise = T(4) * eps * loss;
    const T tolerance = T(16) * std::max<T>(eps, T(1e-17L));
    const T swing = biggest * panel.half;
    if (!(nodes.unresolved(growth) * panel.half <= tolerance * (T(1) + swing) + noise * swing)) return false;
    nodes.integrate(growth, panel.half, T(0), panel.s);
    T most = T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      panel.s[j] = s_ * exp(panel.s[j]);
      panel.flow[j] = panel.s[j] * rate[j];
      most = std::max<T>(most, panel.flow[j]);
    }
    return nodes.unresolved(panel.flow) <= (tolerance + noise * (T(1) + swing)) * most;
  }

  /// The same stretch with ln s for a variable, for where invariant directions nearly coincide: y then loses its digits
  /// in K, but the direction hardly moves while the slip lives, dφ/d ln s = h/g, and iteration finds it (R10b).
  RICOCHET_HD bool fill_by_slip(Panel& panel, T phi, T width) {
    using std::abs;
    using std::cos;
    using std::exp;
    using std::sin;
    panel.half = width / T(2);
    panel.has_v_n = false;
    panel.by_slip = true;
    Samples turning, over;
    panel.phi.fill(phi);
    bool settled = false;
    for (int i = 0; i < 40 && !settled; ++i) {
      for (std::size_t j = 0; j < Nodes::size; ++j) {
        const T cs = cos(panel.phi[j]), sn = sin(panel.phi[j]);
        const T coupling = w1_ * cs + w2_ * sn;
        const T g = alpha_ * coupling - beta_ * (a_ * cs * cs + b_ * sn * sn);
        if (!(g < T(0))) return false;
        panel.cs[j] = cs;
        panel.sn[j] = sn;
        panel.k[j] = alpha_ * w_nn_ - beta_ * coupling;
        over[j] = T(-1) / g;
        turning[j] = turn(cs, sn) * over[j];
      }
      out_.evaluations += Nodes::size;
      Samples next;
      nodes.integrate(turning, panel.half, phi, next);
      T moved = T(0);
      for (std::size_t j = 0; j < Nodes::size; ++j) moved = std::max<T>(moved, abs(next[j] - panel.phi[j]));
      panel.phi = next;
      settled = moved <= T(8) * eps;
    }
    if (!settled) return false;
    T most = T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      panel.s[j] = s_ * exp(-panel.half * (nodes.x[j] + T(1)));
      panel.flow[j] = panel.s[j] * over[j];
      most = std::max<T>(most, panel.flow[j]);
    }
    return nodes.unresolved(panel.flow) <= T(16) * std::max<T>(eps, T(1e-17L)) * most;
  }

  /// Moves everything to the place z in [−1, 1] of the panel, by integrals over [−1, z].
  RICOCHET_HD void go_to(Panel& panel, T z) {
    const bool stronge = law_.restitution == Restitution::stronge;
    if (stronge) need_v_n(panel);
    Samples at_z;
    Samples up_to_z;
    if (z == T(1)) {
      up_to_z = nodes.whole;
    } else {
      at_z = nodes.weights(z);
      up_to_z = nodes.integral_weights(at_z);
    }
    T m = T(0), F = T(0), q1 = T(0), q2 = T(0), D = T(0), rise = T(0);
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      const T flow = panel.flow[j] * up_to_z[j];
      m += flow;
      q1 += panel.cs[j] * flow;
      q2 += panel.sn[j] * flow;
      D += panel.s[j] * flow;
      rise += panel.k[j] * flow;
      if (stronge) F += panel.v_n[j] * flow;
    }
    advance(panel.half * m, panel.half * F);
    P_t_ -= beta_ * panel.half * Vec2T<T>(q1, q2);
    E_t_ -= beta_ * panel.half * D;
    n_.v_n += panel.half * rise;
    s_ = z == T(1) ? panel.s[Nodes::size - 1] : Nodes::dot(at_z, panel.s);
    if (panel.by_slip) {
      using std::cos;
      using std::log;
      using std::sin;
      const T phi = z == T(1) ? panel.phi[Nodes::size - 1] : Nodes::dot(at_z, panel.phi);
      dir_ = Vec2T<T>(cos(phi), sin(phi));
      const T theta = sense_ * (phi - behind_) / T(2);
      y_ = log(sin(theta) / sin(gap_ / T(2) - theta));
      phi_ = phi;
      return;
    }
    y_ = panel.y0 + panel.half * (z + T(1));
    const Sample p = sample(y_);
    dir_ = Vec2T<T>(p.cs, p.sn);
    phi_ = behind_ + sense_ * (gap_ - gap_rest());
  }

  RICOCHET_HD void need_v_n(Panel& panel) {
    if (panel.has_v_n) return;
    Samples f;
    for (std::size_t j = 0; j < Nodes::size; ++j) f[j] = panel.k[j] * panel.flow[j];
    nodes.integrate(f, panel.half, n_.v_n, panel.v_n);
    panel.has_v_n = true;
  }

  /// First z > −1 at which f, given by its values and derivative at the nodes, comes up to zero; above 1: none. Between
  /// neighbouring nodes f is monotone or has one crest, found through its derivative. f may start at zero on its way
  /// down.
  RICOCHET_HD T first_zero(const Samples& f, const Samples& slope) {
    for (std::size_t j = 1; j < Nodes::size; ++j) {
      T hi = nodes.x[j];
      T f_hi = f[j];
      if (f_hi < T(0) && slope[j] < T(0) && slope[j - 1] > T(0)) {
        T left = nodes.x[j - 1], right = hi;
        for (int i = 0; i < 60 && right - left > eps; ++i) {
          const T mid = (left + right) / T(2);
          if (Nodes::dot(nodes.weights(mid), slope) > T(0)) {
            left = mid;
          } else {
            right = mid;
          }
        }
        const T crest = Nodes::dot(nodes.weights(left), f);
        if (crest >= T(0)) {
          hi = left;
          f_hi = crest;
        }
      }
      if (f_hi >= T(0)) return polish(f, slope, nodes.x[j - 1], f[j - 1], hi, f_hi);
    }
    return T(2);
  }

  RICOCHET_HD T polish(const Samples& f, const Samples& slope, T lo, T f_lo, T hi, T f_hi) {
    using std::abs;
    if (f_hi == T(0)) return hi;
    T z = f_lo < T(0) ? lo + (hi - lo) * f_lo / (f_lo - f_hi) : lo;
    for (int i = 0; i < 60; ++i) {
      const auto weights = nodes.weights(z);
      const T value = Nodes::dot(weights, f);
      if (value < T(0)) {
        lo = z;
      } else {
        hi = z;
      }
      T next = z - value / Nodes::dot(weights, slope);
      if (!(next >= lo && next <= hi)) next = (lo + hi) / T(2);
      const T moved = abs(next - z);
      z = next;
      if (moved <= T(2) * eps || value == T(0)) break;
    }
    return z;
  }

  /// If something happens inside the panel, goes there, does it and says so.
  RICOCHET_HD bool next_event(Panel& panel) {
    Samples f, slope;
    bool rises = false, falls = false;
    for (std::size_t j = 0; j < Nodes::size; ++j) {
      rises = rises || panel.k[j] > T(0);
      falls = falls || panel.k[j] < T(0);
      slope[j] = panel.half * panel.k[j] * panel.flow[j];
    }
    if (falls) out_.jammed = true;
    if (n_.compressing) {
      if (!rises) return false;
      if (!falls && n_.v_n + Nodes::dot(nodes.whole, slope) < T(0)) return false;
      need_v_n(panel);
      const T z = first_zero(panel.v_n, slope);
      if (z > T(1)) return false;
      go_to(panel, z);
      note_rate(sample(y_).k);
      n_.v_n = T(0);
      end_compression();
      return true;
    }
    if (falls || law_.restitution != Restitution::poisson) need_v_n(panel);
    T z_again = T(2);
    if (falls) {
      for (std::size_t j = 0; j < Nodes::size; ++j) f[j] = -panel.v_n[j];
      for (T& x : slope) x = -x;
      z_again = first_zero(f, slope);
    }
    if (law_.restitution == Restitution::poisson) {
      if (n_.m_back + panel.half * Nodes::dot(nodes.whole, panel.flow) < n_.m_stop && z_again > T(1)) return false;
      nodes.integrate(panel.flow, panel.half, n_.m_back - n_.m_stop, f);
      for (std::size_t j = 0; j < Nodes::size; ++j) slope[j] = panel.half * panel.flow[j];
    } else if (law_.restitution == Restitution::stronge) {
      for (std::size_t j = 0; j < Nodes::size; ++j) slope[j] = panel.half * panel.v_n[j] * panel.flow[j];
      nodes.integrate(slope, T(1), n_.F_back - n_.F_stop, f);
    } else {
      for (std::size_t j = 0; j < Nodes::size; ++j) {
        f[j] = panel.v_n[j] - n_.v_stop;
        slope[j] = panel.half * panel.k[j] * panel.flow[j];
      }
    }
    const T z_end = first_zero(f, slope);
    if (z_again <= T(1) && z_again < z_end) {
      go_to(panel, z_again);
      n_.v_n = T(0);
      resume_compression();
      return true;
    }
    if (z_end > T(1)) return false;
    go_to(panel, z_end);
    if (law_.restitution == Restitution::newton) note_rate(sample(y_).k);
    if (law_.restitution == Restitution::newton) n_.v_n = n_.v_stop;
    conclude();
    return true;
  }

  /// How far the present phase would go at the present rates, in y: a panel much longer would drown it in rounding.
  RICOCHET_HD T expected_width(const Sample& here) const {
    using std::sqrt;
    if (!(here.k > T(0))) return std::numeric_limits<T>::infinity();
    T length = n_.m_stop - n_.m_back;
    if (n_.compressing) {
      length = -n_.v_n / here.k;
    } else if (law_.restitution == Restitution::newton) {
      length = (n_.v_stop - n_.v_n) / here.k;
    } else if (law_.restitution == Restitution::stronge) {
      const T R = n_.F_stop - n_.F_back;
      length = T(2) * R / (n_.v_n + sqrt(n_.v_n * n_.v_n + T(2) * here.k * R));
    }
    return T(1.5L) * length / (s_ * here.rate);
  }

  RICOCHET_HD void slide_curved() {
    using std::abs;
    using std::sqrt;
    const T pi = T(detail::pi);
    Panel panel;
    T trust = T(3);
    for (int count = 0; count < 1000 && !done_; ++count) {
      if (run_out()) return;
      const Sample here = sample(y_);
      const T reachable = pi - gap_ / T(2);
      T width = std::min<T>(trust, T(0.6L) * sqrt(y_ * y_ + reachable * reachable) + T(0.1L));
      width = std::min<T>(width, T(6) / (abs(here.g) * here.rate));
      const T expected = expected_width(here);
      const bool cut_short = expected < width;
      if (cut_short) width = expected;
      int halvings = 0;
      const T loss = (abs(K0_) + T(2) * B_) * here.rate * sinA_ / T(2);
      if (loss > T(1e4L) && here.g < T(0)) {
        const T in_slip = std::min<T>(T(5), width * here.rate * -here.g);
        if (fill_by_slip(panel, phi_, in_slip) || fill_by_slip(panel, phi_, in_slip / T(4))) {
          if (!next_event(panel)) go_to(panel, T(1));
          continue;
        }
      }
      while (!fill(panel, y_, width)) {
        width /= T(2);
        if (++halvings > 60) {
          out_.why = Why::not_converged;
          done_ = true;
          return;
        }
      }
      if (halvings > 0) {
        trust = width * T(1.5L);
      } else if (!cut_short) {
        trust = T(3);
      }
      if (!next_event(panel)) go_to(panel, T(1));
    }
    if (!done_) {
      out_.why = Why::not_converged;
      done_ = true;
    }
  }

  /// Ends the curve where what is left of it is known: near the attracting direction, or with no slip left to speak of.
  /// First-order in the remaining angle x: s(x) and its integrals are s (c₀ + c₁ x), R10.
  RICOCHET_HD bool run_out() {
    using std::abs;
    using std::sqrt;
    const T x = gap_rest();
    const T small = s_ / s_start_;
    const T negligible = std::max<T>(eps / T(16), T(1e-19L));
    if (x < negligible) {
      dir_ = Vec2T<T>(cosAhead_, sinAhead_);
      slide_straight();
      return true;
    }
    // How far x carries, against the distance to the next invariant direction: K, of which (R10) takes the value at x =
    // 0, changes by this share of itself.
    const T K = sense_ * (K0_ - T(2) * B_ * (sinAhead_ * cosM_ + cosAhead_ * sinM_));
    const T slope = T(2) * B_ * abs(cosAhead_ * cosM_ - sinAhead_ * sinM_) / K;
    const T carry = x * (T(1) + slope + sqrt(T(2) * B_ / K));
    if (!(std::min<T>(carry * carry, T(1)) * small < negligible)) return false;
    if (!(carry * carry <= T(1e-3L))) {  // the slip is gone before the direction settles
      const T g = sample(y_).g;
      if (!(g < T(0))) return false;
      slide_straight();
      return true;
    }
    const T cs = cosAhead_, sn = sinAhead_;
    const T coupling = w1_ * cs + w2_ * sn;
    const T g0 = alpha_ * coupling - beta_ * (a_ * cs * cs + b_ * sn * sn);
    if (!(g0 < T(0))) return false;
    const T g1 = sense_ * B_ * sn * cs;
    const T pull = sinA_ * K / T(2);
    const T k0 = alpha_ * w_nn_ - beta_ * coupling;
    const T k1 = sense_ * beta_ * (w2_ * cs - w1_ * sn);
    const T c0 = T(-1) / g0, c1 = g1 * c0 / (pull - g0);
    const T rest = s_ * (c0 + c1 * x);
    const T swerve = s_ * x / (pull - g0);
    const T d0 = c0 / T(2), d1 = T(2) * g1 * d0 / (pull - T(2) * g0);
    const T D = s_ * s_ * (d0 + d1 * x);
    const T e0 = -k0 / g0, e1 = (g1 * e0 + k1) / (pull - g0);
    const T rise = s_ * (e0 + e1 * x);
    const T v_end = n_.v_n + rise;
    const T F = v_end * rest - (e0 * D + e1 * s_ * s_ * x / (pull - T(2) * g0));
    // Only if nothing else happens on the way.
    if (n_.compressing) {
      if (!(v_end < T(0))) return false;
    } else {
      if (!(v_end > T(0))) return false;
      if (law_.restitution == Restitution::poisson && !(n_.m_back + rest < n_.m_stop)) return false;
      if (law_.restitution == Restitution::newton && !(v_end < n_.v_stop)) return false;
      if (law_.restitution == Restitution::stronge && !(n_.F_back + F < n_.F_stop)) return false;
    }
    if (k0 < T(0)) out_.jammed = true;
    advance(rest, F);
    n_.v_n = v_end;
    P_t_ -= beta_ * (Vec2T<T>(cs, sn) * rest - sense_ * swerve * Vec2T<T>(-sn, cs));
    E_t_ -= beta_ * D;
    s_ = T(0);
    return true;
  }

  /// The angle still to go, from y: tan(A − θ) = sin A / (E + cos A).
  RICOCHET_HD T gap_rest() const {
    using std::atan2;
    using std::exp;
    const T q = exp(-y_);
    return T(2) * atan2(q * sinA_, T(1) + q * cosA_);
  }

  const Routh& law_;
  const Local<T>& c_;
  Solution<T> out_{};
  Progress<T> n_;
  T mu_ = 0, alpha_ = 0, beta_ = 0;  ///< dP = (α n − β v̂) dλ
  T a_ = 0, b_ = 0, w1_ = 0, w2_ = 0, w_nn_ = 0, B_ = 0;
  Vec2T<T> axis1_, axis2_;
  T s_ = 0, s_start_ = 0;
  Vec2T<T> dir_ = Vec2T<T>::Zero();
  Vec2T<T> P_t_ = Vec2T<T>::Zero();
  T P_n_ = 0, E_t_ = 0;
  T weight_ = 1, m_base_ = 0;
  T sense_ = 1, y_ = 0, phi_ = 0, behind_ = 0, gap_ = 0, K0_ = 0;
  T cosA_ = 0, sinA_ = 0, cosM_ = 0, sinM_ = 0, cosBehind_ = 0, sinBehind_ = 0, cosAhead_ = 0, sinAhead_ = 0;
  bool done_ = false, slid_ = false, sticks_ = false, resumed_ = false;
};

}  // namespace routh

template <class T>
RICOCHET_HD Solution<T> solve(const Routh& law, const Local<T>& c) {
  return routh::Integrator<T>(law, c).run();
}

}  // namespace ricochet
