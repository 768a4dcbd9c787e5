#pragma once
/// The spring-sledge contact on a viscous damper, to first order: collocation in time, whose stages change as the
/// linear equations of the step at its root say (DV23).

#include <optional>

#include "eliminate.hpp"
#include "ricochet/compliant/damped_stick.hpp"
#include "ricochet/compliant/radau_step.hpp"
#include "ricochet/compliant/sledge_stop.hpp"
#include "ricochet/compliant/slip_flow.hpp"
#include "sledge_directions.hpp"

namespace ricochet::derivatives {

class DampedVariation {
  using D = SledgeDual;
  using PhaseEnd = compliant::PhaseEnd;
  static constexpr int K = sledge_directions;
  static constexpr int stages = compliant::RadauStep<double, 1>::s;

  /// A system of n components in a step: its own components come first, then the directions.
  template <int n>
  using Inner = Dual<n + K>;
  template <int n>
  using Change = Eigen::Matrix<double, n, K>;

 public:
  DampedVariation(const compliant::SpatialSledge<D>& p, const compliant::NormalSpring<D>& spring)
      : p_(p), spring_(spring) {}

  void begin(bool sticks, const D& q, const D& angle, const Vec2T<D>& xi, const Vec3T<D>& v) {
    dslip_.setZero();
    dstick_.setZero();
    dslip_.row(0) = row_of(angle);
    if (q.v > 0) dslip_.row(1) = row_of(q) / q.v;
    dstick_.row(0) = row_of(xi(0));
    dstick_.row(1) = row_of(xi(1));
    dstick_.row(2) = row_of(q);
    if (sticks) {
      stick_.emplace(problem<Stick::n>(), spring<Stick::n>(), from<Stick::n>(v));
    } else {
      slip_.emplace(problem<Slip::n>(), spring<Slip::n>(), from<Slip::n>(v));
    }
    falling_ = 0;
  }

  template <class Step>
  void slip_step(const Step& step, double length) {
    step_of<Slip>(*slip_, step, length, dslip_);
  }

  /// `near(distance)` is called where the margin has a valley at the nodes: the contact came near the cone.
  template <class Step, class Near>
  void stick_step(const Step& step, double length, const Near& near) {
    const Stages<Stick::n> changed = step_of<Stick>(*stick_, step, length, dstick_);
    for (int i = 0; i < stages && p_.mu.v < std::numeric_limits<double>::infinity(); ++i) {
      const auto x = variables<Stick>(step.stage(i));
      const double margin = stick_->margin(x).v;
      const bool rises = falling_ > 0 && margin > last_margin_;
      if (rises && falling_ > 1 && last_margin_ > 0) near(last_contrast_);
      falling_ = falling_ > 0 && margin > last_margin_ ? 1 : falling_ + 1;
      last_margin_ = margin;
      const auto N = spring_.mapped<Inner<Stick::n>>(Widen<Stick::n>{}).force(x[2], stick_->v_n(x));
      const auto deflection = sqrt(x[0] * x[0] + x[1] * x[1]);
      const Change<Stick::n> here = changed.template middleRows<Stick::n>(Stick::n * i);
      last_contrast_ = contrast(D(p_.mu * narrow<Stick::n>(N, here)), D(p_.kappa * narrow<Stick::n>(deflection, here)));
    }
  }

  /// At the end of a phase: state of the spring, angle of slip, deflection, and the impulse gained.
  struct End {
    D q, angle;
    Vec2T<D> xi;
    Vec3T<D> P;
  };

  [[nodiscard]] End slip_ended(const compliant::SlipFlow<double>::State& x, PhaseEnd end) {
    const auto y = variables<Slip>(x);
    const auto m = slip_->at(y);
    const Inner<Slip::n> g = end == PhaseEnd::friction ? m.speed
                             : end == PhaseEnd::turn   ? Inner<Slip::n>(-m.v(0))
                                                       : widen<Slip::n>(spring_.peak()) - m.N;
    to_event<Slip>(*slip_, y, g, dslip_);
    End out{narrow<Slip::n>(m.q, dslip_), narrow<Slip::n>(y[0], dslip_), {}, {}};
    const D N = narrow<Slip::n>(m.N, dslip_);
    for (int i = 0; i < 2; ++i) out.xi(i) = p_.mu * N / p_.kappa * narrow<Slip::n>(m.eta(i), dslip_);
    for (int i = 0; i < 3; ++i) out.P(i) = narrow<Slip::n>(y[2 + static_cast<std::size_t>(i)], dslip_);
    return out;
  }

  /// The last impulse is a triangle, or that of a force that decays. `away(distance)` is called where slip goes against
  /// the velocity.
  template <class Away>
  [[nodiscard]] Vec3T<D> slip_closed(const compliant::SlipFlow<double>::State& x, bool decays, const Away& away) const {
    const auto y = variables<Slip>(x);
    const auto m = slip_->at(y);
    const Inner<Slip::n> J = m.N * m.N / (m.rate * (decays ? -1.0 : -2.0));
    const Inner<Slip::n> mu = widen<Slip::n>(p_.mu);
    const Inner<Slip::n> along = m.v(1) * m.eta(0) + m.v(2) * m.eta(1), across = m.v(2) * m.eta(0) - m.v(1) * m.eta(1);
    if (p_.mu.v > 0 && along.v < 0 && std::abs(across.v) < -1e-9 * along.v)
      away(narrow<Slip::n>(Inner<Slip::n>(m.speed / (m.speed - along * 2)), dslip_));
    return {narrow<Slip::n>(y[2] + J, dslip_), narrow<Slip::n>(y[3] - mu * m.eta(0) * J, dslip_),
            narrow<Slip::n>(y[4] - mu * m.eta(1) * J, dslip_)};
  }

  [[nodiscard]] End stick_ended(const compliant::DampedStick<double>::State& x, PhaseEnd end) {
    const auto y = variables<Stick>(x);
    to_event<Stick>(*stick_, y, end == PhaseEnd::turn ? Inner<Stick::n>(-stick_->v_n(y)) : stick_->margin(y), dstick_);
    End out{narrow<Stick::n>(y[2], dstick_), D(0), {}, {}};
    for (int i = 0; i < 2; ++i) out.xi(i) = narrow<Stick::n>(y[static_cast<std::size_t>(i)], dstick_);
    for (int i = 0; i < 3; ++i) out.P(i) = narrow<Stick::n>(y[3 + static_cast<std::size_t>(i)], dstick_);
    return out;
  }

 private:
  struct Slip {
    static constexpr int n = 5;  ///< of SlipFlow: angle, ln q, impulses; time and losses follow
    using Flow = compliant::SlipFlow<Inner<n>>;
  };
  struct Stick {
    static constexpr int n = 6;  ///< of DampedStick: deflection, q, impulses
    using Flow = compliant::DampedStick<Inner<n>>;
  };
  template <int n>
  using Stages = Eigen::Matrix<double, stages * n, K>;

  template <int n>
  struct Widen {
    Inner<n> operator()(const D& x) const { return widen<n>(x); }
  };
  template <int n>
  static Inner<n> widen(const D& x) {
    Inner<n> out(x.v);
    for (std::size_t k = 0; k < K; ++k) out.d[n + k] = x.d[k];
    return out;
  }
  /// By the directions, where the components change by `dx`.
  template <int n>
  static D narrow(const Inner<n>& x, const Change<n>& dx) {
    D out(x.v);
    for (int k = 0; k < K; ++k) {
      double sum = x.d[n + static_cast<std::size_t>(k)];
      for (int m = 0; m < n; ++m) sum += x.d[static_cast<std::size_t>(m)] * dx(m, k);
      out.d[static_cast<std::size_t>(k)] = sum;
    }
    return out;
  }

  template <int n>
  [[nodiscard]] compliant::SpatialSledge<Inner<n>> problem() const {
    compliant::SpatialSledge<Inner<n>> p;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) p.A(i, j) = widen<n>(p_.A(i, j));
    p.kappa = widen<n>(p_.kappa);
    p.mu = widen<n>(p_.mu);
    p.damper = p_.damper;
    return p;
  }
  template <int n>
  [[nodiscard]] compliant::NormalSpring<Inner<n>> spring() const {
    return spring_.mapped<Inner<n>>(Widen<n>{});
  }
  template <int n>
  static compliant::SpatialState<Inner<n>> from(const Vec3T<D>& v) {
    compliant::SpatialState<Inner<n>> s;
    for (int i = 0; i < 3; ++i) s.v(i) = widen<n>(v(i));
    return s;
  }
  template <class System, class Values>
  static typename System::Flow::State variables(const Values& x) {
    typename System::Flow::State out{};
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = Inner<System::n>(x[i]);
      if (i < System::n) out[i].d[i] = 1;
    }
    return out;
  }

  /// Stages Y_i = x + h Σ a_ij f(Y_j): their changes solve (I − h a ⊗ J) δY = δx + h a f_θ (DV23).
  template <class System, class Flow, class Step>
  static Stages<System::n> step_of(const Flow& flow, const Step& step, double length, Change<System::n>& dx) {
    constexpr int n = System::n;
    Eigen::Matrix<double, stages * n, stages * n> left;
    Stages<n> right;
    for (int i = 0; i < stages; ++i) right.template middleRows<n>(n * i) = dx;
    left.setIdentity();
    for (int j = 0; j < stages; ++j) {
      typename Flow::State rate{};
      flow.slope(variables<System>(step.stage(j)), rate);
      for (int i = 0; i < stages; ++i) {
        const double weight = length * Step::table().a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        for (int m = 0; m < n; ++m) {
          const auto& d = rate[static_cast<std::size_t>(m)].d;
          for (int k = 0; k < n; ++k) left(n * i + m, n * j + k) -= weight * d[static_cast<std::size_t>(k)];
          for (int k = 0; k < K; ++k) right(n * i + m, k) += weight * d[n + static_cast<std::size_t>(k)];
        }
      }
    }
    const Stages<n> changed = eliminate<stages * n, K>(left, right);
    dx = changed.template bottomRows<n>();
    return changed;
  }

  /// On to the changed time of the event (DV24).
  template <class System, class Flow>
  static void to_event(const Flow& flow, const typename Flow::State& y, const Inner<System::n>& g,
                       Change<System::n>& dx) {
    constexpr int n = System::n;
    typename Flow::State rate{};
    flow.slope(y, rate);
    double g_rate = 0;
    for (std::size_t m = 0; m < n; ++m) g_rate += g.d[m] * rate[m].v;
    const D now = narrow<n>(g, dx);
    for (int m = 0; m < n; ++m) dx.row(m) -= rate[static_cast<std::size_t>(m)].v / g_rate * row_of(now);
  }

  compliant::SpatialSledge<D> p_;
  compliant::NormalSpring<D> spring_;
  Change<Slip::n> dslip_;
  Change<Stick::n> dstick_;
  std::optional<Slip::Flow> slip_;
  std::optional<Stick::Flow> stick_;
  double last_margin_ = 0;
  D last_contrast_ = D(0);
  int falling_ = 0;
};

}  // namespace ricochet::derivatives
