# SPDX-License-Identifier: Apache-2.0
# `cmake --install --component dist` makes a folder that runs on another Linux machine with the NVIDIA driver
# and glibc 2.36 or newer: the program, its data, and beside it every shared library that is not glibc's.

set_target_properties(plumb PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS plumb RUNTIME DESTINATION . COMPONENT dist EXCLUDE_FROM_ALL)
install(DIRECTORY claims machines recordings DESTINATION . COMPONENT dist EXCLUDE_FROM_ALL)
install(FILES LICENSE README.md DESTINATION . COMPONENT dist EXCLUDE_FROM_ALL)
install(CODE [[
  file(GET_RUNTIME_DEPENDENCIES
    EXECUTABLES $<TARGET_FILE:plumb>
    RESOLVED_DEPENDENCIES_VAR libraries
    PRE_EXCLUDE_REGEXES "ld-linux" "lib(c|m|dl|rt|pthread)\\.so")
  foreach(found IN LISTS libraries)
    file(INSTALL "${found}" DESTINATION "${CMAKE_INSTALL_PREFIX}" FOLLOW_SYMLINK_CHAIN)
  endforeach()
]] COMPONENT dist EXCLUDE_FROM_ALL)
