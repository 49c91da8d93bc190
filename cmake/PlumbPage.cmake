# SPDX-License-Identifier: Apache-2.0
# The page of `plumb report`: web/ built by Vite into one file, BUILD/report.html. Without Node.js everything
# else is built, and `plumb report` says what is missing.

set(PLUMB_HAVE_PAGE FALSE)
find_program(PLUMB_NODE node)
find_program(PLUMB_NPM npm)
if(PLUMB_NODE AND PLUMB_NPM)
  execute_process(COMMAND ${PLUMB_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^v" "" node_version "${node_version}")
  if(node_version VERSION_GREATER_EQUAL 18)
    set(PLUMB_HAVE_PAGE TRUE)
  endif()
endif()

if(PLUMB_HAVE_PAGE)
  # npm works in a copy, so that builds side by side do not meet in one node_modules.
  set(web ${PROJECT_BINARY_DIR}/web)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/web
    ${PROJECT_SOURCE_DIR}/web/src/* ${PROJECT_SOURCE_DIR}/web/*.html ${PROJECT_SOURCE_DIR}/web/*.ts ${PROJECT_SOURCE_DIR}/web/*.json)
  list(FILTER page_sources EXCLUDE REGEX "node_modules|dist/")
  set(copies)
  foreach(source IN LISTS page_sources)
    configure_file(${PROJECT_SOURCE_DIR}/web/${source} ${web}/${source} COPYONLY)
    list(APPEND copies ${web}/${source})
  endforeach()
  add_custom_command(OUTPUT ${web}/node_modules/.package-lock.json
    COMMAND ${PLUMB_NPM} ci --no-audit --no-fund --silent
    DEPENDS ${web}/package.json ${web}/package-lock.json
    WORKING_DIRECTORY ${web} COMMENT "Fetching the report page's npm packages" VERBATIM)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/report.html
    COMMAND ${PLUMB_NPM} run --silent check
    COMMAND ${PLUMB_NPM} run --silent build
    COMMAND ${CMAKE_COMMAND} -E copy ${web}/dist/index.html ${PROJECT_BINARY_DIR}/report.html
    DEPENDS ${copies} ${web}/node_modules/.package-lock.json
    WORKING_DIRECTORY ${web} COMMENT "Building the report's page" VERBATIM)
  add_custom_target(page ALL DEPENDS ${PROJECT_BINARY_DIR}/report.html)
  install(FILES ${PROJECT_BINARY_DIR}/report.html DESTINATION . COMPONENT dist EXCLUDE_FROM_ALL)
endif()
