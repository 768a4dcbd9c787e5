# ricochet_models: mechanisms from URDF and MJCF files. Apart from the core, and optional, because it needs MuJoCo.
option(RICOCHET_MODELS "build ricochet_models where MuJoCo is found" ON)
set(RICOCHET_HAVE_MODELS OFF)
if(RICOCHET_MODELS AND EXISTS ${PROJECT_SOURCE_DIR}/src/model/mujoco_model.cpp)
  # Debian's mujoco target names an include folder that does not exist, so the library is looked up by itself.
  find_path(RICOCHET_MUJOCO_INCLUDE mujoco/mujoco.h)
  find_library(RICOCHET_MUJOCO_LIBRARY mujoco)
  if(RICOCHET_MUJOCO_INCLUDE AND RICOCHET_MUJOCO_LIBRARY)
    set(RICOCHET_HAVE_MODELS ON)
  else()
    message(STATUS "MuJoCo (libmujoco-dev) is not installed, so robot files (URDF, MJCF) are left out")
  endif()
endif()

if(RICOCHET_HAVE_MODELS)
  file(GLOB RICOCHET_MODEL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/model/*.cpp)
  add_library(ricochet_models STATIC ${RICOCHET_MODEL_SOURCES})
  target_include_directories(ricochet_models SYSTEM PRIVATE ${RICOCHET_MUJOCO_INCLUDE})
  target_link_libraries(
    ricochet_models
    PUBLIC ricochet
    PRIVATE ${RICOCHET_MUJOCO_LIBRARY} fmt::fmt ricochet_warnings)
endif()
