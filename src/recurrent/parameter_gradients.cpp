#include "upsweep/recurrent/parameter_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "dense_kernels.hpp"
#include "step_jacobians.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep {
namespace {

// Rows (steps × samples) whose products are summed in T, in one product; sums over those are in double precision.
constexpr std::size_t kRowsPerBlock = 64;
// Parts that may run at the same time: fixed, so that the order of the sums is.
constexpr std::size_t kMostParts = 64;

/// Sums of one part of the rows: those of W_hh with b_hh as one more column, then those of W_ih with b_ih.
struct Sums {
  std::vector<double> hidden;  // (gates · h) × (h + 1)
  std::vector<double> input;   // (gates · h) × (input + 1)
};

/// Rows of `count` numbers with a 1 behind each, and padding.
template <class T>
void copy_with_ones(const T* from, std::size_t count, std::size_t rows, std::size_t width, T* to) {
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(from + r * count, count, to + r * width);
    to[r * width + count] = 1;
  }
}

template <class T>
class PartWorker {
 public:
  PartWorker(const CellWeights<T>& weights, const ForwardStates<T>& states, const BackwardSteps<T>& steps,
             std::span<const T> inputs, std::span<const T> gradients)
      : shape_(weights.shape),
        states_(states),
        steps_(steps),
        inputs_(inputs),
        gradients_(gradients),
        sums_(shape_.gates() * shape_.hidden),
        most_(padded<T>(std::max(shape_.hidden, shape_.input) + 1)),
        deltas_(kRowsPerBlock * sums_),
        input_n_(kRowsPerBlock * shape_.hidden),
        right_(kRowsPerBlock * most_),
        product_(sums_ * most_) {}

  /// Adds rows [begin, end): row i is step i / batch + 1 of sample i % batch.
  void add(std::size_t begin, std::size_t end, Sums& sums) {
    for (std::size_t at = begin; at < end; at += kRowsPerBlock) {
      const std::size_t rows = std::min(kRowsPerBlock, end - at);
      fill_deltas(at, rows);
      const T* before = states_.hidden.data() + at * shape_.hidden;
      add_product(before, shape_.hidden, rows, sums.hidden);
      if (shape_.kind == CellKind::gru) {
        // Only N sees the inputs otherwise than the hidden states: not through the reset gate.
        for (std::size_t r = 0; r < rows; ++r) {
          std::copy_n(input_n_.data() + r * shape_.hidden, shape_.hidden,
                      deltas_.data() + r * sums_ + 2 * shape_.hidden);
        }
      }
      add_product(inputs_.data() + at * shape_.input, shape_.input, rows, sums.input);
    }
  }

 private:
  /// deltas_ and input_n_ of rows [at, at + rows); samples of one step stand one after the other.
  void fill_deltas(std::size_t at, std::size_t rows) {
    const std::size_t h = shape_.hidden;
    for (std::size_t row = at; row < at + rows;) {
      const std::size_t begin = row % states_.batch;
      const std::size_t end = std::min(states_.batch, begin + (at + rows - row));
      const T* g = gradients_.data() + (row + states_.batch) * h;
      steps_.deltas(row / states_.batch + 1, begin, end, g, deltas_.data() + (row - at) * sums_,
                    input_n_.data() + (row - at) * h);
      row += end - begin;
    }
  }

  /// sums += deltas_^T · (rows of `right` with a 1 behind each).
  void add_product(const T* right, std::size_t count, std::size_t rows, std::vector<double>& sums) {
    const std::size_t width = padded<T>(count + 1);
    copy_with_ones(right, count, rows, width, right_.data());
    multiply(SmallProduct<T>{deltas_.data(), 1, sums_, right_.data(), width, product_.data(), width, sums_, rows,
                             count + 1});
    for (std::size_t r = 0; r < sums_; ++r) {
      for (std::size_t c = 0; c <= count; ++c) {
        sums[r * (count + 1) + c] += static_cast<double>(product_.data()[r * width + c]);
      }
    }
  }

  CellShape shape_;
  const ForwardStates<T>& states_;
  const BackwardSteps<T>& steps_;
  std::span<const T> inputs_;
  std::span<const T> gradients_;
  std::size_t sums_;
  std::size_t most_;
  AlignedArray<T> deltas_;   // rows × (gates · h)
  AlignedArray<T> input_n_;  // rows × h
  AlignedArray<T> right_;    // rows × (count + 1), padded
  AlignedArray<T> product_;  // (gates · h) × (count + 1), padded
};

/// Writes the sums of all parts, in their order, to a matrix and a vector.
template <class T>
void finish(const std::vector<Sums>& parts, std::vector<double> Sums::*which, std::size_t count, std::vector<T>& matrix,
            std::vector<T>& bias) {
  for (std::size_t r = 0; r < bias.size(); ++r) {
    for (std::size_t c = 0; c <= count; ++c) {
      double sum = 0;
      for (const Sums& part : parts) sum += (part.*which)[r * (count + 1) + c];
      (c < count ? matrix[r * count + c] : bias[r]) = static_cast<T>(sum);
    }
  }
}

template <class T>
void head_gradients(const ForwardStates<T>& states, const HeadResult<T>& head, CellWeights<T>& gradients) {
  const std::size_t h = states.shape.hidden;
  const std::size_t classes = states.shape.classes;
  const std::span<const T> last = states.at(states.steps);
  for (std::size_t c = 0; c < classes; ++c) {
    double bias = 0;
    for (std::size_t b = 0; b < states.batch; ++b) bias += static_cast<double>(head.logits_gradient[b * classes + c]);
    gradients.b_head[c] = static_cast<T>(bias);
    for (std::size_t i = 0; i < h; ++i) {
      double sum = 0;
      for (std::size_t b = 0; b < states.batch; ++b) {
        sum += static_cast<double>(head.logits_gradient[b * classes + c]) * static_cast<double>(last[b * h + i]);
      }
      gradients.w_head[c * h + i] = static_cast<T>(sum);
    }
  }
}

}  // namespace

template <class T>
void parameter_gradients(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> inputs,
                         std::span<const T> hidden_gradients, const HeadResult<T>& head, CellWeights<T>& gradients) {
  require_parameters(weights, states, inputs, hidden_gradients, head, gradients);
  const CellShape& shape = weights.shape;
  const BackwardSteps<T> steps(weights, states);
  const std::size_t rows = states.steps * states.batch;
  const std::size_t blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const std::size_t rows_per_part = (blocks + kMostParts - 1) / kMostParts * kRowsPerBlock;
  const std::size_t sums = shape.gates() * shape.hidden;
  std::vector<Sums> parts((rows + rows_per_part - 1) / rows_per_part);
  parallel_chunks(parts.size(), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    PartWorker<T> worker(weights, states, steps, inputs, hidden_gradients);
    for (std::size_t p = begin; p < end; ++p) {
      parts[p] = {std::vector<double>(sums * (shape.hidden + 1)), std::vector<double>(sums * (shape.input + 1))};
      worker.add(p * rows_per_part, std::min(rows, (p + 1) * rows_per_part), parts[p]);
    }
  });
  finish(parts, &Sums::hidden, shape.hidden, gradients.w_hh, gradients.b_hh);
  finish(parts, &Sums::input, shape.input, gradients.w_ih, gradients.b_ih);
  head_gradients(states, head, gradients);
}

std::uint64_t parameter_gradient_flops(const CellShape& shape, std::size_t steps, std::size_t batch) {
  const std::uint64_t row = checked_mul(2 * shape.gates(), checked_mul(shape.hidden, shape.input + shape.hidden));
  return checked_mul(row, checked_mul(steps, batch));
}

template void parameter_gradients<float>(const CellWeights<float>&, const ForwardStates<float>&, std::span<const float>,
                                         std::span<const float>, const HeadResult<float>&, CellWeights<float>&);
template void parameter_gradients<double>(const CellWeights<double>&, const ForwardStates<double>&,
                                          std::span<const double>, std::span<const double>, const HeadResult<double>&,
                                          CellWeights<double>&);

}  // namespace upsweep
