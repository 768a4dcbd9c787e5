#include "ricochet/compliant/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ricochet/compliant/sledge_problem.hpp"

namespace ricochet::compliant {
namespace {

using Local64 = Local<double>;

/// Makes points of dimensionless states. In space the ends of the phases must be known, so that the points between them
/// can be asked for at even times: a first run, which asks for none, tells them.
class Recorder {
 public:
  static constexpr bool inside = true;

  Recorder(const SpringSledge& law, const Local64& local, int points_per_phase, std::vector<double> ends, Process& out)
      : law_(law),
        local_(local),
        count_(points_per_phase),
        ends_(std::move(ends)),
        unit_(sledge::units(local)),
        spring_(law.e, law.damper),
        out_(out) {}

  void operator()(const PlanarPhase<double>& f) {
    const int phase = static_cast<int>(out_.phases.size());
    if (out_.points.empty()) add(as_spatial(f, f.at(0), 0, phase), f.k_n);
    for (int i = 1; i < count_; ++i) {
      const double t = f.length * i / count_;
      add(as_spatial(f, f.at(t), t, phase), f.k_n);
    }
    add(as_spatial(f, f.to, f.length, phase), f.k_n);
    last_k_n_ = f.k_n;
    const Vec3 along = f.sticks ? Vec3(Vec3::Zero()) : Vec3(f.eta * local_.R.col(1));
    out_.phases.push_back({f.sticks, f.loading, along, f.start * out_.time_unit, f.length * out_.time_unit});
  }

  void operator()(const SpatialState<double>& s) {
    const auto phase = static_cast<std::size_t>(s.phase);
    if (count_ == 0) {
      ends_.resize(phase + 1);
      ends_.back() = s.time;
      return;
    }
    add(s, line_of(s));
    if (out_.phases.size() <= phase) out_.phases.push_back({s.sticks, s.loading, Vec3::Zero(), end_, 0});
    ProcessPhase& last = out_.phases.back();
    last.direction = local_.R * Vec3(0, s.eta(0), s.eta(1));
    last.length = s.time * out_.time_unit - last.start;
    end_ = s.time * out_.time_unit;
    if (begun_ && phase == phase_) {
      ++phase_;
      shown_ = 1;
    }
    begun_ = true;
  }

  /// Times at which the phases end.
  [[nodiscard]] std::vector<double>& ends() { return ends_; }

  [[nodiscard]] double next() const {
    if (phase_ >= ends_.size() || shown_ >= count_) return std::numeric_limits<double>::infinity();
    const double start = phase_ == 0 ? 0 : ends_[phase_ - 1];
    return start + (ends_[phase_] - start) * shown_ / count_;
  }
  void during(const SpatialState<double>& s) {
    add(s, line_of(s));
    ++shown_;
  }

  /// The springs are released, and their energy is lost.
  void released(const PlanarOutcome<double>& r) {
    SpatialState<double> s;
    s.time = r.duration;
    s.P = Vec3(r.state.P_n, r.state.P_t, 0);
    s.friction_loss = r.state.friction_loss;
    s.normal_loss = r.state.normal_loss;
    s.phase = static_cast<int>(out_.phases.size()) - 1;
    add(s, last_k_n_);
  }

 private:
  /// Stiffness of the line that a hysteretic spring is on.
  double line_of(const SpatialState<double>& s) const {
    return spring_.hysteretic() && !spring_.returns_nothing() && !s.loading ? spring_.unloading_stiffness() : 1;
  }

  static SpatialState<double> as_spatial(const PlanarPhase<double>& f, const PlanarState<double>& p, double t,
                                         int phase) {
    SpatialState<double> s;
    s.time = f.start + t;
    s.N = p.N;
    s.xi = Vec2(p.x, 0);
    s.v = Vec3(p.v_n, p.v_t, 0);
    s.P = Vec3(p.P_n, p.P_t, 0);
    s.friction_loss = p.friction_loss;
    s.normal_loss = p.normal_loss;
    s.sticks = f.sticks;
    s.loading = f.loading;
    s.phase = phase;
    return s;
  }

  /// Penetration of the normal spring: the elastic part and, for a hysteretic spring, the permanent part.
  double penetration(const SpatialState<double>& s, double k_n) {
    if (spring_.viscous()) return s.depth;
    if (k_n == 1) {
      deepest_ = s.N;
      return s.N;
    }
    return s.N / k_n + deepest_ * (1 - 1 / k_n);
  }

  void add(const SpatialState<double>& s, double k_n) {
    ProcessPoint p;
    p.time = s.time * out_.time_unit;
    p.phase = s.phase;
    p.P_local = s.P * unit_.impulse();
    p.P = local_.R * p.P_local;
    p.V = local_.R * (local_.V + local_.W * p.P_local);
    // 0 − …: a relaxed spring gives no negative zero.
    p.force = Vec3(s.N, 0 - law_.kappa * s.xi(0), 0 - law_.kappa * s.xi(1)) * out_.force_unit;
    const double depth = penetration(s, k_n);
    p.deflection = Vec3(depth, s.xi(0), s.xi(1)) * out_.length_unit;
    p.stored_normal = (spring_.viscous() ? depth * depth : s.N * s.N / k_n) / 2 * unit_.energy();
    p.stored_tangential = law_.kappa * s.xi.squaredNorm() / 2 * unit_.energy();
    p.lost_normal = s.normal_loss * unit_.energy();
    p.lost_friction = s.friction_loss * unit_.energy();
    out_.points.push_back(p);
  }

  const SpringSledge& law_;
  const Local64& local_;
  int count_;
  std::vector<double> ends_;
  sledge::Units<double> unit_;
  NormalSpring<double> spring_;
  Process& out_;
  double deepest_ = 0, end_ = 0, last_k_n_ = 1;
  std::size_t phase_ = 0;  ///< the one that is running, in space
  int shown_ = 1;          ///< the next of its points
  bool begun_ = false;
};

/// As many points for each of `phases` as was asked for, or as there is room for.
Expected<int> points_for(std::size_t phases, const std::optional<int>& wanted) {
  const std::size_t room = std::max<std::size_t>(most_points / std::max<std::size_t>(phases, 1), 1);
  if (!wanted) return static_cast<int>(std::min<std::size_t>(24, room));
  if (static_cast<std::size_t>(*wanted) > room)
    return fail(ErrorCode::out_of_range, "points_per_phase", std::to_string(*wanted),
                fmt::format("must be at most {}: the contact has {} phases, and at most {} points are given", room,
                            phases, most_points));
  return *wanted;
}

Error not_solved(Stop stop, double time) {
  const std::string when = fmt::format("at time {:.6g} in units of 1/sqrt(c_n W_nn)", time);
  switch (stop) {
    case Stop::never: return {ErrorCode::no_solution, "", "", "the contact wedges permanently"};
    case Stop::rings:
      return {ErrorCode::not_converged, "", "",
              fmt::format("the springs oscillate through more phases than the limit, which was reached {}; a kappa or "
                          "an e nearer to 1 gives fewer",
                          when)};
    case Stop::step_limit:
      return {
          ErrorCode::not_converged, "", "",
          fmt::format("the limit of integration steps was reached {}, before the contact ended; a kappa nearer to 1 "
                      "takes fewer",
                      when)};
    default: return {ErrorCode::not_converged, "", "", fmt::format("the next change of phase was not found {}", when)};
  }
}

}  // namespace

Expected<Process> process(const SpringSledge& law, const Contact& contact, const ProcessOptions& options) {
  if (const auto fine = check(law); !fine) return tl::unexpected(fine.error());
  if (options.points_per_phase && *options.points_per_phase < 1)
    return fail(ErrorCode::out_of_range, "points_per_phase", std::to_string(*options.points_per_phase),
                "must be at least 1");
  if (options.stiffness && !(*options.stiffness > 0 && std::isfinite(*options.stiffness)))
    return fail(ErrorCode::out_of_range, "stiffness", to_text(*options.stiffness), "must be above 0 and finite [N/m]");
  const Local64 local = localize<double>(contact);
  if (!(local.V(0) < 0))
    return fail(ErrorCode::invalid, "V", to_text(local.V(0)),
                "along n must be negative: the bodies already separate and no process begins");
  Process out;
  out.n = local.R.col(0);
  out.t = local.R.col(1);
  out.b = local.R.col(2);
  const auto unit = sledge::units(local);
  if (options.stiffness) {
    const double c = *options.stiffness;
    out.dimensional = true;
    out.time_unit = 1 / std::sqrt(c * unit.mobility);
    out.force_unit = unit.speed * std::sqrt(c / unit.mobility);
    out.length_unit = unit.speed * out.time_unit;
  }
  out.closed_form = sledge::in_closed_form(law, local);
  // Run twice: first for the phases, then for the points in them.
  Vec3 P = Vec3::Zero();
  if (out.closed_form) {
    const auto problem = sledge::planar_problem(law, local);
    const auto first = run_planar<double>(problem);
    if (first.stop != Stop::separated) return tl::unexpected(not_solved(first.stop, first.duration));
    const auto count = points_for(static_cast<std::size_t>(first.phases), options.points_per_phase);
    if (!count) return tl::unexpected(count.error());
    Recorder recorder(law, local, *count, {}, out);
    const auto r = run_planar<double>(problem, recorder);
    recorder.released(r);
    P = Vec3(r.state.P_n, r.state.P_t, 0);
    out.duration = r.duration * out.time_unit;
  } else {
    const auto problem = sledge::spatial_problem(law, local);
    Recorder phases(law, local, 0, {}, out);
    const auto first = run_spatial<double>(problem, phases);
    if (first.stop != Stop::separated) return tl::unexpected(not_solved(first.stop, first.state.time));
    const auto count = points_for(phases.ends().size(), options.points_per_phase);
    if (!count) return tl::unexpected(count.error());
    Recorder recorder(law, local, *count, std::move(phases.ends()), out);
    const auto r = run_spatial<double>(problem, recorder);
    P = r.state.P;
    out.duration = r.state.time * out.time_unit;
  }
  out.P = local.R * (P * unit.impulse());
  out.V = contact.V + contact.W * out.P;
  return out;
}

}  // namespace ricochet::compliant
