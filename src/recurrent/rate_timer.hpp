#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rate_operands.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/pass_rates.hpp"

namespace upsweep {

/// Times of one worker and of all.
template <class Times>
struct Both {
  Times alone;
  Times together;
};

[[nodiscard]] inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The medians of the phases, each on its own.
[[nodiscard]] inline ScanTimes median(const std::vector<ScanTimes>& runs) {
  const auto of = [&](double ScanTimes::*phase) {
    std::vector<double> values;
    for (const ScanTimes& run : runs) values.push_back(run.*phase);
    return median(std::move(values));
  };
  return {of(&ScanTimes::jacobians), of(&ScanTimes::up), of(&ScanTimes::middle), of(&ScanTimes::down)};
}

/// Seconds of a clock that only goes on.
[[nodiscard]] inline double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs passes again and again, in seconds that all its timings share.
class RateTimer {
 public:
  /// `cache_bytes`: of the cache that other data is to displace operands from.
  RateTimer(const RateOptions& options, std::size_t workers, bool on_processor, std::uint64_t cache_bytes)
      : options_(options), workers_(workers), on_processor_(on_processor), sweep_(cache_bytes) {}

  /// Starts the clock of options.most_seconds, for so many calls of time().
  void start(std::size_t timings) {
    start_ = clock_seconds();
    left_ = timings * (has_one() ? 2 : 1);
  }

  /// Whether options.most_seconds have passed.
  [[nodiscard]] bool is_late() const { return clock_seconds() - start_ >= options_.most_seconds; }

  /// Medians of run(), with all workers and with one; `swept`: after other data has displaced its operands.
  template <class Run>
  [[nodiscard]] auto time(bool swept, const Run& run) -> Both<decltype(run())> {
    const ThreadLimit all(workers_);
    const auto together = repeat(swept, run);
    if (!has_one()) return {together, together};
    const ThreadLimit one(1);
    return {repeat(swept, run), together};
  }

 private:
  static constexpr std::size_t kMostRepetitions = 1000;

  /// Whether one worker is another matter than all of them.
  [[nodiscard]] bool has_one() const { return workers_ > 1 && on_processor_; }

  /// Seconds for the next timing: an equal share of what is left, or what short passes need.
  [[nodiscard]] double next_share() {
    const double rest = options_.most_seconds - (clock_seconds() - start_);
    const double share = rest / static_cast<double>(std::max<std::size_t>(1, left_));
    if (left_ > 0) --left_;
    return std::max(options_.min_seconds, share);
  }

  template <class Run>
  [[nodiscard]] auto repeat(bool swept, const Run& run) -> decltype(run()) {
    const double share = next_share();
    if (swept) sweep_.run();
    const double begin = clock_seconds();
    const auto seconds = [&] { return clock_seconds() - begin; };
    std::vector<decltype(run())> times{run()};
    const double first = seconds();
    // A run that long hardly notices what the first one finds cold. A device may have been loading its kernels.
    if (2 * first > share && on_processor_) return times.front();
    // Caches take some runs to settle.
    while (seconds() < std::min(options_.min_seconds, share) / 2) static_cast<void>(run());
    times.clear();
    double measured = 0;
    do {
      if (swept) sweep_.run();
      const double before = clock_seconds();
      times.push_back(run());
      measured += clock_seconds() - before;
    } while (seconds() + measured / static_cast<double>(times.size()) <= share &&
             (times.size() < options_.repetitions ||
              (!swept && measured < options_.min_seconds && times.size() < kMostRepetitions)));
    return median(std::move(times));
  }

  RateOptions options_;
  std::size_t workers_;
  bool on_processor_;
  CacheSweep sweep_;
  double start_ = clock_seconds();
  std::size_t left_ = 0;  // timings
};

}  // namespace upsweep
