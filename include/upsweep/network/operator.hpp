#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "upsweep/network/shape.hpp"

namespace upsweep {

// The operators, as values. Fields carry PyTorch's names and defaults; shapes are those of one sample.

/// [C, H, W] → [out_channels, H', W']; weight [out_channels, C / groups, kernel.y, kernel.x].
struct Conv2d {
  std::uint64_t out_channels = 0;
  PerAxis kernel;
  PerAxis stride{1, 1};
  PerAxis padding{0, 0};
  PerAxis dilation{1, 1};
  std::uint64_t groups = 1;
  bool bias = true;
};

/// [F] → [out_features]; weight [out_features, F].
struct Linear {
  std::uint64_t out_features = 0;
  bool bias = true;
};

struct Relu {};
struct LeakyRelu {
  double negative_slope = 0.01;
};
struct Elu {
  double alpha = 1.0;
};
struct Gelu {
  bool tanh_approximation = false;
};
struct Silu {};
struct Tanh {};
struct Sigmoid {};

/// [C, H, W] → [C, H', W']; padding counts as minus infinity.
struct MaxPool2d {
  PerAxis kernel;
  PerAxis stride;
  PerAxis padding{0, 0};
  PerAxis dilation{1, 1};
  bool ceil_mode = false;
};

/// [C, H, W] → [C, H', W']; padding counts as zero.
struct AvgPool2d {
  PerAxis kernel;
  PerAxis stride;
  PerAxis padding{0, 0};
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::optional<std::uint64_t> divisor_override = std::nullopt;
};

/// [C, H, W] → [C, output_size.y, output_size.x].
struct AdaptiveAvgPool2d {
  PerAxis output_size;
};

/// Evaluation mode: a scale and a shift per channel of [C, H, W].
struct BatchNorm2d {
  double eps = 1e-5;
  bool affine = true;
};

/// A view: [C, H, W] → [C·H·W].
struct Flatten {};

/// A view in evaluation mode: the identity.
struct Dropout {
  double p = 0.5;
};

/// The sum of two or more activations of one shape.
struct Add {};

/// Two or more activations one after the other along the first axis: channels of images, or features.
struct Concat {};

using OperatorKind = std::variant<Conv2d, Linear, Relu, LeakyRelu, Elu, Gelu, Silu, Tanh, Sigmoid, MaxPool2d, AvgPool2d,
                                  AdaptiveAvgPool2d, BatchNorm2d, Flatten, Dropout, Add, Concat>;

/// A node of the network.
struct Operator {
  std::string name;
  OperatorKind kind;
  Shape in_shape;  ///< of its first input; the others are told by Network::inputs_of()
  Shape out_shape;
};

/// The name in model files: "conv2d", "relu", ...
[[nodiscard]] std::string kind_name(const OperatorKind& kind);

/// The kind with all its settings, defaults written out, one text per meaning: "maxpool2d(kernel=2x2, ...)".
[[nodiscard]] std::string canonical_text(const OperatorKind& kind);

/// True for operators without a Jacobian of their own (flatten, dropout): listed, but no links of the chain.
[[nodiscard]] bool is_view(const OperatorKind& kind);

/// True for operators that work on each element on its own, batch normalisation included: diagonal Jacobians.
[[nodiscard]] bool is_elementwise(const OperatorKind& kind);

/// True for max, average and adaptive pooling.
[[nodiscard]] bool is_pooling(const OperatorKind& kind);

/// True for add and concat, which read several activations.
[[nodiscard]] bool is_join(const OperatorKind& kind);

/// Shape of the weight that masks and pruning work on (conv2d, linear), else nothing.
[[nodiscard]] std::optional<Shape> weight_shape(const OperatorKind& kind, const Shape& in_shape);

/// Output shape, by PyTorch's rules (ceil_mode too).
///
/// Throws std::invalid_argument that says what was found and what is accepted: wrong rank, zero sizes, a kernel larger
/// than the padded input, channels not divisible by groups, an output of zero elements, a pooling window without input.
/// Throws CountOverflow.
[[nodiscard]] Shape infer_shape(const OperatorKind& kind, const Shape& in_shape);

/// The same of an operator that may read several activations: two or more where it is a join, else one.
[[nodiscard]] Shape infer_shape(const OperatorKind& kind, std::span<const Shape> in_shapes);

/// Shorthand for std::visit with one lambda per alternative.
template <class... Visitors>
struct Overload : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overload(Visitors...) -> Overload<Visitors...>;

}  // namespace upsweep
