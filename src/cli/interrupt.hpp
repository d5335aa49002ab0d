#pragma once

#include <atomic>

namespace upsweep::cli {

/// Ctrl-C, SIGTERM and SIGHUP of a command that can stop in good order: the first sets a flag and says so, a second
/// one but SIGHUP ends the process with exit code 130. While it lives, it replaces the handlers that were there; one at
/// a time.
class GentleStop {
 public:
  /// `is_quiet`: the first signal is not answered by a message (it is another process' to say).
  explicit GentleStop(bool is_quiet);
  ~GentleStop();
  GentleStop(const GentleStop&) = delete;
  GentleStop& operator=(const GentleStop&) = delete;

  /// Set by the first signal while there is one.
  [[nodiscard]] static const std::atomic<bool>& flag();
};

}  // namespace upsweep::cli
