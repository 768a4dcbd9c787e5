#pragma once
/// The laws' answers to one collision and the ways of their impulses, each worked out once, when first asked for.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer.hpp"
#include "ricochet/report/way.hpp"

namespace ricochet::app {

class Answers {
 public:
  /// `collision` must outlive this.
  explicit Answers(const Collision& collision) : collision_(&collision) {}

  [[nodiscard]] const Collision& collision() const { return *collision_; }

  [[nodiscard]] const Answer& of(std::string_view law);

  /// The way of spring-sledge is that of its process; of any other law, what its outcome tells. Empty where there is no
  /// outcome.
  [[nodiscard]] const Way& way(std::string_view law);

  /// The impulses of that way, from 0 to P, input coordinates: curved where it is, else straight from event to event;
  /// empty where there is no outcome.
  [[nodiscard]] const std::vector<Vec3>& path(std::string_view law);

 private:
  struct Known {
    Answer answer;
    std::optional<Way> way = {};
    std::optional<std::vector<Vec3>> path = {};
  };
  Known& known(std::string_view law);

  const Collision* collision_;
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace ricochet::app
