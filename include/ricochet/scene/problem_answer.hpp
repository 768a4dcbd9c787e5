#pragma once
/// The result of many contacts by one method, of bodies or of mechanisms.

#include <optional>
#include <string>
#include <string_view>

#include "ricochet/scene/resolve_jointly.hpp"
#include "ricochet/simultaneous/sequence.hpp"

namespace ricochet {

struct ProblemAnswer {
  Resolution resolution;       ///< of no collisions where all contacts were resolved at once
  std::optional<Joint> joint;  ///< where all contacts were resolved at once

  [[nodiscard]] bool settled() const { return resolution.status != SequenceStatus::does_not_settle; }
  /// One line for display.
  [[nodiscard]] std::string verdict() const;
  /// "yes", "no: friction"; empty where there is no answer.
  [[nodiscard]] std::string permissible() const;
};

/// `method`: "sequence", or one of resolve_jointly; then the options of a sequence are not read, and nothing is
/// observed.
[[nodiscard]] Expected<ProblemAnswer> answer_problem(const Problem& problem, std::string_view method,
                                                     const SequenceOptions& options,
                                                     const SequenceObserver& observer = {});

/// That contacts were chosen among equally fast ones, in a line for people; empty where none was.
[[nodiscard]] std::string ties_remark(const Problem& problem, const Resolution& resolution);

}  // namespace ricochet
