#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "case.hpp"

namespace upsweep::bench {

/// Numbers of threads that are compared.
inline constexpr std::array<std::size_t, 2> kThreadCounts{1, 2};

/// What the cases depend on.
struct Settings {
  std::string model_file;
  std::string model;  ///< name in cases: the file without folder and extension
  bool all = false;   ///< with what takes minutes
  std::string only;   ///< text that the names of the cases to run contain
};

/// "products/model=.../schedule=.../impl=.../threads=...".
[[nodiscard]] std::string products_name(const Settings& settings, const std::string& schedule,
                                        const std::string& implementation, std::size_t threads);

/// The products of the model by every implementation.
///
/// First computes each schedule once by each implementation, and throws std::runtime_error unless all agree on the nnz
/// of every product (Eigen: on hybrid:2 only; what it makes of blelloch is checked when it is timed).
[[nodiscard]] std::vector<Case> product_cases(const Settings& settings);

/// "load/model=...", "load/yaml/..." and "profile/chain=...": see their targets in output.cpp.
[[nodiscard]] std::vector<Case> other_cases(const Settings& settings);

/// A training step to simulate, and how often in one timed run, so that all runs simulate about as many tasks.
struct StepSize {
  std::size_t devices;
  std::size_t micro_batches;
  std::size_t runs;
};
inline constexpr std::array<StepSize, 4> kStepSizes{{{4, 8, 1024}, {16, 21, 98}, {32, 104, 10}, {64, 512, 1}}};
inline constexpr std::array<const char*, 3> kStepPolicies{"1f1b", "ff", "zb_h1"};

/// "step/policy=.../devices=.../micro_batches=.../tasks=.../runs=...".
[[nodiscard]] std::string step_name(const std::string& policy, const StepSize& size);

/// Pipeline steps from 10^3 to 10^6 tasks, built and simulated; makespans by closed forms.
[[nodiscard]] std::vector<Case> step_cases();

}  // namespace upsweep::bench
