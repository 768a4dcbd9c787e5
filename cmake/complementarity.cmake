# ricochet_complementarity: many contacts at once instead of in sequence. Apart from the core, and optional, because it
# needs the solvers of Siconos.
option(RICOCHET_COMPLEMENTARITY "build ricochet_complementarity where Siconos is found" ON)
set(RICOCHET_HAVE_COMPLEMENTARITY OFF)
if(RICOCHET_COMPLEMENTARITY)
  find_path(RICOCHET_SICONOS_INCLUDE fc3d_Solvers.h PATH_SUFFIXES siconos/numerics)
  find_path(RICOCHET_SICONOS_CONFIG_INCLUDE SiconosConfig.h PATH_SUFFIXES siconos)
  find_library(RICOCHET_SICONOS_LIBRARY siconos_numerics)
  if(RICOCHET_SICONOS_INCLUDE AND RICOCHET_SICONOS_CONFIG_INCLUDE AND RICOCHET_SICONOS_LIBRARY)
    set(RICOCHET_HAVE_COMPLEMENTARITY ON)
  else()
    message(STATUS "Siconos (libsiconos-numerics-dev) is not installed, so many contacts are resolved in sequence only")
  endif()
endif()

if(RICOCHET_HAVE_COMPLEMENTARITY)
  file(GLOB RICOCHET_COMPLEMENTARITY_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/complementarity/*.cpp)
  add_library(ricochet_complementarity STATIC ${RICOCHET_COMPLEMENTARITY_SOURCES})
  target_include_directories(ricochet_complementarity SYSTEM PRIVATE ${RICOCHET_SICONOS_INCLUDE}
                                                                     ${RICOCHET_SICONOS_CONFIG_INCLUDE})
  target_link_libraries(
    ricochet_complementarity
    PUBLIC ricochet
    PRIVATE ${RICOCHET_SICONOS_LIBRARY} fmt::fmt ricochet_warnings)
endif()
