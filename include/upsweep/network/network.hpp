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

/// A chain of operators with their shapes, checked.
class Network {
 public:
  /// Joins the operators to a graph, orders it and infers the shapes.
  ///
  /// `input`: [channels, height, width] or [features]. Throws OperatorError that names the operator: a name used twice,
  /// an input that does not exist, a cycle, a branch (an operator that reads or feeds several others), a shape that
  /// does not fit, an activation or weight of more than kMaxElements elements. Throws std::invalid_argument when there
  /// is no operator, or only views.
  Network(Shape input, const std::vector<OperatorSpec>& specs);

  [[nodiscard]] const Shape& input() const { return input_; }

  /// All operators in the order of the data, views included.
  [[nodiscard]] const std::vector<Operator>& operators() const { return operators_; }

  /// Positions in operators() of the links of the chain, i. e. all but the views; at least one.
  [[nodiscard]] const std::vector<std::size_t>& links() const { return links_; }

 private:
  Shape input_;
  std::vector<Operator> operators_;
  std::vector<std::size_t> links_;
};

}  // namespace upsweep
