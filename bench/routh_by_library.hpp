#pragma once
/// Routh's law for those who have a general ODE library: the library integrates the slip; what is algebra (sticking,
/// slip that resumes, the last of a dying slip) is done as algebra here, once for every library.

#include <benchmark/benchmark.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "problems.hpp"
#include "ricochet/law/routh.hpp"
#include "ricochet/law/routh_kernel.hpp"

namespace ricochet::bench {

struct Impulse {
  Vec3 P = Vec3::Zero();
  bool ok = false;
};

enum class Form {
  stated,   ///< by normal impulse p, CR98 Eq. 7: the direction of slip turns infinitely fast as slip stops
  regular,  ///< by τ with dp = |V_t| dτ, in which the right-hand side is smooth
};

/// v_n, v_1, v_2, p, P_1, P_2, normal work.
using State = std::array<double, 7>;

/// What happens between and after the steps of the library.
template <Form form>
class SlipPhases {
 public:
  SlipPhases(const Routh& law, const Local<double>& c) : law_(law), c_(c), x_{c.V(0), c.V(1), c.V(2), 0, 0, 0, 0} {}

 protected:
  static double slip(const State& y) { return std::sqrt(y[1] * y[1] + y[2] * y[2]); }

  void slope(const State& y, State& dy) const {
    double p = 1;
    double pull_1 = -law_.mu * y[1];
    double pull_2 = -law_.mu * y[2];
    const double s = slip(y);
    if constexpr (form == Form::stated) {
      pull_1 /= s;
      pull_2 /= s;
    } else {
      p = s;
    }
    const Vec3 dV = c_.W * Vec3(p, pull_1, pull_2);
    dy = {dV(0), dV(1), dV(2), p, pull_1, pull_2, y[0] * p};
  }

  /// Comes up to zero where the present phase ends.
  [[nodiscard]] double measure(const State& y) const {
    if (compressing_) return y[0];
    return law_.restitution == Restitution::poisson ? y[3] - p_stop_ : y[6] - work_stop_;
  }
  [[nodiscard]] double measure_rate(const State&, const State& dy) const {
    if (compressing_) return dy[0];
    return law_.restitution == Restitution::poisson ? dy[3] : dy[6];
  }

  bool ends() {
    if (!compressing_) return true;
    compressing_ = false;
    x_[0] = 0;
    p_stop_ = (1 + law_.e) * x_[3];
    work_stop_ = (1 - law_.e * law_.e) * x_[6];
    return law_.e == 0;
  }

  /// Motion at constant rates, dV_n/dp = k, by normal impulse.
  Impulse straight_on(double k, const Vec2& pull) {
    for (int phase = 0; phase < 2; ++phase) {
      double dp = 0;
      if (compressing_) {
        if (!(k > 0)) return {};
        dp = -x_[0] / k;
      } else if (law_.restitution == Restitution::poisson) {
        dp = p_stop_ - x_[3];
      } else {
        const double left = work_stop_ - x_[6];
        dp = 2 * left / (x_[0] + std::sqrt(x_[0] * x_[0] + 2 * k * left));
      }
      x_[6] += dp * (x_[0] + k * dp / 2);
      x_[0] += k * dp;
      x_[3] += dp;
      x_[4] += pull(0) * dp;
      x_[5] += pull(1) * dp;
      if (ends()) return {Vec3(x_[3], x_[4], x_[5]), true};
    }
    return {};
  }

  Impulse after_slip() {
    const Vec2 v(x_[1], x_[2]);
    const Vec2 w(c_.W(1, 0), c_.W(2, 0));
    const Mat2 A = c_.W.block<2, 2>(1, 1);
    const Vec2 direction = v.normalized();
    const double closing = direction.dot(law_.mu * A * direction - w);
    const double rest = v.norm() / closing;
    const double k_rest = c_.W(0, 0) - law_.mu * w.dot(direction);
    x_[6] += rest * (x_[0] + k_rest * rest / 2);
    x_[0] += k_rest * rest;
    x_[3] += rest;
    x_[4] -= law_.mu * direction(0) * rest;
    x_[5] -= law_.mu * direction(1) * rest;

    const Vec2 hold = A.inverse() * w;
    if (hold.norm() <= law_.mu) return straight_on(c_.W(0, 0) - w.dot(hold), -hold);
    // (μ W_tt + g) v̂ = w, |v̂| = 1.
    double g = 0;
    Vec2 u = Vec2::Zero();
    for (int i = 0; i < 50; ++i) {
      const Mat2 inverse = (law_.mu * A + g * Mat2::Identity()).inverse();
      u = inverse * w;
      const double length = u.norm();
      const double step = (length - 1) * length * length / u.dot(inverse * u);
      g += step;
      if (std::abs(step) <= 1e-15 * g) break;
    }
    u.normalize();
    return straight_on(c_.W(0, 0) - law_.mu * w.dot(u), -law_.mu * u);
  }

  const Routh& law_;
  const Local<double>& c_;
  State x_{};
  bool compressing_ = true;
  double p_stop_ = 0, work_stop_ = 0;
};

inline Impulse by_law(const Routh& law, const Local<double>& local) {
  const Solution<double> s = solve(law, local);
  return {s.P, s.termination != Termination::no_solution && s.termination != Termination::not_converged};
}

inline constexpr std::size_t checked = 256;  ///< of the problems, against extended precision

template <auto answer>
void run(benchmark::State& state, Restitution restitution) {
  const auto law = [&](const Problem& p) { return Routh{.e = p.e, .mu = p.mu, .restitution = restitution}; };
  std::size_t i = 0;
  for (auto _ : state) {
    const Problem& p = typical()[i++ % count];
    benchmark::DoNotOptimize(answer(law(p), p.local));
  }
  static std::array<std::vector<Vec3>, 2> references;
  std::vector<Vec3>& exact = references[restitution == Restitution::poisson ? 0 : 1];
  for (std::size_t k = exact.size(); k < checked; ++k) {
    const Problem& p = typical()[k];
    const Solution<long double> s = solve(law(p), localize<long double>(p.contact));
    exact.push_back(s.P.cast<double>());
  }
  std::vector<double> errors;
  double failed = 0;
  for (std::size_t k = 0; k < checked; ++k) {
    const Problem& p = typical()[k];
    const Impulse a = answer(law(p), p.local);
    failed += !a.ok;
    if (a.ok) errors.push_back((a.P - exact[k]).norm() / (p.contact.M * p.contact.V).norm());
  }
  state.counters["failed"] = failed;
  if (errors.empty()) return state.SkipWithError("no answer");
  std::sort(errors.begin(), errors.end());
  state.counters["median error"] = errors[errors.size() / 2];
  state.counters["largest error"] = errors.back();
}

}  // namespace ricochet::bench
