#include "upsweep/network/operators/linear.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/base/parallel.hpp"
#include "upsweep/network/window.hpp"

namespace upsweep {

Shape Linear::shape(const Shape& in) const {
  require_positive("out_features", out_features);
  if (in.size() != 1) {
    throw std::invalid_argument(
        fmt::format("its input has shape {}, accepted is [features]: put a flatten in front", to_string(in)));
  }
  return {out_features};
}

OperatorParameters Linear::parameters(const Shape& in) const {
  return {.weight = Shape{out_features, in[0]}, .biases = bias ? out_features : 0};
}

WeightedWindows Linear::weighted_windows(const Operator&) const {
  const auto point = [] { return AxisWindows::sliding(1, 1, 1, 1, 0, 1); };
  return {{point(), point()}};
}

void Linear::add_product(const Operator&, const OperatorWeights& weights, std::span<const double> x,
                         std::span<double> out) const {
  parallel_chunks(out.size(), 16, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t o = begin; o < end; ++o) {
      const double* row = weights.values.data() + o * x.size();
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += row[i] * x[i];
      out[o] += sum;
    }
  });
}

void Linear::add_value_gradients(const Operator& op, const OperatorWeights& weights,
                                 std::span<const OperatorSample> samples, std::span<double> gradient) const {
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

}  // namespace upsweep
