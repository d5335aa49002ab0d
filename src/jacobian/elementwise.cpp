#include "upsweep/jacobian/elementwise.hpp"

#include <stdexcept>

namespace upsweep {
namespace {

/// Calls compute(kind, i, at...) for the elements of an elementwise operator, `at` their weights and channels if it has
/// any.
template <class Compute>
void for_each_element(const Operator& op, const OperatorWeights& weights, std::size_t first, std::size_t count,
                      const Compute& compute) {
  visit_operator(
      op.kind,
      [&]<ElementwiseOperator K>(const K& kind) {
        if constexpr (requires { kind.parameter_of(first); }) {
          for (std::size_t i = 0; i < count; ++i) compute(kind, i, weights, kind.parameter_of(first + i));
        } else if constexpr (ParametricOperator<K>) {
          const std::size_t plane = elements(op.in_shape) / op.in_shape[0];
          for (std::size_t i = 0; i < count; ++i) compute(kind, i, weights, (first + i) / plane);
        } else {
          for (std::size_t i = 0; i < count; ++i) compute(kind, i);
        }
      },
      [&]<class K>(const K&) requires(!ElementwiseOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " is not elementwise");
      });
}

}  // namespace

void elementwise_values(const Operator& op, const OperatorWeights& weights, std::size_t first,
                        std::span<const double> x, std::span<double> values) {
  for_each_element(op, weights, first, x.size(),
                   [&](const auto& kind, std::size_t i, const auto&... at) { values[i] = kind.value(at..., x[i]); });
}

void elementwise_slopes(const Operator& op, const OperatorWeights& weights, std::size_t first,
                        std::span<const double> x, std::span<double> slopes) {
  for_each_element(op, weights, first, x.size(),
                   [&](const auto& kind, std::size_t i, const auto&... at) { slopes[i] = kind.slope(at..., x[i]); });
}

}  // namespace upsweep
