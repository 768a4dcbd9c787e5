# ricochet::mujoco, ricochet::tinyxml2, ricochet::urdfdom (with Assimp and Qhull) and ricochet::fcl, where they are found; for this build and for whoever uses the installed package.
# Debian's own mujoco target names an include folder that does not exist, and its fcl target asks for more than is used.
find_path(RICOCHET_MUJOCO_INCLUDE mujoco/mujoco.h)
find_library(RICOCHET_MUJOCO_LIBRARY mujoco)
find_path(RICOCHET_TINYXML2_INCLUDE tinyxml2.h)
find_library(RICOCHET_TINYXML2_LIBRARY tinyxml2)
find_path(RICOCHET_FCL_INCLUDE fcl/narrowphase/distance.h)
find_library(RICOCHET_FCL_LIBRARY fcl)
find_library(RICOCHET_CCD_LIBRARY ccd)
mark_as_advanced(RICOCHET_MUJOCO_INCLUDE RICOCHET_MUJOCO_LIBRARY RICOCHET_TINYXML2_INCLUDE RICOCHET_TINYXML2_LIBRARY RICOCHET_FCL_INCLUDE RICOCHET_FCL_LIBRARY
                 RICOCHET_CCD_LIBRARY)

if(RICOCHET_MUJOCO_INCLUDE AND RICOCHET_MUJOCO_LIBRARY AND NOT TARGET ricochet::mujoco)
  add_library(ricochet::mujoco UNKNOWN IMPORTED)
  set_target_properties(ricochet::mujoco PROPERTIES IMPORTED_LOCATION "${RICOCHET_MUJOCO_LIBRARY}"
                                                    INTERFACE_INCLUDE_DIRECTORIES "${RICOCHET_MUJOCO_INCLUDE}")
endif()
if(RICOCHET_TINYXML2_INCLUDE AND RICOCHET_TINYXML2_LIBRARY AND NOT TARGET ricochet::tinyxml2)
  add_library(ricochet::tinyxml2 UNKNOWN IMPORTED)
  set_target_properties(ricochet::tinyxml2 PROPERTIES IMPORTED_LOCATION "${RICOCHET_TINYXML2_LIBRARY}"
                                                      INTERFACE_INCLUDE_DIRECTORIES "${RICOCHET_TINYXML2_INCLUDE}")
endif()
find_path(RICOCHET_URDFDOM_INCLUDE urdf_parser/urdf_parser.h)
find_path(RICOCHET_ASSIMP_INCLUDE assimp/scene.h)
find_path(RICOCHET_QHULL_INCLUDE libqhull_r/qhull_ra.h)
find_library(RICOCHET_URDFDOM_LIBRARY urdfdom_model)
find_library(RICOCHET_CONSOLE_BRIDGE_LIBRARY console_bridge)
find_library(RICOCHET_ASSIMP_LIBRARY assimp)
find_library(RICOCHET_QHULL_LIBRARY qhull_r)
mark_as_advanced(RICOCHET_URDFDOM_INCLUDE RICOCHET_ASSIMP_INCLUDE RICOCHET_QHULL_INCLUDE RICOCHET_URDFDOM_LIBRARY
                 RICOCHET_CONSOLE_BRIDGE_LIBRARY RICOCHET_ASSIMP_LIBRARY RICOCHET_QHULL_LIBRARY)
if(RICOCHET_URDFDOM_INCLUDE AND RICOCHET_URDFDOM_LIBRARY AND RICOCHET_CONSOLE_BRIDGE_LIBRARY AND RICOCHET_ASSIMP_INCLUDE
   AND RICOCHET_ASSIMP_LIBRARY AND RICOCHET_QHULL_INCLUDE AND RICOCHET_QHULL_LIBRARY AND NOT TARGET ricochet::urdfdom)
  add_library(ricochet::urdfdom INTERFACE IMPORTED)
  set_target_properties(
    ricochet::urdfdom
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
               "${RICOCHET_URDFDOM_INCLUDE};${RICOCHET_ASSIMP_INCLUDE};${RICOCHET_QHULL_INCLUDE}"
               INTERFACE_LINK_LIBRARIES
               "${RICOCHET_URDFDOM_LIBRARY};${RICOCHET_CONSOLE_BRIDGE_LIBRARY};${RICOCHET_ASSIMP_LIBRARY};${RICOCHET_QHULL_LIBRARY}")
endif()
if(RICOCHET_FCL_INCLUDE AND RICOCHET_FCL_LIBRARY AND RICOCHET_CCD_LIBRARY AND NOT TARGET ricochet::fcl)
  add_library(ricochet::fcl UNKNOWN IMPORTED)
  set_target_properties(
    ricochet::fcl
    PROPERTIES IMPORTED_LOCATION "${RICOCHET_FCL_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${RICOCHET_FCL_INCLUDE}"
               INTERFACE_LINK_LIBRARIES "${RICOCHET_CCD_LIBRARY}")
endif()
