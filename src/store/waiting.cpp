#include "waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "upsweep/store/waiting.hpp"

namespace upsweep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestSleep{50};

struct Waiting {
  std::mutex mutex;
  std::function<void(const std::string&)> say;
  WaitingTimes times;
};

Waiting& waiting() {
  static Waiting one;
  return one;
}

thread_local const std::atomic<bool>* waiting_stop = nullptr;

/// Of the sleep after so many: short ones first, for locks that last a moment.
milliseconds sleep_after(int tries) { return std::min(milliseconds(1 + tries), kLongestSleep); }

/// All sleeps before.
milliseconds slept(int tries) {
  const auto growing = std::min<std::int64_t>(tries, kLongestSleep.count() - 1);
  return milliseconds(growing * (growing + 1) / 2 + (tries - growing) * kLongestSleep.count());
}

}  // namespace

int wait_for_lock(void*, int tries) {
  if (waits_no_more()) return 0;
  {
    Waiting& now = waiting();
    const std::lock_guard lock(now.mutex);
    const milliseconds before = slept(tries);
    if (before >= now.times.most) return 0;
    if (now.say && before >= now.times.silent && slept(tries - 1) < now.times.silent) {
      now.say(fmt::format("another program keeps the database locked; waiting for it, {} s at most",
                          std::chrono::duration_cast<std::chrono::seconds>(now.times.most).count()));
    }
  }
  std::this_thread::sleep_for(sleep_after(tries));
  return 1;
}

bool waits_no_more() { return waiting_stop != nullptr && *waiting_stop; }

WaitingStop::WaitingStop(const std::atomic<bool>* stop) : before_(waiting_stop) {
  if (stop != nullptr) waiting_stop = stop;
}

const std::atomic<bool>* WaitingStop::of_this_thread() { return waiting_stop; }

WaitingStop::~WaitingStop() { waiting_stop = before_; }

WaitingNote::WaitingNote(std::function<void(const std::string& note)> say, WaitingTimes times) {
  const std::lock_guard lock(waiting().mutex);
  waiting().say = std::move(say);
  waiting().times = times;
}

WaitingNote::~WaitingNote() {
  const std::lock_guard lock(waiting().mutex);
  waiting().say = nullptr;
  waiting().times = {};
}

}  // namespace upsweep
