#include "upsweep/learning/network_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

/// Σ a[i] · b[i · stride]. Four sums hide the latency of the addition.
double strided_dot(const double* a, const double* b, std::size_t stride, std::size_t count) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t s = 0; s < 4; ++s) sums[s] += a[i + s] * b[(i + s) * stride];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i * stride];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// The outputs [begin, end) along an axis whose window has an input, no padding, at one position of the kernel.
struct OutputRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first_input = 0;  ///< the input of output `begin`; the next ones are a stride apart
};

/// `shift` = kernel position · dilation.
OutputRange outputs_with_input(std::size_t in, std::size_t out, std::size_t stride, std::size_t padding,
                               std::size_t shift) {
  OutputRange range;
  range.begin = shift >= padding ? 0 : (padding - shift + stride - 1) / stride;
  // The last output o has o · stride + shift - padding <= in - 1.
  range.end = in + padding <= shift ? 0 : std::min(out, (in + padding - shift - 1) / stride + 1);
  range.end = std::max(range.begin, range.end);
  range.first_input = range.begin * stride + shift - padding;
  return range;
}

std::vector<OutputRange> ranges_along(std::size_t in, std::size_t out, std::size_t kernel, std::size_t stride,
                                      std::size_t padding, std::size_t dilation) {
  std::vector<OutputRange> ranges;
  for (std::size_t k = 0; k < kernel; ++k) ranges.push_back(outputs_with_input(in, out, stride, padding, k * dilation));
  return ranges;
}

/// The gradient of one weight of a convolution from one sample's planes.
double weight_gradient(const Operator& op, const Conv2d& conv, const OutputRange& y, const OutputRange& x,
                       const double* in, const double* upstream) {
  double sum = 0;
  for (std::size_t oy = y.begin; oy < y.end; ++oy) {
    const std::size_t row = y.first_input + (oy - y.begin) * conv.stride.y;
    sum += strided_dot(upstream + oy * op.out_shape[2] + x.begin, in + row * op.in_shape[2] + x.first_input,
                       conv.stride.x, x.end - x.begin);
  }
  return sum;
}

void add_convolution(const Operator& op, const Conv2d& conv, const OperatorWeights& weights,
                     std::span<const OperatorSample> samples, std::span<double> gradient) {
  const std::size_t group_inputs = op.in_shape[0] / conv.groups;
  const std::size_t group_outputs = conv.out_channels / conv.groups;
  const std::size_t in_plane = op.in_shape[1] * op.in_shape[2];
  const std::size_t out_plane = op.out_shape[1] * op.out_shape[2];
  const std::vector<OutputRange> rows =
      ranges_along(op.in_shape[1], op.out_shape[1], conv.kernel.y, conv.stride.y, conv.padding.y, conv.dilation.y);
  const std::vector<OutputRange> columns =
      ranges_along(op.in_shape[2], op.out_shape[2], conv.kernel.x, conv.stride.x, conv.padding.x, conv.dilation.x);
  const std::size_t per_output = group_inputs * conv.kernel.y * conv.kernel.x;
  parallel_chunks(conv.out_channels, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t co = begin; co < end; ++co) {
      for (const OperatorSample& sample : samples) {
        std::size_t w = co * per_output;
        for (std::size_t ci = 0; ci < group_inputs; ++ci) {
          const double* in = sample.input.data() + (co / group_outputs * group_inputs + ci) * in_plane;
          for (std::size_t ky = 0; ky < conv.kernel.y; ++ky) {
            for (std::size_t kx = 0; kx < conv.kernel.x; ++kx, ++w) {
              if (!weights.keeps(w) || columns[kx].begin == columns[kx].end) continue;
              gradient[w] +=
                  weight_gradient(op, conv, rows[ky], columns[kx], in, sample.upstream.data() + co * out_plane);
            }
          }
        }
      }
    }
  });
}

void add_linear(const Operator& op, const OperatorWeights& weights, std::span<const OperatorSample> samples,
                std::span<double> gradient) {
  const std::size_t features = op.in_shape[0];
  parallel_chunks(op.out_shape[0], 4, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t o = begin; o < end; ++o) {
      double* row = gradient.data() + o * features;
      for (const OperatorSample& sample : samples) {
        const double upstream = sample.upstream[o];
        const double* input = sample.input.data();
        for (std::size_t i = 0; i < features; ++i) row[i] += upstream * input[i];
      }
      for (std::size_t i = 0; i < features; ++i) {
        if (!weights.keeps(o * features + i)) row[i] = 0;
      }
    }
  });
}

/// Source: the definition, y = (x - mean) / sqrt(var + eps) · scale + shift.
void add_scales(const Operator& op, const BatchNorm2d& norm, const OperatorWeights& weights,
                std::span<const OperatorSample> samples, std::span<double> gradient) {
  const std::size_t plane = op.in_shape[1] * op.in_shape[2];
  for (const OperatorSample& sample : samples) {
    for (std::size_t c = 0; c < gradient.size(); ++c) {
      const double mean = weights.running_mean.empty() ? 0 : weights.running_mean[c];
      const double variance = weights.running_var.empty() ? 1 : weights.running_var[c];
      double sum = 0;
      for (std::size_t i = c * plane; i < (c + 1) * plane; ++i) sum += sample.upstream[i] * (sample.input[i] - mean);
      gradient[c] += sum / std::sqrt(variance + norm.eps);
    }
  }
}

/// A bias adds to every element of its channel.
void add_bias(std::span<const OperatorSample> samples, std::span<double> gradient) {
  for (const OperatorSample& sample : samples) {
    const std::size_t plane = sample.upstream.size() / gradient.size();
    for (std::size_t c = 0; c < gradient.size(); ++c) {
      for (std::size_t i = c * plane; i < (c + 1) * plane; ++i) gradient[c] += sample.upstream[i];
    }
  }
}

bool has_bias(const OperatorKind& kind) {
  return std::visit(
      Overload{[](const Conv2d& conv) { return conv.bias; }, [](const Linear& linear) { return linear.bias; },
               [](const BatchNorm2d& norm) { return norm.affine; }, [](const auto&) { return false; }},
      kind);
}

/// Numbers of OperatorWeights::values that are parameters.
std::size_t value_count(const Operator& op) {
  if (const auto shape = weight_shape(op.kind, op.in_shape)) return elements(*shape);
  return has_parameters(op.kind) ? op.in_shape[0] : 0;
}

void require_lengths(const Operator& op, const OperatorWeights& weights, std::span<const OperatorSample> samples) {
  const auto require = [&](const char* what, std::size_t found, std::size_t accepted) {
    if (found == accepted) return;
    throw std::invalid_argument(
        fmt::format("{} '{}': {} of {} numbers, accepted are {}", kind_name(op.kind), op.name, what, found, accepted));
  };
  if (!weights.kept.empty()) require("a mask", weights.kept.size(), value_count(op));
  if (!weights.running_mean.empty()) require("running means", weights.running_mean.size(), op.in_shape[0]);
  if (!weights.running_var.empty()) require("running variances", weights.running_var.size(), op.in_shape[0]);
  for (const OperatorSample& sample : samples) {
    require("an input", sample.input.size(), elements(op.in_shape));
    require("a gradient of its output", sample.upstream.size(), elements(op.out_shape));
  }
}

}  // namespace

bool has_parameters(const OperatorKind& kind) {
  if (const auto* norm = std::get_if<BatchNorm2d>(&kind)) return norm->affine;
  return std::holds_alternative<Conv2d>(kind) || std::holds_alternative<Linear>(kind);
}

void write_out_parameters(const Network& network, NetworkWeights& weights) {
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    if (has_bias(op.kind) && weights[o].bias.empty()) weights[o].bias.assign(op.out_shape[0], 0.0);
    if (std::holds_alternative<BatchNorm2d>(op.kind) && has_parameters(op.kind) && weights[o].values.empty())
      weights[o].values.assign(op.in_shape[0], 1.0);
  }
}

ParameterGradients operator_gradients(const Operator& op, const OperatorWeights& weights,
                                      std::span<const OperatorSample> samples) {
  require_lengths(op, weights, samples);
  ParameterGradients gradients;
  gradients.values.assign(value_count(op), 0.0);
  if (has_bias(op.kind)) gradients.bias.assign(op.out_shape[0], 0.0);
  if (const auto* conv = std::get_if<Conv2d>(&op.kind)) {
    add_convolution(op, *conv, weights, samples, gradients.values);
  } else if (std::holds_alternative<Linear>(op.kind)) {
    add_linear(op, weights, samples, gradients.values);
  } else if (const auto* norm = std::get_if<BatchNorm2d>(&op.kind)) {
    add_scales(op, *norm, weights, samples, gradients.values);
  }
  if (!gradients.bias.empty()) add_bias(samples, gradients.bias);
  return gradients;
}

}  // namespace upsweep
