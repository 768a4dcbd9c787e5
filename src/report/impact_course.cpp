#include "ricochet/report/impact_course.hpp"

#include <algorithm>

#include "ricochet/compliant/process.hpp"

namespace ricochet {
namespace {

constexpr int straight_steps = 24;

Expected<ImpactCourse> course_of_sledge(const SpringSledge& law, const Contact& contact) {
  const auto process = compliant::process(law, contact);
  if (!process) return tl::unexpected(process.error());
  ImpactCourse out{.over = ImpactCourse::Over::time, .seconds = process->dimensional};
  out.events.push_back({std::string(name(Event::start)), 0});
  bool compressing = true;
  for (std::size_t i = 0; i < process->points.size(); ++i) {
    const compliant::ProcessPoint& p = process->points[i];
    out.steps.push_back(
        {p.time, {p.P, p.V, -(p.stored_normal + p.lost_normal), -(p.stored_tangential + p.lost_friction)}});
    if (i == 0) continue;
    if (compressing && contact.n.dot(p.V) >= 0) {
      compressing = false;
      out.events.push_back({std::string(name(Event::compression_ends)), i});
    }
    const auto phase = [&](const compliant::ProcessPoint& q) -> const compliant::ProcessPhase& {
      return process->phases[static_cast<std::size_t>(q.phase)];
    };
    const bool sticks = phase(p).sticks;
    if (sticks != phase(process->points[i - 1]).sticks) out.events.push_back({sticks ? "sticks" : "slips", i - 1});
  }
  if (out.steps.empty()) return fail(ErrorCode::no_solution, "law", "spring-sledge", "has no process");
  out.events.push_back({std::string(name(Event::end)), out.steps.size() - 1});
  std::stable_sort(out.events.begin(), out.events.end(),
                   [](const CourseEvent& a, const CourseEvent& b) { return a.step < b.step; });
  return out;
}

/// The step nearest to an event of the path, not before the previous event.
std::size_t step_at(const std::vector<CourseStep>& steps, const TrajectoryPoint& at, std::size_t from) {
  std::size_t best = from;
  for (std::size_t i = from; i < steps.size(); ++i)
    if ((steps[i].state.P - at.P).norm() < (steps[best].state.P - at.P).norm()) best = i;
  return best;
}

/// Whether the normal impulse alone says how far the impact is.
bool advances(const std::vector<TrajectoryPoint>& points, const Vec3& n) {
  const double total = n.dot(points.back().P), size = points.back().P.norm();
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vec3 dP = points[i].P - points[i - 1].P;
    if (n.dot(dP) < 1e-9 * total && dP.norm() > 1e-6 * size) return false;
  }
  return total > 0;
}

}  // namespace

Expected<ImpactCourse> impact_course(Answers& answers, std::string_view law) {
  const Answer& answer = answers.of(law);
  if (!answer.outcome) return tl::unexpected(answer.outcome.error());
  const Contact& contact = answers.collision().contact;
  if (law == "spring-sledge" && contact.approach_speed() > 0)
    return course_of_sledge(std::get<SpringSledge>(*answer.made), contact);
  const Trajectory& way = answers.way(law);
  std::vector<TrajectoryPoint> points;
  const auto take = [&](const TrajectoryPoint& point) {
    if (points.empty() || (point.P - points.back().P).norm() > 0) points.push_back(point);
  };
  for (const TrajectoryPiece& piece : way.pieces) {
    if (piece.form == TrajectoryPiece::Form::swerving) {
      std::for_each(piece.points.begin(), piece.points.end(), take);
      continue;
    }
    for (int k = 0; k <= straight_steps; ++k)
      take(along(contact.n, piece.points.front(), piece.points.back(), double(k) / straight_steps));
  }
  if (points.empty()) points.push_back({.P = Vec3::Zero(), .V = contact.V});
  ImpactCourse out{.over = points.size() < 2 || advances(points, contact.n) ? ImpactCourse::Over::impulse
                                                                            : ImpactCourse::Over::length};
  double length = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) length += (points[i].P - points[i - 1].P).norm();
    out.steps.push_back({out.over == ImpactCourse::Over::impulse ? contact.n.dot(points[i].P) : length, points[i]});
  }
  std::size_t from = 0;
  for (const TrajectoryMark& mark : way.marks) {
    from = step_at(out.steps, mark.at, from);
    out.events.push_back({mark.name, from});
  }
  return out;
}

}  // namespace ricochet
