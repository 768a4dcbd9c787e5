/// Derivatives of the spring-sledge contact: the run is followed once more to first order, phase by phase, with the
/// change of the time of every event (docs/derivatives.md, (DV22) to (DV25)). No iteration is differentiated.

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "local_derivatives.hpp"
#include "ricochet/compliant/sledge_problem.hpp"
#include "ricochet/compliant/spatial_sledge.hpp"
#include "ricochet/law/graded_sledge_kernel.hpp"

namespace ricochet::derivatives {
namespace {

/// The directions: W without W_nn, V_t, e and κ. W_nn and V_n follow from homogeneity, μ from stretching (DV25).
constexpr std::array<int, 9> sledge_columns{1, 2, 3, 4, 5, of_V + 1, of_V + 2, of_parameters + 2, of_parameters};
constexpr int sledge_directions = sledge_columns.size();
using SledgeDual = Dual<sledge_directions>;

constexpr const char* at_first_touch = "stick and slip at first touch";
constexpr const char* turns_away = "slip that ends along a direction from which it turns away";
constexpr const char* at_the_cone = "a sticking contact that grazes the friction cone";

/// d of (L13) or α of (L14): a root, and its derivative by e.
SledgeDual damper_coefficient(compliant::Damper damper, const SledgeDual& e) {
  if (!(e.v < 1) || damper == compliant::Damper::hysteretic) return SledgeDual(0);
  if (damper == compliant::Damper::linear) {
    const double zeta = compliant::linear_coefficient<double>(e.v) / 2;
    const double slope = compliant::linear_loss(Dual<1>::variable(zeta, 0)).d[0];
    return newton_step(zeta, SledgeDual(zeta) + log(e), slope) * 2;
  }
  const double U = compliant::hunt_crossley_coefficient<double>(e.v);
  using D = Dual<2>;
  const D by_U = D::variable(U, 0), by_e = D::variable(e.v, 1);
  const D excess = by_e * by_e * compliant::log_remainder(D(-by_e * by_U)) - compliant::log_remainder(by_U);
  return e.chain(U, -excess.d[1] / excess.d[0]);
}

/// The run to first order. States between phases are dual numbers; within a step of collocation the changes of its
/// stages solve the linear equations of the step.
class SledgeVariation {
  using D = SledgeDual;
  using PhaseEnd = compliant::PhaseEnd;
  static constexpr int K = sledge_directions;
  static constexpr int stages = 8;

  /// A system of n components in a step: its own components come first, then the directions.
  template <int n>
  using Inner = Dual<n + K>;
  template <int n>
  using Change = Eigen::Matrix<double, n, K>;

 public:
  static constexpr bool inside = false;
  using Follows = void;

  SledgeVariation(const SpringSledge& law, const Local<double>& c)
      : e_(D::variable(law.e, 7)),
        spring_(e_, law.damper, damper_coefficient(law.damper, e_)),
        hysteretic_(!spring_.viscous()) {
    const double speed = -c.V(0), mobility = c.W(0, 0);
    const auto entry = [&](int i, int j, int k) {
      D x(c.W(i, j) / mobility);
      x.d[static_cast<std::size_t>(k)] = 1 / mobility;
      p_.A(i, j) = p_.A(j, i) = x;
    };
    p_.A(0, 0) = D(1);
    entry(0, 1, 0);
    entry(0, 2, 1);
    entry(1, 1, 2);
    entry(1, 2, 3);
    entry(2, 2, 4);
    for (int i = 0; i < 2; ++i) {
      p_.v_t(i) = D(c.V(1 + i) / speed);
      p_.v_t(i).d[5 + static_cast<std::size_t>(i)] = 1 / speed;
    }
    p_.kappa = D::variable(law.kappa, 8);
    p_.mu = D(law.mu);
    p_.e = e_;
    p_.damper = law.damper;
  }

  /// The state at the end of a phase, which the variation computes itself.
  template <class State>
  void operator()(const State&) const {}

  void begins(bool sticks, const Vec2& along) {
    start_.v = Vec3T<D>(D(-1), p_.v_t(0), p_.v_t(1));
    sticks_ = sticks;
    if (spring_.linear()) q_ = spring_.coefficient();
    Vec2T<D> displaced = p_.v_t;
    const bool damped = spring_.hunt_crossley();
    if (damped && along != values_of(p_.v_t)) displaced = compliant::first_deflection(p_, spring_);
    if (!spring_.linear() && p_.mu.v > 0 && p_.mu.v < std::numeric_limits<double>::infinity() && along.norm() > 0)
      note(at_first_touch, contrast(D(p_.mu * spring_.first_slope()), D(p_.kappa * length(displaced))));
    if (!sticks && !spring_.linear()) enter(compliant::first_slip(p_, spring_, start_, displaced));
    if (sticks && damped) enter(compliant::first_stick(p_, spring_, start_, displaced));
  }

  /// The values of the run itself.
  void phase_begins(const compliant::SpatialState<double>& s, double q, double angle) {
    q_.v = q;
    angle_.v = angle;
    for (int i = 0; i < 2; ++i) xi_(i).v = s.xi(i);
    for (int i = 0; i < 3; ++i) P_(i).v = s.P(i);
    v_ = start_.v + p_.A * P_;
    for (int i = 0; i < 3; ++i) v_(i).v = s.v(i);
    loading_ = s.loading;
    dslip_.setZero();
    dstick_.setZero();
    for (int k = 0; k < K; ++k) {
      const auto d = static_cast<std::size_t>(k);
      dslip_(0, k) = angle_.d[d];
      dslip_(1, k) = q_.v > 0 ? q_.d[d] / q_.v : 0;
      dstick_(0, k) = xi_(0).d[d];
      dstick_(1, k) = xi_(1).d[d];
      dstick_(2, k) = q_.d[d];
    }
    if (s.sticks && spring_.viscous()) stick_.emplace(problem<Stick::n>(), spring<Stick::n>(), from<Stick::n>());
    if (!s.sticks) slip_.emplace(problem<Slip::n>(), spring<Slip::n>(), from<Slip::n>());
    falling_ = 0;
  }

  // ---- collocation ---------------------------------------------------------------------------------------------

  template <class Step>
  void slip_step(const Step& step, double length) {
    step_of<Slip>(*slip_, step, length, dslip_);
  }
  template <class Step>
  void stick_step(const Step& step, double length) {
    const Stages<Stick::n> changed = step_of<Stick>(*stick_, step, length, dstick_);
    // A valley of the margin at the nodes: the contact came near the cone.
    for (int i = 0; i < stages && p_.mu.v < std::numeric_limits<double>::infinity(); ++i) {
      const auto x = variables<Stick>(step.stage(i));
      const double margin = stick_->margin(x).v;
      const bool rises = falling_ > 0 && margin > last_margin_;
      if (rises && falling_ > 1 && last_margin_ > 0) note(at_the_cone, last_contrast_);
      falling_ = falling_ > 0 && margin > last_margin_ ? 1 : falling_ + 1;
      last_margin_ = margin;
      const auto N = spring_.mapped<Inner<Stick::n>>(Widen<Stick::n>{}).force(x[2], stick_->v_n(x));
      const auto deflection = sqrt(x[0] * x[0] + x[1] * x[1]);
      const Change<Stick::n> here = changed.template middleRows<Stick::n>(Stick::n * i);
      last_contrast_ = contrast(D(p_.mu * narrow<Stick::n>(N, here)), D(p_.kappa * narrow<Stick::n>(deflection, here)));
    }
  }

  void slip_ended(const compliant::SlipFlow<double>::State& x, PhaseEnd end) {
    const auto y = variables<Slip>(x);
    const auto m = slip_->at(y);
    const Inner<Slip::n> g = end == PhaseEnd::friction ? m.speed
                             : end == PhaseEnd::turn   ? Inner<Slip::n>(-m.v(0))
                                                       : widen<Slip::n>(spring_.peak()) - m.N;
    to_event<Slip>(*slip_, y, g, dslip_);
    leave_slip(y, m);
    change(end);
  }

  /// The last impulse is a triangle, or that of a force that decays.
  void slip_closed(const compliant::SlipFlow<double>::State& x, bool decays) {
    const auto y = variables<Slip>(x);
    const auto m = slip_->at(y);
    const Inner<Slip::n> J = m.N * m.N / (m.rate * (decays ? -1.0 : -2.0));
    const Inner<Slip::n> mu = widen<Slip::n>(p_.mu);
    // In a plane, slip against the velocity: beside the plane it turns away, as a power of the force that is left, and
    // P is differentiable once.
    const Inner<Slip::n> along = m.v(1) * m.eta(0) + m.v(2) * m.eta(1), across = m.v(2) * m.eta(0) - m.v(1) * m.eta(1);
    if (p_.mu.v > 0 && along.v < 0 && std::abs(across.v) < -1e-9 * along.v)
      note(turns_away, narrow<Slip::n>(Inner<Slip::n>(m.speed / (m.speed - along * 2)), dslip_));
    P_(0) += narrow<Slip::n>(y[2] + J, dslip_);
    P_(1) += narrow<Slip::n>(y[3] - mu * m.eta(0) * J, dslip_);
    P_(2) += narrow<Slip::n>(y[4] - mu * m.eta(1) * J, dslip_);
  }

  void stick_ended(const compliant::DampedStick<double>::State& x, PhaseEnd end) {
    const auto y = variables<Stick>(x);
    to_event<Stick>(*stick_, y, end == PhaseEnd::turn ? Inner<Stick::n>(-stick_->v_n(y)) : stick_->margin(y), dstick_);
    for (int i = 0; i < 2; ++i) xi_(i) = narrow<Stick::n>(y[static_cast<std::size_t>(i)], dstick_);
    q_ = narrow<Stick::n>(y[2], dstick_);
    for (int i = 0; i < 3; ++i) P_(i) += narrow<Stick::n>(y[3 + static_cast<std::size_t>(i)], dstick_);
    change(end);
  }

  // ---- sticking on undamped springs: series --------------------------------------------------------------------

  void stuck(double time, PhaseEnd end) {
    Swing<D> y{q_, xi_, v_, P_};
    const double stiffness = spring_.stiffness().v;
    const double fastest = std::sqrt(stiffness + p_.kappa.v * (p_.A(1, 1).v + p_.A(2, 2).v));
    if (!(fastest * time < 1e5)) {
      lost_ = true;
      return;
    }
    const int steps = 1 + static_cast<int>(fastest * time);
    const double h = time / steps;
    const bool limited = p_.mu.v < std::numeric_limits<double>::infinity();
    for (int i = 0; i < steps; ++i) {
      const Swing<D> before = y;
      y = swing(y, h);
      // A phase that follows slip begins on the cone without a rate, which rounding makes negative.
      const bool on_the_cone = i == 0 && margin(before) <= 1e-9 * p_.mu.v * before.N.v;
      if (limited && !on_the_cone && margin_rate(before) < 0 && margin_rate(y) > 0) note_valley(before, h);
    }
    if (limited && end == PhaseEnd::friction) {
      // How far out of the cone the force would have gone.
      Swing<D> beyond = y;
      for (int i = 0; i < 8 && margin_rate(beyond) < 0; ++i) {
        const Swing<D> before = beyond;
        beyond = swing(beyond, 1 / fastest);
        if (!(beyond.N.v > 0)) break;
        if (margin_rate(beyond) > 0) note_valley(before, 1 / fastest);
      }
    }
    D g, rate;
    const Swing<D> slope = rates(y);
    switch (end) {
      case PhaseEnd::turn: g = -y.v(0), rate = -slope.v(0); break;
      case PhaseEnd::reload: g = spring_.peak() - y.N, rate = -slope.N; break;
      case PhaseEnd::release: g = y.N, rate = slope.N; break;
      default: {
        const D r = length(y.xi);
        g = p_.mu * y.N - p_.kappa * r;
        rate = D(margin_rate(y));
      }
    }
    const auto later = [&](D& x, const D& by) {
      for (std::size_t k = 0; k < K; ++k) x.d[k] -= by.v * g.d[k] / rate.v;
    };
    later(y.N, slope.N);
    for (int i = 0; i < 2; ++i) later(y.xi(i), slope.xi(i));
    for (int i = 0; i < 3; ++i) later(y.P(i), slope.P(i));
    q_ = y.N;
    xi_ = y.xi;
    P_ = y.P;
    change(end);
  }

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

  template <class S>
  struct Swing {
    S N;
    Vec2T<S> xi;
    Vec3T<S> v, P;
  };

  static D length(const Vec2T<D>& x) { return sqrt(x(0) * x(0) + x(1) * x(1)); }

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
  [[nodiscard]] compliant::SpatialState<Inner<n>> from() const {
    compliant::SpatialState<Inner<n>> s;
    for (int i = 0; i < 3; ++i) s.v(i) = widen<n>(v_(i));
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
      Eigen::Matrix<double, n, n> by_state;
      Change<n> by_direction;
      for (int m = 0; m < n; ++m) {
        const auto& d = rate[static_cast<std::size_t>(m)].d;
        for (int k = 0; k < n; ++k) by_state(m, k) = d[static_cast<std::size_t>(k)];
        for (int k = 0; k < K; ++k) by_direction(m, k) = d[n + static_cast<std::size_t>(k)];
      }
      for (int i = 0; i < stages; ++i) {
        const double weight = length * Step::table().a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        left.template block<n, n>(n * i, n * j) -= weight * by_state;
        right.template middleRows<n>(n * i) += weight * by_direction;
      }
    }
    const Stages<n> changed = left.partialPivLu().solve(right);
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
    for (int m = 0; m < n; ++m)
      for (int k = 0; k < K; ++k)
        dx(m, k) -= rate[static_cast<std::size_t>(m)].v * now.d[static_cast<std::size_t>(k)] / g_rate;
  }

  void leave_slip(const Slip::Flow::State& y, const Slip::Flow::Motion& m) {
    q_ = narrow<Slip::n>(m.q, dslip_);
    angle_ = narrow<Slip::n>(y[0], dslip_);
    const D N = narrow<Slip::n>(m.N, dslip_);
    for (int i = 0; i < 2; ++i) xi_(i) = p_.mu * N / p_.kappa * narrow<Slip::n>(m.eta(i), dslip_);
    for (int i = 0; i < 3; ++i) P_(i) += narrow<Slip::n>(y[2 + static_cast<std::size_t>(i)], dslip_);
  }

  void change(PhaseEnd end) {
    if (hysteretic_ && !loading_ && e_.v == 1 && q_.v > spring_.peak().v * (1 + 1e-12)) passes_peak_ = true;
    switch (end) {
      case PhaseEnd::friction:
        if (sticks_) angle_ = atan2(xi_(1), xi_(0));
        sticks_ = !sticks_;
        break;
      case PhaseEnd::turn:
        if (hysteretic_) spring_.unload(q_);
        break;
      case PhaseEnd::reload: spring_.load(); break;
      default: break;
    }
  }

  void enter(const compliant::FirstTouch<D>& first) {
    q_ = first.q;
    angle_ = first.angle;
    xi_ = first.state.xi;
    P_ = first.state.P;
  }

  /// Rates of sticking on the undamped spring.
  [[nodiscard]] Swing<D> rates(const Swing<D>& y) const {
    Swing<D> out;
    out.N = -(spring_.stiffness() * y.v(0));
    out.xi = Vec2T<D>(y.v(1), y.v(2));
    out.P = Vec3T<D>(y.N, -(p_.kappa * y.xi(0)), -(p_.kappa * y.xi(1)));
    out.v = p_.A * out.P;
    return out;
  }

  /// After the time h, by the series of a linear system; h times its fastest frequency is at most 1.
  [[nodiscard]] Swing<D> swing(const Swing<D>& from, double h) const {
    constexpr int terms = 21;
    Swing<D> sum = from, term = from;
    for (int j = 1; j <= terms; ++j) {
      term = rates(term);
      const double factor = h / j;
      term.N = term.N * factor;
      for (int i = 0; i < 2; ++i) term.xi(i) = term.xi(i) * factor;
      for (int i = 0; i < 3; ++i) {
        term.P(i) = term.P(i) * factor;
        term.v(i) = term.v(i) * factor;
      }
      sum.N += term.N;
      sum.xi += term.xi;
      sum.P += term.P;
      sum.v += term.v;
    }
    return sum;
  }

  [[nodiscard]] double margin(const Swing<D>& y) const {
    return p_.mu.v * y.N.v - p_.kappa.v * std::hypot(y.xi(0).v, y.xi(1).v);
  }
  [[nodiscard]] double margin_rate(const Swing<D>& y) const {
    const double r = std::hypot(y.xi(0).v, y.xi(1).v);
    const double pull = r > 0 ? (y.xi(0).v * y.v(1).v + y.xi(1).v * y.v(2).v) / r : std::hypot(y.v(1).v, y.v(2).v);
    return -p_.mu.v * spring_.stiffness().v * y.v(0).v - p_.kappa.v * pull;
  }

  /// The lowest point of the margin within h after y; its time does not matter to first order.
  void note_valley(const Swing<D>& y, double h) {
    double low = 0, high = h;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (margin_rate(swing(y, middle)) < 0 ? low : high) = middle;
    }
    const Swing<D> at = swing(y, high);
    if (at.N.v > 0) note(at_the_cone, contrast(D(p_.mu * at.N), D(p_.kappa * length(at.xi))));
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

  D e_;
  compliant::SpatialSledge<D> p_;
  compliant::NormalSpring<D> spring_;
  bool hysteretic_;
  compliant::SpatialState<D> start_;
  D q_ = D(0), angle_ = D(0);
  Vec2T<D> xi_ = Vec2T<D>::Zero();
  Vec3T<D> P_ = Vec3T<D>::Zero(), v_ = Vec3T<D>::Zero();
  bool sticks_ = true, loading_ = true, lost_ = false, passes_peak_ = false;
  Change<Slip::n> dslip_;
  Change<Stick::n> dstick_;
  std::optional<Slip::Flow> slip_;
  std::optional<Stick::Flow> stick_;
  double last_margin_ = 0;
  D last_contrast_ = D(0);
  int falling_ = 0;

  static constexpr int most_notes = 6;
  std::array<Note, most_notes> note_;
  int notes_ = 0;
};

}  // namespace

Expected<void> differentiate(const SpringSledge& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  constexpr int by_kappa = of_parameters, by_mu = of_parameters + 1;
  SledgeVariation variation(law, local);
  const auto run = compliant::run_spatial<double>(sledge::spatial_problem(law, local), variation);
  if (run.stop != compliant::Stop::separated || variation.lost())
    return fail(ErrorCode::not_converged, "", "", "the derivatives of the motion through the contact");
  const bool stretches = law.mu > 0 && law.mu < std::numeric_limits<double>::infinity();
  // By μ of a row of the given degree (DV25); an impulse gains its tangential part.
  const auto complete_row = [&](auto&& row, double value, double gain) {
    complete(row, value, local);
    row(by_mu) = stretches ? (by_stretching(row, local) + gain - 2 * law.kappa * row(by_kappa)) / law.mu : 0;
  };
  out.columns = of_parameters + 3;
  const double unit = sledge::units(local).impulse();
  for (int i = 0; i < 3; ++i) {
    const SledgeDual& p = variation.impulse()(i);
    out.P(i) = unit * p.v;
    for (std::size_t j = 0; j < sledge_columns.size(); ++j) out.J(i, sledge_columns[j]) = unit * p.d[j];
    complete_row(out.J.row(i), out.P(i), i > 0 ? out.P(i) : 0);
  }
  for (int i = 0; i < variation.notes(); ++i) {
    const auto& note = variation.note_at(i);
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = note.what;
    change.distance = note.distance.v;
    for (std::size_t j = 0; j < sledge_columns.size(); ++j) change.gradient(sledge_columns[j]) = note.distance.d[j];
    complete_row(change.gradient, 0, 0);
  }
  // μ = 0: the direction of a vanishing friction changes on the way. e = 0: the spring returns nothing at once. A
  // viscous damper vanishes at e = 1.
  const bool viscous = law.damper != compliant::Damper::hysteretic;
  const bool steep = !(1 / (law.e * law.e) < std::numeric_limits<double>::infinity());
  out.unset = (law.mu == 0 ? 2U : 0U) | (steep || (law.e == 1 && viscous) || variation.passes_peak() ? 4U : 0U);
  return {};
}

/// Those of spring-sledge with the coefficients of this V, and the coefficients by V and by their slopes (DV27).
Expected<void> differentiate(const GradedSledge& law, const Local<double>& local, const Outcome& outcome,
                             LocalDerivatives& out) {
  using D = Dual<3>;
  Vec3T<D> V;
  for (int i = 0; i < 3; ++i) V(i) = D::variable(local.V(i), i);
  const Grading<D> by = grading<D>(V);
  /// A coefficient before it is limited, and its place among the parameters.
  struct Graded {
    D value;
    bool varies, limited, at_limit;
    int first;
    double slope = 0;
  };
  const D mu = D(law.mu) + D(law.mu_v) * by.s + D(law.mu_i) * by.w;
  const D e = D(law.e) + D(law.e_v) * by.s + D(law.e_i) * by.w;
  Graded friction{mu, law.mu_v != 0 || law.mu_i != 0, mu.v < 0, mu.v == 0, of_parameters + 1};
  Graded restitution{e, law.e_v != 0 || law.e_i != 0, e.v < 0 || e.v > 1, e.v == 0 || e.v == 1, of_parameters + 4};

  const sledge::Coefficients<double> now = grade<double>(law, local.V);
  const SpringSledge fixed{.kappa = now.kappa, .mu = now.mu, .e = now.e};
  if (const Expected<void> fine = differentiate(fixed, local, outcome, out); !fine) return fine;
  const unsigned untold = out.unset;
  out.unset = 0;
  for (Graded* g : {&friction, &restitution}) {
    const bool told = g->limited || !(g->at_limit || (untold & (g == &friction ? 2U : 4U)) != 0);
    if (!told) out.unset |= 7U << (g->first - of_parameters);
    if (!told && g->varies)
      out.kink = g == &friction ? "friction that reaches zero" : "restitution that reaches 0 or 1";
  }
  // Columns κ, μ, e become κ, μ, μ_v, μ_i, e, e_v, e_i.
  const auto regrade = [&](auto&& row) {
    friction.slope = friction.limited || friction.at_limit ? 0 : row(of_parameters + 1);
    restitution.slope = restitution.limited || restitution.at_limit ? 0 : row(of_parameters + 2);
    for (const Graded& g : {friction, restitution}) {
      for (int i = 0; i < 3; ++i) row(of_V + i) += g.slope * g.value.d[static_cast<std::size_t>(i)];
      row(g.first) = g.slope;
      row(g.first + 1) = g.slope * by.s.v;
      row(g.first + 2) = g.slope * by.w.v;
    }
  };
  out.columns = of_parameters + 7;
  for (int i = 0; i < 3; ++i) regrade(out.J.row(i));
  for (int i = 0; i < out.changes; ++i) regrade(out.change[static_cast<std::size_t>(i)].gradient);
  const auto reaches = [&](const char* what, const Graded& g, double distance, double sign) {
    if (!g.varies || out.changes == LocalDerivatives::most_changes) return;
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = what;
    change.distance = distance;
    change.gradient.setZero();
    for (int i = 0; i < 3; ++i) change.gradient(of_V + i) = sign * g.value.d[static_cast<std::size_t>(i)];
    change.gradient(g.first) = sign;
    change.gradient(g.first + 1) = sign * by.s.v;
    change.gradient(g.first + 2) = sign * by.w.v;
  };
  reaches("friction that reaches zero", friction, mu.v, 1);
  reaches("restitution that reaches zero", restitution, e.v, 1);
  reaches("restitution that reaches one", restitution, 1 - e.v, -1);
  return {};
}

}  // namespace ricochet::derivatives
