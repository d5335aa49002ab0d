#include "upsweep/sim/predict.hpp"

#include <algorithm>
#include <stdexcept>

#include "level_time.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/machine/cache_traffic.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/sim/pram_simulation.hpp"
#include "upsweep/sim/task_graph.hpp"
#include "upsweep/sparse/runs.hpp"

namespace upsweep {
namespace {

/// Workers that have something to do in each level.
std::vector<std::size_t> active_workers(const ScheduleProfile& profile, const std::vector<OpWork>& works,
                                        const std::vector<bool>& runs, std::size_t workers, MachineKind kind) {
  std::vector<std::uint64_t> parts(profile.schedule.levels);
  for (std::size_t id = 0; id < works.size(); ++id) {
    if (!runs[id]) continue;
    parts[profile.schedule.combines[id].level] += parts_of(works[id], workers, kind);
  }
  std::vector<std::size_t> active;
  for (const std::uint64_t count : parts) active.push_back(active_of(count, workers));
  return active;
}

void predict_pram(const ScheduleProfile& profile, const std::vector<bool>& runs, std::size_t workers,
                  Execution execution, double level_latency_s, Prediction& prediction) {
  std::vector<std::uint64_t> costs;
  for (const OpTime& op : prediction.ops) costs.push_back(to_ticks(op.alone_s));
  const Timeline timeline = simulate(profile.schedule, costs, runs, workers, execution);
  prediction.seconds = ticks_in_seconds(timeline.makespan);
  if (execution == Execution::dag) return;
  std::vector<std::uint64_t> ends(profile.schedule.levels);
  for (const TimelineEntry& entry : timeline.entries) {
    std::uint64_t& end = ends[profile.schedule.combines[entry.id].level];
    end = std::max(end, entry.end);
  }
  std::uint64_t before = 0;
  for (const std::uint64_t end : ends) {
    const double latency = end > before ? level_latency_s : 0;
    prediction.level_seconds.push_back(ticks_in_seconds(std::max(end, before) - before) + latency);
    prediction.seconds += latency;
    before = std::max(end, before);
  }
}

/// An operator whose Jacobian is written.
struct Built {
  const Operator& op;
  double rows = 0;
  double values = 0;
  double weights = 0;  // 0: it has none

  [[nodiscard]] bool has_weight() const { return weights > 0; }
};

Built built(const Operator& op, const LinkProfile& link, std::uint64_t inputs) {
  const std::optional<Shape> weight = weight_shape(op.kind, op.in_shape);
  return {op, static_cast<double>(link.rows), static_cast<double>(link.nnz) / static_cast<double>(inputs),
          weight ? static_cast<double>(elements(*weight)) : 0};
}

/// Seconds to write it. `uncached`: see uncached_share().
double seconds_of(const Built& one, const BuildRates& rates, double uncached) {
  const auto cost = [](const std::optional<double>& rate, double count) { return rate.value_or(0) * count; };
  if (!one.has_weight()) {
    if (rates.pooling_row_s && rates.pooling_value_s && structure_of(one.op.kind) == Structure::window)
      return *rates.pooling_row_s * one.rows + *rates.pooling_value_s * one.values;
    if (rates.other_value_s) return *rates.other_value_s * one.values;
  } else if (std::holds_alternative<Linear>(one.op.kind) && elements(one.op.in_shape) == one.op.in_shape.back() &&
             rates.linear_value_s && rates.linear_weight_s) {
    const double seconds = *rates.linear_value_s * one.values + *rates.linear_weight_s * one.weights;
    if (!rates.linear_cached_value_s || !rates.linear_cached_weight_s) return seconds;
    return uncached * seconds +
           (1 - uncached) * (*rates.linear_cached_value_s * one.values + *rates.linear_cached_weight_s * one.weights);
  } else if (const double kept = one.values / static_cast<double>(unpruned_nnz(one.op));
             kept < 1 && rates.pruned_value_s) {
    return *rates.pruned_value_s * one.values + cost(rates.pruned_row_s, one.rows) +
           cost(rates.pruned_weight_s, one.weights) + cost(rates.kept_s, kept * one.weights) +
           cost(rates.miss_s, misses_per_value(one.op) * one.values);
  }
  return cost(rates.value_s, one.values) + cost(rates.row_s, one.rows) + cost(rates.weight_s, one.weights);
}

/// predict_time() of the works in `runs`. `place`: its workers, value bytes and working set.
Prediction predict_at(const ScheduleProfile& profile, const std::vector<OpWork>& works, const std::vector<bool>& runs,
                      const Machine& machine, Execution execution, const OpPlace& place) {
  const std::size_t workers = place.workers;
  const std::vector<std::size_t> active = active_workers(profile, works, runs, workers, machine.kind);
  Prediction prediction;
  prediction.ops.resize(works.size());
  const LaunchCosts costs = launch_costs(machine, machine.at(workers));
  std::vector<SharedTime> levels(profile.schedule.levels);
  std::vector<std::uint64_t> widths(profile.schedule.levels);
  SharedTime all;
  std::uint64_t count = 0;
  for (std::size_t id = 0; id < works.size(); ++id) {
    if (!runs[id]) continue;
    const std::uint32_t level = profile.schedule.combines[id].level;
    OpPlace busy = place;
    busy.active = active[level];
    prediction.ops[id] = op_time(machine, works[id], busy);
    const double start = launch_costs(machine, machine.at(active[level])).op_s;
    levels[level].add(prediction.ops[id], start, active[level]);
    all.add(prediction.ops[id], start, active[level]);
    ++widths[level];
    ++count;
  }
  if (machine.kind == MachineKind::pram) {
    predict_pram(profile, runs, workers, execution, machine.at(workers).level_latency_s, prediction);
    return prediction;
  }
  if (execution == Execution::dag) {
    std::vector<std::uint64_t> ticks;
    for (const OpTime& op : prediction.ops) ticks.push_back(to_ticks(op.alone_s));
    const double path = ticks_in_seconds(longest_path(task_graph(profile.schedule), ticks));
    prediction.seconds = std::max({all.together(), path, static_cast<double>(count) * costs.host_s});
    return prediction;
  }
  IssuedTime sum;
  std::vector<IssuedTime> issued;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    issued.push_back(level_time(costs, levels[level], widths[level], 1));
    sum.device_s += issued.back().device_s;
    sum.host_s += issued.back().host_s;
  }
  prediction.seconds = sum.seconds();
  const bool waits_for_host = sum.host_s > sum.device_s;
  for (const IssuedTime& level : issued)
    prediction.level_seconds.push_back(waits_for_host ? level.host_s : level.device_s);
  return prediction;
}

}  // namespace

OpWork op_work(const OpProfile& op, std::uint64_t inputs, unsigned value_bytes) {
  OpWork work;
  work.is_mv = op.is_mv;
  work.flops = rounded_mean(op.flops, inputs);
  for (const auto count : kStepCounts) work.steps.*count = rounded_mean(op.steps.*count, inputs);
  ProductSteps& steps = work.steps;
  if (!keeps_columns(op.n, steps.single_steps + steps.team_steps, steps.single_run_steps + steps.team_run_steps,
                     value_bytes))
    steps.single_run_steps = steps.team_run_steps = 0;
  const std::uint64_t runs = steps.single_run_steps + steps.team_run_steps;
  if (op.is_mv || steps.scaled_columns > 0) {
    work.picked_bytes = checked_mul(value_bytes, op.k);
  } else if (is_mostly_runs(steps.single_steps + steps.team_steps, runs)) {
    work.picked_bytes = checked_mul(value_bytes, rounded_mean(op.left_nnz, inputs));
  } else {
    work.picked_bytes = rounded_mean(op.left_bytes, inputs);
  }
  work.moved_bytes = moved_bytes(work, rounded_mean(op.left_nnz, inputs), rounded_mean(op.right_nnz, inputs),
                                 rounded_mean(op.nnz, inputs), value_bytes);
  // The product is the later operand, X, times the earlier one.
  work.sizes = {op.m,
                op.k,
                op.n,
                rounded_mean(op.right_nnz, inputs),
                rounded_mean(op.left_nnz, inputs),
                rounded_mean(op.products, inputs),
                rounded_mean(op.nnz, inputs)};
  work.bytes = checked_add(rounded_mean(op.bytes, inputs),
                           checked_add(rounded_mean(op.left_bytes, inputs), rounded_mean(op.right_bytes, inputs)));
  return work;
}

Prediction predict_time(const ScheduleProfile& profile, const Machine& machine, std::size_t workers,
                        Execution execution, unsigned value_bytes, Scope scope) {
  if (workers == 0) throw std::invalid_argument("0 workers, accepted is at least 1");
  if (execution == Execution::dag && !has_dag_time(machine)) {
    throw std::invalid_argument("kernels are fused by levels and execution is dag, accepted is execution level");
  }
  const std::vector<bool> runs = in_scope(profile, scope);
  std::vector<OpWork> works;
  works.reserve(profile.ops.size());
  for (const OpProfile& op : profile.ops) works.push_back(op_work(op, profile.inputs, value_bytes));
  const std::uint64_t own = rounded_mean(peak_live_bytes(profile.schedule, profile.value_bytes, runs), profile.inputs);
  const auto at = [&](std::uint64_t bytes) {
    return predict_at(profile, works, runs, machine, execution,
                      {.workers = workers, .value_bytes = value_bytes, .working_set = bytes});
  };
  return at(cache_traffic(machine, own, [&](std::uint64_t bytes) { return at(bytes).seconds; }));
}

double equal_ops_seconds(const OpWork& work, std::uint64_t count, const Machine& machine, const OpPlace& place) {
  if (place.workers == 0) throw std::invalid_argument("0 workers, accepted is at least 1");
  if (count == 0) return 0;
  OpPlace busy = place;
  busy.active = active_of(checked_mul(count, parts_of(work, place.workers, machine.kind)), place.workers);
  const OpTime op = op_time(machine, work, busy);
  if (machine.kind == MachineKind::pram) {
    const std::uint64_t rounds = (count - 1) / place.workers + 1;
    return static_cast<double>(rounds) * op.alone_s + (op.alone_s > 0 ? machine.at(place.workers).level_latency_s : 0);
  }
  SharedTime level;
  level.add(op, launch_costs(machine, machine.at(busy.active)).op_s, busy.active, count);
  return level_time(launch_costs(machine, machine.at(place.workers)), level, count, count).seconds();
}

std::optional<double> predict_build_seconds(const Network& network, const NetworkProfile& profile,
                                            const Machine& machine, std::size_t workers, unsigned value_bytes) {
  const BuildRates& rates = machine.at(workers).of(value_bytes).build;
  if (rates.value_s.value_or(0) <= 0) return std::nullopt;
  std::vector<Built> all;
  double bytes = 0;
  for (std::size_t i = 1; i < profile.links.size(); ++i) {  // no schedule needs the first Jacobian
    const LinkProfile& link = profile.links[i];
    // Machines have rates for writing values, none for forming the Jacobians of blocks.
    if (!link.formation.steps.empty()) return std::nullopt;
    all.push_back(built(network.operators()[network.links()[i]], link, profile.inputs));
    bytes += all.back().weights * sizeof(double) + all.back().values * value_bytes;
  }
  const double uncached = uncached_share(machine, static_cast<std::uint64_t>(bytes));
  double seconds = 0;
  for (const Built& one : all) seconds += seconds_of(one, rates, uncached);
  return seconds;
}

}  // namespace upsweep
