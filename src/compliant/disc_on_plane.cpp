#include "ricochet/compliant/disc_on_plane.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "ricochet/compliant/extrapolation.hpp"

namespace ricochet::compliant {
namespace {

constexpr std::size_t size = 19;
using Stepper = Extrapolation<size>;
using State = Stepper::State;
/// Places in the state: centre and axis (less those at the start of the contact, so that their rounding is that of the
/// small way they move, and does not add up), velocity, angular momentum, springs (Ξ while sticking, E while sliding),
/// lost to friction, impulse.
constexpr std::size_t at_x = 0, at_a = 3, at_v = 6, at_L = 9, at_spring = 12, at_lost = 15, at_P = 16;

/// Of the search for a touchdown.
constexpr long most_looks = 20'000'000;
/// Sliding begins and ends at this part of the depth scale v √(m/c). The neglected impulse is 1e-14 of the total, and
/// the 0/0 of (D7) at N = 0 is avoided.
constexpr double threshold = 1e-7;

Vec3 get(const State& y, std::size_t i) { return {y[i], y[i + 1], y[i + 2]}; }
void put(State& y, std::size_t i, const Vec3& v) {
  y[i] = v.x();
  y[i + 1] = v.y();
  y[i + 2] = v.z();
}

/// Everything at one instant of contact.
struct Instant {
  Support reach;
  Vec3 omega, V, S, Q, F;
  double depth, depth_rate, N, r_s, sledge;  ///< sledge: λ
};

class Run {
 public:
  Run(const Disc& disc, const PlaneContact& contact, const DiscRun& run)
      : disc_(disc), contact_(contact), run_(run), c_x_(contact.kappa * contact.stiffness) {
    time_scale_ = std::sqrt(disc.mass / contact.stiffness);
    interval_ = sample_interval(run, time_scale_);
    reach_ = disc.shape.radius + disc.shape.half_thickness + disc.shape.fillet;
  }

  Expected<PlaneProcess> go() {
    const double depth = depth_of(disc_);
    bool pressed = depth > 1e-9 * reach_;
    if (!pressed) record(flying(0));
    while (true) {
      if (!pressed) {
        const auto landed = land();
        if (!landed) return tl::unexpected(landed.error());
        if (!*landed) break;
      }
      if (const auto fine = touch(pressed); !fine) return tl::unexpected(fine.error());
      pressed = false;
      if (out_.step_limit || run_.duration <= 0 || t_ >= run_.duration) break;
      record(flying(0));  // however short the flight that follows, it is a phase
    }
    finish();
    return out_;
  }

 private:
  double depth_of(const Disc& d) const { return support(d.shape, d.axis, -Vec3::UnitZ()).h - d.position.z(); }

  // --- flight ---

  PlaneSample flying(double t) const {
    PlaneSample s;
    s.t = t_ + t;
    s.disc = fly(disc_, t, run_.gravity);
    const Support reach = support(s.disc.shape, s.disc.axis, -Vec3::UnitZ());
    s.depth = reach.h - s.disc.position.z();
    s.rim = reach.rim;
    s.point = s.disc.position + reach.arm;
    s.gap_velocity = s.disc.velocity + s.disc.angular_velocity.cross(reach.arm);
    s.kinetic = kinetic_energy(s.disc);
    s.potential = disc_.mass * run_.gravity * s.disc.position.z();
    s.friction = lost_;
    s.released = released_;
    return s;
  }

  /// Moves to the next touchdown; false if the run ends before.
  Expected<bool> land() {
    const double end = run_.duration > 0 ? run_.duration - t_ : std::numeric_limits<double>::infinity();
    const double turning = angular_momentum(disc_).norm() / std::min(disc_.transverse_inertia, disc_.axial_inertia);
    double t = 0, before = 0;
    bool was_apart = false;
    for (long i = 0;; ++i) {
      const Disc now = fly(disc_, t, run_.gravity);
      const double gap = -depth_of(now);
      if (gap <= 0 && was_apart) {
        touch_down(before, t);
        return true;
      }
      const double floor = 1e-6 * time_scale_;
      // Upper bound on the closing speed of the gap, including gravity.
      const double speed = now.velocity.norm() + turning * reach_ + std::sqrt(2 * run_.gravity * std::max(gap, 0.0));
      if (gap <= 1e-12 * reach_ && !was_apart) {
        const Vec3 arm = support(now.shape, now.axis, -Vec3::UnitZ()).arm;
        const double closing = -(now.velocity + now.angular_velocity.cross(arm)).z();
        if (closing > 0) {  // placed on the plane and moving into it
          touch_down(t, t);
          return true;
        }
      }
      was_apart = was_apart || gap > 0;
      const bool away = now.velocity.z() >= 0 && run_.gravity == 0;
      if (away && (gap > 2 * reach_ || turning == 0 || now.position.z() > reach_ * (1 + 1e-12))) {
        if (run_.duration > 0) break;
        return fail(ErrorCode::invalid, "velocity", to_text(now.velocity.z()),
                    "must bring the disc to the plane; it moves away from it");
      }
      if (speed == 0) {
        if (run_.duration > 0) break;
        return fail(ErrorCode::invalid, "velocity", "0", "must bring the disc to the plane; it is at rest above it");
      }
      if (i > most_looks)
        return fail(ErrorCode::not_converged, "position", to_text(now.position.z()),
                    "too far from the plane for its touchdown to be found");
      before = t;
      t += std::max(0.999 * std::max(gap, 0.0) / speed, floor);
      if (before >= end) break;
      t = std::min(t, end);
    }
    fly_on(end);
    return false;
  }

  /// Between `low` (apart or touching) and `high` (not apart).
  void touch_down(double low, double high) {
    for (int i = 0; i < 200 && high - low > 4e-16 * (std::abs(t_) + high); ++i) {
      const double middle = 0.5 * (low + high);
      (depth_of(fly(disc_, middle, run_.gravity)) < 0 ? low : high) = middle;
    }
    fly_on(high);
  }

  void fly_on(double t) {
    if (!std::isfinite(t)) return;
    const int count = static_cast<int>(std::min<double>(flight_samples, t / interval_));
    for (int i = 1; i < count; ++i) record(flying(t * i / count));
    disc_ = fly(disc_, t, run_.gravity);
    t_ += t;
  }

  // --- contact ---

  Vec3 axis(const State& y) const { return start_.axis + get(y, at_a); }

  Instant look(const State& y, DiscPhase phase) const {
    Instant k;
    const Vec3 a = axis(y), L = get(y, at_L);
    k.reach = support(disc_.shape, a, -Vec3::UnitZ());
    k.omega = L / disc_.transverse_inertia + (1 / disc_.axial_inertia - 1 / disc_.transverse_inertia) * a.dot(L) * a;
    k.depth = (k.reach.h - start_.position.z()) - y[at_x + 2];
    k.N = contact_.stiffness * k.depth;
    k.V = get(y, at_v) + k.omega.cross(k.reach.arm);
    k.depth_rate = -k.V.z();
    k.r_s = contact_.drilling * disc_.shape.radius * (1 - k.reach.rim * k.reach.rim);
    k.S = Vec3(k.V.x(), k.V.y(), k.r_s * k.omega.z());
    k.sledge = 0;
    const Vec3 spring = get(y, at_spring);
    if (contact_.mu == 0) {
      k.Q = Vec3::Zero();
    } else if (phase == DiscPhase::stick) {
      k.Q = -c_x_ * spring;
    } else {
      k.Q = -contact_.mu * k.N * spring;
      k.sledge = spring.dot(k.S) - contact_.mu / contact_.kappa * k.depth_rate;  // (D7)
    }
    k.F = Vec3(k.Q.x(), k.Q.y(), k.N);
    return k;
  }

  void slope(const State& y, State& dy, DiscPhase phase) const {
    const Instant k = look(y, phase);
    put(dy, at_x, get(y, at_v));
    put(dy, at_a, k.omega.cross(axis(y)));
    put(dy, at_v, k.F / disc_.mass - Vec3(0, 0, run_.gravity));
    put(dy, at_L, k.reach.arm.cross(k.F) + Vec3(0, 0, k.r_s * k.Q.z()));
    put(dy, at_P, k.F);
    dy[at_lost] = 0;
    if (contact_.mu == 0) {
      put(dy, at_spring, Vec3::Zero());
    } else if (phase == DiscPhase::stick) {
      put(dy, at_spring, k.S);
    } else if (k.N > 0) {
      const Vec3 E = get(y, at_spring);
      put(dy, at_spring, c_x_ / (contact_.mu * k.N) * (k.S - E.dot(k.S) * E));
      dy[at_lost] = contact_.mu * k.N * k.sledge;
    } else {  // a trial step beyond the end of contact: NaN, so that it is rejected
      put(dy, at_spring, Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
    }
  }

  PlaneSample sample(const State& y, double t, DiscPhase phase) const {
    const Instant k = look(y, phase);
    PlaneSample s;
    s.t = t;
    s.phase = phase;
    s.disc = body(y, k);
    s.depth = k.depth;
    s.force = k.F;
    s.drilling_moment = k.r_s * k.Q.z();
    s.rim = k.reach.rim;
    s.point = s.disc.position + k.reach.arm;
    s.gap_velocity = k.V;
    s.kinetic = 0.5 * disc_.mass * get(y, at_v).squaredNorm() + 0.5 * k.omega.dot(get(y, at_L));
    s.potential = disc_.mass * run_.gravity * (start_.position.z() + y[at_x + 2]);
    s.normal_spring = 0.5 * k.N * k.depth;
    s.tangential_spring = contact_.mu == 0 ? 0 : 0.5 * k.Q.squaredNorm() / c_x_;
    s.friction = y[at_lost];
    s.released = released_;
    return s;
  }

  Disc body(const State& y, const Instant& k) const {
    Disc d = disc_;
    d.position = start_.position + get(y, at_x);
    d.axis = axis(y).normalized();
    d.velocity = get(y, at_v);
    d.angular_velocity = k.omega;
    return d;
  }

  State tolerated(DiscPhase phase) const {
    const double v = speed_scale_, x = v * time_scale_, m = disc_.mass, R = reach_;
    State out;
    // Lengths of the size of R carry the rounding of R.
    const double rounding = 8e-16;
    const auto set = [&](std::size_t i, double size_of) {
      for (std::size_t j = 0; j < 3; ++j) out[i + j] = size_of;
    };
    set(at_x, run_.tolerance * x + rounding * (R + disc_.position.norm()));
    set(at_a, run_.tolerance * x / R + rounding);
    set(at_v, run_.tolerance * v);
    set(at_L, run_.tolerance * m * v * R);
    set(at_spring, phase == DiscPhase::slip ? run_.tolerance * 10 : run_.tolerance * x);
    out[at_lost] = run_.tolerance * m * v * v;
    set(at_P, run_.tolerance * m * v);
    return out;
  }

  /// > 0 once the phase is over; end of contact aside.
  double over(const State& y, DiscPhase phase) const {
    if (contact_.mu == 0) return -1;
    const Instant k = look(y, phase);
    if (phase == DiscPhase::slip) return -k.sledge;
    return std::isinf(contact_.mu) ? -1 : k.Q.norm() - contact_.mu * k.N;
  }

  State state_of(const Disc& disc) {
    start_ = disc;
    State y{};
    put(y, at_v, disc.velocity);
    put(y, at_L, angular_momentum(disc));
    put(y, at_P, out_.P);
    y[at_lost] = lost_;
    return y;
  }

  /// From touchdown, or from a start under load, to separation or the end of the run.
  Expected<void> touch(bool pressed) {
    ++out_.contacts;
    if (out_.contacts == 1) out_.touchdown = t_;
    const double began = t_;
    speed_scale_ = disc_.velocity.norm() + disc_.angular_velocity.norm() * reach_;
    if (pressed) speed_scale_ = std::max(speed_scale_, depth_of(disc_) / time_scale_);
    speed_scale_ = std::max(speed_scale_, run_.gravity * time_scale_);
    DiscPhase phase = DiscPhase::stick;
    const Vec3 arm = support(disc_.shape, disc_.axis, -Vec3::UnitZ()).arm;
    const double closing = -(disc_.velocity + disc_.angular_velocity.cross(arm)).z();
    // But not below the rounding of R.
    lift_ = std::max(threshold * (pressed ? speed_scale_ : std::max(closing, 0.0)) * time_scale_, 1e-14 * reach_);
    if (!pressed) {
      if (!(closing > 0))
        return fail(ErrorCode::invalid, "velocity", to_text(-closing), "grazes the plane without pressing on it");
      if (contact_.mu > 0) {
        const Instant k = look(state_of(disc_), DiscPhase::stick);
        if (k.S.norm() > contact_.mu / contact_.kappa * k.depth_rate) phase = DiscPhase::slip;
      }
      if (phase == DiscPhase::slip) fly_on(lift_ / closing);
    }
    State y = state_of(disc_);
    if (phase == DiscPhase::slip) put(y, at_spring, look(y, DiscPhase::stick).S.normalized());
    record(sample(y, t_, phase));
    if (const auto fine = integrate(y, phase); !fine) return fine;
    out_.contact_time += t_ - began;
    return {};
  }

  Expected<void> integrate(State& y, DiscPhase phase) {
    const double end = run_.duration > 0 ? run_.duration : std::numeric_limits<double>::infinity();
    // Time since the contact began: a long flight before must not reduce the accuracy of short steps.
    const double began = t_;
    double tau = 0;
    double h = 1e-3 * time_scale_;
    const double shortest = 1e-11 * time_scale_;
    State dy, to, to_slope, difference;
    bool fresh = true;  // no sample of this phase yet
    double up_to_seam = 0;
    slope(y, dy, phase);
    State scale = tolerated(phase);
    while (true) {
      if (out_.steps >= run_.most_steps) {
        out_.step_limit = true;
        break;
      }
      ++out_.steps;
      h = std::min(h, longest_step * time_scale_);
      const bool last = t_ + h >= end;
      if (last) h = end - t_;
      const auto f = [&](const State& from, State& into) { slope(from, into, phase); };
      Stepper::step(f, y, dy, h, to, to_slope, difference);
      const double error = Stepper::error(difference, scale);
      if (error > 1 && !(last && h < shortest)) {
        h *= Stepper::growth(error);
        if (h < 1e-15 * time_scale_ || tau + h == tau)
          return fail(ErrorCode::not_converged, "tolerance", to_text(run_.tolerance),
                      "cannot be reached; the step fell below rounding");
        continue;
      }
      if (h > up_to_seam && look(to, phase).reach.piece != look(y, phase).reach.piece) {
        // A step across a seam of the shape loses the order of the method: end it there.
        h = up_to_seam = seam(y, dy, h, phase);
        continue;
      }
      up_to_seam = 0;
      const double level = phase == DiscPhase::slip && contact_.mu > 0 ? lift_ : 0;
      const auto depth = [&](const State& state) { return level - look(state, phase).depth; };
      const bool lifts = depth(to) >= 0 && -look(to, phase).depth_rate > 0;
      const double phase_over = over(to, phase);
      if (phase_over > 0 && fresh && h > shortest) {
        h *= 0.25;
        continue;
      }
      if (!lifts && !(phase_over > 0)) {
        fresh = false;
        y = to;
        dy = to_slope;
        tau += h;
        t_ = last ? end : began + tau;
        note(y, phase);
        if (last) break;
        h *= Stepper::growth(error);
        continue;
      }
      // The earlier event ends this step.
      double cut = h;
      bool separates = false;
      if (lifts) {
        cut = locate(y, dy, cut, phase, depth);
        separates = true;
      }
      if (phase_over > 0 || (lifts && over(stepped(y, dy, cut, phase), phase) > 0)) {
        const double change = locate(y, dy, cut, phase, [&](const State& state) { return over(state, phase); });
        if (change < cut || !separates) {
          cut = change;
          separates = false;
        }
      }
      y = stepped(y, dy, cut, phase);
      tau += cut;
      t_ = began + tau;
      if (separates) {
        note(y, phase);
        break;
      }
      record(sample(y, t_, phase));
      const Instant k = look(y, phase);
      if (phase == DiscPhase::stick) {
        put(y, at_spring, get(y, at_spring).normalized());
        phase = DiscPhase::slip;
      } else {
        put(y, at_spring, contact_.mu * k.N / c_x_ * get(y, at_spring));
        phase = DiscPhase::stick;
      }
      record(sample(y, t_, phase));
      scale = tolerated(phase);
      slope(y, dy, phase);
      fresh = true;
      h = std::min(h, 1e-2 * time_scale_);
    }
    leave(y, phase);
    return {};
  }

  State stepped(const State& y, const State& dy, double h, DiscPhase phase) const {
    State to, to_slope, difference;
    Stepper::step([&](const State& from, State& into) { slope(from, into, phase); }, y, dy, h, to, to_slope,
                  difference);
    return to;
  }

  /// Just behind the first seam of the shape between 0 and h, where there is one.
  double seam(const State& y, const State& dy, double h, DiscPhase phase) const {
    const int piece = look(y, phase).reach.piece;
    double low = 0, high = h;
    while (high - low > 1e-7 * h) {
      const double middle = 0.5 * (low + high);
      (look(stepped(y, dy, middle, phase), phase).reach.piece == piece ? low : high) = middle;
    }
    return high;
  }

  /// Where `value` first is not negative between 0 and h, it being so at h: regula falsi with halving.
  template <class Value>
  double locate(const State& y, const State& dy, double h, DiscPhase phase, const Value& value) const {
    double low = 0, high = h, f_low = value(y), f_high = value(stepped(y, dy, h, phase));
    if (!(f_low < 0)) return h;  // the start of a phase that lasts less than the shortest step
    for (int i = 0; i < 100 && high - low > 1e-15 * time_scale_ && f_high > 0; ++i) {
      double middle = low - f_low * (high - low) / (f_high - f_low);
      if (i % 3 == 2 || !(middle > low && middle < high)) middle = 0.5 * (low + high);
      const double f = value(stepped(y, dy, middle, phase));
      if (f < 0) {
        low = middle;
        f_low = f;
      } else {
        high = middle;
        f_high = f;
      }
    }
    return high;
  }

  /// End of contact or of the run: record the energy in the springs.
  void leave(const State& y, DiscPhase phase) {
    const Instant k = look(y, phase);
    disc_ = body(y, k);
    lost_ = y[at_lost];
    out_.P = get(y, at_P);
    const PlaneSample last = sample(y, t_, phase);
    record(last);
    contact_open_ = out_.step_limit || (run_.duration > 0 && t_ >= run_.duration);
    if (contact_open_) return;
    // Sliding ends with nothing in the springs but what the threshold left.
    (phase == DiscPhase::slip ? lost_ : released_) += last.tangential_spring;
    if (k.depth > 0 && k.depth_rate < 0) fly_on(-k.depth / k.depth_rate);
  }

  // --- books ---

  void note(const State& y, DiscPhase phase) {
    const PlaneSample s = sample(y, t_, phase);
    balance(s);
    if (t_ >= next_sample_) record(s);
  }

  void balance(const PlaneSample& s) {
    if (out_.samples.empty()) total_ = s.total();
    largest_ = std::max({largest_, std::abs(s.kinetic), std::abs(s.normal_spring), std::abs(s.friction)});
    worst_ = std::max(worst_, std::abs(s.total() - total_));
    out_.largest_force = std::max(out_.largest_force, s.force.z());
  }

  void record(const PlaneSample& s) {
    balance(s);
    out_.samples.push_back(s);
    next_sample_ = (std::floor(s.t / interval_) + 1) * interval_;  // on a grid: delays do not accumulate
  }

  void finish() {
    if (!contact_open_) record(flying(0));
    out_.after = disc_;
    out_.energy_change = out_.samples.back().kinetic - out_.samples.front().kinetic;
    out_.residual = largest_ > 0 ? worst_ / largest_ : worst_;
  }

  Disc disc_, start_;  ///< now, or when the contact began; when it began
  PlaneContact contact_;
  DiscRun run_;
  double c_x_, time_scale_ = 0, interval_ = 0, reach_ = 0;
  double t_ = 0, next_sample_ = 0, lift_ = 0, speed_scale_ = 0;
  double lost_ = 0, released_ = 0;
  double total_ = 0, largest_ = 0, worst_ = 0;
  bool contact_open_ = false;
  PlaneProcess out_;  // its samples are a vector, because their number depends on the motion
};

Expected<void> check(const PlaneContact& c) {
  if (!(c.stiffness > 0) || !std::isfinite(c.stiffness))
    return fail(ErrorCode::out_of_range, "stiffness", to_text(c.stiffness), "must be positive and finite");
  if (!(c.kappa > 0) || !std::isfinite(c.kappa))
    return fail(ErrorCode::out_of_range, "kappa", to_text(c.kappa), "must be positive and finite");
  if (!(c.mu >= 0)) return fail(ErrorCode::out_of_range, "mu", to_text(c.mu), "must be from 0 to inf");
  if (!(c.drilling >= 0 && c.drilling <= 1))
    return fail(ErrorCode::out_of_range, "drilling", to_text(c.drilling), "must be from 0 to 1");
  return {};
}

}  // namespace

std::string_view name(DiscPhase phase) {
  return phase == DiscPhase::flight ? "flight" : phase == DiscPhase::stick ? "stick" : "slip";
}

Expected<PlaneProcess> collide(const Disc& disc, const PlaneContact& contact, const DiscRun& run) {
  const auto fine = check(disc).and_then([&] { return check(contact); }).and_then([&] { return check(run); });
  if (!fine) return tl::unexpected(fine.error());
  // An initial overlap under its weight is valid; a centre below the plane is not.
  if (disc.position.z() < 0)
    return fail(ErrorCode::out_of_range, "position", to_text(disc.position.z()),
                "the centre must not begin below the plane, z = 0");
  return Run(disc, contact, run).go();
}

}  // namespace ricochet::compliant
