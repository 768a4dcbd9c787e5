#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>

#include "module.hpp"
#include "raise.hpp"
#include "ricochet/io/motion_json.hpp"
#include "ricochet/io/motion_toml.hpp"
#include "ricochet/io/open_scene.hpp"
#ifdef RICOCHET_HAVE_MOTION
#include "ricochet/motion/chosen_motion.hpp"
#endif
#include "ricochet/scene/bundled_scenes.hpp"

namespace ricochet::python {
namespace {

#ifdef RICOCHET_HAVE_MOTION

/// What a run leaves: rows of numbers that become arrays.
struct Recorded {
  std::vector<double> times;
  std::vector<double> poses;  ///< 13 numbers for each body and time
  std::vector<motion::Event> events;

  void add(double time, const std::vector<motion::Pose>& all) {
    times.push_back(time);
    for (const motion::Pose& pose : all) {
      const Quaternion& q = pose.orientation;
      for (const double x : {pose.position.x(), pose.position.y(), pose.position.z(), q.w(), q.x(), q.y(), q.z(),
                             pose.velocity.x(), pose.velocity.y(), pose.velocity.z(), pose.angular_velocity.x(),
                             pose.angular_velocity.y(), pose.angular_velocity.z()})
        poses.push_back(x);
    }
  }
};

py::array_t<double> as_array(const std::vector<double>& numbers, std::vector<py::ssize_t> shape) {
  py::array_t<double> out(std::move(shape));
  std::copy(numbers.begin(), numbers.end(), out.mutable_data());
  return out;
}

/// As `ricochet simulate`. Python's signals are looked at between pieces of the motion.
py::dict simulate(MotionScene scene, const std::string& law, const py::dict& parameters, double until, double sample,
                  const std::string& method, std::uint64_t max_events, double step,
                  const std::optional<double>& stiffness) {
  if (!(until > 0 && std::isfinite(until)))
    raise(Error{ErrorCode::out_of_range, "until", to_text(until), "must be positive and finite"});
  if (!(sample >= 0 && std::isfinite(sample)))
    raise(Error{ErrorCode::out_of_range, "sample", to_text(sample), "must be at least 0, and finite"});
  if (method != "events" && method != "time-stepping" && method != "compliant")
    raise(Error{ErrorCode::unknown_name, "method", method, "must be events, time-stepping or compliant"});
  if (!law.empty()) {
    if (find_law(law) == nullptr) raise(unknown_law(law));
    use_law(scene, law);
  }
  for (const auto& [key, value] : parameters) {
    const auto name = key.cast<std::string>();
    check_or_raise(set_parameter(scene, name, value_from(name, value)));
  }
  std::vector<std::string> notes;
  if (const std::string assumed = assume_missing(scene); !assumed.empty()) notes.push_back("assumed: " + assumed);
  if (stiffness) scene.stiffness = stiffness;
  if (method == "compliant" && !scene.stiffness)
    raise(Error{ErrorCode::missing, "stiffness", "", "missing; the normal spring of every contact [N/m]"});
  auto world = value_or_raise(make_world(scene, &notes));
  std::vector<std::string> names;
  names.reserve(world.bodies.size());
  for (const motion::WorldBody& body : world.bodies) names.push_back(body.name);
  auto motion = value_or_raise(
      motion::ChosenMotion::make(std::move(world), nullptr, {method, max_events, step, scene.stiffness.value_or(0)}));
  Recorded recorded;
  recorded.add(0, motion.poses());
  motion::Observer observer;
  observer.event = [&](const motion::Event& event) { recorded.events.push_back(event); };
  observer.sample = [&](double time, const std::vector<motion::Pose>& poses) { recorded.add(time, poses); };
  constexpr int pieces = 64;
  std::optional<Error> stopped;
  for (int k = 1; k <= pieces && !stopped; ++k) {
    {
      const py::gil_scoped_release unlocked;
      const auto went = motion.run(k == pieces ? until : until * k / pieces, observer, sample);
      if (!went) stopped = went.error();
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (max_events > 0 && motion.events() >= max_events) break;
  }
  const auto count = static_cast<py::ssize_t>(recorded.times.size());
  py::dict out;
  out["bodies"] = names;
  out["time"] = as_array(recorded.times, {count});
  out["poses"] = as_array(recorded.poses, {count, static_cast<py::ssize_t>(names.size()), 13});
  Json events = Json::array();
  for (const motion::Event& event : recorded.events) events.push_back(to_json(event, names));
  out["events"] = to_python(events);
  out["energy"] = to_python(to_json(motion.ledger()));
  out["notes"] = notes;
  out["stopped"] = stopped ? to_python(to_json(*stopped)) : py::object(py::none());
  return out;
}

#else

py::dict simulate(const MotionScene&, const std::string&, const py::dict&, double, double, const std::string&,
                  std::uint64_t, double, const std::optional<double>&) {
  raise(Error{ErrorCode::unavailable, "simulate", "",
              "needs Boost (libboost-dev), which was absent when this was built"});
}

#endif

}  // namespace

void bind_motion(py::module_& m) {
  py::class_<MotionScene>(m, "MotionScene")
      .def_static("read", [](const std::string& name) { return value_or_raise(open_motion_scene(name)); })
      .def_static("from_toml", [](const std::string& text) { return value_or_raise(read_motion_scene(text)); })
      .def("to_dict", [](const MotionScene& s) { return to_python(to_json(s)); })
      .def_property_readonly("title", [](const MotionScene& s) { return s.title; })
      .def("simulate", &simulate);
  m.def("motion_names", [] {
    std::vector<std::string> out;
    for (const BundledScene& scene : bundled_motions()) out.emplace_back(scene.name);
    return out;
  });
}

}  // namespace ricochet::python
