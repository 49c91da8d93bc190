# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD --component library` installs the fabric for other programs:
#   find_package(plumb) and target_link_libraries(... plumb::fabric)

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS plumb_core plumb_fabric EXPORT plumb COMPONENT library
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/plumb DESTINATION include COMPONENT library)
install(EXPORT plumb NAMESPACE plumb:: FILE plumb-targets.cmake COMPONENT library
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)

file(WRITE ${PROJECT_BINARY_DIR}/plumb-config.cmake
  "include(CMakeFindDependencyMacro)\nfind_dependency(fmt)\n"
  "include(\${CMAKE_CURRENT_LIST_DIR}/plumb-targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumb-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plumb-config.cmake ${PROJECT_BINARY_DIR}/plumb-config-version.cmake
  COMPONENT library DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
