#include "upsweep/network/operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

void require_image(const Shape& in) {
  if (in.size() != 3)
    refuse(fmt::format("its input has shape {}, accepted is [channels, height, width]", to_string(in)));
}

void require_positive(const char* key, std::uint64_t value) {
  if (value == 0) refuse(fmt::format("{} is 0, accepted is an integer of at least 1", key));
}

void require_positive(const char* key, const PerAxis& value) {
  require_positive(key, value.y);
  require_positive(key, value.x);
}

struct AxisSpec {
  std::uint64_t in, kernel, stride, padding, dilation;
  bool ceil_mode;
};

/// Output length along one axis. Source: the shape formulas in PyTorch's documentation of Conv2d and MaxPool2d; with
/// ceil_mode a last window that would start in the padding behind the input is dropped.
std::uint64_t out_length(const char* axis, const AxisSpec& a) {
  const std::uint64_t padded = checked_add(a.in, checked_mul(2, a.padding));
  const std::uint64_t extent = checked_add(checked_mul(a.dilation, a.kernel - 1), 1);
  if (extent > padded) {
    refuse(fmt::format("the kernel covers {} elements in {}, accepted is at most the padded input, {}", extent, axis,
                       padded));
  }
  const std::uint64_t room = padded - extent;
  std::uint64_t out = room / a.stride + 1;
  if (out > kMaxElements)
    refuse(fmt::format("its output has {} elements in {}, accepted are at most {}", out, axis, kMaxElements));
  if (a.ceil_mode && room % a.stride != 0 && checked_mul(out, a.stride) < a.in + a.padding) ++out;
  return out;
}

template <class Window>
PerAxis out_lengths(const Window& window, const PerAxis& dilation, bool ceil_mode, const Shape& in) {
  require_positive("kernel", window.kernel);
  require_positive("stride", window.stride);
  require_positive("dilation", dilation);
  const AxisSpec y{in[1], window.kernel.y, window.stride.y, window.padding.y, dilation.y, ceil_mode};
  const AxisSpec x{in[2], window.kernel.x, window.stride.x, window.padding.x, dilation.x, ceil_mode};
  return {out_length("y", y), out_length("x", x)};
}

/// PyTorch's limit for pooling, so that no window lies wholly in the padding.
void require_pool_padding(const PerAxis& kernel, const PerAxis& padding, const PerAxis& dilation) {
  const auto check = [](const char* axis, std::uint64_t k, std::uint64_t pad, std::uint64_t d) {
    const std::uint64_t most = (d * (k - 1) + 1) / 2;
    if (pad > most)
      refuse(fmt::format("padding is {} in {}, accepted is at most half of the kernel's extent, {}", pad, axis, most));
  };
  check("y", kernel.y, padding.y, dilation.y);
  check("x", kernel.x, padding.x, dilation.x);
}

/// A dilated window can step over a small input altogether; its output would be minus infinity.
void require_inputs(const char* axis, std::uint64_t out, const AxisSpec& a) {
  // Taps no further apart than the input is long cannot step over it, and no window starts behind it.
  if (a.dilation <= a.in) return;
  for (std::uint64_t o = 0; o < out; ++o) {
    const std::uint64_t start = o * a.stride;
    const std::uint64_t first = start >= a.padding ? 0 : (a.padding - start + a.dilation - 1) / a.dilation;
    const bool found = first < a.kernel && start + first * a.dilation < a.padding + a.in;
    if (!found) {
      refuse(fmt::format("window {} in {} lies wholly in the padding, accepted are windows with at least one input", o,
                         axis));
    }
  }
}

Shape pooled(const Shape& in, const PerAxis& out) { return {in[0], out.y, out.x}; }

std::string listed(std::span<const Shape> shapes) {
  std::vector<std::string> texts;
  texts.reserve(shapes.size());
  for (const Shape& shape : shapes) texts.push_back(to_string(shape));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Shape sum_shape(std::span<const Shape> in) {
  for (const Shape& shape : in) {
    if (shape != in[0]) refuse(fmt::format("its inputs have shapes {}, accepted are inputs of one shape", listed(in)));
  }
  return in[0];
}

Shape concatenated(std::span<const Shape> in) {
  Shape out = in[0];
  for (const Shape& shape : in.subspan(1)) {
    if (shape.size() != out.size() || !std::equal(shape.begin() + 1, shape.end(), out.begin() + 1)) {
      refuse(
          fmt::format("its inputs have shapes {}, accepted are inputs that differ in the first axis only", listed(in)));
    }
    out[0] = checked_add(out[0], shape[0]);
  }
  return out;
}

}  // namespace

std::string kind_name(const OperatorKind& kind) {
  return std::visit(Overload{
                        [](const Conv2d&) { return "conv2d"; },
                        [](const Linear&) { return "linear"; },
                        [](const Relu&) { return "relu"; },
                        [](const LeakyRelu&) { return "leaky_relu"; },
                        [](const Elu&) { return "elu"; },
                        [](const Gelu&) { return "gelu"; },
                        [](const Silu&) { return "silu"; },
                        [](const Tanh&) { return "tanh"; },
                        [](const Sigmoid&) { return "sigmoid"; },
                        [](const MaxPool2d&) { return "maxpool2d"; },
                        [](const AvgPool2d&) { return "avgpool2d"; },
                        [](const AdaptiveAvgPool2d&) { return "adaptive_avgpool2d"; },
                        [](const BatchNorm2d&) { return "batchnorm2d"; },
                        [](const Flatten&) { return "flatten"; },
                        [](const Dropout&) { return "dropout"; },
                        [](const Add&) { return "add"; },
                        [](const Concat&) { return "concat"; },
                    },
                    kind);
}

std::string canonical_text(const OperatorKind& kind) {
  const auto pair = [](const PerAxis& value) { return fmt::format("{}x{}", value.y, value.x); };
  const std::string settings = std::visit(
      Overload{
          [&](const Conv2d& k) {
            return fmt::format("out_channels={}, kernel={}, stride={}, padding={}, dilation={}, groups={}, bias={}",
                               k.out_channels, pair(k.kernel), pair(k.stride), pair(k.padding), pair(k.dilation),
                               k.groups, k.bias);
          },
          [&](const Linear& k) { return fmt::format("out_features={}, bias={}", k.out_features, k.bias); },
          [&](const LeakyRelu& k) { return fmt::format("negative_slope={}", k.negative_slope); },
          [&](const Elu& k) { return fmt::format("alpha={}", k.alpha); },
          [&](const Gelu& k) { return fmt::format("approximate={}", k.tanh_approximation ? "tanh" : "none"); },
          [&](const MaxPool2d& k) {
            return fmt::format("kernel={}, stride={}, padding={}, dilation={}, ceil_mode={}", pair(k.kernel),
                               pair(k.stride), pair(k.padding), pair(k.dilation), k.ceil_mode);
          },
          [&](const AvgPool2d& k) {
            return fmt::format(
                "kernel={}, stride={}, padding={}, ceil_mode={}, count_include_pad={}, divisor_override={}",
                pair(k.kernel), pair(k.stride), pair(k.padding), k.ceil_mode, k.count_include_pad,
                k.divisor_override.value_or(0));
          },
          [&](const AdaptiveAvgPool2d& k) { return fmt::format("output_size={}", pair(k.output_size)); },
          [&](const BatchNorm2d& k) { return fmt::format("eps={}, affine={}", k.eps, k.affine); },
          [&](const auto&) { return std::string(); },
      },
      kind);
  return fmt::format("{}({})", kind_name(kind), settings);
}

bool is_view(const OperatorKind& kind) {
  return std::holds_alternative<Flatten>(kind) || std::holds_alternative<Dropout>(kind);
}

bool is_elementwise(const OperatorKind& kind) {
  return std::visit(Overload{
                        [](const Conv2d&) { return false; },
                        [](const Linear&) { return false; },
                        [](const MaxPool2d&) { return false; },
                        [](const AvgPool2d&) { return false; },
                        [](const AdaptiveAvgPool2d&) { return false; },
                        [](const Flatten&) { return false; },
                        [](const Dropout&) { return false; },
                        [](const Add&) { return false; },
                        [](const Concat&) { return false; },
                        [](const auto&) { return true; },
                    },
                    kind);
}

bool is_join(const OperatorKind& kind) {
  return std::holds_alternative<Add>(kind) || std::holds_alternative<Concat>(kind);
}

bool is_pooling(const OperatorKind& kind) {
  return std::holds_alternative<MaxPool2d>(kind) || std::holds_alternative<AvgPool2d>(kind) ||
         std::holds_alternative<AdaptiveAvgPool2d>(kind);
}

std::optional<Shape> weight_shape(const OperatorKind& kind, const Shape& in_shape) {
  if (const auto* conv = std::get_if<Conv2d>(&kind)) {
    return Shape{conv->out_channels, in_shape[0] / conv->groups, conv->kernel.y, conv->kernel.x};
  }
  if (const auto* linear = std::get_if<Linear>(&kind)) return Shape{linear->out_features, in_shape[0]};
  return std::nullopt;
}

Shape infer_shape(const OperatorKind& kind, std::span<const Shape> in_shapes) {
  if (!is_join(kind)) {
    if (in_shapes.size() != 1) refuse(fmt::format("it reads {} activations, accepted is one", in_shapes.size()));
    return infer_shape(kind, in_shapes[0]);
  }
  if (in_shapes.size() < 2) {
    refuse(fmt::format("it reads {} activation, accepted are two or more: state its inputs", in_shapes.size()));
  }
  return std::holds_alternative<Add>(kind) ? sum_shape(in_shapes) : concatenated(in_shapes);
}

Shape infer_shape(const OperatorKind& kind, const Shape& in) {
  if (is_join(kind)) return infer_shape(kind, std::span(&in, 1));
  return std::visit(
      Overload{
          [&](const Conv2d& conv) -> Shape {
            require_image(in);
            require_positive("out_channels", conv.out_channels);
            require_positive("groups", conv.groups);
            if (in[0] % conv.groups != 0) {
              refuse(
                  fmt::format("its input has {} channels, accepted is a multiple of groups, {}", in[0], conv.groups));
            }
            if (conv.out_channels % conv.groups != 0) {
              refuse(fmt::format("out_channels is {}, accepted is a multiple of groups, {}", conv.out_channels,
                                 conv.groups));
            }
            const PerAxis out = out_lengths(conv, conv.dilation, false, in);
            return {conv.out_channels, out.y, out.x};
          },
          [&](const Linear& linear) -> Shape {
            require_positive("out_features", linear.out_features);
            if (in.size() != 1) {
              refuse(
                  fmt::format("its input has shape {}, accepted is [features]: put a flatten in front", to_string(in)));
            }
            return {linear.out_features};
          },
          [&](const MaxPool2d& pool) -> Shape {
            require_image(in);
            const PerAxis out = out_lengths(pool, pool.dilation, pool.ceil_mode, in);
            require_pool_padding(pool.kernel, pool.padding, pool.dilation);
            require_inputs("y", out.y, {in[1], pool.kernel.y, pool.stride.y, pool.padding.y, pool.dilation.y, false});
            require_inputs("x", out.x, {in[2], pool.kernel.x, pool.stride.x, pool.padding.x, pool.dilation.x, false});
            return pooled(in, out);
          },
          [&](const AvgPool2d& pool) -> Shape {
            require_image(in);
            const PerAxis out = out_lengths(pool, {1, 1}, pool.ceil_mode, in);
            require_pool_padding(pool.kernel, pool.padding, {1, 1});
            if (pool.divisor_override) require_positive("divisor_override", *pool.divisor_override);
            return pooled(in, out);
          },
          [&](const AdaptiveAvgPool2d& pool) -> Shape {
            require_image(in);
            require_positive("output_size", pool.output_size);
            return pooled(in, pool.output_size);
          },
          [&](const BatchNorm2d&) -> Shape {
            require_image(in);
            return in;
          },
          [&](const Flatten&) -> Shape { return {elements(in)}; },
          [&](const auto&) -> Shape { return in; },
      },
      kind);
}

}  // namespace upsweep
