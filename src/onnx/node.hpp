#pragma once

#include <onnx/onnx_pb.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tensor.hpp"

namespace upsweep {

/// A tensor of the graph: a constant, or elements of activations. What moves elements is done when they are needed.
struct OnnxValue {
  Shape dims;  ///< with the batch
  std::optional<Tensor> constant = {};
  std::vector<std::string> sources = {};  ///< names of operators, or kInputName
  /// By element: which of the sources' elements, numbered one after the other, or kFill; null: the only source as it
  /// is.
  std::shared_ptr<const std::vector<std::uint32_t>> map = {};
  double fill = 0;
  std::string producer = {};  ///< an operator with a weight whose output nothing but the next node reads, or empty

  [[nodiscard]] bool is_constant() const { return constant.has_value(); }
  [[nodiscard]] std::size_t rank() const { return dims.size(); }
};

/// A node with its inputs. Attributes have the standard's defaults where they are asked for.
struct OnnxNode {
  const onnx::NodeProto& proto;
  std::int64_t opset;
  std::vector<std::optional<OnnxValue>> inputs;  ///< nothing where an optional input is left out

  [[nodiscard]] const std::string& type() const { return proto.op_type(); }
  [[nodiscard]] const onnx::AttributeProto* find(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t fallback) const;
  [[nodiscard]] double number(const std::string& name, double fallback) const;
  [[nodiscard]] std::string text(const std::string& name, const std::string& fallback) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const std::string& name) const;

  [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i].has_value(); }
  /// Input i. Throws std::invalid_argument where it is left out.
  [[nodiscard]] const OnnxValue& input(std::size_t i) const;
  /// The constant at input i. Throws std::invalid_argument where it depends on the network's input.
  [[nodiscard]] const Tensor& constant(std::size_t i) const;
  /// Integers of an attribute (older opsets), or of the constant at input i; nothing without both.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(const std::string& name, std::size_t i) const;
  /// A number likewise.
  [[nodiscard]] double number(const std::string& name, std::size_t i, double fallback) const;
};

/// An axis of a tensor of `rank`, counted from the end where it is negative. Throws std::invalid_argument.
[[nodiscard]] std::size_t axis_of(std::int64_t axis, std::size_t rank);

/// Shape of two tensors that are broadcast. Throws std::invalid_argument.
[[nodiscard]] Shape broadcast_shape(const Shape& a, const Shape& b);

/// Most elements of what is moved or computed here: 512 MiB of numbers.
inline constexpr std::uint64_t kMostMoved = std::uint64_t{1} << 26;

/// Throws std::invalid_argument where a shape has more than kMostMoved elements, sizes of 0 taken as 1.
void require_size(const Shape& dims);

/// Where the elements of an output come from: numbers of the elements of all moved inputs one after the other.
struct Move {
  Shape dims;
  std::vector<std::uint32_t> from;  ///< row-major; IndexMap::kFill for none
  double fill = 0;
};

/// Which inputs of a node are moved: the data; the others are its settings.
[[nodiscard]] std::vector<std::size_t> moved_inputs(const OnnxNode& node);

/// True for the types of nodes that move elements.
[[nodiscard]] bool is_move(const std::string& type);

/// What a node that moves elements does, by output. Throws std::invalid_argument.
[[nodiscard]] std::vector<Move> moves_of(const OnnxNode& node);

/// Elements [0, dims) permuted.
[[nodiscard]] Move transposition(const Shape& dims, const std::vector<std::size_t>& perm);

/// The outputs of a node whose inputs are all constant; unknown numbers stay unknown. Throws std::invalid_argument for
/// a type that is not folded.
[[nodiscard]] std::vector<Tensor> fold(const OnnxNode& node);

}  // namespace upsweep
