# SPDX-License-Identifier: Apache-2.0
# Compile options of all of Plumb's own code, as one interface target, and two helpers for libraries and tests.

add_library(plumb_options INTERFACE)
target_compile_features(plumb_options INTERFACE cxx_std_20)
target_compile_options(plumb_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wnon-virtual-dtor;-Werror>)
if(PLUMB_FUZZ)
  # Every library reports its coverage to the fuzzer; the programs of fuzz/ link it. What clang warns of and
  # g++ does not must not keep a fuzzer from running.
  target_compile_options(plumb_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link;-Wno-error>)
  target_link_options(plumb_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# The libraries are position independent, so that others can embed them; nobody replaces their functions at load
# time, and saying so lets the compiler inline across them: 8 % of the simulator's speed.
target_compile_options(plumb_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
if(PLUMB_SANITIZE)
  target_compile_options(plumb_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(plumb_options INTERFACE -fsanitize=address,undefined)
endif()

# plumb_library(NAME sources... DEPENDS targets...): one library per folder of src/. What a folder may
# include is what it lists here: that is how the direction of the dependencies is kept.
function(plumb_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  add_library(plumb_${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  add_library(plumb::${name} ALIAS plumb_${name})
  set_target_properties(plumb_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(plumb_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:include>)
  target_link_libraries(plumb_${name} PUBLIC ${arg_DEPENDS} PRIVATE $<BUILD_INTERFACE:plumb_options>)
endfunction()

# plumb_quick_to_build(TARGET headers...): for what no loop of which anyone waits is in, tests and verbs. A third of a
# clean build went into optimising it, and another into reading the same large headers again.
function(plumb_quick_to_build target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# plumb_test(NAME sources... DEPENDS targets... [LABELS labels...]): a test program, found by CTest. Those
# with the label gpu skip themselves where there is no card.
function(plumb_test name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LABELS" ${ARGN})
  add_executable(test_${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE ${arg_DEPENDS} plumb_options rapidcheck GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE PLUMB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  plumb_quick_to_build(test_${name})
  target_precompile_headers(test_${name} REUSE_FROM plumb_test_headers)
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS "${arg_LABELS}")
endfunction()
