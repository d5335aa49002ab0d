#include "point_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/request.hpp"

namespace upsweep {
namespace {

/// The names of scheme_candidates(), without making the schedules.
std::vector<std::string> scheme_names(std::size_t length, std::uint64_t workers) {
  std::vector<std::string> names = {"kogge-stone", "sklansky", "brent-kung", "recursive-doubling", "cyclic-reduction"};
  const std::uint64_t elements = length - 1;
  constexpr std::uint64_t kFewest = 3;
  constexpr std::uint64_t kAlways = 4;
  std::set<std::uint64_t> counts = {kAlways, workers};
  if (workers < elements) counts.insert(workers + 1);
  for (std::uint64_t blocks = kAlways; blocks < std::min(workers, elements + 1); blocks *= 2) counts.insert(blocks);
  for (const std::uint64_t blocks : counts) {
    if (blocks >= kFewest && blocks <= elements) names.push_back(fmt::format("blocked:{}", blocks));
  }
  return names;
}

/// What a request becomes at a length.
std::string scheme_name(const ScheduleRequest& request, std::size_t length) {
  if (request.kind != ScheduleKind::blocked) return canonical_name(request);
  return fmt::format("blocked:{}", std::min<std::uint64_t>(request.parameter, length - 1));
}

/// Whether it is plain back-propagation, under another name too.
bool is_plain(const PointSchedule& schedule) {
  if (schedule.depth) return *schedule.depth == 0;
  return schedule.schedule == "blocked:1" || schedule.schedule == "blocked:2";
}

}  // namespace

std::string hybrid_name(std::uint32_t depth) { return depth == 0 ? "linear" : fmt::format("hybrid:{}", depth); }

AskedSchedules asked_schedules(const PointSettings& settings, std::size_t length, std::uint64_t workers) {
  const std::uint32_t deepest = max_depth(length);
  if (settings.schedule == "best") return {0, deepest + 1, {}};
  if (settings.schedule == "best-of-all") return {0, deepest + 1, scheme_names(length, workers)};
  const ScheduleRequest request = parse_schedule(settings.schedule);
  if (request.kind != ScheduleKind::hybrid) return {0, 0, {scheme_name(request, length)}};
  const auto depth = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.parameter, deepest));
  return {depth, depth + 1, {}};
}

std::vector<std::string> schedules_of_point(const PointSettings& settings, std::size_t length, std::uint64_t workers) {
  const AskedSchedules asked = asked_schedules(settings, length, workers);
  std::vector<std::string> names = {hybrid_name(0)};
  for (std::uint32_t depth = std::max(asked.first_depth, 1U); depth < asked.end_depth; ++depth)
    names.push_back(hybrid_name(depth));
  names.insert(names.end(), asked.schemes.begin(), asked.schemes.end());
  return names;
}

std::uint64_t workers_of_point(const PointSettings& settings, std::uint64_t length, const Machine* machine) {
  const std::uint64_t most = machine == nullptr ? std::numeric_limits<std::uint64_t>::max() : machine->workers();
  if (!settings.workers) {
    const std::uint64_t widest = std::max<std::uint64_t>(length / 2, 1);  // the pairs of the first level of a sweep
    const std::uint64_t inputs = std::max<std::uint64_t>(settings.batch, 1);
    return std::min(most, widest > most / inputs ? most : widest * inputs);
  }
  if (*settings.workers == 0) throw std::invalid_argument("workers are 0, accepted is at least 1");
  if (*settings.workers > most) {
    throw std::invalid_argument(fmt::format("workers are {}, but the machine {} has {}, accepted is at most that many",
                                            *settings.workers, machine->name, most));
  }
  return *settings.workers;
}

PointRules rules_of(const PointSettings& settings, std::size_t length, unsigned value_bytes, const Machine* machine) {
  if (settings.batch == 0) throw std::invalid_argument("the batch is 0, accepted is at least 1");
  if (settings.batch > 1 && settings.execution == Execution::dag) {
    throw std::invalid_argument(
        fmt::format("the batch is {} and execution is dag, which has one input: accepted is a batch of 1, or execution "
                    "level",
                    settings.batch));
  }
  PointRules rules;
  rules.machine = settings.objective == Objective::time ? machine : nullptr;
  rules.value_bytes = value_bytes;
  rules.objective = settings.objective;
  rules.execution = settings.execution;
  rules.scope = settings.scope;
  rules.workers = workers_of_point(settings, length, machine);
  rules.batch = settings.batch;
  rules.memory_limit = settings.memory_limit;
  if (!rules.memory_limit && settings.is_limited_by_machine && machine != nullptr && machine->memory_bytes > 0)
    rules.memory_limit = machine->memory_bytes;
  return rules;
}

std::string peak_reason(std::uint64_t bytes, std::uint64_t limit) {
  return fmt::format("peak live bytes are {}, more than the limit of {} bytes", bytes, limit);
}

std::string product_reason(std::uint64_t id, std::uint64_t rows, std::uint64_t cols, std::uint64_t bytes,
                           std::uint64_t limit) {
  return fmt::format("op {}: its {} x {} product takes {} bytes, more than the limit of {} bytes", id, rows, cols,
                     bytes, limit);
}

void choose_schedules(const std::vector<PointSchedule>& asked, double tie, PointFigures& figures) {
  const PointSchedule* best = nullptr;
  const PointSchedule* runner_up = nullptr;
  const PointSchedule* scan = nullptr;
  const PointSchedule* refused = nullptr;
  const auto is_better = [tie](const PointSchedule& one, const PointSchedule* other) {
    return other == nullptr || one.score < other->score * (1 - tie);
  };
  for (const PointSchedule& schedule : asked) {
    if (!schedule.is_feasible) {
      if (!is_plain(schedule) && is_better(schedule, refused)) refused = &schedule;
      continue;
    }
    if (!is_plain(schedule) && is_better(schedule, scan)) scan = &schedule;
    if (is_better(schedule, best)) {
      runner_up = best;
      best = &schedule;
    } else if (is_better(schedule, runner_up)) {
      runner_up = &schedule;
    }
  }
  if (best != nullptr) figures.best = *best;
  if (scan != nullptr) figures.scan = *scan;
  if (scan == nullptr && refused != nullptr) figures.refused_scan = *refused;
  if (runner_up != nullptr && best->score > 0) figures.margin = std::max(0.0, runner_up->score / best->score - 1);
}

}  // namespace upsweep
