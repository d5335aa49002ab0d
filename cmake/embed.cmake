# Puts files into the program as text.

# Makes SOURCE, a C++ file with `const std::string& FUNCTION()` of namespace upsweep, whose text is that of FILE. Bytes, not
# literals: a compiler need not take literals longer than 65 536 characters.
function(upsweep_embed function file source)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DFUNCTION=${function} -DSOURCE=${source} -P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
    COMMENT "Embedding ${file}"
    VERBATIM)
endfunction()
