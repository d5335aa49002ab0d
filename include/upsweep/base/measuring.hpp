#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "upsweep/base/laps.hpp"

/// How times are measured: one clock, one median, one rule for how often something is repeated.
namespace upsweep {

/// Seconds on a clock that never goes back.
[[nodiscard]] double now_seconds();

/// Wall-clock seconds of work().
template <class Work>
[[nodiscard]] double seconds_of(const Work& work) {
  Laps laps;
  work();
  return laps.lap();
}

/// The median; the mean of the two in the middle for an even number, 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);

/// Medians over runs, item by item. `runs[run][item]`, all of one length; empty without runs.
[[nodiscard]] std::vector<double> medians(const std::vector<std::vector<double>>& runs);

/// A run that takes longer is measured once: noise then is small against the time, and patience is not.
inline constexpr double kLongRunSeconds = 5;
/// More runs than this do not make a median better.
inline constexpr std::size_t kMostRuns = 1000;

/// How often something is run to be timed: once to warm up, which is not measured; then until `runs` were measured
/// (one, where the first took over kLongRunSeconds) and took `min_seconds` together, kMostRuns at most.
struct Repetitions {
  std::size_t runs = 1;       ///< at least 1
  double min_seconds = 0;     ///< of the measured runs together
  double settle_seconds = 0;  ///< runs before the measured ones go on that long
  /// No run but the first measured one starts that would end later than this after the start.
  double most_seconds = std::numeric_limits<double>::infinity();
  bool counts_cold = false;  ///< where no second run fits into `most_seconds`, the first is what is measured
};

/// Calls `once`, which returns what a run took, as often as `rule` says, and returns what the measured runs took.
/// `seconds` tells the seconds of a run, `now` those of the clock that settle_seconds and most_seconds are of.
template <class Once, class Seconds = std::identity, class Clock = double (*)()>
[[nodiscard]] auto repeat(const Repetitions& rule, const Once& once, const Seconds& seconds = {},
                          const Clock& now = now_seconds) {
  const double start = now();
  const auto passed = [&] { return now() - start; };
  std::vector<std::decay_t<decltype(once())>> runs;
  runs.push_back(once());
  if (rule.counts_cold && 2 * passed() > rule.most_seconds) return runs;
  const std::size_t wanted = std::invoke(seconds, runs.front()) > kLongRunSeconds ? 1 : rule.runs;
  while (passed() < rule.settle_seconds) static_cast<void>(once());
  runs.clear();
  double spent = 0;
  do {
    runs.push_back(once());
    spent += std::invoke(seconds, runs.back());
  } while ((runs.size() < wanted || (spent < rule.min_seconds && runs.size() < kMostRuns)) &&
           passed() + spent / static_cast<double>(runs.size()) <= rule.most_seconds);
  return runs;
}

}  // namespace upsweep
