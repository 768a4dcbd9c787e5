#pragma once
/// The result of a scene of many contacts by one method.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/resolve_jointly.hpp"
#include "ricochet/simultaneous/sequence.hpp"

namespace ricochet {

struct SceneAnswer {
  Assembled assembled;
  Resolution resolution;          ///< of no collisions where all contacts were resolved at once
  std::vector<RigidBody> bodies;  ///< after
  std::optional<Joint> joint;     ///< where all contacts were resolved at once

  [[nodiscard]] bool settled() const { return resolution.status != SequenceStatus::does_not_settle; }
  /// One line for display.
  [[nodiscard]] std::string verdict() const;
  /// "yes", "no: friction"; empty where there is no answer.
  [[nodiscard]] std::string permissible() const;
  /// That contacts were chosen among equally fast ones, in a line for people; empty where none was.
  [[nodiscard]] std::string ties_remark() const;
};

/// `method`: "sequence", or one of resolve_jointly; then the options of a sequence are not read, and nothing is
/// observed.
[[nodiscard]] Expected<SceneAnswer> answer_scene(const BodyScene& scene, Hinges hinges, std::string_view method,
                                                 const SequenceOptions& options, const SequenceObserver& observer = {});

}  // namespace ricochet
