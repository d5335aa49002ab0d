#include "upsweep/network/operators/activation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace upsweep {
namespace {

// Source: Klambauer et al., "Self-Normalizing Neural Networks", 2017.
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double soft_plus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

}  // namespace

double Activation::value(double x) const {
  switch (function) {
    case Function::absolute:
      return std::fabs(x);
    case Function::negative:
      return -x;
    case Function::exponential:
      return std::exp(x);
    case Function::logarithm:
      return std::log(x);
    case Function::square_root:
      return std::sqrt(x);
    case Function::reciprocal:
      return 1 / x;
    case Function::power:
      return std::pow(x, alpha);
    case Function::error:
      return std::erf(x);
    case Function::sine:
      return std::sin(x);
    case Function::cosine:
      return std::cos(x);
    case Function::softplus:
      return soft_plus(alpha * x) / alpha;
    case Function::softsign:
      return x / (1 + std::fabs(x));
    case Function::selu:
      return kSeluScale * (x > 0 ? x : kSeluAlpha * std::expm1(x));
    case Function::celu:
      return x > 0 ? x : alpha * std::expm1(x / alpha);
    case Function::hardsigmoid:
      return std::clamp(alpha * x + beta, 0.0, 1.0);
    case Function::hardswish:
      return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
    case Function::mish:
      return x * std::tanh(soft_plus(x));
    case Function::clip:
      return std::clamp(x, alpha, beta);
    case Function::sign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
  }
  return 0;
}

double Activation::slope(double x) const {
  switch (function) {
    case Function::absolute:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Function::negative:
      return -1;
    case Function::exponential:
      return std::exp(x);
    case Function::logarithm:
      return 1 / x;
    case Function::square_root:
      return 0.5 / std::sqrt(x);
    case Function::reciprocal:
      return -1 / (x * x);
    case Function::power:
      return alpha == 0 ? 0 : alpha * std::pow(x, alpha - 1);
    case Function::error:
      return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    case Function::sine:
      return std::cos(x);
    case Function::cosine:
      return -std::sin(x);
    case Function::softplus:
      return logistic(alpha * x);
    case Function::softsign:
      return 1 / ((1 + std::fabs(x)) * (1 + std::fabs(x)));
    case Function::selu:
      return kSeluScale * (x > 0 ? 1 : kSeluAlpha * std::exp(x));
    case Function::celu:
      return x > 0 ? 1 : std::exp(x / alpha);
    case Function::hardsigmoid:
      return alpha * x + beta > 0 && alpha * x + beta < 1 ? alpha : 0;
    case Function::hardswish:
      return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5;
    case Function::mish: {
      const double t = std::tanh(soft_plus(x));
      return t + x * logistic(x) * (1 - t * t);
    }
    case Function::clip:
      return x > alpha && x < beta ? 1 : 0;
    case Function::sign:
      return 0;
  }
  return 0;
}

}  // namespace upsweep
