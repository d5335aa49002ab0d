#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "point_rules.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/device_search.hpp"

namespace upsweep {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Refuses what passes on a whole machine have not.
void check_settings(const PointSettings& settings) {
  const auto refuse = [](const char* what, const char* accepted) {
    throw std::invalid_argument(
        fmt::format("{} with a recurrent model on a gpu or pram, whose passes are predicted on the whole machine: "
                    "accepted is {}, or a chain of its sizes",
                    what, accepted));
  };
  if (settings.workers) refuse("workers", "without");
  if (settings.execution == Execution::dag) refuse("execution dag", "level");
  if (settings.scope == Scope::live) refuse("scope live", "all");
  if (settings.batch == 0) throw std::invalid_argument("the batch is 0, accepted is at least 1");
}

/// Whether a point asks for a pass. Throws std::invalid_argument where it asks for none that there is.
bool is_asked(const PointSettings& settings, const BackwardMethod& method, std::uint64_t elements) {
  if (settings.schedule == "best-of-all") return true;
  if (settings.schedule == "best") return method.kind != BackwardKind::blocked;
  const ScheduleRequest request = parse_schedule(settings.schedule);
  if (request.scheme->is_hybrid) {
    const std::uint64_t deepest = max_depth(elements + 1);
    return method.kind == BackwardKind::levels && method.depth == std::min(request.parameter, deepest);
  }
  if (request.scheme->name == "blocked")
    return method.kind == BackwardKind::blocked && method.blocks.blocks == request.parameter;
  throw std::invalid_argument(fmt::format(
      "the schedule is {}, accepted of a recurrent model on a gpu or pram are best, best-of-all, linear, blelloch, "
      "hybrid:L and blocked:P",
      settings.schedule));
}

/// `is_in_seconds`: else by its makespan with ops that workers share.
PointSchedule scored(const Candidate& candidate, std::uint64_t levels, bool is_in_seconds) {
  PointSchedule schedule;
  schedule.schedule = candidate.schedule;
  schedule.depth = candidate.depth;
  schedule.is_feasible = candidate.feasible;
  schedule.reason = candidate.reason;
  schedule.score = is_in_seconds ? candidate.score.value() : static_cast<double>(candidate.pram.shared_flops);
  schedule.levels = levels > 0 ? static_cast<double>(levels) : kUnknown;
  schedule.ops = schedule.critical_path_flops = schedule.steps = schedule.per_step_flops = kUnknown;
  schedule.flops = static_cast<double>(candidate.totals.flops);
  schedule.peak_live_bytes = static_cast<double>(candidate.pram.peak_live_bytes);
  return schedule;
}

}  // namespace

PointFigures score_passes(const HomogeneousChain& chain, const PassShape& shape, unsigned value_bytes,
                          const Machine& machine, const PointSettings& settings) {
  check_settings(settings);
  PassShape passes = shape;
  passes.batch = settings.batch;
  const std::optional<std::uint64_t> limit =
      settings.memory_limit ? settings.memory_limit
                            : (settings.is_limited_by_machine ? std::nullopt : std::optional<std::uint64_t>(0));
  const DeviceSearchResult found = search_on_device(machine, passes, value_bytes, assumed_on(machine), limit);

  // As of chains: the seconds of a pram are those of whole ops.
  const bool is_in_seconds = settings.ops == Ops::whole || !has_whole_ops(&machine);
  PointRules rules;
  rules.machine = is_in_seconds ? &machine : nullptr;
  rules.value_bytes = value_bytes;
  rules.workers = machine.workers();
  rules.batch = settings.batch;
  PointFigures figures = chain_figures(chain, rules);
  std::vector<PointSchedule> asked;
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    std::uint64_t levels = 0;
    for (const DeviceLevel& level : found.passes[i].prediction.levels) levels += level.levels;
    const PointSchedule schedule = scored(found.candidates[i], levels, is_in_seconds);
    // The first is the sequential pass, which stands there even where it does not fit.
    const bool is_faster = i == 0 || (schedule.is_feasible && schedule.score < figures.plain.score);
    if (found.candidates[i].is_plain && is_faster) figures.plain = schedule;
    if (is_asked(settings, found.passes[i].method, chain.elements)) asked.push_back(schedule);
  }
  if (asked.empty()) {
    throw std::invalid_argument(
        fmt::format("the schedule is {}, accepted blocks of passes are 1, 2, 4, ..., "
                    "at most the steps and {}, of unfused steps 1",
                    settings.schedule, kMostBlocks));
  }
  choose_schedules(asked, figures);
  return figures;
}

}  // namespace upsweep
