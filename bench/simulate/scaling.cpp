/// What an event costs as bodies become more: elastic spheres in a box of six planes, always equally dense.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <vector>

#include "ricochet/geometry/convex_shape.hpp"
#include "ricochet/motion/simulation.hpp"
#include "ricochet/ricochet.hpp"

namespace ricochet::simulate {
namespace {

constexpr double radius = 0.1;
constexpr double room = 0.5;             ///< edge of the cube that each sphere has for itself [m]
constexpr double timed = 2;              ///< CPU time to be measured [s], at least
constexpr std::uint64_t most = 200'000;  ///< events

double cpu_seconds() {
  std::timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// N spheres on a grid, moved within their cells and with velocities from a fixed seed. The box is the cube of N cells.
motion::World gas(int N) {
  std::mt19937_64 source(7);
  const auto uniform = [&source] { return 0x1p-52 * static_cast<double>(source() >> 11) - 1; };  // in [−1, 1)
  motion::World out;
  out.laws = {{.law = Frictionless{.e = 1}}};
  out.law_of_pair = {0};
  const double edge = room * std::cbrt(N);
  const int along = static_cast<int>(std::ceil(std::cbrt(N) - 1e-9));
  const double cell = edge / along;
  const double play = 0.5 * cell - radius;
  if (!(play > 0)) throw std::logic_error("spheres do not fit into their cells");
  for (int i = 0; i < N; ++i) {
    motion::WorldBody b;
    b.name = fmt::format("sphere{}", i);
    const Vec3 corner(i % along, i / along % along, i / (along * along));
    const double x = uniform(), y = uniform(), z = uniform();
    b.body.position = cell * (corner + Vec3::Constant(0.5)) + 0.99 * play * Vec3(x, y, z);
    const double u = uniform(), v = uniform(), w = uniform();
    b.body.velocity = Vec3(u, v, w);
    b.body.mass = 1;
    b.body.inertia = 0.4 * radius * radius * Mat3::Identity();
    b.shapes = {place({.kind = Shape::Kind::sphere, .radius = radius}, Vec3::Zero(), Mat3::Identity())};
    out.bodies.push_back(std::move(b));
  }
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {1.0, -1.0}) {
      motion::WorldBody wall;
      wall.name = fmt::format("wall{}{}", "xyz"[axis], side > 0 ? 0 : 1);
      wall.body.fixed = true;
      const Vec3 inward = side * Vec3::Unit(axis);
      wall.body.orientation = Quaternion::FromTwoVectors(Vec3::UnitZ(), inward);
      wall.body.position = side > 0 ? Vec3::Zero() : Vec3(edge * Vec3::Unit(axis));
      wall.shapes = {place({.kind = Shape::Kind::plane}, Vec3::Zero(), Mat3::Identity())};
      out.bodies.push_back(std::move(wall));
    }
  return out;
}

nlohmann::json measure(int N) {
  auto made = motion::Simulation::start(gas(N));
  if (!made) throw std::runtime_error(made.error().message());
  motion::Simulation& simulation = *made;
  const double energy = simulation.ledger().kinetic;
  const auto advance = [&](double by) {
    const auto done = simulation.run(simulation.time() + by);
    if (!done) throw std::runtime_error(done.error().message());
  };
  // Some collisions each first, so that the grid is forgotten.
  const double slice = 2.0 / std::max(1.0, std::cbrt(N));
  advance(4);
  const std::uint64_t events = simulation.events();
  const double time = simulation.time(), begin = cpu_seconds();
  while (cpu_seconds() - begin < timed && simulation.events() - events < most) advance(slice);
  const double seconds = cpu_seconds() - begin;
  const auto count = static_cast<double>(simulation.events() - events);
  return {{"bodies", N},
          {"events", count},
          {"events_per_second", count / (simulation.time() - time)},
          {"seconds_per_event", seconds / count},
          {"energy_change", std::abs(simulation.ledger().kinetic / energy - 1)}};
}

}  // namespace
}  // namespace ricochet::simulate

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FILE\n", argv[0]);
    return 2;
  }
  try {
    nlohmann::json out{{"scaling", nlohmann::json::array()}};
    for (const int N : {1, 10, 100, 1000}) {
      const auto row = ricochet::simulate::measure(N);
      fmt::print(stderr, "{}\n", row.dump());
      out["scaling"].push_back(row);
    }
    std::ofstream file(argv[1]);
    file << out.dump(1) << '\n';
    if (file.flush()) return 0;
    fmt::print(stderr, "{}: cannot be written\n", argv[1]);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", argv[0], problem.what());
  }
  return 2;
}
