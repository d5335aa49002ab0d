#include "upsweep/network/operators/linear.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/base/parallel.hpp"
#include "upsweep/network/window.hpp"

namespace upsweep {

Shape Linear::shape(const Shape& in) const {
  require_positive("out_features", out_features);
  if (in.empty() || in.size() > 2) {
    throw std::invalid_argument(
        fmt::format("its input has shape {}, accepted is [features]: put a flatten in front", to_string(in)));
  }
  Shape out = in;
  out.back() = out_features;
  return out;
}

OperatorParameters Linear::parameters(const Shape& in) const {
  return {.weight = Shape{out_features, in.back()}, .biases = bias ? out_features : 0};
}

WeightedWindows Linear::weighted_windows(const Operator&) const {
  const auto point = [] { return AxisWindows::sliding(1, 1, 1, 1, 0, 1); };
  return {{point(), point()}};
}

void Linear::add_product(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                         std::span<double> out) const {
  const std::size_t features = op.in_shape.back();
  parallel_chunks(out.size(), 16, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t o = begin; o < end; ++o) {
      const double* row = weights.values.data() + o % out_features * features;
      const double* in = x.data() + o / out_features * features;
      double sum = 0;
      for (std::size_t i = 0; i < features; ++i) sum += row[i] * in[i];
      out[o] += sum;
    }
  });
}

void Linear::add_value_gradients(const Operator& op, const OperatorWeights& weights,
                                 std::span<const OperatorSample> samples, std::span<double> gradient) const {
  const std::size_t features = op.in_shape.back();
  parallel_chunks(out_features, 4, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t o = begin; o < end; ++o) {
      double* row = gradient.data() + o * features;
      for (const OperatorSample& sample : samples) {
        for (std::size_t at = 0; at < sample.input.size() / features; ++at) {
          const double upstream = sample.upstream[at * out_features + o];
          const double* input = sample.input.data() + at * features;
          for (std::size_t i = 0; i < features; ++i) row[i] += upstream * input[i];
        }
      }
      for (std::size_t i = 0; i < features; ++i) {
        if (!weights.keeps(o * features + i)) row[i] = 0;
      }
    }
  });
}

}  // namespace upsweep
