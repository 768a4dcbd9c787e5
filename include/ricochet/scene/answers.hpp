#pragma once
/// The laws' answers to one collision and the paths of their impulses, each computed once, on first use.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/law/trajectory.hpp"
#include "ricochet/scene/answer.hpp"

namespace ricochet {

class Answers {
 public:
  /// `collision` must outlive this. `points_per_phase` of the process that is the path of spring-sledge, as in
  /// compliant::ProcessOptions: its points cost more than the answer.
  explicit Answers(const Collision& collision, std::optional<int> points_per_phase = std::nullopt)
      : collision_(&collision), points_per_phase_(points_per_phase) {}

  [[nodiscard]] const Collision& collision() const { return *collision_; }

  [[nodiscard]] const Answer& of(std::string_view law);

  /// The path of spring-sledge is that of its process; of any other law, that of its outcome. Empty without an
  /// outcome.
  [[nodiscard]] const Trajectory& way(std::string_view law);

  /// The impulses of that path, from 0 to P, in input coordinates: curved where known, otherwise straight from event to
  /// event; empty without an outcome.
  [[nodiscard]] const std::vector<Vec3>& path(std::string_view law);

 private:
  struct Known {
    Answer answer;
    std::optional<Trajectory> way = {};
    std::optional<std::vector<Vec3>> path = {};
  };
  Known& known(std::string_view law);

  const Collision* collision_;
  std::optional<int> points_per_phase_;
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace ricochet
