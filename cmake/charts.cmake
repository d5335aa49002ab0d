# Figures: their templates, and Vega, which draws them, as one script (BSD-3-Clause; Debian's node-vega, bundled by esbuild).
# Without these packages pages have tables and no pictures, and say so.

set(UPSWEEP_CHARTS AUTO CACHE STRING "Build in the charting library: AUTO (where node-vega and esbuild are found), ON or OFF")

set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
file(GLOB UPSWEEP_TEMPLATES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/figure/templates/*.json)
add_custom_command(OUTPUT ${generated}/templates.json
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/src/figure/templates -DOUTPUT=${generated}/templates.json
          -P ${PROJECT_SOURCE_DIR}/cmake/join_templates.cmake
  DEPENDS ${UPSWEEP_TEMPLATES} ${PROJECT_SOURCE_DIR}/cmake/join_templates.cmake
  VERBATIM)
upsweep_embed(figure_templates ${generated}/templates.json ${generated}/figure_templates.cpp)
upsweep_embed(page_style ${PROJECT_SOURCE_DIR}/src/page/page.css ${generated}/page_style.cpp)
upsweep_embed(page_script ${PROJECT_SOURCE_DIR}/src/page/page.js ${generated}/page_script.cpp)

set(UPSWEEP_HAS_CHARTS OFF)
if(UPSWEEP_CHARTS)
  find_program(UPSWEEP_ESBUILD esbuild)
  find_path(UPSWEEP_NODE_MODULES vega-interpreter/package.json PATHS /usr/share/nodejs /usr/lib/nodejs /usr/lib/node_modules)
  if(UPSWEEP_ESBUILD AND UPSWEEP_NODE_MODULES)
    set(UPSWEEP_HAS_CHARTS ON)
  elseif(NOT UPSWEEP_CHARTS STREQUAL "AUTO")
    message(FATAL_ERROR "UPSWEEP_CHARTS=${UPSWEEP_CHARTS}, but esbuild or node-vega was not found")
  endif()
endif()
message(STATUS "charts: ${UPSWEEP_HAS_CHARTS}")
set(charts ${generated}/charts.js)
if(UPSWEEP_HAS_CHARTS)
  add_custom_command(OUTPUT ${charts}
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${UPSWEEP_NODE_MODULES} ${UPSWEEP_ESBUILD} ${PROJECT_SOURCE_DIR}/src/figure/charts.js
            --bundle --minify --format=iife --platform=browser --charset=utf8 --log-level=warning --outfile=${charts}
    DEPENDS ${PROJECT_SOURCE_DIR}/src/figure/charts.js
    COMMENT "Bundling Vega"
    VERBATIM)
else()
  file(WRITE ${charts} "")
endif()
upsweep_embed(charts_script ${charts} ${generated}/charts_script.cpp)

set(UPSWEEP_FIGURE_TEXTS ${generated}/figure_templates.cpp ${generated}/charts_script.cpp)
set(UPSWEEP_PAGE_TEXTS ${generated}/page_style.cpp ${generated}/page_script.cpp)
set_source_files_properties(${UPSWEEP_FIGURE_TEXTS} ${UPSWEEP_PAGE_TEXTS} PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
