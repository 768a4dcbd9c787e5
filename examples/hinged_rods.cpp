// Two rods, joined by a hinge, fall on the floor: the hinge resolved in turn with the contact, and the mechanism
// intact.
#include <cstdio>

#include "ricochet/simultaneous/sequence.hpp"

int main() {
  using namespace ricochet;
  const RigidBody rod{.mass = 1, .inertia = Vec3(1e-4, 1.0 / 12, 1.0 / 12).asDiagonal(), .velocity = {0, 0, -1}};

  BodyScene scene;
  scene.bodies = {RigidBody{.fixed = true}, rod, rod};
  scene.bodies[2].position.x() = 1;
  // The left end of the first rod strikes the floor; its right end carries the second.
  scene.contacts.push_back(
      {.first = 0, .second = 1, .point = {-0.5, 0, 0}, .n = Vec3::UnitZ(), .law = Routh{.e = 0.5, .mu = 0.3}});
  scene.hinges.push_back({.first = 1, .second = 2, .point = {0.5, 0, 0}});

  for (const Hinges hinges : {Hinges::in_sequence, Hinges::intact}) {
    const auto assembled = assemble(scene, hinges);
    if (!assembled) return std::fprintf(stderr, "%s\n", assembled.error().message().c_str()), 1;
    const auto answer = resolve(assembled->problem);
    if (!answer) return std::fprintf(stderr, "%s\n", answer.error().message().c_str()), 1;
    const auto after = moved(scene, *assembled, answer->u);
    std::printf("%s: %s, permissible %d, energy %.4f J, rods turn at %.4f and %.4f rad/s\n",
                hinges == Hinges::intact ? "intact" : "in sequence", name(answer->status).data(),
                answer->certificate.permissible, answer->energy_change, after[1].angular_velocity.y(),
                after[2].angular_velocity.y());
  }
}
