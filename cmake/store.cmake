# The database's schema, and what leads to it from older versions, as texts of the program.

upsweep_embed(schema_sql ${PROJECT_SOURCE_DIR}/src/store/schema.sql ${CMAKE_CURRENT_BINARY_DIR}/generated/schema_sql.cpp)
set(UPSWEEP_STORE_TEXTS ${CMAKE_CURRENT_BINARY_DIR}/generated/schema_sql.cpp)

file(GLOB UPSWEEP_MIGRATIONS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/store/migrations/*.sql)
list(SORT UPSWEEP_MIGRATIONS)
foreach(file IN LISTS UPSWEEP_MIGRATIONS)
  get_filename_component(name ${file} NAME_WE)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/generated/migration_${name}.cpp)
  upsweep_embed(migration_${name} ${file} ${source})
  list(APPEND UPSWEEP_STORE_TEXTS ${source})
  string(APPEND UPSWEEP_MIGRATION_DECLARATIONS "const std::string& migration_${name}();\n")
  string(APPEND UPSWEEP_MIGRATION_CALLS "migration_${name}(), ")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/src/store/migration_list.cpp.in generated/migration_list.cpp @ONLY)
set_source_files_properties(${UPSWEEP_STORE_TEXTS} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
list(APPEND UPSWEEP_STORE_TEXTS ${CMAKE_CURRENT_BINARY_DIR}/generated/migration_list.cpp)
