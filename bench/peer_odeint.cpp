/// Routh's law as one would integrate it with a general ODE library (Boost.odeint, Runge–Kutta–Fehlberg 7(8)) at the
/// accuracy that the law itself has. The library integrates the slip; what is algebra (sticking, slip that resumes, the
/// last of a dying slip) is done as algebra, and events are found by Newton's iteration on the length of a step.

#include <boost/numeric/odeint.hpp>

#include "routh_by_library.hpp"

// odeint copies a stepper whose scratch space is still empty.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"

namespace ricochet::bench {
namespace {

/// Of the values tried, the loosest with which no error among the problems is far above 1e-12 and none fails: a looser
/// tolerance lets the slip miss zero, a larger remainder is not yet straight.
constexpr double tolerance = 1e-13;
constexpr double remainder = 1e-11;

template <Form form>
class SlipByOdeint : SlipPhases<form> {
  using Base = SlipPhases<form>;
  using Base::after_slip, Base::c_, Base::ends, Base::measure, Base::measure_rate, Base::slip, Base::slope, Base::x_;

 public:
  SlipByOdeint(const Routh& law, const Local<double>& c) : SlipPhases<form>(law, c) {}

  Impulse run() {
    namespace ode = boost::numeric::odeint;
    using Stepper = ode::runge_kutta_fehlberg78<State>;
    Stepper plain;
    auto controlled = ode::make_controlled<Stepper>(tolerance * std::abs(c_.V(0)), tolerance);
    const auto system = [&](const State& y, State& dy, double) { slope(y, dy); };
    const double start = slip(x_);
    double t = 0;
    double step = 0.3 / (c_.W(0, 0) * (form == Form::stated ? 1 / std::abs(c_.V(0)) : 1));
    for (int count = 0; count < 10'000; ++count) {
      const State before = x_;
      const double t_before = t;
      if constexpr (form == Form::stated) {  // stay clear of zero slip, where the right-hand side jumps
        State dx{};
        slope(x_, dx);
        step = std::min(step, 0.7 * slip(x_) / std::hypot(dx[1], dx[2]));
      }
      double trial = step;
      if (controlled.try_step(system, x_, t, trial) == ode::fail) {
        step = trial;
        continue;
      }
      step = trial;
      if (measure(x_) >= 0) {
        double length = t - t_before;
        State dx{};
        for (int i = 0; i < 20; ++i) {
          slope(x_, dx);
          const double correction = measure(x_) / measure_rate(x_, dx);
          length -= correction;
          x_ = before;
          plain.do_step(system, x_, t_before, length);
          if (std::abs(correction) <= 1e-14 * length) break;
        }
        t = t_before + length;
        if (ends()) return {Vec3(x_[3], x_[4], x_[5]), true};
        continue;
      }
      if (slip(x_) < remainder * start) return after_slip();
    }
    return {};
  }
};

template <Form form>
Impulse by_library(const Routh& law, const Local<double>& local) {
  return SlipByOdeint<form>(law, local).run();
}

}  // namespace

void register_odeint() {
  for (const auto& [restitution, name] :
       {std::pair{Restitution::poisson, "poisson"}, std::pair{Restitution::stronge, "stronge"}}) {
    const std::string base = std::string("routh/") + name + "/";
    benchmark::RegisterBenchmark((base + "ricochet").c_str(), run<by_law>, restitution);
    benchmark::RegisterBenchmark((base + "odeint, as stated").c_str(), run<by_library<Form::stated>>, restitution);
    benchmark::RegisterBenchmark((base + "odeint, regular form").c_str(), run<by_library<Form::regular>>, restitution);
  }
}

}  // namespace ricochet::bench

#pragma GCC diagnostic pop
