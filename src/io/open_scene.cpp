#include "ricochet/io/open_scene.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

tl::unexpected<Fault> fault_of(const std::string& file, const Error& error) {
  return tl::unexpected(Fault{error, 0, file});
}

bool is_file(const std::string& name) { return name == "-" || access(name.c_str(), F_OK) == 0; }

}  // namespace

bool is_bundled_scene(const std::string& name) { return !is_file(name) && named_scene(name).has_value(); }

Read<Scene> open_scene(const std::string& name) {
  if (!is_file(name)) {
    if (auto bundled = named_scene(name)) {
      if (!*bundled) return fault_of(name, bundled->error());
      return *std::move(*bundled);
    }
    if (name.find('/') == std::string::npos && !name.ends_with(".toml")) {
      std::vector<std::string_view> names;
      for (const NamedScene& known : named_scenes()) names.push_back(known.name);
      return fault_of(
          name, Error{ErrorCode::unknown_name, "", "",
                      with_suggestion("neither a file nor a bundled scene", name.substr(0, name.find(':')), names)});
    }
  }
  Expected<Input> input = Input::open(name);
  if (!input) return fault_of(name, input.error());
  const Expected<std::string> text = input->rest(scene_limit);
  if (!text) return fault_of(input->name(), text.error());
  auto scene = read_scene(*text);
  if (!scene) scene.error().file = input->name();
  return scene;
}

long long line_of(const Scene& scene, const Error& error) {
  const std::vector<PathStep> steps = path_steps(error.path);
  if (steps.empty() || steps[0].entry == 0) return 0;
  for (const auto& [list, lines] : {std::pair{std::string_view("contact"), &scene.contact_lines},
                                    std::pair{std::string_view("hinge"), &scene.hinge_lines}})
    if (steps[0].name == list && steps[0].entry <= lines->size()) return (*lines)[steps[0].entry - 1];
  return 0;
}

}  // namespace ricochet
