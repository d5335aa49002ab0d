#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/operators/activation.hpp"
#include "upsweep/network/operators/adaptive_avgpool2d.hpp"
#include "upsweep/network/operators/add.hpp"
#include "upsweep/network/operators/avgpool2d.hpp"
#include "upsweep/network/operators/batchnorm2d.hpp"
#include "upsweep/network/operators/concat.hpp"
#include "upsweep/network/operators/conv2d.hpp"
#include "upsweep/network/operators/conv_transpose2d.hpp"
#include "upsweep/network/operators/dropout.hpp"
#include "upsweep/network/operators/elu.hpp"
#include "upsweep/network/operators/flatten.hpp"
#include "upsweep/network/operators/gelu.hpp"
#include "upsweep/network/operators/grouped.hpp"
#include "upsweep/network/operators/index_map.hpp"
#include "upsweep/network/operators/interpolation.hpp"
#include "upsweep/network/operators/leaky_relu.hpp"
#include "upsweep/network/operators/linear.hpp"
#include "upsweep/network/operators/matmul.hpp"
#include "upsweep/network/operators/maxpool2d.hpp"
#include "upsweep/network/operators/pairwise.hpp"
#include "upsweep/network/operators/recurrence.hpp"
#include "upsweep/network/operators/relu.hpp"
#include "upsweep/network/operators/reshape.hpp"
#include "upsweep/network/operators/scale.hpp"
#include "upsweep/network/operators/shift.hpp"
#include "upsweep/network/operators/sigmoid.hpp"
#include "upsweep/network/operators/silu.hpp"
#include "upsweep/network/operators/tanh.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// The operators, as values. Fields carry PyTorch's names and defaults; shapes are those of one sample.
using OperatorKind =
    std::variant<Conv2d, Linear, Relu, LeakyRelu, Elu, Gelu, Silu, Tanh, Sigmoid, MaxPool2d, AvgPool2d,
                 AdaptiveAvgPool2d, BatchNorm2d, Flatten, Dropout, Add, Concat, Activation, Scaling, Shifting, Reshape,
                 ConvTranspose2d, IndexMap, Pairwise, Grouped, MatMul, Recurrence, Interpolation>;

/// A node of the network.
struct Operator {
  std::string name;
  OperatorKind kind;
  Shape in_shape;  ///< of its first input; the others are told by Network::inputs_of()
  Shape out_shape;
  std::vector<Shape> other_shapes = {};  ///< of the inputs of a mixing operator behind the first

  /// Shape of input `which` of a mixing operator, and of the first input of any.
  [[nodiscard]] const Shape& input_shape(std::size_t which) const {
    return which == 0 ? in_shape : other_shapes[which - 1];
  }
};

/// Shorthand for std::visit with one lambda per alternative.
template <class... Visitors>
struct Overload : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overload(Visitors...) -> Overload<Visitors...>;

template <class Visitor, class K>
consteval bool has_case() {
  static_assert(std::is_invocable_v<const Visitor&, const K&>, "this operator has no case here, or two");
  return is_complete<K>() && std::is_invocable_v<const Visitor&, const K&>;
}
template <class Visitor, class... K>
consteval bool has_case_for_each(std::type_identity<std::variant<K...>>) {
  return (has_case<Visitor, K>() && ...);
}

/// Calls the case of an operator: cases take an operator, or those of a concept of structure.hpp. That one is missing
/// is an error at compile time, so that there need be none that takes whatever comes.
template <class... Cases>
decltype(auto) visit_operator(const OperatorKind& kind, const Cases&... cases) {
  using Visitor = Overload<Cases...>;
  if constexpr (has_case_for_each<Visitor>(std::type_identity<OperatorKind>()))
    return std::visit(Visitor{cases...}, kind);
}

/// The name in model files: "conv2d", "relu", ...
[[nodiscard]] std::string kind_name(const OperatorKind& kind);

/// The names of all kinds.
[[nodiscard]] std::vector<std::string> operator_kinds();

/// The kind of a name with the default settings, or nothing.
[[nodiscard]] std::optional<OperatorKind> find_kind(const std::string& name);

/// The kind with all its settings, defaults written out, one text per meaning: "maxpool2d(kernel=2x2, ...)".
[[nodiscard]] std::string canonical_text(const OperatorKind& kind);

[[nodiscard]] Structure structure_of(const OperatorKind& kind);

[[nodiscard]] JacobianNumbers jacobian_numbers(const OperatorKind& kind);

/// True for operators without a Jacobian of their own (flatten, dropout): listed, but no links of the chain.
[[nodiscard]] bool is_view(const OperatorKind& kind);

/// True for operators that work on each element on its own, batch normalisation included: diagonal Jacobians.
[[nodiscard]] bool is_elementwise(const OperatorKind& kind);

/// True for add and concat, which read several activations.
[[nodiscard]] bool is_join(const OperatorKind& kind);

/// True for concat, whose inputs are parts of its output; false for add and for operators that are no joins.
[[nodiscard]] bool joins_parts(const OperatorKind& kind);

/// True for operators of groups of elements, of which some read several activations: a Jacobian for each input.
[[nodiscard]] bool is_mixing(const OperatorKind& kind);

/// True for index maps, which move elements without a FLOP and are no links of their own.
[[nodiscard]] bool is_moving(const OperatorKind& kind);

/// Dense FLOPs of the gradient of one input of a mixing operator; 0 for all others.
[[nodiscard]] std::uint64_t baseline_mixing_flops(const Operator& op, std::size_t input);

/// Which numbers an operator has at this input; none for most.
[[nodiscard]] OperatorParameters parameters_of(const OperatorKind& kind, const Shape& in_shape);

/// Shape of the weight that masks and pruning work on (conv2d, linear), else nothing.
[[nodiscard]] std::optional<Shape> weight_shape(const OperatorKind& kind, const Shape& in_shape);

/// Output shape, by PyTorch's rules (ceil_mode too).
///
/// Throws std::invalid_argument that says what was found and what is accepted: wrong rank, zero sizes, a kernel larger
/// than the padded input, channels not divisible by groups, an output of zero elements, a pooling window without input.
/// Throws CountOverflow.
[[nodiscard]] Shape infer_shape(const OperatorKind& kind, const Shape& in_shape);

/// The same of an operator that may read several activations: two or more where it is a join, as many as it states
/// where it is mixing, else one.
[[nodiscard]] Shape infer_shape(const OperatorKind& kind, std::span<const Shape> in_shapes);

}  // namespace upsweep
