// Two balls of 170 g and 28.6 mm collide at 2 m/s, the first with side spin: what does each body do then?
#include <cstdio>
#include <ricochet/ricochet.hpp>

int main() {
  using namespace ricochet;
  const Mat3 inertia = 0.4 * 0.17 * 0.0286 * 0.0286 * Mat3::Identity();
  const RigidBody one{.mass = 0.17, .inertia = inertia, .velocity = {2, 0.5, 0}, .angular_velocity = {0, 0, 40}};
  const RigidBody two{.mass = 0.17, .inertia = inertia, .position = {0.0572, 0, 0}};
  const Vec3 touch(0.0286, 0, 0);
  const auto contact = contact_between(one, two, touch, Vec3::UnitX());
  if (!contact) return std::puts(contact.error().message().c_str()), 1;
  const auto hit = collide(Routh{.e = 0.95, .mu = 0.06, .restitution = Restitution::stronge}, *contact);
  if (!hit) return std::puts(hit.error().message().c_str()), 1;
  const auto after = apply_impulse(one, two, touch, hit->P);
  std::printf("energy %+.4f J, permissible %d\n", hit->energy_change, hit->certificate.permissible);
  std::printf("second ball: v = (%.4f, %.4f, %.4f) m/s\n", after->B.velocity.x(), after->B.velocity.y(),
              after->B.velocity.z());
}
