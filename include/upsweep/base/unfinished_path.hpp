#pragma once

#include <cstddef>
#include <string>

namespace upsweep {

/// A file, or a folder, that is no result yet: remove_unfinished_paths() removes it while this object is there. The
/// program calls that where a signal ends it.
class UnfinishedPath {
 public:
  /// Paths that are too long, or too many at a time (32), are left alone.
  explicit UnfinishedPath(const std::string& path);
  ~UnfinishedPath();
  UnfinishedPath(const UnfinishedPath&) = delete;
  UnfinishedPath& operator=(const UnfinishedPath&) = delete;

 private:
  std::size_t slot_;
};

/// The files of a SQLite database that is no result yet.
class UnfinishedDatabase {
 public:
  explicit UnfinishedDatabase(const std::string& path)
      : file_(path), journal_(path + "-journal"), log_(path + "-wal"), index_(path + "-shm") {}

 private:
  UnfinishedPath file_, journal_, log_, index_;
};

/// Removes all of them, files before folders; for signal handlers, right before the process ends.
void remove_unfinished_paths() noexcept;

}  // namespace upsweep
