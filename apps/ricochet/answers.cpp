#include "answers.hpp"

#include "ricochet/compliant/process.hpp"

namespace ricochet::app {
namespace {

std::vector<Vec3> path_of(const Collision& collision, const Answer& answer) {
  std::vector<Vec3> out;
  if (!answer.outcome) return out;
  if (answer.law == "spring-sledge")
    if (const auto process = compliant::process(std::get<SpringSledge>(*answer.made), collision.contact))
      for (const compliant::ProcessPoint& p : process->points) out.push_back(p.P);
  if (out.empty())
    for (const auto& p : answer.outcome->path) out.push_back(p.P);
  if (out.empty()) out = {Vec3::Zero(), answer.outcome->P};
  return out;
}

}  // namespace

Answers::Known& Answers::known(std::string_view law) {
  auto place = known_.find(law);
  if (place == known_.end()) place = known_.emplace(std::string(law), Known{ask(law, *collision_), std::nullopt}).first;
  return place->second;
}

const Answer& Answers::of(std::string_view law) { return known(law).answer; }

const std::vector<Vec3>& Answers::path(std::string_view law) {
  Known& one = known(law);
  if (!one.path) one.path = path_of(*collision_, one.answer);
  return *one.path;
}

}  // namespace ricochet::app
