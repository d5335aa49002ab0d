#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/base/hidden.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/scan_backward.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Hidden gradients of an rnn by a schedule over twice as many elements: a[0] = g_T, a[2k - 1] the diagonal of the
/// nonlinearity's derivatives at step T - k + 1, a[2k] = W_hh^T; the order of unfused_chain().
///
/// A diagonal is `hidden` numbers, W_hh is there once for all steps and samples, and only a product of both takes a
/// matrix; each product costs what its structure needs. Otherwise a plan, as LevelScan.
/// Source: Wang, Bai and Pekhimenko, "BPPSA", MLSys 2020, whose artifact scans these Jacobians.
template <class T>
class UnfusedLevelScan {
 public:
  /// `schedule` of length 2T + 1. Dead combines are left out. Throws std::invalid_argument for extents of 0, an even
  /// length, or a cell that is no rnn.
  UnfusedLevelScan(const CellShape& shape, std::size_t batch, Schedule schedule);

  /// As LevelScan::run(); `jacobians` is the time of the diagonals.
  ScanTimes run(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                std::span<T> gradients);

  /// The other results of the last run(), gradients with respect to the sums W x + W h + b.
  ///
  /// Shapes: [t - 1][b][hidden], t = 1..T. Valid until the next run().
  [[nodiscard]] std::span<const T> sum_gradients() const;

  /// Matched index triples, 2 each: dense · diagonal 2 · hidden². Forming the diagonals is elementwise, not counted.
  [[nodiscard]] ScanFlops flops() const;
  /// Memory that the plan holds.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace upsweep
