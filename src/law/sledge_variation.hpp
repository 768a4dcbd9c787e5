#pragma once
/// The spring-sledge contact to first order: it follows a run, in a plane or in space, phase by phase, with the change
/// of the time of every event (docs/derivatives.md, (DV22) to (DV28)). No iteration is differentiated.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "damped_variation.hpp"
#include "ricochet/base/bracketed_secant.hpp"
#include "ricochet/compliant/first_touch.hpp"
#include "ricochet/compliant/planar_phase.hpp"
#include "ricochet/compliant/stick_modes.hpp"
#include "slide_beside.hpp"
#include "slide_variation.hpp"
#include "stick_variation.hpp"

namespace ricochet::derivatives {

/// d of (L13) or α of (L14): a root, and its derivative by e.
[[nodiscard]] SledgeDual damper_coefficient(compliant::Damper damper, const SledgeDual& e);

class SledgeVariation {
  using D = SledgeDual;
  using PhaseEnd = compliant::PhaseEnd;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

 public:
  static constexpr bool inside = false;
  using Follows = void;
  using Timeless = void;

  SledgeVariation(const SpringSledge& law, const Local<double>& c)
      : e_(D::variable(law.e, 7)),
        p_(problem(law, c)),
        spring_(e_, law.damper, damper_coefficient(law.damper, e_)),
        start_(D(-1), p_.v_t(0), p_.v_t(1)),
        slide_(p_),
        damped_(p_, spring_) {}

  // ---- in a plane ----------------------------------------------------------------------------------------------

  void operator()(const compliant::PlanarPhase<double>& f) {
    if (lost_) return;
    if (!begun_) begins(f.sticks, Vec2(f.p.v_t, 0));
    enter(f.loading, f.from.N, Vec2(f.from.x, 0), Vec3(f.from.P_n, f.from.P_t, 0), Vec3(f.from.v_n, f.from.v_t, 0));
    if (f.sticks) {
      Mat3 axes = Mat3::Identity();
      axes.topLeftCorner<2, 2>() << f.cs, f.sn, -f.sn, f.cs;
      stick({p_, spring_.stiffness(), axes, Vec3(f.omega[0], f.omega[1], std::sqrt(p_.kappa.v * p_.A(2, 2).v)), q_, xi_,
             v_},
            f.length, f.end);
    } else {
      slide_in_plane(f.eta, f.to.P_n - f.from.P_n, f.end);
    }
    P_(0).v = f.to.P_n;
    P_(1).v = f.to.P_t;
    change(f.end);
  }

  // ---- in space, as compliant::follows_run asks ----------------------------------------------------------------

  /// The state at the end of a phase, which the variation computes itself.
  void operator()(const compliant::SpatialState<double>&) const {}

  void begins(bool sticks, const Vec2& along) {
    begun_ = true;
    sticks_ = sticks;
    if (spring_.linear()) q_ = spring_.coefficient();
    Vec2T<D> displaced = p_.v_t;
    const bool damped = spring_.hunt_crossley();
    if (damped && along != values_of(p_.v_t)) displaced = compliant::first_deflection(p_, spring_);
    if (!spring_.linear() && p_.mu.v > 0 && p_.mu.v < infinity && along.norm() > 0)
      note(at_first_touch, contrast(D(p_.mu * spring_.first_slope()), D(p_.kappa * length(displaced))));
    if (!sticks && along.norm() > 0) angle_ = atan2(displaced(1), displaced(0));
    if (!damped) return;
    compliant::SpatialState<D> at_touch;
    at_touch.v = start_;
    const auto first = sticks ? compliant::first_stick(p_, spring_, at_touch, displaced)
                              : compliant::first_slip(p_, spring_, at_touch, displaced);
    q_ = first.q;
    angle_ = first.angle;
    xi_ = first.state.xi;
    P_ = first.state.P;
  }

  void phase_begins(const compliant::SpatialState<double>& s, double q, double angle) {
    enter(s.loading, q, s.xi, s.P, s.v);
    angle_.v = angle;
    if (spring_.viscous()) {
      damped_.begin(s.sticks, q_, angle_, xi_, v_);
    } else if (!s.sticks) {
      slide_.begin(q_, angle_, v_, spring_.stiffness(), spring_.peak());
    }
  }

  void stuck(const compliant::StickModes<double>& modes, double time, PhaseEnd end) {
    stick({p_, spring_.stiffness(), modes.axes(), modes.frequencies(), q_, xi_, v_}, time, end);
    change(end);
  }

  double slide_share(const SlideVariation::Step& step) { return slide_.share(step); }
  void slide_step(const SlideVariation::Step& step) { slide_.pass(step); }
  void slide_ended(PhaseEnd end) {
    if (end != PhaseEnd::release) {
      slide_.reach(end);
      q_ = slide_.force();
      angle_ = slide_.angle();
      xi_ = p_.mu * q_ / p_.kappa * Vec2T<D>(cos(angle_), sin(angle_));
    }
    P_ += slide_.impulse();
    change(end);
  }
  void slide_closed(const SlideVariation::Step& step, double gathered, double beside) {
    compliant::SlipPlane<D> plane;
    P_ += slide_.close(gathered, beside, plane);
    if (p_.mu.v > 0 && step.along < 0 && std::abs(step.across) < -1e-9 * step.along)
      note_turning(plane.along, plane.from.v(0));
  }

  template <class Step>
  void slip_step(const Step& step, double length) {
    damped_.slip_step(step, length);
  }
  template <class Step>
  void stick_step(const Step& step, double length) {
    damped_.stick_step(step, length, [&](const D& distance) { note(at_the_cone, distance); });
  }
  void slip_ended(const compliant::SlipFlow<double>::State& x, PhaseEnd end) { leave(damped_.slip_ended(x, end), end); }
  void stick_ended(const compliant::DampedStick<double>::State& x, PhaseEnd end) {
    leave(damped_.stick_ended(x, end), end);
  }
  void slip_closed(const compliant::SlipFlow<double>::State& x, bool decays) {
    P_ += damped_.slip_closed(x, decays, [&](const D& distance) { note(turns_away, distance); });
  }

  // ---- what has come of it -------------------------------------------------------------------------------------

  [[nodiscard]] const Vec3T<D>& impulse() const { return P_; }
  [[nodiscard]] bool lost() const { return lost_; }
  /// With e = 1 the spring loads again past its peak: another e would take another line there.
  [[nodiscard]] bool passes_peak() const { return passes_peak_; }

  struct Note {
    const char* what = "";
    D distance;
  };
  [[nodiscard]] int notes() const { return notes_; }
  [[nodiscard]] const Note& note_at(int i) const { return note_[static_cast<std::size_t>(i)]; }

 private:
  static constexpr const char* at_first_touch = "stick and slip at first touch";
  static constexpr const char* turns_away = "slip that ends along a direction from which it turns away";
  static constexpr const char* at_the_cone = "a sticking contact that grazes the friction cone";

  static compliant::SpatialSledge<D> problem(const SpringSledge& law, const Local<double>& c) {
    compliant::SpatialSledge<D> p;
    const double speed = -c.V(0), mobility = c.W(0, 0);
    const auto entry = [&](int i, int j, std::size_t k) {
      D x(c.W(i, j) / mobility);
      x.d[k] = 1 / mobility;
      p.A(i, j) = p.A(j, i) = x;
    };
    p.A(0, 0) = D(1);
    entry(0, 1, 0);
    entry(0, 2, 1);
    entry(1, 1, 2);
    entry(1, 2, 3);
    entry(2, 2, 4);
    for (int i = 0; i < 2; ++i) {
      p.v_t(i) = D(c.V(1 + i) / speed);
      p.v_t(i).d[5 + static_cast<std::size_t>(i)] = 1 / speed;
    }
    p.kappa = D::variable(law.kappa, 8);
    p.mu = D(law.mu);
    p.e = D::variable(law.e, 7);
    p.damper = law.damper;
    return p;
  }

  static D length(const Vec2T<D>& x) { return sqrt(x(0) * x(0) + x(1) * x(1)); }

  /// The values of the run itself.
  void enter(bool loading, double q, const Vec2& xi, const Vec3& P, const Vec3& v) {
    loading_ = loading;
    q_.v = q;
    for (int i = 0; i < 2; ++i) xi_(i).v = xi(i);
    for (int i = 0; i < 3; ++i) P_(i).v = P(i);
    v_ = start_ + p_.A * P_;
    for (int i = 0; i < 3; ++i) v_(i).v = v(i);
  }

  void leave(const DampedVariation::End& end, PhaseEnd way) {
    q_ = end.q;
    angle_ = end.angle;
    xi_ = end.xi;
    P_ += end.P;
    change(way);
  }

  void change(PhaseEnd end) {
    const bool hysteretic = !spring_.viscous();
    if (hysteretic && !loading_ && e_.v == 1 && q_.v > spring_.peak().v * (1 + 1e-12)) passes_peak_ = true;
    switch (end) {
      case PhaseEnd::friction:
        if (sticks_) angle_ = atan2(xi_(1), xi_(0));
        sticks_ = !sticks_;
        break;
      case PhaseEnd::turn:
        if (hysteretic) spring_.unload(q_);
        break;
      case PhaseEnd::reload: spring_.load(); break;
      default: break;
    }
  }

  // ---- sticking on undamped springs ----------------------------------------------------------------------------

  void stick(const StickVariation& stuck, double time, PhaseEnd end) {
    const bool limited = p_.mu.v < infinity;
    if (limited && !look_for_valleys(stuck, time, end)) {
      lost_ = true;
      return;
    }
    const StuckChange y = stuck.after(time);
    const StickVariation::Motion m = stuck.motion(time);
    const double N = -spring_.stiffness().v * m.v(0);
    D g;
    double rate = 0;
    switch (end) {
      case PhaseEnd::turn: {
        const Vec3T<D> P = P_ + y.P;
        g = -(start_(0) + p_.A(0, 0) * P(0) + p_.A(0, 1) * P(1) + p_.A(0, 2) * P(2));
        rate = -(p_.A(0, 0).v * y.N.v - p_.kappa.v * (p_.A(0, 1).v * y.xi(0).v + p_.A(0, 2).v * y.xi(1).v));
        break;
      }
      case PhaseEnd::reload:
        g = spring_.peak() - y.N;
        rate = -N;
        break;
      case PhaseEnd::release:
        g = y.N;
        rate = N;
        break;
      default: g = p_.mu * y.N - p_.kappa * length(y.xi); rate = margin_rate(m);
    }
    const SledgeRow later = row_of(g) / -rate;
    q_ = dual_of(y.N.v, row_of(y.N) + N * later);
    const Vec3 F(y.N.v, -p_.kappa.v * y.xi(0).v, -p_.kappa.v * y.xi(1).v);
    for (int i = 0; i < 2; ++i) xi_(i) = dual_of(y.xi(i).v, row_of(y.xi(i)) + m.v(1 + i) * later);
    for (int i = 0; i < 3; ++i) P_(i) += dual_of(y.P(i).v, row_of(y.P(i)) + F(i) * later);
  }

  [[nodiscard]] double margin(const StickVariation::Motion& m) const {
    return p_.mu.v * m.N - p_.kappa.v * m.xi.norm();
  }
  [[nodiscard]] double margin_rate(const StickVariation::Motion& m) const {
    const double r = m.xi.norm(), pull = r > 0 ? m.xi.dot(m.v.tail<2>()) / r : m.v.tail<2>().norm();
    return -p_.mu.v * spring_.stiffness().v * m.v(0) - p_.kappa.v * pull;
  }

  /// Where the contact came near the cone, and how far it would have gone out of it. False where it swings too often.
  bool look_for_valleys(const StickVariation& stuck, double time, PhaseEnd end) {
    const double fastest = std::sqrt(spring_.stiffness().v + p_.kappa.v * (p_.A(1, 1).v + p_.A(2, 2).v));
    if (!(fastest * time < 1e5)) return false;
    const int steps = 1 + static_cast<int>(fastest * time);
    StickVariation::Motion m = stuck.motion(0);
    // A phase that follows slip begins on the cone without a rate, which rounding makes negative.
    double before = margin(m) <= 1e-9 * p_.mu.v * m.N ? 0 : margin_rate(m);
    for (int i = 0; i < steps; ++i) {
      const double from = time * i / steps, to = time * (i + 1) / steps;
      const double after = margin_rate(stuck.motion(to));
      if (before < 0 && after > 0) note_valley(stuck, from, before, to, after);
      before = after;
    }
    if (end != PhaseEnd::friction) return true;
    for (int i = 0; i < 8 && before < 0; ++i) {
      const double from = time + i / fastest, to = time + (i + 1) / fastest;
      m = stuck.motion(to);
      if (!(m.N > 0)) break;
      const double after = margin_rate(m);
      if (after > 0) note_valley(stuck, from, before, to, after);
      before = after;
    }
    return true;
  }

  /// The lowest point of the margin; its time does not matter to first order.
  void note_valley(const StickVariation& stuck, double from, double before, double to, double after) {
    const auto rate = [&](double t) { return margin_rate(stuck.motion(t)); };
    const StuckChange at = stuck.after(bracketed_secant<double>(rate, from, before, to, after, 1e-13).hi);
    if (at.N.v > 0) note(at_the_cone, contrast(D(p_.mu * at.N), D(p_.kappa * length(at.xi))));
  }

  // ---- sliding in a plane --------------------------------------------------------------------------------------

  /// Over J everything in the plane is a polynomial (L9), and what lies beside it changes by itself.
  void slide_in_plane(int eta, double impulse, PhaseEnd end) {
    const D k = spring_.stiffness(), sign(eta), Q = q_ * q_;
    const D lift = 1 - sign * p_.mu * p_.A(0, 1), drag = p_.A(0, 1) - sign * p_.mu * p_.A(1, 1);
    D J(impulse);
    const auto normal = [&] { return v_(0) + lift * J; };
    const auto pressure = [&] { return Q - k * J * (v_(0) * 2 + lift * J); };
    D g;
    double slope = 0;
    switch (end) {
      case PhaseEnd::turn:
        g = -normal();
        slope = -lift.v;
        break;
      case PhaseEnd::reload:
        g = spring_.peak() * spring_.peak() - pressure();
        slope = 2 * k.v * normal().v;
        break;
      case PhaseEnd::release:
        g = pressure();
        slope = -2 * k.v * normal().v;
        break;
      default:
        g = p_.kappa * sign * (v_(1) + drag * J) + p_.mu * k * normal();
        slope = p_.kappa.v * eta * drag.v + p_.mu.v * k.v * lift.v;
    }
    J = newton_step(impulse, g, slope);
    beside(eta, impulse, end == PhaseEnd::release);
    if (end == PhaseEnd::release) {
      if (p_.mu.v > 0 && eta * (v_(1) + drag * J).v < 0) note_turning(D(sign * (v_(1) + drag * J)), normal());
      q_ = D(0);
      xi_(0) = D(0);
    } else {
      q_ = sqrt(pressure());
      xi_(0) = sign * p_.mu * q_ / p_.kappa;
    }
    P_(0) += J;
    P_(1) -= sign * p_.mu * J;
  }

  void beside(int eta, double impulse, bool released) {
    if (!(p_.mu.v > 0)) return;
    compliant::SpatialSledge<double> p;
    p.A = values_of(p_.A);
    p.A(0, 2) = p.A(2, 0) = p.A(1, 2) = p.A(2, 1) = 0;
    p.kappa = p_.kappa.v;
    p.mu = p_.mu.v;
    const compliant::SlipStart<double> from{q_.v * q_.v, Vec3(v_(0).v, v_(1).v, 0), Vec2(eta, 0),
                                            spring_.stiffness().v};
    Beside b;
    for (int i = 0; i < 3; ++i) {
      const auto d = static_cast<std::size_t>(across[static_cast<std::size_t>(i)]);
      b.turn(i) = angle_.d[d];
      b.velocity(i) = eta * v_(2).d[d];
      b.push(i) = eta * p_.A(0, 2).d[d] - p.mu * p_.A(1, 2).d[d];
    }
    if (!SlideBeside(p).follow(from, impulse, released, b)) lost_ = true;
    const double deflection = released ? 0 : eta * p.mu / p.kappa * std::sqrt(pressure_after(from, impulse, eta));
    for (int i = 0; i < 3; ++i) {
      const auto d = static_cast<std::size_t>(across[static_cast<std::size_t>(i)]);
      angle_.d[d] = b.turn(i);
      xi_(1).d[d] = deflection * b.turn(i);
      P_(2).d[d] -= eta * p.mu * b.impulse(i);
    }
  }
  [[nodiscard]] double pressure_after(const compliant::SlipStart<double>& from, double J, int eta) const {
    const double Q = from.Q - from.k_n * J * (2 * from.v(0) + (1 - eta * p_.mu.v * p_.A(0, 1).v) * J);
    return Q > 0 ? Q : 0;
  }

  /// In a plane, slip against the velocity: beside the plane it turns away, as a power of the force that is left, and P
  /// is differentiable once.
  void note_turning(const D& along, const D& v_n) {
    const D speed = along + p_.mu / p_.kappa * spring_.stiffness() * v_n;
    note(turns_away, D(speed / (speed - along * 2)));
  }

  /// Keeps the nearest ones.
  void note(const char* what, const D& distance) {
    if (notes_ < most_notes) {
      note_[static_cast<std::size_t>(notes_++)] = {what, distance};
      return;
    }
    auto farthest = std::max_element(note_.begin(), note_.end(), [](const Note& a, const Note& b) {
      return std::abs(a.distance.v) < std::abs(b.distance.v);
    });
    if (std::abs(distance.v) < std::abs(farthest->distance.v)) *farthest = {what, distance};
  }

  static constexpr std::array<int, 3> across{1, 3, 6};  ///< directions that leave a plane
  static constexpr int most_notes = 6;

  D e_;
  compliant::SpatialSledge<D> p_;
  compliant::NormalSpring<D> spring_;
  Vec3T<D> start_;  ///< velocity at first touch
  D q_ = D(0), angle_ = D(0);
  Vec2T<D> xi_ = Vec2T<D>::Zero();
  Vec3T<D> P_ = Vec3T<D>::Zero(), v_ = Vec3T<D>::Zero();
  bool begun_ = false, sticks_ = true, loading_ = true, lost_ = false, passes_peak_ = false;
  SlideVariation slide_;
  DampedVariation damped_;
  std::array<Note, most_notes> note_;
  int notes_ = 0;
};

}  // namespace ricochet::derivatives
