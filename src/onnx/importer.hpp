#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "node.hpp"
#include "upsweep/onnx/import.hpp"

namespace upsweep {

/// Several nodes that are one operator: at the last of them it is made of a value, and the others are passed over.
struct Fusion {
  enum class Kind : std::uint8_t { silu, hardswish, gelu, layer_norm };
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

  /// The operator (or the network's input) whose elements are those of a value, of `shape`; moves what must be.
  std::string source(OnnxValue& value, const Shape& shape);
  /// Shape of what an operator gives.
  [[nodiscard]] const Shape& shape_of(const std::string& name) const { return shapes_.at(name); }
  void set_input(const Shape& shape) { shapes_[kInputName] = shape; }

  /// The value of a move of values, some of which may be constant.
  OnnxValue moved(const Move& move, const std::vector<OnnxValue>& inputs);

  /// Numbers of a weight as they are kept: masks of what is 0, values where they were asked for. `order`: place in the
  /// tensor of every number; empty: as they stand.
  [[nodiscard]] OperatorWeights weights_of(const Tensor& tensor, const std::vector<std::uint32_t>& order);
  /// Numbers that no mask applies to; empty where unknown or not asked for.
  [[nodiscard]] std::vector<double> numbers_of(const Tensor& tensor);
  /// The specification and the weights that were made last under a name.
  OperatorSpec& spec(const std::string& name) { return network_.specs[place_.at(name)]; }
  OperatorWeights& weights(const std::string& name) { return network_.weights[place_.at(name)]; }
  [[nodiscard]] bool wants_values() const { return wants_values_; }
  OnnxNetwork& network() { return network_; }

 private:
  OnnxNetwork& network_;
  bool wants_values_;
  std::string label_, name_;
  std::unordered_map<std::string, Shape> shapes_;
  std::unordered_map<std::string, std::size_t> place_;
  std::map<std::pair<std::string, Shape>, std::string> views_;
};

/// True where a map takes every element of one source once.
[[nodiscard]] bool is_permutation(const OnnxValue& value);

/// What a node that is neither folded nor a move becomes: its outputs. Throws std::invalid_argument.
using Lowering = std::vector<OnnxValue> (*)(OnnxNode& node, NetworkBuilder& builder);

/// The lowering of a type of node, or null where it is not modelled.
[[nodiscard]] Lowering find_lowering(const std::string& type);
/// All types of nodes that are taken.
[[nodiscard]] std::vector<std::string> modelled_types();

/// Lowerings of one kind of structure each, by type of node.
using LoweringTable = std::map<std::string, Lowering>;
[[nodiscard]] const LoweringTable& elementwise_lowerings();
[[nodiscard]] const LoweringTable& group_lowerings();
[[nodiscard]] const LoweringTable& window_lowerings();
[[nodiscard]] const LoweringTable& product_lowerings();

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
