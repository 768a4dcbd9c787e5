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

template <int N>
struct Tangential {
  using D = Dual<N>;
  Vec2T<D> V, w;
  Mat2T<D> W;
  explicit Tangential(const DualContact<N>& c) {
    V = Vec2T<D>(c.V(1), c.V(2));
    w = Vec2T<D>(c.W(1, 0), c.W(2, 0));
    W = c.W.template block<2, 2>(1, 1);
  }
};

/// The sticking impulse of a wanted change of the normal velocity.
template <int N>
Vec3T<Dual<N>> sticking(const DualContact<N>& c, const Dual<N>& change) {
  Vec3T<Dual<N>> P;
  for (int i = 0; i < 3; ++i) P(i) = c.M(i, 0) * change - c.M(i, 1) * c.V(1) - c.M(i, 2) * c.V(2);
  return P;
}

/// How far inside the cone P is, in [−1, 1].
template <int N>
Dual<N> inside_cone(const ConeWeights<Dual<N>>& cone, const Vec3T<Dual<N>>& P) {
  using D = Dual<N>;
  const double tangential = std::hypot(P(1).v, P(2).v);
  if (!(P(0).v > 0)) return D(-1);
  if (tangential == 0) return D(1);
  return contrast(D(cone.beta * P(0)), D(cone.alpha * sqrt(P(1) * P(1) + P(2) * P(2))));
}

template <int N>
struct DualAnswer {
  using D = Dual<N>;
  Vec3T<D> P;
  D size;           ///< λ
  D slip;           ///< speed after impact
  double fold = 1;  ///< determinant of (WH1) by its terms: zero where two solutions meet
};

/// One solution of Whittaker's equations with c = `change`, as dual numbers.
template <int N>
DualAnswer<N> follow(const WhittakerAnswer<double>& answer, const DualContact<N>& c, const Dual<N>& change,
                     const Dual<N>& mu) {
  using D = Dual<N>;
  DualAnswer<N> out;
  const ConeWeights<D> cone = cone_weights<D, D>(mu);
  if (mu.v == 0) {
    out.P = Vec3T<D>(change / c.W(0, 0), D(0), D(0));
    out.size = out.P(0);
    return out;
  }
  if (answer.sticks) {
    out.P = sticking(c, change);
    out.size = cone.alpha.v > 0 ? out.P(0) / cone.alpha : D(boundless);
    return out;
  }
  const Tangential<N> t(c);
  const Vec2T<D> v{D(answer.direction(0)), D(answer.direction(1))};
  const Vec2T<D> across(-v(1), v(0));
  const D lambda(answer.size);
  const Vec2T<D> r = t.w * cone.alpha - (t.W * v) * cone.beta;
  const D k = cone.alpha * c.W(0, 0) - cone.beta * t.w.dot(v);
  const Vec2T<D> after = t.V + r * lambda;
  const D miss_n = lambda * k - change;
  const D miss_t = cross2<D>(v, after);
  const double n_angle = (-lambda * cone.beta * t.w.dot(across)).v;
  const double t_angle = (-v.dot(after) - lambda * cone.beta * cross2<D>(v, Vec2T<D>(t.W * across))).v;
  const double t_lambda = cross2<D>(v, r).v, n_lambda = k.v;
  const double first = n_angle * t_lambda, second = t_angle * n_lambda;
  const double determinant = first - second;
  out.fold = std::abs(determinant) / (std::abs(first) + std::abs(second));
  D turn(0), size(answer.size);
  for (std::size_t i = 0; i < N; ++i) {
    turn.d[i] = (n_lambda * miss_t.d[i] - t_lambda * miss_n.d[i]) / determinant;
    size.d[i] = (t_angle * miss_n.d[i] - n_angle * miss_t.d[i]) / determinant;
  }
  const Vec2T<D> direction = v + across * turn;
  out.size = size;
  out.P = Vec3T<D>(cone.alpha * size, -cone.beta * size * direction(0), -cone.beta * size * direction(1));
  const Vec2T<D> slid = t.V + (t.w * cone.alpha - (t.W * direction) * cone.beta) * size;
  const D speed = sqrt(c.V(0) * c.V(0) + c.V(1) * c.V(1) + c.V(2) * c.V(2));
  out.slip = direction.dot(slid) / speed;
  return out;
}

/// Whittaker's answer with the changes of mode that it knows of: to sticking, and to another of several solutions.
template <int N>
Expected<DualAnswer<N>> whittaker_dual(const WhittakerAnswers<double>& answers, const Local<double>& local,
                                       const DualContact<N>& c, const Dual<N>& change, const Dual<N>& mu,
                                       LocalDerivatives& out) {
  using D = Dual<N>;
  if (answers.count == 0) return tl::unexpected(lost_to_rounding());
  const WhittakerAnswer<double>& chosen = preferred<double>(answers, local);
  const DualAnswer<N> answer = follow(chosen, c, change, mu);
  if (mu.v == 0) return answer;
  out.add(stick_or_slip, inside_cone(cone_weights<D, D>(mu), sticking(c, change)));
  if (chosen.sticks) return answer;
  out.add("slip ends", answer.slip);
  if (!(answer.fold > 1e-9)) out.kink = "two solutions meet";
  out.add("two solutions meet", D(answer.fold));
  const Vec3T<D>& P = answer.P;
  const D energy = energy_change<D>(c.W, c.V, P);
  for (const WhittakerAnswer<double>& other : answers) {
    if (&other == &chosen) continue;
    const DualAnswer<N> rival = follow(other, c, change, mu);
    const D rival_energy = energy_change<D>(c.W, c.V, rival.P);
    out.add("change of solution", (rival_energy - energy) / (abs(rival_energy) + abs(energy)));
  }
  return answer;
}

/// Friction of (A1) as dual numbers. `margin` is how far inside the disk the sticking q is.
template <int N>
Vec2T<Dual<N>> friction_dual(const Mat2T<Dual<N>>& W, const Vec2T<Dual<N>>& g, const Dual<N>& radius, Dual<N>& margin,
                             bool& sticks) {
  using D = Dual<N>;
  sticks = false;
  margin = D(-1);
  if (!(radius.v > 0) && radius.d == D().d) return Vec2T<D>(D(0), D(0));
  const D determinant = W(0, 0) * W(1, 1) - W(0, 1) * W(0, 1);
  const Vec2T<D> hold((W(0, 1) * g(1) - W(1, 1) * g(0)) / determinant, (W(0, 1) * g(0) - W(0, 0) * g(1)) / determinant);
  const double length = std::hypot(hold(0).v, hold(1).v);
  if (length > 0 && radius.v < boundless) margin = contrast(radius, D(sqrt(hold.squaredNorm())));
  if (length <= radius.v) {
    if (length == 0) margin = D(1);
    sticks = true;
    return hold;
  }
  Vec2 q;
  if (radius.v > 0) {
    q = friction_at_given_normal<double>(values_of(W), values_of(g), radius.v).q;
  } else {
    q = -values_of(g);  // at radius zero friction opposes g
  }
  const double angle = std::atan2(q(1), q(0));
  const Vec2T<D> u{D(std::cos(angle)), D(std::sin(angle))}, across(-u(1), u(0));
  const Vec2T<D> slip = g + (W * u) * radius;
  const double slope = (cross2<D>(across, slip) + cross2<D>(u, Vec2T<D>((W * across) * radius))).v;
  const D turn = newton_step(0, cross2<D>(u, slip), slope);
  return (u + across * turn) * radius;
}

}  // namespace

Expected<void> differentiate(const Whittaker& law, const Local<double>& local, const Outcome&, LocalDerivatives& out) {
  constexpr int N = of_parameters + 2;
  using D = Dual<N>;
  const DualContact<N> c(local);
  const D e = parameter<N>(law.e, 0), mu = parameter<N>(law.mu, 1);
  const auto answer =
      whittaker_dual<N>(whittaker_solutions<double>(law, local, true), local, c, -(D(1) + e) * c.V(0), mu, out);
  if (!answer) return tl::unexpected(answer.error());
  if (law.mu == 0) out.unset = 2;  // the direction of a vanishing friction is not that of this formula
  out.take<N>(answer->P);
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
  const DualContact<N> c(local, law.mu == boundless);
  const D e = parameter<N>(law.e, 0), mu = parameter<N>(law.mu, 1);
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
  const Vec3T<D> by_input = smith_residual<D>(c.W, c.V, constant, e, cone_weights<D, D>(mu));
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

Expected<void> differentiate(const AnitescuPotra& law, const Local<double>& local, const Outcome&,
                             LocalDerivatives& out) {
  constexpr int N = of_parameters + 2;
  using D = Dual<N>;
  const DualContact<N> c(local);
  const D e_k = parameter<N>(law.e_k, 0), mu = parameter<N>(law.mu, 1);
  const WhittakerAnswers<double> answers = whittaker_solutions<double>(Whittaker{0, law.mu}, local, true);
  const auto compression = whittaker_dual<N>(answers, local, c, -c.V(0), mu, out);
  if (!compression) return tl::unexpected(compression.error());
  const Vec3T<D>& P_c = compression->P;
  if (law.mu == 0) {
    out.unset = 2;
    out.take<N>(Vec3T<D>(P_c(0) * (D(1) + e_k), D(0), D(0)));
    return {};
  }
  const ConeWeights<D> cone = cone_weights<D, D>(mu);
  const Tangential<N> t(c);
  const Vec3T<D> V_c = c.V + c.W * P_c;
  const Vec2T<D> V_t(V_c(1), V_c(2));
  const D least = e_k * compression->size;
  const D p = e_k * P_c(0);
  D margin;
  bool sticks = false;
  if (law.mu == boundless && !(compression->size.v < boundless)) {
    // The section of an endless cone: friction sticks.
    const Vec2T<D> g = V_t + t.w * p;
    const Vec2T<D> q = friction_dual<N>(t.W, g, D(boundless), margin, sticks);
    out.take<N>(P_c + Vec3T<D>(p, q(0), q(1)));
    return {};
  }
  if (law.e_k == 0) {
    // Friction of a vanishing expansion: what sticks goes on sticking if it can, what slips goes on slipping.
    if (preferred<double>(answers, local).sticks) {
      const Vec2T<D> g = t.w * p;
      const Vec2T<D> hold = friction_dual<N>(t.W, g, D(boundless), margin, sticks);
      Vec2 per_normal = Vec2::Zero();
      const Mat2 W_tt = values_of(t.W);
      per_normal = W_tt.inverse() * values_of(t.w);
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
  const Vec2T<D> q = friction_dual<N>(t.W, V_t + t.w * p, cone.beta * least, margin, sticks);
  out.add("stick and slip in expansion", margin);
  const D rebound = c.W(0, 0) * p + t.w.dot(q);
  const double terms = std::abs(c.W(0, 0).v * p.v) + std::abs(t.w(0).v * q(0).v) + std::abs(t.w(1).v * q(1).v);
  const double rounding =
      64 * std::numeric_limits<double>::epsilon() * (local.W.row(0).cwiseAbs() * values_of(P_c).cwiseAbs())(0);
  if (law.e_k > 0) out.add("normal impulse of expansion grows to keep the bodies apart", rebound / D(terms + rounding));
  if (rebound.v >= -rounding) {
    out.take<N>(P_c + Vec3T<D>(p, q(0), q(1)));
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
  constexpr int N = 7, numbers = 4;
  using D = Dual<N>;
  const D e_k = D::variable(law.e_k, 3), mu = D::variable(law.mu, 4), nu = D::variable(law.nu, 5);
  const D e_t = D::variable(law.e_t, 6);
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
  const ConeWeights<D> cone = cone_weights<D, D>(mu);
  const auto energy = [&](const D& n, const D& p) {
    return n * (V_n + (w_nn * n + w * p) / D(2)) + p * (V_t + (w * n + w_tt * p) / D(2));
  };
  // Compression.
  const D determinant = w_nn * w_tt - w * w;
  const D stop_n = (w * V_t - w_tt * V_n) / determinant, stop_t = (w * V_n - w_nn * V_t) / determinant;
  const D room = stop_n.v > 0 ? contrast(D(cone.beta * stop_n), D(cone.alpha * abs(stop_t))) : D(-1);
  if (law.mu > 0) add("stick and slip in compression", room);
  D n_c = stop_n, t_c = stop_t, size = cone.alpha.v > 0 ? stop_n / cone.alpha : D(boundless);
  if (!(law.mu > 0 && room.v >= 0)) {
    double least = boundless;
    for (const double v : {-1.0, 1.0}) {
      const D k = cone.alpha * w_nn - cone.beta * w * v;
      if (!(k.v > 0)) continue;
      const D lambda = -V_n / k;
      const D slip = V_t * v + lambda * (cone.alpha * w * v - cone.beta * w_tt);
      const double rounding = 64 * std::numeric_limits<double>::epsilon() *
                              (s + lambda.v * (cone.alpha.v * std::abs(w.v) + cone.beta.v * w_tt.v));
      if (slip.v < -rounding) continue;
      const D n = cone.alpha * lambda, p = -cone.beta * lambda * v;
      const double left = energy(n, p).v;
      if (!(left < least)) continue;
      least = left;
      n_c = n;
      t_c = p;
      size = lambda;
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
