#pragma once
/// The scenes of SimBenchmark that have an exact answer (docs/benchmarks.md, Simulations), as values for every engine.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace ricochet::simulate {

using Vec3 = Eigen::Vector3d;

/// Equal spheres over the fixed plane z = 0, and perhaps a box between them and the plane. At rest at the start.
struct Scene {
  struct Box {
    Vec3 size;      ///< whole edges [m]
    double mass;    ///< [kg]
    Vec3 inertia;   ///< [kg m²]
    Vec3 position;  ///< of its centre [m]
    Vec3 force;     ///< at its centre, constant [N]
  };
  std::string name, unit;
  double gravity = 9.81;      ///< downwards [m/s²]
  double duration = 0;        ///< [s]
  double radius = 0;          ///< of a sphere [m]
  double mass = 0;            ///< of a sphere [kg]
  double inertia = 0;         ///< of a sphere [kg m²]
  std::vector<Vec3> spheres;  ///< centres [m]
  std::optional<Box> box;
  double e = 0;
  double mu_plane_box = 0, mu_box_sphere = 0, mu_plane_sphere = 0;
  double a_box = 0, a_sphere = 0;  ///< exact, along the force [m/s²]

  [[nodiscard]] std::size_t bodies() const { return spheres.size() + (box ? 1 : 0); }
  [[nodiscard]] bool friction() const { return mu_plane_sphere > 0; }
};

/// Of one body. Those of a scene are in the order of its spheres; the box comes last.
struct State {
  Vec3 position, velocity, angular_velocity;
};

/// Kinetic energy and potential energy of gravity, zero at the plane [J]. For spheres alone.
[[nodiscard]] double energy(const Scene& scene, const std::vector<State>& states);
[[nodiscard]] std::vector<State> at_start(const Scene& scene);

[[nodiscard]] Scene bouncing();
/// Start positions from `simbenchmark/elastic666_start.csv` in the folder that RICOCHET_CASES names; otherwise drawn
/// here by the same formula. Throws where that file cannot be read.
[[nodiscard]] Scene elastic666();
/// A box that is pulled over the plane with spheres on it. `overlap` is that of bodies in contact at the start: engines
/// find no contact without it.
[[nodiscard]] Scene rolling(const std::string& name, const Vec3& direction, double overlap);

/// All of them, in the order of the table.
[[nodiscard]] std::vector<Scene> scenes(double overlap);

}  // namespace ricochet::simulate
