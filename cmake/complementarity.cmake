# ricochet_complementarity: many contacts at once instead of in sequence. Apart from the core, and optional, because it
# needs the solvers of Siconos.
option(RICOCHET_COMPLEMENTARITY "build ricochet_complementarity where Siconos is found" ON)
set(RICOCHET_HAVE_COMPLEMENTARITY OFF)
if(RICOCHET_COMPLEMENTARITY)
  include(${PROJECT_SOURCE_DIR}/cmake/ricochet-complementarity-libraries.cmake)
  if(TARGET ricochet::siconos)
    set(RICOCHET_HAVE_COMPLEMENTARITY ON)
  else()
    message(STATUS "Siconos (libsiconos-numerics-dev) is not installed, so many contacts are resolved in sequence only")
  endif()
endif()

if(RICOCHET_HAVE_COMPLEMENTARITY)
  add_library(ricochet_complementarity STATIC ${RICOCHET_COMPLEMENTARITY_SOURCES})
  add_library(ricochet::complementarity ALIAS ricochet_complementarity)
  set_target_properties(ricochet_complementarity PROPERTIES EXPORT_NAME complementarity POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(
    ricochet_complementarity
    PUBLIC ricochet
    PRIVATE ricochet::siconos fmt::fmt $<BUILD_INTERFACE:ricochet_warnings>)
  ricochet_unity(ricochet_complementarity 4)

  install(TARGETS ricochet_complementarity EXPORT ricochet-complementarity-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ricochet/complementarity DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ricochet)
  install(
    EXPORT ricochet-complementarity-targets
    NAMESPACE ricochet::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
  install(FILES cmake/ricochet-complementarity-libraries.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
endif()
