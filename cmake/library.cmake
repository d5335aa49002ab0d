# The shared library, which shows the interface alone, and the program, which uses nothing else of it.
include(GNUInstallDirs)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)  # a build folder may be moved, and copied, too

file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/generated/shared.cpp "")
add_library(upsweep_shared SHARED ${CMAKE_CURRENT_BINARY_DIR}/generated/shared.cpp)
target_link_libraries(upsweep_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,upsweep_interface>)
target_link_options(upsweep_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
target_include_directories(upsweep_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(upsweep_shared PROPERTIES OUTPUT_NAME upsweep EXPORT_NAME upsweep VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)

add_executable(upsweep src/program/main.cpp)
target_link_libraries(upsweep PRIVATE upsweep_flags upsweep_shared)
if(NOT CMAKE_INSTALL_RPATH)
  file(RELATIVE_PATH UPSWEEP_BIN_TO_LIB /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(upsweep PROPERTIES INSTALL_RPATH "$ORIGIN/${UPSWEEP_BIN_TO_LIB}")
endif()
if(UPSWEEP_SANITIZE MATCHES "thread")
  set_target_properties(upsweep upsweep_shared PROPERTIES EXCLUDE_FROM_ALL ON)  # no test there runs the whole program
endif()
