# ricochet_unity(TARGET SIZE): with RICOCHET_UNITY, compiles the target's files in groups of at most SIZE, so that Eigen and
# what else most of them include is read once a group. Larger groups, for builds that are made once and not worked in, are
# had by a number in its place. The groups are made anew whenever CMake runs, by a script that keeps files apart whose
# names would clash (docs/decisions/007-build-time.md).
set(RICOCHET_UNITY OFF CACHE STRING "compile several files at a time: ON, OFF, or how many")
if(RICOCHET_UNITY)
  find_package(Python3 COMPONENTS Interpreter)
endif()

# All targets at once, when their lists are complete: the script reads every header.
function(ricochet_unity target size)
  if(NOT RICOCHET_UNITY OR NOT Python3_Interpreter_FOUND)
    return()
  endif()
  if(RICOCHET_UNITY GREATER 1)
    set(size ${RICOCHET_UNITY})
  endif()
  get_target_property(files ${target} SOURCES)
  list(LENGTH files count)
  if(count LESS 2)
    return()
  endif()
  set_property(GLOBAL PROPERTY ricochet_units_${target} ${files})
  get_target_property(folder ${target} SOURCE_DIR)
  list(TRANSFORM files PREPEND ${folder}/ REGEX "^[^/]")
  get_property(begun GLOBAL PROPERTY ricochet_units SET)
  if(NOT begun)
    set_property(GLOBAL PROPERTY ricochet_units_python ${Python3_EXECUTABLE})
    cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL ricochet_pack_units)
  endif()
  list(JOIN files "|" files)
  set_property(GLOBAL APPEND_STRING PROPERTY ricochet_units "${target}|${size}|${files}\n")
endfunction()

function(ricochet_pack_units)
  get_property(targets GLOBAL PROPERTY ricochet_units)
  get_property(python GLOBAL PROPERTY ricochet_units_python)
  set(list ${PROJECT_BINARY_DIR}/units.txt)
  file(WRITE ${list} "${targets}")
  execute_process(
    COMMAND ${python} -B ${PROJECT_SOURCE_DIR}/tools/unity_groups.py ${list}
    OUTPUT_VARIABLE lines
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  set(packed "")
  foreach(line ${lines})
    string(REGEX MATCH "^([^|]+)[|]([^|]+)[|](.+)$" line "${line}")
    set(target ${CMAKE_MATCH_1})
    list(APPEND packed ${target})
    list(APPEND files_of_${target} ${CMAKE_MATCH_3})
    set_source_files_properties(${CMAKE_MATCH_3} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_2})
  endforeach()
  list(REMOVE_DUPLICATES packed)
  foreach(target ${packed})
    get_target_property(later ${target} SOURCES) # what was added since stays as it is
    get_property(before GLOBAL PROPERTY ricochet_units_${target})
    list(REMOVE_ITEM later ${before})
    set_target_properties(${target} PROPERTIES SOURCES "${files_of_${target}};${later}" UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                                                  UNITY_BUILD_CODE_BEFORE_INCLUDE
                                                  "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  endforeach()
endfunction()
