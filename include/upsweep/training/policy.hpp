#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/training/pipeline.hpp"

namespace upsweep {

/// A total order of the operations of every device; updates follow on their own, by ascending layer.
struct DeviceOrders {
  std::vector<std::vector<StepOp>> of_device;
};

/// Work-conserving list scheduling: an idle device takes its ready operation with the smallest key.
struct Ranking {
  std::uint64_t (*key)(const Pipeline& pipeline, const Chunks& chunks, const StepOp& op) = nullptr;
  bool backward_waits_for_forward = false;  ///< no O, W or U on a device before all its F have ended
};

/// A policy for pipeline-parallel steps: a small function from a description to orders or keys.
struct Policy {
  std::string name;     ///< as in training files
  std::string summary;  ///< one line for people
  /// Throws std::invalid_argument where the pipeline does not fit the policy: what was found, what is accepted.
  std::variant<DeviceOrders, Ranking> (*plan)(const Pipeline& pipeline, const Chunks& chunks) = nullptr;
  bool stashes_weights = false;  ///< micro-batches are mini-batches of an endless stream: not the semantics of one step
};

/// All policies, by file name: one file each in src/training/policies, which is all that a new one needs.
[[nodiscard]] std::span<const Policy> policies();

/// The policy of a name. Throws std::invalid_argument that lists the accepted ones.
[[nodiscard]] const Policy& find_policy(const std::string& name);

}  // namespace upsweep
