#include "ricochet/scene/answers.hpp"

#include "ricochet/compliant/process.hpp"

namespace ricochet {
namespace {

Trajectory trajectory_of(const Collision& collision, const Answer& answer, std::optional<int> points_per_phase) {
  if (!answer.outcome) return {};
  if (answer.law == "spring-sledge") {
    if (const auto process = compliant::process(std::get<SpringSledge>(*answer.made), collision.contact,
                                                {.points_per_phase = points_per_phase})) {
      TrajectoryPiece piece{.points = {}, .form = TrajectoryPiece::Form::swerving};
      // The energy stored and lost in a spring is the work of the impulse along it.
      for (const compliant::ProcessPoint& p : process->points)
        piece.points.push_back(
            {p.P, p.V, -(p.stored_normal + p.lost_normal), -(p.stored_tangential + p.lost_friction)});
      if (!piece.points.empty())
        return {.pieces = {piece},
                .marks = {{std::string(name(Event::start)), piece.points.front()},
                          {std::string(name(Event::end)), piece.points.back()}}};
    }
  }
  return ricochet::trajectory_of(collision.contact, *answer.outcome, collision.settings.mu.value_or(0));
}

}  // namespace

Answers::Known& Answers::known(std::string_view law) {
  auto place = known_.find(law);
  if (place == known_.end()) place = known_.emplace(std::string(law), Known{.answer = ask(law, *collision_)}).first;
  return place->second;
}

const Answer& Answers::of(std::string_view law) { return known(law).answer; }

const Trajectory& Answers::way(std::string_view law) {
  Known& one = known(law);
  if (!one.way) one.way = trajectory_of(*collision_, one.answer, points_per_phase_);
  return *one.way;
}

const std::vector<Vec3>& Answers::path(std::string_view law) {
  Known& one = known(law);
  if (!one.path) {
    one.path = way(law).impulses();
    // A law may give its answer without a path.
    if (one.path->empty() && one.answer.outcome) one.path = {Vec3::Zero(), one.answer.outcome->P};
  }
  return *one.path;
}

}  // namespace ricochet
