#include "upsweep/search/overtaking.hpp"

#include <algorithm>
#include <limits>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// Simulations of one schedule after which looking is given up.
constexpr std::uint64_t kMostSimulations = 4096;

}  // namespace

bool OvertakingSearch::is_asked() const {
  return options_.objective == Objective::time && has_whole_ops(options_.machine);
}

void OvertakingSearch::add(const CountedSchedule& schedule, const Totals& totals, bool is_plain, bool is_whole_known) {
  if (!is_asked()) return;
  if (plain_.empty()) {
    plain_flops_ = totals.flops / options_.batch;
  } else if (!is_plain && !is_whole_known) {
    look_for_whole(schedule, totals);
  }
  (is_plain ? plain_ : scans_).push_back(schedule.shared(options_.scope));
  if (!is_plain) names_.push_back(schedule.name());
}

void OvertakingSearch::look_for_whole(const CountedSchedule& scan, const Totals& totals) {
  const Scope scope = options_.scope;
  const std::uint64_t batch = options_.batch;
  if (plain_flops_ == 0 || totals.critical_path(options_.execution) >= plain_flops_) return;
  // With a worker for each op of the batch it is as fast as its critical path: faster than back-propagation.
  const std::uint64_t end = std::min(whole_.from.value_or(std::numeric_limits<std::uint64_t>::max()), totals.ops + 1);
  if (options_.execution == Execution::level) {
    // Back-propagation of an input is one op after the other, and workers take one input each.
    const std::vector<MakespanOfWorkers> plain = {
        [&](std::uint64_t workers) { return checked_mul(ceil_div(batch, workers), plain_flops_); }};
    const std::vector<MakespanOfWorkers> scans = {
        [&](std::uint64_t workers) { return scan.level_makespan(CostUnit::flops, workers, scope, batch); }};
    if (end < 2) return;
    const OvertakingWorkers found = overtaking_workers(plain, scans, {}, end - 1);
    whole_.is_known = whole_.is_known && found.is_known;
    // Levels never take longer with more workers; back-propagation of one input takes the same with any number.
    if (found.from)
      whole_ = {whole_.is_known, found.from, batch == 1, batch == 1 ? found.from : std::nullopt, scan.name()};
    return;
  }
  // Without barriers more workers may take longer: one number after the other, from where all FLOPs can be done.
  std::uint64_t left = kMostSimulations;
  for (std::uint64_t workers = std::max<std::uint64_t>(1, totals.flops / plain_flops_); workers < end; ++workers) {
    const std::optional<std::uint64_t> makespan = scan.dag_makespan(workers, scope);
    if (!makespan || left-- == 0) {
      whole_.is_known = false;
      return;
    }
    if (*makespan < plain_flops_) {
      whole_ = {whole_.is_known, workers, false, {}, scan.name()};
      return;
    }
  }
}

void OvertakingSearch::add_least(const CountedSchedule& least, const Totals& totals) {
  if (!is_asked()) return;
  // Back-propagation takes as much on any number of workers, and no number makes a scan faster than its path.
  if (totals.critical_path(options_.execution) < plain_flops_) whole_.is_known = false;
  least_.push_back(least.shared(options_.scope));
}

std::optional<Overtakes> OvertakingSearch::result() const {
  if (!is_asked() || plain_.empty() || (scans_.empty() && least_.empty())) return std::nullopt;
  Overtakes overtakes{whole_, shared_overtaking(plain_, scans_, options_.batch, names_)};
  if (!least_.empty()) {
    std::vector<SharedWork> earliest = scans_;
    earliest.insert(earliest.end(), least_.begin(), least_.end());
    const OvertakingWorkers other = shared_overtaking(plain_, earliest, options_.batch);
    const bool is_same = other.from == overtakes.shared.from && other.always_from == overtakes.shared.always_from;
    if (!is_same) overtakes.shared = {.is_known = false};
  }
  if (!overtakes.whole.is_known) overtakes.whole = {.is_known = false};
  return overtakes;
}

}  // namespace upsweep
