/// Time, change of energy and worst remaining approach of a struck crystal of balls, 13 to 95 233 contacts, by the
/// sequence, by methods that take all contacts at once, and by other people's solvers. One run, one machine, one table.

#include "contacts.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>

#include "ricochet/simultaneous/sequence.hpp"
#ifdef BENCH_COMPLEMENTARITY
#include "ricochet/complementarity/anitescu_potra.hpp"
#include "ricochet/complementarity/plastic.hpp"
#include "ricochet/complementarity/weighted.hpp"
#endif

namespace ricochet::bench {

Crystal crystal(std::size_t n) {
  Crystal c;
  const double r = c.radius;
  const Law law = ChatterjeeRuina{.e = c.e, .e_t = 0, .mu = c.mu};
  const auto ball = [](double mass, double radius, const Vec3& position, const Vec3& velocity) {
    return RigidBody{.mass = mass,
                     .inertia = 0.4 * mass * radius * radius * Mat3::Identity(),
                     .position = position,
                     .velocity = velocity};
  };
  const auto at = [n](std::size_t i, std::size_t j, std::size_t k) { return (i * n + j) * n + k; };
  auto& bodies = c.arrangement.bodies;
  auto& contacts = c.arrangement.contacts;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        bodies.push_back(ball(0.03, r,
                              2 * r * Vec3(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)),
                              Vec3::Zero()));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t here = at(i, j, k);
        const Vec3& p = bodies[here].position;
        if (i + 1 < n) contacts.push_back({here, at(i + 1, j, k), p + r * Vec3::UnitX(), Vec3::UnitX(), law});
        if (j + 1 < n) contacts.push_back({here, at(i, j + 1, k), p + r * Vec3::UnitY(), Vec3::UnitY(), law});
        if (k + 1 < n) contacts.push_back({here, at(i, j, k + 1), p + r * Vec3::UnitZ(), Vec3::UnitZ(), law});
      }
  const std::size_t middle = at(0, n / 2, n / 2);
  const Vec3 from = Vec3(-1, 0.21, 0.13).normalized();  // off the axes: no ties
  const Vec3 struck = bodies[middle].position;
  bodies.push_back(ball(0.3, c.striker_radius, struck + (r + c.striker_radius) * from, -5 * from));
  contacts.push_back({bodies.size() - 1, middle, struck + r * from, -from, law});
  return c;
}

namespace {

using Clock = std::chrono::steady_clock;

double energy(const std::vector<RigidBody>& bodies) {
  double E = 0;
  for (const RigidBody& b : bodies) E += kinetic_energy(b);
  return E;
}

double worst_approach(const Crystal& c, const std::vector<RigidBody>& bodies) {
  double worst = 0;
  for (const Touch& t : c.arrangement.contacts)
    worst = std::max(
        worst, -t.n.normalized().dot(velocity_at(bodies[t.second], t.point) - velocity_at(bodies[t.first], t.point)));
  return worst;
}

/// Solves with `resolve`, whose answer has u, or says why not.
template <class Resolve>
std::optional<Answer> timed(const Crystal& c, Resolve resolve) {
  const auto assembled = assemble(c.arrangement);
  if (!assembled) return std::nullopt;
  const auto begin = Clock::now();
  const auto found = resolve(assembled->problem);
  Answer out;
  out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!found) {
    out.note = found.error().message();
    return out;
  }
  out.bodies = moved(c.arrangement, *assembled, found->u);
  return out;
}

struct Solver {
  std::string name;
  std::size_t most;  ///< contacts
  std::function<std::optional<Answer>(const Crystal&)> solve;
};

std::vector<Solver> solvers() {
  std::vector<Solver> list;
  list.push_back({"sequence, chatterjee-ruina", 1'000'000,
                  [](const Crystal& c) { return timed(c, [](const Problem& p) { return resolve(p); }); }});
#ifdef BENCH_COMPLEMENTARITY
  list.push_back({"anitescu-potra (Siconos NSGS)", 1'000'000, [](const Crystal& c) {
                    return timed(c, [](const Problem& p) { return resolve_anitescu_potra(p); });
                  }});
  list.push_back({"weighted (Siconos Lemke)", 200,
                  [](const Crystal& c) { return timed(c, [](const Problem& p) { return resolve_weighted(p); }); }});
  list.push_back({"lcp (Siconos Lemke)", 500,
                  [](const Crystal& c) { return timed(c, [](const Problem& p) { return resolve_plastic(p); }); }});
#endif
#ifdef BENCH_BULLET
  for (const int iterations : {10, 1000})
    list.push_back({fmt::format("Bullet, {} iterations", iterations), 1'000'000,
                    [iterations](const Crystal& c) { return by_bullet(c, iterations); }});
#endif
#ifdef BENCH_MUJOCO
  list.push_back({"MuJoCo, one step", 200, [](const Crystal& c) { return by_mujoco(c); }});
#endif
  return list;
}

}  // namespace

int run(double patience) {
  std::map<std::string, bool> tired;
  fmt::print("| contacts | solver | time [ms] | energy after/before | worst approach left [m/s] | |\n");
  fmt::print("| ---: | --- | ---: | ---: | ---: | --- |\n");
  for (const std::size_t n : {2, 4, 8, 15, 32}) {
    const Crystal c = crystal(n);
    const std::size_t contacts = c.arrangement.contacts.size();
    const double before = energy(c.arrangement.bodies);
    for (const Solver& solver : solvers()) {
      if (contacts > solver.most || tired[solver.name]) continue;
      const auto answer = solver.solve(c);
      if (!answer) continue;
      tired[solver.name] = answer->seconds > patience;
      if (answer->bodies.empty()) {
        fmt::print("| {} | {} | {:.3g} | | | {} |\n", contacts, solver.name, 1e3 * answer->seconds, answer->note);
      } else {
        fmt::print("| {} | {} | {:.3g} | {:.6f} | {:.1e} | {} |\n", contacts, solver.name, 1e3 * answer->seconds,
                   energy(answer->bodies) / before, worst_approach(c, answer->bodies), answer->note);
      }
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace ricochet::bench

/// bench_contacts [SECONDS]: a solver that took longer than that is not asked for larger graphs; 20 by default.
int main(int argc, char** argv) { return ricochet::bench::run(argc > 1 ? std::atof(argv[1]) : 20); }
