#include "ricochet/scene/event_collision.hpp"

#include <fmt/format.h>

#include "ricochet/simultaneous/assemble.hpp"

namespace ricochet {
namespace {

RigidBody posed(RigidBody body, const motion::Pose& pose) {
  body.position = pose.position;
  body.orientation = pose.orientation;
  body.velocity = pose.velocity;
  body.angular_velocity = pose.angular_velocity;
  return body;
}

/// Where a joint is when its first body has come to this pose.
Vec3 joint_now(const motion::BallJoint& joint, const RigidBody& start, const motion::Pose& now) {
  const Vec3 arm = start.orientation.normalized().conjugate() * (joint.point - start.position);
  return now.position + now.orientation * arm;
}

}  // namespace

Expected<Collision> event_collision(const motion::World& world, const motion::Event& event,
                                    const std::vector<motion::Pose>& after) {
  if (event.kind != motion::EventKind::impact)
    return fail(ErrorCode::invalid, "event", std::string(name(event.kind)), "must be an impact");
  if (!world.mechanisms.empty()) return fail(ErrorCode::unavailable, "robot[1]", "", "bodies only, no robots");
  const std::size_t a = event.body_a;
  const std::size_t b = event.body_b;
  Collision out;
  const Law& law = world.law(a, b).law;
  out.law = std::string(info_of(law).name);
  for (const auto& [name, value] : parameters_of(law))
    if (const auto fine = set(out.settings, name, value); !fine) return tl::unexpected(fine.error());
  out.body_a = world.bodies[a].name;
  out.body_b = world.bodies[b].name;
  out.title = fmt::format("{} – {} at {:.6g} s", out.body_a, out.body_b, event.time);
  out.point = event.point;

  const RigidBody A = posed(world.bodies[a].body, after[a]);
  const RigidBody B = posed(world.bodies[b].body, after[b]);
  if (event.together == 1 && world.joints.empty()) {
    const auto before = apply_impulse(A, B, event.point, -event.P);
    if (!before) return tl::unexpected(before.error());
    auto contact = contact_between(before->A, before->B, event.point, event.n);
    if (!contact) return tl::unexpected(contact.error());
    out.contact = *std::move(contact);
    out.bodies = *before;
    return out;
  }
  BodyScene scene;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) scene.bodies.push_back(posed(world.bodies[i].body, after[i]));
  scene.contacts.push_back({a, b, event.point, event.n, law});
  for (const motion::BallJoint& joint : world.joints)
    scene.hinges.push_back(
        {joint.first, joint.second, joint_now(joint, world.bodies[joint.first].body, after[joint.first])});
  const auto assembled = assemble(scene, scene.hinges.empty() ? Hinges::in_sequence : Hinges::intact);
  if (!assembled) return tl::unexpected(assembled.error());
  // Of several impacts at once the velocities before each are not known, nor is the spin.
  auto contact = make_contact(Given{{}, assembled->problem.contacts()[0].contact.W, event.V, event.n, {}});
  if (!contact) return tl::unexpected(contact.error());
  out.contact = *std::move(contact);
  return out;
}

}  // namespace ricochet
