#pragma once
/// `impact`, also for scenes with robots that `simultaneous` is given.

#include <string>

#include "terminal/mechanism_input.hpp"
#include "terminal/scene_options.hpp"

namespace ricochet::app {

struct ImpactOptions {
  MechanismOptions mechanism;
  SceneOptions sequence;
  bool list = false, systems = false, describe = false, shapes = false, derivatives = false;
  std::string format = "table", out, contacts, method = "sequence";
};

/// The exit code.
[[nodiscard]] int run_impact(const ImpactOptions& options);

}  // namespace ricochet::app
