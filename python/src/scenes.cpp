#include <pybind11/stl.h>

#include "module.hpp"
#include "raise.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/io/scene_json.hpp"
#include "ricochet/io/scene_result_text.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/scene/scene_laws.hpp"

namespace ricochet::python {
namespace {

/// As `ricochet simultaneous SCENE --law LAW --set ... --format json`.
py::object resolve(const Scene& scene, const std::string& method, const std::string& law, const py::dict& parameters,
                   const std::string& hinges) {
  SceneResult result;
  result.name = scene.title;
  result.scene = scene;
  result.method = method;
  std::vector<std::pair<std::string, Value>> assignments;
  for (const auto& [key, value] : parameters) {
    const auto name = key.cast<std::string>();
    LawParameters unused;
    check_or_raise(set(unused, name, value_from(name, value)));
    assignments.emplace_back(parameter_name(name), value_from(name, value));
  }
  if (law.empty()) {
    check_or_raise(set_parameters(result.scene, assignments));
  } else {
    const LawInfo* info = find_law(law);
    if (info == nullptr) raise(unknown_law(law));
    for (LawParameters& settings : result.scene.settings)
      for (const auto& [name, value] : assignments) check_or_raise(set(settings, name, value));
    result.scene.arrangement = value_or_raise(by_law(result.scene, info->name));
    result.scene.laws.assign(result.scene.laws.size(), std::string(info->name));
  }
  const bool intact = hinges.empty() ? method != "sequence" : hinges == "intact";
  {
    const py::gil_scoped_release unlocked;
    auto answer = answer_scene(result.scene.arrangement, intact ? Hinges::intact : Hinges::in_sequence, method,
                               SequenceOptions{});
    if (!answer) {
      const py::gil_scoped_acquire locked;
      raise(answer.error());
    }
    result.answers.push_back(*std::move(answer));
  }
  return to_python(write_json(result));
}

}  // namespace

void bind_scenes(py::module_& m) {
  py::class_<Scene>(m, "Scene")
      .def_static("read", [](const std::string& name) { return value_or_raise(open_scene(name)); })
      .def_static("from_toml", [](const std::string& text) { return value_or_raise(read_scene(text)); })
      .def_static("from_json", [](const std::string& text) { return value_or_raise(read_scene_json(text)); })
      .def("to_toml", [](const Scene& s) { return write_toml(s); })
      .def("to_json", [](const Scene& s) { return write_json(s); })
      .def_property_readonly("title", [](const Scene& s) { return s.title; })
      .def_property_readonly("bodies", [](const Scene& s) { return s.names; })
      .def_property_readonly("laws", [](const Scene& s) { return s.laws; })
      .def("resolve", &resolve);
  m.def("scene_names", [] {
    std::vector<std::string> out;
    for (const NamedScene& scene : named_scenes()) out.emplace_back(scene.name);
    return out;
  });
}

}  // namespace ricochet::python
