#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "node_windows.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

Shape kernel_of(const Tensor& weight) {
  if (weight.dims.size() < 3) {
    throw std::invalid_argument(
        fmt::format("a weight of shape {}, accepted are three or four axes", to_string(weight.dims)));
  }
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
  OperatorWeights weights = builder.weights_of(weight);
  if (conv.bias) weights.bias = builder.numbers_of(node.constant(2));
  OnnxValue result = weighted(conv, from, std::move(weights), windows, builder);
  add_to(builder.network().macs.conv,
         checked_mul(elements(result.dims), checked_mul(weight.dims[1], conv.kernel.y * conv.kernel.x)));
  return {result};
}

/// What transposed convolutions add to their padding along an axis, so that the output has a size that is stated or,
/// with auto_pad, the input's times the stride.
std::uint64_t total_padding(std::uint64_t in, std::uint64_t wanted, std::uint64_t stride, std::uint64_t extra,
                            std::uint64_t kernel, std::uint64_t dilation) {
  const std::uint64_t full = stride * (in - 1) + extra + (kernel - 1) * dilation + 1;
  if (wanted > full)
    throw std::invalid_argument(fmt::format("an output of {} elements, accepted are at most {}", wanted, full));
  return full - wanted;
}

/// The padding of a transposed convolution as the node states it, or as the size of its output asks for.
void pad_transposed(const OnnxNode& node, const PerAxis& extra, NodeWindows& windows) {
  const std::string automatic = node.text("auto_pad", "NOTSET");
  const auto stated = node.integers("output_shape");
  if (!stated && !automatic.starts_with("SAME")) return;
  PerAxis size{windows.image[1] * windows.stride.y, windows.image[2] * windows.stride.x};
  if (stated) {
    const std::size_t first = stated->size() > windows.axes ? stated->size() - windows.axes : 0;
    size = pair_of(*stated, windows.axes, first, 1, "output_shape");
  }
  for (const auto axis : {&PerAxis::y, &PerAxis::x}) {
    const std::uint64_t in = axis == &PerAxis::y ? windows.image[1] : windows.image[2];
    const std::uint64_t total =
        total_padding(in, size.*axis, windows.stride.*axis, extra.*axis, windows.kernel.*axis, windows.dilation.*axis);
    const bool more_before = automatic != "SAME_UPPER";
    windows.before.*axis = more_before ? total - total / 2 : total / 2;
    windows.after.*axis = total - windows.before.*axis;
  }
}

/// The part of an image that is left without some rows and columns at its borders.
OnnxValue cropped(const OnnxValue& value, const NodeWindows& windows, const PerAxis& before, const PerAxis& after,
                  NetworkBuilder& builder) {
  if (before == PerAxis{0, 0} && after == PerAxis{0, 0}) return value;
  const std::uint64_t height = windows.axes == 1 ? 1 : value.dims[2];
  const std::uint64_t width = value.dims.back();
  if (before.y + after.y >= height || before.x + after.x >= width)
    throw std::invalid_argument(fmt::format("pads of all {}", to_string(value.dims)));
  require_size(value.dims);
  Move move{value.dims, {}, 0};
  if (windows.axes == 2) move.dims[2] -= before.y + after.y;
  move.dims.back() -= before.x + after.x;
  for (std::uint64_t c = 0; c < value.dims[1]; ++c) {
    for (std::uint64_t y = before.y; y < height - after.y; ++y) {
      for (std::uint64_t x = before.x; x < width - after.x; ++x)
        move.from.push_back(static_cast<std::uint32_t>((c * height + y) * width + x));
    }
  }
  return builder.moved(move, {value});
}

Values transposed_convolution(OnnxNode& node, NetworkBuilder& builder) {
  const Tensor& weight = node.constant(1);
  NodeWindows windows = windows_of(node, node.input(0).dims, kernel_of(weight));
  ConvTranspose2d conv;
  conv.groups = static_cast<std::uint64_t>(node.integer("group", 1));
  if (conv.groups == 0 || windows.image[0] != weight.dims[0] || windows.image[0] % conv.groups != 0) {
    throw std::invalid_argument(
        fmt::format("a weight of shape {} of {} channels", to_string(weight.dims), windows.image[0]));
  }
  conv.out_channels = weight.dims[1] * conv.groups;
  conv.kernel = windows.kernel;
  conv.stride = windows.stride;
  conv.dilation = windows.dilation;
  if (const auto extra = node.integers("output_padding"))
    conv.output_padding = pair_of(*extra, windows.axes, 0, 0, "output_padding");
  pad_transposed(node, conv.output_padding, windows);
  // What both sides have is the operator's, what one has more is cut off.
  conv.padding = {std::min(windows.before.y, windows.after.y), std::min(windows.before.x, windows.after.x)};
  const auto more = [&](const PerAxis& pad) { return PerAxis{pad.y - conv.padding.y, pad.x - conv.padding.x}; };
  conv.bias = node.has(2);
  const std::uint64_t kernel = conv.kernel.y * conv.kernel.x;
  OperatorWeights weights = builder.weights_of(weight, [&] { return conv.stored_order(weight.dims[0]); });
  if (conv.bias) weights.bias = builder.numbers_of(node.constant(2));
  OnnxValue input = node.input(0);
  const std::string from = builder.source(input, windows.image);
  add_to(builder.network().macs.conv, checked_mul(elements(windows.image), checked_mul(weight.dims[1], kernel)));
  const OnnxValue all = weighted(conv, from, std::move(weights), windows, builder);
  return {cropped(all, windows, more(windows.before), more(windows.after), builder)};
}

}  // namespace

const LoweringTable& window_lowerings() {
  static const LoweringTable table = {{"Conv", convolution}, {"ConvTranspose", transposed_convolution}};
  return table;
}

}  // namespace upsweep
