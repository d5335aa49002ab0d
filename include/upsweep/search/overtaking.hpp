#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/search/candidate.hpp"
#include "upsweep/search/counted_schedule.hpp"

namespace upsweep {

/// From how many workers on scans overtake back-propagation. Schedules are handed over one by one and need not outlive
/// the call: back-propagation first.
class OvertakingSearch {
 public:
  /// `options`, which must outlive it: its objective, execution, scope, batch and machine are asked.
  explicit OvertakingSearch(const SearchOptions& options) : options_(options) {}

  /// Takes part by the rule of shared ops; by that of whole ones, too, unless `is_whole_known` says that somebody else
  /// has looked. `totals`: the batch's, in the scope of the options.
  void add(const CountedSchedule& schedule, const Totals& totals, bool is_plain, bool is_whole_known = false);
  /// A scan of which FLOPs and spans are known from below alone: what it might overtake is not known then.
  void add_least(const CountedSchedule& least, const Totals& totals);
  /// What is known of whole ops from elsewhere.
  void set_whole(const OvertakingWorkers& whole) { whole_ = whole; }
  /// Nothing on a machine that has no whole ops, and for objectives without workers.
  [[nodiscard]] std::optional<Overtakes> result() const;

 private:
  void look_for_whole(const CountedSchedule& scan, const Totals& totals);
  [[nodiscard]] bool is_asked() const;

  const SearchOptions& options_;
  std::uint64_t plain_flops_ = 0;  // of the first schedule and one input: op by op on any number of workers
  OvertakingWorkers whole_;
  std::vector<SharedWork> plain_;
  std::vector<SharedWork> scans_;
  std::vector<std::string> names_;  // of them
  std::vector<SharedWork> least_;
};

}  // namespace upsweep
