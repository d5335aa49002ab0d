#include "upsweep/jacobian/elementwise.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace upsweep {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Value and slope of a scalar function.
struct Point {
  double value;
  double slope;
};

/// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016: x·Φ(x), or its approximation by tanh.
Point gelu(bool tanh_approximation, double x) {
  if (!tanh_approximation) {
    const double cdf = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return {x * cdf, cdf + x * density};
  }
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
  const double t = std::tanh(scale * (x + 0.044715 * x * x * x));
  // Far out tanh is flat; x * x may then be infinite.
  const double flank = t * t == 1 ? 0 : 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
  return {0.5 * x * (1 + t), 0.5 * (1 + t) + flank};
}

double at_channel(const std::vector<double>& values, std::size_t channel, double fallback) {
  return values.empty() ? fallback : values[channel];
}

Point batch_norm(const Operator& op, const BatchNorm2d& kind, const OperatorWeights& weights, std::size_t i, double x) {
  const std::size_t channel = i / (op.in_shape[1] * op.in_shape[2]);
  const double slope =
      at_channel(weights.values, channel, 1) / std::sqrt(at_channel(weights.running_var, channel, 1) + kind.eps);
  return {(x - at_channel(weights.running_mean, channel, 0)) * slope + at_channel(weights.bias, channel, 0), slope};
}

Point evaluate(const Operator& op, const OperatorWeights& weights, std::size_t i, double x) {
  return std::visit(
      Overload{
          [&](const Relu&) {
            return Point{x > 0 ? x : 0, x > 0 ? 1.0 : 0.0};
          },
          [&](const LeakyRelu& k) {
            return Point{x > 0 ? x : k.negative_slope * x, x > 0 ? 1 : k.negative_slope};
          },
          [&](const Elu& k) {
            return x > 0 ? Point{x, 1} : Point{k.alpha * std::expm1(x), k.alpha * std::exp(x)};
          },
          [&](const Gelu& k) { return gelu(k.tanh_approximation, x); },
          [&](const Silu&) {
            const double s = sigmoid(x);
            return Point{x * s, s * (1 + x * (1 - s))};
          },
          [&](const Tanh&) {
            const double t = std::tanh(x);
            return Point{t, 1 - t * t};
          },
          [&](const Sigmoid&) {
            const double s = sigmoid(x);
            return Point{s, s * (1 - s)};
          },
          [&](const BatchNorm2d& k) { return batch_norm(op, k, weights, i, x); },
          [&](const auto&) -> Point { throw std::invalid_argument(kind_name(op.kind) + " is not elementwise"); },
      },
      op.kind);
}

}  // namespace

double elementwise_value(const Operator& op, const OperatorWeights& weights, std::size_t i, double x) {
  return evaluate(op, weights, i, x).value;
}

double elementwise_slope(const Operator& op, const OperatorWeights& weights, std::size_t i, double x) {
  return evaluate(op, weights, i, x).slope;
}

}  // namespace upsweep
