#pragma once
/// A scene of many contacts, what was asked about it and what came out.

#include <optional>
#include <string>
#include <vector>

#include "ricochet/scene/scene.hpp"
#include "ricochet/scene/scene_answer.hpp"
#include "ricochet/simultaneous/ensemble.hpp"

namespace ricochet {

struct SceneResult {
  std::string name;  ///< of the scene, as it was asked for
  Scene scene;
  std::string method = "sequence";
  EnsembleOptions options;           ///< those of the sequence; the others only where there is an ensemble
  ContactUncertainty uncertainty;    ///< of an ensemble
  std::vector<SceneAnswer> answers;  ///< one; or two, hinges in sequence and intact
  std::optional<Ensemble> ensemble;
};

}  // namespace ricochet
