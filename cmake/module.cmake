# Modules: a folder below src and include/upsweep is a static library.

# What most files include.
set(UPSWEEP_COMMON_HEADERS <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <span> <stdexcept> <string>
  <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)

# Compiles the files of a target a few at a time, with the common headers precompiled once for all targets: what headers
# and templates cost is paid once. With UPSWEEP_UNITY and UPSWEEP_PCH off each file is compiled alone, as `./run lint`
# does, which shows what a file forgot to include.
function(upsweep_compile_together target)
  if(UPSWEEP_PCH AND target STREQUAL "upsweep_base")
    target_precompile_headers(${target} PRIVATE ${UPSWEEP_COMMON_HEADERS})
  elseif(UPSWEEP_PCH AND target STREQUAL "upsweep_tests")
    target_precompile_headers(${target} PRIVATE ${UPSWEEP_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  elseif(UPSWEEP_PCH AND target STREQUAL "upsweep_cli_tests")
    target_precompile_headers(${target} REUSE_FROM upsweep_tests)
  elseif(UPSWEEP_PCH)
    target_precompile_headers(${target} REUSE_FROM upsweep_base)
  endif()
  if(UPSWEEP_UNITY)
    # Files of one folder, at most sixteen together: their private names do not collide.
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(GET source PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER "${folder}" group)
      math(EXPR count_${group} "0${count_${group}} + 1")
      math(EXPR part "${count_${group}} / 16")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# upsweep_module(NAME [MODULES those it includes] [LIBRARIES of others] [SOURCES beside those of its folder]): the
# library upsweep_NAME.
function(upsweep_module name)
  cmake_parse_arguments(module "" "" "MODULES;LIBRARIES;SOURCES" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(upsweep_${name} STATIC ${files} ${module_SOURCES})
  list(TRANSFORM module_MODULES PREPEND upsweep_)
  target_include_directories(upsweep_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(upsweep_${name} SYSTEM PUBLIC ${Boost_INCLUDE_DIRS} ${XXHASH_INCLUDE_DIR} ${OPENBLAS_INCLUDE_DIR})
  target_link_libraries(upsweep_${name}
    PUBLIC upsweep_flags fmt::fmt nlohmann_json::nlohmann_json ${module_MODULES} PRIVATE ${module_LIBRARIES})
  upsweep_compile_together(upsweep_${name})
  set_property(GLOBAL APPEND PROPERTY UPSWEEP_MODULES ${name})
endfunction()

# Takes files out of a module that another file stands in for.
function(upsweep_without module)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/${module}/ OUTPUT_VARIABLE files)
  set_source_files_properties(${files} TARGET_DIRECTORY upsweep_${module} PROPERTIES HEADER_FILE_ONLY ON)
endfunction()
