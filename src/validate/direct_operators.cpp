#include "direct_operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "direct_slopes.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

/// Windows of a convolution or pooling. Positions are those of the padded image: input y is at padding.y + y.
struct SlidingWindow {
  PerAxis kernel, stride, padding, dilation;
};

/// From the gradient of one output channel to that of one input channel, by one weight of the kernel.
void hand_back_weight(double weight, const PerAxis& tap, const SlidingWindow& window, const Operator& op,
                      const double* upstream, double* to) {
  const std::size_t height = op.in_shape[1];
  const std::size_t width = op.in_shape[2];
  for (std::size_t oy = 0; oy < op.out_shape[1]; ++oy) {
    const std::size_t y = oy * window.stride.y + tap.y * window.dilation.y;
    if (y < window.padding.y || y - window.padding.y >= height) continue;
    const double* from = upstream + oy * op.out_shape[2];
    double* row = to + (y - window.padding.y) * width;
    for (std::size_t ox = 0; ox < op.out_shape[2]; ++ox) {
      const std::size_t x = ox * window.stride.x + tap.x * window.dilation.x;
      if (x >= window.padding.x && x - window.padding.x < width) row[x - window.padding.x] += weight * from[ox];
    }
  }
}

std::vector<double> through_convolution(const Operator& op, const Conv2d& conv, const OperatorWeights& weights,
                                        std::span<const double> upstream, PassKind pass) {
  const SlidingWindow window{conv.kernel, conv.stride, conv.padding, conv.dilation};
  const std::size_t group_inputs = op.in_shape[0] / conv.groups;
  const std::size_t group_outputs = conv.out_channels / conv.groups;
  const std::size_t in_plane = op.in_shape[1] * op.in_shape[2];
  const std::size_t out_plane = op.out_shape[1] * op.out_shape[2];
  std::vector<double> result(elements(op.in_shape), 0.0);
  // An input channel is one thread's own, and what comes to it comes in one order.
  parallel_chunks(op.in_shape[0], 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t ci = begin; ci < end; ++ci) {
      const std::size_t group = ci / group_inputs;
      for (std::size_t co = group * group_outputs; co < (group + 1) * group_outputs; ++co) {
        for (std::size_t ky = 0; ky < conv.kernel.y; ++ky) {
          for (std::size_t kx = 0; kx < conv.kernel.x; ++kx) {
            const std::size_t row = (co * group_inputs + ci % group_inputs) * conv.kernel.y + ky;
            const double weight = taken(weights.values[row * conv.kernel.x + kx], pass);
            if (weight == 0) continue;
            hand_back_weight(weight, {ky, kx}, window, op, upstream.data() + co * out_plane,
                             result.data() + ci * in_plane);
          }
        }
      }
    }
  });
  return result;
}

/// Input (y, x) has been added to output (y · stride + k · dilation - padding), so that is where its gradient is.
std::vector<double> through_transposed(const Operator& op, const ConvTranspose2d& conv, const OperatorWeights& weights,
                                       std::span<const double> upstream, PassKind pass) {
  const std::size_t group_inputs = op.in_shape[0] / conv.groups;
  const std::size_t group_outputs = conv.out_channels / conv.groups;
  const auto place = [](std::size_t at, std::size_t k, std::size_t stride, std::size_t dilation, std::size_t padding) {
    return static_cast<std::int64_t>(at * stride + k * dilation) - static_cast<std::int64_t>(padding);
  };
  std::vector<double> result;
  for (std::size_t i = 0; i < elements(op.in_shape); ++i) {
    const std::size_t ci = i / (op.in_shape[1] * op.in_shape[2]);
    const std::size_t y = i / op.in_shape[2] % op.in_shape[1];
    double sum = 0;
    for (std::size_t k = 0; k < group_outputs * conv.kernel.y * conv.kernel.x; ++k) {
      const std::size_t co = ci / group_inputs * group_outputs + k / (conv.kernel.y * conv.kernel.x);
      const std::size_t tap = k % (conv.kernel.y * conv.kernel.x);
      const std::int64_t oy = place(y, tap / conv.kernel.x, conv.stride.y, conv.dilation.y, conv.padding.y);
      const std::int64_t ox =
          place(i % op.in_shape[2], tap % conv.kernel.x, conv.stride.x, conv.dilation.x, conv.padding.x);
      if (oy < 0 || ox < 0 || oy >= static_cast<std::int64_t>(op.out_shape[1]) ||
          ox >= static_cast<std::int64_t>(op.out_shape[2]))
        continue;
      const std::size_t weight = (co * group_inputs + ci % group_inputs) * conv.kernel.y * conv.kernel.x + tap;
      const std::size_t at = (co * op.out_shape[1] + static_cast<std::size_t>(oy)) * op.out_shape[2];
      sum += taken(weights.values[weight], pass) * upstream[at + static_cast<std::size_t>(ox)];
    }
    result.push_back(sum);
  }
  return result;
}

std::vector<double> through_linear(const Operator& op, const OperatorWeights& weights, std::span<const double> upstream,
                                   PassKind pass) {
  const std::size_t features = op.in_shape.back();
  const std::size_t outputs = op.out_shape.back();
  std::vector<double> result(elements(op.in_shape), 0.0);
  for (std::size_t vector = 0; vector < result.size() / features; ++vector) {
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < features; ++i) {
        const double weight = taken(weights.values[o * features + i], pass);
        if (weight != 0) result[vector * features + i] += weight * upstream[vector * outputs + o];
      }
    }
  }
  return result;
}

/// Calls visit(output, output row, output column, first input of the channel) for every output of a pooling.
template <class Visit>
void for_each_output(const Operator& op, const Visit& visit) {
  std::size_t output = 0;
  for (std::size_t c = 0; c < op.out_shape[0]; ++c) {
    for (std::size_t oy = 0; oy < op.out_shape[1]; ++oy) {
      for (std::size_t ox = 0; ox < op.out_shape[2]; ++ox, ++output)
        visit(output, oy, ox, c * op.in_shape[1] * op.in_shape[2]);
    }
  }
}

/// What lies under a window of one output.
struct WindowInputs {
  std::vector<std::size_t> inputs;  ///< y · width + x, in row-major order of the window
  std::size_t padded_count = 0;     ///< positions in the padded image; beyond it there are some with ceil_mode
};

void find_inputs(const SlidingWindow& window, const Operator& op, std::size_t oy, std::size_t ox, WindowInputs& found) {
  const std::size_t height = op.in_shape[1];
  const std::size_t width = op.in_shape[2];
  found.inputs.clear();
  found.padded_count = 0;
  for (std::size_t ky = 0; ky < window.kernel.y; ++ky) {
    const std::size_t y = oy * window.stride.y + ky * window.dilation.y;
    if (y >= height + 2 * window.padding.y) break;
    for (std::size_t kx = 0; kx < window.kernel.x; ++kx) {
      const std::size_t x = ox * window.stride.x + kx * window.dilation.x;
      if (x >= width + 2 * window.padding.x) break;
      ++found.padded_count;
      if (y < window.padding.y || y - window.padding.y >= height) continue;
      if (x < window.padding.x || x - window.padding.x >= width) continue;
      found.inputs.push_back((y - window.padding.y) * width + x - window.padding.x);
    }
  }
}

std::vector<double> through_max_pool(const Operator& op, const MaxPool2d& pool, std::span<const double> x,
                                     std::span<const double> upstream) {
  const SlidingWindow window{pool.kernel, pool.stride, pool.padding, pool.dilation};
  std::vector<double> result(x.size(), 0.0);
  WindowInputs under;
  for_each_output(op, [&](std::size_t output, std::size_t oy, std::size_t ox, std::size_t channel) {
    find_inputs(window, op, oy, ox, under);
    std::optional<std::size_t> largest;
    for (const std::size_t input : under.inputs) {
      if (!largest || x[channel + input] > x[channel + *largest]) largest = input;
    }
    if (largest) result[channel + *largest] += upstream[output];
  });
  return result;
}

/// PyTorch's divisors: divisor_override if given; else the inputs of the window, with count_include_pad also the
/// padding under it, but nothing beyond the padding.
std::vector<double> through_average_pool(const Operator& op, const AvgPool2d& pool, std::span<const double> upstream,
                                         PassKind pass) {
  const SlidingWindow window{pool.kernel, pool.stride, pool.padding, {1, 1}};
  std::vector<double> result(elements(op.in_shape), 0.0);
  WindowInputs under;
  for_each_output(op, [&](std::size_t output, std::size_t oy, std::size_t ox, std::size_t channel) {
    find_inputs(window, op, oy, ox, under);
    const std::size_t counted = pool.count_include_pad ? under.padded_count : under.inputs.size();
    const double share = upstream[output] / taken(static_cast<double>(pool.divisor_override.value_or(counted)), pass);
    for (const std::size_t input : under.inputs) result[channel + input] += share;
  });
  return result;
}

/// First and one past last input of every bin along an axis: input i is the interval [i, i + 1], bin o of `out` equal
/// parts is [o, o + 1] · in / out, and every input that overlaps with a bin is in it.
std::vector<std::pair<std::size_t, std::size_t>> overlapping_inputs(std::size_t in, std::size_t out) {
  std::vector<std::pair<std::size_t, std::size_t>> bins;
  std::size_t first = 0;
  for (std::size_t o = 0; o < out; ++o) {
    while ((first + 1) * out <= o * in) ++first;
    std::size_t last = first;
    while (last < in && last * out < (o + 1) * in) ++last;
    bins.emplace_back(first, last);
  }
  return bins;
}

std::vector<double> through_adaptive_pool(const Operator& op, std::span<const double> upstream, PassKind pass) {
  const auto rows = overlapping_inputs(op.in_shape[1], op.out_shape[1]);
  const auto columns = overlapping_inputs(op.in_shape[2], op.out_shape[2]);
  std::vector<double> result(elements(op.in_shape), 0.0);
  for_each_output(op, [&](std::size_t output, std::size_t oy, std::size_t ox, std::size_t channel) {
    const auto [top, bottom] = rows[oy];
    const auto [left, right] = columns[ox];
    const double share = upstream[output] / taken(static_cast<double>((bottom - top) * (right - left)), pass);
    for (std::size_t y = top; y < bottom; ++y) {
      for (std::size_t x = left; x < right; ++x) result[channel + y * op.in_shape[2] + x] += share;
    }
  });
  return result;
}

/// Height of the tent or cubic that is laid through the inputs, at a distance.
double interpolation_height(const Interpolation& kind, double distance) {
  const double d = std::fabs(distance);
  if (kind.mode == InterpolationMode::linear) return d < 1 ? 1 - d : 0;
  const double a = kind.cubic_coefficient;
  if (d >= 2) return 0;
  return d <= 1 ? 1 - (a + 3) * std::pow(d, 2) + (a + 2) * std::pow(d, 3)
                : a * (std::pow(d, 3) - 5 * std::pow(d, 2) + 8 * d - 4);
}

/// What input i counts for in output o along an axis: heights over all places that are input i, and those beyond the
/// border where it is the nearest.
double share_along(const Interpolation& kind, std::size_t i, std::size_t o, std::size_t in, std::size_t out,
                   double stated) {
  const auto [x, inputs, outputs] =
      std::array{static_cast<double>(o), static_cast<double>(in), static_cast<double>(out)};
  const double scale = stated > 0 ? stated : outputs / inputs;
  double at = (x + 0.5) / scale - 0.5;
  if (kind.place == SamplePlace::half_pixel_symmetric) at += (inputs - outputs / scale) / 2;
  if (kind.place == SamplePlace::pytorch_half_pixel && out == 1) at = 0;
  if (kind.place == SamplePlace::align_corners) at = out == 1 ? 0 : x / (outputs - 1) * (inputs - 1);
  if (kind.place == SamplePlace::asymmetric) at = x / scale;
  const double narrow = kind.antialias && scale < 1 ? scale : 1;
  const double far = 2 / narrow + 1;
  double mine = 0;
  double all = 0;
  for (double place = std::floor(at - far); place <= at + far; ++place) {
    const bool is_outside = place < 0 || place > inputs - 1;
    if (is_outside && kind.exclude_outside) continue;
    const double height = interpolation_height(kind, narrow * (place - at));
    all += height;
    if (std::min(std::max(place, 0.0), inputs - 1) == static_cast<double>(i)) mine += height;
  }
  return kind.antialias || kind.exclude_outside ? mine / all : mine;
}

std::vector<double> through_interpolation(const Operator& op, const Interpolation& kind,
                                          std::span<const double> upstream, PassKind pass) {
  std::vector<double> result;
  const auto [height, width] = std::pair{op.in_shape[1], op.in_shape[2]};
  const auto [out_height, out_width] = std::pair{op.out_shape[1], op.out_shape[2]};
  std::vector<std::vector<double>> columns(width);
  for (std::size_t x = 0; x < width; ++x) {
    for (std::size_t o = 0; o < out_width; ++o)
      columns[x].push_back(taken(share_along(kind, x, o, width, out_width, kind.scale_x), pass));
  }
  for (std::size_t c = 0; c < op.in_shape[0]; ++c) {
    for (std::size_t y = 0; y < height; ++y) {
      std::vector<double> row(width, 0.0);
      for (std::size_t oy = 0; oy < out_height; ++oy) {
        const double share = taken(share_along(kind, y, oy, height, out_height, kind.scale_y), pass);
        const double* from = upstream.data() + (c * out_height + oy) * out_width;
        for (std::size_t x = 0; share != 0 && x < width; ++x) {
          for (std::size_t ox = 0; ox < out_width; ++ox) row[x] += share * columns[x][ox] * from[ox];
        }
      }
      result.insert(result.end(), row.begin(), row.end());
    }
  }
  return result;
}

std::vector<double> through_activation(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                                       std::span<const double> upstream, PassKind pass) {
  std::vector<double> result(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double slope = taken(direct_slope(op, weights, i, x[i]).value, pass);
    if (slope != 0) result[i] = slope * upstream[i];  // 0 times an infinite magnitude is 0
  }
  return result;
}

}  // namespace

double taken(double number, PassKind pass) {
  if (pass == PassKind::square) return number * number;
  return pass == PassKind::magnitude ? std::fabs(number) : number;
}

std::vector<double> hand_back(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                              std::span<const double> upstream, PassKind pass) {
  return visit_operator(
      op.kind, [&](const Conv2d& conv) { return through_convolution(op, conv, weights, upstream, pass); },
      [&](const ConvTranspose2d& conv) { return through_transposed(op, conv, weights, upstream, pass); },
      [&](const Linear&) { return through_linear(op, weights, upstream, pass); },
      [&](const MaxPool2d& pool) { return through_max_pool(op, pool, x, upstream); },
      [&](const AvgPool2d& pool) { return through_average_pool(op, pool, upstream, pass); },
      [&](const AdaptiveAvgPool2d&) { return through_adaptive_pool(op, upstream, pass); },
      [&](const Interpolation& kind) { return through_interpolation(op, kind, upstream, pass); },
      [&](const ElementwiseOperator auto&) { return through_activation(op, weights, x, upstream, pass); },
      [&](const MixingOperator auto&) { return hand_back(op, weights, std::span(&x, 1), 0, upstream, pass); },
      [&](const ViewOperator auto&) -> std::vector<double> { throw std::invalid_argument("a view is no link"); },
      [&](const JoinOperator auto&) -> std::vector<double> {
        throw std::invalid_argument("a join has several inputs");
      });
}

void raise_to_terms(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                    std::span<const double> upstream, std::span<double> squares) {
  if (!is_elementwise(op.kind)) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double handed = direct_slope(op, weights, i, x[i]).terms * upstream[i];
    squares[i] = std::max(squares[i], handed * handed);
  }
}

void add_cancellation(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                      std::span<const double> upstream, std::span<double> magnitude) {
  if (!is_elementwise(op.kind)) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const DirectSlope slope = direct_slope(op, weights, i, x[i]);
    const double excess = std::max(0.0, slope.terms - std::fabs(slope.value));
    if (excess != 0 && upstream[i] != 0) magnitude[i] += excess * upstream[i];
  }
}

}  // namespace upsweep
