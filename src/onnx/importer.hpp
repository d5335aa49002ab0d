#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "node.hpp"
#include "upsweep/onnx/import.hpp"

namespace upsweep {

/// Several nodes that are one operator: at the last of them it is made of a value, and the others are passed over.
struct Fusion {
  enum class Kind : std::uint8_t { silu, hardswish, mish, gelu, layer_norm };
  Kind kind;
  std::string input;       ///< name of the value
  double eps = 0;          ///< layer_norm
  std::string scale = {};  ///< layer_norm: names of constants, or empty
  std::string shift = {};
};

/// The sequences of nodes of a graph that are one operator.
struct Fusions {
  std::map<int, Fusion> at;  ///< by the last node's place
  std::set<int> inside;      ///< nodes that belong to one, the last one left out
};

/// How nodes read each other.
class GraphReaders {
 public:
  explicit GraphReaders(const onnx::GraphProto& graph);
  [[nodiscard]] int count(const std::string& value) const;
  /// The place of the only node that reads a value, or -1.
  [[nodiscard]] int only_reader(const std::string& value) const;
  /// The place of the node that makes a value, or -1.
  [[nodiscard]] int maker(const std::string& value) const;

 private:
  std::unordered_map<std::string, std::vector<int>> readers_;
  std::unordered_map<std::string, int> makers_;
};

/// Finds them. `number_of`: the constant of a name where it is one known number, else nothing; `is_constant`.
[[nodiscard]] Fusions find_fusions(const onnx::GraphProto& graph, const GraphReaders& readers,
                                   const std::function<std::optional<double>(const std::string&)>& number_of,
                                   const std::function<bool(const std::string&)>& is_constant);

/// Makes the operators of a network, one after the other.
class NetworkBuilder {
 public:
  NetworkBuilder(OnnxNetwork& network, bool values) : network_(network), wants_values_(values) {}

  /// Where operators that are made next come from.
  void start_node(const std::string& label, const std::string& name);
  /// An operator that reads `inputs` (names); its name. Throws std::invalid_argument where a shape does not fit.
  std::string add(const OperatorKind& kind, const std::vector<std::string>& inputs, OperatorWeights weights = {});

  /// The name that operators of the node at hand take, and another one instead of it; returns the one before.
  [[nodiscard]] const std::string& node_name() const { return name_; }
  std::string name_node(std::string name) { return std::exchange(name_, std::move(name)); }
  /// Names that operators made for other nodes do not take.
  void reserve(std::set<std::string> names) { reserved_ = std::move(names); }

  /// The operator (or the network's input) whose elements are those of a value, of `shape`; what must be moved is moved
  /// by an operator named after the node at hand with ".moved".
  std::string source(OnnxValue& value, const Shape& shape);
  /// The same, but what moves elements is the node at hand.
  std::string materialise(OnnxValue& value, const Shape& shape);
  /// Shape of what an operator gives.
  [[nodiscard]] const Shape& shape_of(const std::string& name) const { return shapes_.at(name); }
  void set_input(const Shape& shape) { shapes_[kInputName] = shape; }

  /// The value of a move of values, some of which may be constant.
  OnnxValue moved(const Move& move, const std::vector<OnnxValue>& inputs);

  /// Numbers of a weight as they are kept: masks of what is 0, values where they were asked for. `order_of` gives the
  /// place in the tensor of every number, and is asked where there are numbers; null: as they stand.
  using ElementOrder = std::function<std::vector<std::uint32_t>()>;
  [[nodiscard]] OperatorWeights weights_of(const Tensor& tensor, const ElementOrder& order_of = {});
  /// Numbers that no mask applies to; empty where unknown or not asked for.
  [[nodiscard]] std::vector<double> numbers_of(const Tensor& tensor);
  /// The specification and the weights that were made last under a name.
  OperatorSpec& spec(const std::string& name) { return network_.specs[place_.at(name)]; }
  OperatorWeights& weights(const std::string& name) { return network_.weights[place_.at(name)]; }
  [[nodiscard]] bool wants_values() const { return wants_values_; }
  OnnxNetwork& network() { return network_; }

 private:
  std::string add_named(const std::string& base, const OperatorKind& kind, const std::vector<std::string>& inputs,
                        OperatorWeights weights = {});
  std::string source(OnnxValue& value, const Shape& shape, const std::string& moved_name);
  [[nodiscard]] bool is_free(const std::string& name) const;

  OnnxNetwork& network_;
  bool wants_values_;
  std::string label_, name_;
  std::set<std::string> reserved_;
  std::string weight_name_;  // of the operator that is made next
  std::unordered_map<std::string, Shape> shapes_;
  std::unordered_map<std::string, std::size_t> place_;
  std::map<std::pair<std::string, Shape>, std::string> views_;
};

/// True where a map takes every element of one source once.
[[nodiscard]] bool is_permutation(const OnnxValue& value);

/// What a node that is neither folded nor a move becomes: its outputs. Throws std::invalid_argument.
using Lowering = std::vector<OnnxValue> (*)(OnnxNode& node, NetworkBuilder& builder);

/// The numbers of a node of type Constant. Throws std::invalid_argument.
[[nodiscard]] Tensor constant_of(const onnx::NodeProto& node, const std::shared_ptr<const std::string>& folder);

/// Types of nodes that become operators, and those that move elements.
[[nodiscard]] std::vector<std::string> lowered_types();
[[nodiscard]] std::vector<std::string> moved_types();

/// What nodes of one file share.
struct LoweringOptions {
  std::shared_ptr<const std::string> folder = {};  ///< of external data
  bool fold_norms = true;                          ///< batch normalisations become part of the convolution before them
};

/// What became of a node.
struct LoweredNode {
  std::vector<OnnxValue> outputs;
  bool is_counted = false;  ///< it is an operator, or part of one, that is no mere move
};

/// Folds a node of constants, moves elements, or makes operators. Throws std::invalid_argument.
[[nodiscard]] LoweredNode lower_node(OnnxNode& node, NetworkBuilder& builder, const LoweringOptions& options);

/// Lowerings of one kind of structure each, by type of node.
using LoweringTable = std::map<std::string, Lowering>;
[[nodiscard]] const LoweringTable& elementwise_lowerings();
[[nodiscard]] const LoweringTable& group_lowerings();
[[nodiscard]] const LoweringTable& window_lowerings();
[[nodiscard]] const LoweringTable& product_lowerings();
[[nodiscard]] const LoweringTable& recurrent_lowerings();
[[nodiscard]] const LoweringTable& einsum_lowerings();
[[nodiscard]] const LoweringTable& arithmetic_lowerings();
[[nodiscard]] const LoweringTable& pool_lowerings();
[[nodiscard]] const LoweringTable& norm_lowerings();

/// A function of every element of a value.
[[nodiscard]] OnnxValue apply_function(OnnxValue value, const OperatorKind& kind, NetworkBuilder& builder);
/// x · scale + shift by constants that are broadcast; either may be null.
[[nodiscard]] OnnxValue scale_and_shift(OnnxValue value, const Tensor* scale, bool divides, const Tensor* shift,
                                        bool subtracts, NetworkBuilder& builder);
/// Normalisation over the last axes of a value, `size` elements, with constants of these axes or without.
[[nodiscard]] OnnxValue normalise(OnnxValue value, std::size_t axes, double eps, const Tensor* scale,
                                  const Tensor* shift, NetworkBuilder& builder);
/// An operator of several activations, element by element.
[[nodiscard]] OnnxValue combine_pair(OnnxValue a, OnnxValue b, PairRule rule, NetworkBuilder& builder);

}  // namespace upsweep
