#include "interrupt.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <string_view>

#include "upsweep/app/failure.hpp"
#include "upsweep/base/unfinished_path.hpp"

namespace upsweep::cli {
namespace {

constexpr std::string_view kMessage = "\nupsweep: finishing the points under way; once more stops at once\n";

// What a signal handler may look at: lock-free atomics and plain bytes that are written while nobody is to remove them.
std::atomic<bool> stop_flag = false;
std::atomic<bool> is_message_off = false;
using Path = std::array<char, PATH_MAX>;
std::array<Path, 8> removed_files;
Path removed_folder;
std::atomic<std::size_t> removed_count = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::size_t>::is_always_lock_free);

struct sigaction interrupt_before;
struct sigaction terminate_before;
struct sigaction hangup_before;

extern "C" void on_stop(int) {
  const int before = errno;
  if (stop_flag.exchange(true)) {
    const std::size_t count = removed_count;
    for (std::size_t i = 0; i < count; ++i) unlink(removed_files[i].data());
    remove_unfinished_paths();
    if (count > 0) rmdir(removed_folder.data());
    _exit(kInterrupted);
  }
  if (!is_message_off) static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  errno = before;
}

bool keep_path(const std::string& path, Path& to) {
  if (path.size() + 1 > to.size()) return false;
  path.copy(to.data(), path.size());
  to.at(path.size()) = '\0';
  return true;
}

}  // namespace

GentleStop::GentleStop(bool is_quiet) {
  stop_flag = false;
  is_message_off = is_quiet;
  struct sigaction action = {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;  // no read or write of the store fails because of it
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGHUP);
  sigaction(SIGINT, &action, &interrupt_before);
  sigaction(SIGTERM, &action, &terminate_before);
  sigaction(SIGHUP, &action, &hangup_before);
  if (hangup_before.sa_handler == SIG_IGN) sigaction(SIGHUP, &hangup_before, nullptr);  // as under nohup
}

GentleStop::~GentleStop() {
  sigaction(SIGINT, &interrupt_before, nullptr);
  sigaction(SIGTERM, &terminate_before, nullptr);
  sigaction(SIGHUP, &hangup_before, nullptr);
}

const std::atomic<bool>& GentleStop::flag() { return stop_flag; }

void remove_when_stopped(const std::vector<std::string>& files, const std::string& folder) {
  removed_count = 0;
  if (folder.empty() || !keep_path(folder, removed_folder)) return;
  std::size_t count = 0;
  for (const std::string& file : files) {
    if (count < removed_files.size() && keep_path(file, removed_files.at(count))) ++count;
  }
  removed_count = count;
}

}  // namespace upsweep::cli
