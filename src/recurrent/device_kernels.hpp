#pragma once

#include <cstdint>

#include "upsweep/machine/machine.hpp"
#include "upsweep/recurrent/device_model.hpp"

namespace upsweep {

/// A kernel of equal thread blocks; on a pram, ops that may run at the same time. Sums are those of all blocks.
struct DeviceKernel {
  std::uint64_t launches = 1;
  std::uint64_t blocks = 1;
  std::uint64_t threads = 32;      ///< of a block
  std::uint64_t shared_bytes = 0;  ///< of a block
  std::uint64_t ops = 1;           ///< of a block, one after the other
  double loads = 1;                ///< of a block from outside, one after the other
  double far_loads = 0;            ///< the same that are waited for where they come from memory, not from the cache
  double cycles = 0;               ///< of a block besides those loads
  std::uint64_t shared_words = 0;  ///< numbers of 4 bytes through shared memory
  std::uint64_t flops = 0;
  std::uint64_t block_flops = 0;  ///< of the largest block
  std::uint64_t block_bytes = 0;  ///< of the largest block
  std::uint64_t bytes = 0;
  std::uint64_t working_set = 0;  ///< bytes that decide whether loads hit the cache of the device
};

/// Times of kernels on a machine that unfit_for_device_model() has nothing against.
class DeviceClock {
 public:
  DeviceClock(const Machine& machine, unsigned value_bytes, const DeviceAssumptions& assumptions);

  /// Blocks of this kernel that all multiprocessors hold at a time; at least 1 each.
  [[nodiscard]] std::uint64_t places(const DeviceKernel& kernel) const;
  /// ceil(blocks / places).
  [[nodiscard]] std::uint64_t waves(const DeviceKernel& kernel) const;
  /// The kernel, `times` times over.
  [[nodiscard]] DevicePhase time(const DeviceKernel& kernel, std::uint64_t times = 1) const;
  /// A kernel that fills the device and streams; `items` equal parts may run at the same time.
  [[nodiscard]] DevicePhase stream(std::uint64_t launches, std::uint64_t items, std::uint64_t flops,
                                   std::uint64_t bytes, std::uint64_t working_set) const;

  [[nodiscard]] bool is_pram() const { return is_pram_; }

  /// Cycles of `count` dependent multiply-adds of a thread whose operands come from shared memory.
  [[nodiscard]] double inner_cycles(std::uint64_t count) const;
  /// Cycles in which what a step of a block has made reaches all threads for the next one.
  [[nodiscard]] double hand_over_cycles() const { return kHandOverLoads * small_.shared_load_cycles; }
  /// Cycles of a dependent multiply-add.
  [[nodiscard]] double sum_cycles() const { return small_.fma_cycles; }
  /// Loads one after the other where a thread issues `count` of them.
  [[nodiscard]] std::uint64_t rounds(std::uint64_t count) const;

 private:
  /// A barrier, the elementwise rest and shared memory written and read take as long as so many loads from shared
  /// memory, one after the other. Source: 0.192 us a step of 20 multiply-adds and 0.270 us of 60 on an H100 at 1.98 GHz
  /// (reports/gpu.md), of which a multiply-add takes its latency.
  static constexpr double kHandOverLoads = 10;

  [[nodiscard]] DevicePhase pram_time(const DeviceKernel& kernel, std::uint64_t times) const;

  bool is_pram_;
  SmallProducts small_;
  Rates rates_;
  double kernel_s_;  // from one kernel of a stream to the next
  double cache_bytes_;
  unsigned value_bytes_;
  DeviceAssumptions assumptions_;
};

/// Adds times and counts.
void add_to(DevicePhase& sum, const DevicePhase& phase);

}  // namespace upsweep
