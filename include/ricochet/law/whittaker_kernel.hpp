#pragma once
/// Whittaker's law, also Kane and Levinson's, docs/laws/whittaker.md.

#include <array>
#include <cmath>
#include <limits>

#include "ricochet/base/polynomial.hpp"
#include "ricochet/law/one_answer.hpp"
#include "ricochet/law/solution.hpp"
#include "ricochet/law/whittaker.hpp"

namespace ricochet {

template <class T, class S = double>
RICOCHET_HD ConeWeights<T> cone_weights(const S& mu) {
  if (mu == std::numeric_limits<double>::infinity()) return {T(0), T(1)};
  return {T(1) / (T(1) + T(mu)), T(mu) / (T(1) + T(mu))};
}

/// P with W P = change. `reached` is false where W is singular and cannot produce the change. Local<T>::M is W⁻¹ only
/// to rounding times its condition number, so P is refined against W itself.
template <class T>
struct WantedChange {
  Vec3T<T> P;
  bool reached;
};

template <class T>
RICOCHET_HD WantedChange<T> impulse_for(const Local<T>& c, const Vec3T<T>& change) {
  constexpr T eps = std::numeric_limits<T>::epsilon();
  Vec3T<T> P = c.M * change;
  Vec3T<T> residual = change - c.W * P;
  const auto rounding = [&] { return T(4) * eps * (c.W.cwiseAbs() * P.cwiseAbs()).sum(); };
  for (int i = 0; i < 4 && residual.cwiseAbs().sum() > rounding(); ++i) {
    const Vec3T<T> better = P + c.M * residual;
    const Vec3T<T> rest = change - c.W * better;
    if (!(rest.cwiseAbs().sum() < residual.cwiseAbs().sum() / T(2))) break;
    P = better;
    residual = rest;
  }
  // 1e-9 is the tolerance to which a singular W is asked to hold V in its range.
  const bool reached = residual.cwiseAbs().sum() <= T(1e-9) * change.cwiseAbs().sum() + T(16) * rounding();
  return {P, reached};
}

template <class T>
struct WhittakerAnswer {
  Vec3T<T> P;
  Vec2T<T> direction;  ///< v̂ of the slip after impact; zero when it sticks
  T slip;              ///< slip speed after impact, 0 when it sticks
  T size;  ///< λ in P = λ(α, −β v̂) when it slips; when it sticks the λ of the cone's section at that P_n
  bool sticks;
};

template <class T>
struct WhittakerAnswers {
  std::array<WhittakerAnswer<T>, 5> list;
  int count = 0;
  int evaluations = 0;

  RICOCHET_HD void add(const WhittakerAnswer<T>& answer) { list[static_cast<std::size_t>(count++)] = answer; }
  [[nodiscard]] const WhittakerAnswer<T>* begin() const { return list.data(); }
  [[nodiscard]] const WhittakerAnswer<T>* end() const { return list.data() + count; }
};

/// A zero of f by Newton's iteration from the unit vector v. False where the iteration does not settle.
template <class T>
RICOCHET_HD bool settle_on_circle(const Trigonometric<T>& f, Vec2T<T>& v) {
  using std::abs;
  using std::sqrt;
  for (int i = 0; i < 12; ++i) {
    const T turn = -f.value(v) / f.slope(v);
    if (!(abs(turn) < T(1))) return false;
    v = Vec2T<T>(v(0) - turn * v(1), v(1) + turn * v(0));
    v /= sqrt(v.squaredNorm());
    if (abs(turn) < T(1e-5)) return true;  // what is left is its square
  }
  return false;
}

/// All solutions; the sticking one, if there is one, comes first, and `only_stick_if_it_can` then ends the search.
///
/// Slip: c = −(1+e)V_n > 0 is the change of normal velocity asked for, r(v̂) = α w − β W_tt v̂ the tangential velocity
/// per λ, k(v̂) = α w_nn − β w·v̂ the normal one. λ = c/k, and
///   V_t + λ r(v̂) = s v̂,  s ≥ 0,  k > 0.                                                               (WH1)
/// Crossed with v̂ and multiplied by k,
///   k(v̂) v̂×V_t + c v̂×r(v̂) = 0,                                                                       (WH2)
/// a trigonometric polynomial of degree 2 in the direction of v̂: at most four directions, and no other unknown.
template <class T>
RICOCHET_HD WhittakerAnswers<T> whittaker_solutions(const Whittaker& law, const Local<T>& local,
                                                    bool only_stick_if_it_can = false) {
  using std::abs;
  using std::sqrt;
  constexpr T eps = std::numeric_limits<T>::epsilon();
  WhittakerAnswers<T> answers;
  answers.evaluations = 1;
  const Mat3T<T>& W = local.W;
  const T c = -(T(1) + T(law.e)) * local.V(0);
  const Vec2T<T> V_t(local.V(1), local.V(2));
  const Vec2T<T> w(W(1, 0), W(2, 0));
  const Vec2T<T> none(T(0), T(0));
  if (law.mu == 0) {
    const T P_n = c / W(0, 0);
    const Vec2T<T> after = V_t + w * P_n;
    const T slip = sqrt(after.squaredNorm());
    answers.add({Vec3T<T>(P_n, T(0), T(0)), slip > T(0) ? Vec2T<T>(after / slip) : none, slip, P_n, !(slip > T(0))});
    return answers;
  }
  const ConeWeights<T> weights = cone_weights<T>(law.mu);
  const T alpha = weights.alpha, beta = weights.beta;

  WantedChange<T> stick = impulse_for<T>(local, Vec3T<T>(c, -V_t(0), -V_t(1)));
  // A normal impulse that happens to stop the slip needs no friction. Where W is regular this is the same impulse;
  // where it is singular P is not unique, and the one of least norm may lie outside the cone.
  const T frictionless = c / W(0, 0);
  if ((V_t + w * frictionless).cwiseAbs().sum() <= T(16) * eps * (V_t.cwiseAbs() + w.cwiseAbs() * frictionless).sum())
    stick = {Vec3T<T>(frictionless, T(0), T(0)), true};
  const T stick_t = sqrt(stick.P(1) * stick.P(1) + stick.P(2) * stick.P(2));
  const bool sticks = stick.reached && stick.P(0) >= T(0) && alpha * stick_t <= beta * stick.P(0);
  if (sticks) {
    const T infinity = std::numeric_limits<T>::infinity();
    // α = 0 with P_n = 0 is the edge of the half space, where the section has just the radius that is needed.
    const T size = alpha > T(0) ? stick.P(0) / alpha : stick.P(0) > T(0) ? infinity : stick_t;
    answers.add({stick.P, none, T(0), size, true});
    if (only_stick_if_it_can) return answers;
  }

  const Mat2T<T> W_tt = W.template block<2, 2>(1, 1);
  const T across = (w(0) * V_t(1) + w(1) * V_t(0)) / T(2);
  const T along = (w(1) * V_t(1) - w(0) * V_t(0)) / T(2);
  const Trigonometric<T> f{beta * (w(1) * V_t(0) - w(0) * V_t(1)) / T(2), alpha * (W(0, 0) * V_t(1) + c * w(1)),
                           -alpha * (W(0, 0) * V_t(0) + c * w(0)), -beta * (across + c * W_tt(0, 1)),
                           -beta * (along + c * (W_tt(1, 1) - W_tt(0, 0)) / T(2))};
  const auto cross = [](const Vec2T<T>& x, const Vec2T<T>& y) { return x(0) * y(1) - x(1) * y(0); };
  const T w_size = sqrt(w.squaredNorm());
  const T W_tt_size = sqrt(W_tt.squaredNorm());
  const T V_t_size = sqrt(V_t.squaredNorm());
  const auto examine = [&](Vec2T<T> v) {
    ++answers.evaluations;
    Vec2T<T> r = alpha * w - beta * (W_tt * v);
    T k = alpha * W(0, 0) - beta * w.dot(v);
    if (k < -T(4) * eps * (alpha * W(0, 0) + beta * w_size)) return;
    // λ = c/k; but near grazing k may vanish with c, and where it is rounding the other factors of (WH2) give λ
    // more accurately.
    T lambda = c / k;
    if (!(k > T(1000) * eps * (alpha * W(0, 0) + beta * w_size))) {
      const T by_turn = -cross(v, V_t) / cross(v, r);
      if (by_turn > T(0)) lambda = by_turn;
    }
    if (!(lambda > T(0) && lambda < std::numeric_limits<T>::max())) return;
    // (WH2) holds (WH1) only as well as k is known; Newton's iteration on (WH1) itself, in the angle of v̂ and λ.
    Vec2T<T> after = V_t + lambda * r;
    T miss_n = lambda * k - c;
    T miss_t = cross(v, after);
    for (int step = 0; step < 3; ++step) {
      const T terms = V_t_size + c + lambda * (alpha * (W(0, 0) + w_size) + beta * (w_size + W_tt_size));
      if (abs(miss_n) + abs(miss_t) <= T(2) * eps * terms) break;
      const Vec2T<T> normal(-v(1), v(0));
      const T n_angle = -lambda * beta * w.dot(normal);
      const T t_angle = -v.dot(after) - lambda * beta * cross(v, Vec2T<T>(W_tt * normal));
      const T t_lambda = cross(v, r);
      const T determinant = n_angle * t_lambda - t_angle * k;
      const T angle = (k * miss_t - t_lambda * miss_n) / determinant;
      const T longer = (t_angle * miss_n - n_angle * miss_t) / determinant;
      if (!(abs(angle) < T(0.1) && abs(longer) < lambda)) break;
      Vec2T<T> v_next = v + angle * normal;
      v_next /= sqrt(v_next.squaredNorm());
      const T lambda_next = lambda + longer;
      const Vec2T<T> r_next = alpha * w - beta * (W_tt * v_next);
      const T k_next = alpha * W(0, 0) - beta * w.dot(v_next);
      const Vec2T<T> after_next = V_t + lambda_next * r_next;
      const T miss_n_next = lambda_next * k_next - c;
      const T miss_t_next = cross(v_next, after_next);
      if (!(abs(miss_n_next) + abs(miss_t_next) < abs(miss_n) + abs(miss_t))) break;
      v = v_next;
      lambda = lambda_next;
      r = r_next;
      k = k_next;
      after = after_next;
      miss_n = miss_n_next;
      miss_t = miss_t_next;
    }
    const T slip = v.dot(after);
    // Slip below rounding of its terms is zero slip: the border between slip and stick belongs to both. Where rounding
    // leaves no digit of the velocities, or (WH1) is not met, there is no answer.
    const T rounding = T(64) * eps * (V_t_size + lambda * (alpha * w_size + beta * W_tt_size));
    if (!(rounding < V_t_size + c) || !(abs(miss_n) + abs(miss_t) <= T(64) * (rounding + eps * c))) return;
    if (slip < -rounding || (sticks && slip <= rounding)) return;
    answers.add({Vec3T<T>(alpha * lambda, -beta * lambda * v(0), -beta * lambda * v(1)), v, slip, lambda, false});
  };
  // One answer needs no search for the others.
  if (!sticks && V_t_size > T(0) && has_one_answer<T>(W, {alpha, beta})) {
    Vec2T<T> v = stick_t > T(0) ? Vec2T<T>(-stick.P(1) / stick_t, -stick.P(2) / stick_t) : Vec2T<T>(V_t / V_t_size);
    if (settle_on_circle(f, v)) examine(v);
    if (answers.count > 0) return answers;
  }
  const CircleZeros<T> directions = zeros_on_circle(f);
  for (int i = 0; i < directions.count; ++i) examine(directions.at[static_cast<std::size_t>(i)]);
  return answers;
}

/// The sticking answer where it is admissible; else the one that leaves the least kinetic energy.
template <class T>
RICOCHET_HD const WhittakerAnswer<T>& preferred(const WhittakerAnswers<T>& answers, const Local<T>& local) {
  std::size_t best = 0;
  if (!answers.list[0].sticks) {
    T least = energy_change<T>(local.W, local.V, answers.list[0].P);
    for (int i = 1; i < answers.count; ++i) {
      const T energy = energy_change<T>(local.W, local.V, answers.list[static_cast<std::size_t>(i)].P);
      if (energy < least) {
        least = energy;
        best = static_cast<std::size_t>(i);
      }
    }
  }
  return answers.list[best];
}

template <class T>
RICOCHET_HD Solution<T> solve(const Whittaker& law, const Local<T>& c) {
  const WhittakerAnswers<T> answers = whittaker_solutions<T>(law, c, true);
  if (answers.count == 0) {
    Solution<T> none = straight<T>(c, Vec3T<T>::Zero(), Mode::slip, Termination::no_solution);
    none.evaluations = answers.evaluations;
    return none;
  }
  const WhittakerAnswer<T>& answer = preferred<T>(answers, c);
  Solution<T> s = straight<T>(c, answer.P, answer.sticks ? Mode::stick : Mode::slip,
                              answer.sticks || law.mu == 0 ? Termination::closed_form : Termination::root_found);
  s.evaluations = answers.evaluations;
  return s;
}

}  // namespace ricochet
