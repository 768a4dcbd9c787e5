#include "ricochet/report/motion_recorder.hpp"

#include <algorithm>
#include <utility>

#include "ricochet/body/rigid_body.hpp"

namespace ricochet {
namespace {

/// Time, and of each body position, quaternion, velocity and angular velocity.
std::size_t numbers_in_row(std::size_t bodies) { return 1 + 13 * bodies; }

/// Kinetic and potential energy of the poses.
motion::EnergyLedger energy_of(const MotionDocument& document, const std::vector<motion::Pose>& poses) {
  motion::EnergyLedger out;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    RigidBody body = document.bodies[i].body;
    if (body.fixed) continue;
    body.orientation = poses[i].orientation;
    body.velocity = poses[i].velocity;
    body.angular_velocity = poses[i].angular_velocity;
    out.kinetic += kinetic_energy(body);
    out.potential -= body.mass * document.gravity.dot(poses[i].position);
  }
  return out;
}

}  // namespace

MotionRecorder::MotionRecorder(std::string title, const motion::World& world) {
  document_.title = std::move(title);
  document_.gravity = world.gravity;
  document_.bodies = world.bodies;
}

void MotionRecorder::add_sample(double time, const std::vector<motion::Pose>& poses) {
  numbers_ += numbers_in_row(poses.size());
  if (numbers_ > most_page_numbers) {
    ++dropped_;
    return;
  }
  document_.samples.push_back({time, poses, energy_of(document_, poses)});
}

double MotionRecorder::friction_until(double time) const {
  if (losses_.empty()) return 0;
  const auto after =
      std::lower_bound(losses_.begin(), losses_.end(), time, [](const Losses& row, double t) { return row.time < t; });
  if (after == losses_.end()) return losses_.back().lost_to_friction;
  if (after == losses_.begin() || after->time == time) return after->lost_to_friction;
  const Losses& before = *(after - 1);
  const double share = (time - before.time) / (after->time - before.time);
  return before.lost_to_friction + share * (after->lost_to_friction - before.lost_to_friction);
}

MotionDocument MotionRecorder::finish() && {
  double lost = 0;
  std::size_t at = 0;
  for (MotionDocument::Sample& sample : document_.samples) {
    for (; at < document_.events.size() && document_.events[at].time <= sample.time; ++at)
      lost -= document_.events[at].energy_change;
    sample.energy.lost_to_impact = lost;
    sample.energy.lost_to_friction = friction_until(sample.time);
  }
  return std::move(document_);
}

}  // namespace ricochet
