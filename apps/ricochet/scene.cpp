#include "scene.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "input.hpp"
#include "read_jsonl.hpp"
#include "read_toml.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

std::optional<Collision> refuse(std::string_view file, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(file, line, error));
  return std::nullopt;
}

std::optional<Collision> first_line(Input& input) {
  long long number = 0;
  std::optional<Collision> found;
  while (true) {
    const auto line = input.next_line();
    if (!line) return refuse(input.name(), 0, line.error());
    if (!*line) break;
    ++number;
    if ((*line)->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (found) return refuse(input.name(), number, Error{"", "", "a second collision; this command takes one"});
    if ((*line)->too_long) return refuse(input.name(), number, Error{"", "", "the line is too long for a collision"});
    Collision collision;
    const Expected<void> fine = read_json_line((*line)->text, collision);
    if (!fine) return refuse(input.name(), number, fine.error());
    found = std::move(collision);
  }
  if (!found) return refuse(input.name(), 0, Error{"", "", "is empty; a collision is needed"});
  return found;
}

}  // namespace

Expected<Kind> kind_of(std::string_view path, Input& input) {
  if (path.ends_with(".toml")) return Kind::toml;
  for (const std::string_view ending : {".jsonl", ".ndjson", ".json"})
    if (path.ends_with(ending)) return Kind::jsonl;
  return input.peek_line().map([](std::string_view line) {
    if (line.empty() || line.front() == '#') return Kind::toml;
    if (line.front() == '{') return Kind::jsonl;
    // A header [name] or [[name]], or key = value.
    const bool header = line.front() == '[' && line.find_first_of(",:") == std::string_view::npos &&
                        line.find_first_not_of("[ \t+-.0123456789]\r") != std::string_view::npos;
    return header || line.find('=') != std::string_view::npos ? Kind::toml : Kind::jsonl;
  });
}

std::optional<SceneFile> open_scene_file(const std::string& path, std::size_t limit) {
  if (path.empty()) return SceneFile{std::string(default_scene_name), std::nullopt, std::string(default_scene)};
  const auto refuse_file = [](std::string_view file, const Error& error) {
    fmt::print(stderr, "{}\n", fault_line(file, 0, error));
    return std::nullopt;
  };
  Expected<Input> input = Input::open(path);
  if (!input) return refuse_file(path, input.error());
  const Expected<Kind> kind = kind_of(path, *input);
  if (!kind) return refuse_file(input->name(), kind.error());
  if (*kind == Kind::jsonl) {
    std::optional<Collision> collision = first_line(*input);
    if (!collision) return std::nullopt;
    return SceneFile{input->name(), std::move(collision), ""};
  }
  Expected<std::string> all = input->rest(limit);
  if (!all) return refuse_file(input->name(), all.error());
  return SceneFile{input->name(), std::nullopt, *std::move(all)};
}

std::optional<Collision> read_scene(const std::string& path) {
  std::optional<SceneFile> file = open_scene_file(path, toml_limit);
  if (!file) return std::nullopt;
  if (file->collision) return std::move(file->collision);
  auto read = read_toml(file->toml);
  if (!read) return refuse(file->name, read.error().line, read.error().error);
  return *std::move(read);
}

}  // namespace ricochet::app
