#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// A piece of work, and the pieces it waits for.
struct GraphTask {
  /// A product, whose `right` is a Jacobian, or a sum: `left` is the first summand, `right` all others. Sums over the
  /// inputs.
  OpProfile op;
  std::vector<std::size_t> after;  ///< positions of earlier tasks
  bool is_sum = false;
};

/// What a list of tasks comes to on a PRAM. Sums over the inputs, as in profile.hpp.
struct GraphWork {
  std::uint64_t tasks = 0;  ///< not summed over the inputs
  std::uint64_t flops = 0;
  std::uint64_t steps = 0;                ///< topological levels: each task stands one above the highest it waits for
  std::uint64_t critical_path_level = 0;  ///< Σ over levels of the most expensive task
  std::uint64_t critical_path_dag = 0;    ///< longest path through the dependencies
  Makespan level;                         ///< with a barrier after each topological level
  std::optional<Makespan> dag = Makespan();  ///< nothing for batches

  [[nodiscard]] std::optional<Makespan> makespan(Execution execution) const {
    return execution == Execution::level ? level : dag;
  }
  friend bool operator==(const GraphWork&, const GraphWork&) = default;
};

/// Simulates tasks on `workers` >= 1 workers, every one `batch` >= 1 times, copies of one beside each other; without
/// tasks all is 0. Tasks, FLOPs and steps are those of one input. Throws std::invalid_argument for 0 workers or a task
/// that waits for itself or a later one, CountOverflow.
[[nodiscard]] GraphWork simulate_graph(const std::vector<GraphTask>& tasks, std::size_t workers,
                                       std::uint64_t batch = 1);

/// Plain back-propagation over the graph of the network, operator by operator: the block triangular system of all
/// gradients, solved by topological levels.
///
/// A task is an operator's J^T times the gradient of its output (2 · nnz FLOPs), or the sum at an output that several
/// operators read (one addition per element and further reader). Views and joins hand gradients on at no cost.
/// Gradients of the network's input, and of views and joins of it, are left out. Source: Naumov (2018), "Parallel
/// Complexity of Forward and Backward Propagation", whose layers stand in a row.
/// `value_bytes` (4 or 8) are those of the numbers of sums.
[[nodiscard]] std::vector<GraphTask> graph_backprop_tasks(const Network& network, const NetworkProfile& profile,
                                                          unsigned value_bytes = 4);

/// The part of it that a scan over the chain leaves to do: the gradients inside blocks, from those at their outputs.
/// Blocks do not wait for each other.
[[nodiscard]] std::vector<GraphTask> inner_backprop_tasks(const Network& network, const NetworkProfile& profile,
                                                          unsigned value_bytes = 4);

/// Forming the Jacobians of the blocks that schedules read, links 2..n, step by step; copies are no tasks.
[[nodiscard]] std::vector<GraphTask> formation_tasks(const NetworkProfile& profile);

/// A scan over a chain of blocks beside plain back-propagation over the graph.
struct GraphComparison {
  GraphWork backprop;   ///< over the graph
  GraphWork formation;  ///< of the blocks' Jacobians, before the scan
  GraphWork inner;      ///< gradients inside blocks, after the scan
};

/// Simulates all three on `workers` workers. Throws like simulate_graph().
[[nodiscard]] GraphComparison compare_with_graph(const Network& network, const NetworkProfile& profile,
                                                 std::size_t workers, std::uint64_t batch = 1);

}  // namespace upsweep
