#include "interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "upsweep/app/failure.hpp"
#include "upsweep/base/unfinished_path.hpp"

namespace upsweep::cli {
namespace {

constexpr std::string_view kMessage = "\nupsweep: finishing the points under way; once more stops at once\n";

// What a signal handler may look at.
std::atomic<bool> stop_flag = false;
std::atomic<bool> is_message_off = false;
static_assert(std::atomic<bool>::is_always_lock_free);

struct sigaction interrupt_before;
struct sigaction terminate_before;
struct sigaction hangup_before;

extern "C" void on_stop(int number) {
  const int before = errno;
  // A terminal that closes often says so twice.
  if (stop_flag.exchange(true)) {
    if (number == SIGHUP) return;
    remove_unfinished_paths();
    _exit(kInterrupted);
  }
  if (!is_message_off) static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  errno = before;
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

}  // namespace upsweep::cli
