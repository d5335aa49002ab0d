#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/network/operator.hpp"

namespace upsweep {

/// What a model file says of an operator.
struct OperatorSpec {
  std::string name;
  OperatorKind kind;
  std::optional<std::vector<std::string>> inputs;  ///< names of the operators it reads; by default the one before
  std::string called = {};                         ///< in errors, where it is not the name of the kind
};

/// An operator of a network is wrong.
class OperatorError : public std::invalid_argument {
 public:
  /// `index`: position in the list of operators that the thrower was given, 0-based.
  OperatorError(std::size_t index, const std::string& message) : std::invalid_argument(message), index_(index) {}
  [[nodiscard]] std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

/// Stands for the network's input where positions in operators() are named.
inline constexpr std::size_t kNetworkInput = ~std::size_t{0};

/// The name by which operators read the network's input; an operator of this name cannot be read by it.
inline constexpr const char* kInputName = "input";

/// A link of the chain: an operator, or the operators of a block between two activations that all paths go through.
struct ChainLink {
  std::size_t input = kNetworkInput;   ///< position of the operator whose output enters it, or kNetworkInput
  std::vector<std::size_t> operators;  ///< positions, each after those it reads; views of a block included
  bool is_block = false;               ///< several paths lead through it; else it is one operator

  /// Position of the operator whose output leaves it: of a block one with several inputs.
  [[nodiscard]] std::size_t output() const { return operators.back(); }
};

/// A network of operators with their shapes, checked, as a chain of links.
///
/// Where all operators read one activation and feed one operator, every operator but the views is a link. Otherwise the
/// links lie between the articulation points of the graph: the activations that every path from the input to the
/// output goes through.
class Network {
 public:
  /// Joins the operators to a graph, orders it and infers the shapes.
  ///
  /// `input`: [channels, height, width] or [features]. Throws OperatorError that names the operator: a name used twice,
  /// an input that does not exist, a cycle, an output that nothing reads and that is not the last one, several inputs
  /// of an operator that is no join, a shape that does not fit, an activation or weight of more than kMaxElements
  /// elements. Throws std::invalid_argument when there is no operator, or only views.
  Network(Shape input, const std::vector<OperatorSpec>& specs);

  [[nodiscard]] const Shape& input() const { return input_; }

  /// All operators in the order of the data (each after those it reads), views included; the last one's output is the
  /// network's.
  [[nodiscard]] const std::vector<Operator>& operators() const { return operators_; }

  /// Positions of the operators that operator `position` reads, in its order; kNetworkInput for the network's input.
  [[nodiscard]] const std::vector<std::size_t>& inputs_of(std::size_t position) const { return inputs_[position]; }

  /// Shape of the output of operator `position`, or of the network's input.
  [[nodiscard]] const Shape& shape_of(std::size_t position) const {
    return position == kNetworkInput ? input_ : operators_[position].out_shape;
  }

  /// Positions in operators() of the outputs of the links; at least one. Without branches: all but the views.
  [[nodiscard]] const std::vector<std::size_t>& links() const { return links_; }

  /// Link i < links().size() as a part of the graph.
  [[nodiscard]] const ChainLink& link(std::size_t i) const { return chain_[i]; }

  /// Whether any link is a block.
  [[nodiscard]] bool has_blocks() const;

 private:
  Shape input_;
  std::vector<Operator> operators_;
  std::vector<std::vector<std::size_t>> inputs_;  // by operator
  std::vector<ChainLink> chain_;
  std::vector<std::size_t> links_;
};

/// Places of the operators of a list, each after those it reads. Throws OperatorError as Network does, but for shapes.
[[nodiscard]] std::vector<std::size_t> dependency_order(const std::vector<OperatorSpec>& specs);

/// Throws OperatorError at the first block: `what` ("training by scan") is for networks without branches.
void require_no_blocks(const Network& network, const std::string& what);

}  // namespace upsweep
