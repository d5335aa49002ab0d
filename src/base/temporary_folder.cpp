#include "upsweep/base/temporary_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "upsweep/base/error.hpp"

namespace upsweep {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& accepted) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) throw InputError(fmt::format("TMPDIR: {}, accepted is a folder for temporary files", error.message()));
  std::string name = (parent / "upsweep-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw InputError(
        fmt::format("{}: no folder for temporary files can be made there, accepted is {}", parent.string(), accepted));
  }
  path_ = name;
  unfinished_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace upsweep
