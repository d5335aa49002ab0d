#include "upsweep/report/replayed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "upsweep/base/checked.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/stored_title.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostReplayedInputs = std::uint64_t{1} << 40U;  // sums of more would not fit
constexpr std::size_t kNoEntry = ~std::size_t{0};

bool is_op_of(const Combine& combine, const StoredOp& op) {
  return op.level == combine.level && op.left == combine.left && op.right == combine.right &&
         op.target == combine.target;
}

/// The schedule of a name if it has the ops of a run. Throws std::invalid_argument where it has not.
Schedule schedule_with_ops(const std::string& name, const RunDetails& run) {
  Schedule schedule = make_schedule(parse_schedule(name), run.run.length);
  const std::string shown = short_text(name);
  if (schedule.combines.size() != run.ops.size()) {
    throw std::invalid_argument(
        fmt::format("{} ops are stored, and schedule {} has {}", run.ops.size(), shown, schedule.combines.size()));
  }
  for (std::size_t id = 0; id < run.ops.size(); ++id) {
    if (run.ops[id].id != id) throw std::invalid_argument(fmt::format("op {} is not stored", id));
    if (!is_op_of(schedule.combines[id], run.ops[id]))
      throw std::invalid_argument(fmt::format("op {} is not that of schedule {}", id, shown));
  }
  return schedule;
}

void require_inputs(std::uint64_t inputs) {
  if (inputs == 0 || inputs > kMostReplayedInputs)
    throw std::invalid_argument(fmt::format("it is over {} inputs", inputs));
}

/// What came before each op, as a walk back through a timeline asks it.
class ReplayedBefore {
 public:
  explicit ReplayedBefore(const ReplayedRun& run)
      : schedule_(run.schedule),
        entries_(run.timeline.entries),
        entry_of_(run.schedule.combines.size(), kNoEntry),
        before_on_worker_(entries_.size(), kNoEntry) {
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
  /// barrier, of an earlier level; kNoEntry at the start.
  [[nodiscard]] std::size_t entry_before(std::size_t e) const {
    const TimelineEntry& entry = entries_[e];
    const Combine& combine = schedule_.combines[entry.id];
    for (const ValueId operand : {combine.earlier, combine.later}) {
      if (operand < schedule_.length) continue;
      const std::size_t source = entry_of_[operand - schedule_.length];
      if (source != kNoEntry && entries_[source].end == entry.start) return source;
    }
    const std::size_t on_worker = before_on_worker_[e];
    if (on_worker != kNoEntry && entries_[on_worker].end == entry.start) return on_worker;
    const auto barrier = ends_.find(entry.start);
    return barrier != ends_.end() && barrier->second < e ? barrier->second : kNoEntry;
  }

 private:
  const Schedule& schedule_;
  const std::vector<TimelineEntry>& entries_;
  std::vector<std::size_t> entry_of_;                    // by op
  std::vector<std::size_t> before_on_worker_;            // by entry
  std::unordered_map<std::uint64_t, std::size_t> ends_;  // the first entry that ends then
};

}  // namespace

Schedule stored_schedule(const RunDetails& run) {
  // No schedule has fewer than n - 1 ops: a length out of nowhere would take all memory.
  if (run.run.length < 2 || run.run.length > run.ops.size() + 2)
    throw std::invalid_argument(fmt::format("{} ops over {} elements", run.ops.size(), run.run.length));
  try {
    return schedule_with_ops(run.run.requested, run);
  } catch (const std::invalid_argument&) {
    // Another version may have understood the request in another way; the schedule's own name says what it became.
    if (run.run.schedule == run.run.requested) throw;
  }
  return schedule_with_ops(run.run.schedule, run);
}

std::uint64_t stored_sum(double mean, std::uint64_t inputs, const char* what, std::size_t op) {
  const double sum = std::nearbyint(mean * static_cast<double>(inputs));
  if (!(sum >= 0 && sum < 0x1p63)) throw std::invalid_argument(fmt::format("op {} has {} {}", op, mean, what));
  return static_cast<std::uint64_t>(sum);
}

ScheduleProfile stored_profile(const RunDetails& run) {
  ScheduleProfile profile;
  profile.inputs = run.run.inputs;
  require_inputs(profile.inputs);
  profile.schedule = stored_schedule(run);
  profile.ops.reserve(run.ops.size());
  for (const StoredOp& op : run.ops) {
    if (!op.span) throw std::invalid_argument(fmt::format("op {} is stored without its span", op.id));
    OpProfile& mine = profile.ops.emplace_back();
    mine.m = op.m;
    mine.k = op.k;
    mine.n = op.n;
    mine.is_mv = op.is_mv;
    mine.dead = op.is_dead;
    mine.left_nnz = stored_sum(op.left_nnz, profile.inputs, "entries", op.id);
    mine.right_nnz = stored_sum(op.right_nnz, profile.inputs, "entries", op.id);
    mine.nnz = stored_sum(op.nnz, profile.inputs, "entries", op.id);
    mine.flops = stored_sum(op.flops, profile.inputs, "FLOPs", op.id);
    mine.span = stored_sum(*op.span, profile.inputs, "span", op.id);
  }
  profile.levels = level_profiles(profile);
  return profile;
}

std::string execution_of(const RunDetails& run) {
  if (!run.measurements.empty()) return run.measurements.back().execution;
  return run.search ? run.search->execution : to_string(Execution::dag);
}

ReplayedRun replayed_run(const RunDetails& run) {
  ReplayedRun replayed;
  replayed.inputs = run.run.inputs;
  require_inputs(replayed.inputs);
  replayed.execution = execution_of(run) == to_string(Execution::level) ? Execution::level : Execution::dag;
  replayed.schedule = stored_schedule(run);
  replayed.costs.reserve(run.ops.size());
  for (const StoredOp& op : run.ops) replayed.costs.push_back(stored_sum(op.flops, replayed.inputs, "FLOPs", op.id));
  replayed.runs.assign(run.ops.size(), true);
  if (run.search && run.search->scope == "live") {
    replayed.runs = dead_combines(replayed.schedule);
    replayed.runs.flip();
  }
  try {
    replayed.timeline = simulate(replayed.schedule, replayed.costs, replayed.runs, run.run.workers, replayed.execution);
  } catch (const CountOverflow& error) {
    throw std::invalid_argument(error.what());
  }
  return replayed;
}

InputError unfit_run(const std::string& file, const StoredRun& run, const std::string& why) {
  return InputError(fmt::format("{}: {} cannot be simulated again: {}; accepted is a run as upsweep stored it", file,
                                stored_title(run), why));
}

std::vector<std::size_t> longest_chain(const ReplayedRun& run) {
  const std::vector<TimelineEntry>& entries = run.timeline.entries;
  std::vector<std::size_t> ids;
  if (entries.empty()) return ids;
  const ReplayedBefore before(run);
  const auto last = std::max_element(entries.begin(), entries.end(),
                                     [](const TimelineEntry& a, const TimelineEntry& b) { return a.end < b.end; });
  for (auto e = static_cast<std::size_t>(last - entries.begin()); e != kNoEntry; e = before.entry_before(e))
    ids.push_back(entries[e].id);
  return ids;
}

}  // namespace upsweep
