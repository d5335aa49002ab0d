#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rate_operands.hpp"
#include "upsweep/base/measuring.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/pass_rates.hpp"

namespace upsweep {

/// Times of one worker and of all.
template <class Times>
struct Both {
  Times alone;
  Times together;
};

[[nodiscard]] inline double total_of(double seconds) { return seconds; }
[[nodiscard]] inline double total_of(const ScanTimes& times) { return times.total(); }

/// The medians of the phases, each on its own.
[[nodiscard]] inline ScanTimes median(const std::vector<ScanTimes>& runs) {
  const auto of = [&](double ScanTimes::*phase) {
    std::vector<double> values;
    for (const ScanTimes& run : runs) values.push_back(run.*phase);
    return median(std::move(values));
  };
  return {of(&ScanTimes::jacobians), of(&ScanTimes::up), of(&ScanTimes::middle), of(&ScanTimes::down)};
}

/// Runs passes again and again, in seconds that all its timings share.
class RateTimer {
 public:
  /// `cache_bytes`: of the cache that other data is to displace operands from.
  RateTimer(const RateOptions& options, std::size_t workers, bool on_processor, std::uint64_t cache_bytes)
      : options_(options), workers_(workers), on_processor_(on_processor), sweep_(cache_bytes) {}

  /// Starts the clock of options.most_seconds, for so many calls of time().
  void start(std::size_t timings) {
    start_ = now_seconds();
    left_ = timings * (has_one() ? 2 : 1);
  }

  /// Whether options.most_seconds have passed.
  [[nodiscard]] bool is_late() const { return now_seconds() - start_ >= options_.most_seconds; }

  /// Medians of run(), with all workers and with one; `swept`: after other data has displaced its operands.
  template <class Run>
  [[nodiscard]] auto time(bool swept, const Run& run) -> Both<decltype(run())> {
    const ThreadLimit all(workers_);
    const auto together = median_of(swept, run);
    if (!has_one()) return {together, together};
    const ThreadLimit one(1);
    return {median_of(swept, run), together};
  }

 private:
  /// Whether one worker is another matter than all of them.
  [[nodiscard]] bool has_one() const { return workers_ > 1 && on_processor_; }

  /// Seconds for the next timing: an equal share of what is left, or what short passes need.
  [[nodiscard]] double next_share() {
    const double rest = options_.most_seconds - (now_seconds() - start_);
    const double share = rest / static_cast<double>(std::max<std::size_t>(1, left_));
    if (left_ > 0) --left_;
    return std::max(options_.min_seconds, share);
  }

  template <class Run>
  [[nodiscard]] auto median_of(bool swept, const Run& run) -> decltype(run()) {
    const double share = next_share();
    Repetitions rule{options_.repetitions, swept ? 0 : options_.min_seconds};
    rule.settle_seconds = std::min(options_.min_seconds, share) / 2;  // caches take some runs to settle
    rule.most_seconds = share;
    // A run that long hardly notices what the first one finds cold. A device may have been loading its kernels.
    rule.counts_cold = on_processor_;
    const auto once = [&] {
      if (swept) sweep_.run();
      return run();
    };
    return median(repeat(rule, once, [](const auto& times) { return total_of(times); }));
  }

  RateOptions options_;
  std::size_t workers_;
  bool on_processor_;
  CacheSweep sweep_;
  double start_ = now_seconds();
  std::size_t left_ = 0;  // timings
};

}  // namespace upsweep
