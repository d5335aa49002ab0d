# Compiles the sources of a target folder by folder, each folder as one unit: what headers and templates cost is paid
# once. For builds that are made from nothing in CI, those with sanitizers; the release build compiles every file by
# itself, which shows what a file forgot to include.

# Sources that cannot share a unit: names of their own (in an unnamed namespace) that a neighbour in the folder has too,
# or options of their own.
set(UPSWEEP_OWN_UNITS
  src/backend/product_kernels.cpp
  src/base/tbb_loop.cpp
  src/base/tbb_pipeline.cpp
  src/cli/cmd_search.cpp
  src/cli/cmd_solve.cpp
  src/cli/cmd_study.cpp
  src/cli/cmd_train.cpp
  src/cli/cmd_training.cpp
  src/cli/cmd_validate.cpp
  src/cli/interrupt.cpp
  src/cli/recurrent.cpp
  src/grid/study_spec.cpp
  src/io/data_parallel_reader.cpp
  src/io/layers_file.cpp
  src/io/model_file.cpp
  src/io/operator_reader.cpp
  src/io/train_file.cpp
  src/io/training_file.cpp
  src/jacobian/numeric_chain.cpp
  src/learning/recurrent_training.cpp
  src/profile/pattern_picture.cpp
  src/recurrent/compare_parameters.cpp
  src/recurrent/device_scans.cpp
  src/recurrent/device_search.cpp
  src/recurrent/forward.cpp
  src/recurrent/outer_passes.cpp
  src/recurrent/parameter_gradients.cpp
  src/recurrent/stacked.cpp
  src/recurrent/stacked_stages.cpp
  src/recurrent/unfused_scan.cpp
  src/recurrent/validate_passes.cpp
  src/report/curve_plot.cpp
  src/report/homogeneous_search_parts.cpp
  src/report/loss_curve_svg.cpp
  src/report/recurrent_report.cpp
  src/report/search_report.cpp
  src/report/solve_sentences.cpp
  src/report/solve_text.cpp
  src/report/stacked_report.cpp
  src/report/study_points_report.cpp
  src/report/train_report.cpp
  src/report/validation_report.cpp
  src/search/homogeneous.cpp
  src/sim/exact.cpp
  src/sim/homogeneous_time.cpp
  src/sim/simulate.cpp
  src/solve/residual.cpp
  src/sparse/product.cpp
  src/sparse/union.cpp
  src/store/run_diff.cpp
  src/study/work_units.cpp
  src/training/pipeline_tasks.cpp
  src/training/scan_step.cpp
  tests/grid/axis_test.cpp
  tests/io/layers_file_test.cpp
  tests/io/link_file_test.cpp
  tests/io/machine_file_test.cpp
  tests/io/machine_small_products_test.cpp
  tests/io/model_branches_test.cpp
  tests/io/model_file_test.cpp
  tests/io/npy_test.cpp
  tests/io/recurrent_file_test.cpp
  tests/io/study_models_test.cpp
  tests/io/training_file_test.cpp
  tests/io/training_kinds_test.cpp
  tests/io/training_network_test.cpp
  tests/io/yaml_path_test.cpp
  tests/io/yaml_test.cpp
  tests/jacobian/numeric_chain_test.cpp
  tests/jacobian/patterns_test.cpp
  tests/kernels/recurrent_outer_cuda_test.cpp
  tests/kernels/recurrent_outer_programs_test.cpp
  tests/kernels/recurrent_programs_test.cpp
  tests/learning/sequence_data_test.cpp
  tests/recurrent/device_search_test.cpp
  tests/recurrent/outer_passes_test.cpp
  tests/recurrent/parameter_gradients_test.cpp
  tests/report/timeline_test.cpp
  tests/report/train_report_test.cpp
  tests/sim/homogeneous_time_test.cpp
  tests/sim/predict_test.cpp
  tests/sparse/union_test.cpp
  tests/store/run_store_test.cpp
  tests/store/study_crash_test.cpp
  tests/store/study_lock_test.cpp
  tests/store/study_members_test.cpp
  tests/store/study_records_test.cpp
  tests/store/study_store_test.cpp
  tests/store/training_rows_test.cpp
  tests/study/evaluate_point_test.cpp
  tests/validate/direct_branches_test.cpp
  tests/validate/validate_branches_test.cpp
)

function(upsweep_unity target)
  if(NOT UPSWEEP_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET path PARENT_PATH folder)
    if(NOT path IN_LIST UPSWEEP_OWN_UNITS AND NOT folder STREQUAL "src/training/policies")
      string(MAKE_C_IDENTIFIER "${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
