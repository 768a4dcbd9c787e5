/// Derivatives of the laws that solve equations: the root is that of the values, and its derivatives follow from one
/// step of Newton's at it (DV4).

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "local_derivatives.hpp"
#include "ricochet/law/anitescu_potra_kernel.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"
#include "ricochet/law/whittaker_kernel.hpp"

namespace ricochet::derivatives {
namespace {

constexpr double boundless = std::numeric_limits<double>::infinity();
constexpr const char* stick_or_slip = "stick and slip";
constexpr double kink_square = 1e-24;  ///< of kink_tolerance

Error lost_to_rounding() {
  return {ErrorCode::not_converged, "", "", "rounding leaves no accuracy for the derivatives of this answer"};
}

template <class D>
D cross2(const Vec2T<D>& x, const Vec2T<D>& y) {
  return x(0) * y(1) - x(1) * y(0);
}

/// The cone of μ and its derivatives.
struct Cone {
  double alpha, beta, alpha_mu = 0, beta_mu = 0;
  explicit Cone(double mu) {
    const ConeWeights<double> weights = cone_weights<double>(mu);
    alpha = weights.alpha;
    beta = weights.beta;
    if (mu < boundless) beta_mu = 1 / ((1 + mu) * (1 + mu)), alpha_mu = -beta_mu;
  }
};

/// The cone of μ, which is the variable of direction k.
template <int N>
ConeWeights<Dual<N>> dual_cone(double mu, int k) {
  const Cone cone(mu);
  ConeWeights<Dual<N>> out{Dual<N>(cone.alpha), Dual<N>(cone.beta)};
  out.alpha.d[static_cast<std::size_t>(k)] = cone.alpha_mu;
  out.beta.d[static_cast<std::size_t>(k)] = cone.beta_mu;
  return out;
}

/// Columns of `whittaker` and `anitescu-potra`: W or M, V, e or e_k, μ.
constexpr int N_root = of_parameters + 2;
using Root = Dual<N_root>;
constexpr std::size_t by_e = of_parameters, by_mu = of_parameters + 1;

/// x·(dV + dW P): what a velocity along x after impact changes by at constant P.
Root velocity_along(const Vec3& x, const Vec3& P, const Seeds& seeds) {
  Root out;
  seeds.add_W(1, x, P, out);
  seeds.add_V(1, x, out);
  return out;
}

/// The wanted change of the normal velocity, c = −(1 + e) V_n. In a compression e = 0, and no parameter.
struct WantedRebound {
  double e;
  bool varies;
  [[nodiscard]] double change(const Local<double>& c) const { return -(1 + e) * c.V(0); }
};

/// The sticking impulse P = M Δ, with Δ = (c, −V_t) and dP = dM Δ + M dΔ.
class Sticking {
 public:
  Sticking(const Seeds& seeds, const WantedRebound& wanted)
      : seeds_(seeds), wanted_(wanted), change_(wanted.change(seeds.c), -seeds.c.V(1), -seeds.c.V(2)) {
    P_ = seeds.c.M * change_;
  }

  [[nodiscard]] const Vec3& P() const { return P_; }
  [[nodiscard]] const Vec3& change() const { return change_; }
  /// x·P, with its derivatives at constant x.
  [[nodiscard]] Root along(const Vec3& x) const {
    Root out(x.dot(P_));
    const Vec3 Mx = seeds_.c.M * x;
    seeds_.add_M(1, x, change_, out);
    seeds_.add_V(-1, Vec3((1 + wanted_.e) * Mx(0), Mx(1), Mx(2)), out);
    if (wanted_.varies) out.d[by_e] = -seeds_.c.V(0) * Mx(0);
    return out;
  }
  /// How far inside the cone P is, in [−1, 1]: (βP_n − α|P_t|)/(βP_n + α|P_t|).
  [[nodiscard]] Root inside(const Cone& cone) const {
    const double tangential = std::hypot(P_(1), P_(2));
    if (!(P_(0) > 0)) return Root(-1);
    if (tangential == 0) return Root(1);
    const double a = cone.beta * P_(0), b = cone.alpha * tangential, sum = a + b, f = 2 / (sum * sum);
    const double along_t = -f * a * cone.alpha / tangential;
    Root out = along(Vec3(f * b * cone.beta, along_t * P_(1), along_t * P_(2)));
    out.v = (a - b) / sum;
    out.d[by_mu] = f * (b * cone.beta_mu * P_(0) - a * cone.alpha_mu * tangential);
    return out;
  }

 private:
  const Seeds& seeds_;
  WantedRebound wanted_;
  Vec3 change_, P_;
};

struct RootAnswer {
  Vec3T<Root> P;
  Root size;        ///< λ
  Root slip;        ///< speed after impact
  double fold = 1;  ///< determinant of (WH1) by its terms: zero where two solutions meet
  Vec3 change;      ///< V⁺ − V
};

/// One slipping solution of (WH1). With P = λ(α, −β v̂) its conditions are n·(V + W P) = V_n + c and
/// v̂⊥·(V + W P) = 0, in the angle of v̂ and λ.
RootAnswer slipping(const WhittakerAnswer<double>& answer, const Seeds& seeds, const WantedRebound& wanted,
                    const Cone& cone) {
  const Local<double>& c = seeds.c;
  RootAnswer out;
  const Vec2& v = answer.direction;
  const double lambda = answer.size;
  const Vec3 along(0, v(0), v(1)), across(0, -v(1), v(0));
  const Vec3 by_lambda(cone.alpha, -cone.beta * v(0), -cone.beta * v(1)), P = lambda * by_lambda;
  const Vec3 by_turn = -lambda * cone.beta * across;
  const Vec3 of_mu(lambda * cone.alpha_mu, -lambda * cone.beta_mu * v(0), -lambda * cone.beta_mu * v(1));
  const Vec3 W_n = c.W.col(0), W_across = c.W * across, W_along = c.W * along;
  const double slip = along.dot(c.V) + W_along.dot(P);
  const double n_angle = W_n.dot(by_turn), t_angle = -slip + W_across.dot(by_turn);
  const double n_lambda = W_n.dot(by_lambda), t_lambda = W_across.dot(by_lambda);
  const double first = n_angle * t_lambda, second = t_angle * n_lambda;
  const double determinant = first - second;
  out.fold = std::abs(determinant) / (std::abs(first) + std::abs(second));
  Root miss_n, miss_t = velocity_along(across, P, seeds);
  seeds.add_W(1, Vec3::UnitX(), P, miss_n);
  seeds.add_V(1 + wanted.e, Vec3::UnitX(), miss_n);
  if (wanted.varies) miss_n.d[by_e] = c.V(0);
  miss_n.d[by_mu] = W_n.dot(of_mu);
  miss_t.d[by_mu] = W_across.dot(of_mu);
  Root turn;
  out.size = Root(lambda);
  add_times(n_lambda / determinant, miss_t, turn);
  add_times(-t_lambda / determinant, miss_n, turn);
  add_times(t_angle / determinant, miss_n, out.size);
  add_times(-n_angle / determinant, miss_t, out.size);
  for (int i = 0; i < 3; ++i) {
    Root& p = out.P(i) = Root(P(i));
    add_times(by_lambda(i), out.size, p);
    if (i > 0) add_times(by_turn(i), turn, p);
    p.d[by_mu] += of_mu(i);
  }
  const double speed = c.V.norm();
  out.slip = velocity_along(along, P, seeds);
  for (int i = 0; i < 3; ++i) add_times(W_along(i), out.P(i), out.slip);
  out.slip = out.slip * (1 / speed);
  out.slip.v = slip / speed;
  seeds.add_V(-out.slip.v / (speed * speed), c.V, out.slip);
  out.change = Vec3(wanted.change(c), slip * v(0) - c.V(1), slip * v(1) - c.V(2));
  return out;
}

/// One solution of Whittaker's equations.
RootAnswer follow(const WhittakerAnswer<double>& answer, const Seeds& seeds, const WantedRebound& wanted, double mu) {
  const Cone cone(mu);
  if (mu > 0 && !answer.sticks) return slipping(answer, seeds, wanted, cone);
  const Local<double>& c = seeds.c;
  RootAnswer out;
  if (mu == 0) {
    const double per = 1 / c.W(0, 0), P_n = wanted.change(c) * per;
    out.P = Vec3T<Root>(Root(P_n), Root(0), Root(0));
    seeds.add_W(-P_n * per, Vec3::UnitX(), Vec3::UnitX(), out.P(0));
    seeds.add_V(-(1 + wanted.e) * per, Vec3::UnitX(), out.P(0));
    if (wanted.varies) out.P(0).d[by_e] = -c.V(0) * per;
    out.size = out.P(0);
    out.change = c.W.col(0) * P_n;
    return out;
  }
  const Sticking stick(seeds, wanted);
  for (int i = 0; i < 3; ++i) out.P(i) = stick.along(Vec3::Unit(i));
  out.change = stick.change();
  out.size = Root(boundless);
  if (cone.alpha > 0) {
    out.size = out.P(0) * (1 / cone.alpha);
    out.size.d[by_mu] += stick.P()(0);
  }
  return out;
}

/// ΔE = P·V + ½ P·WP.
Root energy_of(const Vec3T<Root>& P, const Seeds& seeds) {
  const Local<double>& c = seeds.c;
  const Vec3 p = values_of(P), V_plus = c.V + c.W * p;
  Root out(p.dot(c.V + V_plus) / 2);
  seeds.add_W(0.5, p, p, out);
  seeds.add_V(1, p, out);
  for (int i = 0; i < 3; ++i) add_times(V_plus(i), P(i), out);
  return out;
}

/// Whittaker's answer with the changes of mode that it knows of: to sticking, and to another of several solutions.
Expected<RootAnswer> whittaker_dual(const WhittakerAnswers<double>& answers, const Seeds& seeds,
                                    const WantedRebound& wanted, double mu, LocalDerivatives& out) {
  if (answers.count == 0) return tl::unexpected(lost_to_rounding());
  const WhittakerAnswer<double>& chosen = preferred<double>(answers, seeds.c);
  Expected<RootAnswer> answer = follow(chosen, seeds, wanted, mu);
  if (mu == 0) return answer;
  out.add(stick_or_slip, Sticking(seeds, wanted).inside(Cone(mu)));
  if (chosen.sticks) return answer;
  out.add("slip ends", answer->slip);
  if (!(answer->fold > 1e-9)) out.kink = "two solutions meet";
  out.add("two solutions meet", Root(answer->fold));
  if (answers.count == 1) return answer;
  const Root energy = energy_of(answer->P, seeds);
  for (const WhittakerAnswer<double>& other : answers) {
    if (&other == &chosen) continue;
    const Root rival = energy_of(follow(other, seeds, wanted, mu).P, seeds);
    out.add("change of solution", (rival - energy) / (abs(rival) + abs(energy)));
  }
  return answer;
}

template <int N>
struct Tangential {
  using D = Dual<N>;
  Vec2T<D> w;
  Mat2T<D> W;
  explicit Tangential(const DualContact<N>& c) {
    w = Vec2T<D>(c.W(1, 0), c.W(2, 0));
    W = c.W.template block<2, 2>(1, 1);
  }
};

/// How far inside the cone P is, in [−1, 1].
template <int N>
Dual<N> inside_cone(const ConeWeights<Dual<N>>& cone, const Vec3T<Dual<N>>& P) {
  using D = Dual<N>;
  const double tangential = std::hypot(P(1).v, P(2).v);
  if (!(P(0).v > 0)) return D(-1);
  if (tangential == 0) return D(1);
  return contrast(D(cone.beta * P(0)), D(cone.alpha * sqrt(P(1) * P(1) + P(2) * P(2))));
}

/// The friction that stops the slip g.
template <int N>
Vec2T<Dual<N>> holding_friction(const Mat2T<Dual<N>>& W, const Vec2T<Dual<N>>& g) {
  using D = Dual<N>;
  const D determinant = W(0, 0) * W(1, 1) - W(0, 1) * W(0, 1);
  return {D((W(0, 1) * g(1) - W(1, 1) * g(0)) / determinant), D((W(0, 1) * g(0) - W(0, 0) * g(1)) / determinant)};
}

}  // namespace

Expected<void> differentiate(const Whittaker& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  const auto answer =
      whittaker_dual(whittaker_solutions<double>(law, local, true), Seeds(local, out.by), {law.e, true}, law.mu, out);
  if (!answer) return tl::unexpected(answer.error());
  out.change_of_V = answer->change;
  if (law.mu == 0) out.unset = 2;  // the direction of a vanishing friction is not that of this formula
  out.take<N_root>(answer->P);
  return {};
}

/// (M1) in terms of P: α P_t + β P_n u = 0 with u = (V_t|V_t| + V_t⁺|V_t⁺|)/(V_t² + V_t⁺²), and V_n⁺ = −e V_n.
template <class T>
static Vec3T<T> smith_residual(const Mat3T<T>& W, const Vec3T<T>& V, const Vec3T<T>& P, const T& e,
                               const ConeWeights<T>& cone) {
  using std::sqrt;
  const Vec3T<T> after = V + W * P;
  const T before_2 = V(1) * V(1) + V(2) * V(2), after_2 = after(1) * after(1) + after(2) * after(2);
  const T zero(0);
  const T before = before_2 > zero ? T(sqrt(before_2)) : zero, length = after_2 > zero ? T(sqrt(after_2)) : zero;
  const T scale = cone.beta * P(0) / (before_2 + after_2);
  return {after(0) + e * V(0), cone.alpha * P(1) + scale * (V(1) * before + after(1) * length),
          cone.alpha * P(2) + scale * (V(2) * before + after(2) * length)};
}

Expected<void> differentiate(const Smith& law, const Local<double>& local, const Outcome& outcome,
                             LocalDerivatives& out) {
  constexpr int N = of_parameters + 2;
  using D = Dual<N>;
  const DualContact<N> c(Seeds(local, out.by), law.mu == boundless);
  const D e = parameter<N>(law.e, 0);
  const Vec3 P = local.R.transpose() * outcome.P;
  if (law.mu == boundless) {
    // P = M (V⁺ − V), where the slip is reversed.
    const Vec3T<D> p = c.M * Vec3T<D>(-(D(1) + e) * c.V(0), D(-2) * c.V(1), D(-2) * c.V(2));
    if (!((values_of(p) - P).norm() <= 1e-9 * P.norm()))
      return fail(ErrorCode::invalid, "mu", "inf",
                  "must be finite for derivatives of this law where the bodies separate before the slip is reversed");
    out.add("whether the bodies separate before the slip is reversed", -p(0) * c.W(0, 0) / c.V(0));
    out.take<N>(p);
    return {};
  }
  const Vec3 after = local.V + local.W * P;
  const bool slips =
      local.V(1) * local.V(1) + after(1) * after(1) + after(2) * after(2) > kink_square * local.V.squaredNorm();
  if (!slips && law.mu == 0) {
    out.unset = 2;
    out.take<N>(Vec3T<D>(-(D(1) + e) * c.V(0) / c.W(0, 0), D(0), D(0)));
    return {};
  }
  if (!slips) out.kink = "no slip before and after the impact: its direction, by which the law goes, is not defined";
  using J = Dual<3>;
  Mat3T<J> W;
  Vec3T<J> V, p;
  for (int i = 0; i < 3; ++i) {
    V(i) = J(local.V(i));
    p(i) = J::variable(P(i), i);
    for (int j = 0; j < 3; ++j) W(i, j) = J(local.W(i, j));
  }
  const Vec3T<J> by_P = smith_residual<J>(W, V, p, J(law.e), cone_weights<J>(law.mu));
  Vec3T<D> constant;
  for (int i = 0; i < 3; ++i) constant(i) = D(P(i));
  const Vec3T<D> by_input = smith_residual<D>(c.W, c.V, constant, e, dual_cone<N>(law.mu, by_mu));
  Mat3 A;
  Eigen::Matrix<double, 3, N> b;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) A(i, j) = by_P(i).d[static_cast<std::size_t>(j)];
    for (int j = 0; j < N; ++j) b(i, j) = by_input(i).d[static_cast<std::size_t>(j)];
  }
  const double size = A.row(0).norm() * A.row(1).norm() * A.row(2).norm();
  const double fold = std::abs(A.determinant()) / size;
  if (!(fold > 1e-9) && out.kink == nullptr) out.kink = "two solutions meet";
  out.add("two solutions meet", D(fold));
  const Eigen::Matrix<double, 3, N> dP = -(A.inverse() * b);
  Vec3T<D> dual;
  for (int i = 0; i < 3; ++i) {
    dual(i) = D(P(i));
    for (int j = 0; j < N; ++j) dual(i).d[static_cast<std::size_t>(j)] = dP(i, j);
  }
  out.take<N>(dual);
  return {};
}

namespace {

/// Friction of (A1) in the expansion, as dual numbers: `before` is P of the compression, (p, q) that of the expansion,
/// with p and the radius of q given.
struct ExpansionFriction {
  Vec2T<Root> q;
  Root margin;   ///< how far inside the disk the sticking q is
  Root rebound;  ///< V_n⁺
  bool sticks = false;
};

ExpansionFriction expansion_friction(const Vec3T<Root>& before, const Root& p, const Root& radius, const Seeds& seeds) {
  const Local<double>& c = seeds.c;
  const Vec3 P_c = values_of(before), P_p = P_c + Vec3(p.v, 0, 0);
  const Mat2 W_tt = c.W.block<2, 2>(1, 1);
  const Vec2 g = (c.V + c.W * P_p).tail<2>();
  const double determinant = W_tt(0, 0) * W_tt(1, 1) - W_tt(0, 1) * W_tt(0, 1);
  const auto solve = [&](const Vec2& x) {
    return Vec2((W_tt(1, 1) * x(0) - W_tt(0, 1) * x(1)) / determinant,
                (W_tt(0, 0) * x(1) - W_tt(0, 1) * x(0)) / determinant);
  };
  // What x·V⁺ changes by, x across n, but for the change of q.
  const auto velocity = [&](const Vec2& x, const Vec2& q) {
    const Vec3 X(0, x(0), x(1)), WX = c.W * X;
    Root out = velocity_along(X, P_p + Vec3(0, q(0), q(1)), seeds);
    for (int i = 0; i < 3; ++i) add_times(WX(i), before(i), out);
    add_times(WX(0), p, out);
    return out;
  };
  ExpansionFriction out{Vec2T<Root>(Root(0), Root(0)), Root(-1), Root(0)};
  const Vec2 hold = -solve(g);
  const double length = std::hypot(hold(0), hold(1));
  if (length <= radius.v) {
    // The whole P is M Δ with Δ = (V_n⁺ − V_n, −V_t): of both phases P_n is known, and Δ_n follows.
    out.sticks = true;
    const Vec3 m = c.M.col(0);
    Vec3 change(0, -c.V(1), -c.V(2));
    change(0) = (P_p(0) - m.dot(change)) / m(0);
    Root by_n(change(0));
    add_times(1 / m(0), before(0), by_n);
    add_times(1 / m(0), p, by_n);
    seeds.add_M(-1 / m(0), Vec3::UnitX(), change, by_n);
    seeds.add_V(1 / m(0), Vec3(0, m(1), m(2)), by_n);
    for (int i = 0; i < 2; ++i) {
      const Vec3 Mx = c.M.col(i + 1);
      Root& q = out.q(i) = Root(Mx.dot(change) - P_c(i + 1));
      add_times(Mx(0), by_n, q);
      seeds.add_M(1, Vec3::Unit(i + 1), change, q);
      seeds.add_V(-1, Vec3(0, Mx(1), Mx(2)), q);
      add_times(-1, before(i + 1), q);
    }
    out.rebound = by_n;
    out.rebound.v += c.V(0);
    seeds.add_V(1, Vec3::UnitX(), out.rebound);
    out.margin = Root(1);
    if (length > 0) {
      const Root size = (out.q(0) * out.q(0).v + out.q(1) * out.q(1).v) * (1 / length);
      out.margin = contrast(radius, size);
    }
    return out;
  }
  Root size(length);
  add_times(-1, velocity(solve(Vec2(hold / length)), hold), size);
  out.margin = contrast(radius, size);
  // At radius zero friction opposes g.
  const Vec2 q = radius.v > 0 ? friction_at_given_normal<double>(W_tt, g, radius.v).q : Vec2(-g);
  const Vec2 u = q / std::hypot(q(0), q(1)), across(-u(1), u(0)), held = radius.v * u;
  const Vec2 slip = g + W_tt * held, W_across = W_tt * across;
  const double slope = -u.dot(slip) + radius.v * across.dot(W_across);
  Root turn = velocity(across, held);
  add_times(u.dot(W_across), radius, turn);
  for (int i = 0; i < 2; ++i) {
    out.q(i).v = held(i);
    add_times(u(i), radius, out.q(i));
    add_times(-radius.v * across(i) / slope, turn, out.q(i));
  }
  const Vec3 P_e(p.v, held(0), held(1)), W_n = c.W.col(0);
  out.rebound = Root(W_n.dot(P_e));
  seeds.add_W(1, Vec3::UnitX(), P_e, out.rebound);
  add_times(W_n(0), p, out.rebound);
  for (int i = 0; i < 2; ++i) add_times(W_n(i + 1), out.q(i), out.rebound);
  return out;
}

}  // namespace

Expected<void> differentiate(const AnitescuPotra& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  constexpr int N = N_root;
  using D = Root;
  const WhittakerAnswers<double> answers = whittaker_solutions<double>(Whittaker{0, law.mu}, local, true);
  const Seeds seeds(local, out.by);
  const auto compression = whittaker_dual(answers, seeds, {0, false}, law.mu, out);
  if (!compression) return tl::unexpected(compression.error());
  const Vec3T<D>& P_c = compression->P;
  const D e_k = parameter<N>(law.e_k, 0);
  if (law.mu == 0) {
    out.unset = 2;
    out.take<N>(Vec3T<D>(P_c(0) * (D(1) + e_k), D(0), D(0)));
    return {};
  }
  const ConeWeights<D> cone = dual_cone<N>(law.mu, by_mu);
  const D least = e_k * compression->size;
  const D p = e_k * P_c(0);
  if (law.e_k > 0 && compression->size.v < boundless) {
    const ExpansionFriction friction = expansion_friction(P_c, p, cone.beta * least, seeds);
    out.add("stick and slip in expansion", friction.margin);
    const Vec3 P_e(p.v, friction.q(0).v, friction.q(1).v);
    const double rounding =
        64 * std::numeric_limits<double>::epsilon() * (local.W.row(0).cwiseAbs() * values_of(P_c).cwiseAbs())(0);
    const double terms = local.W.col(0).cwiseAbs().dot(P_e.cwiseAbs());
    out.add("normal impulse of expansion grows to keep the bodies apart", friction.rebound * (1 / (terms + rounding)));
    if (friction.rebound.v >= -rounding) {
      if (friction.sticks) out.change_of_V = Vec3(friction.rebound.v - local.V(0), -local.V(1), -local.V(2));
      out.take<N>(P_c + Vec3T<D>(p, friction.q(0), friction.q(1)));
      return {};
    }
  }
  // What is rare follows in dual numbers throughout.
  const DualContact<N> c(seeds);
  const Tangential<N> t(c);
  const Vec3T<D> V_c = c.V + c.W * P_c;
  const Vec2T<D> V_t(V_c(1), V_c(2));
  if (law.mu == boundless && !(compression->size.v < boundless)) {
    // The section of an endless cone: friction sticks.
    const Vec2T<D> q = holding_friction<N>(t.W, V_t + t.w * p);
    out.take<N>(P_c + Vec3T<D>(p, q(0), q(1)));
    return {};
  }
  if (law.e_k == 0) {
    // Friction of a vanishing expansion: what sticks goes on sticking if it can, what slips goes on slipping.
    if (preferred<double>(answers, local).sticks) {
      const Vec2T<D> hold = holding_friction<N>(t.W, t.w * p);
      const Vec2 per_normal = values_of(t.W).inverse() * values_of(t.w);
      if (per_normal.norm() <= law.mu) {
        out.take<N>(P_c + Vec3T<D>(p, hold(0), hold(1)));
        return {};
      }
      out.unset = 1;
      out.take<N>(P_c);
      return {};
    }
    out.take<N>(P_c * (D(1) + e_k));
    return {};
  }
  // V_n⁺ = 0: sticking, or slip along one of two directions.
  double best = boundless;
  Vec3T<D> P_e;
  Vec3T<D> stop;
  for (int i = 0; i < 3; ++i) stop(i) = -(c.M(i, 1) * V_t(0) + c.M(i, 2) * V_t(1));
  const D room = inside_cone(cone, stop);
  if (stop(0) >= p && room.v >= 0) {
    best = cone.alpha.v > 0 ? stop(0).v / cone.alpha.v : boundless;
    P_e = stop;
    out.add("stick and slip where expansion only keeps the bodies apart", room);
  }
  const D w_size = sqrt(t.w.squaredNorm());
  const D cosine = cone.alpha * c.W(0, 0) / (cone.beta * w_size);
  if (cosine.v <= 1) {
    const D sine = sqrt((D(1) - cosine) * (D(1) + cosine));
    for (const double side : {1.0, -1.0}) {
      const D s = sine * side;
      const Vec2T<D> v((cosine * t.w(0) - s * t.w(1)) / w_size, (cosine * t.w(1) + s * t.w(0)) / w_size);
      const Vec2T<D> r = t.w * cone.alpha - (t.W * v) * cone.beta;
      const D lambda = -cross2<D>(v, V_t) / cross2<D>(v, r);
      if (!(lambda.v >= least.v && lambda.v < best) || v.dot(V_t + r * lambda).v < 0) continue;
      best = lambda.v;
      P_e = Vec3T<D>(cone.alpha * lambda, -cone.beta * lambda * v(0), -cone.beta * lambda * v(1));
    }
  }
  if (!(best < boundless)) return tl::unexpected(lost_to_rounding());
  out.take<N>(P_c + P_e);
  return {};
}

/// Within the plane of n and t = −V_t/s the law knows w = W_nt, w_tt and V_t = −s besides W_nn and V_n, by which the
/// derivatives follow from (DV8) and (DV9).
Expected<void> differentiate(const PfeifferGlocker& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  out.by = By::W;
  constexpr int N = 7, numbers = 4;
  using D = Dual<N>;
  const D e_k = D::variable(law.e_k, 3), nu = D::variable(law.nu, 5), e_t = D::variable(law.e_t, 6);
  const double s = std::abs(local.V(1)), t = local.V(1) > 0 ? -1 : 1;
  const D w_nn(local.W(0, 0)), V_n(local.V(0));
  const D w = D::variable(t * local.W(0, 1), 0), w_tt = D::variable(local.W(1, 1), 1), V_t = D::variable(-s, 2);
  // V_3 turns t by −V_3/s, and with it the plane.
  const double turn = s > 0 ? -1 / s : 0;
  const auto spread = [&](const D& y, double degree_times_value, auto&& row) {
    row.template head<of_parameters>().setZero();
    row(1) = t * y.d[0];
    row(3) = y.d[1];
    row(of_V + 1) = t * y.d[2];
    row(of_V + 2) = turn * (local.W(0, 2) * y.d[0] + 2 * t * local.W(1, 2) * y.d[1]);
    complete(row, degree_times_value, local);
    for (int k = 0; k < numbers; ++k) row(of_parameters + k) = y.d[3U + static_cast<std::size_t>(k)];
  };
  const auto take = [&](const D& P_n, const D& P_t) {
    out.columns = of_parameters + numbers;
    out.P = Vec3(P_n.v, t * P_t.v, 0);
    spread(P_n, P_n.v, out.J.row(0));
    spread(P_t * t, t * P_t.v, out.J.row(1));
    out.J.row(2).setZero();
    out.J(2, of_V + 2) = turn * P_t.v;
  };
  const auto add = [&](const char* what, const D& margin) {
    LocalChange& change = out.change[static_cast<std::size_t>(out.changes++)];
    change.what = what;
    change.distance = margin.v;
    spread(margin, 0, change.gradient);
  };
  if (local.V(1) == 0) {
    if (law.mu > 0) {
      out.kink = "no slip before the impact: the plane of the motion is not defined";
    } else {
      out.unset = 2;
    }
    take(-(D(1) + e_k) * V_n / w_nn, D(0));
    return {};
  }
  const ConeWeights<D> cone = dual_cone<N>(law.mu, 4);
  // Compression.
  const D determinant = w_nn * w_tt - w * w;
  const D stop_n = (w * V_t - w_tt * V_n) / determinant, stop_t = (w * V_n - w_nn * V_t) / determinant;
  const D room = stop_n.v > 0 ? contrast(D(cone.beta * stop_n), D(cone.alpha * abs(stop_t))) : D(-1);
  if (law.mu > 0) add("stick and slip in compression", room);
  D n_c = stop_n, t_c = stop_t, size = cone.alpha.v > 0 ? stop_n / cone.alpha : D(boundless);
  if (!(law.mu > 0 && room.v >= 0)) {
    // Chosen by values; only the chosen one has derivatives.
    double least = boundless, chosen = 0;
    for (const double v : {-1.0, 1.0}) {
      const double k = cone.alpha.v * w_nn.v - cone.beta.v * w.v * v;
      if (!(k > 0)) continue;
      const double lambda = -V_n.v / k;
      const double slip = V_t.v * v + lambda * (cone.alpha.v * w.v * v - cone.beta.v * w_tt.v);
      const double rounding = 64 * std::numeric_limits<double>::epsilon() *
                              (s + lambda * (cone.alpha.v * std::abs(w.v) + cone.beta.v * w_tt.v));
      if (slip < -rounding) continue;
      const double n = cone.alpha.v * lambda, p = -cone.beta.v * lambda * v;
      const double left = n * (V_n.v + (w_nn.v * n + w.v * p) / 2) + p * (V_t.v + (w.v * n + w_tt.v * p) / 2);
      if (!(left < least)) continue;
      least = left;
      chosen = v;
    }
    if (least < boundless) {
      size = -V_n / (cone.alpha * w_nn - cone.beta * w * chosen);
      n_c = cone.alpha * size;
      t_c = cone.beta * size * -chosen;
    }
    if (!(least < boundless)) return tl::unexpected(lost_to_rounding());
  }
  D n_e(0), p_e(0);
  if (law.e_k > 0) {
    const double sigma = t_c.v < 0 ? -1 : 1;
    const D share = t_c.v != 0 ? nu : D(0);
    if (law.nu > 0 && law.mu > 0) add("sign of the stored tangential impulse", t_c / (abs(t_c) + n_c));
    n_e = e_k * n_c;
    const D V_after = V_t + w * n_c + w_tt * t_c;
    const D up = law.mu > 0 ? D(cone.beta * e_k * size) : D(0);
    const D down = law.nu == 1 && t_c.v != 0 && !(up.v < boundless) ? D(0) : D((D(1) - share) * up);
    const D low = share * e_t * e_k * abs(t_c) - down;
    D y = -(V_after + w * n_e) * sigma / w_tt;
    if (law.mu > 0) {
      const double scale = std::abs(y.v) + n_e.v;
      if (up.v < boundless) add("stick and slip in expansion", (up - y) / D(std::abs(up.v) + scale));
      if (low.v > -boundless) add("stick and slip in expansion", (y - low) / D(std::abs(low.v) + scale));
    }
    if (y > up) y = up;
    if (y < low) y = low;
    p_e = y * sigma;
  } else {
    out.unset |= 1;  // the friction of a vanishing expansion
  }
  if (law.mu == 0) out.unset |= 2;
  take(n_c + n_e, t_c + p_e);
  return {};
}

}  // namespace ricochet::derivatives
