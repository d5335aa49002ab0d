#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "torch_call.hpp"

namespace upsweep {
namespace {

using Type = TorchType;
using Sizes = std::vector<std::int64_t>;

/// Axes of positions of the input: 1 of a sequence, 2 of an image.
std::size_t positions_of(const TorchCall& call, std::size_t wanted) {
  const std::size_t axes = call.inputs[0].rank() - 2;
  if (call.inputs[0].rank() < 3 || (wanted != 0 && axes != wanted)) {
    const Shape& dims = call.inputs[0].dims;
    throw std::invalid_argument(fmt::format("its input has shape {}, accepted is {}",
                                            to_string({dims.begin() + 1, dims.end()}),
                                            wanted == 1 ? "[channels, length]" : "[channels, height, width]"));
  }
  return axes;
}

/// A size of each axis; one stands for all.
Sizes sizes_of(const TorchCall& call, const char* key, Sizes fallback, std::size_t axes, std::int64_t least = 1) {
  Sizes sizes = call.integers(key, std::move(fallback));
  if (sizes.size() == 1) sizes.resize(axes, sizes[0]);
  bool fits = sizes.size() == axes;
  for (const std::int64_t size : sizes) fits = fits && size >= least && size <= static_cast<std::int64_t>(kMaxSetting);
  if (fits) return sizes;
  throw std::invalid_argument(fmt::format("its {} is wrong, accepted is an integer of at least {}{}", key, least,
                                          axes == 2 ? ", or one for y and one for x" : ""));
}

/// The window of a pooling or convolution as attributes of a node.
std::vector<NodeAttribute> window_of(const TorchCall& call, std::size_t axes, bool is_pooling) {
  const Sizes kernel = sizes_of(call, "kernel", {}, axes);
  Sizes pads = sizes_of(call, "padding", {0}, axes, 0);
  pads.insert(pads.end(), pads.begin(), pads.end());
  std::vector<NodeAttribute> window = {{"kernel_shape", kernel},
                                       {"strides", sizes_of(call, "stride", is_pooling ? kernel : Sizes{1}, axes)},
                                       {"pads", pads}};
  if (call.has("dilation")) window.emplace_back("dilations", sizes_of(call, "dilation", {1}, axes));
  if (is_pooling) window.emplace_back("ceil_mode", std::int64_t{call.flag("ceil_mode", false)});
  return window;
}

OnnxValue convolve(TorchCall& call, bool is_transposed) {
  const std::size_t axes = positions_of(call, 1);
  std::vector<NodeAttribute> attributes = window_of(call, axes, false);
  const auto groups = static_cast<std::uint64_t>(call.size("groups", 1));
  const auto outputs = static_cast<std::uint64_t>(call.size("out_channels", 0));
  const std::uint64_t inputs = call.input().dims[1];
  if (inputs % groups != 0 || outputs % groups != 0) {
    throw std::invalid_argument(
        fmt::format("it takes {} channels to {}, accepted are multiples of groups, {}", inputs, outputs, groups));
  }
  attributes.emplace_back("group", static_cast<std::int64_t>(groups));
  if (is_transposed) attributes.emplace_back("output_padding", sizes_of(call, "output_padding", {0}, axes, 0));
  Shape weight = is_transposed ? Shape{inputs, outputs / groups} : Shape{outputs, inputs / groups};
  for (const std::int64_t size : sizes_of(call, "kernel", {}, axes)) weight.push_back(static_cast<std::uint64_t>(size));
  std::vector<std::optional<OnnxValue>> values = {call.input(), weight_value(weight)};
  if (call.flag("bias", true)) values.emplace_back(weight_value({outputs}));
  return call.node(is_transposed ? "ConvTranspose" : "Conv", attributes, std::move(values));
}

OnnxValue average_of(TorchCall& call) {
  std::vector<NodeAttribute> attributes = window_of(call, positions_of(call, 1), true);
  attributes.emplace_back("count_include_pad", std::int64_t{call.flag("count_include_pad", true)});
  return call.node("AveragePool", attributes);
}

template <std::size_t axes>
OnnxValue lp_of(TorchCall& call) {
  const double p = call.number("norm_type", 2);
  if (p < 1 || p != std::floor(p))
    throw std::invalid_argument(fmt::format("its norm_type is {}, accepted are integers", p));
  std::vector<NodeAttribute> attributes = window_of(call, positions_of(call, axes), true);
  attributes.emplace_back("p", static_cast<std::int64_t>(p));
  return call.node("LpPool", attributes);
}

/// The window that gives so many outputs; only where the input is a multiple of them.
template <std::size_t axes>
OnnxValue adaptive_maximum(TorchCall& call) {
  static_cast<void>(positions_of(call, axes));
  const Sizes outputs = sizes_of(call, "output_size", {}, axes);
  Sizes kernel;
  for (std::size_t a = 0; a < axes; ++a) {
    const auto size = static_cast<std::int64_t>(call.input().dims[a + 2]);
    if (size % outputs[a] != 0)
      throw std::invalid_argument(fmt::format("{} outputs of {} inputs, accepted are divisors", outputs[a], size));
    kernel.push_back(size / outputs[a]);
  }
  return call.node("MaxPool", {{"kernel_shape", kernel}, {"strides", kernel}});
}

/// Bins of an image, or of a sequence as an image of one row.
OnnxValue adaptive_average(TorchCall& call, PerAxis outputs) {
  const Shape& dims = call.input().dims;
  const bool is_image = dims.size() == 4;
  const Shape image = is_image ? Shape{dims[1], dims[2], dims[3]} : Shape{dims[1], 1, dims[2]};
  const std::string from = call.builder.source(call.input(), image);
  const Shape out = is_image ? Shape{1, dims[1], outputs.y, outputs.x} : Shape{1, dims[1], outputs.x};
  return {out, {}, {call.builder.add(AdaptiveAvgPool2d{outputs}, {from})}};
}

OnnxValue adaptive_average_of_sequence(TorchCall& call) {
  static_cast<void>(positions_of(call, 1));
  return adaptive_average(call, {1, static_cast<std::uint64_t>(call.size("output_size", 0))});
}

OnnxValue local_response_of(TorchCall& call) {
  return call.node("LRN", {{"size", call.size("size", 0)},
                           {"alpha", call.number("alpha", 1e-4)},
                           {"beta", call.number("beta", 0.75)},
                           {"bias", call.number("k", 1)}});
}

/// Sizes and scales of the output as the inputs of a Resize; those of the batch and the channels stay.
std::vector<std::optional<OnnxValue>> resize_inputs(const TorchCall& call, std::size_t axes) {
  if (call.has("size") == call.has("scale_factor"))
    throw std::invalid_argument("it has neither or both of size and scale_factor, accepted is one of them");
  std::vector<double> all;
  if (call.has("size")) {
    for (const std::uint64_t size : {call.inputs[0].dims[0], call.inputs[0].dims[1]})
      all.push_back(static_cast<double>(size));
    for (const std::int64_t size : sizes_of(call, "size", {}, axes)) all.push_back(static_cast<double>(size));
    return {call.inputs[0], std::nullopt, std::nullopt, constant_value(all, true)};
  }
  std::vector<double> scales = call.get("scale_factor", std::vector<double>());
  if (scales.size() == 1) scales.resize(axes, scales[0]);
  if (scales.size() != axes) throw std::invalid_argument("scale_factor of another number of axes");
  all = {1, 1};
  all.insert(all.end(), scales.begin(), scales.end());
  return {call.inputs[0], std::nullopt, constant_value(all)};
}

OnnxValue interpolate_as(TorchCall& call) {
  const std::size_t axes = positions_of(call, 0);
  const std::string mode = call.text("mode", "nearest");
  std::vector<std::optional<OnnxValue>> values = resize_inputs(call, axes);
  if (mode == "area") {
    if (!call.has("size")) throw std::invalid_argument("mode area by scale_factor, accepted is size");
    const Sizes size = sizes_of(call, "size", {}, axes);
    return adaptive_average(
        call, {axes == 1 ? 1U : static_cast<std::uint64_t>(size[0]), static_cast<std::uint64_t>(size.back())});
  }
  const char* linear = axes == 1 ? "linear" : "bilinear";
  std::string place = call.flag("align_corners", false) ? "align_corners" : "half_pixel";
  if (mode == "nearest") {
    place = "asymmetric";
  } else if (mode != linear && mode != "nearest-exact" && (mode != "bicubic" || axes != 2)) {
    throw std::invalid_argument(fmt::format("its mode is '{}', accepted are nearest, nearest-exact, area, {}{}", mode,
                                            linear, axes == 2 ? ", bicubic" : ""));
  }
  const bool is_nearest = mode.starts_with("nearest");
  const std::int64_t antialias = call.flag("antialias", false) ? 1 : 0;
  return call.node("Resize",
                   {{"mode", std::string(is_nearest          ? "nearest"
                                         : mode == "bicubic" ? "cubic"
                                                             : "linear")},
                    {"coordinate_transformation_mode", place},
                    {"nearest_mode", std::string(mode == "nearest" ? "floor" : "round_prefer_ceil")},
                    {"antialias", antialias},
                    {"exclude_outside", antialias},
                    // PyTorch's coefficient, and Pillow's where it is antialiased.
                    {"cubic_coeff_a", antialias != 0 ? -0.5 : -0.75}},
                   std::move(values));
}

}  // namespace

std::vector<TorchOperator> torch_windows() {
  const std::vector<TorchArgument> convolution = {{"out_channels", Type::integer, true},
                                                  {"kernel", Type::integers, true},
                                                  {"stride", Type::integers},
                                                  {"padding", Type::integers},
                                                  {"dilation", Type::integers},
                                                  {"groups", Type::integer},
                                                  {"bias", Type::flag}};
  std::vector<TorchArgument> transposed = convolution;
  transposed.push_back({"output_padding", Type::integers});
  const std::vector<TorchArgument> pooling = {{"kernel", Type::integers, true},
                                              {"stride", Type::integers},
                                              {"padding", Type::integers},
                                              {"ceil_mode", Type::flag}};
  std::vector<TorchArgument> maximum = pooling;
  maximum.push_back({"dilation", Type::integers});
  std::vector<TorchArgument> average = pooling;
  average.push_back({"count_include_pad", Type::flag});
  const std::vector<TorchArgument> lp = {{"norm_type", Type::number, true},
                                         {"kernel", Type::integers, true},
                                         {"stride", Type::integers},
                                         {"ceil_mode", Type::flag}};
  const std::vector<TorchArgument> adaptive = {{"output_size", Type::integers, true}};
  return {
      {"adaptive_avg_pool1d", {{"output_size", Type::integer, true}}, adaptive_average_of_sequence},
      {"adaptive_max_pool1d", adaptive, adaptive_maximum<1>},
      {"adaptive_max_pool2d", adaptive, adaptive_maximum<2>},
      {"avg_pool1d", average, average_of},
      {"conv1d", convolution, [](TorchCall& call) { return convolve(call, false); }},
      {"conv_transpose1d", transposed, [](TorchCall& call) { return convolve(call, true); }},
      {"interpolate",
       {{"size", Type::integers},
        {"scale_factor", Type::numbers},
        {"mode", Type::text},
        {"align_corners", Type::flag},
        {"antialias", Type::flag}},
       interpolate_as},
      {"local_response_norm",
       {{"size", Type::integer, true}, {"alpha", Type::number}, {"beta", Type::number}, {"k", Type::number}},
       local_response_of},
      {"lp_pool1d", lp, lp_of<1>},
      {"lp_pool2d", lp, lp_of<2>},
      {"max_pool1d", maximum,
       [](TorchCall& call) { return call.node("MaxPool", window_of(call, positions_of(call, 1), true)); }},
  };
}

}  // namespace upsweep
