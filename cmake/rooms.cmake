# Which source files make up which archive. The rooms and their order are in CONTRIBUTING.md; an archive holds whole rooms,
# except where a first answer would have to wait for code that it does not use.
#
#   RICOCHET_CORE_SOURCES       base to law: everything about one contact
#   RICOCHET_BATCH_SOURCES      laws for many contacts at once: packs and threads
#   RICOCHET_COLLISION_SOURCES  what reads, asks and writes one collision: `ricochet collide` waits for no more
#   RICOCHET_SOURCES            geometry, mechanisms, many contacts, discs
#   RICOCHET_REPORT_SOURCES     pictures and pages
#   RICOCHET_HDF5_SOURCES       motion as HDF5, which says so where the library is absent
#   RICOCHET_SWEEP_SOURCES      parameter studies: sampling, statistics, columns
#   RICOCHET_FIT_SOURCES        laws fitted to measured impacts, with Ceres
#   RICOCHET_TOSS_SOURCES       laws fitted to tosses, which are simulated
#   RICOCHET_SCENES_SOURCES     the rest of scene and io
#   RICOCHET_DISTANCE_SOURCES   contacts of shapes
#   RICOCHET_MOTION_SOURCES     simulations, but for what they are given and what they report
#   RICOCHET_URDF_SOURCES, RICOCHET_MODEL_SOURCES, RICOCHET_FCL_SOURCES, RICOCHET_COMPLEMENTARITY_SOURCES   need libraries of others
file(GLOB_RECURSE all CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
function(take variable pattern)
  set(found ${all})
  list(FILTER found INCLUDE REGEX "/src/${pattern}")
  set(rest ${all})
  if(found)
    list(REMOVE_ITEM rest ${found})
  endif()
  set(${variable} ${found} PARENT_SCOPE)
  set(all ${rest} PARENT_SCOPE)
endfunction()
take(RICOCHET_URDF_SOURCES "(model/(urdf_.*|mesh_file)|geometry/convex_hull)\\.cpp$")
take(RICOCHET_MODEL_SOURCES "model/")
take(RICOCHET_FCL_SOURCES "geometry/signed_distance\\.cpp$")
take(RICOCHET_DISTANCE_SOURCES "geometry/(shape|field)_contact\\.cpp$")
take(RICOCHET_COMPLEMENTARITY_SOURCES "complementarity/")
take(RICOCHET_MOTION_SOURCES "motion/(broad_phase|compliant_motion|contact_forces|crossed_curves|dual_motion|dual_tree|ensemble|feature|body_shapes|field_.*|gap_search|impulse_sweeps|island|piece|polytope.*|separating_plane|sensitivity|simulation|surface_contact|tilted_patch|time_stepping|tree_state)\\.cpp$")
take(RICOCHET_BATCH_SOURCES "batch/")
take(RICOCHET_REPORT_SOURCES "report/")
take(RICOCHET_COLLISION_SOURCES
     "(scene/(answers?|collision|landmarks)|io/(assignments|collision_.*|input|json|landmarks_json|open_collision|text|toml_.*|write_.*))\\.cpp$")
take(RICOCHET_SWEEP_SOURCES "sweep/")
take(RICOCHET_TOSS_SOURCES "fit/(predict_toss|rank_tosses)\\.cpp$")
take(RICOCHET_FIT_SOURCES "fit/")
take(RICOCHET_HDF5_SOURCES "io/motion_hdf5\\.cpp$")
take(RICOCHET_SCENES_SOURCES "(scene|io)/")
# What neither a law nor `ricochet` uses, and takes long to compile.
take(outside_laws
     "(base/(direct_search|symmetric_eigen)|compliant/(disc|inclined|material|planar|rolling)[a-z_]*|law/fit|space/(region_surface|section))\\.cpp$")
take(RICOCHET_CORE_SOURCES "(base|body|contact|space|compliant|law)/")
set(RICOCHET_SOURCES ${all} ${outside_laws})

# The files of scenes/ travel inside the library.
include(${CMAKE_CURRENT_LIST_DIR}/bundled_scenes.cmake)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
bundled_scenes(RICOCHET_BUNDLED_SCENES ${PROJECT_SOURCE_DIR}/scenes/*.toml BundledScene)
configure_file(${PROJECT_SOURCE_DIR}/src/scene/bundled_scenes.cpp.in ${generated}/bundled_scenes.cpp @ONLY)
bundled_scenes(RICOCHET_BUNDLED_DISCS ${PROJECT_SOURCE_DIR}/scenes/discs/*.toml)
configure_file(${PROJECT_SOURCE_DIR}/src/scene/bundled_discs.cpp.in ${generated}/bundled_discs.cpp @ONLY)
bundled_scenes(RICOCHET_BUNDLED_MOTIONS ${PROJECT_SOURCE_DIR}/scenes/motion/*.toml BundledScene)
configure_file(${PROJECT_SOURCE_DIR}/src/scene/bundled_motions.cpp.in ${generated}/bundled_motions.cpp @ONLY)
set(scene ${PROJECT_SOURCE_DIR}/scenes/default.toml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${scene})
file(READ ${scene} RICOCHET_DEFAULT_SCENE)
configure_file(${PROJECT_SOURCE_DIR}/src/scene/default_scene.cpp.in ${generated}/default_scene.cpp @ONLY)
list(APPEND RICOCHET_COLLISION_SOURCES ${generated}/bundled_scenes.cpp ${generated}/default_scene.cpp)
list(APPEND RICOCHET_SCENES_SOURCES ${generated}/bundled_discs.cpp ${generated}/bundled_motions.cpp)

# So does the motion viewer.
include(${CMAKE_CURRENT_LIST_DIR}/motion_viewer.cmake)
motion_viewer(RICOCHET_MOTION_MODULES RICOCHET_MOTION_STYLE)
configure_file(${PROJECT_SOURCE_DIR}/src/report/motion_viewer.cpp.in ${generated}/motion_viewer.cpp @ONLY)
list(APPEND RICOCHET_REPORT_SOURCES ${generated}/motion_viewer.cpp)
