/// The loop that a call of numpy is held against: seconds for as many collisions as the argument says, from M, V and n
/// to impulses, velocities and verdicts in memory.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "ricochet/law/chatterjee_ruina.hpp"
#include "ricochet/law/law.hpp"

int main(int argc, char** argv) {
  using namespace ricochet;
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 100'000);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<Mat3> M(count);
  std::vector<Vec3> V(count);
  for (std::size_t i = 0; i < count; ++i) {
    Mat3 A;
    for (double& x : A.reshaped()) x = normal(random);
    for (double& x : V[i]) x = normal(random);
    V[i].z() = -std::abs(V[i].z()) - 0.1;
    M[i] = A * A.transpose() + 0.5 * Mat3::Identity();
  }
  const Law law = ChatterjeeRuina{.e = 0.5, .e_t = 0, .mu = 0.3};
  double best = 1e300;
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<Vec3> P(count), after(count);
    std::vector<double> energy(count);
    std::vector<char> permissible(count);
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) {
      const Expected<Contact> contact = contact_from_mass(M[i], V[i], Vec3::UnitZ());
      if (!contact) return 1;
      const Expected<Outcome> outcome = collide(law, *contact);
      if (!outcome) return 1;
      P[i] = outcome->P;
      after[i] = outcome->V;
      energy[i] = outcome->energy_change;
      permissible[i] = static_cast<char>(outcome->certificate.permissible);
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  fmt::print("{}\n", best);
}
