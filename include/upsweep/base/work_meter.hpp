#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace upsweep {

/// Work was stopped from outside before it was done. Exit code 130.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Work takes, or would take, more steps than a WorkMeter allows.
class WorkLimitReached : public std::runtime_error {
 public:
  explicit WorkLimitReached(std::uint64_t steps) : std::runtime_error("the limit of work is reached"), steps_(steps) {}

  /// That the whole work would take, about; at least those of the limit.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  std::uint64_t steps_;
};

/// Counts steps of work on several threads, and ends it at a limit or when it is to stop.
class WorkMeter {
 public:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  /// `stop`, where given, outlives it; once it is true add() throws Interrupted.
  explicit WorkMeter(std::uint64_t limit = kNoLimit, const std::atomic<bool>* stop = nullptr)
      : limit_(limit), stop_(stop) {}

  /// After some steps. Throws WorkLimitReached past the limit, Interrupted.
  void add(std::uint64_t steps) {
    if (stop_ != nullptr && *stop_) throw Interrupted();
    const std::uint64_t done = done_.fetch_add(steps) + steps;
    if (done > limit_) throw WorkLimitReached(done);
  }

  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t left() const { return limit_ - (done_ < limit_ ? done_.load() : limit_); }

 private:
  std::uint64_t limit_;
  const std::atomic<bool>* stop_;
  std::atomic<std::uint64_t> done_{0};
};

/// One thread's steps, handed to a meter (or to none) some at a time.
class StepTally {
 public:
  explicit StepTally(WorkMeter* meter) : meter_(meter) {}

  void add(std::uint64_t steps) {
    pending_ += steps;
    if (pending_ >= kBatch) flush();
  }
  /// Throws as WorkMeter::add().
  void flush() {
    const std::uint64_t steps = pending_;
    pending_ = 0;
    if (meter_ != nullptr) meter_->add(steps);
  }

 private:
  static constexpr std::uint64_t kBatch = std::uint64_t{1} << 20;
  WorkMeter* meter_;
  std::uint64_t pending_ = 0;
};

}  // namespace upsweep
