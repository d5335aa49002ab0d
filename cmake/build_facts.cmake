# What a build is made of, for --version and the library: version, commit, parts.

set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
set(UPSWEEP_BUILD_FACTS ${generated}/build_facts.cpp)
set(commit_log "")
if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  set(commit_log ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)  # grows with every commit
endif()
add_custom_command(OUTPUT ${UPSWEEP_BUILD_FACTS}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${UPSWEEP_BUILD_FACTS} -DVERSION=${PROJECT_VERSION}
          "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
          -DMPI=${UPSWEEP_HAS_MPI} -DCUDA=${UPSWEEP_HAS_CUDA} -DCHARTS=${UPSWEEP_HAS_CHARTS} "-DSANITIZE=${UPSWEEP_SANITIZE}"
          -P ${PROJECT_SOURCE_DIR}/cmake/write_build_facts.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/cmake/write_build_facts.cmake ${commit_log}
  COMMENT "Writing the facts of this build"
  VERBATIM)
set_source_files_properties(${UPSWEEP_BUILD_FACTS} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
