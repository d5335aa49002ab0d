#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "upsweep/network/operator.hpp"

namespace upsweep {

/// The dense kernels of one operator over one input, with all that they read but gradients; see run_dense_backprop().
template <class T>
class DenseKernels {
 public:
  DenseKernels() = default;
  virtual ~DenseKernels() = default;
  DenseKernels(const DenseKernels&) = delete;
  DenseKernels& operator=(const DenseKernels&) = delete;

  /// Writes the gradient of the input, of that of the output.
  virtual void to_input(const T* output_gradient, T* input_gradient) = 0;
  [[nodiscard]] virtual bool has_weights() const { return false; }
  /// Writes the gradient of the weights.
  virtual void to_weights(const T* /*output_gradient*/) {}

  /// What it has of these; empty without weights.
  [[nodiscard]] virtual std::span<const T> weights() const { return {}; }
  [[nodiscard]] virtual std::span<const T> input() const { return {}; }
  [[nodiscard]] virtual std::span<const T> weight_gradient() const { return {}; }
};

/// Those of an operator that is neither view nor join, on `threads` threads; null where there are none.
template <class T>
[[nodiscard]] std::unique_ptr<DenseKernels<T>> dense_kernels(const Operator& op, std::size_t threads);

}  // namespace upsweep
