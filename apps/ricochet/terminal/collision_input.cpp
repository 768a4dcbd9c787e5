#include "terminal/collision_input.hpp"

#include "ricochet/base/printable.hpp"
#include "ricochet/io/open_collision.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {

int CollisionInput::read(const std::string& file, const std::vector<std::string>& sets) {
  where = file.empty() ? std::string(default_scene_name) : file;
  auto given = read_assignments(sets);
  if (!given) return app::refuse("--set", given.error());
  assignments = *std::move(given);
  Read<Collision> opened = open_collision(file);
  if (!opened) return app::refuse(opened.error());
  collision = *std::move(opened);
  override_parameters(assignments, collision);
  return 0;
}

std::string CollisionInput::title() const { return collision.title.empty() ? where : printable(collision.title); }

int CollisionInput::refuse(const Error& error) const {
  return report_parameter_error(where, collision, assignments, error);
}

}  // namespace ricochet::app
