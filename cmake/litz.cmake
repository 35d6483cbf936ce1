# The functions that every folder's CMakeLists.txt uses: litz_layer, litz_test, litz_executable, litz_python_module; flags.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

get_property(_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT _multi_config)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# -g1 keeps function names and lines for perf and gdb at a fraction of the size and link time of -g.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(LITZ_CCACHE ccache)
  if(LITZ_CCACHE)
    # What ccache wants to be told before it keeps anything that has to do with precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${LITZ_CCACHE}")
  endif()
endif()

# The linker of LLVM, if it is there: several times as fast.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld LITZ_HAVE_LLD)
if(LITZ_HAVE_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Where programs and modules find liblitz_clang.so, which they load by name.
set(CMAKE_BUILD_RPATH "${PROJECT_BINARY_DIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# The flags of every Litz target; litz_warnings without sanitizers.
add_library(litz_warnings INTERFACE)
target_compile_features(litz_warnings INTERFACE cxx_std_20)
target_compile_options(litz_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Designated initialisers name what they set; the rest has defaults.
  target_compile_options(litz_warnings INTERFACE -Wno-missing-designated-field-initializers)
endif()
if(LITZ_WERROR)
  target_compile_options(litz_warnings INTERFACE -Werror)
endif()
add_library(litz_flags INTERFACE)
target_link_libraries(litz_flags INTERFACE litz_warnings)
if(LITZ_SANITIZE)
  target_compile_options(litz_flags INTERFACE -fsanitize=${LITZ_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(litz_flags INTERFACE -fsanitize=${LITZ_SANITIZE})
endif()

# Precompiled headers, of the standard library and GoogleTest alone: a third of the time of a source, half of a test's.
# Sources include what they use all the same: the preset no-llvm builds without them, clang-tidy reads without them.
set(_precompiled
    <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <optional> <set> <span> <sstream> <string>
    <string_view> <unordered_map> <utility> <variant> <vector>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # so that ccache knows them again
else()
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
file(CONFIGURE OUTPUT empty.cpp CONTENT "")

# A target that holds precompiled headers for others of the same flags (REUSE_FROM).
function(_litz_precompiled target)
  if(NOT TARGET ${target})
    add_library(${target} OBJECT "${PROJECT_BINARY_DIR}/empty.cpp")
    target_link_libraries(${target} PRIVATE litz_flags)
    target_precompile_headers(${target} PRIVATE ${_precompiled} ${ARGN})
  endif()
endfunction()
_litz_precompiled(litz_pch)

# Adds the folders that have a CMakeLists.txt, in the order given.
function(litz_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
    endif()
  endforeach()
endfunction()

# Links `target` to layers by their short names.
function(_litz_link target scope)
  foreach(layer IN LISTS ARGN)
    target_link_libraries(${target} ${scope} $<TARGET_NAME_IF_EXISTS:litz_${layer}>)
  endforeach()
endfunction()

# litz_layer(NAME passes SOURCES a.cpp b.cpp DEPENDS ops LIBRARIES litz_fmt)
# A static library litz_<name>. DEPENDS: layers, by short name. LIBRARIES: what is not Litz, used only in its
# sources (litz_fmt for fmt).
function(litz_layer)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPENDS;LIBRARIES")
  set(target litz_${ARG_NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(
    ${target} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                     "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:litz_flags> ${ARG_LIBRARIES})
  target_precompile_headers(${target} REUSE_FROM litz_pch)
  _litz_link(${target} PUBLIC ${ARG_DEPENDS})
endfunction()

# litz_executable(NAME litz-opt SOURCES main.cpp DEPENDS driver LIBRARIES CLI11::CLI11)
function(litz_executable)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPENDS;LIBRARIES")
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE litz_flags ${ARG_LIBRARIES})
  _litz_link(${ARG_NAME} PRIVATE ${ARG_DEPENDS})
endfunction()

# Compiles the tests of `target` without optimisation, where the compiler's time counts and not theirs.
function(litz_unoptimized target)
  _litz_precompiled(litz_test_pch <gtest/gtest.h>)
  set_target_properties(litz_test_pch PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  set_property(TARGET litz_test_pch PROPERTY COMPILE_OPTIONS -O0 -fPIE)
  target_link_libraries(litz_test_pch PRIVATE GTest::gtest)
  target_compile_options(${target} PRIVATE -O0)
  target_precompile_headers(${target} REUSE_FROM litz_test_pch)
endfunction()

# litz_test(NAME cse SOURCES cse_test.cpp DEPENDS passes [LIBRARIES …] [ARGS …] [OPTIMIZED])
# A GoogleTest program test_<name>, run by ctest as <name> in the root of the repository. OPTIMIZED: it computes much.
function(litz_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "OPTIMIZED" "NAME" "SOURCES;DEPENDS;LIBRARIES;ARGS")
  if(NOT LITZ_BUILD_TESTS)
    return()
  endif()
  litz_executable(NAME test_${ARG_NAME} SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS}
                  LIBRARIES GTest::gtest GTest::gtest_main ${ARG_LIBRARIES})
  if(NOT ARG_OPTIMIZED)
    litz_unoptimized(test_${ARG_NAME})
  endif()
  add_test(NAME ${ARG_NAME} COMMAND test_${ARG_NAME} ${ARG_ARGS} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(
    ${ARG_NAME} PROPERTIES TIMEOUT 600 ENVIRONMENT
                           "LITZ_CACHE_DIR=${PROJECT_BINARY_DIR}/test-cache;LITZ_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
endfunction()

# gdb finds generated code by two symbols, which a library that is stripped, and hides what comes from archives, must show:
# their object goes into it as it is.
function(litz_show_to_debuggers target)
  target_sources(${target} PRIVATE "$<FILTER:$<TARGET_OBJECTS:litz_runtime>,INCLUDE,/jit_events\\.cpp>")
endfunction()

# litz_python_module(NAME _litz SOURCES module.cpp DEPENDS driver trace)
# The extension module of the package `litz`. <build>/python is an importable copy of the package: links to the sources in
# python/litz, the module, and metadata with the entry points.
function(litz_python_module)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "SOURCES;DEPENDS;LIBRARIES")
  nanobind_add_module(${ARG_NAME} NB_STATIC NB_DOMAIN litz NOMINSIZE ${ARG_SOURCES})
  target_include_directories(${ARG_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${ARG_NAME} PRIVATE litz_flags ${ARG_LIBRARIES})
  target_precompile_headers(${ARG_NAME} PRIVATE ${_precompiled} <nanobind/nanobind.h>)
  # Nothing of Litz may be seen by other libraries of the process.
  target_link_options(${ARG_NAME} PRIVATE -Wl,--exclude-libs,ALL)
  _litz_link(${ARG_NAME} PRIVATE ${ARG_DEPENDS})
  litz_show_to_debuggers(${ARG_NAME})
  install(TARGETS ${ARG_NAME} LIBRARY DESTINATION litz COMPONENT python)

  set(stage "${PROJECT_BINARY_DIR}/python")
  set_target_properties(${ARG_NAME} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${stage}/litz")
  file(MAKE_DIRECTORY "${stage}/litz")
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/python/litz/*")
  foreach(entry IN LISTS entries)
    cmake_path(GET entry FILENAME name)
    if(NOT name MATCHES "^__pycache__$|\\.so$")
      file(CREATE_LINK "${entry}" "${stage}/litz/${name}" SYMBOLIC)
    endif()
  endforeach()
  set(info "${stage}/litz-${PROJECT_VERSION}.dist-info")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/METADATA.in" "${info}/METADATA" @ONLY)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/entry_points.txt" "${info}/entry_points.txt" COPYONLY)
endfunction()
