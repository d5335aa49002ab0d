#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// What a kernel waits for.
enum class Bound : std::uint8_t {
  launch,         ///< launches, and the barrier of the whole device between them
  latency,        ///< loads and sums of one thread block, while every block has a place
  workers,        ///< the same where blocks wait for a place: waves of them
  arithmetic,     ///< FLOP/s
  shared_memory,  ///< shared memory of the multiprocessors
  memory          ///< memory or the cache of the whole device
};
inline constexpr std::size_t kBounds = 6;

/// "launch", "latency", "workers", "arithmetic", "shared memory" or "memory".
[[nodiscard]] std::string to_string(Bound bound);

/// A phase of a pass, predicted. Counts are those of all samples.
struct DevicePhase {
  std::array<double, kBounds> parts_s{};  ///< by Bound: launches, and each kernel under what it waits for longest
  std::uint64_t kernels = 0;
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;  ///< read and written outside of the multiprocessors

  [[nodiscard]] double seconds() const;
  [[nodiscard]] Bound bound() const;  ///< the largest part, the first of equals

  friend bool operator==(const DevicePhase&, const DevicePhase&) = default;
};

/// What nobody has published, and how the kernels are written.
struct DeviceAssumptions {
  std::uint64_t forward_kernels = 2;   ///< of a step, one after the other: a product and the elementwise rest
  std::uint64_t backward_kernels = 2;  ///< likewise of the sequential backward pass
  double host_launch_s = 0;            ///< least time from one kernel to the next; 0: the host is always ahead
  std::uint64_t unrolled = 4;          ///< loads of one thread that are under way at a time, as compilers unroll loops
  /// Unfused: a diagonal is stored and multiplied as a full matrix, as the artifact of BPPSA does; else as `hidden`
  /// numbers.
  bool is_diagonal_dense = true;

  friend bool operator==(const DeviceAssumptions&, const DeviceAssumptions&) = default;
};

/// Published rates of the machine's library for loops over steps as the machine launches them: of that cell, else of
/// any; null where there are none.
[[nodiscard]] const PublishedRates* step_rates(const Machine& machine, const std::string& cell);

/// Seconds of a step by such rates.
[[nodiscard]] double step_seconds(const PublishedRates& rates);

/// A step is what such a loop takes for it, however many kernels that are.
void assume_steps(const PublishedRates& rates, DeviceAssumptions& assumptions);

/// The defaults on a machine: where the host issues kernels, they are as far apart as its file says; with a library
/// that has step_rates(), steps are.
[[nodiscard]] DeviceAssumptions assumed_on(const Machine& machine);

/// A level of a scan. Where the middle is one kernel, it is one entry with all its levels.
struct DeviceLevel {
  Phase phase = Phase::up;
  std::uint64_t levels = 1;
  std::uint64_t products = 0;  ///< of one sample
  std::uint64_t waves = 0;     ///< that the blocks of all samples need one after the other
  DevicePhase cost;
};

/// Predicted times of an iteration. Loss, optimizer and input are not in it.
struct DevicePrediction {
  DevicePhase forward;
  DevicePhase sequential;  ///< the baseline: back-propagation through time, hidden gradients alone
  DevicePhase jacobians;   ///< forming and storing them; nothing where each is formed when it is used
  DevicePhase up;
  DevicePhase middle;
  DevicePhase down;                 ///< the whole of a sequential pass, as in ScanTimes
  DevicePhase parameter_gradients;  ///< of either pass
  std::vector<DeviceLevel> levels;  ///< of a scan by levels
  std::uint64_t memory_bytes = 0;   ///< Jacobians or products of blocks, states and gradients

  /// Hidden gradients by the method.
  [[nodiscard]] double hidden_s() const;
  /// Times of the baseline over those of the method: hidden and parameter gradients, Jacobians in them or not.
  [[nodiscard]] double backward_speedup() const;
  [[nodiscard]] double backward_speedup_without_jacobians() const;
  /// The same with the forward pass.
  [[nodiscard]] double overall_speedup() const;
};

inline constexpr std::size_t kMostPredictedBlocks = std::size_t{1} << 20;

/// Seconds of a recurrent iteration on a gpu or pram, from closed forms.
///
/// On a gpu, a kernel takes its launch (launch_costs() of a level of one op) and the longest of: waves = blocks /
/// resident blocks times the latencies of one block; what its multiprocessors take for FLOPs and for shared memory;
/// bytes over bandwidth. Loads hit the cache of the device as far as what the phase works on fits. The sequential
/// passes are `steps` times their kernels of a step. A scan by levels is one kernel per level of up- and down-sweep,
/// with one block of hidden² (product) or hidden threads (vector) per combine and sample, dead combines too, and one
/// kernel with a block per sample for the whole middle. A blocked scan is one kernel per phase with a block per block
/// and sample; its steps fetch ahead, which hides the cache but not the memory, hand over through shared memory and sum
/// tiles, in cycles that were measured on one device (src/recurrent/device_scans.cpp, reports/gpu.md). On a pram, a
/// block is a worker's op (as many ops as a walk has steps), waves are ops over workers times the most expensive op, a
/// level ends with `level_latency`, and assumptions do not count.
///
/// `value_bytes` is 4 or 8. Throws std::invalid_argument for a cpu, for a gpu without small_products, FLOP/s or
/// bandwidth (named), for extents of 0, for more than kMostPredictedBlocks, and for blocks of unfused steps but one
/// that stores no Jacobians: the sequential pass in one kernel; CountOverflow. Cost: that of profile_homogeneous() or
/// the number of blocks, whatever the steps. Source: the method is Wang, "BPPSA" (thesis, 2020), section 4.1; kernels
/// of steps and levels as in its released artifact, those of blocks as in kernels/.
[[nodiscard]] DevicePrediction predict_on_device(const Machine& machine, const PassShape& shape,
                                                 const BackwardMethod& method, unsigned value_bytes,
                                                 const DeviceAssumptions& assumptions = {});

/// Why the machine cannot be used by predict_on_device(), for people; empty where it can.
[[nodiscard]] std::string unfit_for_device_model(const Machine& machine);

}  // namespace upsweep
