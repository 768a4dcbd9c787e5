#pragma once
/// The result of a scene of many contacts as JSON and CSV: docs/command-line.md.

#include <string>

#include "ricochet/scene/scene_result.hpp"

namespace ricochet {

[[nodiscard]] std::string write_json(const SceneResult& result);
/// One row for each body, contact and hinge. Has no ensemble.
[[nodiscard]] std::string write_csv(const SceneResult& result);

}  // namespace ricochet
