#pragma once

#include <string>

namespace upsweep::cli {

/// A database in a folder of its own below the folder for temporary files (TMPDIR), for a command without --db; both go
/// with this object, or when a second Ctrl-C ends the process.
class TemporaryStore {
 public:
  /// Throws InputError where no folder can be made.
  TemporaryStore();
  ~TemporaryStore();
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;

  /// Path of the database, which is not there yet.
  [[nodiscard]] std::string file() const;

 private:
  std::string folder_;
};

}  // namespace upsweep::cli
