#pragma once

#include <optional>
#include <string>

#include "upsweep/base/unfinished_path.hpp"

namespace upsweep {

/// A new folder below the one for temporary files (TMPDIR), which goes with this object and all that is in it, files in
/// it also where neither memory nor one more open file is left.
class TemporaryFolder {
 public:
  /// Throws InputError where none can be made; `accepted` is what it says would help.
  explicit TemporaryFolder(const std::string& accepted = "another TMPDIR");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int opened_ = -1;  // the folder, open ahead: its files can be removed when no other file can be opened any more
  std::optional<UnfinishedPath> unfinished_;
};

}  // namespace upsweep
