#include "upsweep/network/operators/conv2d.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/base/parallel.hpp"
#include "upsweep/network/window.hpp"

namespace upsweep {
namespace {

WindowSpec spec_of(const Conv2d& conv) { return {conv.kernel, conv.stride, conv.padding, conv.dilation}; }

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

struct ConvolutionRuns {
  std::vector<KernelRun> y, x;

  ConvolutionRuns(const Operator& op, const Conv2d& conv) {
    const ImageWindows windows = spec_of(conv).on(op);
    y = kernel_runs(windows.y, op.out_shape[1], conv.kernel.y);
    x = kernel_runs(windows.x, op.out_shape[2], conv.kernel.x);
  }
};

/// Calls visit(input plane, weight, ky, kx) for the weights of output channel `co`, in their order.
template <class Visit>
void for_each_weight(const Operator& op, const Conv2d& conv, std::size_t co, const Visit& visit) {
  const std::size_t group_inputs = op.in_shape[0] / conv.groups;
  const std::size_t first_input = co / (conv.out_channels / conv.groups) * group_inputs;
  const std::size_t in_plane = op.in_shape[1] * op.in_shape[2];
  std::size_t w = co * group_inputs * conv.kernel.y * conv.kernel.x;
  for (std::size_t ci = first_input; ci < first_input + group_inputs; ++ci) {
    for (std::size_t ky = 0; ky < conv.kernel.y; ++ky) {
      for (std::size_t kx = 0; kx < conv.kernel.x; ++kx, ++w) visit(ci * in_plane, w, ky, kx);
    }
  }
}

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

}  // namespace

Shape Conv2d::shape(const Shape& in) const {
  require_image(in);
  require_positive("out_channels", out_channels);
  require_positive("groups", groups);
  if (in[0] % groups != 0) {
    throw std::invalid_argument(
        fmt::format("its input has {} channels, accepted is a multiple of groups, {}", in[0], groups));
  }
  if (out_channels % groups != 0) {
    throw std::invalid_argument(
        fmt::format("out_channels is {}, accepted is a multiple of groups, {}", out_channels, groups));
  }
  const PerAxis out = spec_of(*this).counts(in);
  return {out_channels, out.y, out.x};
}

OperatorParameters Conv2d::parameters(const Shape& in) const {
  return {.weight = Shape{out_channels, in[0] / groups, kernel.y, kernel.x}, .biases = bias ? out_channels : 0};
}

WeightedWindows Conv2d::weighted_windows(const Operator& op) const { return {spec_of(*this).on(op), kernel, groups}; }

void Conv2d::add_product(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                         std::span<double> out) const {
  const ConvolutionRuns runs(op, *this);
  const std::size_t in_width = op.in_shape[2];
  const std::size_t out_width = op.out_shape[2];
  // One output channel is one thread's, and its weights come in one order: the sums do not depend on the threads.
  parallel_chunks(out_channels, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t co = begin; co < end; ++co) {
      double* plane = out.data() + co * op.out_shape[1] * out_width;
      for_each_weight(op, *this, co, [&](std::size_t input, std::size_t w, std::size_t ky, std::size_t kx) {
        const double weight = weights.values[w];
        if (weight == 0) return;
        const KernelRun& run_y = runs.y[ky];
        const KernelRun& run_x = runs.x[kx];
        for (std::size_t i = 0; i < run_y.count; ++i) {
          const double* from = x.data() + input + (run_y.first_in + i * stride.y) * in_width + run_x.first_in;
          double* to = plane + (run_y.first_out + i) * out_width + run_x.first_out;
          for (std::size_t j = 0; j < run_x.count; ++j) to[j] += weight * from[j * stride.x];
        }
      });
    }
  });
}

void Conv2d::add_value_gradients(const Operator& op, const OperatorWeights& weights,
                                 std::span<const OperatorSample> samples, std::span<double> gradient) const {
  const ConvolutionRuns runs(op, *this);
  const std::size_t in_width = op.in_shape[2];
  const std::size_t out_width = op.out_shape[2];
  parallel_chunks(out_channels, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t co = begin; co < end; ++co) {
      for (const OperatorSample& sample : samples) {
        const double* upstream = sample.upstream.data() + co * op.out_shape[1] * out_width;
        for_each_weight(op, *this, co, [&](std::size_t input, std::size_t w, std::size_t ky, std::size_t kx) {
          const KernelRun& run_y = runs.y[ky];
          const KernelRun& run_x = runs.x[kx];
          if (!weights.keeps(w) || run_x.count == 0) return;
          const double* in = sample.input.data() + input + run_y.first_in * in_width + run_x.first_in;
          const double* up = upstream + run_y.first_out * out_width + run_x.first_out;
          const std::size_t in_step = stride.y * in_width;
          double sum = 0;
          for (std::size_t i = 0; i < run_y.count; ++i)
            sum += strided_dot(up + i * out_width, in + i * in_step, stride.x, run_x.count);
          gradient[w] += sum;
        });
      }
    }
  });
}

}  // namespace upsweep
