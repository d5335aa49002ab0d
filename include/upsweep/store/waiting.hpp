#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

namespace upsweep {

/// How long a database that another program keeps locked is waited for.
struct WaitingTimes {
  std::chrono::milliseconds silent{2'000};  ///< before it is said
  std::chrono::milliseconds most{60'000};   ///< then BusyError
};

/// While it lives, whoever waits for a database that another program keeps locked says so. One at a time; `say` may be
/// called from any thread.
class WaitingNote {
 public:
  explicit WaitingNote(std::function<void(const std::string& note)> say, WaitingTimes times = {});
  ~WaitingNote();
  WaitingNote(const WaitingNote&) = delete;
  WaitingNote& operator=(const WaitingNote&) = delete;
};

/// While it lives, this thread waits for no locked database once `stop` is true: Interrupted instead of BusyError.
/// Nothing where `stop` is null.
class WaitingStop {
 public:
  explicit WaitingStop(const std::atomic<bool>* stop);
  /// That of this thread, for others that work for it; null without.
  [[nodiscard]] static const std::atomic<bool>* of_this_thread();
  ~WaitingStop();
  WaitingStop(const WaitingStop&) = delete;
  WaitingStop& operator=(const WaitingStop&) = delete;

 private:
  const std::atomic<bool>* before_;
};

}  // namespace upsweep
