# ricochet_batch: laws for columns of contacts, in packs and by threads.
ricochet_library(ricochet_batch ${RICOCHET_BATCH_SOURCES})
add_library(ricochet::batch ALIAS ricochet_batch)
set_target_properties(ricochet_batch PROPERTIES EXPORT_NAME batch)
target_include_directories(ricochet_batch PRIVATE src)
target_link_libraries(ricochet_batch PUBLIC ricochet_core)
target_compile_options(ricochet_batch PRIVATE -ffp-contract=off)

# The loops over packs, each with the instructions that it is for, chosen at run time. Optimised in every build: what the
# compiler does not inline it may share between them (src/batch/pack_loop.hpp). GCC notes that vectors would be passed
# otherwise by code that has wider registers; none are passed.
set(packs -O3 -Wno-psabi)
foreach(number double float)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/batch/${number}_packs_sse2.cpp TARGET_DIRECTORY ricochet_batch
               PROPERTY COMPILE_OPTIONS ${packs})
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/batch/${number}_packs_avx2.cpp TARGET_DIRECTORY ricochet_batch
               PROPERTY COMPILE_OPTIONS ${packs} -mavx2 -mfma)
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/batch/${number}_packs_avx512.cpp TARGET_DIRECTORY ricochet_batch
               PROPERTY COMPILE_OPTIONS ${packs} -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw)
endforeach()

set(RICOCHET_HAVE_TBB OFF CACHE INTERNAL "")
find_package(TBB QUIET)
if(TARGET TBB::tbb)
  set(RICOCHET_HAVE_TBB ON CACHE INTERNAL "")
  target_compile_definitions(ricochet_batch PRIVATE RICOCHET_HAVE_TBB)
  target_link_libraries(ricochet_batch PRIVATE TBB::tbb)
else()
  message(STATUS "oneTBB (libtbb-dev) is not installed, so batches of collisions run on one thread")
endif()

# Somebody else's project asks for it as a component, because it then needs oneTBB.
install(TARGETS ricochet_batch EXPORT ricochet-batch-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
  EXPORT ricochet-batch-targets
  NAMESPACE ricochet::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
