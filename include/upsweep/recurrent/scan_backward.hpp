#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/base/hidden.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Wall-clock time of the phases of a backward pass by scan, in seconds.
struct ScanTimes {
  double jacobians = 0;  ///< forming and storing Jacobians; 0 where each is formed when it is used
  double up = 0;
  double middle = 0;
  double down = 0;

  [[nodiscard]] double total() const { return jacobians + up + middle + down; }
};

/// FLOPs of a backward pass by scan, all samples: products, 2 per multiply-add, and the multiply-adds that form
/// Jacobians. Elementwise derivatives are not counted.
struct ScanFlops {
  std::uint64_t jacobians = 0;  ///< of those that are stored; others count in the phase that uses them, as in ScanTimes
  std::uint64_t up = 0;
  std::uint64_t middle = 0;
  std::uint64_t down = 0;

  [[nodiscard]] std::uint64_t total() const { return jacobians + up + middle + down; }
};

/// Hidden gradients by a schedule over a[0] = g_T, a[k] = J_{T-k+1}^T, per sample; every level over the threads.
///
/// A plan: it holds the memory for the Jacobians and the products (in place where an operand is used for the last
/// time), so that one object serves every iteration of a training. T is float or double. Not to be used by two threads
/// at once.
template <class T>
class LevelScan {
 public:
  /// `schedule` of length T + 1. Dead combines are left out. Throws std::invalid_argument for extents of 0.
  LevelScan(const CellShape& shape, std::size_t batch, Schedule schedule);

  /// Shapes: as bptt(). Throws std::invalid_argument for wrong lengths or another shape, number of steps or batch.
  /// The result does not depend on the number of threads.
  ScanTimes run(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                std::span<T> gradients);

  [[nodiscard]] ScanFlops flops() const;
  /// Memory that the plan holds.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

/// How a blocked scan cuts the steps of a sample.
struct BlockOptions {
  /// P >= 1: blocks of neighbouring steps, block 0 next to the loss. More than there are steps count as so many.
  std::size_t blocks = 2;
  /// Length of block 0 relative to the others, at least 1: its pass takes a vector along, the others a matrix of
  /// `hidden` rows, so that up to `hidden` balances one worker per block.
  double first_block = 1;
  /// Form every Jacobian once and store it, instead of forming it wherever it is used.
  bool store_jacobians = false;

  friend bool operator==(const BlockOptions&, const BlockOptions&) = default;
};

/// Hidden gradients by a blocked scan, per sample: every block but the first and the last is reduced to one product,
/// while the first takes its gradients straight from g_T (up); the products are folded onto the gradient at the end of
/// block 0 (middle); then every other block takes its gradients from the one at its end (down). Threads over blocks and
/// samples.
///
/// Cost: in products, 2 · hidden³ per step of the inner blocks, their Jacobians, and the FLOPs of bptt(). T is float or
/// double. A plan, as LevelScan.
template <class T>
class BlockedScan {
 public:
  /// Throws std::invalid_argument for extents or blocks of 0, or first_block below 1 or not finite.
  BlockedScan(const CellShape& shape, std::size_t steps, std::size_t batch, const BlockOptions& options);

  /// As LevelScan::run().
  ScanTimes run(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                std::span<T> gradients);

  [[nodiscard]] ScanFlops flops() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace upsweep
