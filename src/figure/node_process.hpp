#pragma once

#include <chrono>
#include <string>

namespace upsweep {

/// What a run of Node.js left.
struct NodeResult {
  int exit_code = 0;  ///< 128 + N where signal N ended it
  std::string out;
  std::string err;
};

/// Runs node with a program on its standard input. However this ends, node does not outlive it.
///
/// Throws BusyError where there is no node, or where it takes longer than `limit`.
[[nodiscard]] NodeResult run_node(const std::string& program, std::chrono::milliseconds limit);

}  // namespace upsweep
