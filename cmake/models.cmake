# ricochet_models: mechanisms from URDF and MJCF files. Apart from the core, and optional, because it needs MuJoCo, and for
# the distances of some pairs of shapes FCL.
option(RICOCHET_MODELS "build ricochet_models where MuJoCo is found" ON)
option(RICOCHET_FCL "use FCL in ricochet_models where it is found" ON)
set(RICOCHET_HAVE_MODELS OFF)
set(RICOCHET_HAVE_FCL OFF CACHE INTERNAL "")
if(RICOCHET_MODELS)
  include(${PROJECT_SOURCE_DIR}/cmake/ricochet-models-libraries.cmake)
  if(TARGET ricochet::mujoco)
    set(RICOCHET_HAVE_MODELS ON)
  else()
    message(STATUS "MuJoCo (libmujoco-dev) is not installed, so robot files (URDF, MJCF) are left out")
  endif()
endif()

if(RICOCHET_HAVE_MODELS)
  file(GLOB RICOCHET_MODEL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/model/*.cpp)
  if(RICOCHET_FCL AND TARGET ricochet::fcl)
    set(RICOCHET_HAVE_FCL ON CACHE INTERNAL "")
  else()
    message(STATUS "without FCL (libfcl-dev) the distances of some pairs of shapes are left out")
    list(FILTER RICOCHET_MODEL_SOURCES EXCLUDE REGEX "/convex_gap\\.cpp$")
  endif()
  add_library(ricochet_models STATIC ${RICOCHET_MODEL_SOURCES})
  add_library(ricochet::models ALIAS ricochet_models)
  set_target_properties(ricochet_models PROPERTIES EXPORT_NAME models POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(
    ricochet_models
    PUBLIC ricochet
    PRIVATE ricochet::mujoco fmt::fmt $<BUILD_INTERFACE:ricochet_warnings>)
  if(RICOCHET_HAVE_FCL)
    target_compile_definitions(ricochet_models PRIVATE RICOCHET_HAVE_FCL)
    target_link_libraries(ricochet_models PRIVATE ricochet::fcl)
  endif()

  install(TARGETS ricochet_models EXPORT ricochet-models-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ricochet/model DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ricochet)
  install(
    EXPORT ricochet-models-targets
    NAMESPACE ricochet::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
  install(FILES cmake/ricochet-models-libraries.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
endif()
