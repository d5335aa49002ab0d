#include "upsweep/network/operators/interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

/// Inputs and outputs along an axis.
struct ScaledAxis {
  std::uint64_t in = 1;
  std::uint64_t out = 1;
  double scale = 0;

  [[nodiscard]] double ratio() const { return scale > 0 ? scale : static_cast<double>(out) / static_cast<double>(in); }
};

/// Height of the tent or cubic at a distance.
double height_at(const Interpolation& kind, double distance) {
  const double d = std::fabs(distance);
  if (kind.mode == InterpolationMode::linear) return std::max(0.0, 1 - d);
  const double a = kind.cubic_coefficient;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

/// What each input counts for in an output.
std::map<std::uint32_t, double> taps_of(const Interpolation& kind, const ScaledAxis& axis, std::uint64_t output) {
  const double at = sample_place(kind.place, axis.in, axis.out, axis.scale, output);
  const double narrowing = kind.antialias ? std::min(1.0, axis.ratio()) : 1;
  const double reach = (kind.mode == InterpolationMode::linear ? 1 : 2) / narrowing;
  const auto last = static_cast<double>(axis.in - 1);
  std::map<std::uint32_t, double> counts;
  double sum = 0;
  for (double i = std::ceil(at - reach); i <= std::floor(at + reach); ++i) {
    if (kind.exclude_outside && (i < 0 || i > last)) continue;
    const double height = height_at(kind, (i - at) * narrowing);
    counts[static_cast<std::uint32_t>(std::clamp(i, 0.0, last))] += height;
    sum += height;
  }
  std::erase_if(counts, [](const auto& one) { return one.second == 0; });
  if (counts.empty())  // no input is near, which exclude_outside alone can do
    throw std::invalid_argument("an output has no input within reach, accepted are places inside the input");
  if (kind.antialias || kind.exclude_outside) {
    for (auto& [input, height] : counts) height /= sum;
  }
  return counts;
}

ScaledAxis scaled_axis(const Interpolation& kind, const Operator& op, bool is_y) {
  return is_y ? ScaledAxis{op.in_shape[1], kind.output_size.y, kind.scale_y}
              : ScaledAxis{op.in_shape[2], kind.output_size.x, kind.scale_x};
}

std::pair<AxisWindows, std::vector<double>> along(const Interpolation& kind, const ScaledAxis& axis) {
  std::vector<std::vector<std::uint32_t>> inputs;
  std::vector<double> coefficients;
  for (std::uint64_t o = 0; o < axis.out; ++o) {
    auto& mine = inputs.emplace_back();
    for (const auto& [input, height] : taps_of(kind, axis, o)) {
      mine.push_back(input);
      coefficients.push_back(height);
    }
  }
  return {AxisWindows::listed(axis.in, inputs), std::move(coefficients)};
}

}  // namespace

double sample_place(SamplePlace place, std::uint64_t in, std::uint64_t out, double scale, std::uint64_t x) {
  const auto at = static_cast<double>(x);
  const auto inputs = static_cast<double>(in);
  const auto outputs = static_cast<double>(out);
  // Of two integers one division, so that what should be a whole number is one.
  const double middle = scale > 0 ? (at + 0.5) / scale - 0.5 : ((2 * at + 1) * inputs - outputs) / (2 * outputs);
  switch (place) {
    case SamplePlace::half_pixel:
      return middle;
    case SamplePlace::half_pixel_symmetric:
      return scale > 0 ? middle + (inputs - outputs / scale) / 2 : middle;
    case SamplePlace::pytorch_half_pixel:
      return out > 1 ? middle : 0;
    case SamplePlace::align_corners:
      return out > 1 ? at * (inputs - 1) / (outputs - 1) : 0;
    case SamplePlace::asymmetric:
      return scale > 0 ? at / scale : at * inputs / outputs;
  }
  return middle;
}

Shape Interpolation::shape(const Shape& in) const {
  require_image(in);
  require_positive("output_size", output_size);
  for (const ScaledAxis& axis :
       {ScaledAxis{in[1], output_size.y, scale_y}, ScaledAxis{in[2], output_size.x, scale_x}}) {
    const double size = axis.scale * static_cast<double>(axis.in);
    if (axis.scale == 0 || std::fabs(size - static_cast<double>(axis.out)) < 1) continue;
    throw std::invalid_argument(fmt::format("a scale of {} makes {} of {} inputs, accepted is the output size, {}",
                                            axis.scale, size, axis.in, axis.out));
  }
  return {in[0], output_size.y, output_size.x};
}

ImageWindows Interpolation::windows(const Operator& op) const {
  return {along(*this, scaled_axis(*this, op, true)).first, along(*this, scaled_axis(*this, op, false)).first};
}

std::pair<std::vector<double>, std::vector<double>> Interpolation::coefficients(const Operator& op) const {
  return {along(*this, scaled_axis(*this, op, true)).second, along(*this, scaled_axis(*this, op, false)).second};
}

std::vector<double> Interpolation::value(const Operator& op, std::span<const double> x) const {
  const auto [y_windows, y_counts] = along(*this, scaled_axis(*this, op, true));
  const auto [x_windows, x_counts] = along(*this, scaled_axis(*this, op, false));
  std::vector<double> out;
  out.reserve(elements(op.out_shape));
  for (std::size_t c = 0; c < op.in_shape[0]; ++c) {
    const std::span<const double> plane = x.subspan(c * op.in_shape[1] * op.in_shape[2]);
    for (std::size_t oy = 0; oy < output_size.y; ++oy) {
      for (std::size_t ox = 0; ox < output_size.x; ++ox) {
        double sum = 0;
        for (const Tap& ty : y_windows.by_output(oy)) {
          for (const Tap& tx : x_windows.by_output(ox))
            sum += y_counts[ty.kernel] * x_counts[tx.kernel] * plane[ty.position * op.in_shape[2] + tx.position];
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

}  // namespace upsweep
