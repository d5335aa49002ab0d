#pragma once

#include <cstdint>

#include "upsweep/network/operator.hpp"

namespace upsweep {

/// Counts of one dense kernel. Elements and not bytes, so that they hold for every number type.
struct KernelWork {
  std::uint64_t flops = 0;     ///< per sample
  std::uint64_t elements = 0;  ///< of activations and their gradients, read or written, per sample
  std::uint64_t weights = 0;   ///< weights or their gradients, read or written, once per micro-batch

  friend bool operator==(const KernelWork&, const KernelWork&) = default;
};

/// Dense work of a part of a layer: an operator, a matrix product, ...
struct PartWork {
  KernelWork forward;
  KernelWork output_gradient;  ///< gradient to the part's input
  KernelWork weight_gradient;  ///< all 0: none
  std::uint64_t weights = 0;   ///< learned numbers: weights, biases, scales and shifts

  friend bool operator==(const PartWork&, const PartWork&) = default;
};

/// Learned numbers of an operator: weights and biases of products, scales and shifts of norms; pruned ones are numbers,
/// too. A factor or summand that all elements share is a constant, and none. Throws CountOverflow.
[[nodiscard]] std::uint64_t weight_count(const Operator& op);

/// Multiply-accumulates of one forward pass of one sample: conv2d and linear output elements times the weights of each,
/// conv_transpose2d positions of the input times the weights, matmul result elements times the axis that is summed,
/// recurrence steps times the weights; positions in the padding included, biases not. All others 0. Throws
/// CountOverflow.
[[nodiscard]] std::uint64_t forward_macs(const Operator& op);

/// FLOPs of the gradient to one input of an operator that is no view or join: 2 for each of forward_macs(); of others
/// one per element, the larger of that input and the output; where elements only move the additions. Throws
/// CountOverflow.
[[nodiscard]] std::uint64_t input_gradient_flops(const Operator& op, std::size_t which);

/// Dense work of an operator that is no view.
///
/// With forward_macs(): F, and W where there is a weight, 2 FLOPs each, O input_gradient_flops() of all inputs; each of
/// the three reads or writes input, output and weights once; biases count as weights and cost no FLOPs. Everything else
/// one FLOP per element, the largest of inputs and output; F reads the inputs and writes the output, O reads the
/// gradient of the output and what the forward pass kept, the inputs, and writes their gradients; no W (that of scales
/// and shifts is left out). Where elements only move no work. Throws CountOverflow.
[[nodiscard]] PartWork operator_work(const Operator& op);

}  // namespace upsweep
