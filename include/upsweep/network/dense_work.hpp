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

/// Learned numbers of an operator: weights and biases of conv2d and linear, scales and shifts of an affine batchnorm2d.
/// Throws CountOverflow.
[[nodiscard]] std::uint64_t weight_count(const Operator& op);

/// Dense work of an operator that is no view.
///
/// conv2d: F, O and W are 2·H'·W'·C'·(C/groups)·kernel.y·kernel.x FLOPs each, positions in the padding included;
/// linear: 2·in·out each; each of the three reads or writes input, output and weights once; biases count as weights and
/// cost no FLOPs. Everything else one FLOP per element, the larger of input and output; F reads the input and writes
/// the output, O reads the gradient of the output and what the forward pass kept, the input, and writes the gradient of
/// the input; no W (that of the scales and shifts of batchnorm2d is left out). Throws CountOverflow.
[[nodiscard]] PartWork operator_work(const Operator& op);

}  // namespace upsweep
