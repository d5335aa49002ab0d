#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "upsweep/recurrent/cell.hpp"

namespace upsweep {

/// What a forward pass leaves for the backward pass.
///
/// Sample-major within a step: element e of sample b at time t stands at (t · batch + b) · hidden + e of `hidden`, and
/// at
/// ((t - 1) · batch + b) · hidden + e of the others, since h_0 has none.
template <class T>
struct ForwardStates {
  CellShape shape;
  std::size_t steps = 0;  ///< T
  std::size_t batch = 0;  ///< B
  std::vector<T> hidden;  ///< [t][b][h], t = 0..T; h_0 is 0 unless given
  std::vector<T> r;       ///< gru: reset gate [t - 1][b][h], t = 1..T; else empty
  std::vector<T> z;       ///< gru: update gate, likewise
  std::vector<T> n;       ///< gru: candidate, likewise
  std::vector<T> m;       ///< gru: W_hn h_{t-1} + b_hn, likewise

  /// h_t of all samples: batch · hidden numbers; t = 0..steps.
  [[nodiscard]] std::span<const T> at(std::size_t t) const {
    return std::span(hidden).subspan(t * batch * shape.hidden, batch * shape.hidden);
  }
};

/// A hidden state became NaN or infinite.
class NonFiniteState : public std::runtime_error {
 public:
  NonFiniteState(std::size_t step, std::size_t sample);
  [[nodiscard]] std::size_t step() const { return step_; }      ///< the first step t, 1-based, of any sample
  [[nodiscard]] std::size_t sample() const { return sample_; }  ///< the first such sample at that step

 private:
  std::size_t step_;
  std::size_t sample_;
};

/// Runs a batch of sequences; reuses the memory of `states`.
///
/// Shapes: `inputs` [t][b][input], t = 0..steps - 1, belongs to h_1..h_T; `initial` [b][hidden], or empty for 0.
/// Throws std::invalid_argument for wrong lengths, steps or batch 0; NonFiniteState.
/// Cost: 2 · gates · hidden · (input + hidden) FLOPs per step and sample and the activations; threads over the batch,
/// for one sample none in the recursion. The result does not depend on the number of threads.
/// Source: thesis, Equations 4.2 and 4.3.
template <class T>
void run_forward(const CellWeights<T>& weights, std::span<const T> inputs, std::size_t steps, std::size_t batch,
                 std::span<const T> initial, ForwardStates<T>& states);

/// The same into new memory.
template <class T>
[[nodiscard]] ForwardStates<T> run_forward(const CellWeights<T>& weights, std::span<const T> inputs, std::size_t steps,
                                           std::size_t batch, std::span<const T> initial = {});

/// Throws std::invalid_argument unless the arrays of `states` have the lengths of its shape, which is that of
/// `weights`.
template <class T>
void require_fitting(const CellWeights<T>& weights, const ForwardStates<T>& states);

}  // namespace upsweep
