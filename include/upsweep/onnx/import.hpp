#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/pruning.hpp"

namespace upsweep {

/// A column of a table of layers.
struct BudgetFile {
  std::string file;
  std::string column = {};  ///< empty: the usual one
  std::string names = {};   ///< the column that names operators; empty: operator, name or layer
  bool in_order = false;    ///< rows are the operators with a weight in the order of the network, whatever their names
};

/// What a user says of an ONNX file.
struct OnnxOptions {
  std::map<std::string, Shape> inputs = {};          ///< shapes of graph inputs with the batch, by name
  std::optional<std::string> output = std::nullopt;  ///< which of the graph's outputs; the first without
  bool fold_norms = true;                           ///< batch normalisations become part of the convolution before them
  std::optional<Pruning> prune = std::nullopt;      ///< of its weights, or of seeded ones where it has none
  std::optional<BudgetFile> budget = std::nullopt;  ///< the same by a table
};

/// What became of the nodes of a file.
struct ImportFacts {
  std::int64_t opset = 0;
  std::uint64_t operators = 0;  ///< nodes
  std::uint64_t counted = 0;    ///< those that are, or are part of, operators with a Jacobian
  std::uint64_t free = 0;       ///< views, moves, constants, and what the output does not need
  bool has_values = false;      ///< every weight has numbers in the file
};

/// Multiply-accumulates of one forward pass of one input. conv: output elements · kernel elements · channels per group
/// (transposed: input elements · kernel elements · output channels per group); linear: products with a constant;
/// matmul: products of two activations; recurrent: the matrices of all gates in all steps. Biases, norms and
/// elementwise operators are not in it.
struct ForwardMacs {
  std::uint64_t conv = 0;
  std::uint64_t linear = 0;
  std::uint64_t matmul = 0;
  std::uint64_t recurrent = 0;

  /// Throws CountOverflow.
  [[nodiscard]] std::uint64_t total() const;
};

/// A network as an ONNX file describes it.
struct OnnxNetwork {
  std::string name;
  Shape input;                           ///< of one sample, without the batch
  std::vector<OperatorSpec> specs;       ///< each after those it reads
  std::vector<OperatorWeights> weights;  ///< by operator; masks where weights are 0, numbers where they were asked for
  std::vector<std::string> nodes;        ///< by operator: the node it came from, as errors name it
  std::vector<std::string> tensors;      ///< by operator: the name of its weight in the file, or empty
  ImportFacts facts;
  ForwardMacs macs;
};

/// True where a file begins as an ONNX model does, or has the suffix .onnx.
[[nodiscard]] bool looks_like_onnx(const std::string& path);

/// Reads an ONNX file: constants are folded, views and moves cost nothing, sequences of nodes that are one operator
/// (layer normalisation, GELU, SiLU, hard swish) become that operator. Weights that the file leaves out count as
/// nonzero.
///
/// `values`: hand out the numbers of weights. Throws InputError, one line that names file and node, what was found and
/// what is accepted. Memory: the file and its largest weight.
[[nodiscard]] OnnxNetwork import_onnx(const std::string& path, const OnnxOptions& options, bool values);

}  // namespace upsweep
