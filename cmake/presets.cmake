# The machine files of configs/machines as a text of the program, since tables of published times name devices, not files,
# those of configs/links, which training files name, and those of configs/templates, which `upsweep new` writes.

set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
foreach(folder IN ITEMS machines links templates)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/${folder}/*.yaml)
  add_custom_command(OUTPUT ${generated}/${folder}.txt
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/configs/${folder} -DOUTPUT=${generated}/${folder}.txt
            -P ${PROJECT_SOURCE_DIR}/cmake/join_files.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/join_files.cmake
    VERBATIM)
  upsweep_embed(${folder}_text ${generated}/${folder}.txt ${generated}/${folder}_text.cpp)
  list(APPEND UPSWEEP_PRESET_TEXTS ${generated}/${folder}_text.cpp)
endforeach()
set_source_files_properties(${UPSWEEP_PRESET_TEXTS} PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
