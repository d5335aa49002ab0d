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

}  // namespace upsweep::bench
