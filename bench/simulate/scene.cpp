#include "scene.hpp"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace ricochet::simulate {
namespace {

constexpr int edge = 6;           ///< spheres along one edge of the crystal
constexpr double spacing = 0.21;  ///< [m]

std::vector<Vec3> read_start(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != "ball,x,y,z") throw std::runtime_error(path + ": expected ball,x,y,z");
  std::vector<Vec3> out;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::size_t ball = 0;
    char comma = 0;
    Vec3 p = Vec3::Zero();
    if (!(cells >> ball >> comma >> p.x() >> comma >> p.y() >> comma >> p.z()) || ball != out.size())
      throw std::runtime_error(path + ": not a position: " + line);
    out.push_back(p);
  }
  if (out.size() != std::size_t{edge} * edge * edge) throw std::runtime_error(path + ": expected 216 positions");
  return out;
}

std::vector<Vec3> draw_start() {
  std::mt19937_64 source(42);
  const auto uniform = [&source] { return 0x1p-53 * static_cast<double>(source() >> 11); };
  std::vector<Vec3> out;
  for (int i = 0; i < edge; ++i)
    for (int j = 0; j < edge; ++j)
      for (int k = 0; k < edge; ++k) {
        const double x = uniform(), y = uniform(), z = uniform();
        out.emplace_back(spacing * Vec3(i, j, k) + 1e-3 * Vec3(x, y, z) + Vec3(0, 0, 1.101));
      }
  return out;
}

}  // namespace

double energy(const Scene& scene, const std::vector<State>& states) {
  double sum = 0;
  for (const State& s : states)
    sum += 0.5 * (scene.mass * s.velocity.squaredNorm() + scene.inertia * s.angular_velocity.squaredNorm()) +
           scene.mass * scene.gravity * s.position.z();
  return sum;
}

std::vector<State> at_start(const Scene& scene) {
  std::vector<State> out;
  for (const Vec3& p : scene.spheres) out.push_back({p, Vec3::Zero(), Vec3::Zero()});
  if (scene.box) out.push_back({scene.box->position, Vec3::Zero(), Vec3::Zero()});
  return out;
}

Scene bouncing() {
  Scene s;
  s.name = "bouncing";
  s.unit = "J²";
  s.duration = 20;
  s.radius = 0.1;
  s.mass = 10;
  s.inertia = 0.04;
  s.e = 1;
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) s.spheres.emplace_back(2.0 * i, 2.0 * j, 5.0);
  return s;
}

Scene elastic666() {
  Scene s = bouncing();
  s.name = "elastic666";
  s.duration = 10;
  const char* folder = std::getenv("RICOCHET_CASES");
  s.spheres = folder == nullptr ? draw_start() : read_start(std::string(folder) + "/simbenchmark/elastic666_start.csv");
  return s;
}

Scene rolling(const std::string& name, const Vec3& direction, double overlap) {
  Scene s;
  s.name = name;
  s.unit = "m²/s²";
  s.duration = 4;
  s.radius = 0.5;
  s.mass = 1;
  s.inertia = 0.1;
  s.mu_plane_box = 0.4;
  s.mu_box_sphere = 0.8;
  s.mu_plane_sphere = 0.5;
  const Vec3 size(20, 20, 1);
  const double mass = 10, pull = 150;
  const Vec3 squares = size.cwiseAbs2();
  s.box = Scene::Box{size, mass, mass / 12 * (Vec3::Constant(squares.sum()) - squares), Vec3(0, 0, 0.5 - overlap),
                     pull * direction};
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) s.spheres.emplace_back(2.0 * i, 2.0 * j, 1.5 - 3 * overlap);
  // Spheres that roll without slip take a_box / 3.5 from the friction; the plane holds with μ times the whole weight.
  const auto n = static_cast<double>(s.spheres.size());
  const double share = 1 + s.mass * s.radius * s.radius / s.inertia;  // 3.5
  s.a_box = (pull - s.mu_plane_box * (mass + n * s.mass) * s.gravity) / (mass + n * s.mass / share);
  s.a_sphere = s.a_box / share;
  return s;
}

std::vector<Scene> scenes(double overlap) {
  return {bouncing(), elastic666(), rolling("rolling, y", Vec3(0, 1, 0), overlap),
          rolling("rolling, xy", Vec3(0.5, 0.866025403784439, 0), overlap)};
}

}  // namespace ricochet::simulate
