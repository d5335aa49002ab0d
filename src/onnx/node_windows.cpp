#include "node_windows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <tuple>

namespace upsweep {
namespace {

/// Padding of auto_pad = SAME_UPPER or SAME_LOWER along an axis.
std::pair<std::uint64_t, std::uint64_t> same_padding(std::uint64_t in, std::uint64_t kernel, std::uint64_t stride,
                                                     std::uint64_t dilation, bool is_lower) {
  const std::uint64_t reach = ((in + stride - 1) / stride - 1) * stride + dilation * (kernel - 1) + 1;
  const std::uint64_t total = reach > in ? reach - in : 0;
  return is_lower ? std::pair{total - total / 2, total / 2} : std::pair{total / 2, total - total / 2};
}

}  // namespace

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

std::string image_of(OnnxValue value, NodeWindows& windows, double fill, NetworkBuilder& builder) {
  if (windows.before == windows.after) return builder.source(value, windows.image);
  Move pad{{1, windows.image[0], 0, 0}, {}, fill};
  const std::uint64_t height = windows.image[1];
  const std::uint64_t width = windows.image[2];
  pad.dims[2] = height + windows.before.y + windows.after.y;
  pad.dims[3] = width + windows.before.x + windows.after.x;
  require_size(pad.dims);
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

OnnxValue windowed(const OperatorKind& kind, const std::string& from, const NodeWindows& windows,
                   NetworkBuilder& builder) {
  const std::string name = builder.add(kind, {from});
  return {windows.dims(builder.shape_of(name)), {}, {name}};
}

}  // namespace upsweep
