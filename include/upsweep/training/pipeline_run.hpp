#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/training/policy.hpp"

namespace upsweep {

/// An operation on its device over [start, end).
struct StepEntry {
  StepOp op;
  std::uint32_t device = 0;
  double start = 0;
  double end = 0;
};

/// A tensor on its way from a device to another: that of layer `op.layer` which the operation `op` made.
struct Transfer {
  StepOp op;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double departure = 0;
  double arrival = 0;
};

/// What becomes of weights that are updated while micro-batches are under way. Source: D. Narayanan et al., PipeDream,
/// SOSP '19, section 3.3; an entry per stage.
struct StashedWeights {
  std::vector<std::uint64_t> weight_versions;  ///< that a stage keeps
  std::vector<std::uint64_t> staleness;        ///< updates between the weights of a gradient and those it changes
  std::vector<double> stage_time;              ///< of one micro-batch, forward and backward
  double period_lower_bound = 0;               ///< time between micro-batches in the steady state, at least
};

/// Largest numbers of tensors on a device at one instant. Without W an activation lives to the end of O, without either
/// to that of F, and a gradient to the end of what there is.
struct TensorPeaks {
  std::uint64_t activations = 0;  ///< from the start of F to the end of W
  std::uint64_t gradients = 0;    ///< from their arrival to the end of the later of O and W
  std::uint64_t together = 0;
};

/// The same tensors in bytes, each at its own largest instant, and what a device holds all the time.
struct DeviceBytes {
  TensorPeaks tensors;
  std::uint64_t weights = 0;  ///< every version of its weights, and their gradients

  /// The most at one instant. Throws CountOverflow.
  [[nodiscard]] std::uint64_t together() const;
};

/// The most entries of PipelineRun::memory.
inline constexpr std::size_t kMostMemoryEntries = 256;

/// What the fullest device holds from a time on, at most.
struct MemoryEntry {
  double from = 0;
  std::uint64_t most = 0;  ///< bytes with weights where they are known, else tensors
};

/// A simulated step. Times in the unit of the costs.
struct PipelineRun {
  std::string policy;
  double makespan = 0;              ///< last end of an operation
  std::vector<double> busy;         ///< by device
  double bubble_fraction = 0;       ///< idle share of all devices, to 12 decimals
  std::vector<TensorPeaks> peaks;   ///< by device
  std::vector<DeviceBytes> bytes;   ///< by device; empty where layers have no bytes
  std::vector<MemoryEntry> memory;  ///< over the time of the step
  std::vector<StepEntry> timeline;  ///< in the order of start
  std::vector<Transfer> transfers;  ///< in the order of operations
  std::optional<StashedWeights> stashed;
  bool is_exact = true;  ///< times were not rounded, see TickScale
};

/// Memory that simulating a step takes, about; from above. Unit: bytes.
[[nodiscard]] std::uint64_t simulation_bytes(const Pipeline& pipeline);

/// Simulates a step. Throws std::invalid_argument as pipeline_tasks() and the policy do.
[[nodiscard]] PipelineRun simulate_pipeline(const Pipeline& pipeline, const Policy& policy);

}  // namespace upsweep
