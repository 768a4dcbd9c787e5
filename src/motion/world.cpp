#include "ricochet/motion/world.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/law/check_parameters.hpp"

namespace ricochet::motion {
namespace {

bool all_finite(const std::vector<Vec3>& values) {
  for (const Vec3& v : values)
    if (!v.allFinite()) return false;
  return true;
}

Expected<void> check_times(const std::vector<double>& times, const std::string& path) {
  for (std::size_t k = 0; k < times.size(); ++k)
    if (!std::isfinite(times[k]) || (k > 0 && !(times[k] > times[k - 1])))
      return fail(ErrorCode::out_of_range, join_path(path, "times"), to_text(times[k]),
                  "times must be finite and increase");
  return {};
}

Expected<void> check_force(const AppliedForce& force, const World& world, const std::string& path) {
  if (force.body >= world.bodies.size() || world.bodies[force.body].body.fixed)
    return fail(ErrorCode::unknown_name, join_path(path, "body"), "", "must be a body that is not fixed");
  const std::size_t count = force.times.empty() ? 1 : force.times.size();
  if (force.forces.size() != count || !all_finite(force.forces))
    return fail(ErrorCode::out_of_range, join_path(path, "forces"), "", "must be one finite vector for each time");
  if (force.torques.size() != count || !all_finite(force.torques))
    return fail(ErrorCode::out_of_range, join_path(path, "torques"), "", "must be one finite vector for each time");
  return check_times(force.times, path);
}

Expected<void> check_fields(const WorldBody& body, const std::string& path) {
  if (body.fields.empty()) return {};
  if (!body.body.fixed || !body.body.velocity.isZero(0) || !body.body.angular_velocity.isZero(0))
    return fail(ErrorCode::conflict, join_path(path, "shape"), body.name,
                "a height field must be fixed, and must not move");
  for (const PlacedField& at : body.fields) {
    const HeightField& f = *at.field;
    const bool grid = f.rows >= 2 && f.columns >= 2 &&
                      f.heights.size() == static_cast<std::size_t>(f.rows) * static_cast<std::size_t>(f.columns);
    if (!grid) return fail(ErrorCode::wrong_type, join_path(path, "heights"), "", "must have two rows and columns");
    if (!(f.half_x > 0 && f.half_y > 0 && f.base > 0))
      return fail(ErrorCode::out_of_range, join_path(path, "size"), "", "must be positive");
    for (const double h : f.heights)
      if (!std::isfinite(h) || !(h > -f.base))
        return fail(ErrorCode::out_of_range, join_path(path, "heights"), to_text(h),
                    "must be finite and above the base at " + to_text(-f.base));
  }
  return {};
}

Expected<void> check_mechanism(const Mechanism& m, const World& world, const std::string& path) {
  const auto posture = forward_kinematics(m.tree, m.q);
  if (!posture) return tl::unexpected(under(path, posture.error()));
  if (m.u.size() != posture->dof || !m.u.allFinite())
    return fail(ErrorCode::wrong_type, join_path(path, "u"), std::to_string(m.u.size()),
                "must be " + std::to_string(posture->dof) + " finite numbers");
  if (const auto whole = Articulated::at(m.tree, *posture); !whole) return tl::unexpected(under(path, whole.error()));
  for (const auto& [x, field] : {std::pair{&m.damping, "damping"}, {&m.stiffness, "stiffness"}, {&m.rest, "rest"}})
    if (x->size() != 0 && (x->size() != posture->dof || !x->allFinite()))
      return fail(ErrorCode::wrong_type, join_path(path, field), std::to_string(x->size()),
                  "must be none, or one finite number for each speed");
  if (m.stiffness.size() != m.rest.size())
    return fail(ErrorCode::conflict, join_path(path, "rest"), "", "goes with stiffness");
  if ((m.damping.array() < 0).any() || (m.stiffness.array() < 0).any())
    return fail(ErrorCode::out_of_range, join_path(path, "damping"), "", "dampers and springs must not be negative");
  if (m.constraints.rows() > 0 && (m.constraints.cols() != posture->dof || !m.constraints.allFinite()))
    return fail(ErrorCode::wrong_type, join_path(path, "constraints"), "", "must have a column for each speed");
  if (m.bodies.size() != m.links.size())
    return fail(ErrorCode::wrong_type, join_path(path, "links"), "", "must be one for each body");
  for (std::size_t k = 0; k < m.bodies.size(); ++k)
    if (m.bodies[k] >= world.bodies.size() || m.links[k] < 0 || m.links[k] >= static_cast<int>(m.tree.links.size()) ||
        world.bodies[m.bodies[k]].body.fixed)
      return fail(ErrorCode::unknown_name, join_path(path, "bodies"), "", "must be bodies that are not fixed");
  if (m.dry_friction.size() != 0 &&
      (m.dry_friction.size() != posture->dof || !m.dry_friction.allFinite() || (m.dry_friction.array() < 0).any()))
    return fail(ErrorCode::wrong_type, join_path(path, "dry_friction"), std::to_string(m.dry_friction.size()),
                "must be none, or one number for each speed, finite and not negative");
  if (!(m.stop_e >= 0 && m.stop_e <= 1))
    return fail(ErrorCode::out_of_range, join_path(path, "stop_e"), to_text(m.stop_e), "must be in [0, 1]");
  for (const JointLimit& limit : m.limits) {
    if (limit.speed < 0 || limit.speed >= posture->dof || limit.position < 0 || limit.position >= m.q.size())
      return fail(ErrorCode::unknown_name, join_path(path, "limits"), std::to_string(limit.position),
                  "must be of a joint of the mechanism");
    if (!(limit.lower <= m.q(limit.position) && m.q(limit.position) <= limit.upper))
      return fail(ErrorCode::invalid, join_path(path, "limits"), to_text(m.q(limit.position)),
                  "must hold at the start: from " + to_text(limit.lower) + " to " + to_text(limit.upper));
  }
  for (const JointForce& force : m.forces) {
    if (force.speed < 0 || force.speed >= posture->dof)
      return fail(ErrorCode::unknown_name, join_path(path, "forces"), std::to_string(force.speed),
                  "must act on a speed of the mechanism");
    if (const auto fine = check_times(force.times, join_path(path, "forces")); !fine) return fine;
    if (force.values.size() != std::max<std::size_t>(force.times.size(), 1) ||
        !std::all_of(force.values.begin(), force.values.end(), [](double x) { return std::isfinite(x); }))
      return fail(ErrorCode::out_of_range, join_path(path, "forces"), "", "must be one finite number for each time");
  }
  return {};
}

}  // namespace

Expected<void> check(const World& world) {
  const std::size_t n = world.bodies.size();
  if (n == 0) return fail(ErrorCode::missing, "body", "", "a motion needs at least one body");
  if (!world.gravity.allFinite()) return fail(ErrorCode::out_of_range, "gravity", "", "must be three finite numbers");
  std::vector<bool> link(n, false);
  for (std::size_t i = 0; i < world.mechanisms.size(); ++i) {
    if (const auto fine = check_mechanism(world.mechanisms[i], world, entry_path("robot", i)); !fine) return fine;
    for (const std::uint32_t body : world.mechanisms[i].bodies) link[body] = true;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!link[i])
      if (const auto fine = ricochet::check(world.bodies[i].body, entry_path("body", i)); !fine) return fine;
    if (const auto fine = check_fields(world.bodies[i], entry_path("body", i)); !fine) return fine;
  }
  for (const PairLaw& law : world.laws) {
    const auto fine = std::visit([](const auto& own) { return check_parameters(own); }, law.law);
    if (!fine) return fine;
    if (!(law.mu >= 0) || !(law.mu_s >= law.mu))
      return fail(ErrorCode::out_of_range, "mu_s", to_text(law.mu_s), "must be at least mu, and mu at least 0");
  }
  if (world.law_of_pair.size() != 1 && world.law_of_pair.size() != n * n)
    return fail(ErrorCode::wrong_type, "law", "", "must be one for all pairs, or one for each");
  for (const std::uint32_t law : world.law_of_pair)
    if (law >= world.laws.size()) return fail(ErrorCode::unknown_name, "law", "", "a pair has a law that is not there");
  for (std::size_t i = 0; i < world.forces.size(); ++i)
    if (const auto fine = check_force(world.forces[i], world, entry_path("force", i)); !fine) return fine;
  for (std::size_t i = 0; i < world.joints.size(); ++i) {
    const BallJoint& joint = world.joints[i];
    if (joint.first >= n || joint.second >= n || joint.first == joint.second ||
        (world.bodies[joint.first].body.fixed && world.bodies[joint.second].body.fixed))
      return fail(ErrorCode::invalid, join_path(entry_path("hinge", i), "bodies"), "",
                  "must be two different bodies, at most one of them fixed");
    if (!joint.point.allFinite())
      return fail(ErrorCode::out_of_range, join_path(entry_path("hinge", i), "point"), "", "must be finite");
  }
  return {};
}

}  // namespace ricochet::motion
