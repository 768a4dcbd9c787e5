#include "ricochet/compliant/disc_on_disc.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "ricochet/base/text.hpp"
#include "ricochet/compliant/extrapolation.hpp"

namespace ricochet::compliant {
namespace {

/// The positions of the two, the input of (DD1).
struct Pose {
  const DiscShape& shape;
  Vec3 x, a;
};

/// Matrix of radii of curvature of (DD4), on the tangent plane at d.
Mat3 radii(const Support& s, const Vec3& axis, const Vec3& d) {
  const Mat3 plane = Mat3::Identity() - d * d.transpose();
  Mat3 A = s.axis_radius * plane;
  if (s.sine > 1e-12) {  // around the axis itself the two radii are equal
    const Vec3 m = (axis - axis.dot(d) * d) / s.sine;
    A += (s.meridian_radius - s.axis_radius) * m * m.transpose();
  }
  return A;
}

struct Trial {
  Support one, two;
  double value;
};

Trial try_direction(const Pose& A, const Pose& B, const Vec3& d) {
  Trial t{support(A.shape, A.a, d), support(B.shape, B.a, -d), 0};
  t.value = d.dot(B.x - A.x) - t.one.h - t.two.h;
  return t;
}

/// Newton's method on the sphere from `d`, damped (Levenberg) while a full step does not increase Φ. Returns nothing
/// unless it ends at a maximum.
std::optional<DiscGap> climb(const Pose& A, const Pose& B, Vec3 d) {
  const Vec3 s = B.x - A.x;
  const double size = A.shape.radius + A.shape.half_thickness + B.shape.radius + B.shape.half_thickness +
                      A.shape.fillet + B.shape.fillet + s.norm();
  Trial here = try_direction(A, B, d);
  double damping = 0;
  for (int i = 0; i < 500; ++i) {
    const Vec3 full = s - here.one.arm - here.one.dome * d + here.two.arm - here.two.dome * d;
    const Vec3 slope = full - full.dot(d) * d;
    Vec3 e = Vec3::UnitX();
    if (std::abs(d.x()) > 0.6) e = Vec3::UnitY();
    const Vec3 b1 = (e - e.dot(d) * d).normalized(), b2 = d.cross(b1);
    const Mat3 A12 = radii(here.one, A.a, d) + radii(here.two, B.a, -d);
    const double m11 = b1.dot(A12 * b1) + here.value, m22 = b2.dot(A12 * b2) + here.value, m12 = b1.dot(A12 * b2);
    const double half = 0.5 * (m11 + m22), lowest = half - std::hypot(0.5 * (m11 - m22), m12);
    const double g1 = slope.dot(b1), g2 = slope.dot(b2);
    // The position of d that belongs to this slope: rounding of the slope by the least radius.
    if (lowest > 0 && std::hypot(g1, g2) <= 4e-16 * size) break;
    const double shift = damping + (lowest > 1e-14 * size ? 0 : 1e-3 * size - lowest);
    const double determinant = (m11 + shift) * (m22 + shift) - m12 * m12;
    double t1 = ((m22 + shift) * g1 - m12 * g2) / determinant, t2 = ((m11 + shift) * g2 - m12 * g1) / determinant;
    if (const double length = std::hypot(t1, t2); length > 0.5) {
      t1 *= 0.5 / length;
      t2 *= 0.5 / length;
    }
    const Vec3 next = (d + t1 * b1 + t2 * b2).normalized();
    const Trial there = try_direction(A, B, next);
    const double move = (next - d).norm();
    const double rounding = 4e-16 * size;
    if (there.value > here.value - rounding) {
      const bool settled = move < 1e-9 && std::abs(there.value - here.value) <= rounding;
      d = next;
      here = there;
      damping = damping > 1e-6 * size ? 0.2 * damping : 0;
      if (settled && lowest > 0 && move <= 1e-15 + 4e-16 * size / lowest) break;
    } else {
      damping = std::max(4 * damping, 1e-4 * size);
      if (damping > 1e6 * size) return std::nullopt;
    }
    if (i == 499) return std::nullopt;
  }
  const Mat3 A12 = radii(here.one, A.a, d) + radii(here.two, B.a, -d);
  const Vec3 e = std::abs(d.x()) > 0.6 ? Vec3::UnitY() : Vec3::UnitX();
  const Vec3 b1 = (e - e.dot(d) * d).normalized(), b2 = d.cross(b1);
  const double m11 = b1.dot(A12 * b1) + here.value, m22 = b2.dot(A12 * b2) + here.value, m12 = b1.dot(A12 * b2);
  if (!(0.5 * (m11 + m22) - std::hypot(0.5 * (m11 - m22), m12) > 0)) return std::nullopt;
  return DiscGap{here.value, d, here.one.arm, here.two.arm, here.one.rim, here.two.rim, here.one.piece, here.two.piece};
}

Error no_normal() {
  return {ErrorCode::out_of_range, "fillet", "",
          "the discs touch along edges with a common tangent: their fillets together must exceed the depth"};
}

Pose pose(const Disc& d) { return {d.shape, d.position, d.axis}; }

Expected<DiscGap> search(const Disc& A, const Disc& B) {
  // For separate discs, the only positive maximum is found from any start; several starts also cover discs that just
  // touch.
  const Vec3 s = B.position - A.position;
  const auto towards = [&](const Vec3& a) { return Vec3(a.dot(s) < 0 ? -a : a); };
  std::array<Vec3, 4> starts{s, towards(A.axis), towards(B.axis), towards(A.axis) + towards(B.axis)};
  std::optional<DiscGap> best;
  for (const Vec3& start : starts) {
    if (!(start.norm() > 0)) continue;
    const auto found = climb(pose(A), pose(B), start.normalized());
    if (found && (!best || found->distance > best->distance)) best = found;
  }
  if (!best) return tl::unexpected(no_normal());
  return *best;
}

constexpr std::size_t size = 27;
using Stepper = Extrapolation<size>;
using State = Stepper::State;
/// Of either disc: centre and axis (less those at the start of the contact, so that their rounding is that of the small
/// way they move), velocity, angular momentum; then the impulse.
constexpr std::size_t at_x = 0, at_a = 3, at_v = 6, at_L = 9, of_B = 12, at_P = 24;
/// Of the search for a touchdown.
constexpr long most_looks = 5'000'000;

Vec3 get(const State& y, std::size_t i) { return {y[i], y[i + 1], y[i + 2]}; }
void put(State& y, std::size_t i, const Vec3& v) {
  y[i] = v.x();
  y[i + 1] = v.y();
  y[i + 2] = v.z();
}

Vec3 spin(const Disc& disc, const Vec3& a, const Vec3& L) {
  return L / disc.transverse_inertia + (1 / disc.axial_inertia - 1 / disc.transverse_inertia) * a.dot(L) * a;
}

class Run {
 public:
  Run(const Disc& A, const Disc& B, double stiffness, const DiscRun& run) : A_(A), B_(B), c_(stiffness), run_(run) {
    time_scale_ = std::sqrt(A.mass * B.mass / (A.mass + B.mass) / stiffness);
    interval_ = sample_interval(run, time_scale_);
    reach_A_ = A.shape.radius + A.shape.half_thickness + A.shape.fillet;
    reach_B_ = B.shape.radius + B.shape.half_thickness + B.shape.fillet;
  }

  Expected<DiscPairProcess> go() {
    const auto first = search(A_, B_);
    if (!first) return tl::unexpected(first.error());
    if (first->distance < -1e-9 * (reach_A_ + reach_B_))
      return fail(ErrorCode::invalid, "position", to_text(first->distance), "the discs must not overlap at the start");
    normal_ = first->normal;
    record(flying(0, *first));
    while (true) {
      const auto met = meet();
      if (!met) return tl::unexpected(met.error());
      if (!*met) break;
      if (const auto fine = touch(); !fine) return tl::unexpected(fine.error());
      if (out_.step_limit || run_.duration <= 0 || t_ >= run_.duration) break;
      // However short the flight that follows, it is a phase.
      if (const auto fine = record_flight(); !fine) return tl::unexpected(fine.error());
    }
    if (!contact_open_)
      if (const auto fine = record_flight(); !fine) return tl::unexpected(fine.error());
    out_.A = A_;
    out_.B = B_;
    out_.energy_change = out_.samples.back().kinetic - out_.samples.front().kinetic;
    out_.residual = largest_energy_ > 0 ? worst_energy_ / largest_energy_ : worst_energy_;
    out_.momentum_residual = std::max(worst_p_ / std::max(largest_p_, std::numeric_limits<double>::min()),
                                      worst_L_ / std::max(largest_L_, std::numeric_limits<double>::min()));
    return out_;
  }

 private:
  Expected<void> record_flight() {
    const auto gap = climb(pose(A_), pose(B_), normal_);
    if (!gap) return tl::unexpected(no_normal());
    record(flying(0, *gap));
    return {};
  }

  DiscPairSample flying(double t, const DiscGap& gap) const {
    DiscPairSample s;
    s.t = t_ + t;
    s.A = fly(A_, t);
    s.B = fly(B_, t);
    s.gap = gap;
    s.kinetic = kinetic_energy(s.A) + kinetic_energy(s.B);
    return s;
  }

  /// Free flight to the next touchdown; false if there is none before the end.
  Expected<bool> meet() {
    const double end = run_.duration > 0 ? run_.duration - t_ : std::numeric_limits<double>::infinity();
    const double turning = spin_bound(A_) * reach_A_ + spin_bound(B_) * reach_B_;
    const Vec3 v = B_.velocity - A_.velocity;
    const double speed = v.norm() + turning;
    double t = 0, before = 0;
    bool was_apart = false;
    for (long i = 0; i < most_looks; ++i) {
      const Disc A = fly(A_, t), B = fly(B_, t);
      // Separate discs may face each other in any way; for discs that have just touched the maximum is tracked.
      const auto gap = was_apart || out_.contacts == 0 ? search(A, B) : follow(A, B);
      if (!gap) return tl::unexpected(gap.error());
      if (gap->distance <= 0 && was_apart) {
        if (const auto fine = bisect(before, t); !fine) return tl::unexpected(fine.error());
        return true;
      }
      normal_ = gap->normal;
      if (!was_apart && gap->distance <= 1e-12 * (reach_A_ + reach_B_) && closing(A, B, *gap) > 0) {
        fly_on(t);
        return true;
      }
      was_apart = was_apart || gap->distance > 0;
      const Vec3 s = B.position - A.position;
      const bool away = s.dot(v) >= 0;
      if (speed == 0 || (away && s.norm() > reach_A_ + reach_B_) || (turning == 0 && away && never(*gap, v))) {
        if (run_.duration > 0) break;
        if (out_.contacts > 0) return false;
        return fail(ErrorCode::invalid, "velocity", to_text(v),
                    "must bring the discs together; B moves so relative to A, and they miss");
      }
      before = t;
      t += std::max(0.999 * std::max(gap->distance, 0.0) / speed, 1e-6 * time_scale_);
      if (before >= end) break;
      t = std::min(t, end);
    }
    if (!std::isfinite(end))
      return fail(ErrorCode::not_converged, "position", to_text(A_.position),
                  "the discs are too far apart for their touchdown to be found");
    fly_on(end);
    return false;
  }

  /// Without rotation, discs that move apart along the separating direction never return.
  static bool never(const DiscGap& gap, const Vec3& v) { return gap.distance >= 0 && gap.normal.dot(v) >= 0; }

  static double spin_bound(const Disc& d) {
    return angular_momentum(d).norm() / std::min(d.axial_inertia, d.transverse_inertia);
  }

  Expected<DiscGap> follow(const Disc& A, const Disc& B) const {
    const auto found = climb(pose(A), pose(B), normal_);
    if (!found) return tl::unexpected(no_normal());
    return *found;
  }

  static double closing(const Disc& A, const Disc& B, const DiscGap& gap) {
    return -gap.normal.dot(B.velocity + B.angular_velocity.cross(gap.arm_B) - A.velocity -
                           A.angular_velocity.cross(gap.arm_A));
  }

  Expected<void> bisect(double low, double high) {
    for (int i = 0; i < 200 && high - low > 4e-16 * (t_ + high); ++i) {
      const double middle = 0.5 * (low + high);
      const auto gap = follow(fly(A_, middle), fly(B_, middle));
      if (!gap) return tl::unexpected(gap.error());
      (gap->distance > 0 ? low : high) = middle;
      if (gap->distance > 0) normal_ = gap->normal;
    }
    fly_on(high);
    return {};
  }

  void fly_on(double t) {
    A_ = fly(A_, t);
    B_ = fly(B_, t);
    t_ += t;
  }

  // --- contact ---

  struct Instant {
    DiscGap gap;
    Vec3 omega_A, omega_B;
  };

  std::optional<Instant> look(const State& y) const {
    const Vec3 a = A_.axis + get(y, at_a), b = B_.axis + get(y, of_B + at_a);
    const auto gap =
        climb({A_.shape, A_.position + get(y, at_x), a}, {B_.shape, B_.position + get(y, of_B + at_x), b}, normal_);
    if (!gap) return std::nullopt;
    return Instant{*gap, spin(A_, a, get(y, at_L)), spin(B_, b, get(y, of_B + at_L))};
  }

  void slope(const State& y, State& dy) const {
    const auto k = look(y);
    if (!k) {
      dy.fill(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const Vec3 F = -c_ * k->gap.distance * k->gap.normal;
    put(dy, at_x, get(y, at_v));
    put(dy, at_a, k->omega_A.cross(A_.axis + get(y, at_a)));
    put(dy, at_v, -F / A_.mass);
    put(dy, at_L, -k->gap.arm_A.cross(F));
    put(dy, of_B + at_x, get(y, of_B + at_v));
    put(dy, of_B + at_a, k->omega_B.cross(B_.axis + get(y, of_B + at_a)));
    put(dy, of_B + at_v, F / B_.mass);
    put(dy, of_B + at_L, k->gap.arm_B.cross(F));
    put(dy, at_P, F);
  }

  DiscPairSample sample(const State& y, const Instant& k) const {
    DiscPairSample s;
    s.t = t_;
    s.touching = true;
    s.A = body(A_, y, 0, k.omega_A);
    s.B = body(B_, y, of_B, k.omega_B);
    s.gap = k.gap;
    s.force = -c_ * k.gap.distance;
    s.kinetic = kinetic_energy(s.A) + kinetic_energy(s.B);
    s.normal_spring = 0.5 * c_ * k.gap.distance * k.gap.distance;
    return s;
  }

  static Disc body(const Disc& like, const State& y, std::size_t from, const Vec3& omega) {
    Disc d = like;
    d.position += get(y, from + at_x);
    d.axis = (d.axis + get(y, from + at_a)).normalized();
    d.velocity = get(y, from + at_v);
    d.angular_velocity = omega;
    return d;
  }

  State tolerated() const {
    State out;
    const double tolerance = run_.tolerance, rounding = 8e-16;
    const double v = (B_.velocity - A_.velocity).norm() + spin_bound(A_) * reach_A_ + spin_bound(B_) * reach_B_;
    const double x = v * time_scale_, m = A_.mass * B_.mass / (A_.mass + B_.mass);
    const auto set = [&](std::size_t i, double value) { out[i] = out[i + 1] = out[i + 2] = value; };
    for (const std::size_t from : {std::size_t{0}, of_B}) {
      const Disc& d = from == 0 ? A_ : B_;
      const double R = from == 0 ? reach_A_ : reach_B_;
      set(from + at_x, tolerance * x + rounding * (R + d.position.norm()));
      set(from + at_a, tolerance * x / R + rounding);
      set(from + at_v, tolerance * v + rounding * d.velocity.norm());
      set(from + at_L, tolerance * m * v * R + rounding * angular_momentum(d).norm());
    }
    set(at_P, tolerance * m * v);
    return out;
  }

  Expected<void> touch() {
    if (++out_.contacts == 1) out_.touchdown = t_;
    const double began = t_;
    State y{};
    put(y, at_v, A_.velocity);
    put(y, at_L, angular_momentum(A_));
    put(y, of_B + at_v, B_.velocity);
    put(y, of_B + at_L, angular_momentum(B_));
    put(y, at_P, out_.P);
    const double end = run_.duration > 0 ? run_.duration : std::numeric_limits<double>::infinity();
    const State scale = tolerated();
    const auto f = [&](const State& from, State& into) { slope(from, into); };
    State dy, to, to_slope, difference;
    slope(y, dy);
    double h = 1e-3 * time_scale_;
    std::optional<Instant> k = look(y);
    if (!k) return tl::unexpected(no_normal());
    record(sample(y, *k));
    double up_to_seam = 0;
    bool after_seam = false;  // the last step ended at one
    while (true) {
      if (out_.steps >= run_.most_steps) {
        out_.step_limit = contact_open_ = true;
        const DiscPairSample s = sample(y, *k);
        record(s);
        A_ = s.A;
        B_ = s.B;
        break;
      }
      ++out_.steps;
      h = std::min({h, interval_, longest_step * time_scale_});
      const bool last = t_ + h >= end;
      if (last) h = end - t_;
      Stepper::step(f, y, dy, h, to, to_slope, difference);
      const double error = Stepper::error(difference, scale);
      if (error > 1) {
        h *= Stepper::growth(error);
        if (h < 1e-13 * time_scale_) {
          if (!std::isfinite(error)) return tl::unexpected(no_normal());
          return fail(ErrorCode::not_converged, "tolerance", to_text(run_.tolerance),
                      "cannot be reached; the step fell below rounding");
        }
        continue;
      }
      const auto there = look(to);
      if (!there) return tl::unexpected(no_normal());
      if (h > up_to_seam && !same_pieces(there->gap, k->gap)) {
        // A step across a seam of a shape loses the order of the method: end it there.
        h = up_to_seam = seam(y, dy, h, k->gap);
        continue;
      }
      // On either side of a seam there is a sample, however far apart the others are.
      const bool seam_here = up_to_seam > 0;
      up_to_seam = 0;
      k = there;
      const bool parts = k->gap.distance >= 0 && rate(to, *k) > 0;
      if (parts) {
        State at_end = to;
        double low = 0, high = h;
        for (int i = 0; i < 60 && high - low > 1e-15 * time_scale_; ++i) {
          const double middle = 0.5 * (low + high);
          State trial, unused;
          Stepper::step(f, y, dy, middle, trial, unused, difference);
          const auto halfway = look(trial);
          if (!halfway) return tl::unexpected(no_normal());
          if (halfway->gap.distance >= 0) {
            high = middle;
            at_end = trial;
            k = halfway;
          } else {
            low = middle;
          }
        }
        h = high;
        to = at_end;
      }
      y = to;
      dy = to_slope;
      t_ += h;
      normal_ = k->gap.normal;
      const DiscPairSample s = sample(y, *k);
      balance(s);
      if (parts || last || seam_here || after_seam || t_ >= next_sample_) record(s);
      after_seam = seam_here;
      if (parts || last) {
        contact_open_ = !parts;
        A_ = s.A;
        B_ = s.B;
        break;
      }
      h *= Stepper::growth(error);
    }
    out_.P = get(y, at_P);
    out_.contact_time += t_ - began;
    return {};
  }

  static bool same_pieces(const DiscGap& a, const DiscGap& b) {
    return a.piece_A == b.piece_A && a.piece_B == b.piece_B;
  }

  /// Just behind the first seam of a shape between 0 and h, where there is one.
  double seam(const State& y, const State& dy, double h, const DiscGap& start) const {
    double low = 0, high = h;
    while (high - low > 1e-7 * h) {
      const double middle = 0.5 * (low + high);
      State trial, slope_there, difference;
      Stepper::step([&](const State& from, State& into) { slope(from, into); }, y, dy, middle, trial, slope_there,
                    difference);
      const auto there = look(trial);
      (there && same_pieces(there->gap, start) ? low : high) = middle;
    }
    return high;
  }

  double rate(const State& y, const Instant& k) const {
    return k.gap.normal.dot(get(y, of_B + at_v) + k.omega_B.cross(k.gap.arm_B) - get(y, at_v) -
                            k.omega_A.cross(k.gap.arm_A));
  }

  // --- books ---

  void balance(const DiscPairSample& s) {
    const Vec3 pA = s.A.mass * s.A.velocity, pB = s.B.mass * s.B.velocity;
    const Vec3 LA = angular_momentum(s.A) + s.A.position.cross(pA), LB = angular_momentum(s.B) + s.B.position.cross(pB);
    const double E = s.kinetic + s.normal_spring;
    if (out_.samples.empty()) {
      energy_ = E;
      momentum_ = pA + pB;
      angular_ = LA + LB;
    }
    largest_energy_ = std::max({largest_energy_, s.kinetic, s.normal_spring});
    largest_p_ = std::max({largest_p_, pA.norm(), pB.norm()});
    largest_L_ = std::max({largest_L_, LA.norm(), LB.norm(), reach_A_ * pA.norm(), reach_B_ * pB.norm()});
    worst_energy_ = std::max(worst_energy_, std::abs(E - energy_));
    worst_p_ = std::max(worst_p_, (pA + pB - momentum_).norm());
    worst_L_ = std::max(worst_L_, (LA + LB - angular_).norm());
    out_.largest_force = std::max(out_.largest_force, s.force);
  }

  void record(const DiscPairSample& s) {
    balance(s);
    out_.samples.push_back(s);
    next_sample_ = (std::floor(s.t / interval_) + 1) * interval_;  // on a grid: delays do not accumulate
  }

  Disc A_, B_;
  double c_;
  DiscRun run_;
  double time_scale_ = 0, interval_ = 0, reach_A_ = 0, reach_B_ = 0;
  double t_ = 0, next_sample_ = 0;
  bool contact_open_ = false;  ///< the run ends in contact
  Vec3 normal_ = Vec3::UnitZ();
  double energy_ = 0, largest_energy_ = 0, worst_energy_ = 0;
  Vec3 momentum_ = Vec3::Zero(), angular_ = Vec3::Zero();
  double largest_p_ = 0, worst_p_ = 0, largest_L_ = 0, worst_L_ = 0;
  DiscPairProcess out_;  // its samples are a vector, because their number depends on the motion
};

}  // namespace

Expected<DiscGap> gap_between(const Disc& A, const Disc& B) {
  const auto fine = check(A, "A").and_then([&] { return check(B, "B"); });
  if (!fine) return tl::unexpected(fine.error());
  return search(A, B);
}

Expected<DiscGap> gap_between(const Disc& A, const Disc& B, const Vec3& near) {
  const auto fine = check(A, "A").and_then([&] { return check(B, "B"); });
  if (!fine) return tl::unexpected(fine.error());
  if (!near.allFinite() || !(near.norm() > 0))
    return fail(ErrorCode::out_of_range, "near", to_text(near), "must be finite and not zero");
  const auto found = climb(pose(A), pose(B), near.normalized());
  if (!found) return tl::unexpected(no_normal());
  return *found;
}

Expected<DiscPairProcess> collide(const Disc& A, const Disc& B, double stiffness, const DiscRun& run) {
  const auto fine = check(A, "A").and_then([&] { return check(B, "B"); }).and_then([&] { return check(run); });
  if (!fine) return tl::unexpected(fine.error());
  if (!(stiffness > 0) || !std::isfinite(stiffness))
    return fail(ErrorCode::out_of_range, "stiffness", to_text(stiffness), "must be positive and finite");
  if (run.gravity != 0)
    return fail(ErrorCode::out_of_range, "gravity", to_text(run.gravity),
                "must be 0 for two discs: it moves both alike");
  return Run(A, B, stiffness, run).go();
}

}  // namespace ricochet::compliant
