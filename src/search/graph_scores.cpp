#include "upsweep/search/graph_scores.hpp"

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/graph_time.hpp"

namespace upsweep {
namespace {

/// A list of tasks by the objective; nothing where it is not known.
std::optional<double> score_of_tasks(const std::vector<GraphTask>& tasks, std::uint64_t inputs,
                                     const SearchOptions& options, std::uint64_t workers) {
  const Execution execution = options.execution;
  if (options.in_seconds()) {
    return graph_seconds(tasks, inputs, *options.machine, workers, execution, options.value_bytes, options.batch);
  }
  const GraphWork work = simulate_graph(tasks, workers, options.batch);
  std::uint64_t flops = execution == Execution::level ? work.critical_path_level : work.critical_path_dag;
  if (options.objective == Objective::work_flops) flops = checked_mul(work.flops, options.batch);
  if (options.objective == Objective::time) {
    const std::optional<Makespan> makespan = work.makespan(execution);
    if (!makespan) return std::nullopt;
    flops = makespan->flops;
  }
  return static_cast<double>(flops) / static_cast<double>(inputs);
}

}  // namespace

std::optional<GraphScores> graph_scores(const Network& network, const NetworkProfile& profile,
                                        const SearchOptions& options, std::uint64_t workers) {
  const unsigned value_bytes = options.value_bytes;
  const auto score = [&](const std::vector<GraphTask>& tasks) {
    return score_of_tasks(tasks, profile.inputs, options, workers);
  };
  const std::optional<double> backprop = score(graph_backprop_tasks(network, profile, value_bytes));
  const std::optional<double> formation = score(formation_tasks(profile));
  const std::optional<double> inner = score(inner_backprop_tasks(network, profile, value_bytes));
  if (!backprop || !formation || !inner) return std::nullopt;
  return GraphScores{*backprop, *formation, *inner};
}

}  // namespace upsweep
