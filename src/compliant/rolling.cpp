#include "ricochet/compliant/rolling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace ricochet::compliant {
namespace {

constexpr std::size_t most_phases = 1'000'000;

/// 1 − cos x and x − sin x without cancellation.
double versine(double x) { return 2 * std::sin(0.5 * x) * std::sin(0.5 * x); }
double x_less_sine(double x) {
  if (std::abs(x) > 0.5) return x - std::sin(x);
  double term = x * x * x / 6, sum = term;
  for (int k = 4; k < 30; k += 2) {
    term *= -x * x / (k * (k + 1.0));
    sum += term;
  }
  return sum;
}

struct Constants {
  double alpha, beta, limit, frequency;  ///< α, β of (RW2), μN, Ω
};

Constants constants(const Wheel& w) {
  const double beta = 1 / w.mass + w.radius * w.radius / w.inertia;
  return {w.force / w.mass - w.radius * w.torque / w.inertia, beta, w.mu * w.load, std::sqrt(beta * w.stiffness)};
}

double sign(double x) { return x < 0 ? -1 : 1; }

/// The state a time t after `from`, in the same phase.
WheelState advance(const Wheel& w, const WheelState& from, double t) {
  const Constants k = constants(w);
  WheelState s = from;
  s.t = from.t + t;
  double impulse = 0, moment = 0;  // ∫ f dt, and its integral once more
  if (from.phase == RollingPhase::stick) {
    // (RW3), written with the slope of the gap so that nothing is lost for short times.
    const double O = k.frequency, slope = k.alpha - k.beta * w.stiffness * from.xi;
    const double S = std::sin(O * t), U = versine(O * t), X = x_less_sine(O * t);
    s.xi = from.xi + from.gap / O * S + slope / (O * O) * U;
    s.gap = from.gap * std::cos(O * t) + slope / O * S;
    const double way = from.gap / (O * O) * U + slope / (O * O * O) * X;  // ∫ (ξ − ξ₀) dt
    impulse = -w.stiffness * (from.xi * t + way);
    const double twice = from.gap / (O * O * O) * X + slope / (O * O * O * O) * (0.5 * O * t * O * t - U);
    moment = -w.stiffness * (0.5 * from.xi * t * t + twice);
    s.friction_force = -w.stiffness * s.xi;
  } else {
    const double f = from.friction_force;
    s.gap = from.gap + (k.alpha + k.beta * f) * t;
    impulse = f * t;
    moment = 0.5 * f * t * t;
    s.friction = from.friction + k.limit * std::abs(from.gap * t + 0.5 * (k.alpha + k.beta * f) * t * t);
  }
  s.v = from.v + (w.force * t + impulse) / w.mass;
  s.omega = from.omega + (w.torque * t - w.radius * impulse) / w.inertia;
  s.x = from.x + from.v * t + (0.5 * w.force * t * t + moment) / w.mass;
  s.angle = from.angle + from.omega * t + (0.5 * w.torque * t * t - w.radius * moment) / w.inertia;
  s.kinetic = 0.5 * w.mass * s.v * s.v + 0.5 * w.inertia * s.omega * s.omega;
  s.spring = 0.5 * w.stiffness * s.xi * s.xi;
  s.drive = w.force * s.x + w.torque * s.angle;
  return s;
}

/// First t > 0 at which ξ = ξ̄ + A cos Ωt + B sin Ωt reaches `level` from below, or infinity. ξ starts at or below it.
double first_reach(double mean, double A, double B, double frequency, double level) {
  const double amplitude = std::hypot(A, B);
  if (!(amplitude > level - mean)) return std::numeric_limits<double>::infinity();
  // ξ − ξ̄ = amplitude cos(Ωt − phase), rising through the level at Ωt = phase − arccos.
  double angle = std::atan2(B, A) - std::acos(std::max(-1.0, (level - mean) / amplitude));
  const double turn = 2 * std::numbers::pi;
  angle -= turn * std::floor(angle / turn);
  return angle / frequency;
}

double phase_length(const Wheel& w, const WheelState& s) {
  const Constants k = constants(w);
  if (s.phase == RollingPhase::slip) {
    const double slope = k.alpha + k.beta * s.friction_force;
    const double way = -sign(s.friction_force) * slope;  // of the slip's own growth
    return way < 0 ? std::abs(s.gap / slope) : std::numeric_limits<double>::infinity();
  }
  if (std::isinf(k.limit)) return std::numeric_limits<double>::infinity();
  const double level = k.limit / w.stiffness, mean = k.alpha / (k.frequency * k.frequency);
  const double A = s.xi - mean, B = s.gap / k.frequency;
  double up = first_reach(mean, A, B, k.frequency, level), down = first_reach(-mean, -A, -B, k.frequency, level);
  // For a phase that begins at the limit and moves inwards, the start itself is a root: the next one is a period later.
  const double turn = 2 * std::numbers::pi / k.frequency, close = 1e-9 * turn;
  const double slope = k.alpha - k.beta * w.stiffness * s.xi;
  const bool inwards = s.gap * s.xi < 0 || (s.gap == 0 && slope * s.xi < 0);
  if (inwards && std::abs(s.xi) >= level * (1 - 1e-12)) {
    if (s.xi > 0 && up < close) up += turn;
    if (s.xi < 0 && down < close) down += turn;
  }
  return std::min(up, down);
}

/// The phase that follows the end of a phase in `s`.
void change(const Wheel& w, WheelState& s) {
  const Constants k = constants(w);
  if (s.phase == RollingPhase::stick) {
    const double side = sign(s.xi);
    s.phase = RollingPhase::slip;
    s.xi = side * k.limit / w.stiffness;
    s.friction_force = -side * k.limit;
    return;
  }
  s.gap = 0;
  const double side = -sign(s.friction_force);
  s.xi = side * k.limit / w.stiffness;
  s.phase = RollingPhase::stick;
  s.friction_force = -side * k.limit;
}

Expected<void> check(const Wheel& w) {
  const auto positive = [](const char* field, double x) -> Expected<void> {
    if (!(x > 0) || !std::isfinite(x))
      return fail(ErrorCode::out_of_range, field, to_text(x), "must be positive and finite");
    return {};
  };
  const auto finite = [](const char* field, double x) -> Expected<void> {
    if (!std::isfinite(x)) return fail(ErrorCode::out_of_range, field, to_text(x), "must be finite");
    return {};
  };
  auto fine = positive("radius", w.radius)
                  .and_then([&] { return positive("mass", w.mass); })
                  .and_then([&] { return positive("inertia", w.inertia); })
                  .and_then([&] { return positive("load", w.load); })
                  .and_then([&] { return positive("stiffness", w.stiffness); })
                  .and_then([&] { return finite("velocity", w.velocity); })
                  .and_then([&] { return finite("spin", w.spin); })
                  .and_then([&] { return finite("force", w.force); })
                  .and_then([&] { return finite("torque", w.torque); })
                  .and_then([&] { return finite("deflection", w.deflection); });
  if (!fine) return fine;
  if (!(w.mu >= 0)) return fail(ErrorCode::out_of_range, "mu", to_text(w.mu), "must be from 0 to inf");
  if (std::abs(w.deflection) * w.stiffness > w.mu * w.load * (1 + 1e-12))
    return fail(ErrorCode::out_of_range, "deflection", to_text(w.deflection),
                "must not exceed what friction holds, mu load / stiffness = " + to_text(w.mu * w.load / w.stiffness));
  return {};
}

}  // namespace

std::string_view name(RollingPhase phase) { return phase == RollingPhase::stick ? "stick" : "slip"; }

Expected<Rolling> roll(const Wheel& wheel, double duration) {
  if (const auto fine = check(wheel); !fine) return tl::unexpected(fine.error());
  if (!(duration > 0) || !std::isfinite(duration))
    return fail(ErrorCode::out_of_range, "duration", to_text(duration), "must be positive and finite");
  const Constants k = constants(wheel);
  Rolling out;
  out.wheel = wheel;
  out.duration = duration;
  const double ratio = wheel.inertia / (wheel.mass * wheel.radius);
  // (RW5): ideal rolling has the momentum m v + J ω/R, which F + T/R drives.
  out.ideal_velocity = (wheel.velocity + wheel.spin * ratio) / (1 + ratio / wheel.radius) +
                       (wheel.force + wheel.torque / wheel.radius) * duration /
                           (wheel.mass + wheel.inertia / (wheel.radius * wheel.radius));
  WheelState s;
  s.v = wheel.velocity;
  s.omega = wheel.spin;
  s.gap = wheel.velocity - wheel.radius * wheel.spin;
  s.xi = wheel.deflection;
  s.friction_force = -wheel.stiffness * s.xi;
  if (wheel.mu == 0) {
    s.phase = RollingPhase::slip;
    s.friction_force = -0.0;
  } else if (std::abs(s.friction_force) >= k.limit && s.gap * s.xi > 0) {
    change(wheel, s);
  }
  s = advance(wheel, s, 0);
  for (;;) {
    out.phases.push_back(s);
    const double length = wheel.mu == 0 ? std::numeric_limits<double>::infinity() : phase_length(wheel, s);
    if (!(s.t + length < duration)) break;
    s = advance(wheel, s, length);
    change(wheel, s);
    if (out.phases.size() >= most_phases)
      return fail(ErrorCode::not_converged, "duration", to_text(duration),
                  "too long: more than 1000000 changes of phase");
  }
  const WheelState& last = out.phases.back();
  out.grips = last.phase == RollingPhase::stick;
  if (out.grips) {
    const double mean = k.alpha / (k.frequency * k.frequency);
    const double amplitude = std::hypot(last.xi - mean, last.gap / k.frequency);
    out.largest_gap_after_grip = amplitude * k.frequency;
  }
  return out;
}

Expected<WheelState> Rolling::at(double t) const {
  if (!(t >= 0 && t <= duration))
    return fail(ErrorCode::out_of_range, "t", to_text(t), "must be from 0 to the duration, " + to_text(duration));
  const auto after = std::upper_bound(phases.begin(), phases.end(), t,
                                      [](double time, const WheelState& state) { return time < state.t; });
  const WheelState& from = *(after - 1);
  return advance(wheel, from, t - from.t);
}

}  // namespace ricochet::compliant
