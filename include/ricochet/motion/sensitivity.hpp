#pragma once
/// How a motion through impacts and lasting contacts changes with its start and its parameters (docs/derivatives.md
/// (DV13) to (DV18)).

#include <optional>
#include <string>
#include <vector>

#include "ricochet/motion/simulation.hpp"

namespace ricochet::motion {

/// One thing that the motion depends on, and its columns.
struct SensitivityInput {
  /// "position", "rotation", "velocity", "angular_velocity", "mass", "gravity", or of a law; of a mechanism "q", "u",
  /// "force", "damping", "stiffness" or "rest", one column for each speed.
  std::string name;
  int body = -1;       ///< that it belongs to; −1: none
  int mechanism = -1;  ///< as above
  int law = -1;        ///< of World::laws; −1: none
  int first = 0, count = 0;
};

struct EventSensitivity {
  Event event;
  Eigen::RowVectorXd time;  ///< ∂(time)/∂(inputs) [s per unit of the input]
};

struct Sensitivity {
  static constexpr int rows_of_body = 12;  ///< position, rotation vector (world axes), velocity, angular velocity

  double time = 0;  ///< reached
  std::vector<SensitivityInput> inputs;
  int columns = 0;
  std::vector<std::size_t> bodies;  ///< those that are neither fixed nor of a mechanism
  std::vector<int> dofs;            ///< of each mechanism
  /// ∂(state)/∂(inputs), twelve rows for each of these bodies, then the positions and the speeds of each mechanism, one
  /// row for each speed. A position changes along its speed: of a ball or free joint by a rotation vector in the axes
  /// of the link. Empty at a kink. A column that is not a number has no derivative, which `missing` explains.
  MatX state;
  std::vector<EventSensitivity> events;  ///< up to the end or the kink
  /// Bodies touch or are joined at the start: changes of the start are first made to keep this.
  bool projected = false;

  struct Kink {
    double time = 0;
    std::string what;
  };
  std::optional<Kink> kink;  ///< where the motion has no derivative; nothing after it is given
  struct Missing {
    int column = 0;
    Kink kink;
  };
  std::vector<Missing> missing;  ///< columns without a derivative, though others have one
};

/// Runs the world to `until`, as `Simulation` does, and follows the motion once more with its derivatives. Refuses dry
/// friction of joints. "mass" scales a body's inertia along with its mass: another density of the same shape.
[[nodiscard]] Expected<Sensitivity> simulate_with_sensitivity(const World& world, double until,
                                                              const Options& options = {});

}  // namespace ricochet::motion
