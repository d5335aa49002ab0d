#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/search/candidate.hpp"

namespace upsweep {

/// A pass and what a machine is predicted to take for it.
struct PredictedPass {
  BackwardMethod method;
  DevicePrediction prediction;
};

/// Passes of a recurrent model on a machine: a search whose candidates are the sequential pass, the depths from 0, then
/// blocks by their number. Scores are seconds of all hidden gradients; on a pram, makespans with ops that workers share
/// are there as well, in FLOPs by shared_work(), and from how many workers on a scan that fits overtakes, of whole ops
/// in its seconds.
struct DeviceSearchResult : SearchResult {
  std::vector<PredictedPass> passes;  ///< of the candidates

  [[nodiscard]] const DevicePrediction& sequential() const { return passes.front().prediction; }
};

/// The sequential pass in one kernel.
inline constexpr BackwardMethod kOneBlock{
    BackwardKind::blocked, 0, {.blocks = 1, .first_block = 1, .store_jacobians = false}};

/// Adds a pass as a candidate; `reason`: why it is infeasible, else empty.
void add_pass(DeviceSearchResult& result, PredictedPass pass, const std::string& reason);

/// The resource of a search's verdict that a bound of the device model is.
[[nodiscard]] Binding binding_of(Bound bound);

/// That resource in words, and what of it: "latency: launch", "bandwidth: shared memory", "workers".
[[nodiscard]] std::string resource_text(Bound bound);

/// What all phases of the hidden gradients wait for most; nothing where they take no time.
[[nodiscard]] std::optional<Bound> bound_of(const DevicePrediction& prediction);

/// FLOPs of the phases of the hidden gradients. Throws CountOverflow.
[[nodiscard]] std::uint64_t hidden_flops(const DevicePrediction& prediction);

inline constexpr std::size_t kMostBlocks = 4096;

/// Predicts the sequential pass, every hybrid depth, and 1, 2, 4, 8, ... up to `steps` blocks, at most kMostBlocks; one
/// block is the sequential pass in one kernel, the only blocks of unfused steps.
///
/// A candidate is infeasible where it holds more than `memory_limit` bytes, else more than the machine has, and where
/// no backend runs it: one block of unfused steps, which is there to compare with. Ties go to the candidate that comes
/// first. Throws and costs like predict_on_device() for each. `machine` must outlive the result.
[[nodiscard]] DeviceSearchResult search_on_device(const Machine& machine, const PassShape& shape, unsigned value_bytes,
                                                  const DeviceAssumptions& assumptions,
                                                  std::optional<std::uint64_t> memory_limit);

/// The same of given passes, of which the first is sequential.
[[nodiscard]] DeviceSearchResult compare_on_device(const Machine& machine, const PassShape& shape,
                                                   const std::vector<BackwardMethod>& methods, unsigned value_bytes,
                                                   const DeviceAssumptions& assumptions,
                                                   std::optional<std::uint64_t> memory_limit);

/// The fewest steps, 2 or more, from which some scan is faster than a baseline.
struct DeviceOvertaking {
  std::uint64_t steps = 2;
  std::string method;  ///< the fastest there

  friend bool operator==(const DeviceOvertaking&, const DeviceOvertaking&) = default;
};

/// What overtaking_steps() has found.
struct DeviceOvertakingSearch {
  std::optional<DeviceOvertaking> found;
  std::uint64_t looked_up_to = 0;  ///< steps: those found, else the most that were looked at

  friend bool operator==(const DeviceOvertakingSearch&, const DeviceOvertakingSearch&) = default;
};

inline constexpr std::size_t kMostOvertakingSteps = std::size_t{1} << 26;

/// Looks at every number of steps up to 64, then at their doublings up to kMostOvertakingSteps, or to the last one
/// before that whose counts fit into 64 bits, and between the last two. Memory does not count. Throws like
/// predict_on_device(), CountOverflow only where 2 steps are too many.
[[nodiscard]] DeviceOvertakingSearch overtaking_steps(const Machine& machine, PassShape shape,
                                                      const BackwardMethod& baseline, unsigned value_bytes,
                                                      const DeviceAssumptions& assumptions);

}  // namespace upsweep
