# ricochet_models: mechanisms from MJCF files, and URDF as MuJoCo reads it. Apart from the core, and optional, because it needs MuJoCo, and for
# the distances of some pairs of shapes FCL.
option(RICOCHET_MODELS "build ricochet_models where MuJoCo is found" ON)
option(RICOCHET_FCL "use FCL in ricochet_models where it is found" ON)
set(RICOCHET_HAVE_MODELS OFF)
set(RICOCHET_HAVE_FCL OFF CACHE INTERNAL "")
include(${PROJECT_SOURCE_DIR}/cmake/ricochet-models-libraries.cmake)
# ricochet_distance: the contacts of convex shapes.
ricochet_library(ricochet_distance ${RICOCHET_DISTANCE_SOURCES})
target_link_libraries(ricochet_distance PUBLIC ricochet)
if(RICOCHET_FCL AND TARGET ricochet::fcl)
  set(RICOCHET_HAVE_FCL ON CACHE INTERNAL "")
  target_sources(ricochet_distance PRIVATE ${RICOCHET_FCL_SOURCES})
  target_compile_definitions(ricochet_distance PRIVATE RICOCHET_HAVE_FCL)
  target_link_libraries(ricochet_distance PRIVATE ricochet::fcl)
else()
  message(STATUS "without FCL (libfcl-dev) the distances of some pairs of shapes are left out")
endif()
if(RICOCHET_MODELS)
  if(TARGET ricochet::mujoco AND TARGET ricochet::tinyxml2)
    set(RICOCHET_HAVE_MODELS ON)
  else()
    message(STATUS "MuJoCo (libmujoco-dev) or TinyXML-2 (libtinyxml2-dev) is not installed, so robot files (URDF, MJCF) are left out")
  endif()
endif()

# ricochet_urdf: URDF without MuJoCo.
set(RICOCHET_HAVE_URDF OFF)
if(RICOCHET_MODELS)
  if(TARGET ricochet::urdfdom AND TARGET ricochet::tinyxml2)
    set(RICOCHET_HAVE_URDF ON)
    ricochet_library(ricochet_urdf ${RICOCHET_URDF_SOURCES})
    add_library(ricochet::urdf ALIAS ricochet_urdf)
    set_target_properties(ricochet_urdf PROPERTIES EXPORT_NAME urdf)
    target_link_libraries(
      ricochet_urdf
      PUBLIC ricochet
      PRIVATE ricochet::urdfdom ricochet::tinyxml2)
  else()
    message(STATUS "urdfdom, Assimp, Qhull or TinyXML-2 (liburdfdom-dev libassimp-dev libqhull-dev libtinyxml2-dev) is not installed, so URDF is left out")
  endif()
endif()

if(RICOCHET_HAVE_MODELS)
  add_library(ricochet_models STATIC ${RICOCHET_MODEL_SOURCES})
  add_library(ricochet::models ALIAS ricochet_models)
  set_target_properties(ricochet_models PROPERTIES EXPORT_NAME models POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(
    ricochet_models
    PUBLIC ricochet
    PRIVATE ricochet_distance ricochet::mujoco ricochet::tinyxml2 fmt::fmt $<BUILD_INTERFACE:ricochet_warnings>)
  ricochet_unity(ricochet_models 4)
  set(urdf "")
  if(RICOCHET_HAVE_URDF)
    set(urdf ricochet_urdf)
  endif()
  install(TARGETS ricochet_models ricochet_distance ${urdf} EXPORT ricochet-models-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ricochet/model DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ricochet)
  install(
    EXPORT ricochet-models-targets
    NAMESPACE ricochet::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
  install(FILES cmake/ricochet-models-libraries.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
endif()
