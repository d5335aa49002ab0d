#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace upsweep {

/// What a command ends with: the contract with scripts.
enum ExitCode : int {
  kDone = 0,
  kFault = 1,          ///< a bug of ours
  kUsage = 2,          ///< a wrong command line or request, found before any work
  kInput = 3,          ///< a wrong file or setting, or a file that cannot be read or written
  kBackend = 4,        ///< a device is not there, or it failed; memory or threads do not suffice; a database is in use
  kMismatch = 5,       ///< a result that differs from the reference
  kInterrupted = 130,  ///< Ctrl-C
};

/// A validation found a mismatch; its outcome has been given already. Exit code 5.
class ValidationFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why a command has no outcome.
struct Failure {
  ExitCode code = kFault;
  std::string message;  ///< fields of the request stand in backquotes: "`batch` is 7, accepted are 1 to 4"
};

/// What an exception of a command means; the only place that knows. `error` is not null.
[[nodiscard]] Failure failure_of(const std::exception_ptr& error);

}  // namespace upsweep
