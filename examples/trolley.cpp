// A mechanism of one's own in a few lambdas: a trolley on a rail carries a rod, whose tip strikes the floor.
#include <cmath>
#include <cstdio>

#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/mechanism/systems.hpp"

int main() {
  using namespace ricochet;
  constexpr double m = 1, M = 2, l = 0.5;  // rod, trolley [kg], length [m]

  Lagrangian system;
  system.name = "trolley with a rod";
  system.coordinates = system.dof = 2;  // place of the trolley, angle of the rod from hanging
  system.mass = [=](const VecX& q) -> MatX {
    const double c = m * l / 2 * std::cos(q(1));
    return (Mat2() << M + m, c, c, m * l * l / 3).finished();
  };
  system.points.push_back(
      {"tip", [=](const VecX& q) { return Vec3(q(0) + l * std::sin(q(1)), 0, -l * std::cos(q(1))); },
       [=](const VecX& q) {
         return planar_jacobian(Eigen::RowVector2d(1, l * std::cos(q(1))), Eigen::RowVector2d(0, l * std::sin(q(1))));
       }});
  system.contacts.push_back({"floor", "world", "tip", [](const VecX&) { return Vec3(Vec3::UnitZ()); }, {}});

  const VecX q = Eigen::Vector2d(0, 0.6), u = Eigen::Vector2d(0.5, -2);
  const auto hit = respond(system, "floor", q, u)
                       .and_then([](const Response& r) { return planar_problem(r, Vec3::UnitX()); })
                       .and_then([](const PlanarProblem& p) { return collide(Morgan{.e = 0.5, .mu = 0.3}, p); });
  if (!hit) {
    std::fprintf(stderr, "%s\n", hit.error().message().c_str());
    return 1;
  }
  for (const PlanarState& s : hit->states)
    std::printf("%-10s p_n %.4f N s  v_n %8.4f  v_t %8.4f m/s  E_n %8.4f  E_t %8.4f J\n", name(s.pause).data(), s.p_n,
                s.v_n, s.v_t, s.E_n, s.E_t);
  std::printf("path %s, trolley %.4f m/s, rod %.4f rad/s, energy %.4f J\n", morgan_path(hit->path).data(), hit->u(0),
              hit->u(1), hit->energy_change);
}
