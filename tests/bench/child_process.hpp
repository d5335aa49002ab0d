#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// What a child process leaves behind.
struct ChildResult {
  std::vector<std::uint64_t> values;  ///< what its work returned; empty when memory ran out
  std::uint64_t peak_bytes = 0;       ///< largest resident memory of the child (ru_maxrss)
  bool out_of_memory = false;
};

/// Runs `work` in a forked child process and waits for it, so that its threads and memory are its own.
///
/// The caller must not have started threads. Throws std::runtime_error when the child fails otherwise than for want of
/// memory (std::bad_alloc, or killed by SIGKILL); its message is on stderr then.
[[nodiscard]] ChildResult run_in_child(const std::function<std::vector<std::uint64_t>()>& work);

}  // namespace upsweep::bench
