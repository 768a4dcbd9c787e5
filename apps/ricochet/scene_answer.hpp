#pragma once
/// How a scene of many contacts came out by one method.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolve_jointly.hpp"

namespace ricochet::app {

struct SceneAnswer {
  Assembled assembled;
  Resolution resolution;
  std::vector<RigidBody> bodies;  ///< after
  std::optional<Joint> joint;     ///< where all contacts were taken at once

  [[nodiscard]] bool settled() const { return resolution.status != SequenceStatus::does_not_settle; }
  /// One line for people.
  [[nodiscard]] std::string verdict() const;
};

/// `method`: "sequence", or one of resolve_jointly; then the options of a sequence are not read.
[[nodiscard]] Expected<SceneAnswer> answer_scene(const Arrangement& arrangement, Hinges hinges, std::string_view method,
                                                 const SequenceOptions& options);

}  // namespace ricochet::app
