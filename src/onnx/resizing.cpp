#include "resizing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace upsweep {
namespace {

/// The axes that sizes and scales are of: all, or those that the node names (from opset 18 on).
std::vector<std::size_t> axes_of(const OnnxNode& node, std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  const auto stated = node.integers("axes");
  if (!stated) return axes;
  axes.clear();
  for (const std::int64_t axis : *stated) axes.push_back(axis_of(axis, rank));
  return axes;
}

void require_count(std::size_t found, std::size_t axes) {
  if (found != axes)
    throw std::invalid_argument(fmt::format("sizes or scales of {} axes, accepted are {}", found, axes));
}

/// Sizes that are stated, or, where the ratio of the sides is kept, the nearest that keep it.
void take_sizes(const OnnxNode& node, const Shape& in, const std::vector<std::size_t>& axes, Resizing& to) {
  const std::vector<std::int64_t> sizes = node.constant(3).integers();
  require_count(sizes.size(), axes.size());
  const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  double common = policy == "not_larger" ? HUGE_VAL : 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] < 1 || sizes[k] > static_cast<std::int64_t>(kMostMoved))
      throw std::invalid_argument(fmt::format("a size of {}", sizes[k]));
    const double ratio = static_cast<double>(sizes[k]) / static_cast<double>(in[axes[k]]);
    common = policy == "not_larger" ? std::min(common, ratio) : std::max(common, ratio);
    to.dims[axes[k]] = static_cast<std::uint64_t>(sizes[k]);
  }
  if (policy == "stretch") return;
  for (const std::size_t a : axes) {
    to.scales[a] = common;
    to.dims[a] = static_cast<std::uint64_t>(std::max(1.0, std::floor(common * static_cast<double>(in[a]) + 0.5)));
  }
}

void take_scales(const Tensor& stated, const Shape& in, const std::vector<std::size_t>& axes, Resizing& to) {
  const std::vector<double> scales = stated.values();
  require_count(scales.size(), axes.size());
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const double size = std::floor(static_cast<double>(in[axes[k]]) * scales[k]);
    if (!(size >= 1 && size <= static_cast<double>(kMostMoved))) throw std::invalid_argument("a scale out of range");
    to.dims[axes[k]] = static_cast<std::uint64_t>(size);
    to.scales[axes[k]] = scales[k];
  }
}

}  // namespace

Resizing resizing_of(const OnnxNode& node, const Shape& in) {
  static const std::map<std::string, SamplePlace> places = {{"half_pixel", SamplePlace::half_pixel},
                                                            {"half_pixel_symmetric", SamplePlace::half_pixel_symmetric},
                                                            {"pytorch_half_pixel", SamplePlace::pytorch_half_pixel},
                                                            {"align_corners", SamplePlace::align_corners},
                                                            {"asymmetric", SamplePlace::asymmetric},
                                                            {"tf_half_pixel_for_nn", SamplePlace::half_pixel}};
  if (elements(in) == 0) throw std::invalid_argument("an input without elements");
  Resizing to{in, std::vector<double>(in.size())};
  to.is_old = node.type() == "Upsample" || node.opset < 11;
  const std::string place = to.is_old ? "asymmetric" : node.text("coordinate_transformation_mode", "half_pixel");
  const auto found = places.find(place);
  if (found == places.end()) {
    throw std::invalid_argument(fmt::format(
        "coordinate_transformation_mode '{}', accepted are half_pixel, half_pixel_symmetric, pytorch_half_pixel, "
        "align_corners, asymmetric and tf_half_pixel_for_nn",
        place));
  }
  to.place = found->second;
  if (place == "tf_half_pixel_for_nn") to.shift = 0.5;
  const std::vector<std::size_t> axes = axes_of(node, in.size());
  if (node.has(3)) {
    take_sizes(node, in, axes, to);
  } else if (const auto* attribute = node.find("scales")) {  // Upsample of opset 7
    const std::vector<double> scales(attribute->floats().begin(), attribute->floats().end());
    take_scales(Tensor::of({scales.size()}, scales, false), in, axes, to);
  } else {
    take_scales(node.constant(to.is_old ? 1 : 2), in, axes, to);
  }
  require_size(to.dims);  // before places along its axes are listed
  return to;
}

}  // namespace upsweep
