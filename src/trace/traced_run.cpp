#include "traced_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "upsweep/scan/request.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostInputs = std::uint64_t{1} << 40U;  // sums of more would not fit
constexpr std::size_t kNoLevel = ~std::size_t{0};

/// A mean over the inputs as their sum.
std::uint64_t sum_of(double mean, std::uint64_t inputs, const char* what, std::size_t op) {
  const double sum = std::nearbyint(mean * static_cast<double>(inputs));
  if (!(sum >= 0 && sum < 0x1p63)) throw std::invalid_argument(fmt::format("op {} has {} {}", op, mean, what));
  return static_cast<std::uint64_t>(sum);
}

/// The schedule of a run, checked against its ops.
Schedule schedule_of_run(const RunDetails& details) {
  const StoredRun& run = details.run;
  // No schedule has fewer than n - 1 ops: a length out of nowhere would take all memory.
  if (run.length > details.ops.size() + 2)
    throw std::invalid_argument(fmt::format("{} ops over {} elements", details.ops.size(), run.length));
  Schedule schedule = make_schedule(parse_schedule(run.requested), run.length);
  if (schedule.combines.size() != details.ops.size()) {
    throw std::invalid_argument(fmt::format("{} ops are stored, and schedule {} has {}", details.ops.size(),
                                            run.requested, schedule.combines.size()));
  }
  for (std::size_t id = 0; id < details.ops.size(); ++id) {
    const StoredOp& op = details.ops[id];
    const Combine& combine = schedule.combines[id];
    if (op.id != id || op.level != combine.level || op.left != combine.left || op.right != combine.right ||
        op.target != combine.target)
      throw std::invalid_argument(fmt::format("op {} is not that of schedule {}", id, run.requested));
  }
  return schedule;
}

/// Bytes of a number: 4 or 8, from what the result of a matrix-vector product takes.
std::uint64_t value_bytes_of(const std::vector<StoredOp>& ops) {
  for (const StoredOp& op : ops) {
    if (!op.is_mv || op.m == 0) continue;
    const double bytes = op.bytes / static_cast<double>(op.m);
    if (bytes == 4 || bytes == 8) return static_cast<std::uint64_t>(bytes);
    throw std::invalid_argument(fmt::format("op {} makes {} numbers in {} bytes", op.id, op.m, op.bytes));
  }
  throw std::invalid_argument("no op makes a vector");
}

/// Bytes of every value: those of results are stored, those of operands follow from their entries.
std::vector<std::uint64_t> bytes_of_values(const TracedRun& run, const std::vector<StoredOp>& ops) {
  std::vector<std::uint64_t> bytes(run.schedule.values(), 0);
  if (ops.empty()) return bytes;
  const std::uint64_t value_bytes = value_bytes_of(ops);
  const auto matrix = [&](std::uint64_t rows, double nnz, std::size_t op) {
    const std::uint64_t pointer = nnz > 0x1p31 - 1 ? 8 : 4;
    return (value_bytes + 4) * sum_of(nnz, run.inputs, "entries", op) + pointer * (rows + 1) * run.inputs;
  };
  for (std::size_t id = 0; id < ops.size(); ++id) {
    const StoredOp& op = ops[id];
    const Combine& combine = run.schedule.combines[id];
    bytes[run.schedule.value_of(id)] = sum_of(op.bytes, run.inputs, "bytes", id);
    if (combine.earlier == 0) {
      bytes[0] = value_bytes * op.k * run.inputs;
    } else if (combine.earlier < run.schedule.length) {
      bytes[combine.earlier] = matrix(op.k, op.left_nnz, id);
    }
    if (combine.later < run.schedule.length) bytes[combine.later] = matrix(op.m, op.right_nnz, id);
  }
  return bytes;
}

/// The most expensive op of each level, the first of equal ones: the critical path by the level rule.
std::vector<bool> most_expensive_by_level(const Schedule& schedule, const std::vector<std::uint64_t>& costs) {
  std::vector<std::size_t> most(schedule.levels, kNoLevel);
  for (std::size_t id = 0; id < costs.size(); ++id) {
    std::size_t& first = most[schedule.combines[id].level];
    if (first == kNoLevel || costs[id] > costs[first]) first = id;
  }
  std::vector<bool> is_critical(costs.size(), false);
  for (const std::size_t id : most) is_critical[id] = true;
  return is_critical;
}

/// Ops on a longest path through the dependencies.
std::vector<bool> on_longest_path(const Schedule& schedule, const std::vector<std::uint64_t>& costs) {
  const std::size_t ops = costs.size();
  std::vector<std::uint64_t> until(ops, 0);  // longest path that ends with this op
  std::vector<std::uint64_t> from(ops, 0);   // longest path of those that wait for it
  const auto each_producer = [&](std::size_t id, auto&& visit) {
    for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later})
      if (operand != kIdentity && operand >= schedule.length) visit(operand - schedule.length);
  };
  std::uint64_t longest = 0;
  for (std::size_t id = 0; id < ops; ++id) {
    each_producer(id, [&](std::size_t producer) { until[id] = std::max(until[id], until[producer]); });
    until[id] += costs[id];
    longest = std::max(longest, until[id]);
  }
  std::vector<bool> is_critical(ops, false);
  for (std::size_t id = ops; id-- > 0;) {
    is_critical[id] = until[id] + from[id] == longest;
    each_producer(id, [&](std::size_t producer) { from[producer] = std::max(from[producer], from[id] + costs[id]); });
  }
  return is_critical;
}

}  // namespace

TracedRun traced_run(const RunDetails& details) {
  TracedRun run;
  run.inputs = details.run.inputs;
  if (run.inputs == 0 || run.inputs > kMostInputs)
    throw std::invalid_argument(fmt::format("a run over {} inputs", run.inputs));
  if (details.search && details.search->execution == "level") run.execution = Execution::level;
  run.schedule = schedule_of_run(details);
  const std::size_t ops = details.ops.size();
  std::vector<std::uint64_t> costs;
  costs.reserve(ops);
  for (const StoredOp& op : details.ops) costs.push_back(sum_of(op.flops, run.inputs, "FLOPs", op.id));
  run.bytes = bytes_of_values(run, details.ops);
  run.timeline = simulate(run.schedule, costs, std::vector<bool>(ops, true), details.run.workers, run.execution);
  run.start.resize(ops);
  run.end.resize(ops);
  for (const TimelineEntry& entry : run.timeline.entries) {
    run.start[entry.id] = entry.start;
    run.end[entry.id] = entry.end;
  }
  run.is_critical = run.execution == Execution::level ? most_expensive_by_level(run.schedule, costs)
                                                      : on_longest_path(run.schedule, costs);
  return run;
}

std::vector<std::uint64_t> live_bytes_by_level(const TracedRun& run) {
  const Schedule& schedule = run.schedule;
  if (schedule.levels == 0) return {};
  std::vector<std::size_t> first(schedule.values(), 0);
  std::vector<std::size_t> last(schedule.values(), kNoLevel);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    const ValueId result = schedule.value_of(id);
    first[result] = combine.level;
    for (const ValueId value : {result, combine.earlier, combine.later}) last[value] = combine.level;
  }
  for (const ValueId result : schedule.results)
    if (result != kIdentity) last[result] = schedule.levels - 1;
  std::vector<std::uint64_t> comes(schedule.levels + 1, 0);
  std::vector<std::uint64_t> goes(schedule.levels + 1, 0);
  for (std::size_t value = 0; value < schedule.values(); ++value) {
    if (last[value] == kNoLevel) continue;
    comes[first[value]] += run.bytes[value];
    goes[last[value] + 1] += run.bytes[value];
  }
  std::vector<std::uint64_t> live(schedule.levels, 0);
  std::uint64_t now = 0;
  for (std::size_t level = 0; level < schedule.levels; ++level) {
    now += comes[level] - goes[level];
    live[level] = now;
  }
  return live;
}

std::vector<Lifetime> lifetimes(const TracedRun& run) {
  const Schedule& schedule = run.schedule;
  std::vector<Lifetime> lives(schedule.values());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id)
    lives[schedule.value_of(id)] = {run.start[id], run.end[id]};
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    for (const ValueId value : {schedule.combines[id].earlier, schedule.combines[id].later})
      lives[value].to = std::max(lives[value].to, run.end[id]);
  }
  for (const ValueId result : schedule.results)
    if (result != kIdentity) lives[result].to = run.timeline.makespan;
  return lives;
}

}  // namespace upsweep
