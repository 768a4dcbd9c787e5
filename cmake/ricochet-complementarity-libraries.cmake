# ricochet::siconos, where the solvers of Siconos are installed: for this project, and for those who use its package.
if(NOT TARGET ricochet::siconos)
  find_path(RICOCHET_SICONOS_INCLUDE fc3d_Solvers.h PATH_SUFFIXES siconos/numerics)
  find_path(RICOCHET_SICONOS_CONFIG_INCLUDE SiconosConfig.h PATH_SUFFIXES siconos)
  find_library(RICOCHET_SICONOS_LIBRARY siconos_numerics)
  if(RICOCHET_SICONOS_INCLUDE AND RICOCHET_SICONOS_CONFIG_INCLUDE AND RICOCHET_SICONOS_LIBRARY)
    add_library(ricochet::siconos UNKNOWN IMPORTED)
    set_target_properties(
      ricochet::siconos
      PROPERTIES IMPORTED_LOCATION "${RICOCHET_SICONOS_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${RICOCHET_SICONOS_INCLUDE};${RICOCHET_SICONOS_CONFIG_INCLUDE}")
  endif()
endif()
