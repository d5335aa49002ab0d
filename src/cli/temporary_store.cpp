#include "temporary_store.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "interrupt.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::cli {

namespace fs = std::filesystem;

TemporaryStore::TemporaryStore() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) throw InputError(fmt::format("TMPDIR: {}, accepted is a folder for temporary files", error.message()));
  std::string name = (parent / "upsweep-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw InputError(
        fmt::format("{}: no folder for temporary files can be made there, accepted is another TMPDIR or "
                    "--db FILE",
                    parent.string()));
  }
  folder_ = name;
  remove_when_stopped({file(), file() + "-wal", file() + "-shm", file() + "-journal"}, folder_);
}

TemporaryStore::~TemporaryStore() {
  remove_when_stopped({}, "");
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string TemporaryStore::file() const { return (fs::path(folder_) / "points.sqlite").string(); }

}  // namespace upsweep::cli
