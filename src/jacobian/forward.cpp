#include "upsweep/jacobian/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/elementwise.hpp"
#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

std::vector<double> bias_planes(const Operator& op, const OperatorWeights& weights, std::size_t plane) {
  std::vector<double> out(elements(op.out_shape), 0.0);
  for (std::size_t c = 0; c < weights.bias.size(); ++c) {
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(c * plane), plane, weights.bias[c]);
  }
  return out;
}

/// Pairs of input and output position that one kernel position joins along an axis, as runs of equal steps.
struct KernelRun {
  std::size_t first_out = 0, count = 0, first_in = 0;
};

/// For every kernel position the outputs that it serves: a run, since windows slide evenly.
std::vector<KernelRun> kernel_runs(const AxisWindows& windows, std::size_t out, std::size_t kernel) {
  std::vector<KernelRun> runs(kernel);
  for (std::size_t o = 0; o < out; ++o) {
    for (const Tap& tap : windows.by_output(o)) {
      KernelRun& run = runs[tap.kernel];
      if (run.count++ == 0) run = {o, 1, tap.position};
    }
  }
  return runs;
}

/// Widths and strides of the planes of a convolution.
struct PlaneShape {
  std::size_t in_width, out_width, stride_y, stride_x;
};

/// Adds the contribution of one weight to an output plane.
void add_weight(double weight, const KernelRun& y, const KernelRun& x, const PlaneShape& shape, const double* in,
                double* out) {
  for (std::size_t i = 0; i < y.count; ++i) {
    const double* from = in + (y.first_in + i * shape.stride_y) * shape.in_width + x.first_in;
    double* to = out + (y.first_out + i) * shape.out_width + x.first_out;
    for (std::size_t j = 0; j < x.count; ++j) to[j] += weight * from[j * shape.stride_x];
  }
}

std::vector<double> convolve(const Operator& op, const Conv2d& conv, const OperatorWeights& weights,
                             std::span<const double> x) {
  const ImageWindows windows = image_windows(op);
  const std::vector<KernelRun> runs_y = kernel_runs(windows.y, op.out_shape[1], conv.kernel.y);
  const std::vector<KernelRun> runs_x = kernel_runs(windows.x, op.out_shape[2], conv.kernel.x);
  const std::size_t in_plane = op.in_shape[1] * op.in_shape[2];
  const std::size_t out_plane = op.out_shape[1] * op.out_shape[2];
  const std::size_t group_inputs = op.in_shape[0] / conv.groups;
  const std::size_t group_outputs = conv.out_channels / conv.groups;
  const PlaneShape shape{op.in_shape[2], op.out_shape[2], conv.stride.y, conv.stride.x};
  std::vector<double> out = bias_planes(op, weights, out_plane);
  // One output channel is one thread's, and its weights come in one order: the sums do not depend on the threads.
  parallel_chunks(conv.out_channels, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t co = begin; co < end; ++co) {
      std::size_t w = co * group_inputs * conv.kernel.y * conv.kernel.x;
      for (std::size_t ci = 0; ci < group_inputs; ++ci) {
        const double* in = x.data() + (co / group_outputs * group_inputs + ci) * in_plane;
        for (std::size_t ky = 0; ky < conv.kernel.y; ++ky) {
          for (std::size_t kx = 0; kx < conv.kernel.x; ++kx, ++w) {
            if (weights.values[w] != 0)
              add_weight(weights.values[w], runs_y[ky], runs_x[kx], shape, in, out.data() + co * out_plane);
          }
        }
      }
    }
  });
  return out;
}

std::vector<double> multiply_linear(const Operator& op, const OperatorWeights& weights, std::span<const double> x) {
  std::vector<double> out = bias_planes(op, weights, 1);
  parallel_chunks(out.size(), 16, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t o = begin; o < end; ++o) {
      const double* row = weights.values.data() + o * x.size();
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += row[i] * x[i];
      out[o] += sum;
    }
  });
  return out;
}

/// Calls visit(output, input) for every input of every window, window after window in row-major order.
template <class Visit>
void for_each_window_input(const Operator& op, Visit visit) {
  const ImageWindows windows = image_windows(op);
  const std::size_t in_plane = op.in_shape[1] * op.in_shape[2];
  std::size_t output = 0;
  for (std::size_t c = 0; c < op.out_shape[0]; ++c) {
    for (std::size_t oy = 0; oy < op.out_shape[1]; ++oy) {
      for (std::size_t ox = 0; ox < op.out_shape[2]; ++ox, ++output) {
        for (const Tap& ty : windows.y.by_output(oy)) {
          for (const Tap& tx : windows.x.by_output(ox)) {
            visit(output, c * in_plane + ty.position * op.in_shape[2] + tx.position);
          }
        }
      }
    }
  }
}

std::vector<double> average(const Operator& op, std::span<const double> x) {
  std::vector<double> out(elements(op.out_shape), 0.0);
  for_each_window_input(op, [&](std::size_t output, std::size_t input) { out[output] += x[input]; });
  const std::vector<double> divisors = average_divisors(op);
  for (std::size_t o = 0; o < out.size(); ++o) out[o] /= divisors[o];
  return out;
}

std::vector<double> maximum(const Operator& op, std::span<const double> x) {
  std::vector<double> out;
  for (const std::uint32_t position : max_positions(op, x)) out.push_back(x[position]);
  return out;
}

std::vector<double> map_elements(const Operator& op, const OperatorWeights& weights, std::span<const double> x) {
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = elementwise_value(op, weights, i, x[i]);
  return out;
}

std::vector<double> sum_of(std::span<const std::span<const double>> inputs) {
  std::vector<double> out(inputs[0].begin(), inputs[0].end());
  for (const std::span<const double> input : inputs.subspan(1)) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += input[i];
  }
  return out;
}

/// One after the other: the first axis, along which a concat joins, is the slowest one.
std::vector<double> joined(std::span<const std::span<const double>> inputs) {
  std::vector<double> out;
  for (const std::span<const double> input : inputs) out.insert(out.end(), input.begin(), input.end());
  return out;
}

void require_inputs(const Operator& op, std::span<const std::span<const double>> inputs) {
  const bool is_concat = std::holds_alternative<Concat>(op.kind);
  std::size_t total = 0;
  bool fits = !inputs.empty() && (inputs.size() > 1) == is_join(op.kind);
  for (const std::span<const double> input : inputs) {
    total += input.size();
    fits = fits && (is_concat || input.size() == elements(op.in_shape));
  }
  if (fits && (!is_concat || total == elements(op.out_shape))) return;
  throw std::invalid_argument(fmt::format(
      "{} '{}': {} inputs of {} numbers together, accepted are {} of {}", kind_name(op.kind), op.name, inputs.size(),
      total, is_join(op.kind) ? "two or more" : "one",
      is_concat ? fmt::format("{}", elements(op.out_shape)) : fmt::format("{} each", elements(op.in_shape))));
}

/// Length of window o along one axis as an average pooling counts it, padding included.
std::uint64_t padded_length(std::uint64_t o, std::uint64_t in, std::uint64_t kernel, std::uint64_t stride,
                            std::uint64_t padding) {
  return std::min(o * stride + kernel, in + 2 * padding) - o * stride;
}

}  // namespace

std::vector<std::vector<double>> activations(const Network& network, const NetworkWeights& weights,
                                             std::span<const double> x) {
  std::vector<std::vector<double>> outputs;
  std::vector<std::span<const double>> inputs;
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    inputs.clear();
    for (const std::size_t source : network.inputs_of(o))
      inputs.push_back(source == kNetworkInput ? x : std::span<const double>(outputs[source]));
    outputs.push_back(forward(op, weights[o], inputs));
    const std::vector<double>& output = outputs.back();
    for (std::size_t i = 0; i < output.size(); ++i) {
      if (std::isfinite(output[i])) continue;
      throw OperatorError(o, fmt::format("{} '{}': element {} of its output is {}, accepted are finite numbers",
                                         kind_name(op.kind), op.name, i, output[i]));
    }
  }
  return outputs;
}

std::vector<std::vector<double>> link_inputs(const Network& network, const NetworkWeights& weights,
                                             std::span<const double> x) {
  std::vector<std::vector<double>> outputs = activations(network, weights, x);
  std::vector<std::vector<double>> inputs;
  inputs.reserve(network.links().size() + 1);
  // No two links have one input, so that each may be moved away; the network's output is no link's.
  for (std::size_t i = 0; i < network.links().size(); ++i) {
    const std::size_t source = network.link(i).input;
    if (source == kNetworkInput) {
      inputs.emplace_back(x.begin(), x.end());
    } else {
      inputs.push_back(std::move(outputs[source]));
    }
  }
  inputs.push_back(std::move(outputs.back()));
  return inputs;
}

std::vector<std::uint32_t> max_positions(const Operator& op, std::span<const double> x) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> best(elements(op.out_shape), kNone);
  for_each_window_input(op, [&](std::size_t output, std::size_t input) {
    if (best[output] == kNone || x[input] > x[best[output]]) best[output] = static_cast<std::uint32_t>(input);
  });
  return best;
}

std::vector<double> average_divisors(const Operator& op) {
  std::vector<double> divisors(elements(op.out_shape), 0.0);
  const auto* pool = std::get_if<AvgPool2d>(&op.kind);
  if (pool == nullptr || (!pool->count_include_pad && !pool->divisor_override)) {
    for_each_window_input(op, [&](std::size_t output, std::size_t) { divisors[output] += 1; });
    return divisors;
  }
  std::size_t output = 0;
  for (std::size_t c = 0; c < op.out_shape[0]; ++c) {
    for (std::size_t oy = 0; oy < op.out_shape[1]; ++oy) {
      const std::uint64_t height = padded_length(oy, op.in_shape[1], pool->kernel.y, pool->stride.y, pool->padding.y);
      for (std::size_t ox = 0; ox < op.out_shape[2]; ++ox, ++output) {
        const std::uint64_t width = padded_length(ox, op.in_shape[2], pool->kernel.x, pool->stride.x, pool->padding.x);
        divisors[output] = static_cast<double>(pool->divisor_override.value_or(height * width));
      }
    }
  }
  return divisors;
}

std::vector<double> forward(const Operator& op, const OperatorWeights& weights, std::span<const double> x) {
  return forward(op, weights, std::span(&x, 1));
}

std::vector<double> forward(const Operator& op, const OperatorWeights& weights,
                            std::span<const std::span<const double>> inputs) {
  require_inputs(op, inputs);
  const std::span<const double> x = inputs[0];
  return std::visit(Overload{
                        [&](const Conv2d& conv) { return convolve(op, conv, weights, x); },
                        [&](const Linear&) { return multiply_linear(op, weights, x); },
                        [&](const MaxPool2d&) { return maximum(op, x); },
                        [&](const AvgPool2d&) { return average(op, x); },
                        [&](const AdaptiveAvgPool2d&) { return average(op, x); },
                        [&](const Flatten&) { return std::vector<double>(x.begin(), x.end()); },
                        [&](const Dropout&) { return std::vector<double>(x.begin(), x.end()); },
                        [&](const Add&) { return sum_of(inputs); },
                        [&](const Concat&) { return joined(inputs); },
                        [&](const auto&) { return map_elements(op, weights, x); },
                    },
                    op.kind);
}

}  // namespace upsweep
