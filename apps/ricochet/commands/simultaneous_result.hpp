#pragma once
/// What `ricochet simultaneous` was asked and what came out, and its three forms. docs/command-line.md.

#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/scene.hpp"
#include "ricochet/scene/scene_answer.hpp"
#include "terminal/scene_options.hpp"

namespace ricochet::app {

struct SimultaneousResult {
  std::string name;  ///< of the scene, as it was asked for
  Scene scene;
  SceneOptions options;
  std::string method = "sequence";
  std::vector<SceneAnswer> answers;  ///< one; or two, hinges in sequence and intact
  std::optional<Ensemble> ensemble;
};

[[nodiscard]] std::string simultaneous_table(const SimultaneousResult& result);
[[nodiscard]] std::string simultaneous_json(const SimultaneousResult& result);
/// One row for each body, contact and hinge. Has no ensemble.
[[nodiscard]] std::string simultaneous_csv(const SimultaneousResult& result);

}  // namespace ricochet::app
