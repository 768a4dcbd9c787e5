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

set(RICOCHET_CUDA_ARCHITECTURES "80;90" CACHE STRING
    "compute capabilities that device code is compiled for; later ones get it from the last, when it is loaded")

# Adds what nvcc makes of a file to a library. No product is fused with a sum, as elsewhere.
function(ricochet_cuda_source library source)
  get_filename_component(name ${source} NAME_WE)
  set(object ${PROJECT_BINARY_DIR}/${name}.o)
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM eigen PREPEND -isystem= OUTPUT_VARIABLE eigen)
  list(GET RICOCHET_CUDA_ARCHITECTURES -1 last)
  set(architectures "")
  foreach(arch ${RICOCHET_CUDA_ARCHITECTURES})
    list(APPEND architectures -gencode arch=compute_${arch},code=sm_${arch})
  endforeach()
  list(APPEND architectures -gencode arch=compute_${last},code=compute_${last})
  # A call from device code to a function of the host would only be a warning, and fail at run time.
  add_custom_command(
    OUTPUT ${object}
    COMMAND
      ${RICOCHET_NVCC} -std=c++20 -O3 --fmad=false --expt-relaxed-constexpr -Werror cross-execution-space-call
      -diag-suppress 20012,20208 ${architectures} -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler -fPIC,-ffp-contract=off
      -I ${PROJECT_SOURCE_DIR}/include -I ${PROJECT_SOURCE_DIR}/src ${eigen} -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Building CUDA object ${name}.o"
    VERBATIM)
  target_sources(${library} PRIVATE ${object})
endfunction()

# The same loops on CUDA devices, where there is a compiler for them.
option(RICOCHET_CUDA "collisions in columns on CUDA devices too, where nvcc is installed" ON)
set(RICOCHET_HAVE_CUDA OFF CACHE INTERNAL "")
if(RICOCHET_CUDA)
  find_program(RICOCHET_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin /usr/lib/cuda/bin)
  find_package(CUDAToolkit QUIET)
  if(RICOCHET_NVCC AND TARGET CUDA::cudart_static AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(RICOCHET_HAVE_CUDA ON CACHE INTERNAL "")
    foreach(name device device_contract)
      ricochet_cuda_source(ricochet_batch ${PROJECT_SOURCE_DIR}/src/batch/${name}.cu)
    endforeach()
    target_compile_definitions(ricochet_batch PRIVATE RICOCHET_HAVE_CUDA)
    target_link_libraries(ricochet_batch PRIVATE CUDA::cudart_static)
  else()
    message(STATUS "nvcc is not installed, so batches of collisions run on the processor only")
  endif()
endif()

# Somebody else's project asks for it as a component, because it then needs oneTBB.
install(TARGETS ricochet_batch EXPORT ricochet-batch-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
  EXPORT ricochet-batch-targets
  NAMESPACE ricochet::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ricochet)
