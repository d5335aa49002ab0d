#pragma once

namespace upsweep::cli {

/// What the process ends with: the contract with scripts.
enum ExitCode : int {
  kDone = 0,
  kFault = 1,          ///< a bug of ours
  kUsage = 2,          ///< of the command line
  kInput = 3,          ///< a file or setting
  kBackend = 4,        ///< not there, or it failed
  kMismatch = 5,       ///< a result that differs from the reference
  kInterrupted = 130,  ///< Ctrl-C
};

}  // namespace upsweep::cli
