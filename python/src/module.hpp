#pragma once
/// The parts of the module ricochet._core.

#include <pybind11/pybind11.h>

namespace ricochet::python {

void bind_collide(pybind11::module_& m);
void bind_space(pybind11::module_& m);
void bind_collision(pybind11::module_& m);
void bind_scenes(pybind11::module_& m);
void bind_mechanisms(pybind11::module_& m);
void bind_motion(pybind11::module_& m);
void bind_fitting(pybind11::module_& m);

}  // namespace ricochet::python
