# Functions that turn the sources of a test folder into ctest tests.

# Debian's own Python, which sees Debian's jsonschema; another one on PATH may not.
find_program(GEDGE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(GEDGE_PYTHON python3 REQUIRED)

# A test that cannot run prints "[skipped] " and why; ctest shows it as skipped, not as passed.
set(GEDGE_SKIP_PATTERN "\\[skipped\\] ")

# gedge_precompile_tests(TARGET): what every test includes, compiled once for all test programs that
# share their flags. Sources still name what they use: presets clang and lint go without. So do the
# library and optimized tests: there GCC 12 forgets that precompiled headers are the system's, and
# warns inside them.
function(gedge_precompile_tests target)
  get_property(owner GLOBAL PROPERTY GEDGE_TEST_HEADERS)
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
    return()
  endif()
  set_property(GLOBAL PROPERTY GEDGE_TEST_HEADERS ${target})
  target_precompile_headers(${target} PRIVATE <doctest/doctest.h> <algorithm> <cstdint> <functional>
    <map> <memory> <optional> <string> <string_view> <unordered_map> <utility> <vector>)
endfunction()

# gedge_doctest(NAME LABEL label SOURCES files...): a doctest program; ctest runs case by case.
function(gedge_doctest name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "LABEL;PREFIX" "SOURCES")
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/libgedge/src)
  target_link_libraries(${name} PRIVATE gedge_test_main)
  if(GEDGE_TESTS_PRECOMPILED)
    gedge_precompile_tests(${name})
  endif()
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.ctest.cmake
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${name}> -D PREFIX=${test_PREFIX}
      -D LABEL=${test_LABEL} -D "SKIP=${GEDGE_SKIP_PATTERN}"
      -D OUT=${CMAKE_CURRENT_BINARY_DIR}/${name}.ctest.cmake
      -P ${PROJECT_SOURCE_DIR}/tests/cmake/discover.cmake)
  set(include_file ${CMAKE_CURRENT_BINARY_DIR}/${name}.include.cmake)
  file(CONFIGURE OUTPUT ${include_file} @ONLY CONTENT [[
if(EXISTS "@CMAKE_CURRENT_BINARY_DIR@/@name@.ctest.cmake")
  include("@CMAKE_CURRENT_BINARY_DIR@/@name@.ctest.cmake")
else()
  add_test("@test_PREFIX@not-built" "@name@-is-not-built")
  set_tests_properties("@test_PREFIX@not-built" PROPERTIES LABELS "@test_LABEL@")
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include_file})
endfunction()

# gedge_script_tests(LABEL): every *_test.py and *_test.sh of this folder (or of LABEL/) is a test.
# They find the build through the environment: GEDGE (the command), GEDGE_SOURCE_DIR,
# GEDGE_BUILD_DIR, GEDGE_CXX. Exit 77 means skipped.
function(gedge_script_tests label)
  set(folder ${PROJECT_SOURCE_DIR}/tests/${label})
  set(environment GEDGE=${PROJECT_BINARY_DIR}/bin/gedge GEDGE_SOURCE_DIR=${PROJECT_SOURCE_DIR}
    GEDGE_BUILD_DIR=${PROJECT_BINARY_DIR} GEDGE_CXX=${CMAKE_CXX_COMPILER})
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*_test.py ${folder}/*_test.sh)
  foreach(script IN LISTS scripts)
    cmake_path(GET script STEM name)
    string(REGEX REPLACE "_test$" "" name ${name})
    string(REPLACE "_" "-" name ${name})
    set(interpreter bash)
    if(script MATCHES "py$")
      set(interpreter ${GEDGE_PYTHON} -B)
    endif()
    add_test(NAME ${label}/${name} COMMAND ${interpreter} ${script})
    set_tests_properties(${label}/${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
      SKIP_REGULAR_EXPRESSION "${GEDGE_SKIP_PATTERN}"
      ENVIRONMENT "${environment}")
  endforeach()
endfunction()
