# bundled_scenes(VARIABLE PATTERN [TYPE]): every file of the pattern as a line of C++, TYPE{"name", R"TOML(text)TOML"},
# so that scenes travel inside the programs that name them.
function(bundled_scenes variable pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(lines "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND lines "    ${ARGN}{\"${name}\", R\"TOML(${text})TOML\"},\n")
  endforeach()
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()
