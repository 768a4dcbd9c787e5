#pragma once
/// Kane's puzzle as a question to a physics engine (docs/kane.md): the double pendulum of ST98 example 1 at the moment
/// in which its tip touches the floor. Each engine is a separate program, which verifies its model before its answer
/// counts.

#include <Eigen/Core>
#include <Eigen/LU>
#include <functional>
#include <string>
#include <vector>

namespace ricochet::kane {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

/// Two equal uniform rods from a hinge at the origin, in the x–z plane, z up. Angles from hanging turn x towards z,
/// that is about −y; both are absolute, in q and in u.
struct Puzzle {
  double length = 2;   ///< [m]
  double mass = 3;     ///< [kg]
  Vec2 q{0.0, 0.0};    ///< 20° and 30°
  Vec2 u{-0.1, -0.2};  ///< [rad/s]
  Vec2 elbow, tip;     ///< (x, z) [m]; the floor is at tip.z
  double inertia = 0;  ///< of a rod about its middle [kg m²]
};
[[nodiscard]] const Puzzle& puzzle();

struct Case {
  double e, mu;
};
/// ST98's pairs of e and μ (or μ_s where it is the one that decides), with the limits of each added.
[[nodiscard]] const std::vector<Case>& cases();

/// Properties of a model before the impact.
struct Model {
  Mat2 mass;          ///< in the absolute speeds [kg m²]
  Mat2 W;             ///< of the tip, (x, z) [1/kg]
  Vec2 V;             ///< of the tip, (x, z) [m/s]
  double energy = 0;  ///< kinetic [J]
};
/// By `double_pendulum_absolute`.
[[nodiscard]] Model reference();

/// Where an engine knows only joints turning relative to each other: absolute = T relative.
[[nodiscard]] Mat2 absolute_from_relative();

/// ½ uᵀ𝓜u with the mass matrix of the reference.
[[nodiscard]] double energy(const Vec2& u);
[[nodiscard]] Vec2 tip_velocity(const Vec2& u);

/// The absolute speeds after the impact, or why there are none.
struct MechanismImpact {
  bool answered = false;
  Vec2 u{0, 0};
  double step = 0;  ///< the time step that was used [s]
  std::string why;  ///< where not answered
};

struct Variant {
  std::string name;  ///< as in the table
  std::function<Model()> model;
  double tolerance = 1e-9;  ///< to which the model must agree with the reference, relative
  /// Finer with each level: smaller steps and, where contacts are soft, stiffer ones.
  std::function<MechanismImpact(const Case&, int level)> strike;
  int levels = 8;         ///< how many refinements may be tried
  double settled = 1e-6;  ///< two levels that differ by less, in units of ‖V⁻‖, end it
};

struct Engine {
  std::string name, version;
  std::vector<Variant> variants;
};

/// Whole program: `--check` shows that the models agree; with a file instead, every case is struck and written there as
/// JSON (some engines talk on standard output). Returns the exit status, 1 where a model is another mechanism.
int run(const Engine& engine, int argc, char** argv);

}  // namespace ricochet::kane
