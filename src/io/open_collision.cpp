#include "ricochet/io/open_collision.hpp"

#include "ricochet/io/collision_json.hpp"
#include "ricochet/io/collision_toml.hpp"

namespace ricochet {
namespace {

tl::unexpected<Fault> fault_of(const std::string& file, long long line, Error error) {
  return tl::unexpected(Fault{std::move(error), line, file});
}

Read<Collision> only_line(Input& input) {
  const auto refuse = [&](long long line, ErrorCode code, const char* why) {
    return fault_of(input.name(), line, Error{code, "", "", why});
  };
  long long number = 0;
  std::optional<Collision> found;
  while (true) {
    const auto line = input.next_line();
    if (!line) return fault_of(input.name(), 0, line.error());
    if (!*line) break;
    ++number;
    if ((*line)->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (found) return refuse(number, ErrorCode::conflict, "a second collision; this command takes one");
    if ((*line)->too_long) return refuse(number, ErrorCode::malformed, "the line is too long for a collision");
    Collision collision;
    const Expected<void> fine = read_json_line((*line)->text, collision);
    if (!fine) return fault_of(input.name(), number, fine.error());
    found = std::move(collision);
  }
  if (!found) return refuse(0, ErrorCode::missing, "is empty; a collision is needed");
  return *std::move(found);
}

}  // namespace

Expected<FileKind> kind_of(std::string_view path, Input& input) {
  if (path.ends_with(".toml")) return FileKind::toml;
  for (const std::string_view ending : {".jsonl", ".ndjson", ".json"})
    if (path.ends_with(ending)) return FileKind::json_lines;
  return input.peek_line().map([](std::string_view line) {
    if (line.empty() || line.front() == '#') return FileKind::toml;
    if (line.front() == '{') return FileKind::json_lines;
    // A header [name] or [[name]], or key = value.
    const bool header = line.front() == '[' && line.find_first_of(",:") == std::string_view::npos &&
                        line.find_first_not_of("[ \t+-.0123456789]\r") != std::string_view::npos;
    return header || line.find('=') != std::string_view::npos ? FileKind::toml : FileKind::json_lines;
  });
}

Read<CollisionFile> open_collision_file(const std::string& path, std::size_t limit) {
  if (path.empty()) return CollisionFile{std::string(default_scene_name), std::nullopt, std::string(default_scene)};
  Expected<Input> input = Input::open(path);
  if (!input) return fault_of(path, 0, input.error());
  const Expected<FileKind> kind = kind_of(path, *input);
  if (!kind) return fault_of(input->name(), 0, kind.error());
  if (*kind == FileKind::json_lines) {
    Read<Collision> collision = only_line(*input);
    if (!collision) return tl::unexpected(std::move(collision.error()));
    return CollisionFile{input->name(), *std::move(collision), ""};
  }
  Expected<std::string> all = input->rest(limit);
  if (!all) return fault_of(input->name(), 0, all.error());
  return CollisionFile{input->name(), std::nullopt, *std::move(all)};
}

Read<Collision> open_collision(const std::string& path) {
  Read<CollisionFile> file = open_collision_file(path, toml_limit);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (file->collision) return *std::move(file->collision);
  Read<Collision> read = read_toml(file->toml);
  if (!read) read.error().file = file->name;
  return read;
}

}  // namespace ricochet
