# The machine files of configs/machines as a text of the program: tables of published times name devices, not files.

set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
file(GLOB UPSWEEP_MACHINES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/machines/*.yaml)
add_custom_command(OUTPUT ${generated}/machines.txt
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/configs/machines -DOUTPUT=${generated}/machines.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/join_machines.cmake
  DEPENDS ${UPSWEEP_MACHINES} ${PROJECT_SOURCE_DIR}/cmake/join_machines.cmake
  VERBATIM)
upsweep_embed(preset_machines_text ${generated}/machines.txt ${generated}/preset_machines_text.cpp)
set(UPSWEEP_PRESET_TEXTS ${generated}/preset_machines_text.cpp)
set_source_files_properties(${UPSWEEP_PRESET_TEXTS} PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
