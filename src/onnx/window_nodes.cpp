#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "importer.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// The windows of a node over one or two axes of an image; an axis that is missing is one of a single position.
struct NodeWindows {
  Shape image;  ///< [channels, height, width]
  PerAxis kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  PerAxis before{0, 0}, after{0, 0};  ///< padding
  std::size_t axes = 2;

  /// The shape of an output image as the node has it.
  [[nodiscard]] Shape dims(const Shape& out) const {
    if (axes == 1) return {1, out[0], out[2]};
    return {1, out[0], out[1], out[2]};
  }
};

PerAxis pair_of(const std::vector<std::int64_t>& sizes, std::size_t axes, std::size_t first, std::int64_t least,
                const char* name) {
  PerAxis pair{least == 0 ? 0U : 1U, least == 0 ? 0U : 1U};
  for (std::size_t a = 0; a < axes; ++a) {
    if (first + a >= sizes.size() || sizes[first + a] < least || sizes[first + a] > 0x7fffffff) {
      throw std::invalid_argument(fmt::format("{} [{}], accepted is an integer of at least {} for each axis", name,
                                              fmt::join(sizes, ", "), least));
    }
    (axes == 2 && a == 0 ? pair.y : pair.x) = static_cast<std::uint64_t>(sizes[first + a]);
  }
  return pair;
}

/// Padding of auto_pad = SAME_UPPER or SAME_LOWER along an axis.
std::pair<std::uint64_t, std::uint64_t> same_padding(std::uint64_t in, std::uint64_t kernel, std::uint64_t stride,
                                                     std::uint64_t dilation, bool is_lower) {
  const std::uint64_t reach = ((in + stride - 1) / stride - 1) * stride + dilation * (kernel - 1) + 1;
  const std::uint64_t total = reach > in ? reach - in : 0;
  return is_lower ? std::pair{total - total / 2, total / 2} : std::pair{total / 2, total - total / 2};
}

NodeWindows windows_of(const OnnxNode& node, const Shape& in, const Shape& kernel) {
  if ((in.size() != 3 && in.size() != 4) || in[0] != 1) {
    throw std::invalid_argument(fmt::format(
        "an input of shape {}, accepted are [1, channels, height, width] and [1, channels, length]", to_string(in)));
  }
  NodeWindows windows;
  windows.axes = in.size() - 2;
  windows.image = windows.axes == 1 ? Shape{in[1], 1, in[2]} : Shape{in[1], in[2], in[3]};
  std::vector<std::int64_t> sizes(kernel.begin(), kernel.end());
  if (const auto stated = node.integers("kernel_shape")) {
    if (!sizes.empty() && *stated != sizes) throw std::invalid_argument("kernel_shape is not the weight's");
    sizes = *stated;
  }
  windows.kernel = pair_of(sizes, windows.axes, 0, 1, "kernel_shape");
  if (const auto strides = node.integers("strides")) windows.stride = pair_of(*strides, windows.axes, 0, 1, "strides");
  if (const auto steps = node.integers("dilations"))
    windows.dilation = pair_of(*steps, windows.axes, 0, 1, "dilations");
  if (const auto pads = node.integers("pads")) {
    windows.before = pair_of(*pads, windows.axes, 0, 0, "pads");
    windows.after = pair_of(*pads, windows.axes, windows.axes, 0, "pads");
  }
  const std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic.starts_with("SAME")) {
    const bool is_lower = automatic == "SAME_LOWER";
    std::tie(windows.before.y, windows.after.y) =
        same_padding(windows.image[1], windows.kernel.y, windows.stride.y, windows.dilation.y, is_lower);
    std::tie(windows.before.x, windows.after.x) =
        same_padding(windows.image[2], windows.kernel.x, windows.stride.x, windows.dilation.x, is_lower);
  }
  return windows;
}

/// The image that windows read; where the padding is not the same on both sides, with the padding in it.
std::string image_of(OnnxValue value, NodeWindows& windows, double fill, NetworkBuilder& builder) {
  if (windows.before == windows.after) return builder.source(value, windows.image);
  Move pad{{1, windows.image[0], 0, 0}, {}, fill};
  const std::uint64_t height = windows.image[1];
  const std::uint64_t width = windows.image[2];
  pad.dims[2] = height + windows.before.y + windows.after.y;
  pad.dims[3] = width + windows.before.x + windows.after.x;
  for (std::uint64_t e = 0; e < elements(pad.dims); ++e) {
    const std::uint64_t y = e / pad.dims[3] % pad.dims[2] - windows.before.y;  // wraps around in the padding
    const std::uint64_t x = e % pad.dims[3] - windows.before.x;
    const std::uint64_t c = e / pad.dims[3] / pad.dims[2];
    pad.from.push_back(y < height && x < width ? static_cast<std::uint32_t>((c * height + y) * width + x)
                                               : IndexMap::kFill);
  }
  OnnxValue padded = builder.moved(pad, {value});
  windows.image = {windows.image[0], pad.dims[2], pad.dims[3]};
  windows.before = windows.after = {0, 0};
  return builder.source(padded, windows.image);
}

Shape kernel_of(const Tensor& weight) {
  if (weight.dims.size() < 3)
    throw std::invalid_argument(
        fmt::format("a weight of shape {}, accepted are three or four axes", to_string(weight.dims)));
  return {weight.dims.begin() + 2, weight.dims.end()};
}

OnnxValue weighted(const OperatorKind& kind, const std::string& from, OperatorWeights weights,
                   const NodeWindows& windows, NetworkBuilder& builder) {
  const std::string name = builder.add(kind, {from}, std::move(weights));
  OnnxValue result{windows.dims(builder.shape_of(name)), {}, {name}};
  result.producer = name;
  return result;
}

Values convolution(OnnxNode& node, NetworkBuilder& builder) {
  const Tensor& weight = node.constant(1);
  NodeWindows windows = windows_of(node, node.input(0).dims, kernel_of(weight));
  const std::string from = image_of(node.input(0), windows, 0, builder);
  Conv2d conv{weight.dims[0], windows.kernel, windows.stride, windows.before, windows.dilation};
  conv.groups = static_cast<std::uint64_t>(node.integer("group", 1));
  conv.bias = node.has(2);
  if (conv.groups == 0 || windows.image[0] / conv.groups != weight.dims[1]) {
    throw std::invalid_argument(fmt::format("a weight of shape {} and {} groups of {} channels", to_string(weight.dims),
                                            conv.groups, windows.image[0]));
  }
  OperatorWeights weights = builder.weights_of(weight, {});
  if (conv.bias) weights.bias = builder.numbers_of(node.constant(2));
  OnnxValue result = weighted(conv, from, std::move(weights), windows, builder);
  add_to(builder.network().macs.conv,
         checked_mul(elements(result.dims), checked_mul(weight.dims[1], conv.kernel.y * conv.kernel.x)));
  return {result};
}

Values transposed_convolution(OnnxNode& node, NetworkBuilder& builder) {
  const Tensor& weight = node.constant(1);
  NodeWindows windows = windows_of(node, node.input(0).dims, kernel_of(weight));
  if (node.find("output_shape") != nullptr || node.text("auto_pad", "NOTSET").starts_with("SAME"))
    throw std::invalid_argument("output_shape or auto_pad, accepted are pads and output_padding");
  ConvTranspose2d conv;
  conv.groups = static_cast<std::uint64_t>(node.integer("group", 1));
  if (conv.groups == 0 || windows.image[0] != weight.dims[0] || windows.image[0] % conv.groups != 0)
    throw std::invalid_argument(
        fmt::format("a weight of shape {} of {} channels", to_string(weight.dims), windows.image[0]));
  conv.out_channels = weight.dims[1] * conv.groups;
  conv.kernel = windows.kernel;
  conv.stride = windows.stride;
  conv.dilation = windows.dilation;
  conv.padding = windows.before;
  if (const auto extra = node.integers("output_padding"))
    conv.output_padding = pair_of(*extra, windows.axes, 0, 0, "output_padding");
  if (windows.before != windows.after) throw std::invalid_argument("pads that differ, accepted are equal ones");
  conv.bias = node.has(2);
  // [in, out / groups, kernel] to [out, in / groups, kernel].
  const std::uint64_t kernel = conv.kernel.y * conv.kernel.x;
  const std::uint64_t group_inputs = weight.dims[0] / conv.groups;
  std::vector<std::uint32_t> order;
  for (std::uint64_t co = 0; co < conv.out_channels; ++co) {
    for (std::uint64_t k = 0; k < group_inputs * kernel; ++k) {
      const std::uint64_t ci = co / weight.dims[1] * group_inputs + k / kernel;
      order.push_back(static_cast<std::uint32_t>((ci * weight.dims[1] + co % weight.dims[1]) * kernel + k % kernel));
    }
  }
  OperatorWeights weights = builder.weights_of(weight, order);
  if (conv.bias) weights.bias = builder.numbers_of(node.constant(2));
  OnnxValue input = node.input(0);
  const std::string from = builder.source(input, windows.image);
  add_to(builder.network().macs.conv, checked_mul(elements(windows.image), checked_mul(weight.dims[1], kernel)));
  return {weighted(conv, from, std::move(weights), windows, builder)};
}

/// Kernels of one or two axes that cover the image, for global pools.
Values pooled(const OperatorKind& kind, const std::string& from, const NodeWindows& windows, NetworkBuilder& builder) {
  const std::string name = builder.add(kind, {from});
  return {{windows.dims(builder.shape_of(name)), {}, {name}}};
}

Values max_pool(OnnxNode& node, NetworkBuilder& builder) {
  NodeWindows windows = windows_of(node, node.input(0).dims, {});
  const std::string from = image_of(node.input(0), windows, -1e300, builder);
  return pooled(
      MaxPool2d{windows.kernel, windows.stride, windows.before, windows.dilation, node.integer("ceil_mode", 0) != 0},
      from, windows, builder);
}

AvgPool2d average(const OnnxNode& node, const NodeWindows& windows) {
  AvgPool2d pool{windows.kernel, windows.stride, windows.before, node.integer("ceil_mode", 0) != 0};
  pool.count_include_pad = node.integer("count_include_pad", 0) != 0;
  return pool;
}

Values average_pool(OnnxNode& node, NetworkBuilder& builder) {
  NodeWindows windows = windows_of(node, node.input(0).dims, {});
  if (windows.before != windows.after && node.integer("count_include_pad", 0) == 0)
    throw std::invalid_argument("pads that differ and do not count, accepted are equal ones");
  const std::string from = image_of(node.input(0), windows, 0, builder);
  return pooled(average(node, windows), from, windows, builder);
}

/// (Σ |x|^p)^(1/p): a power, an average pooling that does not divide, a power.
Values lp_pool(OnnxNode& node, NetworkBuilder& builder) {
  const auto p = static_cast<double>(node.integer("p", 2));
  OnnxValue value = apply_function(node.input(0), Activation{Function::absolute}, builder);
  if (p != 1) value = apply_function(value, Activation{Function::power, p}, builder);
  const Shape all = {value.dims.begin() + 2, value.dims.end()};
  NodeWindows windows = windows_of(node, value.dims, node.type() == "GlobalLpPool" ? all : Shape{});
  const std::string from = image_of(value, windows, 0, builder);
  AvgPool2d pool = average(node, windows);
  pool.divisor_override = 1;
  value = pooled(pool, from, windows, builder)[0];
  return {p == 1 ? value : apply_function(value, Activation{Function::power, 1 / p}, builder)};
}

Values global_pool(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  if (value.rank() < 3) throw std::invalid_argument("an input without positions");
  const Shape all = {value.dims.begin() + 2, value.dims.end()};
  NodeWindows windows = windows_of(node, value.dims, all);
  const std::string from = builder.source(value, windows.image);
  if (node.type() == "GlobalMaxPool") return pooled(MaxPool2d{windows.kernel, {1, 1}}, from, windows, builder);
  return pooled(AdaptiveAvgPool2d{{1, 1}}, from, windows, builder);
}

/// Scale and shift of a normalisation in evaluation mode, as numbers per channel; empty where they are unknown.
struct NormNumbers {
  std::vector<double> scale, shift, mean, variance;
};

/// Takes a normalisation into the operator before it.
bool fold_norm(const OnnxValue& value, const NormNumbers& norm, double eps, NetworkBuilder& builder) {
  if (value.producer.empty()) return false;
  OperatorSpec& spec = builder.spec(value.producer);
  OperatorWeights& weights = builder.weights(value.producer);
  const bool has_bias = std::visit(
      [](auto& kind) {
        if constexpr (requires { kind.bias; }) {
          kind.bias = true;
          return true;
        } else {
          return false;
        }
      },
      spec.kind);
  if (!has_bias || weights.values.empty() || norm.scale.empty()) return has_bias;
  const std::size_t each = weights.values.size() / norm.scale.size();
  weights.bias.resize(norm.scale.size());
  for (std::size_t c = 0; c < norm.scale.size(); ++c) {
    const double factor = norm.scale[c] / std::sqrt(norm.variance[c] + eps);
    for (std::size_t i = c * each; i < (c + 1) * each; ++i) weights.values[i] *= factor;
    weights.bias[c] = (weights.bias[c] - norm.mean[c]) * factor + norm.shift[c];
  }
  return true;
}

template <bool folds>
Values batch_norm(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  if (value.rank() < 2 || value.dims[0] != 1)
    throw std::invalid_argument(
        fmt::format("an input of shape {}, accepted is [1, channels, ...]", to_string(value.dims)));
  const std::uint64_t channels = value.dims[1];
  for (std::size_t k = 1; k < 5; ++k) {
    if (node.constant(k).dims != Shape{channels})
      throw std::invalid_argument(
          fmt::format("constants of shape {} of {} channels", to_string(node.constant(k).dims), channels));
  }
  const NormNumbers norm{builder.numbers_of(node.constant(1)), builder.numbers_of(node.constant(2)),
                         builder.numbers_of(node.constant(3)), builder.numbers_of(node.constant(4))};
  const double eps = node.number("epsilon", 1e-5);
  if (folds && fold_norm(value, norm, eps, builder)) {
    value.producer.clear();
    return {value};
  }
  const std::uint64_t plane = elements(value.dims) / channels;
  Shape image = {channels, 1, plane};
  if (value.rank() == 4) image = {channels, value.dims[2], value.dims[3]};
  const std::string from = builder.source(value, image);
  OperatorWeights weights{{}, norm.scale, norm.shift, norm.mean, norm.variance};
  return {{value.dims, {}, {builder.add(BatchNorm2d{eps}, {from}, std::move(weights))}}};
}

/// x · (bias + alpha / size · Σ x²)^-beta, the sum over a window of channels.
Values local_response(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  NodeWindows windows = windows_of(node, value.dims, Shape(value.rank() - 2, 1));
  const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(1, node.integer("size", 1)));
  const std::uint64_t channels = windows.image[0];
  OnnxValue squares = apply_function(value, Activation{Function::power, 2}, builder);
  OperatorWeights weights;
  for (std::uint64_t o = 0; o < channels; ++o) {
    for (std::uint64_t i = 0; i < channels; ++i) {
      const bool is_near = i + (size - 1) / 2 >= o && i <= o + size / 2;
      weights.kept.push_back(is_near ? 1 : 0);
      if (builder.wants_values())
        weights.values.push_back(is_near ? node.number("alpha", 1e-4) / static_cast<double>(size) : 0);
    }
  }
  if (builder.wants_values()) weights.bias.assign(channels, node.number("bias", 1));
  const std::string from = builder.source(squares, windows.image);
  OnnxValue sums{value.dims, {}, {builder.add(Conv2d{channels, {1, 1}}, {from}, std::move(weights))}};
  sums = apply_function(sums, Activation{Function::power, -node.number("beta", 0.75)}, builder);
  return {combine_pair(value, sums, PairRule::product, builder)};
}

}  // namespace

const LoweringTable& window_lowerings() {
  static const LoweringTable table = {{"Conv", convolution},
                                      {"ConvTranspose", transposed_convolution},
                                      {"MaxPool", max_pool},
                                      {"AveragePool", average_pool},
                                      {"LpPool", lp_pool},
                                      {"GlobalLpPool", lp_pool},
                                      {"GlobalAveragePool", global_pool},
                                      {"GlobalMaxPool", global_pool},
                                      {"BatchNormalization", batch_norm<true>},
                                      {"BatchNormalization without folding", batch_norm<false>},
                                      {"LRN", local_response}};
  return table;
}

}  // namespace upsweep
