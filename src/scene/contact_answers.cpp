#include "ricochet/scene/contact_answers.hpp"

#include <fmt/format.h>

#include "ricochet/scene/problem_answer.hpp"
#include "ricochet/scene/scene_laws.hpp"
#include "scene/contact_recorder.hpp"

namespace ricochet {
namespace {

BodySpeeds speeds_of(const RigidBody& body) { return {body.velocity, body.angular_velocity}; }

/// One contact as a collision, with the bodies that it has.
Collision alone(const Scene& scene, const Assembled& assembled, std::size_t i) {
  const ContactSpec& spec = scene.arrangement.contacts[i];
  Collision out;
  out.contact = assembled.problem.contacts()[i].contact;
  out.settings = scene.settings[i];
  out.law = scene.laws[i];
  out.body_a = scene.names[spec.first];
  out.body_b = scene.names[spec.second];
  out.title = fmt::format("{}{}{} – {}", scene.title, scene.title.empty() ? "" : ": ", out.body_a, out.body_b);
  out.bodies = BodyPair{scene.arrangement.bodies[spec.first], scene.arrangement.bodies[spec.second]};
  out.point = spec.point;
  return out;
}

ContactAnswer answered(const BodyScene& scene, std::string law) {
  ContactAnswer out{.law = std::move(law)};
  const auto refused = [&](const Error& error) {
    out.error = error;
    return out;
  };
  const auto assembled = assemble(scene);
  if (!assembled) return refused(assembled.error());
  const auto bodies = [&](std::uint32_t contact, const VecX& u) -> std::optional<std::array<BodySpeeds, 2>> {
    const auto speeds = [&](std::size_t body) -> BodySpeeds {
      const std::ptrdiff_t at = assembled->speeds[body];
      if (at < 0) return speeds_of(scene.bodies[body]);
      return {u.segment<3>(at), Vec3(u.segment<3>(at + 3))};
    };
    const ContactSpec& spec = scene.contacts[contact];
    return std::array{speeds(spec.first), speeds(spec.second)};
  };
  ContactRecorder recorder(assembled->problem, bodies);
  auto answer = answer_problem(assembled->problem, "sequence", {.max_collisions = most_answered_collisions},
                               [&](const SequenceStep& step) { recorder.observe(step); });
  if (!answer) return refused(answer.error());
  out.verdict = answer->verdict();
  out.ties = ties_remark(assembled->problem, answer->resolution);
  out.settled = answer->settled();
  out.resolution = std::move(answer->resolution);
  out.steps = std::move(recorder).steps();
  for (const RigidBody& body : moved(scene, *assembled, out.resolution.u)) out.after.push_back(speeds_of(body));
  return out;
}

}  // namespace

Expected<ContactAnswers> contact_answers(const Scene& scene) {
  const auto assembled = assemble(scene.arrangement);
  if (!assembled) return tl::unexpected(assembled.error());
  ContactAnswers out;
  out.title = scene.title;
  for (std::size_t i = 0; i < scene.names.size(); ++i) {
    const RigidBody& body = scene.arrangement.bodies[i];
    out.bodies.push_back({scene.names[i], body.fixed, speeds_of(body)});
  }
  for (std::size_t i = 0; i < scene.arrangement.contacts.size(); ++i) {
    out.points.push_back(scene.arrangement.contacts[i].point);
    out.collisions.push_back(alone(scene, *assembled, i));
  }
  out.answers.push_back(answered(scene.arrangement, ""));
  for (const LawInfo& law : laws()) {
    const auto arrangement = by_law(scene, law.name);
    if (arrangement)
      out.answers.push_back(answered(*arrangement, std::string(law.name)));
    else
      out.answers.push_back({.law = std::string(law.name), .error = arrangement.error()});
  }
  return out;
}

}  // namespace ricochet
