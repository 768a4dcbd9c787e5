#include "open_scene.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "input.hpp"
#include "named_scene.hpp"
#include "read_scene.hpp"
#include "ricochet/base/suggest.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

std::optional<BodiesScene> refuse(std::string_view where, long long line, const Error& error) {
  fmt::print(stderr, "{}\n", fault_line(where, line, error));
  return std::nullopt;
}

bool is_file(const std::string& name) { return name == "-" || access(name.c_str(), F_OK) == 0; }

}  // namespace

bool is_bundled_scene(const std::string& name) { return !is_file(name) && named_scene(name).has_value(); }

std::optional<BodiesScene> open_bodies_scene(const std::string& name) {
  if (!is_file(name)) {
    if (auto bundled = named_scene(name)) {
      if (!*bundled) return refuse(name, 0, bundled->error());
      return *std::move(*bundled);
    }
    if (name.find('/') == std::string::npos && !name.ends_with(".toml")) {
      std::vector<std::string_view> names;
      for (const NamedScene& known : named_scenes()) names.push_back(known.name);
      const std::string_view guess = closest(name.substr(0, name.find(':')), names);
      return refuse(name, 0,
                    Error{"", "",
                          guess.empty() ? fmt::format("neither a file nor a bundled scene; bundled are {}",
                                                      fmt::join(names, ", "))
                                        : fmt::format("neither a file nor a bundled scene; did you mean {}?", guess)});
    }
  }
  Expected<Input> input = Input::open(name);
  if (!input) return refuse(name, 0, input.error());
  const Expected<std::string> text = input->rest(scene_limit);
  if (!text) return refuse(input->name(), 0, text.error());
  auto scene = read_bodies_scene(*text);
  if (!scene) return refuse(input->name(), scene.error().line, scene.error().error);
  return *std::move(scene);
}

long long line_of(const BodiesScene& scene, const Error& error) {
  for (const auto& [kind, lines] : {std::pair{std::string_view("contact "), &scene.contact_lines},
                                    std::pair{std::string_view("hinge "), &scene.hinge_lines}}) {
    if (!error.field.starts_with(kind)) continue;
    const std::size_t i = std::strtoull(error.field.c_str() + kind.size(), nullptr, 10);
    if (i >= 1 && i <= lines->size()) return (*lines)[i - 1];
  }
  return 0;
}

}  // namespace ricochet::app
