#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/network/dense_work.hpp"
#include "upsweep/network/network.hpp"

namespace upsweep {

/// Dense work of a layer.
struct LayerWork {
  std::string name;
  std::uint64_t output = 0;     ///< elements per sample that go to the next layer
  std::vector<PartWork> parts;  ///< in order of the forward pass; each is a kernel of its own in F, O and W

  /// Learned numbers of all parts. Throws CountOverflow.
  [[nodiscard]] std::uint64_t weights() const;
};

/// Positions of neighbouring operators in Network::operators(), first to last.
struct OperatorRange {
  std::size_t first = 0;
  std::size_t last = 0;  ///< inclusive

  friend bool operator==(const OperatorRange&, const OperatorRange&) = default;
};

/// The layers of a chain: every conv2d, linear and pooling, and every block of branches (ChainLink), with the
/// elementwise operators and views that follow it.
///
/// Elementwise operators and views at the beginning belong to the first layer; a network of nothing else is one layer.
/// The ranges cover all operators, in order.
[[nodiscard]] std::vector<OperatorRange> chain_layers(const Network& network);

/// The name of a layer: that of its first conv2d, linear or pooling, else of its first operator.
[[nodiscard]] std::string layer_name(const Network& network, const OperatorRange& layer);

/// Matrix products of one sample: `count` times (m × k)·(k × n).
struct Matmul {
  std::uint64_t m = 0;
  std::uint64_t k = 0;
  std::uint64_t n = 0;
  std::uint64_t count = 1;
  bool weights = true;  ///< the (k × n) operand is learned, else an activation
  bool bias = false;    ///< n more learned numbers per product
};

/// Dense work of matrix products: F 2mkn FLOPs; O 2mkn, W 2mkn with weights; O 4mkn, no W without: a gradient to either
/// operand. Throws CountOverflow.
[[nodiscard]] PartWork matmul_work(const Matmul& matmul);

/// What is done to each element on its own, or to all of a group: activations, normalisations, softmax, additions.
struct ElementwiseWork {
  std::uint64_t elements = 0;  ///< per sample
  std::uint64_t flops_per_element = 1;
  std::uint64_t weights = 0;  ///< learned scales and shifts; they cost nothing but their transfer
};

/// Dense work: F reads and writes the elements, O reads two tensors of them and writes one, each with the FLOPs; no W.
/// Throws CountOverflow.
[[nodiscard]] PartWork elementwise_work(const ElementwiseWork& work);

/// The dense work of a network's chain, by chain_layers(). In a block F of a join reads its inputs and writes its
/// output, and O adds up what several operators hand back to one activation, the block's input included, as
/// dense_backprop() counts it. Throws CountOverflow.
[[nodiscard]] std::vector<LayerWork> layer_works(const Network& network);

}  // namespace upsweep
