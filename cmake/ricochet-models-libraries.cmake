# ricochet::mujoco and ricochet::fcl, where they are found; for this build and for whoever uses the installed package.
# Debian's own mujoco target names an include folder that does not exist, and its fcl target asks for more than is used.
find_path(RICOCHET_MUJOCO_INCLUDE mujoco/mujoco.h)
find_library(RICOCHET_MUJOCO_LIBRARY mujoco)
find_path(RICOCHET_FCL_INCLUDE fcl/narrowphase/distance.h)
find_library(RICOCHET_FCL_LIBRARY fcl)
find_library(RICOCHET_CCD_LIBRARY ccd)
mark_as_advanced(RICOCHET_MUJOCO_INCLUDE RICOCHET_MUJOCO_LIBRARY RICOCHET_FCL_INCLUDE RICOCHET_FCL_LIBRARY
                 RICOCHET_CCD_LIBRARY)

if(RICOCHET_MUJOCO_INCLUDE AND RICOCHET_MUJOCO_LIBRARY AND NOT TARGET ricochet::mujoco)
  add_library(ricochet::mujoco UNKNOWN IMPORTED)
  set_target_properties(ricochet::mujoco PROPERTIES IMPORTED_LOCATION "${RICOCHET_MUJOCO_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${RICOCHET_MUJOCO_INCLUDE}")
endif()
if(RICOCHET_FCL_INCLUDE AND RICOCHET_FCL_LIBRARY AND RICOCHET_CCD_LIBRARY AND NOT TARGET ricochet::fcl)
  add_library(ricochet::fcl UNKNOWN IMPORTED)
  set_target_properties(
    ricochet::fcl
    PROPERTIES IMPORTED_LOCATION "${RICOCHET_FCL_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${RICOCHET_FCL_INCLUDE}"
               INTERFACE_LINK_LIBRARIES "${RICOCHET_CCD_LIBRARY}")
endif()
