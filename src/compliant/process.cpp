#include "ricochet/compliant/process.hpp"

#include <cmath>

namespace ricochet::compliant {
namespace {

using Local64 = Local<double>;

/// Makes points of dimensionless states.
class Recorder {
 public:
  static constexpr bool inside = true;

  Recorder(const SpringSledge& law, const Local64& local, const ProcessOptions& options, Process& out)
      : law_(law),
        local_(local),
        options_(options),
        unit_(sledge::units(local)),
        viscous_(law.e < 1 && law.damper != Damper::hysteretic),
        out_(out) {}

  void operator()(const PlanarPhase<double>& f) {
    const bool full = out_.points.size() < options_.most_points;
    const int count = full ? options_.points_per_phase : 1;
    const int phase = static_cast<int>(out_.phases.size());
    if (out_.points.empty()) add(as_spatial(f, 0, phase), f.k_n);
    for (int i = 1; i <= count; ++i) add(as_spatial(f, f.length * i / count, phase), f.k_n);
    last_k_n_ = f.k_n;
    const Vec3 along = f.sticks ? Vec3(Vec3::Zero()) : Vec3(f.eta * local_.R.col(1));
    out_.phases.push_back({f.sticks, f.loading, along, f.start * out_.time_unit, f.length * out_.time_unit});
  }

  void operator()(const SpatialState<double>& s) {
    const double k_n =
        law_.damper == Damper::hysteretic && law_.e < 1 && law_.e > 0 && !s.loading ? 1 / (law_.e * law_.e) : 1;
    if (out_.points.size() < options_.most_points || static_cast<int>(out_.phases.size()) <= s.phase) add(s, k_n);
    if (static_cast<int>(out_.phases.size()) <= s.phase)
      out_.phases.push_back({s.sticks, s.loading, Vec3::Zero(), end_, 0});
    ProcessPhase& phase = out_.phases.back();
    phase.direction = local_.R * Vec3(0, s.eta(0), s.eta(1));
    phase.length = s.time * out_.time_unit - phase.start;
    end_ = s.time * out_.time_unit;
  }

  /// The springs let go, and what they still held is lost.
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
  SpatialState<double> as_spatial(const PlanarPhase<double>& f, double t, int phase) const {
    const PlanarState<double> p = f.at(t);
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

  /// Penetration of the normal spring: its elastic part, and the dent that a hysteretic one has kept.
  double penetration(const SpatialState<double>& s, double k_n) {
    if (viscous_) return s.depth;
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
    p.stored_normal = (viscous_ ? depth * depth : s.N * s.N / k_n) / 2 * unit_.energy();
    p.stored_tangential = law_.kappa * s.xi.squaredNorm() / 2 * unit_.energy();
    p.lost_normal = s.normal_loss * unit_.energy();
    p.lost_friction = s.friction_loss * unit_.energy();
    out_.points.push_back(p);
  }

  const SpringSledge& law_;
  const Local64& local_;
  const ProcessOptions& options_;
  sledge::Units<double> unit_;
  bool viscous_;
  Process& out_;
  double deepest_ = 0, end_ = 0, last_k_n_ = 1;
};

}  // namespace

Expected<Process> process(const SpringSledge& law, const Contact& contact, const ProcessOptions& options) {
  if (const auto fine = check(law); !fine) return tl::unexpected(fine.error());
  if (options.points_per_phase < 1)
    return fail("points_per_phase", std::to_string(options.points_per_phase), "must be at least 1");
  if (options.stiffness && !(*options.stiffness > 0 && std::isfinite(*options.stiffness)))
    return fail("stiffness", to_text(*options.stiffness), "must be above 0 and finite [N/m]");
  const Local64 local = localize<double>(contact);
  if (!(local.V(0) < 0))
    return fail("V", to_text(local.V(0)), "along n must be negative: the bodies part already and no process begins");
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
  Recorder recorder(law, local, options, out);
  Stop stop = Stop::separated;
  out.closed_form = sledge::in_closed_form(law, local);
  Vec3 P = Vec3::Zero();
  if (out.closed_form) {
    const auto r = run_planar<double>(sledge::planar_problem(law, local), recorder);
    if (r.stop == Stop::separated) recorder.released(r);
    stop = r.stop;
    P = Vec3(r.state.P_n, r.state.P_t, 0);
    out.duration = r.duration * out.time_unit;
  } else {
    const auto r = run_spatial<double>(sledge::spatial_problem(law, local), recorder);
    stop = r.stop;
    P = r.state.P;
    out.duration = r.state.time * out.time_unit;
  }
  if (stop == Stop::never) return fail("law", "", "the contact wedges itself and does not come free");
  if (stop == Stop::rings)
    return fail(
        "law", "",
        "the contact rings: its springs swing more often than is followed. A kappa or an e nearer to 1 rings less");
  if (stop == Stop::gave_up) return fail("law", "", "the next change of phase was not found");
  out.P = local.R * (P * unit.impulse());
  out.V = contact.V + contact.W * out.P;
  return out;
}

}  // namespace ricochet::compliant
