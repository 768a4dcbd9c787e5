# Other people's engines, for comparison: a target engine_NAME for each that is installed, in double precision. Looked up
# by themselves, because Debian's package files name an include folder that does not exist (MuJoCo) or ask for a language
# standard of their own (DART, Simbody).
include_guard(GLOBAL)

# engine(NAME HEADER SUFFIX LIBRARY...)
function(engine name header suffix)
  find_path(ENGINE_${name}_INCLUDE ${header} PATH_SUFFIXES ${suffix})
  set(libraries "")
  foreach(library ${ARGN})
    find_library(ENGINE_${name}_${library} ${library})
    if(NOT ENGINE_${name}_${library})
      return()
    endif()
    list(APPEND libraries ${ENGINE_${name}_${library}})
  endforeach()
  if(ENGINE_${name}_INCLUDE)
    add_library(engine_${name} INTERFACE)
    target_include_directories(engine_${name} SYSTEM INTERFACE ${ENGINE_${name}_INCLUDE})
    target_link_libraries(engine_${name} INTERFACE ${libraries})
  endif()
endfunction()

engine(mujoco mujoco/mujoco.h "" mujoco)
engine(bullet btBulletDynamicsCommon.h bullet BulletDynamics-float64 BulletCollision-float64 LinearMath-float64)
if(TARGET engine_bullet)
  target_compile_definitions(engine_bullet INTERFACE BT_USE_DOUBLE_PRECISION)
endif()
engine(ode ode/ode.h "" ode)
# The headers of DART call assimp.
engine(dart dart/dart.hpp "" dart assimp)
engine(simbody Simbody.h simbody SimTKsimbody SimTKmath SimTKcommon)
