#include "replace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "upsweep/base/error.hpp"
#include "upsweep/base/unfinished_path.hpp"

namespace upsweep {
namespace {

InputError failure(const std::string& path, int error) {
  return InputError(fmt::format("{}: cannot be written: {}, accepted is a file in a folder that can be written to",
                                path, std::generic_category().message(error)));
}

/// Opens a new file beside `path` and puts its name into `name`; -1 with errno where that fails.
int open_beside(const std::string& path, std::string& name) {
  constexpr int kMostLeftOvers = 100;
  for (int i = 0; i < kMostLeftOvers; ++i) {
    name = fmt::format("{}.{}-{}.tmp", path, getpid(), i);
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/// Writes everything to the file, through to the disk, and closes it; 0 or the error.
int write_and_close(int file, const std::string& content) {
  int error = 0;
  for (std::size_t at = 0; at < content.size() && error == 0;) {
    const ssize_t written = write(file, content.data() + at, content.size() - at);
    if (written >= 0) {
      at += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fsync(file) != 0) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

bool is_read_only_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error || !fs::exists(status)) return false;
  constexpr fs::perms kWritable = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  // The first question is for root, who may write to everything.
  return (status.permissions() & kWritable) == fs::perms::none || access(path.c_str(), W_OK) != 0;
}

void replace_file(const std::string& path, const std::string& content) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(
        fmt::format("{}: cannot be written: not a regular file, accepted is a regular file or a new one", path));
  }
  if (is_read_only_file(path))
    throw InputError(fmt::format("{}: cannot be written: it is read-only, accepted is a writable file", path));
  std::string name;
  const int file = open_beside(path, name);
  if (file < 0) throw failure(path, errno);
  const UnfinishedPath unfinished(name);
  int error = write_and_close(file, content);
  if (error == 0 && std::rename(name.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  static_cast<void>(unlink(name.c_str()));
  throw failure(path, error);
}

}  // namespace upsweep
