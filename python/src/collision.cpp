#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "module.hpp"
#include "raise.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/io/collision_json.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/landmarks_json.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/report/named_figures.hpp"

namespace ricochet::python {
namespace {

RigidBody body_from(const py::dict& given, const std::string& path) {
  RigidBody body;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    const std::string field = join_path(path, name);
    try {
      if (name == "mass") {
        body.mass = value.cast<double>();
      } else if (name == "inertia") {
        body.inertia = value.cast<Mat3>();
      } else if (name == "orientation") {
        const auto q = value.cast<Eigen::Vector4d>();
        body.orientation = Quaternion(q(0), q(1), q(2), q(3));
      } else if (name == "position") {
        body.position = value.cast<Vec3>();
      } else if (name == "velocity") {
        body.velocity = value.cast<Vec3>();
      } else if (name == "angular_velocity") {
        body.angular_velocity = value.cast<Vec3>();
      } else if (name == "fixed") {
        body.fixed = value.cast<bool>();
      } else {
        raise(Error{ErrorCode::unknown_name, field, "",
                    "must be mass, inertia, orientation, position, velocity, angular_velocity or fixed"});
      }
    } catch (const py::cast_error&) {
      raise(Error{ErrorCode::wrong_type, field, py::repr(value).cast<std::string>(), "has the wrong type or shape"});
    }
  }
  return body;
}

Collision collision_of(const std::optional<Mat3>& M, const std::optional<Mat3>& W, const std::optional<Vec3>& V,
                       const std::optional<Vec3>& n, const std::optional<Vec3>& spin,
                       const std::optional<std::string>& law, const py::dict& parameters, const std::string& title) {
  Collision out;
  Given given;
  given.M = M;
  given.W = W;
  given.V = V;
  given.n = n;
  given.spin = spin;
  out.contact = value_or_raise(make_contact(given));
  out.settings = parameters_from(parameters);
  if (law && find_law(*law) == nullptr) raise(unknown_law(*law));
  out.law = law;
  out.title = title;
  return out;
}

Collision between(const py::dict& A, const py::dict& B, const Vec3& point, const Vec3& n,
                  const std::optional<std::string>& law, const py::dict& parameters) {
  Collision out;
  const BodyPair bodies{body_from(A, "A"), body_from(B, "B")};
  out.contact = value_or_raise(contact_between(bodies.A, bodies.B, point, n));
  out.bodies = bodies;
  out.point = point;
  out.settings = parameters_from(parameters);
  if (law && find_law(*law) == nullptr) raise(unknown_law(*law));
  out.law = law;
  return out;
}

py::object asked(const Collision& collision, const std::string& law, bool derivatives) {
  DerivativeRequest request;
  request.derivatives = derivatives;
  if (law == "all") {
    const auto answers = ask_all(collision, request);
    if (const auto refusal = refusal_of(answers)) raise(*refusal);
    return to_python(to_json(collision, answers));
  }
  const Answer answer = ask(law, collision, request);
  if (!answer.outcome) raise(answer.outcome.error());
  return to_python(to_json(answer));
}

py::object landmarks(const Collision& collision, bool extremes) {
  const Landmarks found = value_or_raise(landmarks_of(collision));
  Json out = to_json(found);
  if (extremes) out.update(to_json(extremes_of(found)));
  return to_python(out);
}

py::dict parameters_as_dict(const Collision& collision) {
  py::dict out;
  for (const std::string_view name : parameter_names())
    if (const auto value = get(collision.settings, name)) out[py::str(std::string(name))] = py::cast(*value);
  return out;
}

}  // namespace

void bind_collision(py::module_& m) {
  py::class_<Collision>(m, "Collision")
      .def(py::init(&collision_of))
      .def_static("between", &between)
      .def_static("read", [](const std::string& path) { return value_or_raise(open_collision(path)); })
      .def_static("from_toml", [](const std::string& text) { return value_or_raise(read_toml(text)); })
      .def_static("from_json",
                  [](const std::string& line) {
                    Collision out;
                    check_or_raise(read_json_line(line, out));
                    return out;
                  })
      .def("to_toml", [](const Collision& c) { return write_toml(c); })
      .def("to_json", [](const Collision& c) { return write_json_line(c); })
      .def_property_readonly("M", [](const Collision& c) { return c.contact.M; })
      .def_property_readonly("W", [](const Collision& c) { return c.contact.W; })
      .def_property_readonly("V", [](const Collision& c) { return c.contact.V; })
      .def_property_readonly("n", [](const Collision& c) { return c.contact.n; })
      .def_property_readonly("spin", [](const Collision& c) { return c.contact.spin; })
      .def_property_readonly("mass_given", [](const Collision& c) { return c.contact.mass_given; })
      .def_property_readonly("law", [](const Collision& c) { return c.law; })
      .def_property_readonly("title", [](const Collision& c) { return c.title; })
      .def_property_readonly("parameters", &parameters_as_dict)
      .def("ask", &asked)
      .def("landmarks", &landmarks)
      .def("figure", [](const Collision& c, const std::string& kind, const std::string& law) {
        return to_svg(value_or_raise(figure_of(c, kind, law)), false);
      });
}

}  // namespace ricochet::python
