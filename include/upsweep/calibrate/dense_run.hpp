#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "upsweep/base/measuring.hpp"
#include "upsweep/network/network.hpp"

namespace upsweep {

/// Dense back-propagation of one input, as it was run on this processor.
struct DenseRun {
  std::string skipped;            ///< why it was not run, as a part of a sentence; empty otherwise
  double gradients_s = 0;         ///< of all activations that have one; median over the repetitions
  double weight_gradients_s = 0;  ///< of the weights of conv2d and linear; likewise
  std::vector<double> kernel_s;   ///< medians of the former's parts, by operator and, behind these, of all sums
  std::size_t kernels = 0;        ///< of the former
  std::size_t threads = 1;
  std::size_t repetitions = 0;
};

/// Runs the kernels of dense back-propagation one after the other, in the order of graph_backprop_tasks(), in numbers
/// of type T (float or double) on `workers` threads:
///
/// - linear: the transposed weight times the gradient, a gemv of OpenBLAS;
/// - conv2d: for each group the transposed weight times the gradient as a matrix [channels, positions], a gemm of
///   OpenBLAS, whose result is added to the image (col2im); where windows are single pixels the gemm writes the image;
/// - elementwise operators: the gradient times a slope that is there already;
/// - poolings: each output handed to the input that it chose, or its share to all inputs of its window;
/// - an activation with several readers: what they handed back, added up.
///
/// Gradients of weights are timed apart: an outer product, or the gradient times the image's windows as a matrix
/// (im2col, then gemm). Weights are unpruned and numbers made up: no forward pass, no loss, and nothing is checked but
/// shapes. Buffers are allocated and touched before. Gradients of the network's input are left out. Skipped, with the
/// operator that is the reason, where one has no kernel here: all that mix activations, and conv_transpose2d.
/// Not to be called from a chunk of parallel_chunks().
template <class T>
[[nodiscard]] DenseRun run_dense_backprop(const Network& network, std::size_t workers, const Repetitions& repetitions);

}  // namespace upsweep
