#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "upsweep/base/error.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

/// The lock of a study. Locks on the database itself are SQLite's: closing another descriptor of it would drop them.
std::string lock_path(const std::string& file, const std::string& key) {
  constexpr std::size_t kDigits = 8;
  std::error_code error;
  std::filesystem::path whole = std::filesystem::weakly_canonical(file, error);  // one lock whatever name leads there
  if (error) whole = file;
  return fmt::format("{}.study-{}.lock", whole.string(), key.substr(0, kDigits));
}

[[noreturn]] void refuse(const std::string& file, const std::string& path, int error) {
  throw InputError(
      fmt::format("{}: its lock file {}: {}, accepted is a database in a folder where that can be made and "
                  "locked",
                  file, path, std::generic_category().message(error)));
}

/// What the holder of a lock wrote into its file.
std::string holder(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
  const std::string pid(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const bool is_pid = !pid.empty() && pid.find_first_not_of("0123456789") == std::string::npos;
  return is_pid ? fmt::format("process {}", pid) : std::string("another process");
}

/// Whether the path still leads to the open file: its last holder may have removed it before we had the lock.
bool is_at(const std::string& path, int descriptor) {
  struct stat named {};
  struct stat open {};
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &open) == 0 && named.st_dev == open.st_dev &&
         named.st_ino == open.st_ino;
}

}  // namespace

StudyLock::StudyLock(const std::string& file, const std::string& key) : path_(lock_path(file, key)) {
  for (;;) {
    const int descriptor = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) refuse(file, path_, errno);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string who = holder(descriptor);
      close(descriptor);
      if (error == EINTR) continue;
      if (error != EWOULDBLOCK) refuse(file, path_, error);
      throw BusyError(fmt::format("{}: study {} is being run by {}, accepted is to wait for it or another database",
                                  file, key, who));
    }
    if (is_at(path_, descriptor)) {
      descriptor_ = descriptor;
      goes_with_process_.emplace(path_);
      break;
    }
    close(descriptor);
  }
  // For the message of others only: a full disk keeps nobody from holding the lock.
  const std::string pid = fmt::format("{}", getpid());
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, pid.data(), pid.size(), 0) < 0) errno = 0;
}

StudyLock::~StudyLock() {
  goes_with_process_.reset();  // before another process may have a file there
  unlink(path_.c_str());       // while it is still locked, so that nobody's new file is removed
  close(descriptor_);
}

}  // namespace upsweep
