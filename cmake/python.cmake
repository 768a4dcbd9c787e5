# The Python package, for whoever has pybind11. Debian's Python is taken, which has Debian's numpy, whatever other Python
# comes first on the path.
option(RICOCHET_PYTHON "build the Python package where pybind11 is found" ${PROJECT_IS_TOP_LEVEL})
set(RICOCHET_PYTHON_EXECUTABLE "" CACHE FILEPATH "the Python that the package is built for")
set(RICOCHET_HAVE_PYTHON OFF CACHE INTERNAL "")
if(RICOCHET_PYTHON AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  if(NOT RICOCHET_PYTHON_EXECUTABLE)
    find_program(RICOCHET_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
    find_program(RICOCHET_SYSTEM_PYTHON python3)
    set(RICOCHET_PYTHON_EXECUTABLE ${RICOCHET_SYSTEM_PYTHON})
  endif()
  set(headers "")
  if(RICOCHET_PYTHON_EXECUTABLE)
    execute_process(
      COMMAND ${RICOCHET_PYTHON_EXECUTABLE} -c
              "import sysconfig as s; print(s.get_path('include'), 'lib/python' + s.get_python_version(), 'dist-packages' if 'deb_system' in s.get_scheme_names() else 'site-packages', s.get_config_var('EXT_SUFFIX'), sep='\\n')"
      OUTPUT_VARIABLE facts
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REPLACE "\n" ";" facts "${facts}")
    list(GET facts 0 headers)
    list(GET facts 1 library)
    list(GET facts 2 packages)
    list(GET facts 3 suffix)
  endif()
  find_path(PYBIND11_INCLUDE pybind11/pybind11.h)
  if(PYBIND11_INCLUDE AND EXISTS "${headers}/Python.h")
    set(RICOCHET_HAVE_PYTHON ON CACHE INTERNAL "")
    set(RICOCHET_PYTHON_BUILD ${PROJECT_BINARY_DIR}/python)
    set(RICOCHET_PYTHON_INSTALL ${library}/${packages} CACHE STRING "folder of the Python package below the prefix")
    add_subdirectory(python)
  else()
    message(STATUS "pybind11 (pybind11-dev, python3-dev) is not installed, so the Python package is left out")
  endif()
endif()
