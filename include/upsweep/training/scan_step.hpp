#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/training/layer_costs.hpp"

namespace upsweep {

/// A training step whose back-propagation is a scan, on equal devices that share their memory: any of them may run any
/// operation, and nothing moves. A lower bound where operands have to travel.
///
/// Shapes: `forward` has an entry per link of the chain (n), `weight_gradient` too, 0 where there is none; `combine`
/// one per combine of the schedule, whose length is n + 1. Units: one unit of time, per micro-batch.
struct ScanStep {
  const Schedule* schedule = nullptr;
  std::vector<double> forward;
  std::vector<double> combine;
  std::vector<double> weight_gradient;
  std::size_t devices = 1;
  std::size_t micro_batches = 1;
};

/// The step of a network whose schedule was profiled, at costs of csr_costs(): a combine is a level of as many equal
/// ops as the micro-batch has samples, by equal_ops_seconds(), on one whole machine; F of a layer stands at its first
/// operator, W at the one with weights. Refers to the profile's schedule. Throws std::invalid_argument for costs of
/// another network, CountOverflow.
[[nodiscard]] ScanStep scan_step(const ScheduleProfile& profile, const Network& network, const LayerCosts& costs,
                                 const Machine& machine, const MicroBatch& batch);

/// A simulated step.
struct ScanStepRun {
  std::string schedule;
  double makespan = 0;
  double forward_end = 0;    ///< of the last micro-batch
  double gradients_end = 0;  ///< last end of a combine
  std::vector<double> busy;  ///< by device
  double bubble_fraction = 0;
  std::size_t tasks = 0;
};

/// List scheduling on the devices: forward before combines before weight gradients, then by micro-batch; combines by
/// id. A combine waits for the forward operations whose Jacobians it reads, W of an operator for the gradient of its
/// output. Throws std::invalid_argument for wrong lengths, or numbers that are negative or not finite.
[[nodiscard]] ScanStepRun simulate_scan_step(const ScanStep& step);

}  // namespace upsweep
