#include "direct_slopes.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace upsweep {
namespace {

// The rule for `terms`: write the derivative as the textbook does, in the function's own value, and add up absolute
// values: of 1 - t² it is 1 + t², since t comes rounded. Where the argument of an exponential is rounded before, the
// term counts once more times that argument. Values are computed from other, stable formulas, so that this oracle
// agrees with the textbook only where both are right.

/// The logistic function and its derivative, from an exponential that cannot overflow.
struct Logistic {
  double value;
  double slope;
};

Logistic logistic(double x) {
  const double e = std::exp(-std::fabs(x));
  return {(x < 0 ? e : 1.0) / (1 + e), e / ((1 + e) * (1 + e))};
}

/// 1 - tanh(x)².
double tanh_slope(double x) { return 4 * logistic(2 * x).slope; }

/// (x·Φ(x))' = Φ(x) + x·φ(x), Φ and φ the normal distribution and its density.
DirectSlope normal_gelu_slope(double x) {
  const double below = std::erfc(-x * (std::numbers::sqrt2 / 2)) / 2;
  const double density = std::exp(-(x * x) / 2) / std::sqrt(2 * std::numbers::pi);
  const double second = density == 0 ? 0 : x * density;
  const double argument = second == 0 ? 0 : x * x / 2;
  return {below + second, below + std::fabs(second) * (1 + argument)};
}

/// (x/2 · (1 + tanh u))' with u = sqrt(2/π) · (x + 0.044715·x³).
DirectSlope tanh_gelu_slope(double x) {
  const double root = std::sqrt(2 / std::numbers::pi);
  const double u = root * x * (1 + 0.044715 * x * x);
  const double u_slope = root * (1 + 3 * 0.044715 * x * x);
  const double t = std::tanh(u);
  const double bend = tanh_slope(u);
  // Far out u_slope may be infinite, and the bend has long been 0.
  const double second = bend == 0 ? 0 : x / 2 * bend * u_slope;
  const double second_terms = std::fabs(x) / 2 * (1 + t * t) * u_slope;
  return {logistic(2 * u).value + second, (1 + std::fabs(t)) / 2 + second_terms};
}

DirectSlope silu_slope(double x) {
  const Logistic s = logistic(x);
  return {s.value + x * s.slope, s.value * (1 + std::fabs(x) * (1 + s.value))};
}

DirectSlope exact(double slope) { return {slope, std::fabs(slope)}; }

DirectSlope batch_norm_slope(const Operator& op, const BatchNorm2d& norm, const OperatorWeights& weights,
                             std::size_t i) {
  const std::size_t channel = i / (op.in_shape[1] * op.in_shape[2]);
  const double scale = weights.values.empty() ? 1 : weights.values[channel];
  const double variance = weights.running_var.empty() ? 1 : weights.running_var[channel];
  return exact(scale / std::sqrt(variance + norm.eps));
}

/// Derivatives of the functions of Activation, by other formulas than theirs.
DirectSlope function_slope(const Activation& kind, double x) {
  const double a = std::fabs(x);
  switch (kind.function) {
    case Function::absolute:
      return exact(x == 0 ? 0 : x / a);
    case Function::negative:
      return exact(-1);
    case Function::exponential:
      return {std::exp(x), std::exp(x) * (1 + a)};
    case Function::logarithm:
    case Function::reciprocal:
      return exact(kind.function == Function::logarithm ? 1 / x : -(1 / x) / x);
    case Function::square_root:
      return exact(1 / (2 * std::sqrt(x)));
    case Function::power:
      return exact(kind.alpha == 0 ? 0 : kind.alpha * std::pow(x, kind.alpha) / x);
    case Function::error: {
      const double slope = 2 / std::sqrt(std::numbers::pi) * std::exp(-(x * x));
      return {slope, slope * (1 + x * x)};
    }
    case Function::sine:
      return {1 - 2 * std::pow(std::sin(x / 2), 2), 3};
    case Function::cosine:
      return {-2 * std::sin(x / 2) * std::cos(x / 2), 2};
    case Function::softplus:
      return exact(logistic(kind.alpha * x).value);
    case Function::softsign:
      return exact(std::pow(1 + a, -2));
    case Function::selu:
      return exact(1.0507009873554804934 * (x > 0 ? 1 : 1.6732632423543772848 * std::exp(x)));
    case Function::celu:
      return exact(x > 0 ? 1 : std::exp(x / kind.alpha));
    case Function::hardsigmoid: {
      const double line = kind.alpha * x + kind.beta;
      return exact(line > 0 && line < 1 ? kind.alpha : 0);
    }
    case Function::hardswish:
      return {x <= -3 ? 0 : x >= 3 ? 1 : (2 * x + 3) / 6, 1 + a};
    case Function::mish: {
      const double s = logistic(x).value;
      const double soft = x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
      const double t = std::tanh(soft);
      return {t + x * s * tanh_slope(soft), t + a * s * (1 + t * t)};
    }
    case Function::clip:
      return exact(x > kind.alpha && x < kind.beta ? 1 : 0);
    case Function::sign:
      return exact(0);
  }
  return exact(0);
}

}  // namespace

DirectSlope direct_slope(const Operator& op, const OperatorWeights& weights, std::size_t i, double x) {
  const bool right = x > 0;
  return visit_operator(
      op.kind, [&](const Relu&) { return exact(right ? 1 : 0); },
      [&](const LeakyRelu& kind) { return exact(right ? 1 : kind.negative_slope); },
      [&](const Elu& kind) { return exact(right ? 1 : kind.alpha * std::exp(x)); },
      [&](const Gelu& kind) { return kind.tanh_approximation ? tanh_gelu_slope(x) : normal_gelu_slope(x); },
      [&](const Silu&) { return silu_slope(x); },
      [&](const Tanh&) {
        const double t = std::tanh(x);
        return DirectSlope{tanh_slope(x), 1 + t * t};
      },
      [&](const Sigmoid&) {
        const Logistic s = logistic(x);
        return DirectSlope{s.slope, s.value * (1 + s.value)};
      },
      [&](const Activation& kind) { return function_slope(kind, x); },
      [&](const Scaling& kind) {
        const bool is_kept = weights.values.empty() || (kind.negative_part && right);
        return exact(is_kept ? 1 : weights.values[i / kind.inner % kind.size]);
      },
      [&](const BatchNorm2d& kind) { return batch_norm_slope(op, kind, weights, i); },
      [&]<class K>(const K&) -> DirectSlope requires(!ElementwiseOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " is not elementwise");
      });
}

}  // namespace upsweep
