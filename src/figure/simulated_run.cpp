#include "simulated_run.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "run_parts.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kNoOp = ~std::size_t{0};

/// What came before each op, as a walk back through a timeline asks it.
class Before {
 public:
  Before(const Schedule& schedule, const Timeline& timeline)
      : schedule_(schedule), entries_(timeline.entries), entry_of_(schedule.combines.size(), kNoOp) {
    before_on_worker_.assign(entries_.size(), kNoOp);
    std::unordered_map<std::size_t, std::size_t> last;  // entry by worker
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      entry_of_[entries_[e].id] = e;
      const auto [at, is_first] = last.try_emplace(entries_[e].worker, e);
      if (!is_first) {
        before_on_worker_[e] = at->second;
        at->second = e;
      }
      ends_.try_emplace(entries_[e].end, e);
    }
  }

  /// The entry that ends when `e` starts and that it waits for: of an operand, else of its worker, else, after a
  /// barrier, of an earlier level; kNoOp at the start.
  [[nodiscard]] std::size_t entry_before(std::size_t e) const {
    const TimelineEntry& entry = entries_[e];
    const Combine& combine = schedule_.combines[entry.id];
    for (const ValueId operand : {combine.earlier, combine.later}) {
      if (operand == kIdentity || operand < schedule_.length) continue;
      const std::size_t source = entry_of_[operand - schedule_.length];
      if (source != kNoOp && entries_[source].end == entry.start) return source;
    }
    const std::size_t on_worker = before_on_worker_[e];
    if (on_worker != kNoOp && entries_[on_worker].end == entry.start) return on_worker;
    const auto barrier = ends_.find(entry.start);
    return barrier != ends_.end() && barrier->second < e ? barrier->second : kNoOp;
  }

 private:
  const Schedule& schedule_;
  const std::vector<TimelineEntry>& entries_;
  std::vector<std::size_t> entry_of_;                    // by op
  std::vector<std::size_t> before_on_worker_;            // by entry
  std::unordered_map<std::uint64_t, std::size_t> ends_;  // the first entry that ends then
};

std::size_t workers_used(const Timeline& timeline) {
  std::size_t used = 0;
  for (const TimelineEntry& entry : timeline.entries) used = std::max(used, entry.worker + 1);
  return used;
}

}  // namespace

std::optional<SimulatedRun> simulated_run(const RunDetails& run) {
  std::optional<Schedule> schedule = schedule_again(run);
  if (!schedule || run.run.workers == 0) return std::nullopt;
  SimulatedRun simulated;
  simulated.schedule = *std::move(schedule);
  if (run.search && run.search->execution == "level") simulated.execution = Execution::level;
  const bool is_live_only = run.search && run.search->scope == "live";
  std::vector<std::uint64_t> costs;
  for (const StoredOp& op : run.ops) {
    if (!(op.flops >= 0 && op.flops < 1e18)) return std::nullopt;
    costs.push_back(static_cast<std::uint64_t>(std::llround(op.flops)));
    simulated.runs.push_back(!(is_live_only && op.is_dead));
  }
  simulated.timeline = simulate(simulated.schedule, costs, simulated.runs, run.run.workers, simulated.execution);
  if (simulated.timeline.makespan == 0) return std::nullopt;
  simulated.workers = workers_used(simulated.timeline);
  return simulated;
}

std::vector<std::size_t> waited_for(const SimulatedRun& simulated) {
  const std::vector<TimelineEntry>& entries = simulated.timeline.entries;
  std::vector<std::size_t> ids;
  if (entries.empty()) return ids;
  const Before before(simulated.schedule, simulated.timeline);
  const auto last = std::max_element(entries.begin(), entries.end(),
                                     [](const TimelineEntry& a, const TimelineEntry& b) { return a.end < b.end; });
  for (auto e = static_cast<std::size_t>(last - entries.begin()); e != kNoOp; e = before.entry_before(e))
    ids.push_back(entries[e].id);
  return ids;
}

}  // namespace upsweep
