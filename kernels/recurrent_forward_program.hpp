#pragma once

#include "recurrent_forward_element.hpp"
#include "recurrent_walk_program.hpp"

/// The recursion of a forward pass, after input_program(), for one sample. Teams as in recurrent_walk_program.hpp.
namespace upsweep::kernels {

/// How a team goes through steps: kParts neighbouring lanes share the rows of W_hh of one hidden element, one row per
/// gate, each with every kParts-th pack of their columns in registers.
template <class T, CellKind kKind, unsigned kHiddenClass>
struct ForwardShape : WalkShape<T, kKind, kHiddenClass> {
  using Walk = WalkShape<T, kKind, kHiddenClass>;
  static constexpr unsigned kPartCols = Walk::kHidden / Walk::kParts;
  static_assert(kPartCols * Walk::kParts == Walk::kHidden && kPartCols % kPack<T> == 0);
};

/// What a team shares: h_{t-1} and h_t.
template <class Shape>
struct ForwardScratch {
  using Number = typename Shape::Number;
  Pack<Number, kPack<Number>> hidden[2][Shape::kHidden / kPack<Number>];
};

/// All steps of one sample.
template <class Shape, class Team>
class ForwardProgram {
 public:
  using T = typename Shape::Number;
  using Lane = WalkLane<Shape>;  // its column is the element, its rows are columns

  UPSWEEP_HOST_DEVICE ForwardProgram(const Team& team, const ForwardView<T>& view, ForwardScratch<Shape>& shared)
      : team_(team), view_(view), shared_(shared) {}

  /// Writes h_t of sample b and its gates for t = 1..T, from the sums that stand there, and its faults.
  ///
  /// Bound: a chain of latencies per step — shared memory, gates · kPartCols multiply-adds in 4 chains (and log2 kParts
  /// shuffles), the activations, shared memory, one barrier — for 2 · gates · hidden² FLOPs; it reads gates · hidden
  /// numbers per step, kAhead steps ahead, and writes hidden numbers of each kept array.
  UPSWEEP_HOST_DEVICE void run(std::uint64_t b) {
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kItems; ++item) start(lane_of(item), item, b);
    team_.sync();
    for (std::uint64_t t = 1; t <= view_.steps; ++t) {
      T sums[kGates][kItems];
      UPSWEEP_UNROLL
      for (unsigned item = 0; item < kItems; ++item) multiply(lane_of(item), item, shared_.hidden[(t - 1) % 2], sums);
      UPSWEEP_UNROLL
      for (unsigned gate = 0; gate < kGates; ++gate) team_.template sum_parts<Shape::kParts>(sums[gate]);
      UPSWEEP_UNROLL
      for (unsigned item = 0; item < kItems; ++item) finish(lane_of(item), item, t, b, sums);
      // The other half is read until here, and written after it.
      team_.sync();
    }
    UPSWEEP_UNROLL
    for (unsigned item = 0; item < kItems; ++item) {
      const Lane lane = lane_of(item);
      if (is_kept(lane)) view_.faults[b * view_.hidden + lane.column] = fault_[item];
    }
  }

 private:
  static constexpr unsigned kItems = (Shape::kThreads + Team::kSize - 1) / Team::kSize;
  static constexpr unsigned kGates = Shape::kGates;
  static constexpr unsigned kWide = kPack<T>;
  using Hidden = Pack<T, kWide>;

  [[nodiscard]] UPSWEEP_HOST_DEVICE Lane lane_of(unsigned item) const {
    return Lane(team_.rank() + item * Team::kSize);
  }
  [[nodiscard]] UPSWEEP_HOST_DEVICE bool is_kept(const Lane& lane) const {
    return lane.part == 0 && lane.column < view_.hidden;
  }

  UPSWEEP_HOST_DEVICE void start(const Lane& lane, unsigned item, std::uint64_t b) {
    const bool is_there = lane.column < view_.hidden;
    const std::uint64_t width = std::uint64_t{kGates} * view_.hidden;
    UPSWEEP_UNROLL
    for (unsigned gate = 0; gate < kGates; ++gate) {
      UPSWEEP_UNROLL
      for (unsigned i = 0; i < Shape::kPartCols; ++i) {
        const unsigned col = lane.row(i);
        const std::uint64_t at = col * width + std::uint64_t{gate} * view_.hidden + lane.column;
        weights_[item][gate][i] = is_there && col < view_.hidden ? view_.w_hh[at] : T(0);
      }
    }
    const std::uint64_t at = view_.place(1, b) + lane.column;
    before_[item] = is_kept(lane) ? view_.states[at] : T(0);
    bias_[item] = Shape::kCell == CellKind::gru && is_kept(lane) ? view_.hidden_bias[lane.column] : T(0);
    fault_[item] = 0;
    sums_[item].start(view_, at, is_kept(lane));
    share(lane, item, shared_.hidden[0]);
  }

  UPSWEEP_HOST_DEVICE void multiply(const Lane& lane, unsigned item, const Hidden* hidden, T (&to)[kGates][kItems]) {
    T sums[kGates][4] = {};
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < Shape::kPartCols; i += kWide) {
      const Hidden pack = hidden[lane.row(i) / kWide];
      UPSWEEP_UNROLL
      for (unsigned gate = 0; gate < kGates; ++gate) {
        UPSWEEP_UNROLL
        for (unsigned v = 0; v < kWide; ++v) sums[gate][(i + v) % 4] += weights_[item][gate][i + v] * pack.x[v];
      }
    }
    UPSWEEP_UNROLL
    for (unsigned gate = 0; gate < kGates; ++gate) {
      to[gate][item] = (sums[gate][0] + sums[gate][1]) + (sums[gate][2] + sums[gate][3]);
    }
  }

  UPSWEEP_HOST_DEVICE void finish(const Lane& lane, unsigned item, std::uint64_t t, std::uint64_t b,
                                  const T (&sums)[kGates][kItems]) {
    T from_input[kGates];
    sums_[item].next(view_, from_input);
    if (is_kept(lane)) {
      T from_hidden[kGates];
      UPSWEEP_UNROLL
      for (unsigned gate = 0; gate < kGates; ++gate) from_hidden[gate] = sums[gate][item];
      bool is_finite = true;
      before_[item] = ElementForward<T, Shape::kCell>::finish(view_, view_.place(t, b) + lane.column, from_input,
                                                              from_hidden, bias_[item], before_[item], is_finite);
      if (!is_finite && fault_[item] == 0) fault_[item] = t;
    }
    share(lane, item, shared_.hidden[t % 2]);
  }

  /// Zeros stand for elements that are not there.
  UPSWEEP_HOST_DEVICE void share(const Lane& lane, unsigned item, Hidden* hidden) {
    if (lane.is_owner()) hidden[lane.column / kWide].x[lane.column % kWide] = before_[item];
  }

  const Team& team_;
  const ForwardView<T>& view_;
  ForwardScratch<Shape>& shared_;
  T weights_[kItems][kGates][Shape::kPartCols];
  T before_[kItems];
  T bias_[kItems];
  std::uint64_t fault_[kItems];
  SumsAhead<T, Shape::kCell, Shape::kAhead> sums_[kItems];
};

/// What wide_forward_program() shares: 2 · hidden numbers.
[[nodiscard]] constexpr std::uint64_t wide_forward_numbers(std::uint64_t hidden) { return 2 * hidden; }

/// ForwardProgram for any number of hidden elements, with W_hh in global memory; simple, not fast.
///
/// Bound: reading W_hh, gates · hidden² numbers, from the cache in every step.
template <CellKind kKind, class T, class Team>
UPSWEEP_HOST_DEVICE void wide_forward_program(const Team& team, const ForwardView<T>& view, std::uint64_t b,
                                              T* shared) {
  using Element = ElementForward<T, kKind>;
  const unsigned h = view.hidden;
  const std::uint64_t width = std::uint64_t{Element::kGates} * h;
  for (unsigned i = team.rank(); i < h; i += Team::kSize) {
    shared[i] = view.states[view.place(1, b) + i];
    view.faults[b * h + i] = 0;
  }
  team.sync();
  for (std::uint64_t t = 1; t <= view.steps; ++t) {
    const T* const before = shared + (t - 1) % 2 * h;
    T* const after = shared + t % 2 * h;
    for (unsigned i = team.rank(); i < h; i += Team::kSize) {
      const std::uint64_t at = view.place(t, b) + i;
      T from_input[Element::kGates];
      T from_hidden[Element::kGates];
      for (unsigned gate = 0; gate < Element::kGates; ++gate) {
        from_input[gate] = view.template sums<kKind>(gate)[at];
        from_hidden[gate] = 0;
      }
      for (unsigned j = 0; j < h; ++j) {
        for (unsigned gate = 0; gate < Element::kGates; ++gate) {
          from_hidden[gate] += view.w_hh[j * width + std::uint64_t{gate} * h + i] * before[j];
        }
      }
      bool is_finite = true;
      const T bias = kKind == CellKind::gru ? view.hidden_bias[i] : T(0);
      after[i] = Element::finish(view, at, from_input, from_hidden, bias, before[i], is_finite);
      if (!is_finite && view.faults[b * h + i] == 0) view.faults[b * h + i] = t;
    }
    team.sync();
  }
}

}  // namespace upsweep::kernels
