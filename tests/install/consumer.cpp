// A ball of 2 kg dropped on the ground at 3 m/s without friction and with e = 0.5 leaves at 1.5 m/s, so the ground gave
// it 2 kg · (3 + 1.5) m/s = 9 N s.
#include <cstdio>

#include "ricochet/contact/contact.hpp"
#include "ricochet/law/chatterjee_ruina.hpp"

int main() {
  using namespace ricochet;
  const auto contact = contact_from_mass(2 * Mat3::Identity(), Vec3(0, 0, -3), Vec3::UnitZ());
  if (!contact) return 1;
  const auto hit = collide(ChatterjeeRuina{.e = 0.5}, *contact);
  if (!hit) return 1;
  std::printf("P %g %g %g\nV %g %g %g\n", hit->P.x(), hit->P.y(), hit->P.z(), hit->V.x(), hit->V.y(), hit->V.z());
  const auto refused = contact_from_mass(-Mat3::Identity(), Vec3::Zero(), Vec3::UnitZ());
  std::printf("%s\n", refused ? "accepted" : refused.error().path.c_str());
  return 0;
}
