#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {

/// Seconds that the tasks of one iteration take on a machine, each `batch` times, on `workers` >= 1 workers.
///
/// The rule is that of predict_time() and batched_seconds(): topological levels are levels, tasks are ops. A sum is
/// priced as a vector times a matrix with one entry per row and further summand, without its indices; a sum of
/// matrices, in formation_tasks(), as one that scales each entry of both. Working set: the Jacobians that are still to
/// be read, and all that was made. Counts are sums over `inputs`. 0 without tasks; nothing under Execution::dag of
/// batches and without has_dag_time(). Throws std::invalid_argument for 0 workers or a batch of 0; CountOverflow.
[[nodiscard]] std::optional<double> graph_seconds(const std::vector<GraphTask>& tasks, std::uint64_t inputs,
                                                  const Machine& machine, std::size_t workers, Execution execution,
                                                  unsigned value_bytes, std::uint64_t batch);

}  // namespace upsweep
