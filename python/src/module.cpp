#include "module.hpp"

PYBIND11_MODULE(_core, m) {
  m.doc() = "The library behind the package ricochet; use the package.";
  m.attr("__version__") = RICOCHET_VERSION;
  ricochet::python::bind_collide(m);
  ricochet::python::bind_space(m);
  ricochet::python::bind_collision(m);
  ricochet::python::bind_scenes(m);
  ricochet::python::bind_mechanisms(m);
  ricochet::python::bind_motion(m);
  ricochet::python::bind_fitting(m);
}
