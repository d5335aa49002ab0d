#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "aligned_array.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"

namespace upsweep {

/// What one worker needs to go through steps backwards.
template <class T>
struct StepScratch {
  /// For up to `samples` at a time.
  StepScratch(const CellShape& shape, std::size_t samples);

  AlignedArray<T> deltas;  ///< samples × (gates · h)
  std::vector<T> ones;     ///< h
};

/// The steps of a cell, backwards: vectors through steps, and Jacobians. Refers to weights and states, which must
/// outlive it; calls may come from several threads at once, each with a scratch of its own.
template <class T>
class BackwardSteps {
 public:
  BackwardSteps(const CellWeights<T>& weights, const ForwardStates<T>& states);

  /// Writes g_{t-1} of the samples [begin, end), for t = from, from - 1, ..., to + 1, given g_from.
  /// Shapes: `gradients` [t][b][h], t = 0..T.
  void take_vectors(std::size_t from, std::size_t to, std::size_t begin, std::size_t end, T* gradients,
                    StepScratch<T>& scratch) const;

  /// Writes ∂h_t/∂h_{t-1}, not transposed, in h rows that are `row` apart.
  void form(std::size_t t, std::size_t b, T* jacobian, std::size_t row, StepScratch<T>& scratch) const;

  /// The derivatives with respect to the sums: deltas[b][gate][i] of the samples [begin, end) at step t, from `g`,
  /// [b][h] from sample `begin` on; `input_n` as in gru_deltas(), or null.
  void deltas(std::size_t t, std::size_t begin, std::size_t end, const T* g, T* deltas, T* input_n) const;

  /// W_hh, (gates · h) × h; a vector past the last row may be read.
  [[nodiscard]] const T* w_hh() const { return w_hh_.data(); }
  /// Numbers from row to row of w_hh().
  [[nodiscard]] std::size_t w_row() const { return width_; }

 private:
  /// Where step t of sample b stands in the arrays of gates, and h_{t-1} in the hidden states.
  [[nodiscard]] std::size_t place(std::size_t t, std::size_t b) const {
    return ((t - 1) * states_->batch + b) * shape_.hidden;
  }

  CellShape shape_;
  const ForwardStates<T>* states_;
  std::size_t width_;     // numbers from row to row of w_hh_
  AlignedArray<T> w_hh_;  // (gates · h) × h
};

}  // namespace upsweep
