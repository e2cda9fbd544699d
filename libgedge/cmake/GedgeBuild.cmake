# How everything is compiled, beyond the flags of the presets.

# Position-independent code everywhere: programs are PIE, and the static library fits into modules.
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# ccache where it exists. The two sloppiness words let it cache users of a precompiled header.
find_program(GEDGE_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND GEDGE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GEDGE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Scores copy Kubernetes' doubles operation by operation: no fused multiply-add.
add_compile_options(-ffp-contract=off)

# A program loads only the libraries that it calls: each one costs start-up time.
add_link_options(-Wl,--as-needed)

# gedge_require_header(HEADER PACKAGE): a missing package is named before the first compiler error.
function(gedge_require_header header package)
  string(MAKE_C_IDENTIFIER GEDGE_HAVE_${header} variable)
  find_path(${variable} ${header})
  mark_as_advanced(${variable})
  if(NOT ${variable})
    message(FATAL_ERROR "${header} not found; on Debian: apt-get install ${package}")
  endif()
endfunction()
