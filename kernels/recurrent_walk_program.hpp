#pragma once

#include "recurrent_factors.hpp"

/// Vectors through steps: g_{t-1} from g_t, for one sample. The same code runs on a GPU and, in the tests, on a CPU.
///
/// A Team is the group of threads that shares the work, as one of them sees it; all call a program with the same
/// arguments. It has
///   kSize, rank()           how many threads there are, and this one's number
///   sync()                  a barrier that also orders their memory accesses
///   sum_parts<kParts>(x)    x[i] of a thread belongs to lane rank() + i · kSize; replaces each by the sum over the
///                           kParts neighbouring lanes (from a multiple of kParts on) that it is one of
///   kFirst, sync_first()    the same as kSize and sync() for the first threads alone
namespace upsweep::kernels {

/// How a team goes through steps: kParts neighbouring lanes share a column of W_hh, each with every kParts-th pack of
/// its rows in registers.
template <class T, CellKind kKind, unsigned kHiddenClass>
struct WalkShape {
  using Number = T;
  static constexpr CellKind kCell = kKind;
  static constexpr unsigned kHidden = kHiddenClass;  ///< at least the cell's, a multiple of 4
  static constexpr unsigned kGates = ElementStates<T, kKind>::kGates;
  static constexpr unsigned kRows = kGates * kHidden;
  // Registers that a thread may have for weights, of 255 of 4 bytes.
  static constexpr unsigned kWeightBytes = 512;
  static constexpr unsigned kParts = kRows * sizeof(T) <= kWeightBytes       ? 1
                                     : kRows * sizeof(T) <= 2 * kWeightBytes ? 2
                                                                             : 4;
  static constexpr unsigned kPartRows = kRows / kParts;
  static constexpr unsigned kLanes = kHidden * kParts;
  static constexpr unsigned kThreads = (kLanes + 31) / 32 * 32;
  static constexpr unsigned kAhead = kKind == CellKind::gru ? 3 : 6;  ///< steps
  static_assert(kPartRows % kPack<T> == 0 && kPartRows * sizeof(T) <= kWeightBytes);
};

/// What a team shares.
template <class Shape>
struct WalkScratch {
  using Number = typename Shape::Number;
  /// Gradients with respect to the hidden sums, gate by gate, of this step and of the one before it.
  Pack<Number, kPack<Number>> deltas[2][Shape::kRows / kPack<Number>];
};

/// Lane `lane` of a walk: the column that it works on, and its part of the rows.
template <class Shape>
struct WalkLane {
  UPSWEEP_HOST_DEVICE explicit WalkLane(unsigned lane) : column(lane / Shape::kParts), part(lane % Shape::kParts) {}

  /// Keeps what belongs to the column's element, too.
  [[nodiscard]] UPSWEEP_HOST_DEVICE bool is_owner() const { return part == 0 && column < Shape::kHidden; }
  /// Row `i` of its part, among all of W_hh with kHidden rows per gate.
  [[nodiscard]] UPSWEEP_HOST_DEVICE unsigned row(unsigned i) const {
    constexpr unsigned kWide = kPack<typename Shape::Number>;
    return (i / kWide * Shape::kParts + part) * kWide + i % kWide;
  }

  unsigned column;
  unsigned part;
};

/// Goes through steps with the gradient of one sample.
template <class Shape, class Team>
class WalkProgram {
 public:
  using T = typename Shape::Number;
  using Lane = WalkLane<Shape>;

  UPSWEEP_HOST_DEVICE WalkProgram(const Team& team, const CellView<T>& cell, WalkScratch<Shape>& shared)
      : team_(team), cell_(cell), shared_(shared) {}

  /// Writes g_{t-1} of sample b for t = from, from - 1, ..., to + 1, given g_from.
  ///
  /// Bound: a chain of latencies per step — derivative, shared memory, barrier, shared memory, kPartRows multiply-adds
  /// in 4 chains (and log2 kParts shuffles) — for 2 · gates · hidden² FLOPs; it reads hidden numbers of each kept array
  /// per step, kAhead steps ahead, and writes hidden numbers.
  UPSWEEP_HOST_DEVICE void run(std::uint64_t b, StepRange range) {
    if (range.from == range.to) return;
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kItems; ++item) start(lane_of(item), item, b, range);
    for (std::uint64_t t = range.from; t > range.to; --t) {
      // The other half is still read by threads that have not reached this step's barrier.
      auto* const deltas = shared_.deltas[t % 2];
      UPSWEEP_UNROLL
      for (unsigned item = 0; item < kItems; ++item) share_deltas(lane_of(item), item, deltas);
      team_.sync();
      UPSWEEP_UNROLL
      for (unsigned item = 0; item < kItems; ++item) multiply(lane_of(item), item, deltas);
      team_.template sum_parts<Shape::kParts>(gradient_);
      T* const before = cell_.gradients + cell_.place(t - 1, b);
      UPSWEEP_UNROLL
      for (unsigned item = 0; item < kItems; ++item) {
        const Lane lane = lane_of(item);
        if (lane.part == 0 && lane.column < cell_.hidden) before[lane.column] = gradient_[item];
      }
    }
  }

 private:
  static constexpr unsigned kItems = (Shape::kThreads + Team::kSize - 1) / Team::kSize;
  static constexpr unsigned kWide = kPack<T>;
  using Deltas = Pack<T, kWide>;

  [[nodiscard]] UPSWEEP_HOST_DEVICE Lane lane_of(unsigned item) const {
    return Lane(team_.rank() + item * Team::kSize);
  }

  UPSWEEP_HOST_DEVICE void start(const Lane& lane, unsigned item, std::uint64_t b, StepRange range) {
    const bool is_there = lane.column < cell_.hidden;
    const bool is_kept = is_there && lane.part == 0;
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < Shape::kPartRows; ++i) {
      const unsigned gate = lane.row(i) / Shape::kHidden;
      const unsigned row = lane.row(i) % Shape::kHidden;
      const std::uint64_t at = (std::uint64_t{gate} * cell_.hidden + row) * padded_row(cell_.hidden) + lane.column;
      weights_[item][i] = is_there && row < cell_.hidden ? cell_.w_hh[at] : T(0);
    }
    states_[item].start(cell_, cell_.place(range.from - 1, b) + lane.column, range, is_kept);
    gradient_[item] = is_kept ? cell_.gradients[cell_.place(range.from, b) + lane.column] : T(0);
  }

  /// Gradients with respect to the sums, and in `gradient_` what goes past them.
  UPSWEEP_HOST_DEVICE void share_deltas(const Lane& lane, unsigned item, Deltas* deltas) {
    T factors[ElementStates<T, Shape::kCell>::kFactors];
    states_[item].next(cell_).factors(cell_.is_relu, factors);
    UPSWEEP_UNROLL
    for (unsigned gate = 0; gate < Shape::kGates; ++gate) {
      const unsigned row = gate * Shape::kHidden + lane.column;
      if (lane.is_owner()) deltas[row / kWide].x[row % kWide] = gradient_[item] * factors[gate];
    }
    if constexpr (Shape::kCell == CellKind::gru) {
      gradient_[item] = lane.part == 0 ? gradient_[item] * factors[3] : T(0);
    } else {
      gradient_[item] = 0;
    }
  }

  UPSWEEP_HOST_DEVICE void multiply(const Lane& lane, unsigned item, const Deltas* deltas) {
    T sums[4] = {gradient_[item], 0, 0, 0};
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < Shape::kPartRows; i += kWide) {
      const Deltas pack = deltas[lane.row(i) / kWide];
      UPSWEEP_UNROLL
      for (unsigned v = 0; v < kWide; ++v) sums[(i + v) % 4] += weights_[item][i + v] * pack.x[v];
    }
    gradient_[item] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  const Team& team_;
  const CellView<T>& cell_;
  WalkScratch<Shape>& shared_;
  T weights_[kItems][Shape::kPartRows];
  T gradient_[kItems];
  StatesAhead<T, Shape::kCell, Shape::kAhead> states_[kItems];
};

/// What wide_walk_program() shares: gates + 1 times `hidden` numbers.
[[nodiscard]] constexpr std::uint64_t wide_walk_numbers(std::uint64_t hidden, CellKind kind) {
  return hidden * (kind == CellKind::gru ? 5 : 2);
}

/// WalkProgram for any number of hidden elements, with W_hh in global memory; simple, not fast.
///
/// Bound: reading W_hh, gates · hidden² numbers, from the cache in every step.
template <CellKind kKind, class T, class Team>
UPSWEEP_HOST_DEVICE void wide_walk_program(const Team& team, const CellView<T>& cell, std::uint64_t b, StepRange range,
                                           T* shared) {
  using States = ElementStates<T, kKind>;
  const unsigned h = cell.hidden;
  T* const deltas = shared;                       // gates · h
  T* const direct = deltas + States::kGates * h;  // h
  for (std::uint64_t t = range.from; t > range.to; --t) {
    const T* const after = cell.gradients + cell.place(t, b);
    T* const before = cell.gradients + cell.place(t - 1, b);
    for (unsigned i = team.rank(); i < h; i += Team::kSize) {
      T factors[States::kFactors];
      States::load(cell, cell.place(t - 1, b) + i).factors(cell.is_relu, factors);
      for (unsigned gate = 0; gate < States::kGates; ++gate) deltas[gate * h + i] = after[i] * factors[gate];
      direct[i] = kKind == CellKind::gru ? after[i] * factors[States::kFactors - 1] : T(0);
    }
    team.sync();
    for (unsigned j = team.rank(); j < h; j += Team::kSize) {
      const T* const column = cell.w_hh + j;
      const std::uint64_t width = padded_row(h);
      T sums[4] = {direct[j], 0, 0, 0};
      unsigned row = 0;
      for (; row + 4 <= States::kGates * h; row += 4) {
        UPSWEEP_UNROLL
        for (unsigned i = 0; i < 4; ++i) sums[i] += column[(row + i) * width] * deltas[row + i];
      }
      for (; row < States::kGates * h; ++row) sums[0] += column[row * width] * deltas[row];
      before[j] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    team.sync();
  }
}

}  // namespace upsweep::kernels
