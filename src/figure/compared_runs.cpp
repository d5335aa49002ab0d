#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "compared_schedules.hpp"
#include "upsweep/report/replayed_run.hpp"
#include "upsweep/search/counted_schedule.hpp"
#include "upsweep/search/overtaking.hpp"

namespace upsweep {
namespace {

/// A schedule of the search as it is stored, counted.
struct StoredSchedule {
  explicit StoredSchedule(const RunDetails& run) : profile(stored_profile(run)), counts(counted(profile, 4)) {}

  ScheduleProfile profile;
  std::unique_ptr<CountedSchedule> counts;
};

/// What the search compared, as OvertakingSearch takes it: plain back-propagation first; empty where it is not known or
/// does not fit, or the search was in the seconds of a device or of something else than time.
std::vector<const RunDetails*> compared_runs(std::span<const RunDetails> runs) {
  std::vector<const RunDetails*> compared;
  for (const RunDetails& run : runs) {
    if (!run.search || run.search->objective != to_string(Objective::time)) return {};
    if (run.machine && run.machine->kind != "pram") return {};
    if (run.run.feasible.value_or(false)) compared.push_back(&run);
  }
  const auto linear = std::ranges::find(compared, std::optional<std::uint32_t>(0),
                                        [](const RunDetails* run) { return run->run.depth; });
  if (linear == compared.end()) return {};
  std::rotate(compared.begin(), linear, std::next(linear));
  return compared;
}

/// Schedules, plain back-propagation first.
ComparedSchedules compared_under(const SearchOptions& options, const std::vector<const RunDetails*>& runs) {
  ComparedSchedules compared;
  compared.workers = runs.front()->run.workers;
  compared.execution = options.execution;
  OvertakingSearch overtaking(options);
  std::uint64_t plain_ops = 0;  // whoever has as many is no scan, see score_schedule()
  for (const RunDetails* run : runs) {
    const auto stored = std::make_shared<const StoredSchedule>(*run);
    const CountedSchedule& counts = *stored->counts;
    const Totals totals = counts.sums(options.scope, true).totals;
    if (compared.schedules.empty()) plain_ops = totals.ops;
    const bool is_plain = totals.ops == plain_ops;
    overtaking.add(counts, totals, is_plain);
    compared.schedules.push_back({counts.name(), is_plain, counts.inputs(), stored->profile.ops.size(),
                                  stored->profile.ops.size(), counts.shared(options.scope),
                                  whole_makespan(std::shared_ptr<const CountedSchedule>(stored, &counts), options)});
  }
  const std::optional<Overtakes> overtakes = overtaking.result();
  if (!overtakes) throw std::invalid_argument("there are no scans, or is no plain back-propagation");
  compared.overtakes = *overtakes;
  return compared;
}

}  // namespace

MakespanOfWorkers whole_makespan(std::shared_ptr<const CountedSchedule> schedule, const SearchOptions& options) {
  return [schedule = std::move(schedule), execution = options.execution, scope = options.scope](std::uint64_t workers) {
    if (execution == Execution::level) return schedule->level_makespan(CostUnit::flops, workers, scope, 1);
    const std::optional<std::uint64_t> makespan = schedule->dag_makespan(workers, scope);
    if (!makespan) throw std::invalid_argument("a makespan is not known");
    return *makespan;
  };
}

SearchOptions options_of(const SearchRecord& search) {
  SearchOptions options;
  options.execution = search.execution == to_string(Execution::level) ? Execution::level : Execution::dag;
  options.scope = search.scope == "live" ? Scope::live : Scope::all;
  options.memory_limit = search.memory_limit;
  return options;
}

std::optional<ComparedSchedules> compared_schedules(std::span<const RunDetails> runs) {
  const std::vector<const RunDetails*> fitting = compared_runs(runs);
  if (fitting.empty()) return std::nullopt;
  return compared_under(options_of(*fitting.front()->search), fitting);
}

std::optional<ComparedSchedules> compared_schedules(const RunDetails& run, const RunDetails& plain) {
  if (run.search || (run.machine && run.machine->kind != "pram")) return std::nullopt;
  if (run.run.schedule == plain.run.schedule) return std::nullopt;
  SearchOptions options;
  options.execution = Execution::dag;  // a profile's own is not stored
  ComparedSchedules compared = compared_under(options, {&plain, &run});
  compared.workers = run.run.workers;
  compared.scan = run.run.schedule;
  return compared;
}

}  // namespace upsweep
