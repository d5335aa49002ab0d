#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "upsweep/sim/holdings.hpp"
#include "upsweep/sim/task_engine.hpp"
#include "upsweep/sim/tick_scale.hpp"
#include "upsweep/training/policy.hpp"

namespace upsweep {

/// Throws std::invalid_argument unless the lists are as Pipeline describes them: of one length, costs finite, F
/// positive and the others not negative, at least one device and micro-batch, devices that exist, a positive bandwidth;
/// and where there would be more than 2^31 operations.
void check_pipeline(const Pipeline& pipeline);

/// A tensor that moves: what made it, and between which devices.
struct TransferTask {
  StepOp op;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// A step as tasks of the simulator: devices are resources 0 .. devices - 1, links follow; tasks are operations in the
/// order of kind, layer, micro-batch, then transfers, then gates without duration.
struct PipelineTasks {
  Workload workload;
  TickScale scale;                      ///< from ticks to the unit of the costs
  std::vector<StepOp> ops;              ///< by task id
  std::vector<TransferTask> transfers;  ///< by task id - ops.size()
  std::vector<Holding> tensors;         ///< pool: device; kind 0: activation, 1: gradient
};

/// The tasks of a pipeline under a plan of a policy. Throws as check_pipeline().
[[nodiscard]] PipelineTasks pipeline_tasks(const Pipeline& pipeline, const std::variant<DeviceOrders, Ranking>& plan);

}  // namespace upsweep
