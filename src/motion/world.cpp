#include "ricochet/motion/world.hpp"

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

Expected<void> check_force(const AppliedForce& force, const World& world, const std::string& path) {
  if (force.body >= world.bodies.size() || world.bodies[force.body].body.fixed)
    return fail(ErrorCode::unknown_name, join_path(path, "body"), "", "must be a body that is not fixed");
  const std::size_t count = force.times.empty() ? 1 : force.times.size();
  if (force.forces.size() != count || !all_finite(force.forces))
    return fail(ErrorCode::out_of_range, join_path(path, "forces"), "", "must be one finite vector for each time");
  if (force.torques.size() != count || !all_finite(force.torques))
    return fail(ErrorCode::out_of_range, join_path(path, "torques"), "", "must be one finite vector for each time");
  for (std::size_t k = 0; k < force.times.size(); ++k)
    if (!std::isfinite(force.times[k]) || (k > 0 && !(force.times[k] > force.times[k - 1])))
      return fail(ErrorCode::out_of_range, join_path(path, "times"), to_text(force.times[k]),
                  "times must be finite and increase");
  return {};
}

}  // namespace

Expected<void> check(const World& world) {
  const std::size_t n = world.bodies.size();
  if (n == 0) return fail(ErrorCode::missing, "body", "", "a motion needs at least one body");
  if (!world.gravity.allFinite()) return fail(ErrorCode::out_of_range, "gravity", "", "must be three finite numbers");
  for (std::size_t i = 0; i < n; ++i)
    if (const auto fine = ricochet::check(world.bodies[i].body, entry_path("body", i)); !fine) return fine;
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
