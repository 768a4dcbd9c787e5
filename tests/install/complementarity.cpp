// A ball strikes two others in a row at 1 m/s; all contacts at once and plastic, the three move on together.
#include <cstdio>

#include "ricochet/complementarity/plastic.hpp"
#include "ricochet/simultaneous/assemble.hpp"

int main() {
  using namespace ricochet;
  BodyScene scene;
  for (int i = 0; i < 3; ++i) {
    scene.bodies.push_back({.mass = 1, .inertia = Mat3::Identity() / 10, .position = {1.0 * i, 0, 0}});
    if (i > 0)
      scene.contacts.push_back(
          {scene.bodies.size() - 2, scene.bodies.size() - 1, {i - 0.5, 0, 0}, Vec3::UnitX(), Frictionless{.e = 0}});
  }
  scene.bodies[0].velocity.x() = 1;
  const auto assembled = assemble(scene, Hinges::intact);
  if (!assembled) return std::puts(assembled.error().message().c_str()), 1;
  const auto out = resolve_plastic(assembled->problem);
  if (!out) return std::puts(out.error().message().c_str()), 1;
  if (!out->certificate.permissible) return 1;
  std::printf("v");
  for (const RigidBody& body : moved(scene, *assembled, out->u)) std::printf(" %g", body.velocity.x());
  std::printf("\n");
  return 0;
}
