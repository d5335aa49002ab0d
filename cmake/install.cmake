# What `cmake --install` puts into a prefix: program, library, headers, CMake and pkg-config files, completion and manual
# page. All of it is relocatable.
include(CMakePackageConfigHelpers)

install(TARGETS upsweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS upsweep_shared EXPORT UpsweepTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program
  NAMELINK_COMPONENT development)
install(FILES include/upsweep/upsweep.h include/upsweep/upsweep.hpp include/upsweep/commands.hpp include/upsweep/json.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/upsweep COMPONENT development)
install(EXPORT UpsweepTargets NAMESPACE Upsweep:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Upsweep
  COMPONENT development)

# The Python module finds the library in its prefix.
set(UPSWEEP_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python module is installed, below the prefix")
install(DIRECTORY python/upsweep DESTINATION ${UPSWEEP_PYTHON_DIR} COMPONENT program PATTERN __pycache__ EXCLUDE)

# Completion and the manual page are what the program says of itself.
if(NOT UPSWEEP_SANITIZE)
  set(texts ${CMAKE_CURRENT_BINARY_DIR}/texts)
  add_custom_command(OUTPUT ${texts}/upsweep.1
    COMMAND ${CMAKE_COMMAND} -E make_directory ${texts}
    COMMAND upsweep --completion bash > ${texts}/upsweep
    COMMAND upsweep --completion zsh > ${texts}/_upsweep
    COMMAND upsweep --completion fish > ${texts}/upsweep.fish
    COMMAND upsweep --manual-page > ${texts}/upsweep.1
    DEPENDS upsweep
    COMMENT "Writing completion and the manual page"
    VERBATIM)
  add_custom_target(upsweep_texts ALL DEPENDS ${texts}/upsweep.1)
  install(FILES ${texts}/upsweep DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${texts}/_upsweep DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
  install(FILES ${texts}/upsweep.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  install(FILES ${texts}/upsweep.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
endif()
install(DIRECTORY configs/machines docs/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/upsweep COMPONENT program)
# As in the repository, so that the links between them lead somewhere.
set(pages ${CMAKE_INSTALL_DATADIR}/doc/upsweep)
install(FILES README.md DESTINATION ${pages} COMPONENT program)
install(DIRECTORY docs reports DESTINATION ${pages} COMPONENT program FILES_MATCHING
  PATTERN "*.md" PATTERN "*.svg" PATTERN schemas EXCLUDE PATTERN h100 EXCLUDE PATTERN h200 EXCLUDE
  PATTERN zoo EXCLUDE PATTERN gpu_bundle EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/upsweep RENAME copyright COMPONENT program)

# What finds the package.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/generated/UpsweepConfig.cmake.in
  "@PACKAGE_INIT@\ninclude(\"\${CMAKE_CURRENT_LIST_DIR}/UpsweepTargets.cmake\")\n")
configure_package_config_file(${CMAKE_CURRENT_BINARY_DIR}/generated/UpsweepConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/generated/UpsweepConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Upsweep)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/generated/UpsweepConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH UPSWEEP_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/upsweep.pc.in generated/upsweep.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/UpsweepConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/generated/UpsweepConfigVersion.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Upsweep
  COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/upsweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)

# The Debian package: `./run package`.
set(CPACK_PACKAGE_NAME upsweep)
set(CPACK_PACKAGE_VENDOR Upsweep)
set(CPACK_PACKAGE_CONTACT "The maintainers of Upsweep <upsweep@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Counts and simulates back-propagation as a parallel scan")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
configure_file(cmake/prerm.in generated/prerm @ONLY)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/generated/prerm)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.9)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy, python3-pandas, python3-tqdm, nodejs")
include(CPack)
