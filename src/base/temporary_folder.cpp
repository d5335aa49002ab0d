#include "upsweep/base/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "upsweep/base/error.hpp"

namespace upsweep {

namespace fs = std::filesystem;

namespace {

/// Removes the files of an open folder; takes no memory and opens nothing. Folders in it stay.
void remove_files(int folder) noexcept {
  alignas(std::max_align_t) std::array<char, 4096> entries;
  bool has_removed = true;
  while (has_removed) {  // again from the start: places in a folder that changes mean nothing
    has_removed = false;
    if (lseek(folder, 0, SEEK_SET) != 0) return;
    const long size = syscall(SYS_getdents64, folder, entries.data(), entries.size());
    for (long at = 0; at < size;) {
      // struct linux_dirent64: 8 bytes inode, 8 bytes offset, 2 bytes length of the entry, 1 byte type, the name
      unsigned short length = 0;
      std::memcpy(&length, entries.data() + at + 16, sizeof length);
      if (unlinkat(folder, entries.data() + at + 19, 0) == 0) has_removed = true;
      at += length;
    }
  }
}

}  // namespace

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
  opened_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  unfinished_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  if (opened_ >= 0) {
    remove_files(opened_);
    close(opened_);
  }
  if (rmdir(path_.c_str()) == 0) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace upsweep
