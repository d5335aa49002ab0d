#pragma once

#include <string>

namespace upsweep::cli {

/// What this program or library is.
struct BuildFacts {
  const char* version = "";     ///< semantic: "0.1.0"
  const char* commit = "";      ///< its first ten digits, or "unknown"
  const char* compiler = "";    ///< "GNU 12.2.0"
  const char* build_type = "";  ///< "Release", as CMake names it
  const char* sanitizers = "";  ///< as for -fsanitize=, empty without
  bool has_mpi = false;         ///< studies may run on several ranks
  bool has_cuda = false;        ///< backends of GPUs are no stand-ins
  bool has_charts = false;      ///< pages and plots have figures
};

[[nodiscard]] const BuildFacts& build_facts();

/// What --version prints: "upsweep 0.1.0 (31f3c741e4), with MPI, without CUDA, with charts; GNU 12.2.0, Release".
[[nodiscard]] std::string version_text();

}  // namespace upsweep::cli
