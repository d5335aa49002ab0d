# The database's schema, and what leads to it from before version 10, as texts of the program.

foreach(name schema before_commands)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/generated/${name}_sql.cpp)
  upsweep_embed(${name}_sql ${PROJECT_SOURCE_DIR}/src/store/${name}.sql ${source})
  list(APPEND UPSWEEP_STORE_TEXTS ${source})
endforeach()
set_source_files_properties(${UPSWEEP_STORE_TEXTS} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
