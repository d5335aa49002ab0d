#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "node_windows.hpp"
#include "resizing.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// Pools along the first of three axes of positions, as PyTorch exports windows of channels: the other two are one.
/// Null where a node is none of these.
std::optional<OnnxValue> pool_along_first(const OnnxNode& node, NetworkBuilder& builder) {
  const Shape& dims = node.input(0).dims;
  const auto kernel = node.integers("kernel_shape");
  if (dims.size() != 5 || !kernel || kernel->size() != 3 || (*kernel)[1] != 1 || (*kernel)[2] != 1) return std::nullopt;
  onnx::NodeProto proto = node.proto;
  for (auto& attribute : *proto.mutable_attribute()) {
    const bool is_pads = attribute.name() == "pads";
    if (!is_pads && attribute.name() != "kernel_shape" && attribute.name() != "strides" &&
        attribute.name() != "dilations")
      continue;
    const std::vector<std::int64_t> all(attribute.ints().begin(), attribute.ints().end());
    const std::int64_t usual = is_pads ? 0 : 1;
    if (all.size() != (is_pads ? 6U : 3U)) return std::nullopt;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k % 3 != 0 && all[k] != usual) return std::nullopt;
    }
    attribute.clear_ints();
    for (std::size_t k = 0; k < all.size(); k += 3) {
      attribute.add_ints(all[k]);
      attribute.add_ints(usual);
    }
  }
  OnnxValue flat = node.input(0);
  flat.dims = {dims[0], dims[1], dims[2], dims[3] * dims[4]};
  flat.producer.clear();
  OnnxNode plain{proto, node.opset, {flat}};
  OnnxValue result = lower_node(plain, builder, {}).outputs[0];
  result.dims = {dims[0], dims[1], result.dims[2], dims[3], dims[4]};
  return result;
}

/// How many positions an activation has along each of its axes of positions, of which it has some.
Shape positions_of(const OnnxValue& value) {
  if (value.rank() < 3) throw std::invalid_argument("an input without positions");
  return {value.dims.begin() + 2, value.dims.end()};
}

Values max_pool(OnnxNode& node, NetworkBuilder& builder) {
  if (auto along_first = pool_along_first(node, builder)) return {*std::move(along_first)};
  NodeWindows windows = windows_of(node, node.input(0).dims, {});
  const std::string from = image_of(node.input(0), windows, -1e300, builder);
  const MaxPool2d pool{windows.kernel, windows.stride, windows.before, windows.dilation,
                       node.integer("ceil_mode", 0) != 0};
  return {windowed(pool, from, windows, builder)};
}

AvgPool2d average(const OnnxNode& node, const NodeWindows& windows) {
  AvgPool2d pool{windows.kernel, windows.stride, windows.before, node.integer("ceil_mode", 0) != 0};
  pool.count_include_pad = node.integer("count_include_pad", 0) != 0;
  return pool;
}

/// Along an axis: of how many inputs that are no padding each window of a padded image is.
std::vector<double> inputs_of_windows(std::uint64_t in, std::uint64_t out, std::uint64_t before, std::uint64_t kernel,
                                      std::uint64_t stride) {
  std::vector<double> counts;
  for (std::uint64_t o = 0; o < out; ++o) {
    const std::uint64_t first = std::max(o * stride, before);
    const std::uint64_t last = std::min(o * stride + kernel, before + in);
    counts.push_back(first < last ? static_cast<double>(last - first) : 1);
  }
  return counts;
}

/// With a padding that differs and does not count: sums, divided by a number of each position.
OnnxValue average_of_inputs(const OnnxNode& node, NodeWindows windows, NetworkBuilder& builder) {
  const NodeWindows stated = windows;
  const std::string from = image_of(node.input(0), windows, 0, builder);
  AvgPool2d pool = average(node, windows);
  pool.divisor_override = 1;
  const OnnxValue sums = windowed(pool, from, windows, builder);
  const Shape& out = builder.shape_of(sums.sources[0]);
  const auto rows = inputs_of_windows(stated.image[1], out[1], stated.before.y, stated.kernel.y, stated.stride.y);
  const auto columns = inputs_of_windows(stated.image[2], out[2], stated.before.x, stated.kernel.x, stated.stride.x);
  std::vector<double> counts;
  for (const double row : rows) {
    for (const double column : columns) counts.push_back(row * column);
  }
  const Shape dims = stated.axes == 1 ? Shape{out[2]} : Shape{out[1], out[2]};
  const Tensor divisors = Tensor::of(dims, std::move(counts), false);
  return scale_and_shift(sums, &divisors, true, nullptr, false, builder);
}

Values average_pool(OnnxNode& node, NetworkBuilder& builder) {
  if (auto along_first = pool_along_first(node, builder)) return {*std::move(along_first)};
  NodeWindows windows = windows_of(node, node.input(0).dims, {});
  if (windows.dilation != PerAxis{1, 1}) throw std::invalid_argument("dilations, accepted are windows without");
  if (windows.before != windows.after && node.integer("count_include_pad", 0) == 0)
    return {average_of_inputs(node, windows, builder)};
  const std::string from = image_of(node.input(0), windows, 0, builder);
  return {windowed(average(node, windows), from, windows, builder)};
}

/// (Σ |x|^p)^(1/p): a power, an average pooling that does not divide, a power.
Values lp_pool(OnnxNode& node, NetworkBuilder& builder) {
  const auto p = static_cast<double>(node.integer("p", 2));
  if (p < 1) throw std::invalid_argument(fmt::format("p is {}, accepted is at least 1", p));
  OnnxValue value = node.input(0);
  if (std::fmod(p, 2) != 0) value = apply_function(value, Activation{Function::absolute}, builder);
  if (p != 1) value = apply_function(value, Activation{Function::power, p}, builder);
  const Shape all = positions_of(value);
  NodeWindows windows = windows_of(node, value.dims, node.type() == "GlobalLpPool" ? all : Shape{});
  const std::string from = image_of(value, windows, 0, builder);
  AvgPool2d pool = average(node, windows);
  pool.divisor_override = 1;
  value = windowed(pool, from, windows, builder);
  return {p == 1 ? value : apply_function(value, Activation{Function::power, 1 / p}, builder)};
}

Values global_pool(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  NodeWindows windows = windows_of(node, value.dims, positions_of(value));
  const std::string from = builder.source(value, windows.image);
  if (node.type() == "GlobalMaxPool") return {windowed(MaxPool2d{windows.kernel, {1, 1}}, from, windows, builder)};
  return {windowed(AdaptiveAvgPool2d{{1, 1}}, from, windows, builder)};
}

/// Along the last two axes of an image, or the last one of a sequence.
Values interpolate(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  const NodeWindows windows = windows_of(node, value.dims, Shape(positions_of(value).size(), 1));
  const Resizing to = resizing_of(node, value.dims);
  if (to.dims[0] != 1 || to.dims[1] != value.dims[1] || to.shift != 0) {
    throw std::invalid_argument(fmt::format("an output of shape {}, accepted are places along the last axes of {}",
                                            to_string(to.dims), to_string(value.dims)));
  }
  const std::string mode = node.text("mode", "linear");
  if (mode != "linear" && mode != "cubic")
    throw std::invalid_argument(fmt::format("mode '{}', accepted are nearest, linear and cubic", mode));
  Interpolation kind;
  kind.mode = mode == "cubic" ? InterpolationMode::cubic : InterpolationMode::linear;
  kind.place = to.place;
  kind.output_size = {windows.axes == 1 ? 1 : to.dims[2], to.dims.back()};
  kind.scale_y = windows.axes == 1 ? 0 : to.scales[2];
  kind.scale_x = to.scales.back();
  kind.cubic_coefficient = node.number("cubic_coeff_a", -0.75);
  kind.exclude_outside = node.integer("exclude_outside", 0) != 0;
  kind.antialias = node.integer("antialias", 0) != 0;
  const std::string from = builder.source(value, windows.image);
  return {windowed(kind, from, windows, builder)};
}

/// x · (bias + alpha / size · Σ x²)^-beta, the sum over a window of channels: a pooling of the channels as rows.
Values local_response(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  if (value.rank() < 2 || value.dims[0] != 1) {
    throw std::invalid_argument(
        fmt::format("an input of shape {}, accepted is [1, channels, ...]", to_string(value.dims)));
  }
  const auto size = static_cast<std::uint64_t>(std::clamp<std::int64_t>(node.integer("size", 1), 1, kMaxSetting));
  OnnxValue squares = apply_function(value, Activation{Function::power, 2}, builder);
  squares.dims = {1, 1, value.dims[1], elements(value.dims) / value.dims[1]};
  NodeWindows windows{{1, squares.dims[2], squares.dims[3]}, {size, 1}};
  windows.before.y = (size - 1) / 2;
  windows.after.y = size / 2;
  const std::string from = image_of(squares, windows, 0, builder);
  AvgPool2d pool{windows.kernel, {1, 1}, windows.before};
  pool.divisor_override = size;
  const std::string means = builder.add(pool, {from});
  OperatorWeights weights;
  if (builder.wants_values()) weights = {{}, {node.number("alpha", 1e-4)}, {node.number("bias", 1)}, {}, {}};
  OnnxValue sums{value.dims, {}, {builder.add(Scaling{1, 1, true}, {means}, std::move(weights))}};
  sums = apply_function(sums, Activation{Function::power, -node.number("beta", 0.75)}, builder);
  return {combine_pair(value, sums, PairRule::product, builder)};
}

}  // namespace

const LoweringTable& pool_lowerings() {
  static const LoweringTable table = {
      {"MaxPool", max_pool},     {"AveragePool", average_pool},      {"LpPool", lp_pool},
      {"GlobalLpPool", lp_pool}, {"GlobalAveragePool", global_pool}, {"GlobalMaxPool", global_pool},
      {"Resize", interpolate},   {"Upsample", interpolate},          {"LRN", local_response}};
  return table;
}

}  // namespace upsweep
